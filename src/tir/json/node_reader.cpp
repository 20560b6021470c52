#include "tir/json/node_reader.h"

#include <fmt/core.h>

#include "json/text.h"
#include "tir/json/format.h"
#include "tir/node_queries.h"

namespace mlf::tir::tir_json {

NodeId NodeReader::read(json::Value value, Expects slot, ScopeId scope) {
  return run({.step = TaskKind::visit, .json = value, .scope = scope, .slot = slot});
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
  // Expressions and statements belong to functions, so they are never entries of `objects`.
  const Category category = kind ? info(*kind).category : Category::expr;
  if (category != Category::object && category != Category::module && category != Category::type &&
      category != Category::value) {
    name.fail(fmt::format("\"{}\" is not a kind of object", name.text()));
  }
  return run({.step = TaskKind::node, .json = entry, .scope = 0, .kind = *kind});
}

NodeId NodeReader::read_entry(TableId table, std::uint32_t place, ScopeId scope) {
  return run({.step = TaskKind::entry,
              .json = tables_.table(table, scope)[place].json,
              .scope = scope,
              .table = table,
              .count = place});
}

// Tasks instead of recursion: the depth of a document is the depth of this stack, on the heap.
// Parts are made before the whole, so that node ids are in order of definition as Builder wants
// them.
NodeId NodeReader::run(const Task& first) {
  tasks_.push_back(first);
  while (!tasks_.empty()) {
    const Task task = tasks_.back();
    tasks_.pop_back();
    step(task);
    // A small document can ask for many nodes: entries of a list may be short.
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
    case TaskKind::visit:
      return visit(task);
    case TaskKind::entry:
      return visit_entry(task);
    case TaskKind::node:
      return begin(task);
    case TaskKind::governing:
      return expand_parts(task);
    case TaskKind::make:
      return make(task);
    case TaskKind::sequence:
      return make_sequence(task);
    case TaskKind::keep:
      entry_of(task).made = results_.back();
      return results_.pop_back();
  }
}

// Whatever a value turns out to be, the field decides whether it may be there: a reference by id
// could lead to anything.
void NodeReader::give(NodeId id, const Task& task) {
  const Kind kind = builder_.node(id).kind();
  if (!fits(kind, task.slot))
    task.json.fail(fmt::format("{} does not belong here", info(kind).name));
  results_.push_back(id);
}

// The JSON type and the expected slot say together what a value is: 3 is a variable, a buffer or a
// constant, and a string an Op or a String.
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
      task.json.fail("a boolean does not belong here");
  }
}

void NodeReader::visit_text(const Task& task) {
  // `"op": "tir.call_extern"` is by far the most frequent reference, so it has no object around it.
  if (task.slot == Expects::callee) return give(op(task.json.text()), task);
  if (!may_be_null(task.slot)) task.json.fail("a string does not belong here");
  results_.push_back(builder_.make(Kind::String, {read_string(builder_, task.json)}));
}

// A number is always an id; constants of the IR are nodes and strings.
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
      task.json.fail("a number does not belong here");
  }
}

// An array of values: in attributes and annotations. The fields of a node that are lists are read
// with the node.
void NodeReader::visit_array(const Task& task) {
  if (task.slot == Expects::stmt) return visit_statements(task);
  if (!may_be_null(task.slot)) task.json.fail("an array does not belong here");
  bases_.push_back(results_.size());
  for (const json::Value element : task.json.elements()) add_part(task, element, Expects::any);
  expanded_.push_back({.step = TaskKind::make,
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
  // References of expressions have `node` and `dtype` as expressions have, for those who read a
  // document without its tables.
  if (text == "Var" || text == "ExprRef") {
    const std::string_view key = text == "Var" ? "var" : "expr";
    check_keys(task.json, {"node", "dtype", key});
    return refer(task, text == "Var" ? TableId::vars : TableId::exprs, task.json.at(key));
  }
  const auto kind = kind_named(text);
  if (!kind) name.fail(fmt::format("there is no kind of node called \"{}\"", text));
  switch (info(*kind).category) {
    // What belongs to a table or a list of statements is written there and only there.
    case Category::expr:
    case Category::part:
    case Category::type:
    case Category::value:
      break;
    default:
      name.fail(fmt::format("{} does not belong here", text));
  }
  // These are written as a reference, a string, an array.
  const bool short_form = *kind == Kind::SizeVar || *kind == Kind::String || *kind == Kind::Array;
  if (short_form || !fits(*kind, task.slot)) {
    name.fail(fmt::format("{} does not belong here", text));
  }
  Task node = task;
  node.kind = *kind;
  begin(node);
}

// An object with a single key that is not "node": the key says into which table the value leads.
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

// Checked at once, so that the message names the place of the reference and not of the entry.
void NodeReader::refer(const Task& task, TableId table, json::Value id) {
  Task entry = task;
  entry.step = TaskKind::entry;
  entry.table = table;
  entry.count = expect_index(id);
  if (entry.count >= tables_.table(table, task.scope).size()) {
    id.fail("there is no such entry in a table before this place");
  }
  check_backward(entry);
  visit_entry(entry);
}

// An entry is made when the first reference needs it, because tables list buffers whose shapes use
// variables, and variables whose types use buffers. The task comes back after the entry is made.
void NodeReader::visit_entry(const Task& task) {
  TableEntry& entry = entry_of(task);
  if (entry.made != NodeId::none) {
    if (task.json.is_object()) check_dtype(task.json, entry.made);
    return give(entry.made, task);
  }
  // Only an edited document has such a circle: TVM makes objects from parts that exist.
  if (entry.open) task.json.fail("this entry of a table refers to itself");
  entry.open = true;
  const Kind kind =
      task.table == TableId::buffers ? Kind::Buffer : *kind_named(entry.json.at("node").text());
  // Last in, first out: the entry is made, kept in the table, and then this reference is looked at
  // anew.
  tasks_.push_back(task);
  tasks_.push_back({.step = TaskKind::keep,
                    .json = task.json,
                    .scope = task.scope,
                    .table = task.table,
                    .count = task.count});
  tasks_.push_back(
      {.step = TaskKind::node, .json = entry.json, .scope = entry.scope, .kind = kind});
}

TableEntry& NodeReader::entry_of(const Task& task) {
  return tables_.table(task.table, task.scope)[task.count];
}

// Inside a table of expressions a reference leads to an entry before its own.
void NodeReader::check_backward(const Task& reference) const {
  if (reference.table != TableId::exprs) return;
  const auto& exprs = tables_.exprs[reference.scope];
  const std::uint32_t place = reference.json.index();
  // Tables were read from the same text, so places in it can be compared.
  const bool inside =
      place >= exprs.front().json.index() && place < tables_.exprs_end[reference.scope];
  const bool later =
      reference.count + 1 == exprs.size() || place < exprs[reference.count + 1].json.index();
  if (inside && later) {
    reference.json.fail("an entry of exprs refers only to those before it");
  }
}

// A reference repeats the dtype; if they differ, one of the two was edited.
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

// A function may be referred to before it is read: the node exists first and gets its fields later
// (Builder::set).
NodeId NodeReader::function(json::Value name) {
  const auto found = tables_.functions.find(name.as_string());
  if (found == tables_.functions.end()) name.fail("there is no such function");
  if (found->second == NodeId::none) {
    const ListId nothing = builder_.list({});
    found->second = builder_.make(
        Kind::PrimFunc, {nothing, NodeId::none, nothing, ListId::none, NodeId::none, NodeId::none});
  }
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

/// A flat list of statements, in which each says how many entries after it it governs: turns it
/// into tasks that make the statements from the inside out.
class NodeReader::StatementList {
 public:
  StatementList(json::Value list, ScopeId scope, std::vector<Task>& tasks)
      : scope_(scope), tasks_(tasks) {
    open_.push_back({.entry = list, .kind = Kind::Evaluate, .end = list.size()});
  }

  // The entries of a statement's scope follow it, so the end of the list or of a scope closes what
  // is open. Tasks are in the order in which statements are complete: parts before the whole.
  void run() {
    const json::Value list = open_.front().entry;
    std::uint32_t at = 0;
    for (const json::Value entry : list.elements()) {
      add(entry, ++at);
      while (open_.size() > 1 && open_.back().end == at) close();
    }
    fill(open_.back());
  }

 private:
  // A statement whose governed entries end before the entry at `end`, or the list itself.
  struct Open {
    json::Value entry;
    Kind kind;
    std::uint32_t end;
    std::uint32_t elements = 0;
    // The last element, if it is a SeqStmt of two or more that says nothing else.
    std::optional<json::Value> sequence = {};
  };

  void add(json::Value entry, std::uint32_t behind) {
    const json::Value name = entry.at("node");
    const auto kind = kind_named(name.as_string());
    if (!kind || info(*kind).category != Category::stmt) {
      name.fail(fmt::format("\"{}\" is not a kind of statement", name.text()));
    }
    // Whatever came before is followed by this: a SeqStmt that was last is not alone any more.
    ++open_.back().elements;
    open_.back().sequence.reset();
    if (!scoped_field(*kind)) return tasks_.push_back(task(TaskKind::node, entry, *kind));
    tasks_.push_back(task(TaskKind::governing, entry, *kind));
    const json::Value scope = entry.at("scope");
    const std::uint32_t governed = expect_index(scope);
    if (governed > open_.back().end - behind) {
      scope.fail(fmt::format("this scope reaches past its end: {} entries follow there",
                             open_.back().end - behind));
    }
    open_.push_back({.entry = entry, .kind = *kind, .end = behind + governed});
  }

  void close() {
    const Open closed = open_.back();
    open_.pop_back();
    if (closed.kind != Kind::SeqStmt) {
      fill(closed);
      return tasks_.push_back(task(TaskKind::make, closed.entry, closed.kind));
    }
    tasks_.push_back(task(TaskKind::sequence, closed.entry, Kind::SeqStmt));
    tasks_.back().count = closed.elements;
    // Such a SeqStmt is what several elements mean anyway; two spellings of one module would make
    // documents differ that say the same.
    if (closed.elements >= 2 && !closed.entry.find("span")) open_.back().sequence = closed.entry;
  }

  // A place for a statement takes one: several are a SeqStmt.
  void fill(const Open& place) {
    if (place.elements == 0) place.entry.fail("expected a statement, found none");
    if (place.elements >= 2) {
      tasks_.push_back(task(TaskKind::sequence, place.entry, Kind::Evaluate));
      tasks_.back().count = place.elements;
    } else if (place.sequence) {
      place.sequence->fail("this SeqStmt is implied and cannot be written");
    }
  }

  Task task(TaskKind step, json::Value entry, Kind kind) const {
    return {.step = step, .json = entry, .scope = scope_, .slot = Expects::stmt, .kind = kind};
  }

  ScopeId scope_;
  std::vector<Task>& tasks_;
  std::vector<Open> open_;
};

void NodeReader::visit_statements(const Task& task) {
  StatementList(task.json, task.scope, expanded_).run();
  push_expanded();
}

// --- Nodes from their objects: parts first, then the whole -------------------------------------

// The node itself waits below its parts on the stack; most nodes have none.
void NodeReader::begin(const Task& task) {
  const NodeMembers members(task.json, task.kind);
  expand(task, members);
  if (expanded_.empty()) return make_node(task, members);
  Task whole = task;
  whole.step = TaskKind::make;
  tasks_.push_back(whole);
  push_expanded();
}

void NodeReader::expand_parts(const Task& task) {
  expand(task, NodeMembers(task.json, task.kind));
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
  expanded_.push_back({.step = TaskKind::visit, .json = value, .scope = task.scope, .slot = slot});
}

void NodeReader::push_expanded() {
  tasks_.insert(tasks_.end(), expanded_.rbegin(), expanded_.rend());
  expanded_.clear();
}

// Reads the members again instead of keeping them from expand_parts: between the two lies the whole
// content of the node, and the stack would hold the members of every node above it.
void NodeReader::make(const Task& task) {
  if (!task.json.is_array()) {
    return make_node(task, NodeMembers(task.json, task.kind));
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
  NodeId made = NodeId::none;
  const auto number = template_of(task.kind).has_id ? task.json.find("id") : std::nullopt;
  NodeId& id = number ? parts_[expect_index(*number)] : made;
  if (id == NodeId::none) {
    id = builder_.make(task.kind, values_);
    if (span != NodeId::none) builder_.set_span(id, span);
  } else if (builder_.node(id).kind() != task.kind || !defines_same(builder_.node(id))) {
    number->fail(fmt::format("another {} has this id", info(builder_.node(id).kind()).name));
  }
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

// What has one id is written in full wherever it is used. The variable tells one IterVar from
// another.
bool NodeReader::defines_same(Node known) const {
  return !known.is(Kind::IterVar) ||
         values_[f::IterVar::var].bits() == index(known[f::IterVar::var].id());
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
  if (task.kind == Kind::SeqStmt) {  // its statements are in the same list
    taken_ = bases_.back();
    bases_.pop_back();
    if (results_.size() > taken_) builder_.set_span(id, results_.back());
    results_.resize(taken_);
  }
  results_.push_back(id);
}

}  // namespace mlf::tir::tir_json
