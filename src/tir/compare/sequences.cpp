#include "tir/compare/sequences.h"

namespace mlf::tir::compare_detail {

std::vector<Node> spliced(Node stmt) {
  std::vector<Node> result;
  std::vector<Node> stack{stmt};
  while (!stack.empty()) {
    const Node next = stack.back();
    stack.pop_back();
    if (!next.is(Kind::SeqStmt)) {
      result.push_back(next);
      continue;
    }
    const NodeList seq = next.list(f::SeqStmt::seq);
    for (std::size_t i = seq.size(); i-- > 0;) stack.push_back(seq[i]);
  }
  return result;
}

bool has_same_sequences(Node left, Node right) {
  struct Both {
    Node left;
    Node right;
  };
  std::vector<Both> stack{{left, right}};
  while (!stack.empty()) {
    const Both next = stack.back();
    stack.pop_back();
    if (next.left.is(Kind::SeqStmt) != next.right.is(Kind::SeqStmt)) return false;
    if (!next.left.is(Kind::SeqStmt)) continue;
    const NodeList left_seq = next.left.list(f::SeqStmt::seq);
    const NodeList right_seq = next.right.list(f::SeqStmt::seq);
    if (left_seq.size() != right_seq.size()) return false;
    for (std::size_t i = 0; i < left_seq.size(); ++i) stack.push_back({left_seq[i], right_seq[i]});
  }
  return true;
}

Node unwrapped(Node stmt) {
  if (!stmt.is(Kind::SeqStmt) || stmt.list(f::SeqStmt::seq).size() != 1) return stmt;
  return stmt.list(f::SeqStmt::seq)[0];
}

}  // namespace mlf::tir::compare_detail
