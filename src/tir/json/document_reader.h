// tir-N.json back into a module.
#pragma once

#include "mlf/tir/document.h"
#include "tir/json/constants_reader.h"
#include "tir/json/node_reader.h"
#include "tir/json/tables.h"

namespace mlf::tir::json {

class DocumentReader {
 public:
  DocumentReader(const support::JsonDocument& json, const ReadLimits& limits,
                 const FileSource& files)
      : json_(json), files_(files), nodes_(builder_, tables_, limits) {}

  Document read();

 private:
  void declare_functions(support::JsonValue functions);
  ScopeId add_scope(support::JsonValue owner);
  void add_entries(support::JsonValue table, TableId id, ScopeId scope);
  void check_entry(support::JsonValue entry, TableId id, std::size_t place) const;
  void add_exprs(support::JsonValue table, ScopeId scope);
  void make_entries(ScopeId scope);
  void read_objects(support::JsonValue objects);
  NodeId read_object(support::JsonValue entry, std::optional<ScopeId> scope);
  std::vector<FieldValue> read_prim_func(support::JsonValue object, ScopeId scope);
  NodeId read_attrs(support::JsonValue value, ScopeId scope);
  ListId read_buffer_map(support::JsonValue value, ScopeId scope);
  ListId read_params(support::JsonValue value, ScopeId scope);
  NodeId read_function(support::JsonValue entry, NodeId global_var);
  NodeId read_named_prim_func(support::JsonValue entry, ScopeId scope);
  void read_global_var(support::JsonValue entry, NodeId global_var, ScopeId scope);
  void check_derived(support::JsonValue entry, NodeId function) const;
  NodeId read_module(support::JsonValue root);
  void read_span(support::JsonValue object, NodeId id, ScopeId scope);

  const support::JsonDocument& json_;
  const FileSource& files_;
  Builder builder_;
  Tables tables_;
  std::vector<Recovered> recovered_;
  NodeReader nodes_;
  struct Range {
    std::size_t first;
    std::size_t last;
  };
  std::vector<Range> vars_of_;  // by scope
  std::vector<Range> buffers_of_;
};

}  // namespace mlf::tir::json
