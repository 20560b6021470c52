#include "tir/json/members.h"

#include <fmt/core.h>

#include <algorithm>

#include "tir/json/format.h"

namespace mlf::tir::tir_json {
namespace {

// Keys beside the fields that a node has in this standing.
bool belongs(std::string_view key, Kind kind, Standing standing) {
  if (key == "node") return kind != Kind::Buffer;
  if (key == "id") return standing == Standing::object || standing == Standing::table;
  if (key == "scope") return standing == Standing::statement && scoped_field(kind).has_value();
  return false;
}

}  // namespace

NodeMembers::NodeMembers(json::Value object, Kind kind, Standing standing) {
  const auto fields = info(kind).fields;
  std::optional<json::Value> hint;
  for (const json::Member member : object.members()) {
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
      member.key.fail(fmt::format("{} has no key \"{}\"", info(kind).name, key));
    }
    fields_[*field] = member.value;
  }
  for (std::uint8_t i = 0; i < fields.size(); ++i) {
    if (fields_[i] || may_be_absent(kind, fields[i]) || i == scoped_field(kind)) continue;
    object.fail(fmt::format("this {} lacks \"{}\"", info(kind).name, key_of(kind, fields[i])));
  }
  if (hint) fields_[*field_named(kind, "name")] = hint;
}

void check_keys(json::Value object, std::initializer_list<std::string_view> required,
                std::initializer_list<std::string_view> optional) {
  object.expect(json::Type::object);
  for (const std::string_view key : required) object.at(key);
  for (const json::Member member : object.members()) {
    const std::string_view key = member.key.text();
    if (std::ranges::find(required, key) != required.end()) continue;
    if (std::ranges::find(optional, key) != optional.end()) continue;
    member.key.fail(fmt::format("unknown key \"{}\"", key));
  }
}

std::uint32_t expect_index(json::Value value) {
  const std::int64_t integer = value.as_integer();
  if (integer < 0 || integer >= UINT32_MAX) value.fail("expected an id, a small integer from 0");
  return static_cast<std::uint32_t>(integer);
}

}  // namespace mlf::tir::tir_json
