#include "tir/json/head_reader.h"

#include <fmt/core.h>

#include <charconv>

#include "tir/json/format.h"
#include "tir/json/members.h"
#include "tir/json/place.h"
#include "tir/json/text.h"

namespace mlf::tir::json {
namespace {

using support::JsonValue;

std::string bytes_of(JsonValue object, std::string_view key) {
  return to_bytes(expect_text(member(object, key)));
}

// "0.16"
std::uint8_t read_minor(JsonValue value) {
  const std::string_view text = expect_text(value);
  std::uint8_t minor = 0;
  const char* const end = text.data() + text.size();
  if (!text.starts_with("0.") || std::from_chars(text.data() + 2, end, minor).ptr != end) {
    fail(value, "expected a TVM version such as \"0.16\"");
  }
  return minor;
}

VersionRange read_version(JsonValue value) {
  check_keys(value, {"first", "last"}, {"exact"});
  VersionRange version;
  version.first = read_minor(member(value, "first"));
  version.last = read_minor(member(value, "last"));
  if (value.find("exact")) version.exact = bytes_of(value, "exact");
  return version;
}

}  // namespace

void check_format(JsonValue document) {
  const JsonValue format = member(document, "format");
  if (expect_text(format) != kFormat) fail(format, fmt::format("expected \"{}\"", kFormat));
  const JsonValue version = member(document, "version");
  if (expect_integer(version) != kVersion) {
    fail(version, fmt::format("this is no version {} of the format", kVersion));
  }
  expect_text(member(document, "generator"));
}

Source read_source(JsonValue value) {
  check_keys(value, {"member", "dialect", "stage", "tvm_version", "sha256"});
  const JsonValue dialect = member(value, "dialect");
  const auto known = dialect_named(expect_text(dialect));
  if (!known) fail(dialect, fmt::format("\"{}\" is no dialect", dialect.text()));
  return {.member = bytes_of(value, "member"),
          .dialect = *known,
          .stage = bytes_of(value, "stage"),
          .tvm_version = read_version(member(value, "tvm_version")),
          .sha256 = bytes_of(value, "sha256")};
}

std::optional<std::string> read_target(JsonValue value) {
  if (value.is_null()) return std::nullopt;
  for (JsonValue target = value; !target.is_null(); target = *target.find("host")) {
    if (target.is_object() && target.size() == 1) {
      check_keys(target, {"text"});  // one that TVM's rules for targets do not explain
      break;
    }
    check_keys(target, {"text", "kind", "tag", "keys", "attrs", "device_type", "host"});
  }
  return bytes_of(value, "text");
}

std::vector<Loss> read_losses(JsonValue value) {
  expect_array(value);
  std::vector<Loss> losses;
  for (const JsonValue entry : value.elements()) {
    check_keys(entry, {"code", "where", "detail"});
    const JsonValue code = member(entry, "code");
    const auto known = loss_named(expect_text(code));
    if (!known) fail(code, fmt::format("\"{}\" is no code of a loss", code.text()));
    losses.push_back({*known, bytes_of(entry, "where"), bytes_of(entry, "detail")});
  }
  return losses;
}

}  // namespace mlf::tir::json
