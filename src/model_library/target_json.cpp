// `{"kind": "c", "keys": ["cpu"], …}`: TVM's configuration form of a target.
#include <fmt/core.h>

#include "model_library/fields.h"
#include "model_library/json_dom.h"
#include "model_library/target_reader.h"
#include "support/error.h"

namespace mlf::model_library {
namespace {

// Also bounds the recursion over lists and hosts below. TVM needs 2.
constexpr std::size_t kMaxNesting = 16;

TargetValue read_value(JsonValue value) {
  switch (value.kind()) {
    case JsonKind::boolean:
      return {value.boolean()};
    case JsonKind::string:
      return {std::string(value.string())};
    case JsonKind::integer:
      if (const auto number = value.integer()) return {*number};
      value.fail("integer beyond 64 bits");
    case JsonKind::array:
      return {list_of(value, read_value)};
    case JsonKind::object:
    case JsonKind::real:
    case JsonKind::null:
      break;
  }
  return {JsonText{std::string(value.text())}};
}

Target read_config(JsonValue config, std::size_t hosts_around);

/// A host is a configuration of its own or any text form in a string.
std::shared_ptr<const Target> read_host(JsonValue value, std::size_t hosts_around) {
  if (value.is(JsonKind::null)) return nullptr;
  if (hosts_around > kMaxHosts) value.fail(kTooManyHosts);
  if (!value.is(JsonKind::string)) {
    return std::make_shared<const Target>(read_config(value, hosts_around));
  }
  try {
    return std::make_shared<const Target>(
        read_target(value.string(), TargetIntegers::decimal, hosts_around));
  } catch (const support::Error& error) {
    value.fail(fmt::format("malformed host: {}", error.what()));
  }
}

Target read_config(JsonValue config, std::size_t hosts_around) {
  Fields fields(config);
  Target target;
  target.text = config.text();
  target.kind = string_of(fields.at("kind"));
  for (const JsonValue member : config.children()) {
    const std::string_view name = member.key();
    if (name == "kind") continue;
    if (name == "tag") {
      target.tag = string_of(member);
    } else if (name == "keys") {
      target.keys = list_of(member, string_of);
    } else if (name == "host") {
      target.host = read_host(member, hosts_around + 1);
    } else {
      target.attrs.push_back({std::string(name), read_value(member)});
    }
  }
  target.device_type = infer_device_type(target);
  return target;
}

}  // namespace

Target read_json_target(const support::SourceText& source, std::size_t hosts_around) {
  const auto document = JsonDocument::parse(source, {kMaxNesting});
  return read_config(document.root(), hosts_around);
}

}  // namespace mlf::model_library
