#include "model_library/fields.h"

#include <fmt/core.h>

#include <limits>

#include "json/text.h"
#include "support/error.h"
#include "support/numbers.h"
#include "target/readers.h"

namespace mlf::model_library {
namespace {

/// All counts and sizes of TVM are int64 and at least 0. Finds the sign in the text, so a number
/// below the int64 range also gets the message about its sign.
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

// One for each device of a build. A Target takes about fifty times the memory of its shortest text
// of three characters: without a limit, a small archive could fill the memory.
constexpr std::size_t kMostTargets = 4096;

/// TVM's `str(target)`. Its integers are decimal; only legacy TIR prints them in hexadecimal.
ModuleTarget read_module_target(json::Value value) {
  const std::string text = string_of(value);
  try {
    ModuleTarget entry;
    entry.target = targets::read_target(text, TargetIntegers::decimal);
    return entry;
  } catch (const support::Error& error) {
    // The place within the target's text does not help a reader of the JSON.
    value.fail(fmt::format("malformed target {}: {}", json::quoted(text), error.what()));
  }
}

/// Up to version 5, targets are an object with DLDeviceType as key.
ModuleTarget read_keyed_target(json::Member member) {
  const std::string_view key = member.key.text();
  ModuleTarget entry = read_module_target(member.value);
  entry.device_type_key = support::whole_number<decltype(entry.device_type_key)>(key).value_or(0);
  if (entry.device_type_key < 1) {
    member.value.fail(
        fmt::format("the key of a target is a device type, found {}", json::quoted(key)));
  }
  return entry;
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

/// Rejects unknown words, because their effect on the archive is unknown.
Style style_of(json::Value value) {
  const std::string text = string_of(value);
  if (text == "full-model") return Style::full_model;
  if (text == "operator") return Style::operator_only;
  value.fail(fmt::format("unknown style {}, known are \"full-model\" and \"operator\"",
                         json::quoted(text)));
}

Executor executor_of(json::Value value) {
  const std::string text = string_of(value);
  if (text == "aot") return Executor::aot;
  if (text == "graph") return Executor::graph;
  value.fail(
      fmt::format("unknown executor {}, known are \"aot\" and \"graph\"", json::quoted(text)));
}

/// The form of the value decides, not the version: snapshots between releases differ.
std::vector<ModuleTarget> targets_of(json::Value value) {
  if (!value.is(json::Type::array) && !value.is(json::Type::object)) {
    value.fail(
        fmt::format("expected an array or an object of targets, found {}", name_of(value.type())));
  }
  if (value.size() > kMostTargets) {
    value.fail(fmt::format("expected at most {} targets, found {}", kMostTargets, value.size()));
  }
  if (value.is(json::Type::array)) return list_of(value, read_module_target);
  std::vector<ModuleTarget> targets;
  for (const json::Member member : value.members()) targets.push_back(read_keyed_target(member));
  return targets;
}

}  // namespace mlf::model_library
