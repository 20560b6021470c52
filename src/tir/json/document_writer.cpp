// tir-N.json as a whole: the tables of the module, then its functions.

#include <span>
#include <vector>

#include "json/writer.h"
#include "mlf/tir/visit.h"
#include "mlf/tir/write.h"
#include "support/error.h"
#include "tir/json/constants.h"
#include "tir/json/format.h"
#include "tir/json/head.h"
#include "tir/json/node_writer.h"
#include "tir/json/outline.h"
#include "tir/written_size.h"

namespace mlf::tir::tir_json {
namespace {

/// Writes one document; used once.
class DocumentWriter {
 public:
  DocumentWriter(const Document& document, const JsonOptions& options, support::ByteSink& sink)
      : document_(document),
        options_(options),
        emitter_(sink, options.layout),
        outline_(document.module),
        identities_(document.module),
        module_plan_(outline_, identities_),
        function_plan_(outline_, identities_),
        nodes_(emitter_, outline_, identities_) {}

  // Streams the document. Tables precede the references to them, so the writer plans a scope before
  // its first byte and keeps only the plan.
  std::vector<ConstantFile> write() {
    plan_module();
    emitter_.begin_object();
    write_head(emitter_, document_);
    nodes_.set_plan(module_plan_);
    write_module_fields();
    write_losses(emitter_, document_);
    write_imported_c(emitter_, document_);
    std::vector<ConstantFile> files = write_constants(emitter_, outline_, document_, options_);
    write_tables(module_plan_);
    write_exprs(module_plan_);
    write_objects();
    write_functions();
    emitter_.end_object();
    emitter_.end_line();
    emitter_.flush();
    return files;
  }

 private:
  Node node(NodeId id) const { return {outline_.module(), id}; }

  void write_field(std::string_view key, Node node, std::uint8_t field) {
    emitter_.key(key);
    nodes_.write_field(node, field);
  }

  void plan(ScopePlan& plan, std::span<const NodeId> roots) {
    plan.plan(roots);
    // A DAG of n nodes can become 2^n nodes in the document. Shared expressions go into tables, but
    // statements cannot, so the writer counts before it writes.
    written_ += plan.written();
    const std::uint64_t limit = written_limit(outline_.module(), options_.max_written_nodes);
    if (plan.written() == UINT32_MAX || written_ > limit) refuse_written_size(limit);
  }

  // Roots are written outside functions: fields of the module and objects. A PrimFunc among them
  // has its own scope.
  void plan_module() {
    std::vector<NodeId> roots;
    const Node root = outline_.module().root();
    const auto add_inline = [&](Node part) {
      if (!outline_.is_reference(part.id())) roots.push_back(part.id());
    };
    for_each_child(root, [&](Node part, const FieldInfo& field) {
      if (field.type == FieldType::node) add_inline(part);
    });
    for (const NodeId id : outline_.objects()) {
      if (!node(id).is(Kind::PrimFunc)) roots.push_back(id);
    }
    plan(module_plan_, roots);
  }

  void write_module_fields() {
    const Node root = outline_.module().root();
    emitter_.key("attrs");
    write_attrs(root[f::IRModule::attrs]);
    const auto fields = root.info().fields;
    for (std::uint8_t i = 0; i < fields.size(); ++i) {
      if (fields[i].type != FieldType::node || i == f::IRModule::attrs || !root[i]) continue;
      write_field(key_of(Kind::IRModule, fields[i]), root, i);
    }
    write_span(root);
  }

  void write_objects() {
    emitter_.key("objects");
    emitter_.begin_array();
    for (std::size_t id = 0; id < outline_.objects().size(); ++id) {
      const NodeId root = outline_.objects()[id];
      const Node object = node(root);
      emitter_.begin_object();
      emitter_.member("id", id);
      if (object.is(Kind::PrimFunc)) {
        emitter_.member("node", object.info().name);
        plan(function_plan_, std::span(&root, 1));
        nodes_.set_plan(function_plan_);
        write_prim_func(object);
        nodes_.set_plan(module_plan_);
      } else {
        nodes_.write_fields(object);
      }
      emitter_.end_object();
    }
    emitter_.end_array();
  }

  void write_functions() {
    emitter_.objects("functions", functions_of(outline_.module()),
                     [&](json::Writer&, const NamedFunction& function) {
                       write_function(function.key, function.function);
                     });
  }

  // The GlobalVar is in the function's scope, because its checked type may use the function's
  // variables.
  void write_function(Node global_var, Node function) {
    const NodeId roots[] = {global_var.id(), function.id()};
    // Functions of other kinds, such as Relay's, are objects.
    const bool own = function.is(Kind::PrimFunc);
    plan(function_plan_, std::span(roots, own ? 2 : 1));
    nodes_.set_plan(function_plan_);
    const std::string_view name = global_var.text(f::GlobalVar::name_hint);
    emitter_.member("name", name);
    if (own) {
      emitter_.member("global_symbol", global_symbol_of(function));
      // Follows from the attributes; with it, readers find main without TVM's rules.
      emitter_.member("role", to_string(role_of(name, function)));
    }
    write_c_place(emitter_, document_, name);
    write_global_var(global_var);
    if (own) return write_prim_func(function);
    emitter_.key("function");
    nodes_.write(function, Expects::any);
  }

  // The function already has the name; only the other fields of the GlobalVar need an object.
  void write_global_var(Node global_var) {
    const auto fields = global_var.info().fields;
    const Node span = outline_.module().span(global_var.id());
    bool plain = !span;
    for (std::uint8_t i = f::GlobalVar::virtual_device; i < fields.size(); ++i) {
      plain = plain && !global_var[i];
    }
    if (plain) return;
    emitter_.object("global_var", [&] {
      for (std::uint8_t i = f::GlobalVar::virtual_device; i < fields.size(); ++i) {
        if (!global_var[i]) continue;
        write_field(key_of(Kind::GlobalVar, fields[i]), global_var, i);
      }
      write_span(global_var);
    });
  }

  // `vars` and `buffers` precede parameters, and `exprs` precede the body, so a one-pass reader
  // meets every definition before its uses.
  void write_prim_func(Node function) {
    emitter_.key("attrs");
    write_attrs(function[f::PrimFunc::attrs]);
    write_field("ret_type", function, f::PrimFunc::ret_type);
    if (function[f::PrimFunc::checked_type]) {
      write_field("_checked_type_", function, f::PrimFunc::checked_type);
    }
    write_tables(function_plan_);
    write_field("params", function, f::PrimFunc::params);
    write_buffer_map("buffer_map", function.map(f::PrimFunc::buffer_map));
    const NodeMap preflattened = function.map(f::PrimFunc::preflattened_buffer_map);
    if (preflattened.defined()) write_buffer_map("preflattened_buffer_map", preflattened);
    write_exprs(function_plan_);
    write_field("body", function, f::PrimFunc::body);
    write_span(function);
  }

  // Writes a DictAttrs that only this place uses as its map.
  void write_attrs(Node attrs) {
    if (attrs && !outline_.is_reference(attrs.id())) {
      return nodes_.write_field(attrs, f::DictAttrs::dict);
    }
    nodes_.write(attrs, Expects::attributes);
  }

  void write_buffer_map(std::string_view key, NodeMap map) {
    emitter_.key(key);
    emitter_.begin_array();
    for (std::size_t i = 0; i < map.size(); ++i) {
      emitter_.begin_object();
      emitter_.key("param");
      nodes_.write(map.key(i), Expects::var);
      emitter_.key("buffer");
      nodes_.write(map.value(i), Expects::buffer);
      emitter_.end_object();
    }
    emitter_.end_array();
  }

  void write_tables(const ScopePlan& plan) {
    for (const auto& [key, entries] :
         {std::pair("vars", &plan.vars()), std::pair("buffers", &plan.buffers())}) {
      emitter_.objects(key, *entries, [&](json::Writer&, NodeId id) { write_entry(node(id)); });
    }
  }

  void write_exprs(const ScopePlan& plan) {
    emitter_.objects("exprs", plan.exprs(),
                     [&](json::Writer&, NodeId id) { nodes_.write_fields(node(id)); });
  }

  // TVM allows any number of variables with one name. The document has it as the hint only if it
  // differs from the unique name.
  void write_entry(Node named) {
    const Identities::Identity& entry = identities_[named.id()];
    emitter_.member("id", entry.id);
    emitter_.member("name", entry.name);
    const std::string_view hint = name_of(named);
    if (entry.name != hint) emitter_.member("name_hint", hint);
    nodes_.write_fields(named);
  }

  void write_span(Node node) {
    const Node span = node.module().span(node.id());
    if (!span) return;
    emitter_.key("span");
    nodes_.write(span, Expects::object);
  }

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

}  // namespace
}  // namespace mlf::tir::tir_json

namespace mlf::tir {

Result<std::vector<ConstantFile>> write_tir_json(const Document& document,
                                                 const JsonOptions& options, const Sink& sink) {
  return support::to_result([&] {
    support::FunctionSink bytes(sink);
    return tir_json::DocumentWriter(document, options, bytes).write();
  });
}

}  // namespace mlf::tir
