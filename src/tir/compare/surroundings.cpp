#include "tir/compare/surroundings.h"

#include "tir/node_queries.h"

namespace mlf::tir::compare_detail {

// --- Variables, buffers and blocks --------------------------------------------------------------

// One pass over all nodes, in no particular order. The roles are complete after it.
Roles::Roles(const Module& module) {
  for (std::uint32_t id = 1; id < module.size(); ++id) add(module.node(static_cast<NodeId>(id)));
}

void Roles::add(Node node) {
  switch (node.kind()) {
    case Kind::Buffer:
      return add_buffer(node);
    case Kind::PrimFunc:
      return add_function(node);
    case Kind::DeclBuffer:
      stated_.insert(index(node[f::DeclBuffer::buffer].id()));
      return;
    case Kind::Allocate:
      allocated_.insert(index(node[f::Allocate::buffer_var].id()));
      return;
    case Kind::AllocateConst:
      allocated_.insert(index(node[f::AllocateConst::buffer_var].id()));
      return;
    case Kind::Block:
      return add_block(node);
    default:
      return;
  }
}

void Roles::add_buffer(Node buffer) {
  const auto add_part = [&](Node part) {
    if (is_var(part)) parts_.emplace(index(part.id()), buffer.id());
  };
  if (const Node data = buffer[f::Buffer::data]) data_.emplace(index(data.id()), buffer.id());
  add_part(buffer[f::Buffer::data]);
  add_part(buffer[f::Buffer::elem_offset]);
  for (const Node stride : buffer.list(f::Buffer::strides)) add_part(stride);
}

void Roles::add_function(Node function) {
  const NodeMap buffers = function.map(f::PrimFunc::buffer_map);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    params_.emplace(index(buffers.key(i).id()), buffers.value(i).id());
  }
  const Node body = function[f::PrimFunc::body];
  if (body.is(Kind::BlockRealize)) roots_.insert(index(body[f::BlockRealize::block].id()));
}

void Roles::add_block(Node block) {
  for (const Node buffer : block.list(f::Block::alloc_buffers)) {
    stated_.insert(index(buffer.id()));
    of_block_.insert(index(buffer.id()));
  }
  for (const Node match : block.list(f::Block::match_buffers)) {
    stated_.insert(index(match[f::MatchBufferRegion::buffer].id()));
  }
}

Node Roles::find(const NodeById& ids, Node key) {
  const auto found = ids.find(index(key.id()));
  return {key.module(), found == ids.end() ? NodeId::none : found->second};
}

// --- Sequences of statements --------------------------------------------------------------------

// Realize statements open scopes too, but every text puts braces around their bodies.
Node covered_by(Node stmt) {
  const bool has_braces = stmt.is(Kind::BufferRealize) || stmt.is(Kind::ProducerRealize);
  const auto field = has_braces ? std::nullopt : scope_field(stmt.kind());
  return field ? stmt.node(*field) : Node(stmt.module(), NodeId::none);
}

namespace {

/// Statements in the order of the text, with sequences spliced in; each is followed by the one that
/// it covers.
template <class CoveredBy>
std::vector<Node> flattened(Node stmt, CoveredBy&& covered_by) {
  std::vector<Node> result;
  std::vector<Node> stack{stmt};
  while (!stack.empty()) {
    const Node next = stack.back();
    stack.pop_back();
    if (next.is(Kind::SeqStmt)) {
      const NodeList seq = next.list(f::SeqStmt::seq);
      for (std::size_t i = seq.size(); i-- > 0;) stack.push_back(seq[i]);
      continue;
    }
    result.push_back(next);
    if (const Node body = covered_by(next)) stack.push_back(body);
  }
  return result;
}

}  // namespace

std::vector<Node> spliced(Node stmt) {
  return flattened(stmt, [](Node) { return Node(); });
}

std::vector<Node> lines_of(Node stmt) {
  return flattened(stmt, covered_by);
}

namespace {

struct Both {
  Node left;
  Node right;
};

/// Puts the statements of both sequences on the stack; false if their numbers differ.
bool push_elements(const Both& both, std::vector<Both>& stack) {
  const NodeList left = both.left.list(f::SeqStmt::seq);
  const NodeList right = both.right.list(f::SeqStmt::seq);
  if (left.size() != right.size()) return false;
  for (std::size_t i = 0; i < left.size(); ++i) stack.push_back({left[i], right[i]});
  return true;
}

/// Walks both statements down their sequences and, optionally, into the statements that they cover.
/// `next_inside` puts the pair below the current one on the stack; false ends the walk.
template <class NextInside>
bool have_same_shape(Node left, Node right, NextInside&& next_inside) {
  std::vector<Both> stack{{left, right}};
  while (!stack.empty()) {
    const Both next = stack.back();
    stack.pop_back();
    if (next.left.is(Kind::SeqStmt) != next.right.is(Kind::SeqStmt)) return false;
    if (next.left.is(Kind::SeqStmt) && !push_elements(next, stack)) return false;
    if (!next_inside(next, stack)) return false;
  }
  return true;
}

}  // namespace

bool has_same_sequences(Node left, Node right) {
  return have_same_shape(left, right, [](const Both&, std::vector<Both>&) { return true; });
}

bool has_same_scopes(Node left, Node right) {
  return have_same_shape(left, right, [](const Both& at, std::vector<Both>& stack) {
    const Node left_body = covered_by(at.left);
    const Node right_body = covered_by(at.right);
    if (!left_body != !right_body) return false;
    if (left_body) stack.push_back({left_body, right_body});
    return true;
  });
}

Node unwrapped(Node stmt) {
  if (!stmt.is(Kind::SeqStmt) || stmt.list(f::SeqStmt::seq).size() != 1) return stmt;
  return stmt.list(f::SeqStmt::seq)[0];
}

}  // namespace mlf::tir::compare_detail
