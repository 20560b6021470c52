#include "tir/text/infix.h"

#include <array>

namespace mlf::tir::text {
namespace {

// Names everywhere else in a text: only these dialects give them a meaning.
constexpr std::array kWords = {
    Word{"let", Sign::let},
    Word{"in", Sign::in},
    Word{"if", Sign::if_},
};

}  // namespace

// `/` and `%` truncate in these texts. The rounding of Python has no sign: see below.
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

// As each operator is in parentheses, all of them are of one level. What has none binds tighter:
// the parts of `let`, prefixes, and the predicate behind a load.
Grammar infix_grammar() {
  constexpr std::uint8_t kOperator = 2;
  constexpr std::uint8_t kLet = 3;
  constexpr std::uint8_t kIn = 4;
  constexpr std::uint8_t kAssign = 5;
  constexpr std::uint8_t kPrefix = 6;
  constexpr std::uint8_t kPredicate = 7;

  Grammar grammar;
  grammar.lexical.lines = LexicalRules::Lines::significant;
  grammar.lexical.name_start = "@";
  grammar.lexical.words = kWords;
  for (std::size_t i = 0; i < kSignCount; ++i) {
    const auto sign = static_cast<Sign>(i);
    if (binary_kind(sign)) grammar.binary[sign] = kOperator;
  }
  // `let x: T = v in body` has no parentheses and reaches over one operand.
  grammar.prefix[Sign::let] = kLet;
  grammar.binary[Sign::in] = kIn;
  grammar.binary[Sign::assign] = kAssign;
  grammar.prefix[Sign::minus] = kPrefix;
  grammar.prefix[Sign::not_] = kPrefix;
  grammar.binary[Sign::if_] = kPredicate;
  grammar.empty_subscript = true;
  return grammar;
}

}  // namespace mlf::tir::text
