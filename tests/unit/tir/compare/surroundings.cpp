#include "surroundings.h"

#include <utility>

#include "mlf/tir/visit.h"
#include "tir/node_queries.h"

namespace mlf::tir::compare_detail {

// --- Variables, buffers and blocks --------------------------------------------------------------

// One pass over all nodes, in no particular order. The roles are complete after it.
Roles::Roles(const Module& module) {
  for (std::uint32_t id = 1; id < module.size(); ++id) {
    const Node node = module.node(static_cast<NodeId>(id));
    add(node);
    if (node.category() != Category::function) continue;
    for_each_pre_order(node, [&](Node part) { scopes_.emplace(index(part.id()), id); });
  }
}

std::uint32_t Roles::scope_of(Node node) const {
  const auto found = scopes_.find(index(node.id()));
  return found == scopes_.end() ? 0 : found->second;
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
  for (const Node buffer : block.list(f::Block::alloc_buffers)) stated_.insert(index(buffer.id()));
  for (const Node match : block.list(f::Block::match_buffers)) {
    stated_.insert(index(match[f::MatchBufferRegion::buffer].id()));
  }
}

Node Roles::find(const NodeById& ids, Node key) {
  const auto found = ids.find(index(key.id()));
  return {key.module(), found == ids.end() ? NodeId::none : found->second};
}

// --- Sequences of statements --------------------------------------------------------------------

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
  std::vector<std::pair<Node, Node>> stack{{left, right}};
  while (!stack.empty()) {
    const auto [a, b] = stack.back();
    stack.pop_back();
    if (a.is(Kind::SeqStmt) != b.is(Kind::SeqStmt)) return false;
    if (!a.is(Kind::SeqStmt)) continue;
    const NodeList on_left = a.list(f::SeqStmt::seq);
    const NodeList on_right = b.list(f::SeqStmt::seq);
    if (on_left.size() != on_right.size()) return false;
    for (std::size_t i = 0; i < on_left.size(); ++i) stack.emplace_back(on_left[i], on_right[i]);
  }
  return true;
}

Node unwrapped(Node stmt) {
  if (!stmt.is(Kind::SeqStmt) || stmt.list(f::SeqStmt::seq).size() != 1) return stmt;
  return stmt.list(f::SeqStmt::seq)[0];
}

}  // namespace mlf::tir::compare_detail
