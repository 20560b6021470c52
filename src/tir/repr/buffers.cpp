#include "tir/repr/buffers.h"

namespace mlf::tir::repr {

NodeId BufferTable::accessed(std::string_view name, std::size_t dimensions) {
  const std::vector<std::size_t>& known = by_name_[name];
  for (std::size_t i = known.size(); i-- > 0;) {
    BufferDraft& draft = drafts_[known[i]];
    if (!draft.dimensions) draft.dimensions = dimensions;
    if (*draft.dimensions == dimensions) return draft.node;
  }
  const NodeId node = add(name, DType::Float(32), {});
  drafts_.back().dimensions = dimensions;
  return node;
}

NodeId BufferTable::at_address(std::string_view name, std::string_view address) {
  const auto known = by_address_.find(address);
  if (known != by_address_.end()) return known->second;
  const std::vector<std::size_t>& same = by_name_[name];
  const NodeId node = same.empty() ? add(name, DType::Float(32), {}) : drafts_[same.back()].node;
  by_address_.emplace(address, node);
  return node;
}

NodeId BufferTable::declare(std::string_view name) {
  return add(name, DType::Float(32), {});
}

NodeId BufferTable::allocate(std::string_view name, DType dtype, const std::vector<NodeId>& shape) {
  const NodeId node = add(name, dtype, shape);
  drafts_.back().dimensions = shape.size();
  drafts_.back().is_of_block = true;
  return node;
}

NodeId BufferTable::add(std::string_view name, DType dtype, const std::vector<NodeId>& shape) {
  const NodeId node =
      make_.buffer({.name = name, .data = data_of(name, dtype), .dtype = dtype, .shape = shape});
  by_name_[name].push_back(drafts_.size());
  drafts_.push_back({node, std::nullopt});
  return node;
}

/// The pointer of that name, which an allocation, a let or the function's parameters define; a
/// pointer of its own where there is none.
NodeId BufferTable::data_of(std::string_view name, DType dtype) {
  if (const NodeId known = names_.find(name); known != NodeId::none) return known;
  return make_.var(name, make_.pointer_type(make_.prim_type(dtype), "global"));
}

void BufferTable::clear() {
  drafts_.clear();
  by_name_.clear();
  by_address_.clear();
}

}  // namespace mlf::tir::repr
