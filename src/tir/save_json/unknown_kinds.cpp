#include "tir/save_json/unknown_kinds.h"

namespace mlf::tir::save_json {

// Most documents know all their types and pay for one scan. The others: mark what is referred to
// for certain, gather what the attributes of unknown classes look like, then decide by class and
// name.
UnknownKinds::UnknownKinds(const JsonGraph& graph) : graph_(graph) {
  bool any = false;
  for (std::uint32_t i = 1; i < graph.size() && !any; ++i) any = !graph.node(i).kind;
  if (!any) return;
  opaque_kinds_.assign(graph.size(), Kind::Opaque);
  certain_.assign(graph.size(), false);
  lists_of_exprs_.assign(graph.size(), false);
  lists_of_stmts_.assign(graph.size(), false);
  // Null and root need no reference.
  certain_[0] = true;
  certain_[graph.root()] = true;
  for (std::uint32_t i = 1; i < graph.size(); ++i) {
    for (const json::Value element : graph.data(i)) certain_[graph.element(element)] = true;
    graph.node(i).kind ? scan_known(i) : scan_unknown(i);
  }
  for (std::uint32_t i = 1; i < graph.size(); ++i) {
    if (!graph.node(i).kind) gather(i);
  }
  decide();
}

// In known classes the table says which attributes are references.
void UnknownKinds::scan_known(std::uint32_t node) {
  const Kind kind = *graph_.node(node).kind;
  for (const json::Member attribute : graph_.attrs(node)) {
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

// A name that is a reference in every known class, such as "span" or "body", is taken for one here.
void UnknownKinds::scan_unknown(std::uint32_t node) {
  for (const json::Member attribute : graph_.attrs(node)) {
    const std::string_view name = attribute.key.text();
    const NameUse use = use_of_name(name);
    if (!use.reference || use.plain) continue;
    const auto target = graph_.reference(attribute.value);
    if (target && fits_name(name, *target)) certain_[*target] = true;
  }
}

bool UnknownKinds::fits_name(std::string_view name, std::uint32_t target) const {
  const auto kind = graph_.node(target).kind;
  return target == 0 || !kind || may_refer_to(name, *kind);
}

void UnknownKinds::gather(std::uint32_t node) {
  for (const json::Member attribute : graph_.attrs(node)) {
    const std::string_view name = attribute.key.text();
    Evidence& evidence = evidence_[{graph_.type_key(node), name}];
    const auto target = graph_.reference(attribute.value);
    if (!target) {
      evidence.has_number = true;
      // Nodes are in pre-order, and TVM's indexer writes only what something refers to: a node
      // below this one that nobody else claims is this one's.
    } else if (*target > node && !certain_[*target]) {
      evidence.has_first = true;
    } else if (!fits_name(name, *target)) {
      evidence.has_misfit = true;
    }
  }
}

// By type key and name, never by a single value: "57" alone could be either.
void UnknownKinds::decide() {
  for (auto& [place, evidence] : evidence_) {
    const NameUse use = use_of_name(place.second);
    if (evidence.has_number || (use.plain && !use.reference)) continue;
    const bool has_name_of_references = use.reference && !use.plain;
    evidence.is_reference = evidence.has_first || (has_name_of_references && !evidence.has_misfit);
  }
}

void UnknownKinds::note_field(const FieldInfo& field, std::uint32_t target) {
  if (!is_reference(field)) return;
  certain_[target] = true;
  if (field.expects != Expects::expr && field.expects != Expects::stmt) return;
  // Elsewhere it is a list: its elements are the expressions or statements.
  if (field.type == FieldType::node) return note_kind(target, field.expects);
  std::vector<bool>& looked = field.expects == Expects::expr ? lists_of_exprs_ : lists_of_stmts_;
  if (looked[target]) return;
  looked[target] = true;
  for (const json::Value element : graph_.data(target)) {
    note_kind(graph_.element(element), field.expects);
  }
}

void UnknownKinds::note_kind(std::uint32_t node, Expects expects) {
  opaque_kinds_[node] = expects == Expects::expr ? Kind::OpaqueExpr : Kind::OpaqueStmt;
}

std::uint32_t UnknownKinds::reference(std::uint32_t node, json::Member attribute) const {
  const auto found = evidence_.find({graph_.type_key(node), attribute.key.text()});
  if (found == evidence_.end() || !found->second.is_reference) return 0;
  return graph_.reference(attribute.value).value_or(0);
}

}  // namespace mlf::tir::save_json
