#include "tir/text/expression_values.h"

#include <fmt/core.h>

#include "support/error.h"

namespace mlf::tir::text {
namespace {

// Long enough to find the place, short enough for one line of a terminal.
constexpr std::size_t kShown = 40;

}  // namespace

void ExpressionValues::clear() {
  content_.tree.clear();
  content_.values.clear();
  content_.elements.clear();
}

// --- Syntax ------------------------------------------------------------------------------------

std::string_view ExpressionValues::head_of(SyntaxId id) const {
  const Syntax& node = syntax(id);
  if (node.kind != SyntaxKind::call && node.kind != SyntaxKind::subscript) return {};
  // The head is the first node of its subtree, unless it is more than a name.
  const bool is_name = syntax(node.first).kind == SyntaxKind::name &&
                       syntax(node.first + 1).kind != SyntaxKind::annotation;
  return is_name ? text_of(node.first) : std::string_view();
}

std::vector<SyntaxId> ExpressionValues::children(SyntaxId id) const {
  std::vector<SyntaxId> into;
  tree().children(id, into);
  return into;
}

std::vector<SyntaxId> ExpressionValues::arguments(SyntaxId call, std::size_t count,
                                                  std::string_view form) const {
  std::vector<SyntaxId> parts = children(call);
  if (syntax(call).kind != SyntaxKind::call || parts.size() != count + 1) {
    fail(call, fmt::format("expected {}", form));
  }
  parts.erase(parts.begin());
  return parts;
}

std::string ExpressionValues::shown(SyntaxId id) const {
  const std::string_view text = text_of(id);
  if (text.size() > kShown) return fmt::format("'{}…'", text.substr(0, kShown));
  return fmt::format("'{}'", text);
}

void ExpressionValues::fail(SyntaxId id, std::string message) const {
  support::fail_at(source_, syntax(id).begin, std::move(message),
                   syntax(id).end - syntax(id).begin);
}

// --- Values ------------------------------------------------------------------------------------

Value ExpressionValues::pop() {
  const Value last = content_.values.back();
  content_.values.pop_back();
  return last;
}

void ExpressionValues::add_elements(Value& list, std::span<const Value> values) {
  list.first = static_cast<std::uint32_t>(content_.elements.size());
  list.count = static_cast<std::uint32_t>(values.size());
  content_.elements.insert(content_.elements.end(), values.begin(), values.end());
}

void ExpressionValues::fail_expected(const Value& value, std::string_view what) const {
  fail(value.syntax, fmt::format("expected {}, found {}", what, shown(value.syntax)));
}

}  // namespace mlf::tir::text
