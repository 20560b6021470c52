#include "unit/tir/json/schema.h"

#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "mlf/tir/document.h"
#include "tir/json/format.h"
#include "unit/all_rows.h"

namespace mlf::tir::tir_json {
namespace {

using Json = nlohmann::ordered_json;

Json defined(std::string_view name) {
  return {{"$ref", "#/$defs/" + std::string(name)}};
}

Json any_of(const std::vector<Json>& schemas) {
  return {{"anyOf", schemas}};
}

Json or_null(const Json& schema) {
  return any_of({schema, {{"type", "null"}}});
}

Json array_of(const Json& items) {
  return {{"type", "array"}, {"items", items}};
}

Json one_of_words(const std::vector<std::string_view>& words) {
  return {{"enum", words}};
}

// An object that has all of `required`, may have `optional`, and nothing else.
Json closed(const Json& required, const Json& optional = Json::object()) {
  Json keys = Json::array();
  for (const auto& [key, schema] : required.items()) keys.push_back(key);
  Json properties = required;
  for (const auto& [key, schema] : optional.items()) properties[key] = schema;
  return {{"type", "object"},
          {"required", keys},
          {"properties", properties},
          {"additionalProperties", false}};
}

// A node where `slot` is expected, never null.
Json slot_schema(Expects slot) {
  switch (slot) {
    case Expects::expr:
      return defined("Expr");
    case Expects::var:
    case Expects::buffer:
      return defined("Id");
    case Expects::constant:
    case Expects::tensor:
      return any_of({defined("Id"), defined("ObjectReference")});
    case Expects::stmt:
      return defined("Stmts");
    case Expects::range:
      return defined("Range");
    case Expects::iter_var:
      return defined("IterVar");
    case Expects::buffer_region:
      return defined("BufferRegion");
    case Expects::match_buffer_region:
      return defined("MatchBufferRegion");
    case Expects::comm_reducer:
      return defined("CommReducer");
    case Expects::type:
      return defined("Type");
    case Expects::callee:
      return defined("Callee");
    default:
      return defined("Value");
  }
}

Json integer_schema(IntegerForm form) {
  if (form == IntegerForm::string) return defined("Integer64");
  return {{"type", "integer"}};
}

Json enumeration_schema(Expects which) {
  std::vector<std::string_view> names;
  for (const std::string_view name : enum_names(which)) {
    if (!name.empty()) names.push_back(name);
  }
  return one_of_words(names);
}

// Elements that may be null are in slots that take anything.
Json element_schema(Expects slot) {
  return may_be_null(slot) ? defined("ValueOrNull") : slot_schema(slot);
}

Json map_schema(const FieldInfo& field) {
  const Json value = element_schema(field.expects);
  if (field.type == FieldType::string_map) {
    return {{"type", "object"}, {"additionalProperties", value}};
  }
  return array_of({{"type", "array"},
                   {"prefixItems", {defined("ValueOrNull"), value}},
                   {"minItems", 2},
                   {"maxItems", 2}});
}

Json defined_field(Kind kind, const FieldInfo& field) {
  switch (field.type) {
    case FieldType::node:
      return slot_schema(field.expects);
    case FieldType::list:
      return array_of(element_schema(field.expects));
    case FieldType::string_map:
    case FieldType::node_map:
      return map_schema(field);
    case FieldType::string:
      return {{"type", "string"}};
    case FieldType::integer:
      return integer_schema(integer_form(kind));
    case FieldType::real:
      return defined("Real");
    case FieldType::boolean:
      return {{"type", "boolean"}};
    case FieldType::dtype:
      return defined("Dtype");
    case FieldType::enumeration:
      return enumeration_schema(field.expects);
    default:
      return array_of(integer_schema(integer_form(kind)));
  }
}

Json field_schema(Kind kind, const FieldInfo& field) {
  const Json schema = defined_field(kind, field);
  return field.nullable ? or_null(schema) : schema;
}

// Which of its two forms the value of an IntImm has follows from the dtype beside it. Generators of
// types, which pass over `if`, have the union of both.
Json int_imm_rule() {
  constexpr const char* kNarrow = "^(bool|u?int([1-9]|[12][0-9]|3[0-2])(x(vscalex)?[0-9]+)?)$";
  return {{"if", {{"properties", {{"dtype", {{"pattern", kNarrow}}}}}}},
          {"then", {{"properties", {{"value", {{"type", "integer"}}}}}}},
          {"else", {{"properties", {{"value", defined("Integer64")}}}}}};
}

struct Members {
  Json required = Json::object();
  Json optional = Json::object();
};

Members members_of(const KindInfo& kind) {
  Members members;
  for (const FieldInfo& field : kind.fields) {
    const std::string key(key_of(kind.kind, field));
    const auto scoped = scoped_field(kind.kind);
    if (scoped && &kind.fields[*scoped] == &field) continue;
    Json schema = field_schema(kind.kind, field);
    if (kind.kind == Kind::IntImm && key == "value") {
      schema = any_of({{{"type", "integer"}}, defined("Integer64")});
    }
    (may_be_absent(kind.kind, field) ? members.optional : members.required)[key] = schema;
  }
  members.optional["span"] = defined("ObjectReference");
  if (template_of(kind.kind).has_id) members.optional["id"] = defined("Id");
  return members;
}

Json node_schema(const KindInfo& kind) {
  const Members members = members_of(kind);
  Json required = {{"node", {{"const", kind.name}}}};
  if (scoped_field(kind.kind)) required["scope"] = defined("Id");
  required.update(members.required);
  Json schema = closed(required, members.optional);
  if (kind.kind == Kind::IntImm) schema.update(int_imm_rule());
  return schema;
}

Json object_schema(const KindInfo& kind) {
  const Members members = members_of(kind);
  Json required = {{"id", defined("Id")}, {"node", {{"const", kind.name}}}};
  required.update(members.required);
  return closed(required, members.optional);
}

// One of several definitions, told apart by their `node`. OpenAPI's keyword for that means nothing
// to a validator of JSON Schema; generators of types make a tagged union of it.
Json one_of_nodes(const std::vector<std::string>& definitions) {
  Json schema = {{"oneOf", Json::array()}, {"discriminator", {{"propertyName", "node"}}}};
  for (const std::string& name : definitions) schema["oneOf"].push_back(defined(name));
  return schema;
}

Json one_of(const std::vector<std::string>& definitions) {
  Json schema = {{"oneOf", Json::array()}};
  for (const std::string& name : definitions) schema["oneOf"].push_back(defined(name));
  return schema;
}

bool is_inline(const KindInfo& kind) {
  switch (kind.category) {
    case Category::expr:
      return !is_var(kind.kind);
    case Category::type:
    case Category::part:
    case Category::stmt:
      return true;
    case Category::value:
      return kind.kind != Kind::String && kind.kind != Kind::Array;
    default:
      return false;
  }
}

bool is_in_objects(const KindInfo& kind) {
  switch (kind.category) {
    case Category::object:
    case Category::type:
    case Category::module:
      return kind.kind != Kind::Op;
    case Category::value:
      return kind.kind != Kind::String;
    default:
      return false;
  }
}

void append_nodes(std::vector<std::string>& names, Category category) {
  for (const KindInfo& kind : all_kinds()) {
    if (is_inline(kind) && kind.category == category) names.emplace_back(kind.name);
  }
}

std::vector<std::string> nodes_of(Category category) {
  std::vector<std::string> names;
  append_nodes(names, category);
  return names;
}

std::vector<std::string> expression_nodes() {
  std::vector<std::string> names{"VarReference", "ExprReference"};
  append_nodes(names, Category::expr);
  return names;
}

void add_scalars(Json& defs) {
  defs["Id"] = {{"type", "integer"}, {"minimum", 0}};
  defs["Integer64"] = {{"type", "string"}, {"pattern", "^-?(0|[1-9][0-9]*)$"}};
  defs["Real"] = any_of({{{"type", "number"}}, one_of_words({"inf", "-inf", "nan", "-nan"})});
  defs["Sha256"] = {{"type", "string"}, {"pattern", "^[0-9a-f]{64}$"}};
  defs["Dtype"] = {
      {"type", "string"},
      {"pattern",
       "^(void|bool|handle(x(vscalex)?[0-9]+)?|"
       "(u?int|b?float|e4m3_float|e5m2_float|custom\\[[^\\]]*\\])[0-9]+(x(vscalex)?[0-9]+)?)$"}};
}

void add_references(Json& defs) {
  defs["ObjectReference"] = closed({{"object", defined("Id")}});
  defs["VarReference"] =
      closed({{"node", {{"const", "Var"}}}, {"dtype", defined("Dtype")}, {"var", defined("Id")}});
  defs["ExprReference"] = closed(
      {{"node", {{"const", "ExprRef"}}}, {"dtype", defined("Dtype")}, {"expr", defined("Id")}});
  const Json text = {{"type", "string"}};
  defs["ConstantReference"] = closed({{"constant", defined("Id")}});
  defs["BufferReference"] = closed({{"buffer", defined("Id")}});
  defs["OpReference"] = closed({{"op", text}});
  defs["GlobalVarReference"] = closed({{"global_var", text}});
  defs["FunctionReference"] = closed({{"function", text}});
  defs["StmtsReference"] = closed({{"statements", defined("Stmts")}});
  defs["Reference"] =
      one_of({"ObjectReference", "ConstantReference", "BufferReference", "OpReference",
              "GlobalVarReference", "FunctionReference", "StmtsReference"});
  defs["Callee"] = any_of({text, defined("ObjectReference"), defined("GlobalVarReference")});
}

void add_unions(Json& defs) {
  defs["ExprNode"] = one_of_nodes(expression_nodes());
  defs["Expr"] = one_of({"ObjectReference", "ExprNode"});
  defs["Stmt"] = one_of_nodes(nodes_of(Category::stmt));
  defs["Stmts"] = array_of(defined("Stmt"));
  defs["Stmts"]["minItems"] = 1;
  defs["TypeNode"] = one_of_nodes(nodes_of(Category::type));
  defs["Type"] = one_of({"ObjectReference", "TypeNode"});
  std::vector<std::string> nodes = expression_nodes();
  for (const Category category : {Category::type, Category::part, Category::value}) {
    append_nodes(nodes, category);
  }
  defs["ValueNode"] = one_of_nodes(nodes);
  defs["Value"] = any_of({{{"type", "string"}},
                          array_of(defined("ValueOrNull")),
                          defined("ValueNode"),
                          defined("Reference")});
  defs["ValueOrNull"] = or_null(defined("Value"));
}

void add_kinds(Json& defs) {
  for (const KindInfo& kind : all_kinds()) {
    if (is_inline(kind)) defs[std::string(kind.name)] = node_schema(kind);
  }
  std::vector<std::string> objects{"PrimFuncObject"};
  for (const KindInfo& kind : all_kinds()) {
    if (!is_in_objects(kind)) continue;
    const std::string definition = std::string(kind.name) + "Object";
    defs[definition] = object_schema(kind);
    objects.push_back(definition);
  }
  defs["ObjectEntry"] = one_of_nodes(objects);
}

Json table(std::string_view entry) {
  return array_of(defined(entry));
}

void add_tables(Json& defs) {
  const Json text = {{"type", "string"}};
  defs["Variable"] = closed({{"id", defined("Id")},
                             {"name", text},
                             {"node", one_of_words({"Var", "SizeVar"})},
                             {"dtype", defined("Dtype")},
                             {"type_annotation", or_null(defined("Type"))}},
                            {{"name_hint", text}, {"span", defined("ObjectReference")}});
  Members buffer = members_of(info(Kind::Buffer));
  Json required = {{"id", defined("Id")}, {"name", text}};
  required.update(buffer.required);
  buffer.optional["name_hint"] = text;
  defs["Buffer"] = closed(required, buffer.optional);
  // Its bytes are in the document, or in a file beside it.
  const auto constant = [&](const char* place, const Json& schema) {
    return closed({{"id", defined("Id")},
                   {"dtype", defined("Dtype")},
                   {"shape", array_of({{"type", "integer"}})},
                   {"bytes", defined("Id")},
                   {"sha256", or_null(defined("Sha256"))},
                   {place, schema}},
                  {{"recovered", text}});
  };
  defs["InlineConstant"] = constant("data", {{"type", {"string", "null"}}});
  defs["FileConstant"] = constant("file", text);
  defs["Constant"] = one_of({"InlineConstant", "FileConstant"});
}

void add_functions(Json& defs) {
  const Json text = {{"type", "string"}};
  defs["AttrsMap"] = {{"type", "object"}, {"additionalProperties", defined("ValueOrNull")}};
  defs["Attrs"] = any_of({defined("ObjectReference"), defined("AttrsMap"), {{"type", "null"}}});
  defs["BufferMapEntry"] = closed({{"param", defined("Id")}, {"buffer", defined("Id")}});
  defs["BufferMap"] = table("BufferMapEntry");
  const Json content = {{"attrs", defined("Attrs")},
                        {"ret_type", defined("Type")},
                        {"vars", table("Variable")},
                        {"buffers", table("Buffer")},
                        {"params", array_of(defined("Id"))},
                        {"buffer_map", defined("BufferMap")},
                        {"exprs", table("Expr")},
                        {"body", defined("Stmts")}};
  const Json optional = {{"_checked_type_", defined("Type")},
                         {"preflattened_buffer_map", defined("BufferMap")},
                         {"span", defined("ObjectReference")}};
  Json object = {{"id", defined("Id")}, {"node", {{"const", "PrimFunc"}}}};
  object.update(content);
  defs["PrimFuncObject"] = closed(object, optional);
  defs["GlobalVar"] = closed(Json::object(), {{"virtual_device_", defined("Value")},
                                              {"_checked_type_", defined("Type")},
                                              {"struct_info_", defined("Value")},
                                              {"span", defined("ObjectReference")}});
  Json function = {{"name", text},
                   {"global_symbol", {{"type", {"string", "null"}}}},
                   {"role", one_of_words({"main", "operator", "host", "device"})}};
  function.update(content);
  const Json position = {{"type", "integer"}, {"minimum", 1}};
  defs["CPlace"] =
      closed({{"member", text}, {"line", position}, {"column", position}, {"last_line", position}});
  const Json text_or_null = {{"type", {"string", "null"}}};
  defs["ImportedC"] = closed({{"name", text_or_null}, {"signature", text_or_null}, {"text", text}});
  Json function_optional = {{"c", defined("CPlace")}, {"global_var", defined("GlobalVar")}};
  function_optional.update(optional);
  defs["PrimFunc"] = closed(function, function_optional);
  defs["OtherFunction"] = closed({{"name", text}, {"function", defined("Value")}},
                                 {{"global_var", defined("GlobalVar")}});
  defs["ModuleFunction"] = one_of({"PrimFunc", "OtherFunction"});
}

std::vector<std::string_view> dialect_names() {
  std::vector<std::string_view> names;
  for (const Dialect dialect :
       {Dialect::save_json, Dialect::tvmscript, Dialect::legacy_text, Dialect::tir_json,
        Dialect::old_tvmscript, Dialect::c}) {
    names.push_back(to_string(dialect));
  }
  return names;
}

void add_head(Json& defs) {
  const Json text = {{"type", "string"}};
  const Json minor = {{"type", "string"}, {"pattern", "^0\\.[0-9]+$"}};
  defs["TvmVersion"] = closed({{"first", minor}, {"last", minor}}, {{"exact", text}});
  defs["Source"] = closed({{"member", text},
                           {"dialect", one_of_words(dialect_names())},
                           {"stage", text},
                           {"tvm_version", defined("TvmVersion")},
                           {"sha256", defined("Sha256")}});
  defs["TargetValue"] = any_of({{{"type", "boolean"}},
                                {{"type", "integer"}},
                                {{"type", "string"}},
                                array_of(defined("TargetValue"))});
  defs["UnparsedTarget"] = closed({{"text", text}});
  defs["ParsedTarget"] =
      closed({{"text", text},
              {"kind", text},
              {"tag", text},
              {"keys", array_of(text)},
              {"attrs", {{"type", "object"}, {"additionalProperties", defined("TargetValue")}}},
              {"device_type", {{"type", {"integer", "null"}}}},
              {"host", or_null(defined("Target"))}});
  defs["Target"] = one_of({"UnparsedTarget", "ParsedTarget"});
  std::vector<std::string_view> codes;
  for (const LossInfo& loss : all_losses()) codes.push_back(loss.code);
  defs["LossPlace"] = closed({{"function", {{"type", {"string", "null"}}}},
                              {"name", {{"type", {"string", "null"}}}},
                              {"count", {{"type", "integer"}, {"minimum", 1}}}});
  defs["Loss"] = closed({{"code", one_of_words(codes)},
                         {"severity", one_of_words({"semantic", "approximate", "cosmetic"})},
                         {"scope", one_of_words({"everywhere", "module", "function"})},
                         {"fields", array_of(text)},
                         {"subject", {{"type", {"string", "null"}}}},
                         {"places", table("LossPlace")}});
}

}  // namespace

std::string schema_text() {
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"$id", "https://mlf.invalid/schemas/tir.schema.json"},
                 {"title", "TirDocument"},
                 {"description",
                  "TIR of one module, as mlf writes it: tir-N.json. The specification is tir.md "
                  "beside this file. Made from include/mlf/tir/nodes.def; do not edit."}};
  const Json document = closed({{"format", {{"const", kFormat}}},
                                {"version", {{"const", kVersion}}},
                                {"generator", {{"type", "string"}}},
                                {"source", defined("Source")},
                                {"target", or_null(defined("Target"))},
                                {"attrs", defined("Attrs")},
                                {"losses", table("Loss")},
                                {"constants", table("Constant")},
                                {"vars", table("Variable")},
                                {"buffers", table("Buffer")},
                                {"exprs", table("Expr")},
                                {"objects", table("ObjectEntry")},
                                {"functions", table("ModuleFunction")}},
                               {{"type_definitions", defined("Value")},
                                {"global_type_var_map_", defined("Value")},
                                {"source_map", defined("Value")},
                                {"global_infos", defined("Value")},
                                {"global_var_map_", defined("Value")},
                                {"source_nodes", defined("StringMap")},
                                {"span", defined("ObjectReference")},
                                {"imported_c", table("ImportedC")}});
  schema.update(document);
  Json defs = Json::object();
  add_scalars(defs);
  add_references(defs);
  add_head(defs);
  add_tables(defs);
  add_functions(defs);
  add_unions(defs);
  add_kinds(defs);
  // Generators name a type by its title or by its definition, as they like.
  for (auto& [name, definition] : defs.items()) definition["title"] = name;
  schema["$defs"] = defs;
  return schema.dump(1) + "\n";
}

}  // namespace mlf::tir::tir_json
