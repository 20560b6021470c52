#include "tir/c/integer_ranges.h"

#include "tir/node_queries.h"

namespace mlf::tir::c {
namespace {

// Far above any index, and far below what sums of such numbers could overflow.
constexpr std::int64_t kLargest = std::int64_t{1} << 40;

/// A literal that arithmetic on ranges can take.
std::optional<std::int64_t> number(Node expr) {
  const auto value = int_imm_of(expr);
  return value && -kLargest < *value && *value < kLargest ? value : std::nullopt;
}

}  // namespace

/// Loop variables have their range before the body is walked. A let is what it is set to, also for
/// the analyzer of TVM that chooses the form of a division.
void IntegerRanges::enter(Node node) {
  if (node.is(Kind::LetStmt)) {
    let_values_[index(node[f::LetStmt::var].id())] = node[f::LetStmt::value];
  }
  if (!node.is(Kind::For)) return;
  const auto first = number(node[f::For::min]);
  const auto extent = number(node[f::For::extent]);
  if (!first || !extent || *extent < 1) return;
  ranges_[index(node[f::For::loop_var].id())] = Interval{*first, *first + *extent - 1};
}

/// Operands come before what is computed of them, so that one step is enough.
void IntegerRanges::leave(Node node) {
  if (const auto value = number(node)) {
    ranges_[index(node.id())] = Interval{*value, *value};
  } else if (is_binary(node.kind())) {
    const auto a = of(node[f::Add::a]);
    const auto b = of(node[f::Add::b]);
    if (a && b) ranges_[index(node.id())] = combine(node.kind(), *a, *b);
  }
}

std::optional<Interval> IntegerRanges::of(Node expr) const {
  const auto let = let_values_.find(index(expr.id()));
  return ranges_[index(let == let_values_.end() ? expr.id() : let->second.id())];
}

}  // namespace mlf::tir::c
