// The names and the buffers of a function.
#include "tir/repr/context.h"

namespace mlf::tir::repr {

/// Remembers what the name was before, for when the scope ends.
void NameTable::define(std::string_view name, NodeId node) {
  NodeId& known = nodes_[name];
  defined_.emplace_back(name, known);
  known = node;
}

void NameTable::release(std::size_t mark) {
  while (defined_.size() > mark) {
    nodes_[defined_.back().first] = defined_.back().second;
    defined_.pop_back();
  }
}

void NameTable::clear() {
  nodes_.clear();
  defined_.clear();
}

/// The last one of that name that can have so many dimensions: names are hints, and not unique.
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

/// The first mention of an address means the buffer that was declared last.
NodeId BufferTable::at_address(std::string_view name, std::string_view address) {
  const auto known = by_address_.find(address);
  if (known != by_address_.end()) return known->second;
  const std::vector<std::size_t>& same = by_name_[name];
  const NodeId node = same.empty() ? add(name, DType::Float(32), {}) : drafts_[same.back()].node;
  by_address_.emplace(address, node);
  return node;
}

/// How many dimensions it has shows where it is used.
NodeId BufferTable::declare(std::string_view name) {
  return add(name, DType::Float(32), {});
}

NodeId BufferTable::allocate(std::string_view name, DType dtype, const std::vector<NodeId>& shape) {
  const NodeId node = add(name, dtype, shape);
  drafts_.back().dimensions = shape.size();
  drafts_.back().is_of_block = true;
  return node;
}

/// float32 where nothing is printed: dtypes are inferred once the function is read.
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

/// int32 until its dtype is inferred.
NodeId Context::var(std::string_view printed) {
  const auto size = size_var_name(printed);
  return make.var(size.value_or(printed), make.prim_type(DType::Int(32)),
                  size ? Kind::SizeVar : Kind::Var);
}

NodeId Context::pointer(std::string_view name, DType element, std::string_view scope) {
  return make.var(name, make.pointer_type(make.prim_type(element), scope));
}

}  // namespace mlf::tir::repr
