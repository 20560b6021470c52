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
  text::Sign sign;            ///< `none` where there is only the call
  std::string_view symbol;    ///< as between operands
  std::string_view call;      ///< makes the node as it is: `T.Add(a, b)` folds nothing
  std::string_view function;  ///< the other function for it, the only one before v0.12
  std::uint8_t level = 0;     ///< how tightly the symbol binds
};

constexpr std::uint8_t kNotLevel = 4;
/// Before v0.12 `==` binds less tightly than `<`; since then both are one level, as in Python.
constexpr std::uint8_t kEqualityLevel = 5;
constexpr std::uint8_t kComparisonLevel = 6;
constexpr std::uint8_t kSumLevel = 7;
constexpr std::uint8_t kProductLevel = 8;
constexpr std::uint8_t kSignLevel = 9;

constexpr BinaryOperator kBinaryOperators[] = {
    {Kind::Add, text::Sign::plus, "+", "Add", "", kSumLevel},
    {Kind::Sub, text::Sign::minus, "-", "Sub", "", kSumLevel},
    {Kind::Mul, text::Sign::star, "*", "Mul", "", kProductLevel},
    {Kind::Div, text::Sign::slash, "/", "Div", "truncdiv", kProductLevel},
    {Kind::Mod, text::Sign::none, "", "Mod", "truncmod"},
    {Kind::FloorDiv, text::Sign::double_slash, "//", "FloorDiv", "floordiv", kProductLevel},
    {Kind::FloorMod, text::Sign::percent, "%", "FloorMod", "floormod", kProductLevel},
    {Kind::Min, text::Sign::none, "", "Min", "min"},
    {Kind::Max, text::Sign::none, "", "Max", "max"},
    {Kind::LT, text::Sign::less, "<", "LT", "", kComparisonLevel},
    {Kind::LE, text::Sign::less_equal, "<=", "LE", "", kComparisonLevel},
    {Kind::GT, text::Sign::greater, ">", "GT", "", kComparisonLevel},
    {Kind::GE, text::Sign::greater_equal, ">=", "GE", "", kComparisonLevel},
    {Kind::EQ, text::Sign::equal, "==", "EQ", "", kEqualityLevel},
    {Kind::NE, text::Sign::not_equal, "!=", "NE", "", kEqualityLevel},
    {Kind::And, text::Sign::and_, "and", "And", "", 3},
    {Kind::Or, text::Sign::or_, "or", "Or", "", 2},
};

/// The row of a binary kind.
constexpr const BinaryOperator& binary_operator(Kind kind) {
  return *std::ranges::find(kBinaryOperators, kind, &BinaryOperator::kind);
}

/// The row of the function with this name, or null.
constexpr const BinaryOperator* binary_function(std::string_view name) {
  for (const BinaryOperator& row : kBinaryOperators) {
    if (row.call == name || row.function == name) return &row;
  }
  return nullptr;
}

/// The row of a sign between operands.
constexpr const BinaryOperator& binary_operator(text::Sign sign) {
  return *std::ranges::find(kBinaryOperators, sign, &BinaryOperator::sign);
}

}  // namespace mlf::tir::tvmscript
