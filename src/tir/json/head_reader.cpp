#include "tir/json/head_reader.h"

#include <fmt/core.h>

#include <charconv>

#include "json/text.h"
#include "tir/json/format.h"
#include "tir/json/members.h"

namespace mlf::tir::tir_json {
namespace {

std::string bytes_of(json::Value object, std::string_view key) {
  return json::to_bytes(object.at(key).as_string());
}

// "0.16"
std::uint8_t read_minor(json::Value value) {
  const std::string_view text = value.as_string();
  std::uint8_t minor = 0;
  const char* const end = text.data() + text.size();
  if (!text.starts_with("0.") || std::from_chars(text.data() + 2, end, minor).ptr != end) {
    value.fail("expected a TVM version such as \"0.16\"");
  }
  return minor;
}

VersionRange read_version(json::Value value) {
  check_keys(value, {"first", "last"}, {"exact"});
  VersionRange version;
  version.first = read_minor(value.at("first"));
  version.last = read_minor(value.at("last"));
  if (value.find("exact")) version.exact = bytes_of(value, "exact");
  return version;
}

}  // namespace

void check_format(json::Value document) {
  const json::Value format = document.at("format");
  if (format.as_string() != kFormat) format.fail(fmt::format("expected \"{}\"", kFormat));
  const json::Value version = document.at("version");
  if (version.as_integer() != kVersion) {
    version.fail(fmt::format("this is no version {} of the format", kVersion));
  }
  document.at("generator").expect(json::Type::string);
}

Source read_source(json::Value value) {
  check_keys(value, {"member", "dialect", "stage", "tvm_version", "sha256"});
  const json::Value dialect = value.at("dialect");
  const auto known = dialect_named(dialect.as_string());
  if (!known) dialect.fail(fmt::format("\"{}\" is no dialect", dialect.text()));
  return {.member = bytes_of(value, "member"),
          .dialect = *known,
          .stage = bytes_of(value, "stage"),
          .tvm_version = read_version(value.at("tvm_version")),
          .sha256 = bytes_of(value, "sha256")};
}

std::optional<std::string> read_target(json::Value value) {
  if (value.is_null()) return std::nullopt;
  for (json::Value target = value; !target.is_null(); target = *target.find("host")) {
    if (target.is_object() && target.size() == 1) {
      check_keys(target, {"text"});  // one that TVM's rules for targets do not explain
      break;
    }
    check_keys(target, {"text", "kind", "tag", "keys", "attrs", "device_type", "host"});
  }
  return bytes_of(value, "text");
}

std::vector<Loss> read_losses(json::Value value) {
  value.expect(json::Type::array);
  std::vector<Loss> losses;
  for (const json::Value entry : value.elements()) {
    check_keys(entry, {"code", "where", "detail"});
    const json::Value code = entry.at("code");
    const auto known = loss_named(code.as_string());
    if (!known) code.fail(fmt::format("\"{}\" is no code of a loss", code.text()));
    losses.push_back({*known, bytes_of(entry, "where"), bytes_of(entry, "detail")});
  }
  return losses;
}

}  // namespace mlf::tir::tir_json
