#include "tir/save_json/unknown_kinds.h"

namespace mlf::tir::save_json {

using support::JsonMember;
using support::JsonValue;

UnknownKinds::UnknownKinds(const JsonGraph& graph) : graph_(graph) {
  bool any = false;
  for (std::uint32_t i = 1; i < graph.size() && !any; ++i) any = !graph.node(i).kind;
  if (!any) return;
  opaque_kinds_.assign(graph.size(), Kind::Opaque);
  certain_.assign(graph.size(), false);
  lists_of_exprs_.assign(graph.size(), false);
  lists_of_stmts_.assign(graph.size(), false);
  certain_[0] = true;
  certain_[graph.root()] = true;
  for (std::uint32_t i = 1; i < graph.size(); ++i) {
    for (const JsonValue element : graph.data(i)) certain_[graph.element(element)] = true;
    graph.node(i).kind ? scan_known(i) : scan_unknown(i);
  }
}

void UnknownKinds::scan_known(std::uint32_t node) {
  const Kind kind = *graph_.node(node).kind;
  for (const JsonMember attribute : graph_.attrs(node)) {
    const std::string_view name = attribute.key.text();
    const auto target = graph_.reference(attribute.value);
    if (!target) continue;
    if (const auto field = field_named(kind, name)) {
      note_field(info(kind).fields[*field], *target);
    } else if (name == kSpan || is_derived(kind, name)) {
      certain_[*target] = true;
    }
  }
}

void UnknownKinds::scan_unknown(std::uint32_t node) {
  for (const JsonMember attribute : graph_.attrs(node)) {
    const NameUse use = use_of_name(attribute.key.text());
    if (!use.reference || use.plain) continue;
    if (const auto target = graph_.reference(attribute.value)) certain_[*target] = true;
  }
}

void UnknownKinds::note_field(const FieldInfo& field, std::uint32_t target) {
  if (!is_reference(field)) return;
  certain_[target] = true;
  if (field.expects != Expects::expr && field.expects != Expects::stmt) return;
  if (field.type == FieldType::node) return note_kind(target, field.expects);
  std::vector<bool>& looked = field.expects == Expects::expr ? lists_of_exprs_ : lists_of_stmts_;
  if (looked[target]) return;
  looked[target] = true;
  for (const JsonValue element : graph_.data(target)) {
    note_kind(graph_.element(element), field.expects);
  }
}

void UnknownKinds::note_kind(std::uint32_t node, Expects expects) {
  opaque_kinds_[node] = expects == Expects::expr ? Kind::OpaqueExpr : Kind::OpaqueStmt;
}

std::uint32_t UnknownKinds::reference(JsonMember attribute) const {
  const auto target = graph_.reference(attribute.value);
  if (!target) return 0;
  const NameUse use = use_of_name(attribute.key.text());
  if (use.plain && !use.reference) return 0;
  if (use.reference && !use.plain) return *target;
  return certain_[*target] ? 0 : *target;
}

}  // namespace mlf::tir::save_json
