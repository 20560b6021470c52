// What TVM makes of floor divisions, which C does not have. Source: the pass LowerIntrin.
#include <array>
#include <bit>

#include "tir/c/write/expressions.h"
#include "tir/c/write/spelling.h"

namespace mlf::tir::c {
namespace {

#define MLF_C_DIVISION(name, quotient, remainder) \
  constexpr DivisionForm name = {quotient, remainder};
#include "tir/c/language.def"

/// The exponent of a power of two; nothing for any other expression.
std::optional<int> exponent_of(Node divisor) {
  if (!divisor.is(Kind::IntImm)) return std::nullopt;
  const std::int64_t value = divisor.integer(f::IntImm::value);
  if (value <= 0 || !std::has_single_bit(static_cast<std::uint64_t>(value))) return std::nullopt;
  return std::countr_zero(static_cast<std::uint64_t>(value));
}

bool is_at_least_zero(const std::optional<Interval>& range) {
  return range && range->low >= 0;
}

/// For a power of two: the shift of a quotient, or the mask of a remainder.
std::int64_t power_argument(Node node, int exponent) {
  if (node.is(Kind::FloorDiv)) return exponent;
  return static_cast<std::int64_t>((std::uint64_t{1} << exponent) - 1);
}

}  // namespace

/// Fills the operands into one of the forms.
ExprWriter::Plan ExprWriter::division_text(Node node, const DivisionForm& form,
                                           std::int64_t power) {
  const DType dtype = node.dtype();
  Plan plan;
  for (const char c : node.is(Kind::FloorDiv) ? form.quotient : form.remainder) {
    if (c == 'a' || c == 'b') {
      plan.form += kOperand;
      plan.operands.push_back({node[c == 'a' ? f::FloorDiv::a : f::FloorDiv::b]});
    } else if (c == '0' || c == '1') {
      plan.form += integer_text(dtype, c - '0');
    } else if (c == 's') {
      plan.form += integer_text(dtype, dtype.bits - 1);
    } else if (c == 'k') {
      plan.form += integer_text(dtype, power);
    } else {
      plan.form += c;
    }
  }
  return plan;
}

/// A shift or a mask for powers of two, C's own division where no operand is negative, and a
/// correction of it otherwise.
ExprWriter::Plan ExprWriter::division_plan(Node node, Division division) {
  const Node b = node[f::FloorDiv::b];
  // Where the sign of the result makes no difference.
  if (division == Division::truncate) return division_text(node, kExact);
  if (const auto exponent = exponent_of(b)) {
    return division_text(node, kPowerOfTwo, power_argument(node, *exponent));
  }
  const DType dtype = node.dtype();
  const bool is_positive = !dtype.is_int() || is_at_least_zero(ranges_.of(node[f::FloorDiv::a]));
  if (is_positive && is_at_least_zero(ranges_.of(b))) return division_text(node, kExact);
  // A divisor that may be negative needs both signs compared.
  if (!is_at_least_zero(ranges_.of(b))) return division_text(node, kOfAnySign);
  const bool has_wide_sign = dtype == DType::Int(32) || dtype == DType::Int(64);
  return division_text(node, has_wide_sign ? kCorrected : kChosen);
}

}  // namespace mlf::tir::c
