#include "tir/c/patterns.h"

namespace mlf::tir::c {
namespace {

bool is_division(Node node) {
  return node.is(Kind::Div) || node.is(Kind::FloorDiv);
}

bool is_remainder(Node node) {
  return node.is(Kind::Mod) || node.is(Kind::FloorMod);
}

bool is_call(Node node, std::string_view op) {
  return node.is(Kind::Call) && node[f::Call::op].is(Kind::Op) &&
         node[f::Call::op].text(f::Op::name) == op;
}

Node argument(Node call, std::size_t i) {
  return call.list(f::Call::args)[i];
}

class Matcher {
 public:
  explicit Matcher(text::ExprFactory& make) : make_(make) {}

  /// Whether `node` is the sign of `a % b`, all bits of it: `(a % b) >> (bits - 1)`.
  bool is_sign_of_remainder(Node node, Node a, Node b) const {
    if (!is_call(node, "tir.shift_right")) return false;
    const Node amount = argument(node, 1);
    return amount.is(Kind::IntImm) && amount.integer(f::IntImm::value) == node.dtype().bits - 1 &&
           is_remainder_of(argument(node, 0), a, b);
  }

  bool is_remainder_of(Node node, Node a, Node b) const {
    return is_remainder(node) && same(node[f::Mod::a], a) && same(node[f::Mod::b], b);
  }

  bool same(Node a, Node b) const { return make_.same_expr(a.id(), b.id()); }

 private:
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
  const bool adds_divisor = is_call(second, "tir.bitwise_and") &&
                            matcher.same(argument(second, 0), b) &&
                            matcher.is_sign_of_remainder(argument(second, 1), a, b);
  if (!adds_divisor) return std::nullopt;
  return Division{Kind::FloorMod, a.id(), b.id()};
}

}  // namespace mlf::tir::c
