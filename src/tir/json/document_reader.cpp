// Reads tir-N.json into a module.
#include <fmt/core.h>

#include <map>
#include <string>

#include "support/name_map.h"
#include "tir/json/constants.h"
#include "tir/json/format.h"
#include "tir/json/head.h"
#include "tir/json/members.h"
#include "tir/json/node_reader.h"
#include "tir/node_queries.h"
#include "tir/reader.h"

namespace mlf::tir::tir_json {
namespace {

bool is_prim_func(json::Value object) {
  const auto name = object.find("node");
  return name && name->is_string() && name->text() == info(Kind::PrimFunc).name;
}

void check_id(json::Value entry, std::size_t expected) {
  const json::Value id = entry.at("id");
  if (expect_index(id) != expected) id.fail(fmt::format("expected the id {} here", expected));
}

/// One document, read once.
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
            .recovered = std::move(recovered_),
            .left_out = std::move(left_out_),
            .c_places = std::move(c_places_),
            .imported_c = std::move(imported)};
  }

 private:
  // Order matters. Any part may refer to constants and to names of functions. Objects may refer to
  // the module's tables. Functions come last and may refer to everything.
  NodeId read_module(json::Value root) {
    ConstantTable constants = read_constants(builder_, root.at("constants"));
    tables_.constants = std::move(constants.arrays);
    recovered_ = std::move(constants.recovered);
    left_out_ = std::move(constants.left_out);
    const json::Value entries = root.at("functions");
    declare_functions(entries);
    const ScopeId scope = add_scope(root);
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

  // Every GlobalVar must exist before the reader meets the first call of one.
  void declare_functions(json::Value functions) {
    functions.expect(json::Type::array);
    for (const json::Value entry : functions.elements()) {
      const json::Value name = entry.at("name");
      const NodeId global_var = builder_.make(
          Kind::GlobalVar, {read_string(builder_, name), NodeId::none, NodeId::none, NodeId::none});
      if (!tables_.global_vars.emplace(name.text(), global_var).second) {
        name.fail(message_of_repeated_function(name.text()));
      }
      // An entry with "function" refers to an object.
      if (!entry.find("function")) tables_.functions.emplace(name.text(), NodeId::none);
    }
  }

  // Ids of variables and buffers count through the whole document. Those of expressions begin at 0
  // in each function, so their table is freed with the function.
  ScopeId add_scope(json::Value owner) {
    const auto scope = static_cast<ScopeId>(tables_.exprs.size());
    tables_.exprs.emplace_back();
    tables_.exprs_end.push_back(0);
    vars_of_.push_back({tables_.vars.size(), 0});
    buffers_of_.push_back({tables_.buffers.size(), 0});
    add_entries(owner.at("vars"), TableId::vars, scope);
    add_entries(owner.at("buffers"), TableId::buffers, scope);
    add_exprs(owner.at("exprs"), scope);
    vars_of_.back().last = tables_.vars.size();
    buffers_of_.back().last = tables_.buffers.size();
    return scope;
  }

  void add_entries(json::Value table, TableId id, ScopeId scope) {
    table.expect(json::Type::array);
    std::vector<TableEntry>& entries = tables_.table(id, scope);
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

  // Runs before any entry is made: a reference by id relies on the kind of its entry.
  void check_entry(json::Value entry, TableId id, std::size_t place) const {
    if (!entry.is_object()) entry.fail("expected an object");
    check_id(entry, place);
    if (id == TableId::buffers) return;
    const json::Value node = entry.at("node");
    const auto kind = kind_named(node.as_string());
    if (!kind || !is_var(*kind)) node.fail("expected \"Var\" or \"SizeVar\"");
  }

  // Records where the table ends in the text, to decide whether a reference is inside of it.
  void add_exprs(json::Value table, ScopeId scope) {
    table.expect(json::Type::array);
    auto& exprs = tables_.exprs[scope];
    for (const json::Value entry : table.elements()) {
      if (!entry.is_object()) entry.fail("expected an expression");
      const json::Value node = entry.at("node");
      const auto kind = kind_named(node.as_string());
      if (!kind || info(*kind).category != Category::expr || is_var(*kind)) {
        node.fail(fmt::format("\"{}\" is not an expression for this table", node.text()));
      }
      exprs.push_back({.json = entry, .scope = scope});
    }
    tables_.exprs_end[scope] = (*table.elements().end()).index();
  }

  // Also makes entries without references: the document has them because the module has them.
  void make_entries(ScopeId scope) {
    const auto make = [&](TableId table, Range places) {
      for (std::size_t at = places.first; at < places.last; ++at) {
        nodes_.read_entry(table, static_cast<std::uint32_t>(at), scope);
      }
    };
    make(TableId::vars, vars_of_[scope]);
    make(TableId::buffers, buffers_of_[scope]);
    make(TableId::exprs, {0, tables_.exprs[scope].size()});
  }

  void read_objects(json::Value objects) {
    objects.expect(json::Type::array);
    // All scopes first: an object may refer to a variable of a later function.
    std::vector<std::optional<ScopeId>> scopes;
    for (const json::Value entry : objects.elements()) {
      if (!entry.is_object()) entry.fail("expected an object");
      scopes.push_back(is_prim_func(entry) ? std::optional(add_scope(entry)) : std::nullopt);
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
    return builder_.make(Kind::DictAttrs,
                         {nodes_.read_string_map(value, Expects::attr_value, scope)});
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
    const ScopeId scope = add_scope(entry);
    const NodeId function = read_named_prim_func(entry, scope);
    read_span(entry, function, scope);
    read_global_var(entry, global_var, scope);
    check_derived(entry, function);
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

  // Redundant keys are for the convenience of readers. They must agree with the keys that they
  // follow from.
  void check_derived(json::Value entry, NodeId function) const {
    const Node node = builder_.node(function);
    const json::Value role = entry.at("role");
    const std::string_view derived =
        to_string(role_of(builder_.node(tables_.global_vars.at(entry.at("name").text()))
                              .text(f::GlobalVar::name_hint),
                          node));
    if (role.as_string() != derived) {
      role.fail(fmt::format("by its attributes this function's role is \"{}\"", derived));
    }
    const json::Value symbol = entry.at("global_symbol");
    const bool named = global_symbol_of(node).has_value();
    if (!symbol.is_null()) symbol.as_string();
    if (symbol.is_null() == named) symbol.fail("this is not the attribute global_symbol");
  }

  void read_span(json::Value object, NodeId id, ScopeId scope) {
    const auto span = object.find("span");
    if (span) builder_.set_span(id, nodes_.read(*span, Expects::object, scope));
  }

  const json::Document& json_;
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

}  // namespace
}  // namespace mlf::tir::tir_json

namespace mlf::tir {

Document read_tir_json(const support::SourceText& source, const ReadLimits& limits) {
  const json::Document document(source, {limits.max_nesting, json::Strings::any_bytes});
  return tir_json::DocumentReader(document, limits).read();
}

}  // namespace mlf::tir
