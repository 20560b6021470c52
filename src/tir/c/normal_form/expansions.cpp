#include "tir/c/normal_form/expansions.h"

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
  NodeId stack_array(std::span<const NodeId> args, DType dtype);

 private:
  std::int64_t integer(NodeId id) const {
    return make_.builder().node(id).integer(f::IntImm::value);
  }
  bool is_int32(NodeId id) const {
    const Node node = make_.builder().node(id);
    return node.is(Kind::IntImm) && node.dtype() == DType::Int(32);
  }
  bool is_zero(NodeId id) const {
    const Node node = make_.builder().node(id);
    return node.is(Kind::FloatImm) ? node.real(f::FloatImm::value) == 0
                                   : node.is(Kind::IntImm) && integer(id) == 0;
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

/// `(product + (1 << (total - 1))) >> total`: rounds half up before the shift.
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
  if (integer(args[1]) == kOneHalf) return power_of_two(args[0], amount - integer(args[2]) + 30);
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

/// `1 / (1 + exp(0 - x))`
NodeId Expander::sigmoid(NodeId x) {
  const DType dtype = make_.dtype_of(x);
  const NodeId one = make_.float_imm(dtype, 1);
  const NodeId negative = make_.binary(Kind::Sub, make_.float_imm(dtype, 0), x);
  const NodeId power = make_.call(make_.op("tir.exp"), std::array{negative}, dtype);
  return make_.binary(Kind::Div, one, make_.binary(Kind::Add, one, power));
}

/// `1 / sqrt(x)`
NodeId Expander::rsqrt(NodeId x) {
  const DType dtype = make_.dtype_of(x);
  const NodeId root = make_.call(make_.op("tir.sqrt"), std::array{x}, dtype);
  return make_.binary(Kind::Div, make_.float_imm(dtype, 1), root);
}

/// tvm_stack_make_array(data, shape, strides, dimensions, zero of the element's dtype, offset):
/// that there are no strides, how many dimensions there are and the zero are spelled in several
/// ways before they are fields of a struct.
NodeId Expander::stack_array(std::span<const NodeId> args, DType dtype) {
  std::vector<NodeId> filled(args.begin(), args.end());
  if (is_int32(args[2]) && integer(args[2]) == 0) {
    const std::array zero = {make_.int_imm(DType::UInt(64), 0)};
    filled[2] = make_.call(make_.op("tir.reinterpret"), zero, DType::Handle());
  }
  if (is_int32(args[3])) filled[3] = make_.int_imm(DType::UInt(32), integer(args[3]));
  if (is_zero(args[4])) filled[4] = make_.cast(make_.dtype_of(args[4]), make_.int32(0));
  return make_.call(make_.op("tir.tvm_stack_make_array"), filled, dtype);
}

}  // namespace

/// Only calls with the arguments that TVM gives them: everything else is printed as a call, or not
/// at all. Vectors are never expanded here, since the generator spells each of their operators
/// otherwise.
std::optional<NodeId> expand(text::ExprFactory& make, std::string_view op, DType dtype,
                             std::span<const NodeId> args, Ternary ternary) {
  if (!dtype.is_scalar()) return std::nullopt;
  Expander expander(make, ternary);
  const auto is_number = [&](std::size_t i) {
    const Node arg = make.builder().node(args[i]);
    return arg.is(Kind::IntImm) && arg.dtype() == DType::Int(32);
  };
  const auto is_flag = [&](std::size_t i) {
    const Node arg = make.builder().node(args[i]);
    return arg.is(Kind::IntImm) && (arg.dtype().is_bool() || arg.dtype() == DType::Int(32));
  };
  const auto is_shift = [&](std::size_t i) {
    if (!is_number(i)) return false;
    const std::int64_t amount = make.builder().node(args[i]).integer(f::IntImm::value);
    return -32 < amount && amount < 32;
  };
  // q_multiply_shift is defined for int32 alone.
  const bool is_int32 = dtype == DType::Int(32);
  if (is_int32 && op == "tir.q_multiply_shift" && args.size() == 4 && is_number(1) && is_shift(2) &&
      is_shift(3)) {
    return expander.multiply_shift(args);
  }
  if (is_int32 && op == "tir.q_multiply_shift_per_axis" && args.size() == 7 && is_flag(5) &&
      is_flag(6)) {
    return expander.multiply_shift_per_axis(args);
  }
  const bool keeps_dtype = args.size() == 1 && make.dtype_of(args[0]) == dtype;
  if (op == "tir.sigmoid" && keeps_dtype) return expander.sigmoid(args[0]);
  if (op == "tir.rsqrt" && keeps_dtype) return expander.rsqrt(args[0]);
  if (op == "tir.tvm_stack_make_array" && args.size() == 6)
    return expander.stack_array(args, dtype);
  return std::nullopt;
}

}  // namespace mlf::tir::c
