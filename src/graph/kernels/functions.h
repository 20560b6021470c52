// The functions of all TIR of one build, and which of them are mains (rules `main-function`,
// `several-targets`, `module-name` of schemas/topology.md).
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/reconstruct.h"
#include "support/name_map.h"

namespace mlf::graph {

struct FunctionRef {
  tir::Node function;       ///< a PrimFunc
  std::string_view name;    ///< of its GlobalVar
  std::string_view symbol;  ///< its `global_symbol`, or the name where it has none
  std::size_t source = 0;   ///< position of its TIR
  /// That its target is for, or if it has none, the target of its TIR; nothing: unknown.
  std::optional<Device> device{};
};

/// The device that the attribute `target` of a PrimFunc is for; nothing if it does not state one.
std::optional<Device> device_of_target(tir::Node function);

class FunctionTable {
 public:
  explicit FunctionTable(std::span<const TirInput> sources);

  std::span<const FunctionRef> all() const { return functions_; }
  /// The function with this symbol or name; of several, the one of `preferred_source`. Null if
  /// there is none.
  const FunctionRef* find(std::string_view symbol, std::size_t preferred_source) const;
  /// Mains, by symbol.
  std::span<const FunctionRef* const> mains() const { return mains_; }
  /// The functions of this module (one with a main), by their symbols, in order. With modules "a"
  /// and "a_b", "tvmgen_a_b_f" belongs to "a_b". A function that matches no main belongs to "".
  std::span<const FunctionRef* const> of_module(std::string_view module) const;

 private:
  std::vector<FunctionRef> functions_;
  support::NameMap<std::string_view, std::vector<std::size_t>> by_symbol_;
  std::vector<const FunctionRef*> mains_;
  support::NameMap<std::string, std::vector<const FunctionRef*>> of_module_;
};

/// The module's name in the symbol of its main: "default" of "tvmgen_default___tvm_main__".
std::string module_of_main(std::string_view symbol);

/// The parameters that functions of `source` link as constants (v0.8): each LinkedParam that has an
/// array, by name.
MLF_API std::map<std::string, tir::Node, std::less<>> linked_parameters(const TirInput& source);

/// The type of an NDArray.
TensorType type_of(tir::Node array);

}  // namespace mlf::graph
