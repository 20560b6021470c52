// Unchecked access to a frozen module's arenas, by the table: for code that visits every node of a
// module and knows the type of each field from nodes.def.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "mlf/tir/module.h"
#include "tir/node_queries.h"
#include "tir/storage.h"

namespace mlf::tir {

/// A field through which a node refers to others.
struct PartField {
  std::uint8_t offset;  ///< FieldInfo::offset
  FieldType type;       ///< node, list, string_map or node_map
};

/// By kind: its fields that refer to nodes, in the order of its row.
class PartTable {
 public:
  /// Made on first use from the table of kinds.
  static const PartTable& get() {
    static const PartTable table;
    return table;
  }
  std::span<const PartField> operator[](Kind kind) const {
    const Range range = ranges_[static_cast<std::size_t>(kind)];
    return {fields_.data() + range.begin, range.count};
  }

 private:
  struct Range {
    std::uint16_t begin;
    std::uint16_t count;
  };
  PartTable() {
    for (const KindInfo& kind : all_kinds()) {
      const std::size_t begin = fields_.size();
      for (const FieldInfo& field : kind.fields) {
        if (holds_nodes(field.type)) fields_.push_back({field.offset, field.type});
      }
      ranges_.push_back(
          {static_cast<std::uint16_t>(begin), static_cast<std::uint16_t>(fields_.size() - begin)});
    }
  }

  std::vector<PartField> fields_;
  std::vector<Range> ranges_;
};

/// Views are valid as long as the module. Ids must be those of its nodes.
class ArenaView {
 public:
  explicit ArenaView(const Module& module)
      : module_(&module), storage_(module.storage_.get()), parts_(&PartTable::get()) {}

  const Module& module() const { return *module_; }
  Kind kind(NodeId id) const { return storage_->kinds[index(id)]; }
  Category category(NodeId id) const { return info(kind(id)).category; }
  /// The word of a field, by its offset.
  const std::uint32_t* words(NodeId id, std::uint8_t offset = 0) const {
    return storage_->words_of(id, offset);
  }
  /// Elements of a list or map field, by its word.
  std::span<const std::uint32_t> list(std::uint32_t word) const { return storage_->list(word); }
  std::string_view text(std::uint32_t word) const {
    return storage_->strings.get(static_cast<StringId>(word));
  }
  NodeId span(NodeId id) const {
    return storage_->spans.empty() ? NodeId::none : module_->span(id).id();
  }
  bool has_parts(NodeId id) const {
    return !(*parts_)[kind(id)].empty() || span(id) != NodeId::none;
  }

  /// Calls `visit(NodeId)` for everything that a node refers to: in the order of its row, keys of a
  /// node_map before their values, its span last.
  template <class Visit>
  void for_each_part(NodeId id, Visit&& visit) const {
    const std::uint32_t* const fields = words(id);
    const auto emit = [&](std::uint32_t part) {
      if (part != 0) visit(static_cast<NodeId>(part));
    };
    for (const PartField& part : (*parts_)[kind(id)]) {
      const std::uint32_t word = fields[part.offset];
      if (part.type == FieldType::node) {
        emit(word);
        continue;
      }
      const std::span<const std::uint32_t> elements = list(word);
      const bool has_names = part.type == FieldType::string_map;
      for (std::size_t i = has_names ? 1 : 0; i < elements.size(); i += has_names ? 2 : 1) {
        emit(elements[i]);
      }
    }
    if (const NodeId last = span(id); last != NodeId::none) visit(last);
  }

 private:
  const Module* module_;
  const Module::Storage* storage_;
  const PartTable* parts_;
};

/// Walks the nodes below `root` with an explicit stack. `enter(id)` returns whether to walk below a
/// node; `skip(id)` returns whether to ignore a part; `leave(id)` is called after all nodes below a
/// node.
template <class Enter, class Skip, class Leave>
void walk_parts(const ArenaView& arena, NodeId root, Enter&& enter, Skip&& skip, Leave&& leave) {
  struct Visit {
    NodeId node;
    bool leaving;
  };
  std::vector<Visit> stack{{root, false}};
  while (!stack.empty()) {
    const Visit step = stack.back();
    stack.pop_back();
    if (step.leaving) {
      leave(step.node);
      continue;
    }
    if (!enter(step.node)) continue;
    if (!arena.has_parts(step.node)) {
      leave(step.node);
      continue;
    }
    stack.push_back({step.node, true});
    const std::size_t bottom = stack.size();
    arena.for_each_part(step.node, [&](NodeId part) {
      if (!skip(part)) stack.push_back({part, false});
    });
    // Reversed, because the stack returns the last part first.
    std::reverse(stack.begin() + static_cast<std::ptrdiff_t>(bottom), stack.end());
  }
}

}  // namespace mlf::tir
