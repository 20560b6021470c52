// The functions of all TIR of one build, and which of them are mains (rules R1, R16, R17).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mlf/graph/reconstruct.h"

namespace mlf::graph {

struct FunctionRef {
  tir::Node function;       ///< a PrimFunc
  std::string_view name;    ///< of its GlobalVar
  std::string_view symbol;  ///< its `global_symbol`, or the name where it has none
  std::size_t source = 0;   ///< position of its TIR
};

class FunctionTable {
 public:
  explicit FunctionTable(std::span<const TirInput> sources);

  std::span<const FunctionRef> all() const { return functions_; }
  /// The function with this symbol or name; of several, one of `preferred_source`. Null: none.
  const FunctionRef* find(std::string_view symbol, std::size_t preferred_source) const;
  /// Mains, by symbol.
  std::vector<const FunctionRef*> mains() const;

 private:
  std::vector<FunctionRef> functions_;
  std::unordered_multimap<std::string_view, std::size_t> by_symbol_;
};

/// The module's name in the symbol of its main: "default" of "tvmgen_default___tvm_main__".
std::string module_of_main(std::string_view symbol);

/// Every character that is neither letter nor digit as `_`: how TVM makes a Relay name a C name.
std::string sanitized(std::string_view name);

}  // namespace mlf::graph
