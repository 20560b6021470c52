#include "mlf/target.h"

#include <algorithm>
#include <limits>

#include "support/error.h"
#include "target/readers.h"

namespace mlf {
namespace targets {
namespace {

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

std::optional<std::int32_t> infer_device_type(const Target& target) {
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
  if (hosts_around > kMaxHosts) support::fail_at(source, 0, kTooManyHosts);
  Target target = read_form(source, integers, hosts_around);
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
