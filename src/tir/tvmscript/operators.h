// The binary operators of TVMScript: how they are spelled between operands and as calls.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "mlf/tir/kind.h"
#include "tir/text/sign.h"

namespace mlf::tir::tvmscript {

struct BinaryOperator {
  Kind kind;
  text::Sign sign;          ///< `none` where there is only the call
  std::string_view symbol;  ///< as between operands
  std::string_view call;    ///< makes the node as it is: `T.Add(a, b)` folds nothing
  std::uint8_t level = 0;   ///< how tightly the symbol binds, as Python has it
};

constexpr std::uint8_t kNotLevel = 4;
constexpr std::uint8_t kComparisonLevel = 5;  // Python chains these
constexpr std::uint8_t kSumLevel = 6;

constexpr BinaryOperator kBinaryOperators[] = {
    {Kind::Add, text::Sign::plus, "+", "Add", kSumLevel},
    {Kind::Sub, text::Sign::minus, "-", "Sub", kSumLevel},
    {Kind::Mul, text::Sign::star, "*", "Mul", 7},
    {Kind::Div, text::Sign::slash, "/", "Div", 7},
    {Kind::Mod, text::Sign::none, "", "Mod"},
    {Kind::FloorDiv, text::Sign::double_slash, "//", "FloorDiv", 7},
    {Kind::FloorMod, text::Sign::percent, "%", "FloorMod", 7},
    {Kind::Min, text::Sign::none, "", "Min"},
    {Kind::Max, text::Sign::none, "", "Max"},
    {Kind::LT, text::Sign::less, "<", "LT", kComparisonLevel},
    {Kind::LE, text::Sign::less_equal, "<=", "LE", kComparisonLevel},
    {Kind::GT, text::Sign::greater, ">", "GT", kComparisonLevel},
    {Kind::GE, text::Sign::greater_equal, ">=", "GE", kComparisonLevel},
    {Kind::EQ, text::Sign::equal, "==", "EQ", kComparisonLevel},
    {Kind::NE, text::Sign::not_equal, "!=", "NE", kComparisonLevel},
    {Kind::And, text::Sign::and_, "and", "And", 3},
    {Kind::Or, text::Sign::or_, "or", "Or", 2},
};

/// The row of a binary kind.
constexpr const BinaryOperator& binary_operator(Kind kind) {
  return *std::ranges::find(kBinaryOperators, kind, &BinaryOperator::kind);
}

}  // namespace mlf::tir::tvmscript
