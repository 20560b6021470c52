// Nodes from their objects: parts first, then the whole.
#include <fmt/core.h>

#include "tir/json/format.h"
#include "tir/json/members.h"
#include "tir/json/node_reader.h"

namespace mlf::tir::tir_json {

// The node itself waits below its parts on the stack; most nodes have none.
void NodeReader::begin(const Task& task) {
  const NodeMembers members(task.json, task.kind, task.place);
  expand(task, members);
  if (expanded_.empty()) return make_node(task, members);
  Task whole = task;
  whole.step = Step::make;
  tasks_.push_back(whole);
  push_expanded();
}

void NodeReader::expand_parts(const Task& task) {
  expand(task, NodeMembers(task.json, task.kind, task.place));
  push_expanded();
}

// Only what is a node becomes a task, in the order of the fields; `make` takes the results in the
// same order.
void NodeReader::expand(const Task& task, const NodeMembers& members) {
  bases_.push_back(results_.size());
  const auto fields = info(task.kind).fields;
  // The span, which any node may have and no row of nodes.def names, comes first here and in
  // `make`.
  if (members.span()) add_part(task, *members.span(), Expects::object);
  for (std::uint8_t i = 0; i < fields.size(); ++i) {
    if (const auto value = members.field(i)) expand_field(task, fields[i], *value);
  }
}

void NodeReader::expand_field(const Task& task, const FieldInfo& field, json::Value value) {
  if (value.is_null() && field.nullable) return;
  switch (field.type) {
    case FieldType::node:
      if (value.is_null()) value.fail(fmt::format("{} cannot be null", field.name));
      return add_part(task, value, field.expects);
    case FieldType::list:
      value.expect(json::Type::array);
      for (const json::Value element : value.elements()) add_part(task, element, field.expects);
      return;
    case FieldType::string_map:
    case FieldType::node_map:
      return expand_map(task, field, value);
    default:
      return;  // scalars are read when the node is made
  }
}

// Maps with string keys are JSON objects; all others, whose keys are nodes, are arrays of pairs.
void NodeReader::expand_map(const Task& task, const FieldInfo& field, json::Value value) {
  if (field.type == FieldType::string_map) {
    if (!value.is_object()) value.fail("expected an object");
    for (const json::Member member : value.members()) add_part(task, member.value, field.expects);
    return;
  }
  value.expect(json::Type::array);
  for (const json::Value entry : value.elements()) {
    entry.expect(json::Type::array);
    if (entry.size() != 2) entry.fail("expected a key and a value");
    auto part = entry.elements().begin();
    add_part(task, *part, Expects::any);
    ++part;
    add_part(task, *part, field.expects);
  }
}

void NodeReader::add_part(const Task& task, json::Value value, Expects slot) {
  if (value.is_null() && !may_be_null(slot)) value.fail("null does not belong here");
  expanded_.push_back({.step = Step::visit, .json = value, .scope = task.scope, .slot = slot});
}

void NodeReader::push_expanded() {
  tasks_.insert(tasks_.end(), expanded_.rbegin(), expanded_.rend());
  expanded_.clear();
}

// Reads the members again instead of keeping them from expand_parts: between the two lies the whole
// content of the node, and the stack would hold the members of every node above it.
void NodeReader::make(const Task& task) {
  if (!task.json.is_array()) {
    return make_node(task, NodeMembers(task.json, task.kind, task.place));
  }
  const std::size_t base = bases_.back();
  bases_.pop_back();
  taken_ = base;
  const NodeId array = builder_.make(Kind::Array, {make_list(task.json)});
  results_.resize(base);
  results_.push_back(array);
}

void NodeReader::make_node(const Task& task, const NodeMembers& members) {
  const std::size_t base = bases_.back();
  bases_.pop_back();
  taken_ = base;
  const NodeId span = members.span() ? take() : NodeId::none;
  const auto fields = info(task.kind).fields;
  const auto scoped = scoped_field(task.kind);
  values_.clear();
  for (std::uint8_t i = 0; i < fields.size(); ++i) {
    if (scoped == i) {
      values_.push_back(results_.back());  // what it governs was made last
    } else if (const auto value = members.field(i)) {
      values_.push_back(make_field(task, fields[i], *value));
    } else {
      values_.push_back(undefined_value(fields[i]));
    }
  }
  const NodeId id = builder_.make(task.kind, values_);
  if (span != NodeId::none) builder_.set_span(id, span);
  results_.resize(base);
  results_.push_back(id);
}

// Parts come from the results in the order in which expand_field asked for them; everything else is
// read now.
FieldValue NodeReader::make_field(const Task& task, const FieldInfo& field, json::Value value) {
  if (value.is_null() && field.nullable) return undefined_value(field);
  switch (field.type) {
    case FieldType::node:
      return take();
    case FieldType::list:
      return make_list(value);
    case FieldType::string_map:
    case FieldType::node_map:
      return make_map(field, value);
    default:
      break;
  }
  // nodes.def lists a dtype before the value that is spelled by it.
  const bool first = values_.empty() || values_.front().type() != FieldType::dtype;
  const DType dtype =
      first ? DType::Void() : DType::unpack(static_cast<std::uint32_t>(values_.front().bits()));
  return read_scalar(builder_, value, task.kind, field, dtype);
}

FieldValue NodeReader::make_list(json::Value value) {
  const std::span parts(results_.data() + taken_, value.size());
  taken_ += value.size();
  return builder_.list(parts);
}

FieldValue NodeReader::make_map(const FieldInfo& field, json::Value value) {
  if (field.type == FieldType::string_map) {
    std::vector<NamedNode> entries;
    for (const json::Member member : value.members()) {
      entries.push_back({read_string(builder_, member.key), take()});
    }
    return builder_.map(entries);
  }
  std::vector<NodePair> entries;
  for (std::uint32_t i = 0; i < value.size(); ++i) {
    const NodeId key = take();
    entries.push_back({key, take()});
  }
  return builder_.map(entries);
}

// Either an entry of the list, or what several entries in a place for one statement mean.
void NodeReader::make_sequence(const Task& task) {
  const std::size_t base = results_.size() - task.count;
  const ListId elements = builder_.list(std::span(results_.data() + base, task.count));
  results_.resize(base);
  const NodeId id = builder_.make(Kind::SeqStmt, {elements});
  if (task.kind == Kind::SeqStmt) {  // one that is in the list itself
    taken_ = bases_.back();
    bases_.pop_back();
    if (results_.size() > taken_) builder_.set_span(id, results_.back());
    results_.resize(taken_);
  }
  results_.push_back(id);
}

}  // namespace mlf::tir::tir_json
