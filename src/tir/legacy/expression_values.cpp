#include "tir/legacy/expression_values.h"

#include <fmt/core.h>

#include <array>

#include "support/error.h"

namespace mlf::tir::legacy {
namespace {

// Other dialects use these as names.
constexpr std::array kWords = {
    text::Word{"let", Sign::let},
    text::Word{"in", Sign::in},
    text::Word{"if", Sign::if_},
};

}  // namespace

// `/` and `%` truncate in these texts. Python's rounding has no sign: see below.
std::optional<Kind> binary_kind(Sign sign) {
  switch (sign) {
    case Sign::plus:
      return Kind::Add;
    case Sign::minus:
      return Kind::Sub;
    case Sign::star:
      return Kind::Mul;
    case Sign::slash:
      return Kind::Div;
    case Sign::percent:
      return Kind::Mod;
    case Sign::equal:
      return Kind::EQ;
    case Sign::not_equal:
      return Kind::NE;
    case Sign::less:
      return Kind::LT;
    case Sign::less_equal:
      return Kind::LE;
    case Sign::greater:
      return Kind::GT;
    case Sign::greater_equal:
      return Kind::GE;
    case Sign::and_:
      return Kind::And;
    case Sign::or_:
      return Kind::Or;
    default:
      return std::nullopt;
  }
}

// Each operator is in parentheses, so all have the same level. Operators without parentheses have a
// higher one: the parts of `let`, prefixes, and the predicate after a load.
text::Grammar infix_grammar() {
  constexpr std::uint8_t kOperator = 2;
  constexpr std::uint8_t kLet = 3;
  constexpr std::uint8_t kIn = 4;
  constexpr std::uint8_t kAssign = 5;
  constexpr std::uint8_t kPrefix = 6;
  constexpr std::uint8_t kPredicate = 7;

  text::Grammar grammar;
  grammar.lexical.lines = text::LexicalRules::Lines::significant;
  grammar.lexical.name_start = "@";
  grammar.lexical.words = kWords;
  for (std::size_t i = 0; i < text::kSignCount; ++i) {
    const auto sign = static_cast<Sign>(i);
    if (binary_kind(sign)) grammar.binary[sign] = kOperator;
  }
  // `let x: T = v in body` has no parentheses and extends over one operand.
  grammar.prefix[Sign::let] = kLet;
  grammar.binary[Sign::in] = kIn;
  grammar.binary[Sign::assign] = kAssign;
  grammar.prefix[Sign::minus] = kPrefix;
  grammar.prefix[Sign::not_] = kPrefix;
  grammar.binary[Sign::if_] = kPredicate;
  grammar.empty_subscript = true;
  return grammar;
}

namespace {

// Long enough to find the place, short enough for one line.
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

ParsedValue ExpressionValues::pop() {
  const ParsedValue last = content_.values.back();
  content_.values.pop_back();
  return last;
}

void ExpressionValues::add_elements(ParsedValue& list, std::span<const ParsedValue> values) {
  list.first = static_cast<std::uint32_t>(content_.elements.size());
  list.count = static_cast<std::uint32_t>(values.size());
  content_.elements.insert(content_.elements.end(), values.begin(), values.end());
}

void ExpressionValues::fail_expected(const ParsedValue& value, std::string_view what) const {
  fail(value.syntax, fmt::format("expected {}, found {}", what, shown(value.syntax)));
}

}  // namespace mlf::tir::legacy
