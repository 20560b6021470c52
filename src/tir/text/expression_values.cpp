#include "tir/text/expression_values.h"

#include <fmt/core.h>

namespace mlf::tir::text {

void ExpressionValues::clear() {
  ExpressionText::clear();
  values_.clear();
  elements_.clear();
}

void ExpressionValues::fail_expected(const Value& value, std::string_view what) const {
  fail(value.syntax, fmt::format("expected {}, found {}", what, shown(value.syntax)));
}

Value ExpressionValues::pop() {
  const Value last = values_.back();
  values_.pop_back();
  return last;
}

void ExpressionValues::add_elements(Value& list, std::span<const Value> values) {
  list.first = static_cast<std::uint32_t>(elements_.size());
  list.count = static_cast<std::uint32_t>(values.size());
  elements_.insert(elements_.end(), values.begin(), values.end());
}

}  // namespace mlf::tir::text
