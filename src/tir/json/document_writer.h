// tir-N.json as a whole: the tables of the module, then its functions.
#pragma once

#include <optional>
#include <vector>

#include "json/writer.h"
#include "mlf/tir/write.h"
#include "tir/json/node_writer.h"
#include "tir/json/outline.h"
#include "tir/json/scope_plan.h"

namespace mlf::tir::tir_json {

class DocumentWriter {
 public:
  DocumentWriter(const Document& document, const JsonOptions& options, support::ByteSink& sink);

  std::vector<ConstantFile> write();

 private:
  Node node(NodeId id) const { return {outline_.module(), id}; }
  void plan(ScopePlan& plan, std::span<const Node> roots);
  void plan_module();
  void write_module_fields();
  void write_objects();
  void write_functions();
  void write_function(Node global_var, Node function);
  void write_global_var(Node global_var);
  void write_prim_func(Node function);
  void write_attrs(Node attrs);
  void write_buffer_map(std::string_view key, NodeMap map);
  void write_tables(const ScopePlan& plan);
  void write_exprs(const ScopePlan& plan);
  void write_var(Node var);
  void write_buffer(Node buffer);
  void write_name(Node named, std::string_view hint);
  void write_span(Node node);

  const Document& document_;
  const JsonOptions& options_;
  json::Writer emitter_;
  Outline outline_;
  Identities identities_;
  ScopePlan module_plan_;
  ScopePlan function_plan_;
  NodeWriter nodes_;
  std::uint64_t written_ = 0;
};

}  // namespace mlf::tir::tir_json
