#include "tir/tvmscript/write/ready_buffers.h"

#include <unordered_set>

#include "mlf/tir/visit.h"
#include "tir/node_queries.h"
#include "tir/tvmscript/write/statements.h"

namespace mlf::tir::tvmscript {
namespace {

/// Each once. A set of the module's size would make each buffer as expensive as the module.
std::vector<NodeId> variables_of(Node buffer, const Definitions& definitions) {
  const NodeId data = buffer[f::Buffer::data].id();
  const bool defines_data = definitions.owns_data(buffer);
  std::vector<NodeId> vars;
  std::unordered_set<NodeId> seen;
  walk_once(
      buffer,
      [&](Node node) {
        if (!seen.insert(node.id()).second) return false;
        if (is_var(node) && !(defines_data && node.id() == data)) vars.push_back(node.id());
        return true;
      },
      [](Node node, auto&& push) {
        for_each_child(node, [&](Node child, const FieldInfo&) { push(child); });
      },
      [](Node) {});
  return vars;
}

}  // namespace

ReadyBuffers::ReadyBuffers(const Definitions& definitions, ScopedNames& names)
    : definitions_(definitions), names_(names) {
  for (const Node buffer : definitions.free_buffers) {
    const std::size_t position = buffers_.size();
    buffers_.push_back({.vars = variables_of(buffer, definitions)});
    positions_.emplace(buffer.id(), position);
    candidates_.insert(candidates_.end(), position);
  }
}

Node ReadyBuffers::first() {
  next_ = 0;
  return next();
}

Node ReadyBuffers::next() {
  note_changes();
  for (auto found = candidates_.lower_bound(next_); found != candidates_.end();
       found = candidates_.lower_bound(next_)) {
    const std::size_t position = *found;
    candidates_.erase(found);
    next_ = position + 1;
    const Node buffer = definitions_.free_buffers[position];
    if (names_.find(buffer.id()).empty() && !waits(position)) return buffer;
  }
  return {};
}

void ReadyBuffers::note_changes() {
  for (const NodeId id : names_.take_changed()) {
    // Where a scope ends, a buffer loses its name.
    if (const auto buffer = positions_.find(id); buffer != positions_.end()) {
      candidates_.insert(buffer->second);
    }
    if (const auto waiting = waiting_.find(id); waiting != waiting_.end()) {
      candidates_.insert(waiting->second.begin(), waiting->second.end());
      waiting_.erase(waiting);
    }
  }
}

bool ReadyBuffers::waits(std::size_t position) {
  Buffer& buffer = buffers_[position];
  // Begins at the variable that it waited for: those before it mostly have names.
  for (std::size_t i = 0; i < buffer.vars.size(); ++i) {
    const NodeId var = buffer.vars[buffer.missing];
    if (names_.find(var).empty()) {
      waiting_[var].push_back(position);
      return true;
    }
    buffer.missing = (buffer.missing + 1) % buffer.vars.size();
  }
  return false;
}

}  // namespace mlf::tir::tvmscript
