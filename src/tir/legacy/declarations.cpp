// Buffers that statements declare: `A = alloc_buffer(float32[16])` and the like print no more than
// dtype and shape.
#include <fmt/core.h>

#include "tir/legacy/expressions.h"
#include "tir/tvm_features.h"

namespace mlf::tir::legacy {

using text::Sign;
using text::SyntaxId;
using text::SyntaxKind;

NodeId ExprReader::declare_buffer(std::string_view name, NodeId data, DType element,
                                  std::vector<NodeId> shape) {
  text::BufferSpec spec{.name = name};
  spec.data = data;
  if (data == NodeId::none) {
    spec.data = make_.var(name, make_.pointer_type(make_.prim_type(element), "global"));
    context_.lose(LossCode::data_var, name);
    context_.lose(LossCode::pointer_scope, name);
  }
  spec.dtype = element;
  spec.shape = std::move(shape);
  const NodeId node = make_.buffer(spec);
  context_.default_aligned.push_back(node);
  context_.lose(LossCode::buffer_fields, name);
  context_.names.define(name, node);
  return node;
}

NodeId ExprReader::declare(SyntaxId root) {
  const SyntaxId first = tree()[root].first;
  if (first < root && tree()[first + 1].kind == SyntaxKind::annotation) {
    for (SyntaxId id = first + 2; id <= root; ++id) {
      if (tree()[id].kind == SyntaxKind::call && tree()[id].first == first) return value(id).node;
    }
    return NodeId::none;
  }
  const bool is_assignment =
      tree()[root].kind == SyntaxKind::binary && tree()[root].sign == Sign::assign;
  if (!is_assignment) return NodeId::none;
  const SyntaxId call = tree().last_child(root);
  const SyntaxId name = tree().previous_sibling(call);
  if (tree()[name].kind != SyntaxKind::name || tree()[call].kind != SyntaxKind::call) {
    return NodeId::none;
  }
  const NodeId known = context_.names.find(text_of(name));
  return known != NodeId::none ? known : declare_by_statement(name, call);
}

NodeId ExprReader::declare_by_statement(SyntaxId name, SyntaxId call) {
  const std::string_view function = head_of(call);
  const std::vector<SyntaxId> parts = children(call);
  Builder& builder = context_.builder;
  if (function == "alloc_buffer" && parts.size() == 2) {
    const std::vector<Value> type = subscript_parts(parts[1]);
    if (tree()[parts[1]].kind != SyntaxKind::subscript) {
      fail(parts[1], "expected a dtype and a shape of the form float32[16, 16]");
    }
    std::vector<NodeId> shape;
    for (std::size_t i = 1; i < type.size(); ++i) shape.push_back(expr(type[i]));
    return declare_buffer(text_of(name), NodeId::none, dtype(type[0]), std::move(shape));
  }
  if (function == "decl_buffer" && parts.size() == 4) {
    context_.versions.observe(TvmFeature::decl_buffer);
    const NodeId data = var(value(parts[1]));
    const DType element = dtype(value(parts[2]));
    return declare_buffer(text_of(name), data, element, exprs(value(parts[3])));
  }
  if (function == "match_buffer" && parts.size() == 2) {
    const Node source = builder.node(region(parts[1]));
    std::vector<NodeId> shape;
    for (const Node bound : source.list(f::BufferRegion::region)) {
      shape.push_back(bound[f::Range::extent].id());
    }
    const DType element = source[f::BufferRegion::buffer].dtype(f::Buffer::dtype);
    return declare_buffer(text_of(name), NodeId::none, element, std::move(shape));
  }
  return NodeId::none;
}

}  // namespace mlf::tir::legacy
