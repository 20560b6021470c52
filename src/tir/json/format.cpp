#include "tir/json/format.h"

#include <algorithm>

#include "mlf/tir/document.h"
#include "tir/node_queries.h"

namespace mlf::tir::tir_json {

// "node" is the kind of every object and "id" its place in a table, so TVM's fields with these
// names have other keys.
std::string_view key_of(Kind kind, const FieldInfo& field) {
  if (kind == Kind::AttrStmt && field.name == "node") return "attr_node";
  if (kind == Kind::LinkedParam && field.name == "id") return "param_id";
  return field.name;
}

// A document omits fields that did not exist in the version of TVM that printed its source. The
// oldest field of a kind is as old as the kind.
bool may_be_absent(Kind kind, const FieldInfo& field) {
  if (!field.nullable) return false;
  const auto oldest = std::ranges::min(info(kind).fields, {}, &FieldInfo::since).since;
  return field.since > oldest || field.until != kStillThere;
}

// Statements are in one flat list, each with the number of entries below it: lowered code nests
// deeper than most JSON parsers allow.
std::optional<std::uint8_t> scoped_field(Kind kind) {
  return kind == Kind::SeqStmt ? std::optional<std::uint8_t>(f::SeqStmt::seq) : scope_field(kind);
}

IntegerForm integer_form(Kind kind) {
  switch (kind) {  // these contain 64-bit values and have no dtype
    case Kind::BoxInt:
    case Kind::ShapeTuple:
    case Kind::MetaRefAttrs:
    case Kind::TorchFunctionAttrs:
    case Kind::RemoveNoOpConfig:
      return IntegerForm::string;
    default:
      return IntegerForm::number;
  }
}

IntegerForm integer_form(DType dtype) {
  // A value of up to 32 bits is exact in the doubles of JavaScript and jq; a wider one is a string.
  const bool narrow = (dtype.is_int() || dtype.is_uint()) && dtype.bits <= 32;
  return narrow ? IntegerForm::number : IntegerForm::string;
}

namespace {

// An attribute is an IntImm or, from v0.18 on, a boxed number.
std::optional<std::int64_t> number_of(Node value) {
  if (!value) return std::nullopt;
  switch (value.kind()) {
    case Kind::IntImm:
      return value.integer(f::IntImm::value);
    case Kind::BoxInt:
      return value.integer(f::BoxInt::value);
    case Kind::BoxBool:
      return value.integer(f::BoxBool::value);
    default:
      return std::nullopt;
  }
}

bool is_main(std::string_view name, Node function) {
  // TVM's builders of main (aot_executor_codegen.cc, AOTLowerMain) set `runner_function`. A text
  // without attributes leaves only the name.
  if (const auto runner = number_of(attribute_of(function, "runner_function"))) return *runner != 0;
  return ends_with_main_name(name) || ends_with_main_name(global_symbol_of(function).value_or(""));
}

KindTemplate make_template(const KindInfo& kind) {
  const auto scoped = scoped_field(kind.kind);
  KindTemplate made{.opening = json::Piece::object("node", kind.name),
                    .fields = {},
                    .integer_form = integer_form(kind.kind),
                    .has_scope = scoped.has_value(),
                    .has_id = kind.kind == Kind::IterVar || kind.kind == Kind::CommReducer,
                    .is_leaf = std::ranges::none_of(kind.fields, holds_nodes, &FieldInfo::type)};
  const bool is_table = is_var(kind.kind) || kind.kind == Kind::Buffer;
  for (std::uint8_t i = 0; i < kind.fields.size(); ++i) {
    if (i == scoped) continue;
    const FieldInfo& field = kind.fields[i];
    const std::string_view key = key_of(kind.kind, field);
    made.fields.push_back({field, json::Piece::key(key), key, may_be_absent(kind.kind, field),
                           is_table && field.name == "name", i});
  }
  return made;
}

std::vector<KindTemplate> make_templates() {
  std::vector<KindTemplate> all;
  for (const KindInfo& kind : all_kinds()) all.push_back(make_template(kind));
  return all;
}

}  // namespace

std::string_view to_string(Role role) {
  constexpr std::string_view kNames[] = {"main", "operator", "host", "device"};
  return kNames[static_cast<std::size_t>(role)];
}

Role role_of(std::string_view name, Node function) {
  // CallingConv of include/tvm/ir/function.h.
  constexpr std::int64_t kCPackedFunc = 1;
  constexpr std::int64_t kDeviceKernelLaunch = 2;
  // After lowering, main has a calling convention like every other host function, so the test for
  // main comes first.
  if (is_main(name, function)) return Role::main;
  const auto convention = number_of(attribute_of(function, "calling_conv"));
  if (convention == kDeviceKernelLaunch) return Role::device;
  if (convention == kCPackedFunc) return Role::host;
  return Role::operator_;
}

std::optional<std::string_view> global_symbol_of(Node function) {
  const Node symbol = attribute_of(function, "global_symbol");
  if (!symbol) return std::nullopt;
  if (symbol.is(Kind::String)) return symbol.text(f::String::value);
  if (symbol.is(Kind::StringImm)) return symbol.text(f::StringImm::value);
  return std::nullopt;
}

// --- Templates ---------------------------------------------------------------------------------

std::span<const KindTemplate> all_templates() {
  static const std::vector<KindTemplate> templates = make_templates();
  return templates;
}

}  // namespace mlf::tir::tir_json
