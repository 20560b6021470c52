#include "tir/json/node_reader.h"

#include <fmt/core.h>

#include "json/text.h"
#include "tir/json/format.h"
#include "tir/json/scalars.h"
#include "tir/slots.h"

namespace mlf::tir::tir_json {

NodeId make_empty_function(Builder& builder) {
  const ListId nothing = builder.list({});
  return builder.make(Kind::PrimFunc,
                      {nothing, NodeId::none, nothing, ListId::none, NodeId::none, NodeId::none});
}

NodeId NodeReader::read(json::Value value, Expects slot, ScopeId scope) {
  return run({.step = Step::visit, .json = value, .scope = scope, .slot = slot});
}

ListId NodeReader::read_string_map(json::Value value, Expects slot, ScopeId scope) {
  std::vector<NamedNode> entries;
  for (const json::Member member : value.members()) {
    const StringId name = read_string(builder_, member.key);
    entries.push_back({name, read(member.value, slot, scope)});
  }
  return builder_.map(entries);
}

NodeId NodeReader::read_object(json::Value entry) {
  const json::Value name = entry.at("node");
  const auto kind = kind_named(name.as_string());
  const Category category = kind ? info(*kind).category : Category::expr;
  if (category != Category::object && category != Category::module && category != Category::type &&
      category != Category::value) {
    name.fail(fmt::format("\"{}\" is no kind of object", name.text()));
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
      task.json.fail(fmt::format("more than {} nodes", limits_.max_nodes));
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
  if (!fits(kind, task.slot)) task.json.fail(fmt::format("{} cannot stand here", info(kind).name));
  results_.push_back(id);
}

void NodeReader::visit(const Task& task) {
  switch (task.json.type()) {
    case json::Type::null:
      return results_.push_back(NodeId::none);
    case json::Type::string:
      return visit_text(task);
    case json::Type::integer:
    case json::Type::real:
      return visit_number(task);
    case json::Type::array:
      return visit_array(task);
    case json::Type::object:
      return visit_object(task);
    default:
      task.json.fail("a boolean cannot stand here");
  }
}

void NodeReader::visit_text(const Task& task) {
  if (task.slot == Expects::callee) return give(op(task.json.text()), task);
  if (!may_be_null(task.slot)) task.json.fail("a string cannot stand here");
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
      task.json.fail("a number cannot stand here");
  }
}

void NodeReader::visit_array(const Task& task) {
  if (task.slot == Expects::stmt) return visit_statements(task);
  if (!may_be_null(task.slot)) task.json.fail("an array cannot stand here");
  bases_.push_back(results_.size());
  for (const json::Value element : task.json.elements()) add_part(task, element, Expects::any);
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

void NodeReader::visit_node(const Task& task, json::Value name) {
  const std::string_view text = name.as_string();
  if (text == "Var" || text == "ExprRef") {
    const std::string_view key = text == "Var" ? "var" : "expr";
    check_keys(task.json, {"node", "dtype", key});
    return refer(task, text == "Var" ? TableId::vars : TableId::exprs, task.json.at(key));
  }
  const auto kind = kind_named(text);
  if (!kind) name.fail(fmt::format("there is no kind of node called \"{}\"", text));
  switch (info(*kind).category) {
    case Category::expr:
    case Category::part:
    case Category::type:
    case Category::value:
      break;
    default:
      name.fail(fmt::format("{} cannot stand here", text));
  }
  const bool short_form = *kind == Kind::SizeVar || *kind == Kind::String || *kind == Kind::Array;
  if (short_form || !fits(*kind, task.slot)) {
    name.fail(fmt::format("{} cannot stand here", text));
  }
  Task node = task;
  node.kind = *kind;
  begin(node);
}

void NodeReader::visit_reference(const Task& task) {
  if (task.json.size() != 1) task.json.fail("expected \"node\", or the one key of a reference");
  const json::Member reference = *task.json.members().begin();
  const std::string_view key = reference.key.text();
  if (key == "object") return give(object(reference.value, task.json), task);
  if (key == "global_var" || key == "op") {
    if (key == "op") return give(op(reference.value.as_string()), task);
    const auto found = tables_.global_vars.find(reference.value.as_string());
    if (found == tables_.global_vars.end()) reference.value.fail("there is no such function");
    return give(found->second, task);
  }
  if (key == "function") return give(function(reference.value), task);
  if (key == "buffer") return refer(task, TableId::buffers, reference.value);
  if (key == "constant") return give(constant(reference.value), task);
  if (key != "statements") reference.key.fail(fmt::format("unknown key \"{}\"", key));
  reference.value.expect(json::Type::array);
  Task list = task;
  list.json = reference.value;
  visit_statements(list);
}

void NodeReader::refer(const Task& task, TableId table, json::Value id) {
  Task entry = task;
  entry.step = Step::entry;
  entry.table = table;
  entry.count = expect_index(id);
  if (entry.count >= tables_.table(table, task.scope).size()) {
    id.fail("there is no such entry in a table before this place");
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
  if (entry.open) task.json.fail("this entry of a table refers to itself");
  entry.open = true;
  const Kind kind =
      task.table == TableId::buffers ? Kind::Buffer : *kind_named(entry.json.at("node").text());
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
    reference.json.fail("an entry of exprs refers only to those before it");
  }
}

void NodeReader::check_dtype(json::Value reference, NodeId node) const {
  const auto dtype = reference.find("dtype");
  if (!dtype || builder_.node(node).category() != Category::expr) return;
  if (read_dtype(*dtype) == builder_.node(node).dtype()) return;
  dtype->fail(fmt::format("the dtype of what this refers to is \"{}\"",
                          to_string(builder_.node(node).dtype())));
}

NodeId NodeReader::op(std::string_view name) {
  NodeId& id = tables_.ops[name];
  if (id == NodeId::none) id = builder_.make(Kind::Op, {builder_.string(json::to_bytes(name))});
  return id;
}

NodeId NodeReader::function(json::Value name) {
  const auto found = tables_.functions.find(name.as_string());
  if (found == tables_.functions.end()) name.fail("there is no such function");
  if (found->second == NodeId::none) found->second = make_empty_function(builder_);
  return found->second;
}

NodeId NodeReader::object(json::Value id, json::Value reference) {
  const std::uint32_t place = expect_index(id);
  if (place >= tables_.objects.size()) {
    reference.fail("there is no such entry of objects before this place");
  }
  return tables_.objects[place];
}

NodeId NodeReader::constant(json::Value id) {
  const std::uint32_t place = expect_index(id);
  if (place >= tables_.constants.size()) id.fail("there is no such constant");
  return tables_.constants[place];
}

}  // namespace mlf::tir::tir_json
