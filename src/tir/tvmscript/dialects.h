// The differences between the old TVMScript of v0.8 to v0.11 and the new one since v0.12, except
// for names that only one of them knows: forms.cpp has those.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

#include "mlf/tir/document.h"
#include "mlf/tir/module.h"
#include "tir/text/expression_parser.h"
#include "tir/text/lexer.h"

namespace mlf::tir::tvmscript {

struct BinaryOperator {
  Kind kind;
  text::Sign sign;
  std::string_view symbol;  ///< as between operands
  std::uint8_t level = 0;   ///< the level of the symbol
};

constexpr std::uint8_t kNotLevel = 4;
/// Before v0.12 `==` has a lower level than `<`; since then both have the same level, as in Python.
constexpr std::uint8_t kEqualityLevel = 5;
constexpr std::uint8_t kComparisonLevel = 6;
constexpr std::uint8_t kSumLevel = 11;
constexpr std::uint8_t kProductLevel = 12;
constexpr std::uint8_t kSignLevel = 13;

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

/// The operator for a binary kind; null if there is only a function.
constexpr const BinaryOperator* operator_for(Kind kind) {
  const auto* const found = std::ranges::find(kBinaryOperators, kind, &BinaryOperator::kind);
  return found == std::end(kBinaryOperators) ? nullptr : found;
}

/// The row of a sign between operands.
constexpr const BinaryOperator& operator_of(text::Sign sign) {
  return *std::ranges::find(kBinaryOperators, sign, &BinaryOperator::sign);
}

/// Operators that users write and no printer does: TVM makes calls of them.
struct BitOperator {
  text::Sign sign;
  std::string_view function;
  std::uint8_t level;
};

constexpr BitOperator kBitOperators[] = {
    {text::Sign::pipe, "tir.bitwise_or", 7},
    {text::Sign::caret, "tir.bitwise_xor", 8},
    {text::Sign::ampersand, "tir.bitwise_and", 9},
    {text::Sign::shift_left, "tir.shift_left", 10},
    {text::Sign::shift_right, "tir.shift_right", 10},
};

/// The operator of `+=` and similar signs; null for any other sign.
constexpr const BinaryOperator* operator_of_assignment(text::Sign sign) {
  constexpr std::pair<text::Sign, Kind> kRows[] = {{text::Sign::plus_assign, Kind::Add},
                                                   {text::Sign::minus_assign, Kind::Sub},
                                                   {text::Sign::star_assign, Kind::Mul},
                                                   {text::Sign::slash_assign, Kind::Div},
                                                   {text::Sign::percent_assign, Kind::FloorMod}};
  for (const auto& [assignment, kind] : kRows) {
    if (assignment == sign) return operator_for(kind);
  }
  return nullptr;
}

/// The kinds of loops by their functions in T, in the order of ForKind; a bare range() is serial.
constexpr text::Meaning<ForKind> kLoops[] = {
    {"serial", ForKind::serial},
    {"parallel", ForKind::parallel},
    {"vectorized", ForKind::vectorized},
    {"unroll", ForKind::unrolled},
    {"thread_binding", ForKind::thread_binding},
};

/// The types of axes of blocks by their functions in T.axis; printers write the first one of a
/// type.
constexpr text::Meaning<IterVarType> kAxes[] = {
    {"spatial", IterVarType::DataPar}, {"reduce", IterVarType::CommReduce},
    {"scan", IterVarType::Ordered},    {"opaque", IterVarType::Opaque},
    {"S", IterVarType::DataPar},       {"R", IterVarType::CommReduce}};

/// Whether a name is the data of a constant as the old printer writes it: not an expression.
bool is_constant_text(std::string_view name);

struct Rules {
  bool is_old() const { return dialect == Dialect::old_tvmscript; }

  Dialect dialect;
  std::uint8_t first_version;
  std::uint8_t last_version;
  const text::Grammar* grammar;
  std::string_view nameless;  ///< the name of every function outside of a module
  /// Positions of the arguments of `T.reduce`; npos if it is not printed.
  struct {
    std::size_t init, axis, condition, value_index;
  } reduce;
};

constexpr std::size_t kNotPrinted = SIZE_MAX;

const Rules& new_rules();  ///< v0.12 to v0.18
const Rules& old_rules();  ///< v0.8 to v0.11

}  // namespace mlf::tir::tvmscript
