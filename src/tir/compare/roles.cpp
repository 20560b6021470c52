#include "tir/compare/roles.h"

namespace mlf::tir::compare_detail {
namespace {

bool is_var(Node node) {
  return node.is(Kind::Var) || node.is(Kind::SizeVar);
}

}  // namespace

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

}  // namespace mlf::tir::compare_detail
