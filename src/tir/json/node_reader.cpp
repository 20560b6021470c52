#include "tir/json/node_reader.h"

#include <fmt/core.h>

#include "tir/json/format.h"
#include "tir/json/place.h"
#include "tir/json/scalars.h"
#include "tir/json/text.h"
#include "tir/slots.h"

namespace mlf::tir::json {

using support::JsonMember;
using support::JsonType;
using support::JsonValue;

NodeId make_empty_function(Builder& builder) {
  const ListId nothing = builder.list({});
  return builder.make(Kind::PrimFunc,
                      {nothing, NodeId::none, nothing, ListId::none, NodeId::none, NodeId::none});
}

NodeId NodeReader::read(JsonValue value, Expects slot, ScopeId scope) {
  return run({.step = Step::visit, .json = value, .scope = scope, .slot = slot});
}

ListId NodeReader::read_string_map(JsonValue value, Expects slot, ScopeId scope) {
  std::vector<NamedNode> entries;
  for (const JsonMember member : value.members()) {
    const StringId name = read_string(builder_, member.key);
    entries.push_back({name, read(member.value, slot, scope)});
  }
  return builder_.map(entries);
}

NodeId NodeReader::read_object(JsonValue entry) {
  const JsonValue name = member(entry, "node");
  const auto kind = kind_named(expect_text(name));
  const Category category = kind ? info(*kind).category : Category::expr;
  if (category != Category::object && category != Category::module && category != Category::type &&
      category != Category::value) {
    fail(name, fmt::format("\"{}\" is no kind of object", name.text()));
  }
  return run(
      {.step = Step::node, .json = entry, .scope = 0, .kind = *kind, .standing = Standing::object});
}

NodeId NodeReader::read_entry(TableId table, std::uint32_t place, ScopeId scope) {
  return run({.step = Step::entry,
              .json = tables_.table(table, scope)[place].json,
              .scope = scope,
              .table = table,
              .count = place});
}

NodeId NodeReader::run(const Task& first) {
  tasks_.push_back(first);
  while (!tasks_.empty()) {
    const Task task = tasks_.back();
    tasks_.pop_back();
    step(task);
    if (builder_.size() > limits_.max_nodes) {
      fail(task.json, fmt::format("more than {} nodes", limits_.max_nodes));
    }
  }
  const NodeId result = results_.back();
  results_.pop_back();
  return result;
}

void NodeReader::step(const Task& task) {
  switch (task.step) {
    case Step::visit:
      return visit(task);
    case Step::entry:
      return visit_entry(task);
    case Step::node:
      return begin(task);
    case Step::governing:
      return expand_parts(task);
    case Step::make:
      return make(task);
    case Step::sequence:
      return make_sequence(task);
    case Step::keep:
      entry_of(task).made = results_.back();
      return results_.pop_back();
  }
}

void NodeReader::give(NodeId id, const Task& task) {
  const Kind kind = builder_.node(id).kind();
  if (!fits(kind, task.slot)) fail(task.json, fmt::format("{} cannot stand here", info(kind).name));
  results_.push_back(id);
}

void NodeReader::visit(const Task& task) {
  switch (task.json.type()) {
    case JsonType::null:
      return results_.push_back(NodeId::none);
    case JsonType::string:
      return visit_text(task);
    case JsonType::number:
      return visit_number(task);
    case JsonType::array:
      return visit_array(task);
    case JsonType::object:
      return visit_object(task);
    default:
      fail(task.json, "a boolean cannot stand here");
  }
}

void NodeReader::visit_text(const Task& task) {
  if (task.slot == Expects::callee) return give(op(task.json.text()), task);
  if (!may_be_null(task.slot)) fail(task.json, "a string cannot stand here");
  results_.push_back(builder_.make(Kind::String, {read_string(builder_, task.json)}));
}

void NodeReader::visit_number(const Task& task) {
  switch (task.slot) {
    case Expects::var:
      return refer(task, TableId::vars, task.json);
    case Expects::buffer:
      return refer(task, TableId::buffers, task.json);
    case Expects::constant:
    case Expects::tensor:
      return give(constant(task.json), task);
    default:
      fail(task.json, "a number cannot stand here");
  }
}

void NodeReader::visit_array(const Task& task) {
  if (task.slot == Expects::stmt) return visit_statements(task);
  if (!may_be_null(task.slot)) fail(task.json, "an array cannot stand here");
  bases_.push_back(results_.size());
  for (const JsonValue element : task.json.elements()) add_part(task, element, Expects::any);
  expanded_.push_back({.step = Step::make,
                       .json = task.json,
                       .scope = task.scope,
                       .slot = task.slot,
                       .kind = Kind::Array});
  push_expanded();
}

void NodeReader::visit_object(const Task& task) {
  if (const auto name = task.json.find("node")) return visit_node(task, *name);
  visit_reference(task);
}

void NodeReader::visit_node(const Task& task, JsonValue name) {
  const std::string_view text = expect_text(name);
  if (text == "Var" || text == "ExprRef") {
    const std::string_view key = text == "Var" ? "var" : "expr";
    check_keys(task.json, {"node", "dtype", key});
    return refer(task, text == "Var" ? TableId::vars : TableId::exprs, member(task.json, key));
  }
  const auto kind = kind_named(text);
  if (!kind) fail(name, fmt::format("there is no kind of node called \"{}\"", text));
  switch (info(*kind).category) {
    case Category::expr:
    case Category::part:
    case Category::type:
    case Category::value:
      break;
    default:
      fail(name, fmt::format("{} cannot stand here", text));
  }
  const bool short_form = *kind == Kind::SizeVar || *kind == Kind::String || *kind == Kind::Array;
  if (short_form || !fits(*kind, task.slot)) {
    fail(name, fmt::format("{} cannot stand here", text));
  }
  Task node = task;
  node.kind = *kind;
  begin(node);
}

void NodeReader::visit_reference(const Task& task) {
  if (task.json.size() != 1) fail(task.json, "expected \"node\", or the one key of a reference");
  const JsonMember reference = *task.json.members().begin();
  const std::string_view key = reference.key.text();
  if (key == "object") return give(object(reference.value, task.json), task);
  if (key == "global_var" || key == "op") {
    if (key == "op") return give(op(expect_text(reference.value)), task);
    const auto found = tables_.global_vars.find(expect_text(reference.value));
    if (found == tables_.global_vars.end()) fail(reference.value, "there is no such function");
    return give(found->second, task);
  }
  if (key == "function") return give(function(reference.value), task);
  if (key == "buffer") return refer(task, TableId::buffers, reference.value);
  if (key == "constant") return give(constant(reference.value), task);
  if (key != "statements") fail(reference.key, fmt::format("unknown key \"{}\"", key));
  expect_array(reference.value);
  Task list = task;
  list.json = reference.value;
  visit_statements(list);
}

void NodeReader::refer(const Task& task, TableId table, JsonValue id) {
  Task entry = task;
  entry.step = Step::entry;
  entry.table = table;
  entry.count = expect_index(id);
  if (entry.count >= tables_.table(table, task.scope).size()) {
    fail(id, "there is no such entry in a table before this place");
  }
  check_backward(entry);
  visit_entry(entry);
}

void NodeReader::visit_entry(const Task& task) {
  TableEntry& entry = entry_of(task);
  if (entry.made != NodeId::none) {
    if (task.json.is_object()) check_dtype(task.json, entry.made);
    return give(entry.made, task);
  }
  if (entry.open) fail(task.json, "this entry of a table refers to itself");
  entry.open = true;
  const Kind kind = task.table == TableId::buffers ? Kind::Buffer
                                                   : *kind_named(member(entry.json, "node").text());
  tasks_.push_back(task);
  tasks_.push_back({.step = Step::keep,
                    .json = task.json,
                    .scope = task.scope,
                    .table = task.table,
                    .count = task.count});
  tasks_.push_back(
      {.step = Step::node,
       .json = entry.json,
       .scope = entry.scope,
       .kind = kind,
       .standing = task.table == TableId::exprs ? Standing::expression : Standing::table});
}

TableEntry& NodeReader::entry_of(const Task& task) {
  return tables_.table(task.table, task.scope)[task.count];
}

// Inside a table of expressions a reference leads to an entry before its own.
void NodeReader::check_backward(const Task& reference) const {
  if (reference.table != TableId::exprs) return;
  const auto& exprs = tables_.exprs[reference.scope];
  const std::uint32_t place = reference.json.index();
  const bool inside =
      place >= exprs.front().json.index() && place < tables_.exprs_end[reference.scope];
  const bool later =
      reference.count + 1 == exprs.size() || place < exprs[reference.count + 1].json.index();
  if (inside && later) {
    fail(reference.json, "an entry of exprs refers only to those before it");
  }
}

void NodeReader::check_dtype(JsonValue reference, NodeId node) const {
  const auto dtype = reference.find("dtype");
  if (!dtype || builder_.node(node).category() != Category::expr) return;
  if (read_dtype(*dtype) == builder_.node(node).dtype()) return;
  fail(*dtype, fmt::format("the dtype of what this refers to is \"{}\"",
                           to_string(builder_.node(node).dtype())));
}

NodeId NodeReader::op(std::string_view name) {
  NodeId& id = tables_.ops[name];
  if (id == NodeId::none) id = builder_.make(Kind::Op, {builder_.string(to_bytes(name))});
  return id;
}

NodeId NodeReader::function(JsonValue name) {
  const auto found = tables_.functions.find(expect_text(name));
  if (found == tables_.functions.end()) fail(name, "there is no such function");
  if (found->second == NodeId::none) found->second = make_empty_function(builder_);
  return found->second;
}

NodeId NodeReader::object(JsonValue id, JsonValue reference) {
  const std::uint32_t place = expect_index(id);
  if (place >= tables_.objects.size()) {
    fail(reference, "there is no such entry of objects before this place");
  }
  return tables_.objects[place];
}

NodeId NodeReader::constant(JsonValue id) {
  const std::uint32_t place = expect_index(id);
  if (place >= tables_.constants.size()) fail(id, "there is no such constant");
  return tables_.constants[place];
}

}  // namespace mlf::tir::json
