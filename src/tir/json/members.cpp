#include "tir/json/members.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "json/text.h"
#include "support/numbers.h"
#include "tir/json/format.h"
#include "tir/node_queries.h"

namespace mlf::tir::tir_json {
namespace {

std::int64_t read_integer(json::Value value, IntegerForm form) {
  if (form == IntegerForm::number) return value.as_integer();
  if (!value.is_string()) value.fail("expected a 64-bit integer, which is written as a string");
  const auto integer = support::whole_number<std::int64_t>(value.text());
  if (!integer) value.fail("expected the decimal digits of a 64-bit integer");
  return *integer;
}

// JSON has no literals for these. A NaN has a sign, as in C's printf.
double read_special(json::Value value) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const std::string_view text = value.text();
  if (text == "inf") return kInfinity;
  if (text == "-inf") return -kInfinity;
  if (text == "nan") return kNan;
  if (text == "-nan") return -kNan;
  value.fail(R"(expected a number, "inf", "-inf", "nan" or "-nan")");
}

double read_real(json::Value value) {
  if (value.is_string()) return read_special(value);
  // Converts the digits in the document directly: 17 digits determine the double.
  if (!value.is_number()) value.fail("expected a number");
  const auto real = support::whole_number<double>(value.source());
  if (!real) value.fail("this number is out of the range of a double");
  return *real;
}

// Names replace TVM's numbers; an empty name is for a number that TVM does not use.
std::int64_t read_enumeration(json::Value value, const FieldInfo& field) {
  const auto names = enum_names(field.expects);
  const auto found = std::ranges::find(names, value.as_string());
  if (found == names.end() || found->empty()) {
    value.fail(fmt::format("\"{}\" is not a value of {}", value.text(), field.name));
  }
  return std::distance(names.begin(), found);
}

FieldValue read_integers(Builder& builder, json::Value value, Kind kind) {
  return builder.integers(json::list_of(
      value, [&](json::Value element) { return read_integer(element, integer_form(kind)); }));
}

}  // namespace

NodeMembers::NodeMembers(json::Value object, Kind kind) : document_(object.document()) {
  // The statements that a statement covers follow it in the list; they are never a field.
  const std::vector<FieldTemplate>& fields = template_of(kind).fields;
  // Members are mostly in mlf's order, so each is first expected to be the field after the last.
  auto next = fields.begin();
  // Variables and buffers are in tables, in which `name` is the unique name. If TVM's name differs,
  // it is in `name_hint`. The node gets TVM's name.
  const bool is_in_table = is_var(kind) || kind == Kind::Buffer;
  std::uint32_t hint = kMissing;
  for (const json::Member member : object.members()) {
    const std::string_view key = member.key.text();
    if (key == "node") continue;
    const bool is_in_order = next != fields.end() && next->key_text == key;
    if (!is_in_order) next = std::ranges::find(fields, key, &FieldTemplate::key_text);
    if (next != fields.end()) {
      fields_[next++->position] = member.value.index();
    } else if (key == "name_hint" && is_in_table) {
      hint = member.value.index();
    } else if (key == "span") {
      span_ = member.value.index();
    }
  }
  for (const FieldTemplate& field : fields) {
    if (fields_[field.position] != kMissing || field.may_be_absent) continue;
    // Strict on purpose: otherwise a misspelt key would read as an undefined field.
    object.fail(fmt::format("this {} lacks \"{}\"", info(kind).name, field.key_text));
  }
  if (hint != kMissing) fields_[*field_named(kind, "name")] = hint;
}

void check_keys(json::Value object, std::initializer_list<std::string_view> required) {
  object.expect(json::Type::object);
  for (const std::string_view key : required) object.at(key);
}

std::uint32_t expect_index(json::Value value) {
  const std::int64_t integer = value.as_integer();
  if (integer < 0 || integer >= UINT32_MAX) value.fail("expected an id, a small integer from 0");
  return static_cast<std::uint32_t>(integer);
}

DType read_dtype(json::Value value) {
  const auto dtype = parse_dtype(value.as_string());
  if (!dtype) value.fail(fmt::format("\"{}\" is not a dtype", value.text()));
  return *dtype;
}

StringId read_string(Builder& builder, json::Value value) {
  const std::string_view text = value.as_string();
  // Few strings have bytes that are not UTF-8, so the search for them makes no copy.
  if (json::has_escaped_bytes(text)) return builder.string(json::to_bytes(text));
  return builder.string(text);
}

FieldValue read_scalar(Builder& builder, json::Value value, Kind kind, const FieldInfo& field,
                       // An IntImm's form depends on the dtype beside it: `1` for int32, `"1"` for
                       // int64.
                       DType dtype) {
  if (value.is_null()) {
    if (!field.nullable) value.fail(fmt::format("{} cannot be null", field.name));
    return undefined_value(field);
  }
  switch (field.type) {
    case FieldType::string:
      return read_string(builder, value);
    case FieldType::integer:
      return read_integer(value, kind == Kind::IntImm ? integer_form(dtype) : integer_form(kind));
    case FieldType::real:
      return read_real(value);
    case FieldType::boolean:
      value.expect(json::Type::boolean);
      return value.boolean();
    case FieldType::dtype:
      return read_dtype(value);
    case FieldType::enumeration:
      return read_enumeration(value, field);
    default:
      return read_integers(builder, value, kind);
  }
}

}  // namespace mlf::tir::tir_json
