// The binary operators of TVMScript between their operands; their functions are in forms.def.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "mlf/tir/kind.h"
#include "tir/text/lexer.h"

namespace mlf::tir::tvmscript {

struct BinaryOperator {
  Kind kind;
  text::Sign sign;
  std::string_view symbol;  ///< as between operands
  std::uint8_t level = 0;   ///< how tightly the symbol binds
};

constexpr std::uint8_t kNotLevel = 4;
/// Before v0.12 `==` binds less tightly than `<`; since then both are one level, as in Python.
constexpr std::uint8_t kEqualityLevel = 5;
constexpr std::uint8_t kComparisonLevel = 6;
constexpr std::uint8_t kSumLevel = 7;
constexpr std::uint8_t kProductLevel = 8;
constexpr std::uint8_t kSignLevel = 9;

constexpr BinaryOperator kBinaryOperators[] = {
    {Kind::Add, text::Sign::plus, "+", kSumLevel},
    {Kind::Sub, text::Sign::minus, "-", kSumLevel},
    {Kind::Mul, text::Sign::star, "*", kProductLevel},
    {Kind::Div, text::Sign::slash, "/", kProductLevel},
    {Kind::FloorDiv, text::Sign::double_slash, "//", kProductLevel},
    {Kind::FloorMod, text::Sign::percent, "%", kProductLevel},
    {Kind::LT, text::Sign::less, "<", kComparisonLevel},
    {Kind::LE, text::Sign::less_equal, "<=", kComparisonLevel},
    {Kind::GT, text::Sign::greater, ">", kComparisonLevel},
    {Kind::GE, text::Sign::greater_equal, ">=", kComparisonLevel},
    {Kind::EQ, text::Sign::equal, "==", kEqualityLevel},
    {Kind::NE, text::Sign::not_equal, "!=", kEqualityLevel},
    {Kind::And, text::Sign::and_, "and", 3},
    {Kind::Or, text::Sign::or_, "or", 2},
};

/// The operator for a binary kind; null where there is only a function.
constexpr const BinaryOperator* operator_for(Kind kind) {
  const auto* const found = std::ranges::find(kBinaryOperators, kind, &BinaryOperator::kind);
  return found == std::end(kBinaryOperators) ? nullptr : found;
}

/// The row of a sign between operands.
constexpr const BinaryOperator& operator_of(text::Sign sign) {
  return *std::ranges::find(kBinaryOperators, sign, &BinaryOperator::sign);
}

}  // namespace mlf::tir::tvmscript
