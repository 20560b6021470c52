#include "tir/c/read/operators.h"

#include <array>
#include <bit>

#include "tir/node_queries.h"

namespace mlf::tir::c {
namespace {

bool is_power_of_two(Node number) {
  return number.is(Kind::IntImm) && number.integer(f::IntImm::value) > 0 &&
         std::has_single_bit(static_cast<std::uint64_t>(number.integer(f::IntImm::value)));
}

bool is_integer(DType dtype) {
  return dtype.is_int() || dtype.is_uint();
}

// --- Floor divisions, as the pass LowerIntrin prints them ---------------------------------------

struct Division {
  Kind kind;  ///< FloorDiv or FloorMod
  NodeId a;
  NodeId b;
};

bool is_division(Node node) {
  return node.is(Kind::Div) || node.is(Kind::FloorDiv);
}

bool is_remainder(Node node) {
  return node.is(Kind::Mod) || node.is(Kind::FloorMod);
}

Node argument(Node call, std::size_t i) {
  return call.list(f::Call::args)[i];
}

class Matcher {
 public:
  explicit Matcher(text::ExprFactory& make) : make_(make) {}

  /// Whether `node` has the sign of `a % b` in all of its bits: `(a % b) >> (bits - 1)`.
  bool is_sign_of_remainder(Node node, Node a, Node b) const {
    if (!is_call_of(node, "tir.shift_right")) return false;
    const Node amount = argument(node, 1);
    return is_int_imm(amount, node.dtype().bits - 1) && is_remainder_of(argument(node, 0), a, b);
  }

  bool is_remainder_of(Node node, Node a, Node b) const {
    return is_remainder(node) && same(node[f::Mod::a], a) && same(node[f::Mod::b], b);
  }

  /// Whether the remainder of `a` and `b` has the right sign: `(a % b) >= 0`, or `((b >= 0) && ((a
  /// % b) >= 0)) || ((b < 0) && ((a % b) <= 0))`.
  bool is_even(Node condition, Node a, Node b) const {
    if (is_sign_test(condition, Kind::GE)) return is_remainder_of(condition[f::GE::a], a, b);
    return condition.is(Kind::Or) && is_even_side(condition[f::Or::a], Kind::GE, Kind::GE, a, b) &&
           is_even_side(condition[f::Or::b], Kind::LT, Kind::LE, a, b);
  }

  bool same(Node a, Node b) const { return make_.same_expr(a.id(), b.id()); }

 private:
  static bool is_sign_test(Node node, Kind kind) {
    return node.is(kind) && node[f::GE::b].is(Kind::IntImm) &&
           node[f::GE::b].integer(f::IntImm::value) == 0;
  }
  bool is_even_side(Node side, Kind divisor, Kind remainder, Node a, Node b) const {
    return side.is(Kind::And) && is_sign_test(side[f::And::a], divisor) &&
           same(side[f::And::a][f::GE::a], b) && is_sign_test(side[f::And::b], remainder) &&
           is_remainder_of(side[f::And::b][f::GE::a], a, b);
  }

  text::ExprFactory& make_;
};

/// The floor division that `left + right` computes with truncating operators: `(a / b) + ((a % b)
/// >> 31)` and `(a % b) + (b & ((a % b) >> 31))`; 63 for 64 bits.
std::optional<Division> floor_division(text::ExprFactory& make, NodeId left, NodeId right) {
  const Node first = make.builder().node(left);
  const Node second = make.builder().node(right);
  if (!is_division(first) && !is_remainder(first)) return std::nullopt;
  const Matcher matcher(make);
  const Node a = first[f::Div::a];
  const Node b = first[f::Div::b];
  if (is_division(first)) {
    if (!matcher.is_sign_of_remainder(second, a, b)) return std::nullopt;
    return Division{Kind::FloorDiv, a.id(), b.id()};
  }
  const bool adds_divisor = is_call_of(second, "tir.bitwise_and") &&
                            matcher.same(argument(second, 0), b) &&
                            matcher.is_sign_of_remainder(argument(second, 1), a, b);
  if (!adds_divisor) return std::nullopt;
  return Division{Kind::FloorMod, a.id(), b.id()};
}

/// The floor division that a conditional expression computes for a divisor of unknown sign, or for
/// short integers: `(a % b) >= 0 ? (a / b) : ((a / b) - 1)`, `… : ((a % b) + b)`.
std::optional<Division> floor_choice(text::ExprFactory& make, NodeId condition, NodeId on_true,
                                     NodeId on_false) {
  const Builder& builder = make.builder();
  const Node exact = builder.node(on_true);
  const Node corrected = builder.node(on_false);
  const bool divides = is_division(exact);
  if (!divides && !is_remainder(exact)) return std::nullopt;
  if (!exact.dtype().is_int()) return std::nullopt;
  const Matcher matcher(make);
  const Node a = exact[f::Div::a];
  const Node b = exact[f::Div::b];
  if (!matcher.is_even(builder.node(condition), a, b)) return std::nullopt;
  if (!corrected.is(divides ? Kind::Sub : Kind::Add)) return std::nullopt;
  if (!matcher.same(corrected[f::Sub::a], exact)) return std::nullopt;
  const Node by = corrected[f::Sub::b];
  if (divides ? !is_int_imm(by, 1) : !matcher.same(by, b)) return std::nullopt;
  return Division{divides ? Kind::FloorDiv : Kind::FloorMod, a.id(), b.id()};
}

}  // namespace

/// A node loads if one of its operands does; only arithmetic has known ranges.
NodeId Operators::with_facts(NodeId made, std::span<const NodeId> parts) {
  bool any_loads = false;
  for (const NodeId part : parts) any_loads |= facts_.of(part).loads;
  if (any_loads) facts_.set(made, {std::nullopt, true});
  return made;
}

NodeId Operators::integer(DType dtype, std::int64_t value) {
  const NodeId made = make_->int_imm(dtype, value);
  facts_.set(made, {Interval{value, value}, false});
  return made;
}

NodeId Operators::null_handle() {
  const std::array zero = {make_->int_imm(DType::UInt(64), 0)};
  return call("tir.reinterpret", DType::Handle(), zero);
}

NodeId Operators::arithmetic(Kind kind, NodeId a, NodeId b) {
  const NodeId made = make_->binary(kind, a, b);
  Fact fact{std::nullopt, loads(a, b)};
  const Fact left = facts_.of(a);
  const Fact right = facts_.of(b);
  if (left.range && right.range) fact.range = combine(kind, *left.range, *right.range);
  facts_.set(made, fact);
  return made;
}

NodeId Operators::comparison(Kind kind, NodeId a, NodeId b) {
  // `x != x` is false for all numbers: isnan prints its argument twice.
  if (kind == Kind::NE && make_->dtype_of(a).is_float() && make_->same_expr(a, b)) {
    return call("tir.isnan", DType::Bool(), std::array{a});
  }
  const bool is_zero_test = (kind == Kind::EQ || kind == Kind::NE) && is_int_imm(node(b), 0);
  // The sign of a remainder does not matter for a comparison with zero: LowerIntrin makes it `%`.
  if (is_zero_test) a = floor_of(a, Kind::Mod, Kind::FloorMod);
  return with_facts(make_->binary(kind, a, b), std::array{a, b});
}

/// Where the sign does not matter, floor divisions are printed as truncating ones.
NodeId Operators::floor_of(NodeId value, Kind truncating, Kind floor) {
  const Node division = node(value);
  const bool is_index =
      division.is(truncating) && is_integer(division.dtype()) && !facts_.of(value).loads;
  if (!is_index) return value;
  return arithmetic(floor, division[f::Div::a].id(), division[f::Div::b].id());
}

/// A sum may be a floor division in 32 or 64 bits.
NodeId Operators::addition(NodeId a, NodeId b) {
  if (const auto division = floor_division(*make_, a, b)) {
    return arithmetic(division->kind, division->a, division->b);
  }
  return arithmetic(Kind::Add, a, b);
}

/// `a >> k` is floordiv(a, 2^k) for an index, and a shift for data.
NodeId Operators::shift_right(NodeId a, NodeId b) {
  const Node amount = node(b);
  const bool is_literal = amount.is(Kind::IntImm) && amount.integer(f::IntImm::value) >= 0 &&
                          amount.integer(f::IntImm::value) < make_->dtype_of(a).bits - 1;
  const std::array args = {a, b};
  note_form();
  if (!is_literal || loads(a, b)) return call("tir.shift_right", make_->dtype_of(a), args);
  const std::int64_t divisor = std::int64_t{1} << amount.integer(f::IntImm::value);
  return arithmetic(Kind::FloorDiv, a, integer(make_->dtype_of(b), divisor));
}

/// `a & (2^k - 1)` is floormod(a, 2^k) for an index, and a mask for data.
NodeId Operators::bitwise_and(NodeId a, NodeId b) {
  const Node mask = node(b);
  const std::array args = {a, b};
  note_form();
  const bool is_mask =
      mask.is(Kind::IntImm) && mask.integer(f::IntImm::value) > 0 &&
      mask.integer(f::IntImm::value) < (std::int64_t{1} << 62) &&
      std::has_single_bit(static_cast<std::uint64_t>(mask.integer(f::IntImm::value)) + 1);
  if (!is_mask || loads(a, b)) return call("tir.bitwise_and", make_->dtype_of(a), args);
  return arithmetic(Kind::FloorMod, a,
                    integer(make_->dtype_of(b), mask.integer(f::IntImm::value) + 1));
}

/// The rule for divisions, which holds in every build with captured TIR: an expression without
/// loads is an index, and divisions of indices are floordiv and floormod; data are divided as in C.
NodeId Operators::binary(const BinaryOperator& op, NodeId a, NodeId b) {
  if (op.op == "tir.shift_right") return shift_right(a, b);
  if (op.op == "tir.bitwise_and") return bitwise_and(a, b);
  if (!op.op.empty()) return call(op.op, make_->dtype_of(a), std::array{a, b});
  switch (op.kind) {
    case Kind::Add:
      return addition(a, b);
    case Kind::Sub:
    case Kind::Mul:
      return arithmetic(op.kind, a, b);
    case Kind::Div:
    case Kind::Mod:
      if (!is_integer(make_->dtype_of(a))) return arithmetic(op.kind, a, b);
      note_form();
      // A floor division by a power of two would be a shift or a mask.
      if (loads(a, b) || is_power_of_two(node(b))) return arithmetic(op.kind, a, b);
      return arithmetic(op.kind == Kind::Div ? Kind::FloorDiv : Kind::FloorMod, a, b);
    default:
      return comparison(op.kind, a, b);
  }
}

/// `max(floordiv(x, y), c)` with c >= 0 is printed with `/` for any sign of x.
NodeId Operators::min_max(Kind kind, NodeId a, NodeId b) {
  const bool hides_sign =
      kind == Kind::Max && node(b).is(Kind::IntImm) && node(b).integer(f::IntImm::value) >= 0;
  if (hides_sign) a = floor_of(a, Kind::Div, Kind::FloorDiv);
  return arithmetic(kind, a, b);
}

/// A cast keeps the range: casts of indices change the width but not the value.
NodeId Operators::cast(DType dtype, NodeId value) {
  const NodeId made = make_->cast(dtype, value);
  const Fact fact = facts_.of(value);
  facts_.set(made, {is_integer(dtype) ? fact.range : std::nullopt, fact.loads});
  return made;
}

NodeId Operators::logical_not(NodeId value) {
  return with_facts(make_->logical_not(value), std::array{value});
}

NodeId Operators::call(std::string_view op, DType dtype, std::span<const NodeId> args) {
  return with_facts(make_->call(make_->op(op), args, dtype), args);
}

/// For short integers and divisors of unknown sign, the correction of a floor division is a
/// conditional expression.
NodeId Operators::choice(Ternary ternary, NodeId condition, NodeId true_value, NodeId false_value) {
  if (const auto division = floor_choice(*make_, condition, true_value, false_value)) {
    return arithmetic(division->kind, division->a, division->b);
  }
  if (ternary == Ternary::select) return select(condition, true_value, false_value);
  note_form();
  return if_then_else(condition, true_value, false_value);
}

NodeId Operators::select(NodeId condition, NodeId true_value, NodeId false_value) {
  const std::array parts = {condition, true_value, false_value};
  return with_facts(make_->select(condition, true_value, false_value), parts);
}

/// The range covers both branches.
NodeId Operators::if_then_else(NodeId condition, NodeId true_value, NodeId false_value) {
  const std::array args = {condition, true_value, false_value};
  const NodeId made = call("tir.if_then_else", make_->dtype_of(true_value), args);
  const Fact first = facts_.of(true_value);
  const Fact second = facts_.of(false_value);
  if (first.range && second.range) {
    facts_.set(made, {Interval{std::min(first.range->low, second.range->low),
                               std::max(first.range->high, second.range->high)},
                      facts_.of(made).loads});
  }
  return made;
}

NodeId Operators::load(NodeId buffer, NodeId index) {
  const NodeId made = make_->buffer_load(buffer, std::array{index});
  facts_.set(made, {std::nullopt, true});
  return made;
}

}  // namespace mlf::tir::c
