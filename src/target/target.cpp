// The entry to reading a target, and the first of its three forms:
// `{"kind": "c", "keys": ["cpu"], …}`, TVM's configuration.
#include "mlf/target.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "json/document.h"
#include "support/error.h"
#include "target/readers.h"

namespace mlf {
namespace targets {
namespace {

// Also bounds the recursion over lists and hosts below. TVM needs 2.
constexpr std::uint32_t kMaxNesting = 16;

/// What TVM has no attribute type for is kept as it is in the text.
TargetValue read_value(json::Value value) {
  switch (value.type()) {
    case json::Type::boolean:
      return {value.boolean()};
    case json::Type::string:
      return {std::string(value.text())};
    case json::Type::integer:
      if (const auto number = value.integer()) return {*number};
      value.fail("integer beyond 64 bits");
    case json::Type::array:
      return {list_of(value, read_value)};
    case json::Type::object:
    case json::Type::real:
    case json::Type::null:
      break;
  }
  return {JsonText{std::string(value.source())}};
}

Target read_config(json::Value config, std::size_t hosts_around);

/// A host is a configuration of its own or any text form in a string.
std::shared_ptr<const Target> read_host(json::Value value, std::size_t hosts_around) {
  if (value.is_null()) return nullptr;
  if (hosts_around > kMaxHosts) value.fail(kTooManyHosts);
  if (!value.is_string()) {
    return std::make_shared<const Target>(read_config(value, hosts_around));
  }
  try {
    return std::make_shared<const Target>(
        read_target(value.text(), TargetIntegers::decimal, hosts_around));
  } catch (const support::Error& error) {
    value.fail(fmt::format("malformed host: {}", error.what()));
  }
}

Target read_config(json::Value config, std::size_t hosts_around) {
  config.expect(json::Type::object);
  Target target;
  target.text = config.source();
  target.kind = config.at("kind").as_string();
  for (const auto [key, member] : config.members()) {
    const std::string_view name = key.text();
    if (name == "kind") continue;
    if (name == "tag") {
      target.tag = member.as_string();
    } else if (name == "keys") {
      target.keys = list_of(member, [](json::Value word) { return std::string(word.as_string()); });
    } else if (name == "host") {
      target.host = read_host(member, hosts_around + 1);
    } else {
      target.attrs.push_back({std::string(name), read_value(member)});
    }
  }
  target.device_type = infer_device_type(target);
  return target;
}

/// The first character decides: no kind begins with a brace, and none is called `Target(`.
Target read_form(const support::SourceText& source, TargetIntegers integers,
                 std::size_t hosts_around) {
  const std::size_t begin = source.text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) support::fail_at(source, 0, "empty target");
  if (source.text[begin] == '{') return read_json_target(source, hosts_around);
  if (source.text.substr(begin).starts_with("Target(")) {
    return read_printed_target(source, integers);
  }
  return read_command_line_target(source, hosts_around);
}

}  // namespace

Target read_json_target(const support::SourceText& source, std::size_t hosts_around) {
  const json::Document document(source, {.max_nesting = kMaxNesting});
  return read_config(document.root(), hosts_around);
}

std::optional<std::int32_t> infer_device_type(const Target& target) {
  // TVM's `TargetNode::GetTargetDeviceType` (v0.11) looks at the attribute first as well; in front
  // of it, only the kind counts.
  const TargetValue* stated = target.find("target_device_type");
  if (stated != nullptr) {
    if (const auto* number = std::get_if<std::int64_t>(&stated->value);
        number != nullptr && *number > 0 && *number <= std::numeric_limits<std::int32_t>::max()) {
      return static_cast<std::int32_t>(*number);
    }
  }
  return default_device_type(target.kind);
}

Target read_target(std::string_view text, TargetIntegers integers, std::size_t hosts_around) {
  const support::SourceText source{"", "", text};
  // A host is a whole target in a string, with a host of its own: recursion by input, and so
  // bounded.
  if (hosts_around > kMaxHosts) support::fail_at(source, 0, kTooManyHosts);
  Target target = read_form(source, integers, hosts_around);
  // Of the whole text, with spaces around: it is what files and messages show.
  target.text = text;
  target.device_type = infer_device_type(target);
  return target;
}

}  // namespace targets

const TargetValue* Target::find(std::string_view name) const noexcept {
  const auto attr = std::find_if(attrs.begin(), attrs.end(),
                                 [name](const TargetAttr& entry) { return entry.name == name; });
  return attr == attrs.end() ? nullptr : &attr->value;
}

Result<Target> parse_target(std::string_view text, TargetIntegers integers) {
  return support::to_result([&] { return targets::read_target(text, integers); });
}

}  // namespace mlf
