// Makes nodes from JSON, on a stack of its own, and the tables of tir-N.json meanwhile.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "json/document.h"
#include "mlf/tir/builder.h"
#include "mlf/tir/document.h"
#include "support/name_map.h"
#include "tir/json/members.h"

namespace mlf::tir::tir_json {

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

/// Tables of the whole document. Ids are positions.
struct Tables {
  std::vector<TableEntry> vars;
  std::vector<TableEntry> buffers;
  std::vector<std::vector<TableEntry>> exprs;  // by scope
  std::vector<std::uint32_t> exprs_end;        // by scope: the place in the JSON behind the table
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

class NodeReader {
 public:
  NodeReader(Builder& builder, Tables& tables, const ReadLimits& limits)
      : builder_(builder), tables_(tables), limits_(limits) {}

  /// Returns the node of `value` for a field that expects `slot`; null is an undefined node.
  NodeId read(json::Value value, Expects slot, ScopeId scope);
  /// The entries of a map of names.
  ListId read_string_map(json::Value value, Expects slot, ScopeId scope);
  /// An entry of `objects` that is not a function.
  NodeId read_object(json::Value entry);

  /// Makes an entry of a table unless something has referred to it before.
  NodeId read_entry(TableId table, std::uint32_t place, ScopeId scope);

 private:
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
  class StatementList;

  NodeId run(const Task& first);
  void step(const Task& task);
  void give(NodeId id, const Task& task);

  void visit(const Task& task);
  void visit_text(const Task& task);
  void visit_number(const Task& task);
  void visit_array(const Task& task);
  void visit_object(const Task& task);
  void visit_node(const Task& task, json::Value name);
  void visit_reference(const Task& task);
  void visit_entry(const Task& task);
  void refer(const Task& task, TableId table, json::Value id);
  void visit_statements(const Task& task);

  void begin(const Task& task);
  void expand_parts(const Task& task);
  void expand(const Task& task, const NodeMembers& members);
  void expand_field(const Task& task, const FieldInfo& field, json::Value value);
  void expand_map(const Task& task, const FieldInfo& field, json::Value value);
  void add_part(const Task& task, json::Value value, Expects slot);
  void push_expanded();

  void make(const Task& task);
  void make_node(const Task& task, const NodeMembers& members);
  FieldValue make_field(const Task& task, const FieldInfo& field, json::Value value);
  bool defines_same(Node known) const;
  FieldValue make_list(json::Value value);
  FieldValue make_map(const FieldInfo& field, json::Value value);
  void make_sequence(const Task& task);
  NodeId take() { return results_[taken_++]; }

  TableEntry& entry_of(const Task& task);
  void check_backward(const Task& reference) const;
  void check_dtype(json::Value reference, NodeId node) const;
  NodeId op(std::string_view name);
  NodeId function(json::Value name);
  NodeId object(json::Value id, json::Value reference);
  NodeId constant(json::Value id);

  Builder& builder_;
  Tables& tables_;
  const ReadLimits& limits_;
  std::unordered_map<std::uint32_t, NodeId> parts_;  // of KindTemplate::has_id, by id
  std::vector<Task> tasks_;                          // the next one last
  std::vector<Task> expanded_;                       // what one task gives rise to, in order
  std::vector<NodeId> results_;                      // parts of nodes that are not made yet
  std::vector<std::size_t> bases_;  // of nodes begun: number of results before their parts
  std::vector<FieldValue> values_;
  std::size_t taken_ = 0;  // the next result that `make` uses
};

}  // namespace mlf::tir::tir_json
