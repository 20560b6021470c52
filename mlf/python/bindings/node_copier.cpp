#include "documents.h"
#include "mlf/tir/builder.h"
#include "mlf/tir/visit.h"

namespace mlf::python {

using tir::FieldValue;
using tir::Node;
using tir::NodeId;

NodeId NodeCopier::copy(NodeId id) {
  if (id == NodeId::none) return id;
  // Skips copied nodes: a module is a DAG, and as a tree it may be large.
  tir::walk_once(
      from_->node(id), [&](Node node) { return copied(node.id()) == NodeId::none; },
      [&](Node node, auto&& push) {
        const auto push_new = [&](Node part) {
          if (part && copied(part.id()) == NodeId::none) push(part);
        };
        tir::for_each_child(node, [&](Node child, const tir::FieldInfo&) { push_new(child); });
        push_new(from_->span(node.id()));
      },
      [&](Node node) { copy_one(node); });
  return copied(id);
}

void NodeCopier::copy_one(Node node) {
  std::vector<FieldValue> fields;
  const auto copy_of = [&](Node part) { return reference(part); };
  for (std::uint8_t i = 0; i < node.info().fields.size(); ++i) {
    fields.push_back(tir::copied_field(*to_, node, i, copy_of));
  }
  const NodeId made = to_->make(node.kind(), fields);
  copies_[index(node.id())] = made;
  if (const Node span = from_->span(node.id())) to_->set_span(made, reference(span));
  if (const auto range = from_->source_range(node.id())) to_->set_source_range(made, *range);
}

}  // namespace mlf::python
