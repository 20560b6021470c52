#include "unit/tir/json/schema.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "mlf/tir/document.h"
#include "tir/json/format.h"

namespace mlf::tir::tir_json {
namespace {

using Json = nlohmann::ordered_json;

Json defined(std::string_view name) {
  return {{"$ref", "#/$defs/" + std::string(name)}};
}

Json or_null(const Json& schema) {
  return {{"if", {{"type", "null"}}}, {"then", true}, {"else", schema}};
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
      return defined("expr");
    case Expects::var:
    case Expects::buffer:
      return defined("id");
    case Expects::constant:
    case Expects::tensor:
      return {{"anyOf", {defined("id"), defined("object_reference")}}};
    case Expects::stmt:
      return defined("statements");
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
      return defined("type");
    case Expects::callee:
      return defined("callee");
    default:
      return defined("value");
  }
}

Json integer_schema(IntegerForm form) {
  if (form == IntegerForm::string) return defined("integer64");
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
  return may_be_null(slot) ? defined("value_or_null") : slot_schema(slot);
}

Json map_schema(const FieldInfo& field) {
  const Json value = element_schema(field.expects);
  if (field.type == FieldType::string_map) {
    return {{"type", "object"}, {"additionalProperties", value}};
  }
  return array_of({{"type", "array"},
                   {"prefixItems", {defined("value_or_null"), value}},
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
      return defined("real");
    case FieldType::boolean:
      return {{"type", "boolean"}};
    case FieldType::dtype:
      return defined("dtype");
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

// The two sorts of integers by the dtype beside them.
Json int_imm_rule() {
  constexpr const char* kNarrow = "^(bool|u?int([1-9]|[12][0-9]|3[0-2])(x(vscalex)?[0-9]+)?)$";
  return {{"if", {{"properties", {{"dtype", {{"pattern", kNarrow}}}}}}},
          {"then", {{"properties", {{"value", {{"type", "integer"}}}}}}},
          {"else", {{"properties", {{"value", defined("integer64")}}}}}};
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
    if (kind.kind == Kind::IntImm && key == "value") schema = true;  // int_imm_rule says which
    (may_be_absent(kind.kind, field) ? members.optional : members.required)[key] = schema;
  }
  members.optional["span"] = defined("object_reference");
  return members;
}

Json node_schema(const KindInfo& kind) {
  const Members members = members_of(kind);
  Json required = {{"node", {{"const", kind.name}}}};
  if (scoped_field(kind.kind)) required["scope"] = defined("id");
  required.update(members.required);
  Json schema = closed(required, members.optional);
  if (kind.kind == Kind::IntImm) schema.update(int_imm_rule());
  return schema;
}

Json object_schema(const KindInfo& kind) {
  const Members members = members_of(kind);
  Json required = {{"id", defined("id")}, {"node", {{"const", kind.name}}}};
  required.update(members.required);
  return closed(required, members.optional);
}

struct Choice {
  std::string node;
  std::string definition;
};

// Which definition applies is decided by `node`: a chain, so that a validator looks at one only.
Json chain(const std::vector<Choice>& choices) {
  Json schema = false;
  for (auto choice = choices.rbegin(); choice != choices.rend(); ++choice) {
    schema = Json{{"if", {{"properties", {{"node", {{"const", choice->node}}}}}}},
                  {"then", defined(choice->definition)},
                  {"else", schema}};
  }
  Json whole = {{"type", "object"}, {"required", {"node"}}};
  whole.update(schema);
  return whole;
}

bool stands_inline(const KindInfo& kind) {
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

bool stands_in_objects(const KindInfo& kind) {
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

template <class Predicate>
std::vector<Choice> choices(Predicate&& predicate) {
  std::vector<Choice> found;
  for (const KindInfo& kind : all_kinds()) {
    if (stands_inline(kind) && predicate(kind.category)) {
      found.push_back({std::string(kind.name), std::string(kind.name)});
    }
  }
  return found;
}

std::vector<Choice> expression_choices() {
  std::vector<Choice> found{{"Var", "var_reference"}, {"ExprRef", "expr_reference"}};
  for (Choice& choice : choices([](Category c) { return c == Category::expr; })) {
    found.push_back(std::move(choice));
  }
  return found;
}

void add_scalars(Json& defs) {
  defs["id"] = {{"type", "integer"}, {"minimum", 0}};
  defs["integer64"] = {{"type", "string"}, {"pattern", "^-?(0|[1-9][0-9]*)$"}};
  defs["real"] = {{"type", {"number", "string"}},
                  {"if", {{"type", "string"}}},
                  {"then", one_of_words({"inf", "-inf", "nan", "-nan"})}};
  defs["sha256"] = {{"type", "string"}, {"pattern", "^[0-9a-f]{64}$"}};
  defs["dtype"] = {
      {"type", "string"},
      {"pattern",
       "^(void|bool|handle(x(vscalex)?[0-9]+)?|"
       "(u?int|b?float|e4m3_float|e5m2_float|custom\\[[^\\]]*\\])[0-9]+(x(vscalex)?[0-9]+)?)$"}};
}

void add_references(Json& defs) {
  defs["object_reference"] = closed({{"object", defined("id")}});
  defs["var_reference"] =
      closed({{"node", {{"const", "Var"}}}, {"dtype", defined("dtype")}, {"var", defined("id")}});
  defs["expr_reference"] = closed(
      {{"node", {{"const", "ExprRef"}}}, {"dtype", defined("dtype")}, {"expr", defined("id")}});
  const Json name = {{"type", "string"}};
  defs["reference"] = {{"type", "object"},
                       {"minProperties", 1},
                       {"maxProperties", 1},
                       {"properties",
                        {{"object", defined("id")},
                         {"constant", defined("id")},
                         {"buffer", defined("id")},
                         {"op", name},
                         {"global_var", name},
                         {"function", name},
                         {"statements", defined("statements")}}},
                       {"additionalProperties", false}};
  defs["callee"] = {{"type", {"string", "object"}},
                    {"if", {{"type", "object"}}},
                    {"then",
                     {{"properties", {{"object", defined("id")}, {"global_var", name}}},
                      {"minProperties", 1},
                      {"maxProperties", 1},
                      {"additionalProperties", false}}}};
}

void add_unions(Json& defs) {
  const auto is = [](Category wanted) { return [wanted](Category c) { return c == wanted; }; };
  const auto or_object = [](const Json& schema) {
    return Json{{"type", "object"},
                {"if", {{"required", {"object"}}}},
                {"then", defined("object_reference")},
                {"else", schema}};
  };
  defs["expr"] = or_object(chain(expression_choices()));
  defs["statement"] = chain(choices(is(Category::stmt)));
  defs["statements"] = array_of(defined("statement"));
  defs["statements"]["minItems"] = 1;
  defs["type"] = or_object(chain(choices(is(Category::type))));
  std::vector<Choice> nodes = expression_choices();
  for (Choice& choice : choices([](Category c) {
         return c == Category::type || c == Category::part || c == Category::value;
       })) {
    nodes.push_back(std::move(choice));
  }
  const Json object = {
      {"if", {{"required", {"node"}}}}, {"then", chain(nodes)}, {"else", defined("reference")}};
  defs["value"] = {{"type", {"string", "array", "object"}},
                   {"items", defined("value_or_null")},
                   {"if", {{"type", "object"}}},
                   {"then", object}};
  defs["value_or_null"] = or_null(defined("value"));
}

void add_kinds(Json& defs) {
  for (const KindInfo& kind : all_kinds()) {
    if (stands_inline(kind)) defs[std::string(kind.name)] = node_schema(kind);
  }
  std::vector<Choice> objects;
  for (const KindInfo& kind : all_kinds()) {
    if (!stands_in_objects(kind)) continue;
    const std::string definition = "object." + std::string(kind.name);
    defs[definition] = object_schema(kind);
    objects.push_back({std::string(kind.name), definition});
  }
  objects.push_back({"PrimFunc", "object.PrimFunc"});
  defs["object"] = chain(objects);
}

Json table(std::string_view entry) {
  return array_of(defined(entry));
}

void add_tables(Json& defs) {
  const Json text = {{"type", "string"}};
  defs["var"] = closed({{"id", defined("id")},
                        {"name", text},
                        {"node", one_of_words({"Var", "SizeVar"})},
                        {"dtype", defined("dtype")},
                        {"type_annotation", or_null(defined("type"))}},
                       {{"name_hint", text}, {"span", defined("object_reference")}});
  Members buffer = members_of(info(Kind::Buffer));
  Json required = {{"id", defined("id")}, {"name", text}};
  required.update(buffer.required);
  buffer.optional["name_hint"] = text;
  defs["buffer"] = closed(required, buffer.optional);
  Json constant =
      closed({{"id", defined("id")},
              {"dtype", defined("dtype")},
              {"shape", array_of({{"type", "integer"}})},
              {"bytes", defined("id")},
              {"sha256", or_null(defined("sha256"))}},
             {{"file", text}, {"data", {{"type", {"string", "null"}}}}, {"recovered", text}});
  constant["oneOf"] = {{{"required", {"data"}}}, {{"required", {"file"}}}};
  defs["constant"] = constant;
}

Json attrs_schema() {
  return or_null({{"type", "object"},
                  {"if",
                   {{"required", {"object"}},
                    {"maxProperties", 1},
                    {"properties", {{"object", {{"type", "integer"}}}}}}},
                  {"then", defined("object_reference")},
                  {"else", {{"additionalProperties", defined("value_or_null")}}}});
}

void add_functions(Json& defs) {
  const Json text = {{"type", "string"}};
  defs["attrs"] = attrs_schema();
  defs["buffer_map"] = array_of(closed({{"param", defined("id")}, {"buffer", defined("id")}}));
  const Json content = {{"attrs", defined("attrs")},
                        {"ret_type", defined("type")},
                        {"vars", table("var")},
                        {"buffers", table("buffer")},
                        {"params", array_of(defined("id"))},
                        {"buffer_map", defined("buffer_map")},
                        {"exprs", table("expr")},
                        {"body", defined("statements")}};
  const Json optional = {{"preflattened_buffer_map", defined("buffer_map")},
                         {"span", defined("object_reference")}};
  Json object = {{"id", defined("id")}, {"node", {{"const", "PrimFunc"}}}};
  object.update(content);
  defs["object.PrimFunc"] = closed(object, optional);
  defs["global_var"] = closed(Json::object(), {{"virtual_device_", defined("value")},
                                               {"_checked_type_", defined("type")},
                                               {"struct_info_", defined("value")},
                                               {"span", defined("object_reference")}});
  Json function = {{"name", text},
                   {"global_symbol", {{"type", {"string", "null"}}}},
                   {"role", one_of_words({"main", "operator", "host", "device"})}};
  function.update(content);
  Json function_optional = {{"global_var", defined("global_var")}};
  function_optional.update(optional);
  defs["prim_func"] = closed(function, function_optional);
  defs["other_function"] = closed({{"name", text}, {"function", defined("value")}},
                                  {{"global_var", defined("global_var")}});
  defs["function"] = {{"if", {{"required", {"function"}}}},
                      {"then", defined("other_function")},
                      {"else", defined("prim_func")}};
}

std::vector<std::string_view> dialect_names() {
  std::vector<std::string_view> names;
  for (const Dialect dialect :
       {Dialect::save_json, Dialect::tvmscript, Dialect::legacy_text, Dialect::tir_json,
        Dialect::old_tvmscript, Dialect::repr_text, Dialect::c}) {
    names.push_back(to_string(dialect));
  }
  return names;
}

void add_head(Json& defs) {
  const Json text = {{"type", "string"}};
  const Json minor = {{"type", "string"}, {"pattern", "^0\\.[0-9]+$"}};
  defs["source"] =
      closed({{"member", text},
              {"dialect", one_of_words(dialect_names())},
              {"stage", text},
              {"tvm_version", closed({{"first", minor}, {"last", minor}}, {{"exact", text}})},
              {"sha256", defined("sha256")}});
  defs["target_value"] = {{"type", {"boolean", "integer", "string", "array"}},
                          {"items", defined("target_value")}};
  const Json parsed =
      closed({{"text", text},
              {"kind", text},
              {"tag", text},
              {"keys", array_of(text)},
              {"attrs", {{"type", "object"}, {"additionalProperties", defined("target_value")}}},
              {"device_type", {{"type", {"integer", "null"}}}},
              {"host", or_null(defined("target"))}});
  defs["target"] = {{"if", {{"type", "object"}, {"maxProperties", 1}}},
                    {"then", closed({{"text", text}})},
                    {"else", parsed}};
  std::vector<std::string_view> codes;
  for (const LossInfo& loss : all_losses()) codes.push_back(loss.code);
  const Json place = closed({{"function", {{"type", {"string", "null"}}}},
                             {"detail", text},
                             {"count", {{"type", "integer"}, {"minimum", 1}}}});
  defs["loss"] = closed({{"code", one_of_words(codes)},
                         {"severity", one_of_words({"semantic", "approximate", "cosmetic"})},
                         {"scope", one_of_words({"everywhere", "module", "function"})},
                         {"fields", array_of(text)},
                         {"places", array_of(place)}});
}

}  // namespace

std::string schema_text() {
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"title", "TIR of one module, as mlf writes it: tir-N.json"},
                 {"description",
                  "The normative words are in README.md beside this file. Made from "
                  "include/mlf/tir/nodes.def; do not edit."}};
  const Json document = closed({{"format", {{"const", kFormat}}},
                                {"version", {{"const", kVersion}}},
                                {"generator", {{"type", "string"}}},
                                {"source", defined("source")},
                                {"target", or_null(defined("target"))},
                                {"attrs", defined("attrs")},
                                {"losses", table("loss")},
                                {"constants", table("constant")},
                                {"vars", table("var")},
                                {"buffers", table("buffer")},
                                {"exprs", table("expr")},
                                {"objects", table("object")},
                                {"functions", table("function")}},
                               {{"type_definitions", defined("value")},
                                {"global_type_var_map_", defined("value")},
                                {"source_map", defined("value")},
                                {"global_infos", defined("value")},
                                {"span", defined("object_reference")}});
  schema.update(document);
  Json defs = Json::object();
  add_scalars(defs);
  add_references(defs);
  add_head(defs);
  add_tables(defs);
  add_functions(defs);
  add_unions(defs);
  add_kinds(defs);
  schema["$defs"] = defs;
  return schema.dump(1) + "\n";
}

}  // namespace mlf::tir::tir_json
