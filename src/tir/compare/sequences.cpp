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

Node covered_by(Node stmt) {
  switch (stmt.kind()) {
    case Kind::LetStmt:
      return stmt[f::LetStmt::body];
    case Kind::AttrStmt:
      return stmt[f::AttrStmt::body];
    case Kind::AssertStmt:
      return stmt[f::AssertStmt::body];
    case Kind::Allocate:
      return stmt[f::Allocate::body];
    case Kind::AllocateConst:
      return stmt[f::AllocateConst::body];
    case Kind::DeclBuffer:
      return stmt[f::DeclBuffer::body];
    default:
      return {stmt.module(), NodeId::none};
  }
}

std::vector<Node> lines_of(Node stmt) {
  std::vector<Node> lines;
  std::vector<Node> stack{stmt};
  while (!stack.empty()) {
    const Node next = stack.back();
    stack.pop_back();
    if (next.is(Kind::SeqStmt)) {
      const NodeList seq = next.list(f::SeqStmt::seq);
      for (std::size_t i = seq.size(); i-- > 0;) stack.push_back(seq[i]);
      continue;
    }
    lines.push_back(next);
    if (const Node body = covered_by(next)) stack.push_back(body);
  }
  return lines;
}

namespace {

struct Both {
  Node left;
  Node right;
};

/// Puts the statements of both sequences on the stack; false where they are not as many.
bool push_elements(const Both& both, std::vector<Both>& stack) {
  const NodeList left = both.left.list(f::SeqStmt::seq);
  const NodeList right = both.right.list(f::SeqStmt::seq);
  if (left.size() != right.size()) return false;
  for (std::size_t i = 0; i < left.size(); ++i) stack.push_back({left[i], right[i]});
  return true;
}

}  // namespace

bool has_same_sequences(Node left, Node right) {
  std::vector<Both> stack{{left, right}};
  while (!stack.empty()) {
    const Both next = stack.back();
    stack.pop_back();
    if (next.left.is(Kind::SeqStmt) != next.right.is(Kind::SeqStmt)) return false;
    if (next.left.is(Kind::SeqStmt) && !push_elements(next, stack)) return false;
  }
  return true;
}

bool has_same_scopes(Node left, Node right) {
  std::vector<Both> stack{{left, right}};
  while (!stack.empty()) {
    const Both next = stack.back();
    stack.pop_back();
    if (next.left.is(Kind::SeqStmt) != next.right.is(Kind::SeqStmt)) return false;
    if (next.left.is(Kind::SeqStmt) && !push_elements(next, stack)) return false;
    const Node left_body = covered_by(next.left);
    const Node right_body = covered_by(next.right);
    if (!left_body != !right_body) return false;
    if (left_body) stack.push_back({left_body, right_body});
  }
  return true;
}

Node unwrapped(Node stmt) {
  if (!stmt.is(Kind::SeqStmt) || stmt.list(f::SeqStmt::seq).size() != 1) return stmt;
  return stmt.list(f::SeqStmt::seq)[0];
}

}  // namespace mlf::tir::compare_detail
