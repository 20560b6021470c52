#include "model_library/fields.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "json/text.h"

namespace mlf::model_library {
namespace {

/// All counts and sizes of TVM are int64 and none is negative. The sign is looked for in the text:
/// a number below the int64 range has no value here, and still deserves the message about its sign.
std::int64_t non_negative(json::Value value, std::int64_t most) {
  value.expect(json::Type::integer);
  const std::optional<std::int64_t> number = value.integer();
  const bool negative = value.source().starts_with('-') && number != 0;
  if (negative) value.fail(fmt::format("expected a number from 0 on, found {}", value.source()));
  if (!number || *number > most) {
    value.fail(
        fmt::format("{} is out of range, the largest value here is {}", value.source(), most));
  }
  return *number;
}

}  // namespace

std::string string_of(json::Value value) {
  return std::string(value.as_string());
}

std::optional<std::string> string_or_null(json::Value value) {
  if (value.is_null()) return std::nullopt;
  return string_of(value);
}

std::uint64_t size_of(json::Value value) {
  return static_cast<std::uint64_t>(non_negative(value, std::numeric_limits<std::int64_t>::max()));
}

/// DLDeviceType and the format's version are C ints in TVM.
std::int32_t device_type_of(json::Value value) {
  return static_cast<std::int32_t>(non_negative(value, std::numeric_limits<std::int32_t>::max()));
}

Fields::Fields(json::Value object) : object_(object) {
  object.expect(json::Type::object);
  // Copied out of the document: a vector remembers which of them were asked for. Objects here have
  // a dozen keys, so that looking them up one by one is fastest.
  for (const json::Member member : object.members()) members_.push_back({member});
}

std::optional<json::Value> Fields::peek(std::string_view key) const {
  const auto member =
      std::find_if(members_.begin(), members_.end(),
                   [key](const Member& candidate) { return candidate.json.key.text() == key; });
  if (member == members_.end()) return std::nullopt;
  return member->json.value;
}

/// The reader of the document has refused duplicate keys.
std::optional<json::Value> Fields::find(std::string_view key) {
  for (Member& member : members_) {
    if (member.json.key.text() != key) continue;
    member.taken = true;
    return member.json.value;
  }
  return std::nullopt;
}

json::Value Fields::at(std::string_view key) {
  const std::optional<json::Value> value = find(key);
  if (!value) object_.fail(fmt::format("missing key {}", json::quoted(key)));
  return *value;
}

std::vector<ExtraField> Fields::rest() const {
  std::vector<ExtraField> result;
  for (const Member& member : members_) {
    if (member.taken) continue;
    // The source text, not a value read and written again: what mlf does not know it does not
    // change.
    result.push_back(
        {std::string(member.json.key.text()), std::string(member.json.value.source())});
  }
  return result;
}

}  // namespace mlf::model_library
