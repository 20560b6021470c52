#include "tir/text/expression_values.h"

#include <fmt/core.h>

#include "support/error.h"

namespace mlf::tir::text {
namespace {

// Expressions of generated code run over many lines.
constexpr std::size_t kShown = 40;

}  // namespace

// In post-order the head is what the subtree begins with.
std::string_view ExpressionText::head_of(SyntaxId id) const {
  const Syntax& node = tree_[id];
  if (node.kind != SyntaxKind::call && node.kind != SyntaxKind::subscript) return {};
  // The head is the first node of its subtree, unless it is more than a name.
  const bool is_name = tree_[node.first].kind == SyntaxKind::name &&
                       tree_[node.first + 1].kind != SyntaxKind::annotation;
  return is_name ? text_of(node.first) : std::string_view();
}

std::vector<SyntaxId> ExpressionText::children(SyntaxId id) const {
  std::vector<SyntaxId> into;
  tree_.children(id, into);
  return into;
}

std::vector<SyntaxId> ExpressionText::arguments(SyntaxId call, std::size_t count,
                                                std::string_view form) const {
  std::vector<SyntaxId> parts = children(call);
  if (tree_[call].kind != SyntaxKind::call || parts.size() != count + 1) {
    fail(call, fmt::format("expected {}", form));
  }
  parts.erase(parts.begin());
  return parts;
}

std::string ExpressionText::shown(SyntaxId id) const {
  const std::string_view text = text_of(id);
  if (text.size() > kShown) return fmt::format("'{}…'", text.substr(0, kShown));
  return fmt::format("'{}'", text);
}

void ExpressionText::fail(SyntaxId id, std::string message) const {
  support::fail_at(source_, tree_[id].begin, std::move(message), tree_[id].end - tree_[id].begin);
}

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

// Elements outlive the values that they were: the stack shrinks, this list only grows until the
// statement is done.
void ExpressionValues::add_elements(Value& list, std::span<const Value> values) {
  list.first = static_cast<std::uint32_t>(elements_.size());
  list.count = static_cast<std::uint32_t>(values.size());
  elements_.insert(elements_.end(), values.begin(), values.end());
}

}  // namespace mlf::tir::text
