// Types as the legacy text prints them: `float32`, `handle`, `Pointer(global float32)`.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mlf/tir/dtype.h"
#include "tir/text/expr_factory.h"

namespace mlf::tir::legacy {

/// A type of one element, behind any number of pointers.
struct ScannedType {
  std::size_t end;                       ///< offset just past it
  std::vector<std::string_view> scopes;  ///< of the pointers, outermost first
  DType element;
};

/// The type that starts at `begin`; nothing where there is none. Tuples are left to the header.
std::optional<ScannedType> scan_type(std::string_view text, std::size_t begin);

/// Makes types, each spelling once.
class TypeReader {
 public:
  explicit TypeReader(text::ExprFactory& make) : make_(make) {}
  /// Of a text that scan_type has taken whole.
  NodeId read(std::string_view type);

 private:
  text::ExprFactory& make_;
  std::unordered_map<std::string_view, NodeId> known_;
};

}  // namespace mlf::tir::legacy
