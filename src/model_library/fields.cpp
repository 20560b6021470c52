#include "model_library/fields.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

namespace mlf::model_library {
namespace {

std::int64_t non_negative(JsonValue value, std::int64_t most) {
  require_kind(value, JsonKind::integer);
  const std::optional<std::int64_t> number = value.integer();
  const bool negative = value.text().starts_with('-') && number != 0;
  if (negative) value.fail(fmt::format("expected a number from 0 on, found {}", value.text()));
  if (!number || *number > most) {
    value.fail(fmt::format("{} is out of range, the largest value here is {}", value.text(), most));
  }
  return *number;
}

}  // namespace

void require_kind(JsonValue value, JsonKind kind) {
  if (value.is(kind)) return;
  value.fail(fmt::format("expected {}, found {}", name_of(kind), name_of(value.kind())));
}

std::string string_of(JsonValue value) {
  require_kind(value, JsonKind::string);
  return std::string(value.string());
}

std::optional<std::string> string_or_null(JsonValue value) {
  if (value.is(JsonKind::null)) return std::nullopt;
  return string_of(value);
}

std::uint64_t size_of(JsonValue value) {
  return static_cast<std::uint64_t>(non_negative(value, std::numeric_limits<std::int64_t>::max()));
}

std::int32_t device_type_of(JsonValue value) {
  return static_cast<std::int32_t>(non_negative(value, std::numeric_limits<std::int32_t>::max()));
}

Fields::Fields(JsonValue object) : object_(object) {
  require_kind(object, JsonKind::object);
  for (const JsonValue member : object.children()) members_.push_back({member});
}

std::optional<JsonValue> Fields::peek(std::string_view key) const {
  const auto member =
      std::find_if(members_.begin(), members_.end(),
                   [key](const Member& candidate) { return candidate.value.key() == key; });
  if (member == members_.end()) return std::nullopt;
  return member->value;
}

std::optional<JsonValue> Fields::find(std::string_view key) {
  for (Member& member : members_) {
    if (member.value.key() != key) continue;
    member.taken = true;
    return member.value;
  }
  return std::nullopt;
}

JsonValue Fields::at(std::string_view key) {
  const std::optional<JsonValue> value = find(key);
  if (!value) object_.fail(fmt::format("missing key {}", json_quoted(key)));
  return *value;
}

std::vector<ExtraField> Fields::rest() const {
  std::vector<ExtraField> result;
  for (const Member& member : members_) {
    if (member.taken) continue;
    result.push_back({std::string(member.value.key()), std::string(member.value.text())});
  }
  return result;
}

}  // namespace mlf::model_library
