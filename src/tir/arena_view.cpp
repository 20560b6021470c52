#include "tir/arena_view.h"

namespace mlf::tir {

PartTable::PartTable() {
  for (const KindInfo& kind : all_kinds()) {
    const std::size_t begin = fields_.size();
    for (const FieldInfo& field : kind.fields) {
      switch (field.type) {
        case FieldType::node:
        case FieldType::list:
        case FieldType::string_map:
        case FieldType::node_map:
          fields_.push_back({field.offset, field.type});
          break;
        default:
          break;
      }
    }
    ranges_.push_back(
        {static_cast<std::uint16_t>(begin), static_cast<std::uint16_t>(fields_.size() - begin)});
  }
}

// Made on first use, of the table of kinds.
const PartTable& PartTable::get() {
  static const PartTable table;
  return table;
}

}  // namespace mlf::tir
