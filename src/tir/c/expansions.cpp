#include "tir/c/expansions.h"

#include <array>
#include <vector>

namespace mlf::tir::c {
namespace {

constexpr DType kWide = DType::Int(64);
// The multiplier 0.5 of 31 fractional bits: what remains is a shift.
constexpr std::int64_t kOneHalf = std::int64_t{1} << 30;

class Expander {
 public:
  Expander(text::ExprFactory& make, Ternary ternary) : make_(make), ternary_(ternary) {}

  NodeId multiply_shift(std::span<const NodeId> args);
  NodeId multiply_shift_per_axis(std::span<const NodeId> args);
  NodeId sigmoid(NodeId x);
  NodeId rsqrt(NodeId x);
  NodeId stack_array(std::span<const NodeId> args);

 private:
  std::int64_t integer(NodeId id) const {
    return make_.builder().node(id).integer(f::IntImm::value);
  }
  NodeId shift(std::string_view op, NodeId a, NodeId b) {
    return make_.call(make_.op(op), std::array{a, b}, make_.dtype_of(a));
  }
  NodeId shift_left(NodeId a, NodeId b) { return shift("tir.shift_left", a, b); }
  NodeId shift_right(NodeId a, NodeId b) { return shift("tir.shift_right", a, b); }
  NodeId choice(NodeId condition, NodeId a, NodeId b) {
    if (ternary_ == Ternary::select) return make_.select(condition, a, b);
    return make_.call(make_.op("tir.if_then_else"), std::array{condition, a, b}, make_.dtype_of(a));
  }
  NodeId wide(NodeId value) { return make_.cast(kWide, value); }
  NodeId rounded_shift(NodeId product, NodeId total);
  NodeId power_of_two(NodeId x, std::int64_t exponent);

  text::ExprFactory& make_;
  Ternary ternary_;
};

/// A multiplier of one half: shift left, or round and shift right.
NodeId Expander::power_of_two(NodeId x, std::int64_t exponent) {
  if (exponent > 0) return shift_left(x, make_.int32(exponent));
  const std::int64_t rounding = exponent < 0 ? std::int64_t{1} << (-exponent - 1) : 0;
  const NodeId rounded = make_.binary(Kind::Add, x, make_.int32(rounding));
  return shift_right(rounded, make_.int32(-exponent));
}

NodeId Expander::rounded_shift(NodeId product, NodeId total) {
  const NodeId one = make_.int_imm(kWide, 1);
  const NodeId before = make_.binary(Kind::Sub, total, make_.int32(1));
  const NodeId rounding = shift_left(one, wide(before));
  const NodeId sum = make_.binary(Kind::Add, product, rounding);
  return make_.cast(DType::Int(32), shift_right(sum, wide(total)));
}

/// q_multiply_shift(x, multiplier, fractional bits, shift) in 64 bits.
NodeId Expander::multiply_shift(std::span<const NodeId> args) {
  const std::int64_t amount = integer(args[3]);
  if (integer(args[1]) == kOneHalf) return power_of_two(args[0], amount - 1);
  const NodeId left = make_.int32(amount > 0 ? amount : 0);
  const NodeId right = make_.int32(amount > 0 ? 0 : -amount);
  const NodeId x = wide(args[0]);
  const NodeId is_shifted = make_.binary(Kind::NE, left, make_.int32(0));
  const NodeId shifted = choice(is_shifted, shift_left(x, wide(left)), x);
  const NodeId product = make_.binary(Kind::Mul, shifted, make_.int_imm(kWide, integer(args[1])));
  return rounded_shift(product, make_.binary(Kind::Add, right, args[2]));
}

/// The same with multiplier and shifts of each channel; flags say which shifts there are.
NodeId Expander::multiply_shift_per_axis(std::span<const NodeId> args) {
  NodeId x = wide(args[0]);
  const bool shifts_left = integer(args[5]) != 0;
  const bool shifts_right = integer(args[6]) != 0;
  if (shifts_left) x = shift_left(x, wide(args[2]));
  const NodeId product = make_.binary(Kind::Mul, x, wide(args[1]));
  const NodeId total = shifts_right ? make_.binary(Kind::Add, args[3], args[4]) : args[4];
  return rounded_shift(product, total);
}

NodeId Expander::sigmoid(NodeId x) {
  const DType dtype = make_.dtype_of(x);
  const NodeId one = make_.float_imm(dtype, 1);
  const NodeId negative = make_.binary(Kind::Sub, make_.float_imm(dtype, 0), x);
  const NodeId power = make_.call(make_.op("tir.exp"), std::array{negative}, dtype);
  return make_.binary(Kind::Div, one, make_.binary(Kind::Add, one, power));
}

NodeId Expander::rsqrt(NodeId x) {
  const DType dtype = make_.dtype_of(x);
  const NodeId root = make_.call(make_.op("tir.sqrt"), std::array{x}, dtype);
  return make_.binary(Kind::Div, make_.float_imm(dtype, 1), root);
}

/// tvm_stack_make_array(data, shape, strides, dimensions, zero of the element's dtype, offset): no
/// strides and that zero are spelled in several ways before they are fields of a struct.
NodeId Expander::stack_array(std::span<const NodeId> args) {
  std::vector<NodeId> filled(args.begin(), args.end());
  const auto is_number = [&](std::size_t i) {
    return make_.builder().node(args[i]).is(Kind::IntImm);
  };
  if (is_number(2) && integer(args[2]) == 0) {
    const std::array zero = {make_.int_imm(DType::UInt(64), 0)};
    filled[2] = make_.call(make_.op("tir.reinterpret"), zero, DType::Handle());
  }
  if (is_number(3)) filled[3] = make_.int_imm(DType::UInt(32), integer(args[3]));
  filled[4] = make_.cast(make_.dtype_of(args[4]), make_.int32(0));
  return make_.call(make_.op("tir.tvm_stack_make_array"), filled, DType::Handle());
}

}  // namespace

std::optional<NodeId> expand(text::ExprFactory& make, std::string_view op, DType dtype,
                             std::span<const NodeId> args, Ternary ternary) {
  if (!dtype.is_scalar()) return std::nullopt;
  Expander expander(make, ternary);
  const auto is_number = [&](std::size_t i) {
    return make.builder().node(args[i]).is(Kind::IntImm);
  };
  const auto is_shift = [&](std::size_t i) {
    const Node arg = make.builder().node(args[i]);
    if (!arg.is(Kind::IntImm)) return false;
    const std::int64_t amount = arg.integer(f::IntImm::value);
    return -32 < amount && amount < 32;
  };
  if (op == "tir.q_multiply_shift" && args.size() == 4 && is_number(1) && is_shift(3)) {
    return expander.multiply_shift(args);
  }
  if (op == "tir.q_multiply_shift_per_axis" && args.size() == 7 && is_number(5) && is_number(6)) {
    return expander.multiply_shift_per_axis(args);
  }
  if (op == "tir.sigmoid" && args.size() == 1) return expander.sigmoid(args[0]);
  if (op == "tir.rsqrt" && args.size() == 1) return expander.rsqrt(args[0]);
  if (op == "tir.tvm_stack_make_array" && args.size() == 6) return expander.stack_array(args);
  return std::nullopt;
}

}  // namespace mlf::tir::c
