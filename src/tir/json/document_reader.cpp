// Reads tir-N.json into a module.
#include <fmt/core.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "json/document.h"
#include "json/text.h"
#include "mlf/tir/builder.h"
#include "mlf/tir/document.h"
#include "support/lookup.h"
#include "support/name_map.h"
#include "support/numbers.h"
#include "tir/json/constants.h"
#include "tir/json/format.h"
#include "tir/json/members.h"
#include "tir/node_queries.h"
#include "tir/reader.h"

namespace mlf::tir::tir_json {
namespace {

/// Names the tables of one function, or of the module outside its functions (0).
using ScopeId = std::uint32_t;

enum class TableId : std::uint8_t { vars, buffers, exprs };

/// An entry that becomes a node when something first refers to it.
struct TableEntry {
  json::Value json;
  ScopeId scope;
  NodeId made = NodeId::none;
  bool open = false;  // being made: a reference to it now is a circle
};

/// Places in a table.
struct Range {
  std::size_t first;
  std::size_t last;
};

/// Tables of the whole document. Ids are positions.
struct Tables {
  std::vector<TableEntry> vars;
  std::vector<TableEntry> buffers;
  std::vector<std::vector<TableEntry>> exprs;  // by scope
  std::vector<std::uint32_t> exprs_end;        // by scope: the place in the JSON behind the table
  std::vector<Range> vars_of;                  // by scope
  std::vector<Range> buffers_of;               // by scope
  std::vector<NodeId> constants;
  std::vector<NodeId> objects;
  support::NameMap<std::string_view, NodeId> ops;
  support::NameMap<std::string_view, NodeId> global_vars;
  /// Nodes of the module's functions; undefined until something needs them.
  support::NameMap<std::string_view, NodeId> functions;

  std::vector<TableEntry>& table(TableId id, ScopeId scope) {
    if (id == TableId::exprs) return exprs[scope];
    return id == TableId::vars ? vars : buffers;
  }
};

enum class TaskKind : std::uint8_t {
  visit,      // a value that `slot` expects
  entry,      // an entry of `table`
  node,       // the object of a node
  governing,  // the fields of a statement that governs others
  make,       // the node, whose parts are the last results
  sequence,   // a SeqStmt of the last `count` results
  keep,       // moves the last result into `table`
};

struct Task {
  TaskKind step;
  json::Value json;
  ScopeId scope;
  Expects slot = Expects::any;
  Kind kind = Kind::Var;
  TableId table = TableId::vars;
  std::uint32_t count = 0;  // results of a sequence, or the place in `table`
};

/// A flat list of statements, in which each says how many entries after it it governs: turns it
/// into tasks that make the statements from the inside out.
class StatementList {
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

NodeId op(Builder& builder, Tables& tables, std::string_view name) {
  NodeId& id = tables.ops[name];
  if (id == NodeId::none) id = builder.make(Kind::Op, {builder.string(json::to_bytes(name))});
  return id;
}

// A function may be referred to before it is read: the node exists first and gets its fields
// later (Builder::set).
NodeId function(Builder& builder, Tables& tables, json::Value name) {
  const auto found = tables.functions.find(name.as_string());
  if (found == tables.functions.end()) name.fail("there is no such function");
  if (found->second == NodeId::none) {
    const ListId nothing = builder.list({});
    found->second = builder.make(
        Kind::PrimFunc, {nothing, NodeId::none, nothing, ListId::none, NodeId::none, NodeId::none});
  }
  return found->second;
}

NodeId object(const Tables& tables, json::Value id, json::Value reference) {
  const std::uint32_t place = expect_index(id);
  if (place >= tables.objects.size()) {
    reference.fail("there is no such entry of objects before this place");
  }
  return tables.objects[place];
}

NodeId constant(const Tables& tables, json::Value id) {
  const std::uint32_t place = expect_index(id);
  if (place >= tables.constants.size()) id.fail("there is no such constant");
  return tables.constants[place];
}

// Inside a table of expressions a reference leads to an entry before its own.
void check_backward(const Tables& tables, const Task& reference) {
  if (reference.table != TableId::exprs) return;
  const auto& exprs = tables.exprs[reference.scope];
  const std::uint32_t place = reference.json.index();
  // Tables were read from the same text, so places in it can be compared.
  const bool inside =
      place >= exprs.front().json.index() && place < tables.exprs_end[reference.scope];
  const bool later =
      reference.count + 1 == exprs.size() || place < exprs[reference.count + 1].json.index();
  if (inside && later) {
    reference.json.fail("an entry of exprs refers only to those before it");
  }
}

// A reference repeats the dtype; if they differ, one of the two was edited.
void check_dtype(const Builder& builder, json::Value reference, NodeId node) {
  const auto dtype = reference.find("dtype");
  if (!dtype || builder.node(node).category() != Category::expr) return;
  if (read_dtype(*dtype) == builder.node(node).dtype()) return;
  dtype->fail(fmt::format("the dtype of what this refers to is \"{}\"",
                          to_string(builder.node(node).dtype())));
}

void add_part(std::vector<Task>& expanded, const Task& task, json::Value value, Expects slot) {
  if (value.is_null() && !may_be_null(slot)) value.fail("null does not belong here");
  expanded.push_back({.step = TaskKind::visit, .json = value, .scope = task.scope, .slot = slot});
}

// Maps with string keys are JSON objects; all others, whose keys are nodes, are arrays of pairs.
void expand_map(std::vector<Task>& expanded, const Task& task, const FieldInfo& field,
                json::Value value) {
  if (field.type == FieldType::string_map) {
    if (!value.is_object()) value.fail("expected an object");
    for (const json::Member member : value.members())
      add_part(expanded, task, member.value, field.expects);
    return;
  }
  for (const json::Value entry : value.as_array()) {
    entry.expect(json::Type::array);
    if (entry.size() != 2) entry.fail("expected a key and a value");
    auto part = entry.elements().begin();
    add_part(expanded, task, *part, Expects::any);
    ++part;
    add_part(expanded, task, *part, field.expects);
  }
}

void expand_field(std::vector<Task>& expanded, const Task& task, const FieldInfo& field,
                  json::Value value) {
  if (value.is_null() && field.nullable) return;
  switch (field.type) {
    case FieldType::node:
      if (value.is_null()) value.fail(fmt::format("{} cannot be null", field.name));
      return add_part(expanded, task, value, field.expects);
    case FieldType::list:
      for (const json::Value element : value.as_array())
        add_part(expanded, task, element, field.expects);
      return;
    case FieldType::string_map:
    case FieldType::node_map:
      return expand_map(expanded, task, field, value);
    default:
      return;  // scalars are read when the node is made
  }
}

// Only what is a node becomes a task, in the order of the fields; `make` takes the results in the
// same order.
void expand(std::vector<Task>& expanded, const Task& task, const NodeMembers& members) {
  const auto fields = info(task.kind).fields;
  // The span, which any node may have and no row of nodes.def names, comes first here and in
  // `make`.
  if (members.span()) add_part(expanded, task, *members.span(), Expects::object);
  for (std::uint8_t i = 0; i < fields.size(); ++i) {
    if (const auto value = members.field(i)) expand_field(expanded, task, fields[i], *value);
  }
}

// The kind of a node that is written where a field expects `slot`. What belongs to a table or a
// list of statements is written there and only there; some kinds as a reference, a string, an
// array.
Kind kind_in_place(json::Value name, Expects slot) {
  constexpr Category kCategories[] = {Category::expr, Category::part, Category::type,
                                      Category::value};
  constexpr Kind kShort[] = {Kind::SizeVar, Kind::String, Kind::Array};
  const auto kind = kind_named(name.as_string());
  if (!kind) name.fail(fmt::format("there is no kind of node called \"{}\"", name.text()));
  if (!support::is_among(kCategories, info(*kind).category) || support::is_among(kShort, *kind) ||
      !fits(*kind, slot)) {
    name.fail(fmt::format("{} does not belong here", name.text()));
  }
  return *kind;
}

// Makes nodes from the results of their parts.
class NodeMaker {
 public:
  explicit NodeMaker(Builder& builder) : builder_(builder) {}

  void add(NodeId result) { results_.push_back(result); }

  NodeId last() {
    const NodeId result = results_.back();
    results_.pop_back();
    return result;
  }

  // The results from now on are parts of the next node that is not made yet.
  void begin() { bases_.push_back(results_.size()); }

  void make_array(json::Value value) {
    const std::size_t base = start();
    const NodeId array = builder_.make(Kind::Array, {make_list(value)});
    results_.resize(base);
    results_.push_back(array);
  }

  void make_node(const Task& task, const NodeMembers& members) {
    const std::size_t base = start();
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

  // Either an entry of the list, or what several entries in a place for one statement mean.
  void make_sequence(const Task& task) {
    const std::size_t base = results_.size() - task.count;
    const ListId elements = builder_.list(std::span(results_.data() + base, task.count));
    results_.resize(base);
    const NodeId id = builder_.make(Kind::SeqStmt, {elements});
    if (task.kind == Kind::SeqStmt) {  // its statements are in the same list
      if (results_.size() > start()) builder_.set_span(id, results_.back());
      results_.resize(taken_);
    }
    results_.push_back(id);
  }

 private:
  std::size_t start() {
    taken_ = bases_.back();
    bases_.pop_back();
    return taken_;
  }

  // Parts come from the results in the order in which expand_field asked for them; everything else
  // is read now.
  FieldValue make_field(const Task& task, const FieldInfo& field, json::Value value) {
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
  bool defines_same(Node known) const {
    return !known.is(Kind::IterVar) ||
           values_[f::IterVar::var].bits() == index(known[f::IterVar::var].id());
  }

  FieldValue make_list(json::Value value) {
    const std::span parts(results_.data() + taken_, value.size());
    taken_ += value.size();
    return builder_.list(parts);
  }

  FieldValue make_map(const FieldInfo& field, json::Value value) {
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

  NodeId take() { return results_[taken_++]; }

  Builder& builder_;
  std::unordered_map<std::uint32_t, NodeId> parts_;  // of KindTemplate::has_id, by id
  std::vector<NodeId> results_;                      // parts of nodes that are not made yet
  std::vector<std::size_t> bases_;  // of nodes begun: number of results before their parts
  std::vector<FieldValue> values_;
  std::size_t taken_ = 0;  // the next result that is used
};

/// Makes nodes from JSON, on a stack of its own, and the tables meanwhile.
class NodeReader {
 public:
  NodeReader(Builder& builder, Tables& tables, const ReadLimits& limits)
      : builder_(builder), tables_(tables), limits_(limits) {}

  /// Returns the node of `value` for a field that expects `slot`; null is an undefined node.
  NodeId read(json::Value value, Expects slot, ScopeId scope) {
    return run({.step = TaskKind::visit, .json = value, .scope = scope, .slot = slot});
  }

  /// An entry of `objects` that is not a function.
  NodeId read_object(json::Value entry) {
    const json::Value name = entry.at("node");
    const auto kind = kind_named(name.as_string());
    // Expressions and statements belong to functions, so they are never entries of `objects`.
    constexpr Category kCategories[] = {Category::object, Category::module, Category::type,
                                        Category::value};
    if (!kind || !support::is_among(kCategories, info(*kind).category)) {
      name.fail(fmt::format("\"{}\" is not a kind of object", name.text()));
    }
    return run({.step = TaskKind::node, .json = entry, .scope = 0, .kind = *kind});
  }

  /// Makes an entry of a table unless something has referred to it before.
  NodeId read_entry(TableId table, std::uint32_t place, ScopeId scope) {
    return run({.step = TaskKind::entry,
                .json = tables_.table(table, scope)[place].json,
                .scope = scope,
                .table = table,
                .count = place});
  }

 private:
  // Tasks instead of recursion: the depth of a document is the depth of this stack, on the heap.
  // Parts are made before the whole, so that node ids are in order of definition as Builder wants
  // them.
  NodeId run(const Task& first) {
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
    return made_.last();
  }

  void step(const Task& task) {
    switch (task.step) {
      case TaskKind::visit:
        return visit(task);
      case TaskKind::entry:
        return visit_entry(task);
      case TaskKind::node:
        return begin(task);
      case TaskKind::governing:
        made_.begin();
        expand(expanded_, task, NodeMembers(task.json, task.kind));
        return push_expanded();
      case TaskKind::make:
        // Reads the members again instead of keeping them from `expand_parts`: between the two lies
        // the whole content of the node, and the stack would hold the members of every node above
        // it.
        return task.json.is_array() ? made_.make_array(task.json)
                                    : made_.make_node(task, NodeMembers(task.json, task.kind));
      case TaskKind::sequence:
        return made_.make_sequence(task);
      case TaskKind::keep:
        tables_.table(task.table, task.scope)[task.count].made = made_.last();
        return;
    }
  }

  // Whatever a value turns out to be, the field decides whether it may be there: a reference by id
  // could lead to anything.
  void give(NodeId id, const Task& task) {
    const Kind kind = builder_.node(id).kind();
    if (!fits(kind, task.slot))
      task.json.fail(fmt::format("{} does not belong here", info(kind).name));
    made_.add(id);
  }

  // The JSON type and the expected slot say together what a value is: 3 is a variable, a buffer or
  // a constant, and a string an Op or a String.
  void visit(const Task& task) {
    switch (task.json.type()) {
      case json::Type::null:
        return made_.add(NodeId::none);
      case json::Type::string:
        return visit_text(task);
      case json::Type::integer:
      case json::Type::real:
        return visit_number(task);
      case json::Type::array:
        return visit_array(task);
      case json::Type::object:
        if (const auto name = task.json.find("node")) return visit_node(task, *name);
        return visit_reference(task);
      default:
        task.json.fail("a boolean does not belong here");
    }
  }

  void visit_text(const Task& task) {
    // `"op": "tir.call_extern"` is by far the most frequent reference, so it has no object around
    // it.
    if (task.slot == Expects::callee) return give(op(builder_, tables_, task.json.text()), task);
    if (!may_be_null(task.slot)) task.json.fail("a string does not belong here");
    made_.add(builder_.make(Kind::String, {read_string(builder_, task.json)}));
  }

  // A number is always an id; constants of the IR are nodes and strings.
  void visit_number(const Task& task) {
    switch (task.slot) {
      case Expects::var:
        return refer(task, TableId::vars, task.json);
      case Expects::buffer:
        return refer(task, TableId::buffers, task.json);
      case Expects::constant:
      case Expects::tensor:
        return give(constant(tables_, task.json), task);
      default:
        task.json.fail("a number does not belong here");
    }
  }

  // An array of values: in attributes and annotations. The fields of a node that are lists are read
  // with the node.
  void visit_array(const Task& task) {
    if (task.slot == Expects::stmt) {
      StatementList(task.json, task.scope, expanded_).run();
      return push_expanded();
    }
    if (!may_be_null(task.slot)) task.json.fail("an array does not belong here");
    made_.begin();
    for (const json::Value element : task.json.elements())
      add_part(expanded_, task, element, Expects::any);
    expanded_.push_back({.step = TaskKind::make,
                         .json = task.json,
                         .scope = task.scope,
                         .slot = task.slot,
                         .kind = Kind::Array});
    push_expanded();
  }

  void visit_node(const Task& task, json::Value name) {
    const std::string_view text = name.as_string();
    // References of expressions have `node` and `dtype` as expressions have, for those who read a
    // document without its tables.
    if (text == "Var" || text == "ExprRef") {
      const std::string_view key = text == "Var" ? "var" : "expr";
      check_keys(task.json, {"node", "dtype", key});
      return refer(task, text == "Var" ? TableId::vars : TableId::exprs, task.json.at(key));
    }
    Task node = task;
    node.kind = kind_in_place(name, task.slot);
    begin(node);
  }

  // An object with a single key that is not "node": the key says into which table the value leads.
  void visit_reference(const Task& task) {
    if (task.json.size() != 1) task.json.fail("expected \"node\", or the one key of a reference");
    const json::Member reference = *task.json.members().begin();
    const std::string_view key = reference.key.text();
    if (key == "object") return give(object(tables_, reference.value, task.json), task);
    if (key == "op") return give(op(builder_, tables_, reference.value.as_string()), task);
    if (key == "global_var") {
      const auto found = tables_.global_vars.find(reference.value.as_string());
      if (found == tables_.global_vars.end()) reference.value.fail("there is no such function");
      return give(found->second, task);
    }
    if (key == "function") return give(function(builder_, tables_, reference.value), task);
    if (key == "buffer") return refer(task, TableId::buffers, reference.value);
    if (key == "constant") return give(constant(tables_, reference.value), task);
    if (key != "statements") reference.key.fail(fmt::format("unknown key \"{}\"", key));
    reference.value.expect(json::Type::array);
    StatementList(reference.value, task.scope, expanded_).run();
    push_expanded();
  }

  // Checked at once, so that the message names the place of the reference and not of the entry.
  void refer(const Task& task, TableId table, json::Value id) {
    Task entry = task;
    entry.step = TaskKind::entry;
    entry.table = table;
    entry.count = expect_index(id);
    if (entry.count >= tables_.table(table, task.scope).size()) {
      id.fail("there is no such entry in a table before this place");
    }
    check_backward(tables_, entry);
    visit_entry(entry);
  }

  // An entry is made when the first reference needs it, because tables list buffers whose shapes
  // use variables, and variables whose types use buffers. The task comes back after the entry is
  // made.
  void visit_entry(const Task& task) {
    TableEntry& entry = tables_.table(task.table, task.scope)[task.count];
    if (entry.made != NodeId::none) {
      if (task.json.is_object()) check_dtype(builder_, task.json, entry.made);
      return give(entry.made, task);
    }
    // Only an edited document has such a circle: TVM makes objects from parts that exist.
    if (entry.open) task.json.fail("this entry of a table refers to itself");
    entry.open = true;
    const Kind kind =
        task.table == TableId::buffers ? Kind::Buffer : *kind_named(entry.json.at("node").text());
    // Last in, first out: the entry is made, kept in the table, and then this reference is looked
    // at anew.
    tasks_.push_back(task);
    tasks_.push_back({.step = TaskKind::keep,
                      .json = task.json,
                      .scope = task.scope,
                      .table = task.table,
                      .count = task.count});
    tasks_.push_back(
        {.step = TaskKind::node, .json = entry.json, .scope = entry.scope, .kind = kind});
  }

  // The node itself waits below its parts on the stack; most nodes have none.
  void begin(const Task& task) {
    const NodeMembers members(task.json, task.kind);
    made_.begin();
    expand(expanded_, task, members);
    if (expanded_.empty()) return made_.make_node(task, members);
    Task whole = task;
    whole.step = TaskKind::make;
    tasks_.push_back(whole);
    push_expanded();
  }

  void push_expanded() {
    tasks_.insert(tasks_.end(), expanded_.rbegin(), expanded_.rend());
    expanded_.clear();
  }

  Builder& builder_;
  Tables& tables_;
  const ReadLimits& limits_;
  NodeMaker made_{builder_};
  std::vector<Task> tasks_;     // the next one last
  std::vector<Task> expanded_;  // the tasks that one task adds, in order
};

std::string bytes_of(json::Value object, std::string_view key) {
  return json::to_bytes(object.at(key).as_string());
}

// "0.16"
// The major version is 0 for every TVM that has TIR of these forms.
std::uint8_t read_minor(json::Value value) {
  constexpr std::string_view kMajor = "0.";
  const std::string_view text = value.as_string();
  const auto minor = text.starts_with(kMajor)
                         ? support::whole_number<std::uint8_t>(text.substr(kMajor.size()))
                         : std::nullopt;
  if (!minor) value.fail("expected a TVM version such as \"0.16\"");
  return *minor;
}

VersionRange read_version(json::Value value) {
  check_keys(value, {"first", "last"});
  VersionRange version;
  version.first = read_minor(value.at("first"));
  version.last = read_minor(value.at("last"));
  if (value.find("exact")) version.exact = bytes_of(value, "exact");
  return version;
}

std::uint32_t read_position(json::Value value) {
  const std::int64_t position = value.as_integer();
  if (position < 1 || position > UINT32_MAX) value.fail("expected a number from 1 on");
  return static_cast<std::uint32_t>(position);
}

LossCode read_code(json::Value value) {
  const auto known = loss_named(value.as_string());
  if (!known) value.fail(fmt::format("\"{}\" is not a code of a loss", value.text()));
  return *known;
}

LossScope read_scope(json::Value value) {
  for (const LossScope scope : {LossScope::everywhere, LossScope::module, LossScope::function}) {
    if (value.as_string() == to_string(scope)) return scope;
  }
  value.fail(fmt::format("\"{}\" is not a scope of a loss", value.text()));
}

std::string read_name(json::Value value, LossCode code) {
  if (value.is_null()) return {};
  if (info(code).subject == LossSubject::nothing) value.fail("losses of this code name nothing");
  return json::to_bytes(value.as_string());
}

Loss read_place(json::Value value, LossCode code, LossScope scope) {
  check_keys(value, {"function", "name", "count"});
  const json::Value function = value.at("function");
  if (function.is_null() == (scope == LossScope::function)) {
    function.fail("losses of scope \"function\" name their functions, others do not");
  }
  const json::Value count = value.at("count");
  if (count.as_integer() < 1) count.fail("expected a positive number");
  return {code, scope, function.is_null() ? std::string() : bytes_of(value, "function"),
          read_name(value.at("name"), code), static_cast<std::size_t>(count.as_integer())};
}

void check_format(json::Value document) {
  const json::Value format = document.at("format");
  if (format.as_string() != kFormat) format.fail(fmt::format("expected \"{}\"", kFormat));
  const json::Value version = document.at("version");
  if (version.as_integer() != kVersion) {
    version.fail(fmt::format("this is not version {} of the format", kVersion));
  }
  // Any program may have written the document; only format and version matter.
  document.at("generator").expect(json::Type::string);
}

Source read_source(json::Value value) {
  check_keys(value, {"member", "dialect", "stage", "tvm_version", "sha256"});
  const json::Value dialect = value.at("dialect");
  const auto known = dialect_named(dialect.as_string());
  if (!known) dialect.fail(fmt::format("\"{}\" is not a dialect", dialect.text()));
  return {.member = bytes_of(value, "member"),
          .dialect = *known,
          .stage = bytes_of(value, "stage"),
          .tvm_version = read_version(value.at("tvm_version")),
          .sha256 = bytes_of(value, "sha256")};
}

// The other keys follow from the text. The reader checks their names and ignores their values.
std::optional<std::string> read_target(json::Value value) {
  if (value.is_null()) return std::nullopt;
  for (json::Value target = value; !target.is_null(); target = *target.find("host")) {
    check_keys(target, {"text"});
    if (!target.find("kind")) break;  // a text that is not a target
    check_keys(target, {"text", "kind", "tag", "keys", "attrs", "device_type", "host"});
  }
  return bytes_of(value, "text");
}

CodePlace read_c_place(json::Value value) {
  check_keys(value, {"member", "line", "column", "last_line"});
  return {.member = bytes_of(value, "member"),
          .line = read_position(value.at("line")),
          .column = read_position(value.at("column")),
          .last_line = read_position(value.at("last_line"))};
}

std::vector<ImportedC> read_imported_c(json::Value value) {
  return json::list_of(value, [](json::Value entry) {
    check_keys(entry, {"name", "signature", "text"});
    if (entry.at("name").is_null() != entry.at("signature").is_null()) {
      entry.fail("name and signature are those of one function, or both null");
    }
    ImportedC piece;
    piece.text = bytes_of(entry, "text");
    if (entry.at("name").is_null()) return piece;
    piece.name = bytes_of(entry, "name");
    piece.signature = bytes_of(entry, "signature");
    return piece;
  });
}

// Severity and fields follow from the code. The reader checks their names and ignores their values.
std::vector<Loss> read_losses(json::Value value) {
  value.expect(json::Type::array);
  std::vector<Loss> losses;
  for (const json::Value entry : value.elements()) {
    check_keys(entry, {"code", "severity", "scope", "fields", "subject", "places"});
    const LossCode code = read_code(entry.at("code"));
    const LossScope scope = read_scope(entry.at("scope"));
    const json::Value places = entry.at("places");
    places.expect(json::Type::array);
    if (places.size() == 0) losses.push_back({code, scope, {}, {}});
    for (const json::Value place : places.elements()) {
      losses.push_back(read_place(place, code, scope));
    }
  }
  return losses;
}

bool is_prim_func(json::Value object) {
  const auto name = object.find("node");
  return name && name->is_string() && name->text() == info(Kind::PrimFunc).name;
}

void check_id(json::Value entry, std::size_t expected) {
  const json::Value id = entry.at("id");
  if (expect_index(id) != expected) id.fail(fmt::format("expected the id {} here", expected));
}

/// One document, read once.
// Runs before any entry is made: a reference by id relies on the kind of its entry.
void check_entry(json::Value entry, TableId id, std::size_t place) {
  if (!entry.is_object()) entry.fail("expected an object");
  check_id(entry, place);
  if (id == TableId::buffers) return;
  const json::Value node = entry.at("node");
  const auto kind = kind_named(node.as_string());
  if (!kind || !is_var(*kind)) node.fail("expected \"Var\" or \"SizeVar\"");
}

void add_entries(Tables& tables, json::Value table, TableId id, ScopeId scope) {
  table.expect(json::Type::array);
  std::vector<TableEntry>& entries = tables.table(id, scope);
  // Names in a table are unique, so that a name identifies a variable for people; `name_hint`
  // need not be unique.
  support::NameSet<std::string_view> names;
  for (const json::Value entry : table.elements()) {
    check_entry(entry, id, entries.size());
    const json::Value name = entry.at("name");
    if (!names.insert(name.as_string()).second) name.fail("another entry has this name");
    entries.push_back({.json = entry, .scope = scope});
  }
}

// Records where the table ends in the text, to decide whether a reference is inside of it.
void add_exprs(Tables& tables, json::Value table, ScopeId scope) {
  auto& exprs = tables.exprs[scope];
  for (const json::Value entry : table.as_array()) {
    if (!entry.is_object()) entry.fail("expected an expression");
    const json::Value node = entry.at("node");
    const auto kind = kind_named(node.as_string());
    if (!kind || info(*kind).category != Category::expr || is_var(*kind)) {
      node.fail(fmt::format("\"{}\" is not an expression for this table", node.text()));
    }
    exprs.push_back({.json = entry, .scope = scope});
  }
  tables.exprs_end[scope] = (*table.elements().end()).index();
}

// Ids of variables and buffers count through the whole document. Those of expressions begin at 0
// in each function, so their table is freed with the function.
ScopeId add_scope(Tables& tables, json::Value owner) {
  const auto scope = static_cast<ScopeId>(tables.exprs.size());
  tables.exprs.emplace_back();
  tables.exprs_end.push_back(0);
  tables.vars_of.push_back({tables.vars.size(), 0});
  tables.buffers_of.push_back({tables.buffers.size(), 0});
  add_entries(tables, owner.at("vars"), TableId::vars, scope);
  add_entries(tables, owner.at("buffers"), TableId::buffers, scope);
  add_exprs(tables, owner.at("exprs"), scope);
  tables.vars_of.back().last = tables.vars.size();
  tables.buffers_of.back().last = tables.buffers.size();
  return scope;
}

// Every GlobalVar must exist before the reader meets the first call of one.
void declare_functions(Builder& builder, Tables& tables, json::Value functions) {
  for (const json::Value entry : functions.as_array()) {
    const json::Value name = entry.at("name");
    const NodeId global_var = builder.make(
        Kind::GlobalVar, {read_string(builder, name), NodeId::none, NodeId::none, NodeId::none});
    if (!tables.global_vars.emplace(name.text(), global_var).second) {
      name.fail(message_of_repeated_function(name.text()));
    }
    // An entry with "function" refers to an object.
    if (!entry.find("function")) tables.functions.emplace(name.text(), NodeId::none);
  }
}

// Redundant keys are for the convenience of readers. They must agree with the keys that they
// follow from.
void check_derived(const Builder& builder, const Tables& tables, json::Value entry,
                   NodeId function) {
  const Node node = builder.node(function);
  const json::Value role = entry.at("role");
  const std::string_view derived = to_string(role_of(
      builder.node(tables.global_vars.at(entry.at("name").text())).text(f::GlobalVar::name_hint),
      node));
  if (role.as_string() != derived) {
    role.fail(fmt::format("by its attributes this function's role is \"{}\"", derived));
  }
  const json::Value symbol = entry.at("global_symbol");
  const bool named = global_symbol_of(node).has_value();
  if (!symbol.is_null()) symbol.as_string();
  if (symbol.is_null() == named) symbol.fail("this is not the attribute global_symbol");
}

class DocumentReader {
 public:
  DocumentReader(const json::Document& json, const ReadLimits& limits)
      : json_(json), nodes_(builder_, tables_, limits) {}

  // Reads the head before the module, so that the error for a document of another format or version
  // names the version, and not its first unknown node.
  Document read() {
    const json::Value root = json_.root();
    check_keys(root, {"format", "version", "generator", "source", "target", "attrs", "losses",
                      "constants", "vars", "buffers", "exprs", "objects", "functions"});
    check_format(root);
    Source source = read_source(root.at("source"));
    std::optional<std::string> target = read_target(root.at("target"));
    std::vector<Loss> losses = read_losses(root.at("losses"));
    std::vector<ImportedC> imported;
    if (const auto pieces = root.find("imported_c")) imported = read_imported_c(*pieces);
    const NodeId module = read_module(root);
    return {.source = std::move(source),
            .target = std::move(target),
            .module = std::move(builder_).finish(module),
            .losses = std::move(losses),
            .recovered = std::move(constants_.recovered),
            .left_out = std::move(constants_.left_out),
            .c_places = std::move(c_places_),
            .imported_c = std::move(imported)};
  }

 private:
  // Order matters. Any part may refer to constants and to names of functions. Objects may refer to
  // the module's tables. Functions come last and may refer to everything.
  NodeId read_module(json::Value root) {
    constants_ = read_constants(builder_, root.at("constants"));
    tables_.constants = std::move(constants_.arrays);
    const json::Value entries = root.at("functions");
    declare_functions(builder_, tables_, entries);
    const ScopeId scope = add_scope(tables_, root);
    read_objects(root.at("objects"));
    make_entries(scope);
    std::vector<FieldValue> fields(info(Kind::IRModule).fields.size(), NodeId::none);
    for (std::uint8_t i = 0; i < fields.size(); ++i) {
      const FieldInfo& field = info(Kind::IRModule).fields[i];
      const auto value = root.find(key_of(Kind::IRModule, field));
      if (i == f::IRModule::functions || i == f::IRModule::attrs || !value) continue;
      fields[i] = nodes_.read(*value, field.expects, scope);
    }
    fields[f::IRModule::attrs] = read_attrs(root.at("attrs"), scope);
    std::vector<NodePair> functions;
    for (const json::Value entry : entries.elements()) {
      const NodeId global_var = tables_.global_vars.at(entry.at("name").text());
      functions.push_back({global_var, read_function(entry, global_var)});
    }
    fields[f::IRModule::functions] = builder_.map(functions);
    const NodeId module = builder_.make(Kind::IRModule, fields);
    read_span(root, module, scope);
    return module;
  }

  // Also makes entries without references: the document has them because the module has them.
  void make_entries(ScopeId scope) {
    const auto make = [&](TableId table, Range places) {
      for (std::size_t at = places.first; at < places.last; ++at) {
        nodes_.read_entry(table, static_cast<std::uint32_t>(at), scope);
      }
    };
    make(TableId::vars, tables_.vars_of[scope]);
    make(TableId::buffers, tables_.buffers_of[scope]);
    make(TableId::exprs, {0, tables_.exprs[scope].size()});
  }

  void read_objects(json::Value objects) {
    // All scopes first: an object may refer to a variable of a later function.
    std::vector<std::optional<ScopeId>> scopes;
    for (const json::Value entry : objects.as_array()) {
      if (!entry.is_object()) entry.fail("expected an object");
      scopes.push_back(is_prim_func(entry) ? std::optional(add_scope(tables_, entry))
                                           : std::nullopt);
    }
    for (const json::Value entry : objects.elements()) {
      const std::size_t id = tables_.objects.size();
      check_id(entry, id);
      tables_.objects.push_back(read_object(entry, scopes[id]));
    }
  }

  NodeId read_object(json::Value entry, std::optional<ScopeId> scope) {
    if (!scope) return nodes_.read_object(entry);
    check_keys(entry, {"id", "node", "attrs", "ret_type", "vars", "buffers", "params", "buffer_map",
                       "exprs", "body"});
    const NodeId function = builder_.make(Kind::PrimFunc, read_prim_func(entry, *scope));
    read_span(entry, function, *scope);
    return function;
  }

  // In the order of definition: parameters and their buffers first, the body last.
  std::vector<FieldValue> read_prim_func(json::Value object, ScopeId scope) {
    make_entries(scope);
    std::vector<FieldValue> fields(info(Kind::PrimFunc).fields.size(), NodeId::none);
    fields[f::PrimFunc::params] = read_params(object.at("params"), scope);
    const auto required = [&](std::string_view key, Expects slot) {
      const json::Value value = object.at(key);
      if (value.is_null()) value.fail(fmt::format("{} cannot be null", key));
      return nodes_.read(value, slot, scope);
    };
    fields[f::PrimFunc::ret_type] = required("ret_type", Expects::type);
    fields[f::PrimFunc::buffer_map] = read_buffer_map(object.at("buffer_map"), scope);
    const auto preflattened = object.find("preflattened_buffer_map");
    fields[f::PrimFunc::preflattened_buffer_map] =
        preflattened ? read_buffer_map(*preflattened, scope) : ListId::none;
    fields[f::PrimFunc::attrs] = read_attrs(object.at("attrs"), scope);
    fields[f::PrimFunc::body] = required("body", Expects::stmt);
    const auto type = object.find("_checked_type_");
    if (type) fields[f::PrimFunc::checked_type] = nodes_.read(*type, Expects::type, scope);
    return fields;
  }

  ListId read_params(json::Value value, ScopeId scope) {
    return builder_.list(json::list_of(value, [&](json::Value param) {
      expect_index(param);
      return nodes_.read(param, Expects::var, scope);
    }));
  }

  // The pairs of TVM's Map, in the order of the source.
  ListId read_buffer_map(json::Value value, ScopeId scope) {
    return builder_.map(json::list_of(value, [&](json::Value entry) {
      check_keys(entry, {"param", "buffer"});
      const json::Value param = entry.at("param");
      const json::Value buffer = entry.at("buffer");
      expect_index(param);
      expect_index(buffer);
      const NodeId key = nodes_.read(param, Expects::var, scope);
      return NodePair{key, nodes_.read(buffer, Expects::buffer, scope)};
    }));
  }

  // A map of attributes, or a reference to a shared DictAttrs.
  NodeId read_attrs(json::Value value, ScopeId scope) {
    if (value.is_null()) return NodeId::none;
    if (!value.is_object()) value.fail("expected an object or null");
    // An attribute may be called "object", too, but a number is never an attribute's value.
    const auto reference = value.find("object");
    if (value.size() == 1 && reference && reference->is_number()) {
      return nodes_.read(value, Expects::attributes, scope);
    }
    std::vector<NamedNode> entries;
    for (const json::Member member : value.members()) {
      const StringId name = read_string(builder_, member.key);
      entries.push_back({name, nodes_.read(member.value, Expects::attr_value, scope)});
    }
    return builder_.make(Kind::DictAttrs, {builder_.map(entries)});
  }

  NodeId read_function(json::Value entry, NodeId global_var) {
    if (const auto other = entry.find("function")) {
      check_keys(entry, {"name", "function"});
      read_global_var(entry, global_var, 0);
      return nodes_.read(*other, Expects::function, 0);
    }
    check_keys(entry, {"name", "global_symbol", "role", "attrs", "ret_type", "vars", "buffers",
                       "params", "buffer_map", "exprs", "body"});
    if (const auto place = entry.find("c")) {
      c_places_.emplace(entry.at("name").text(), read_c_place(*place));
    }
    const ScopeId scope = add_scope(tables_, entry);
    const NodeId function = read_named_prim_func(entry, scope);
    read_span(entry, function, scope);
    read_global_var(entry, global_var, scope);
    check_derived(builder_, tables_, entry, function);
    // Frees the table, so that memory contains one function's table at a time.
    tables_.exprs[scope] = {};  // the function alone refers to them
    return function;
  }

  NodeId read_named_prim_func(json::Value entry, ScopeId scope) {
    const std::vector<FieldValue> fields = read_prim_func(entry, scope);
    // An earlier reference from another function may already have made an empty node for this one.
    NodeId& known = tables_.functions.at(entry.at("name").text());
    if (known == NodeId::none) return known = builder_.make(Kind::PrimFunc, fields);
    for (std::uint8_t i = 0; i < fields.size(); ++i) builder_.set(known, i, fields[i]);
    return known;
  }

  // `declare_functions` made the GlobalVar. Its fields are read after the function, because its
  // type may use the function's variables.
  void read_global_var(json::Value entry, NodeId global_var, ScopeId scope) {
    const auto value = entry.find("global_var");
    if (!value) return;
    for (std::uint8_t i = f::GlobalVar::virtual_device; i <= f::GlobalVar::struct_info; ++i) {
      const FieldInfo& field = info(Kind::GlobalVar).fields[i];
      const auto content = value->find(key_of(Kind::GlobalVar, field));
      if (content) builder_.set(global_var, i, nodes_.read(*content, field.expects, scope));
    }
    read_span(*value, global_var, scope);
  }

  void read_span(json::Value object, NodeId id, ScopeId scope) {
    const auto span = object.find("span");
    if (span) builder_.set_span(id, nodes_.read(*span, Expects::object, scope));
  }

  const json::Document& json_;
  Builder builder_;
  Tables tables_;
  ConstantTable constants_;
  std::map<std::string, CodePlace, std::less<>> c_places_;
  NodeReader nodes_;
};

}  // namespace
}  // namespace mlf::tir::tir_json

namespace mlf::tir {

Document read_tir_json(const support::SourceText& source, const ReadLimits& limits) {
  const json::Document document(source, {limits.max_nesting, json::Strings::any_bytes});
  return tir_json::DocumentReader(document, limits).read();
}

}  // namespace mlf::tir
