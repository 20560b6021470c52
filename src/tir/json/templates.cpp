#include "tir/json/templates.h"

#include <algorithm>

namespace mlf::tir::tir_json {
namespace {

bool holds_nodes(FieldType type) {
  return type == FieldType::node || type == FieldType::list || type == FieldType::string_map ||
         type == FieldType::node_map;
}

KindTemplate make_template(const KindInfo& kind) {
  const auto scoped = scoped_field(kind.kind);
  KindTemplate made{.opening = json::Piece::object("node", kind.name),
                    .fields = {},
                    .integer_form = integer_form(kind.kind),
                    .has_scope = scoped.has_value(),
                    .is_leaf = std::ranges::none_of(kind.fields, holds_nodes, &FieldInfo::type)};
  for (std::uint8_t i = 0; i < kind.fields.size(); ++i) {
    if (i == scoped) continue;
    const FieldInfo& field = kind.fields[i];
    const std::string_view name = key_of(kind.kind, field);
    made.fields.push_back({.key = json::Piece::key(name),
                           .name = name,
                           .type = field.type,
                           .expects = field.expects,
                           .nullable = field.nullable,
                           .may_be_absent = may_be_absent(kind.kind, field),
                           .offset = field.offset,
                           .position = i});
  }
  return made;
}

std::vector<KindTemplate> make_templates() {
  std::vector<KindTemplate> all;
  for (const KindInfo& kind : all_kinds()) all.push_back(make_template(kind));
  return all;
}

}  // namespace

// Made on first use, of the table of kinds.
std::span<const KindTemplate> all_templates() {
  static const std::vector<KindTemplate> templates = make_templates();
  return templates;
}

}  // namespace mlf::tir::tir_json
