#include "tir/c/read/context.h"

#include <array>
#include <bit>

#include "support/lookup.h"
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

/// Compares expressions with a form of language.def.
class FormMatch {
 public:
  explicit FormMatch(const text::ExprFactory& make) : make_(make) {}

  /// Whether `parts` are the operands of the whole.
  bool has(std::string_view form, std::span<const Node> parts) {
    form = form.substr(1, form.size() - 2);
    for (const Node part : parts) {
      if (form.empty() || !fits(take_operand(form), part)) return false;
      form.remove_prefix(std::min(form.size(), std::string_view(" + ").size()));
    }
    return form.empty();
  }
  NodeId a() const { return a_.id(); }
  NodeId b() const { return b_.id(); }
  /// Whether the divisor is a negative number.
  bool is_negative() const { return int_imm_of(b_).value_or(0) < 0; }

 private:
  /// Takes a letter, a digit or a part in parentheses off the form.
  static std::string_view take_operand(std::string_view& form) {
    std::size_t depth = 0;
    std::size_t end = 0;
    do {
      if (form[end] == '(') ++depth;
      if (form[end] == ')') --depth;
    } while (++end < form.size() && depth > 0);
    const std::string_view operand = form.substr(0, end);
    form.remove_prefix(end);
    return operand;
  }

  /// Forms are constants of few levels.
  bool fits(std::string_view form, Node node) {
    if (form.front() != '(') return fits(form.front(), node);
    form.remove_prefix(1);
    const std::string_view left = take_operand(form);
    const std::string_view sign = form.substr(1, form.find(' ', 1) - 1);
    form.remove_prefix(sign.size() + 2);
    const BinaryOperator& row = *binary_operator(sign);
    if (!row.op.empty()) {
      return is_call_of(node, row.op) && fits(left, node.list(f::Call::args)[0]) &&
             fits(take_operand(form), node.list(f::Call::args)[1]);
    }
    // Divisions of indices were read as floor divisions.
    const bool is_it = node.is(row.kind) || (row.kind == Kind::Div && node.is(Kind::FloorDiv)) ||
                       (row.kind == Kind::Mod && node.is(Kind::FloorMod));
    return is_it && fits(left, node[f::Add::a]) && fits(take_operand(form), node[f::Add::b]);
  }

  bool fits(char letter, Node node) {
    if (letter == '0' || letter == '1') return is_int_imm(node, letter - '0');
    if (letter == 's') return is_int_imm(node, a_.dtype().bits - 1);
    Node& known = letter == 'a' ? a_ : b_;
    if (!known) known = node;
    return make_.same_expr(known.id(), node.id());
  }

  const text::ExprFactory& make_;
  Node a_;
  Node b_;
};

/// The floor division that a sum or a conditional expression computes with truncating operators;
/// `parts` are its operands.
std::optional<Division> floor_division(const text::ExprFactory& make, std::span<const Node> parts) {
  constexpr std::array kFirst = {Kind::Div, Kind::Mod, Kind::FloorDiv, Kind::FloorMod,
                                 Kind::GE,  Kind::LE,  Kind::Or};
  if (!support::is_among(kFirst, parts[0].kind())) return std::nullopt;
  for (const DivisionForm& form : {kCorrected, kChosen, kOfNegative, kOfAnySign}) {
    for (const Kind kind : {Kind::FloorDiv, Kind::FloorMod}) {
      FormMatch match(make);
      if (!match.has(kind == Kind::FloorDiv ? form.quotient : form.remainder, parts)) continue;
      const bool is_right = form.divisor == DivisorSign::any ||
                            match.is_negative() == (form.divisor == DivisorSign::negative);
      if (is_right) return Division{kind, match.a(), match.b()};
    }
  }
  return std::nullopt;
}

}  // namespace

NodeId Operators::arithmetic(Kind kind, NodeId a, NodeId b) {
  const NodeId made = make_->binary(kind, a, b);
  Fact fact{std::nullopt, loads(a, b)};
  fact.range = combine(kind, facts_.of(a).range, facts_.of(b).range, make_->dtype_of(a));
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
  if (const auto division = floor_division(*make_, std::array{node(a), node(b)})) {
    return arithmetic(division->kind, division->a, division->b);
  }
  return arithmetic(Kind::Add, a, b);
}

/// `a >> k` is floordiv(a, 2^k) for an index, and a shift for data.
NodeId Operators::shift_right(NodeId a, NodeId b) {
  const DType dtype = make_->dtype_of(a);
  const auto divisor = divisor_of_shift(node(b), dtype);
  note_form();
  if (!divisor || loads(a, b)) return call("tir.shift_right", dtype, std::array{a, b});
  return arithmetic(Kind::FloorDiv, a, integer(make_->dtype_of(b), *divisor));
}

/// `a & (2^k - 1)` is floormod(a, 2^k) for an index, and a mask for data.
NodeId Operators::bitwise_and(NodeId a, NodeId b) {
  const auto divisor = divisor_of_mask(node(b));
  note_form();
  if (!divisor || loads(a, b)) {
    return call("tir.bitwise_and", make_->dtype_of(a), std::array{a, b});
  }
  return arithmetic(Kind::FloorMod, a, integer(make_->dtype_of(b), *divisor));
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

/// For short integers and divisors of unknown sign, the correction of a floor division is a
/// conditional expression.
NodeId Operators::choice(Ternary ternary, NodeId condition, NodeId true_value, NodeId false_value) {
  const std::array parts = {node(condition), node(true_value), node(false_value)};
  if (const auto division = floor_division(*make_, parts)) {
    return arithmetic(division->kind, division->a, division->b);
  }
  if (ternary == Ternary::select) return select(condition, true_value, false_value);
  note_form();
  return if_then_else(condition, true_value, false_value);
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

}  // namespace mlf::tir::c
