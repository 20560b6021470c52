// Prints expressions of TIR for people, with constants folded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "mlf/tir/module.h"

namespace mlf::analysis {

class ExpressionText {
 public:
  /// Folds the constants of a whole function, and names its parameters.
  explicit ExpressionText(tir::Node function);

  std::string text(tir::Node expr) const;
  /// The value of an integer expression, if it is constant.
  std::optional<std::int64_t> constant(tir::Node expr) const;
  /// The name of the memory of a pointer variable.
  std::string_view name_of(tir::Node variable) const;
  /// An index, in which a vector is a slice.
  std::string index_text(tir::Node index) const;
  /// Indices or a shape between brackets.
  std::string list_text(tir::NodeList list) const;

 private:
  friend class ExpressionWriter;
  void fold(tir::Node expr);
  /// Removes operations without effect: casts to the same type, `+ 0`, `* 1`, broadcasts.
  tir::Node simplified(tir::Node expr) const;

  std::unordered_map<std::uint32_t, std::int64_t> constants_;       // by node
  std::unordered_map<std::uint32_t, std::string_view> parameters_;  // by variable
};

}  // namespace mlf::analysis
