// tir-N.json back into a module.
#pragma once

#include <map>
#include <string>

#include "mlf/tir/document.h"
#include "support/source_text.h"
#include "tir/json/constants.h"
#include "tir/json/node_reader.h"

namespace mlf::tir::tir_json {

class DocumentReader {
 public:
  DocumentReader(const json::Document& json, const ReadLimits& limits, const FileSource& files)
      : json_(json), files_(files), nodes_(builder_, tables_, limits) {}

  Document read();

 private:
  void declare_functions(json::Value functions);
  ScopeId add_scope(json::Value owner);
  void add_entries(json::Value table, TableId id, ScopeId scope);
  void check_entry(json::Value entry, TableId id, std::size_t place) const;
  void add_exprs(json::Value table, ScopeId scope);
  void make_entries(ScopeId scope);
  void read_objects(json::Value objects);
  NodeId read_object(json::Value entry, std::optional<ScopeId> scope);
  std::vector<FieldValue> read_prim_func(json::Value object, ScopeId scope);
  NodeId read_attrs(json::Value value, ScopeId scope);
  ListId read_buffer_map(json::Value value, ScopeId scope);
  ListId read_params(json::Value value, ScopeId scope);
  NodeId read_function(json::Value entry, NodeId global_var);
  NodeId read_named_prim_func(json::Value entry, ScopeId scope);
  void read_global_var(json::Value entry, NodeId global_var, ScopeId scope);
  void check_derived(json::Value entry, NodeId function) const;
  NodeId read_module(json::Value root);
  void read_span(json::Value object, NodeId id, ScopeId scope);

  const json::Document& json_;
  const FileSource& files_;
  Builder builder_;
  Tables tables_;
  std::vector<Recovered> recovered_;
  std::vector<LeftOut> left_out_;
  std::map<std::string, CodePlace, std::less<>> c_places_;
  NodeReader nodes_;
  struct Range {
    std::size_t first;
    std::size_t last;
  };
  std::vector<Range> vars_of_;  // by scope
  std::vector<Range> buffers_of_;
};

/// `files` may be empty: constants in files have no data then.
Document read_tir_json(const support::SourceText& source, const ReadLimits& limits,
                       const FileSource& files);

}  // namespace mlf::tir::tir_json
