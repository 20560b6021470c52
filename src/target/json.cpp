// `{"kind": "c", "keys": ["cpu"], …}`: TVM's configuration form of a target.
#include <fmt/core.h>

#include "json/document.h"
#include "support/error.h"
#include "target/readers.h"

namespace mlf::targets {
namespace {

// Also bounds the recursion over lists and hosts below. TVM needs 2.
constexpr std::uint32_t kMaxNesting = 16;

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

}  // namespace

Target read_json_target(const support::SourceText& source, std::size_t hosts_around) {
  const json::Document document(source, {.max_nesting = kMaxNesting});
  return read_config(document.root(), hosts_around);
}

}  // namespace mlf::targets
