#include "tir/c/patterns.h"

namespace mlf::tir::c {
namespace {

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

  /// Whether `node` is the sign of `a % b`, all bits of it: `(a % b) >> (bits - 1)`.
  bool is_sign_of_remainder(Node node, Node a, Node b) const {
    if (!is_call_of(node, "tir.shift_right")) return false;
    const Node amount = argument(node, 1);
    return amount.is(Kind::IntImm) && amount.integer(f::IntImm::value) == node.dtype().bits - 1 &&
           is_remainder_of(argument(node, 0), a, b);
  }

  bool is_remainder_of(Node node, Node a, Node b) const {
    return is_remainder(node) && same(node[f::Mod::a], a) && same(node[f::Mod::b], b);
  }

  /// Whether `a` and `b` divide without a remainder of the wrong sign: `(a % b) >= 0`, or
  /// `((b >= 0) && ((a % b) >= 0)) || ((b < 0) && ((a % b) <= 0))`.
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

}  // namespace

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
  const bool is_one = by.is(Kind::IntImm) && by.integer(f::IntImm::value) == 1;
  if (divides ? !is_one : !matcher.same(by, b)) return std::nullopt;
  return Division{divides ? Kind::FloorDiv : Kind::FloorMod, a.id(), b.id()};
}

}  // namespace mlf::tir::c
