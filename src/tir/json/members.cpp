#include "tir/json/members.h"

#include <fmt/core.h>

#include <algorithm>

#include "tir/json/format.h"
#include "tir/json/place.h"

namespace mlf::tir::json {
namespace {

using support::JsonMember;
using support::JsonType;
using support::JsonValue;

[[noreturn]] void fail_type(JsonValue value, std::string_view expected) {
  fail(value, fmt::format("expected {}, found {}", expected, support::describe(value.type())));
}

// Keys beside the fields that a node has in this standing.
bool belongs(std::string_view key, Kind kind, Standing standing) {
  if (key == "node") return kind != Kind::Buffer;
  if (key == "id") return standing == Standing::object || standing == Standing::table;
  if (key == "scope") return standing == Standing::statement && scoped_field(kind).has_value();
  return false;
}

}  // namespace

NodeMembers::NodeMembers(JsonValue object, Kind kind, Standing standing) {
  const auto fields = info(kind).fields;
  std::optional<JsonValue> hint;
  for (const JsonMember member : object.members()) {
    const std::string_view key = member.key.text();
    if (belongs(key, kind, standing)) continue;
    if (key == "name_hint" && standing == Standing::table) {
      hint = member.value;
      continue;
    }
    if (key == "span") {
      span_ = member.value;
      continue;
    }
    const auto field = field_with_key(kind, key);
    if (!field || field == scoped_field(kind)) {
      fail(member.key, fmt::format("{} has no key \"{}\"", info(kind).name, key));
    }
    fields_[*field] = member.value;
  }
  for (std::uint8_t i = 0; i < fields.size(); ++i) {
    if (fields_[i] || may_be_absent(kind, fields[i]) || i == scoped_field(kind)) continue;
    fail(object, fmt::format("this {} lacks \"{}\"", info(kind).name, key_of(kind, fields[i])));
  }
  if (hint) fields_[*field_named(kind, "name")] = hint;
}

void check_keys(JsonValue object, std::initializer_list<std::string_view> required,
                std::initializer_list<std::string_view> optional) {
  if (!object.is_object()) fail_type(object, "an object");
  for (const std::string_view key : required) member(object, key);
  for (const JsonMember member : object.members()) {
    const std::string_view key = member.key.text();
    if (std::ranges::find(required, key) != required.end()) continue;
    if (std::ranges::find(optional, key) != optional.end()) continue;
    fail(member.key, fmt::format("unknown key \"{}\"", key));
  }
}

JsonValue member(JsonValue object, std::string_view key) {
  const auto found = object.find(key);
  if (!found) fail(object, fmt::format("missing key \"{}\"", key));
  return *found;
}

std::string_view expect_text(JsonValue value) {
  if (!value.is_string()) fail_type(value, "a string");
  return value.text();
}

std::int64_t expect_integer(JsonValue value) {
  if (!value.is_number()) fail_type(value, "an integer");
  const auto integer = value.integer();
  if (!integer) fail(value, "expected an integer of at most 64 bits");
  return *integer;
}

std::uint32_t expect_index(JsonValue value) {
  const std::int64_t integer = expect_integer(value);
  if (integer < 0 || integer >= UINT32_MAX) fail(value, "expected an id, a small integer from 0");
  return static_cast<std::uint32_t>(integer);
}

void expect_array(JsonValue value) {
  if (!value.is_array()) fail_type(value, "an array");
}

}  // namespace mlf::tir::json
