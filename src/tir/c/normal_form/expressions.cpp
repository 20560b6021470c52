// Variables, buffers and expressions of the normal form.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

#include "mlf/tir/builder.h"
#include "support/characters.h"
#include "tir/c/language.h"
#include "tir/c/normal_form/normal_form.h"
#include "tir/node_queries.h"

namespace mlf::tir::c {
namespace {

constexpr DType kWide = DType::Int(64);
// The multiplier 0.5 with 31 fractional bits: only a shift remains.
constexpr std::int64_t kOneHalf = std::int64_t{1} << 30;

class Expander {
 public:
  Expander(text::ExprFactory& make, Ternary ternary) : make_(make), ternary_(ternary) {}

  /// q_multiply_shift(x, multiplier, fractional bits, shift) in 64 bits.
  NodeId multiply_shift(std::span<const NodeId> args) {
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

  /// The same with a multiplier and shifts for each channel; flags state which shifts exist.
  NodeId multiply_shift_per_axis(std::span<const NodeId> args) {
    NodeId x = wide(args[0]);
    const bool shifts_left = integer(args[5]) != 0;
    const bool shifts_right = integer(args[6]) != 0;
    if (shifts_left) x = shift_left(x, wide(args[2]));
    const NodeId product = make_.binary(Kind::Mul, x, wide(args[1]));
    const NodeId total = shifts_right ? make_.binary(Kind::Add, args[3], args[4]) : args[4];
    return rounded_shift(product, total);
  }

  /// `1 / (1 + exp(0 - x))`
  NodeId sigmoid(NodeId x) {
    const DType dtype = make_.dtype_of(x);
    const NodeId one = make_.float_imm(dtype, 1);
    const NodeId negative = make_.binary(Kind::Sub, make_.float_imm(dtype, 0), x);
    const NodeId power = make_.call(make_.op("tir.exp"), std::array{negative}, dtype);
    return make_.binary(Kind::Div, one, make_.binary(Kind::Add, one, power));
  }

  /// `1 / sqrt(x)`
  NodeId rsqrt(NodeId x) {
    const DType dtype = make_.dtype_of(x);
    const NodeId root = make_.call(make_.op("tir.sqrt"), std::array{x}, dtype);
    return make_.binary(Kind::Div, make_.float_imm(dtype, 1), root);
  }

  /// tvm_stack_make_array(data, shape, strides, dimensions, zero of the element's dtype, offset).
  /// Versions spell missing strides, the number of dimensions and the zero in different ways before
  /// they become fields of a struct.
  NodeId stack_array(std::span<const NodeId> args, DType dtype) {
    std::vector<NodeId> filled(args.begin(), args.end());
    if (is_int32(args[2]) && integer(args[2]) == 0) {
      const std::array zero = {make_.int_imm(DType::UInt(64), 0)};
      filled[2] = make_.call(make_.op("tir.reinterpret"), zero, DType::Handle());
    }
    if (is_int32(args[3])) filled[3] = make_.int_imm(DType::UInt(32), integer(args[3]));
    if (is_zero(args[4])) filled[4] = make_.cast(make_.dtype_of(args[4]), make_.int32(0));
    return make_.call(make_.op("tir.tvm_stack_make_array"), filled, dtype);
  }

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

  /// A multiplier of one half: a shift to the left, or a rounding shift to the right.
  NodeId power_of_two(NodeId x, std::int64_t exponent) {
    if (exponent > 0) return shift_left(x, make_.int32(exponent));
    const std::int64_t rounding = exponent < 0 ? std::int64_t{1} << (-exponent - 1) : 0;
    const NodeId rounded = make_.binary(Kind::Add, x, make_.int32(rounding));
    return shift_right(rounded, make_.int32(-exponent));
  }

  /// `(product + (1 << (total - 1))) >> total`: rounds half up before the shift.
  NodeId rounded_shift(NodeId product, NodeId total) {
    const NodeId one = make_.int_imm(kWide, 1);
    const NodeId before = make_.binary(Kind::Sub, total, make_.int32(1));
    const NodeId rounding = shift_left(one, wide(before));
    const NodeId sum = make_.binary(Kind::Add, product, rounding);
    return make_.cast(DType::Int(32), shift_right(sum, wide(total)));
  }

  text::ExprFactory& make_;
  Ternary ternary_;
};

}  // namespace

/// Only calls with the arguments that TVM gives them; others stay calls or are not printed. Never
/// expands vectors, because the generator spells their operators in another way.
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
  // q_multiply_shift is defined for int32 only.
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

// --- Variables, buffers, constants --------------------------------------------------------------

namespace {

/// Names as C spells them, without the suffix that makes them unique.
std::string bare_name(std::string_view name) {
  std::string bare(name);
  for (char& c : bare) {
    if (!support::is_word_character(c)) c = '_';
  }
  const std::size_t last = bare.find_last_not_of("0123456789_");
  return last == std::string::npos ? std::string() : bare.substr(0, last + 1);
}

constexpr auto kDefaultType = static_cast<std::int64_t>(BufferType::default_);

}  // namespace

/// Scalar variables keep their types. The element type of a pointer follows from its uses.
NodeId NormalForm::type_of_variable(Node node) {
  const Node type = node[f::Var::type_annotation];
  if (node.dtype().is_handle()) return NodeId::none;
  return type ? of(type) : make_.prim_type(node.dtype());
}

/// C does not distinguish SizeVar from Var.
NodeId NormalForm::variable(Node node) {
  const std::string name = bare_name(node.text(f::Var::name));
  return builder_.make(Kind::Var, {node.dtype(), builder_.string(name), type_of_variable(node)});
}

/// The only buffer with this element type on a pointer.
NodeId NormalForm::buffer_on(NodeId data, DType dtype) {
  const auto [found, is_new] = buffers_.try_emplace({data, dtype.packed()});
  if (is_new) found->second = make_.buffer({.name = {}, .data = data, .dtype = dtype});
  return found->second;
}

/// Merges buffers on a pointer that have the same elements, and removes names and shapes.
NodeId NormalForm::buffer(Node node) {
  const DType dtype = stored_dtype(node.dtype(f::Buffer::dtype));
  const NodeId data = of(node[f::Buffer::data]);
  const Node offset = node[f::Buffer::elem_offset];
  const bool starts_at_zero = !offset || is_int_imm(offset, 0);
  const bool is_plain = node.list(f::Buffer::strides).empty() && starts_at_zero &&
                        node.list(f::Buffer::axis_separators).empty() &&
                        node.integer(f::Buffer::buffer_type) == kDefaultType;
  return is_plain ? buffer_on(data, dtype) : strided_buffer(node, data, dtype);
}

/// Keeps strides and offsets: the indices of C contain them, so a difference in them is a
/// difference.
NodeId NormalForm::strided_buffer(Node node, NodeId data, DType dtype) {
  std::span<FieldValue> fields = fields_of(node);
  fields[f::Buffer::data] = data;
  fields[f::Buffer::dtype] = dtype;
  fields[f::Buffer::shape] = builder_.list({});
  fields[f::Buffer::name] = builder_.string({});
  fields[f::Buffer::data_alignment] = 0;
  fields[f::Buffer::offset_factor] = 0;
  return builder_.make(Kind::Buffer, fields);
}

/// The number of elements, if all extents are numbers.
ListId NormalForm::flat(NodeList extents) {
  std::uint64_t count = 1;
  for (const Node extent : extents) {
    if (!extent.is(Kind::IntImm)) return copied(builder_, extents, becoming());
    count *= static_cast<std::uint64_t>(extent.integer(f::IntImm::value));
  }
  const DType dtype = extents.empty() ? DType::Int(32) : extents[0].dtype();
  return builder_.list({narrowed(make_.int_imm(dtype, static_cast<std::int64_t>(count)))});
}

/// A number whose value C states without its width: it gets 32 bits if they are enough.
NodeId NormalForm::narrowed(NodeId id) {
  const Node number = builder_.node(id);
  if (!number.is(Kind::IntImm) || number.dtype() == DType::Int(32)) return id;
  const std::int64_t value = number.integer(f::IntImm::value);
  return std::in_range<std::int32_t>(value) ? make_.int32(value) : id;
}

/// Constants have one dimension.
NodeId NormalForm::array(Node node) {
  std::uint64_t count = 1;
  for (const std::int64_t size : node.integers(f::NDArray::shape)) {
    count *= static_cast<std::uint64_t>(size);
  }
  const auto flat = static_cast<std::int64_t>(count);
  std::span<FieldValue> fields = fields_of(node);
  fields[f::NDArray::shape] = builder_.integers(std::span(&flat, 1));
  return builder_.make(Kind::NDArray, fields);
}

// --- Expressions --------------------------------------------------------------------------------

/// All other expressions are printed unchanged, as an operator or a call.
NodeId NormalForm::rebuilt_expr(Node node) {
  switch (node.kind()) {
    case Kind::Var:
    case Kind::SizeVar:
      return variable(node);
    case Kind::Let:
      return of(node[f::Let::body]);
    case Kind::Cast:
      return node.dtype() == node[f::Cast::value].dtype() ? of(node[f::Cast::value]) : copy(node);
    case Kind::FloatImm:
      return float_imm(node);
    case Kind::BufferLoad:
      return load(node);
    case Kind::Select:
      return choice(node);
    case Kind::Div:
    case Kind::Mod:
      return division(node);
    case Kind::FloorDiv:
    case Kind::FloorMod:
      return floor(node.kind(), node.dtype(), of(node[f::FloorDiv::a]), of(node[f::FloorDiv::b]));
    case Kind::Sub:
      return difference(node);
    case Kind::Call:
      return call(node);
    default:
      return copy(node);
  }
}

/// Up to v0.15, Select and if_then_else are printed alike.
NodeId NormalForm::choice(Node select) {
  if (ternary_ == Ternary::select) return copy(select);
  const std::array args{of(select[f::Select::condition]), of(select[f::Select::true_value]),
                        of(select[f::Select::false_value])};
  return make_.call(make_.op("tir.if_then_else"), args, select.dtype());
}

/// The generator prints seven digits.
NodeId NormalForm::float_imm(Node node) {
  const double exact = node.real(f::FloatImm::value);
  const std::string printed = fmt::format("{:.6e}", exact);
  double value = exact;
  std::from_chars(printed.data(), printed.data() + printed.size(), value);
  return make_.float_imm(node.dtype(), value);
}

/// A load of bool reads a byte and casts it: `((bool)((int8_t*)b)[i])`.
NodeId NormalForm::load(Node node) {
  std::span<FieldValue> fields = fields_of(node);
  fields[f::BufferLoad::dtype] = stored_dtype(node.dtype());
  const NodeId loaded = builder_.make(Kind::BufferLoad, fields);
  return node.dtype().is_bool() ? make_.cast(node.dtype(), loaded) : loaded;
}

/// For numbers that are not negative, every division rounds down.
NodeId NormalForm::division(Node node) {
  const Node a = node[f::Div::a];
  const Node b = node[f::Div::b];
  const auto dividend = ranges_.of(a);
  const auto divisor = ranges_.of(b);
  const bool has_positive = dividend && divisor && dividend->low >= 0 && divisor->low > 0;
  const bool is_positive = node.dtype().is_scalar() && (node.dtype().is_uint() || has_positive);
  // Otherwise C contains the correction of a floor division, or lacks it.
  if (!is_positive) return copy(node);
  const Kind kind = node.is(Kind::Div) ? Kind::FloorDiv : Kind::FloorMod;
  return floor(kind, node.dtype(), of(a), of(b));
}

/// Takes multiples of the divisor out of the dividend. LowerIntrin adds one where the dividend may
/// be negative, and takes it off the quotient. A sum of unsigned numbers may wrap around.
NodeId NormalForm::floor(Kind kind, DType dtype, NodeId a, NodeId b) {
  const Node sum = builder_.node(a);
  const std::int64_t divisor = int_imm_of(builder_.node(b)).value_or(0);
  const std::int64_t added = sum.is(Kind::Add) ? int_imm_of(sum[f::Add::b]).value_or(0) : 0;
  if (!dtype.is_int() || divisor <= 0 || added < divisor) return builder_.make(kind, {dtype, a, b});
  const std::int64_t rest = added % divisor;
  const NodeId rest_of_sum =
      rest == 0 ? sum[f::Add::a].id()
                : make_.binary(Kind::Add, sum[f::Add::a].id(), make_.int_imm(sum.dtype(), rest));
  const NodeId result = builder_.make(kind, {dtype, rest_of_sum, b});
  if (kind == Kind::FloorMod) return result;
  return make_.binary(Kind::Add, result, make_.int_imm(dtype, added / divisor));
}

/// `(a + c) - c` is `a`.
NodeId NormalForm::difference(Node node) {
  const NodeId a = of(node[f::Sub::a]);
  const Node sum = builder_.node(a);
  const auto taken = int_imm_of(node[f::Sub::b]);
  const bool is_undone = taken && sum.is(Kind::Add) && int_imm_of(sum[f::Add::b]) == taken;
  return is_undone ? sum[f::Add::a].id() : copy(node);
}

/// A shift to the right is a division by a power of two; a mask of the lowest bits is a remainder.
NodeId NormalForm::as_division(NodeId id) {
  const Node call = builder_.node(id);
  if (!call.is(Kind::Call) || !(call.dtype().is_int() || call.dtype().is_uint())) return id;
  const std::string_view op = call[f::Call::op].text(f::Op::name);
  const bool is_shift = op == "tir.shift_right";
  const NodeList args = call.list(f::Call::args);
  if ((!is_shift && op != "tir.bitwise_and") || args.size() != 2) return id;
  const auto divisor =
      is_shift ? divisor_of_shift(args[1], args[1].dtype()) : divisor_of_mask(args[1]);
  if (!divisor) return id;
  const DType dtype = call.dtype();
  const NodeId a = args[0].id();
  const NodeId b = make_.int_imm(args[1].dtype(), *divisor);
  return floor(is_shift ? Kind::FloorDiv : Kind::FloorMod, dtype, a, b);
}

/// Expands operators without a name in C like the legalisation of intrinsics, after the widths of
/// numbers on the stack of packed calls were made equal.
NodeId NormalForm::call(Node node) {
  const Node op = node[f::Call::op];
  if (!op.is(Kind::Op)) return copy(node);
  const std::string_view name = op.text(f::Op::name);
  std::vector<NodeId> args;
  for (const Node arg : node.list(f::Call::args)) args.push_back(of(arg));
  if (name == "tir.tvm_stack_make_shape") {
    std::ranges::transform(args, args.begin(), [&](NodeId dim) { return narrowed(dim); });
  }
  if (name == "tir.tvm_stack_make_array" && args.size() == 6) args[5] = narrowed(args[5]);
  const auto expanded = expand(make_, name, node.dtype(), args, ternary_);
  return as_division(expanded ? *expanded : plain_call(name, args, node.dtype()));
}

/// call_extern and call_pure_extern are printed alike.
NodeId NormalForm::plain_call(std::string_view op, std::span<const NodeId> args, DType dtype) {
  if (op == "tir.tvm_access_ptr" && args.size() == 5) return pointer_into(args);
  if (op == "tir.call_pure_extern") op = "tir.call_extern";
  return make_.call(make_.op(op), args, dtype);
}

/// Only the address of an access pointer is printed, without its extent and its purpose.
NodeId NormalForm::pointer_into(std::span<const NodeId> access) {
  const DType element = make_.dtype_of(access[0]);
  const NodeId buffer = buffer_on(access[1], element);
  const NodeId loaded = make_.buffer_load(buffer, std::array{access[2]});
  return make_.call(make_.op("tir.address_of"), std::array{loaded}, DType::Handle());
}

}  // namespace mlf::tir::c
