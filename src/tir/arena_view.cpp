#include "tir/arena_view.h"

#include "tir/node_queries.h"

namespace mlf::tir {

PartTable::PartTable() {
  for (const KindInfo& kind : all_kinds()) {
    const std::size_t begin = fields_.size();
    for (const FieldInfo& field : kind.fields) {
      if (holds_nodes(field.type)) fields_.push_back({field.offset, field.type});
    }
    ranges_.push_back(
        {static_cast<std::uint16_t>(begin), static_cast<std::uint16_t>(fields_.size() - begin)});
  }
}

// Made on first use from the table of kinds.
const PartTable& PartTable::get() {
  static const PartTable table;
  return table;
}

}  // namespace mlf::tir
