#include "support/ir_editor.h"

#include <vector>

#include "mlf/tir/builder.h"

namespace mlf::test {
namespace {

using tir::Builder;
using tir::FieldValue;
using tir::Module;
using tir::Node;
using tir::NodeId;

NodeId same(Node node) {
  return node.id();
}

std::vector<FieldValue> copied_fields(Builder& builder, Node node) {
  std::vector<FieldValue> fields;
  for (std::uint8_t i = 0; i < node.info().fields.size(); ++i) {
    fields.push_back(copied_field(builder, node, i));
  }
  return fields;
}

}  // namespace

FieldValue copied_field(Builder& builder, Node node, std::uint8_t field) {
  return tir::copied_field(builder, node, field, same);
}

Builder copied(const Module& original) {
  Builder builder;
  for (std::uint32_t i = 1; i < original.size(); ++i) {
    const Node node = original.node(static_cast<NodeId>(i));
    builder.make(node.kind(), copied_fields(builder, node));
    if (const Node span = original.span(node.id())) builder.set_span(node.id(), span.id());
  }
  return builder;
}

NodeId add_twin(Builder& builder, const Module& original, NodeId id) {
  const Node node = original.node(id);
  return builder.make(node.kind(), copied_fields(builder, node));
}

void redirect(Builder& builder, const Module& original, NodeId from, NodeId to) {
  const auto redirected = [&](Node node) { return node.id() == from ? to : node.id(); };
  for (std::uint32_t i = 1; i < original.size(); ++i) {
    const Node node = original.node(static_cast<NodeId>(i));
    for (std::uint8_t field = 0; field < node.info().fields.size(); ++field) {
      builder.set(node.id(), field, tir::copied_field(builder, node, field, redirected));
    }
  }
}

}  // namespace mlf::test
