#include "tir/interval.h"

#include <algorithm>
#include <limits>

#include "tir/node_queries.h"

namespace mlf::tir {
namespace {

// Indices are far smaller; larger values are not tracked.
constexpr std::int64_t kLargest = std::int64_t{1} << 40;

std::optional<Interval> bounded(std::int64_t low, std::int64_t high) {
  if (low < -kLargest || high > kLargest) return std::nullopt;
  return Interval{low, high};
}

// Of all ends, because signs may differ.
std::optional<Interval> product(const Interval& a, const Interval& b) {
  // Both ends are below 2^40: saturate at 2^62 instead of overflowing.
  const auto times = [](std::int64_t x, std::int64_t y) {
    std::int64_t result = 0;
    return __builtin_mul_overflow(x, y, &result) ? std::numeric_limits<std::int64_t>::max()
                                                 : result;
  };
  const auto ends = std::minmax(
      {times(a.low, b.low), times(a.low, b.high), times(a.high, b.low), times(a.high, b.high)});
  return bounded(ends.first, ends.second);
}

// For a positive divisor only.
std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

// Division by a positive constant; lowering generates no other division of indices. Div rounds
// towards zero and FloorDiv rounds down: `divide` determines the rounding.
template <class Divide>
std::optional<Interval> quotient(const Interval& a, const Interval& b, Divide&& divide) {
  if (b.low != b.high || b.low <= 0) return std::nullopt;
  return Interval{divide(a.low, b.low), divide(a.high, b.low)};
}

// Mod may be negative, FloorMod may not; the interval is valid for both.
std::optional<Interval> remainder(const Interval& a, const Interval& b) {
  if (b.low != b.high || b.low <= 0) return std::nullopt;
  if (a.low >= 0 && a.high < b.low) return a;
  return Interval{a.low >= 0 ? 0 : 1 - b.low, b.low - 1};
}

}  // namespace

// Interval arithmetic for bounds of accesses: too wide is safe, too narrow is not.
std::optional<Interval> combine(Kind kind, const Interval& a, const Interval& b) {
  switch (kind) {
    case Kind::Add:
      return bounded(a.low + b.low, a.high + b.high);
    case Kind::Sub:
      return bounded(a.low - b.high, a.high - b.low);
    case Kind::Mul:
      return product(a, b);
    case Kind::Div:
      return quotient(a, b, [](std::int64_t x, std::int64_t y) { return x / y; });
    case Kind::FloorDiv:
      return quotient(a, b, floor_div);
    case Kind::Mod:
    case Kind::FloorMod:
      return remainder(a, b);
    case Kind::Min:
      return Interval{std::min(a.low, b.low), std::min(a.high, b.high)};
    case Kind::Max:
      return Interval{std::max(a.low, b.low), std::max(a.high, b.high)};
    default:
      return std::nullopt;
  }
}

std::optional<Interval> combine(Kind kind, std::optional<Interval> a, std::optional<Interval> b,
                                DType dtype) {
  if (kind == Kind::Min || kind == Kind::Max) {
    if (!a) a = range_of_type(dtype);
    if (!b) b = range_of_type(dtype);
  }
  return a && b ? combine(kind, *a, *b) : std::nullopt;
}

std::optional<Interval> range_of_type(DType dtype) {
  if (dtype.is_bool()) return Interval{0, 1};
  if (!dtype.is_int() && !dtype.is_uint()) return std::nullopt;
  const int bits = dtype.bits - (dtype.is_int() ? 1 : 0);
  if (bits > 32) return std::nullopt;
  const std::int64_t end = std::int64_t{1} << bits;
  return Interval{dtype.is_int() ? -end : 0, end - 1};
}

std::optional<Interval> value_of_literal(Node expr) {
  const auto value = int_imm_of(expr);
  if (!value || *value <= -kLargest || *value >= kLargest) return std::nullopt;
  return Interval{*value, *value};
}

/// Loop variables have their range before the body is walked. A let is what it is set to, also for
/// the analyzer of TVM that chooses the form of a division.
void IntegerRanges::enter(Node node) {
  if (node.is(Kind::LetStmt)) {
    let_values_[index(node[f::LetStmt::var].id())] = node[f::LetStmt::value];
  }
  if (!node.is(Kind::For)) return;
  const auto first = value_of_literal(node[f::For::min]);
  const auto extent = value_of_literal(node[f::For::extent]);
  if (!first || !extent || extent->low < 1) return;
  ranges_[index(node[f::For::loop_var].id())] = Interval{first->low, first->low + extent->low - 1};
}

/// Operands come before what is computed of them, so that one step is enough.
void IntegerRanges::leave(Node node) {
  if (const auto value = value_of_literal(node)) {
    ranges_[index(node.id())] = value;
  } else if (is_binary(node.kind())) {
    const auto a = of(node[f::Add::a]);
    const auto b = of(node[f::Add::b]);
    ranges_[index(node.id())] = combine(node.kind(), a, b, node.dtype());
  }
}

std::optional<Interval> IntegerRanges::of(Node expr) const {
  const auto let = let_values_.find(index(expr.id()));
  return ranges_[index(let == let_values_.end() ? expr.id() : let->second.id())];
}

}  // namespace mlf::tir
