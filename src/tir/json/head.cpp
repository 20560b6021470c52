#include "tir/json/head.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>

#include "json/text.h"
#include "mlf/target.h"
#include "support/error.h"
#include "support/name_map.h"
#include "support/numbers.h"
#include "tir/json/format.h"
#include "tir/json/members.h"

namespace mlf::tir::tir_json {
namespace {

std::string minor_version(std::uint8_t minor) {
  return "0." + std::to_string(minor);
}

// A range: a text seldom states its version. Its forms only exclude some versions.
void write_version(json::Writer& emitter, const VersionRange& version) {
  emitter.member("first", minor_version(version.first));
  emitter.member("last", minor_version(version.last));
  if (!version.exact.empty()) emitter.member("exact", version.exact);
}

void write_source(json::Writer& emitter, const Source& source) {
  emitter.member("member", source.member);
  emitter.member("dialect", to_string(source.dialect));
  emitter.member("stage", source.stage);
  emitter.object("tvm_version", source.tvm_version, write_version);
  emitter.member("sha256", source.sha256);
}

void write_value(json::Writer& emitter, const TargetValue& value);

// The parser of targets limits the nesting of lists, which also limits this recursion.
struct ValueWriter {
  json::Writer& emitter;
  void operator()(bool value) const { emitter.boolean(value); }
  void operator()(std::int64_t value) const { emitter.integer(value); }
  void operator()(const std::string& value) const { emitter.string(value); }
  void operator()(const std::vector<TargetValue>& values) const {
    emitter.begin_array();
    for (const TargetValue& value : values) write_value(emitter, value);
    emitter.end_array();
  }
  // A value that TVM prints as JSON stays a string.
  void operator()(const JsonText& json) const { emitter.string(json.text); }
};

void write_value(json::Writer& emitter, const TargetValue& value) {
  std::visit(ValueWriter{emitter}, value.value);
}

void write_attrs(json::Writer& emitter, const std::vector<TargetAttr>& attrs) {
  support::NameSet<std::string_view> names;
  for (const TargetAttr& attr : attrs) {
    // JSON readers differ on duplicate member names.
    if (!names.insert(attr.name).second) continue;  // keeps the first of a name
    emitter.text_key(attr.name);
    write_value(emitter, attr.value);
  }
}

// Writes all fields except the host, which comes last; leaves the object open.
void write_target_fields(json::Writer& emitter, const Target& target) {
  emitter.begin_object();
  emitter.member("text", target.text);
  emitter.member("kind", target.kind);
  emitter.member("tag", target.tag);
  emitter.member("keys", target.keys);
  emitter.object("attrs", target.attrs, write_attrs);
  emitter.member("device_type", target.device_type);
  emitter.key("host");
}

// A text that cannot be parsed as a target stays a text. Uses a loop, because hosts may nest to any
// depth.
void write_target(json::Writer& emitter, const std::string& text) {
  const auto parsed = support::value_if_valid(parse_target(text));
  if (!parsed) {
    emitter.begin_object();
    emitter.member("text", text);
    emitter.end_object();
    return;
  }
  std::size_t open = 0;
  for (const Target* target = &*parsed; target != nullptr; target = target->host.get()) {
    write_target_fields(emitter, *target);
    ++open;
  }
  emitter.null();
  for (; open > 0; --open) emitter.end_object();
}

/// Writes the facts that let a reader act on a loss without knowing its code.
void write_loss_head(json::Writer& emitter, const Loss& loss) {
  const LossInfo& row = info(loss.code);
  emitter.member("code", row.code);
  emitter.member("severity", to_string(row.severity));
  emitter.member("scope", to_string(loss.scope));
  emitter.array("fields", [&] {
    // Not std::views::split, which clang 14 does not compile with libstdc++ 12.
    for (std::string_view rest = row.fields; !rest.empty();) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      emitter.string(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  });
  emitter.member("subject", to_string(row.subject));
}

// Losses of every text of the dialect have no places. Neither have other losses of the module
// without a name.
void write_places(json::Writer& emitter, std::span<const Loss> losses) {
  emitter.array("places", [&] {
    for (const Loss& loss : losses) {
      if (loss.where.empty() && loss.name.empty()) continue;
      const bool has_function = loss.scope == LossScope::function;
      emitter.begin_object();
      emitter.member("function", has_function ? std::optional(loss.where) : std::nullopt);
      emitter.text_or_null("name", loss.name);
      emitter.member("count", loss.count);
      emitter.end_object();
    }
  });
}

bool are_one_entry(const Loss& a, const Loss& b) {
  return a.code == b.code && a.scope == b.scope;
}

std::string bytes_of(json::Value object, std::string_view key) {
  return json::to_bytes(object.at(key).as_string());
}

// "0.16"
// The major version is 0 for every TVM that has TIR of these forms.
std::uint8_t read_minor(json::Value value) {
  constexpr std::string_view kMajor = "0.";
  const std::string_view text = value.as_string();
  const auto minor = text.starts_with(kMajor)
                         ? support::whole_number<std::uint8_t>(text.substr(kMajor.size()))
                         : std::nullopt;
  if (!minor) value.fail("expected a TVM version such as \"0.16\"");
  return *minor;
}

VersionRange read_version(json::Value value) {
  check_keys(value, {"first", "last"});
  VersionRange version;
  version.first = read_minor(value.at("first"));
  version.last = read_minor(value.at("last"));
  if (value.find("exact")) version.exact = bytes_of(value, "exact");
  return version;
}

std::uint32_t read_position(json::Value value) {
  const std::int64_t position = value.as_integer();
  if (position < 1 || position > UINT32_MAX) value.fail("expected a number from 1 on");
  return static_cast<std::uint32_t>(position);
}

LossCode read_code(json::Value value) {
  const auto known = loss_named(value.as_string());
  if (!known) value.fail(fmt::format("\"{}\" is not a code of a loss", value.text()));
  return *known;
}

LossScope read_scope(json::Value value) {
  for (const LossScope scope : {LossScope::everywhere, LossScope::module, LossScope::function}) {
    if (value.as_string() == to_string(scope)) return scope;
  }
  value.fail(fmt::format("\"{}\" is not a scope of a loss", value.text()));
}

std::string read_name(json::Value value, LossCode code) {
  if (value.is_null()) return {};
  if (info(code).subject == LossSubject::nothing) value.fail("losses of this code name nothing");
  return json::to_bytes(value.as_string());
}

Loss read_place(json::Value value, LossCode code, LossScope scope) {
  check_keys(value, {"function", "name", "count"});
  const json::Value function = value.at("function");
  if (function.is_null() == (scope == LossScope::function)) {
    function.fail("losses of scope \"function\" name their functions, others do not");
  }
  const json::Value count = value.at("count");
  if (count.as_integer() < 1) count.fail("expected a positive number");
  return {code, scope, function.is_null() ? std::string() : bytes_of(value, "function"),
          read_name(value.at("name"), code), static_cast<std::size_t>(count.as_integer())};
}

}  // namespace

void write_head(json::Writer& emitter, const Document& document) {
  emitter.member("format", kFormat);
  emitter.member("version", kVersion);
  // The only value that differs between releases of mlf.
  emitter.member("generator", "mlf " MLF_VERSION);
  emitter.object("source", document.source, write_source);
  emitter.key("target");
  document.target ? write_target(emitter, *document.target) : emitter.null();
}

void write_c_place(json::Writer& emitter, const Document& document, std::string_view function) {
  const auto found = document.c_places.find(function);
  if (found == document.c_places.end()) return;
  const CodePlace& place = found->second;
  emitter.object("c", [&] {
    emitter.member("member", place.member);
    emitter.member("line", place.line);
    emitter.member("column", place.column);
    emitter.member("last_line", place.last_line);
  });
}

void write_losses(json::Writer& emitter, const Document& document) {
  std::vector<std::span<const Loss>> entries;
  for (std::span<const Loss> rest = document.losses; !rest.empty();) {
    const auto other = std::ranges::find_if_not(
        rest, [&](const Loss& loss) { return are_one_entry(loss, rest.front()); });
    entries.push_back(rest.first(static_cast<std::size_t>(other - rest.begin())));
    rest = rest.subspan(entries.back().size());
  }
  emitter.objects("losses", entries, [](json::Writer& out, std::span<const Loss> places) {
    write_loss_head(out, places.front());
    write_places(out, places);
  });
}

void write_imported_c(json::Writer& emitter, const Document& document) {
  if (document.imported_c.empty()) return;
  emitter.objects("imported_c", document.imported_c, [](json::Writer& out, const ImportedC& piece) {
    out.text_or_null("name", piece.name);
    out.text_or_null("signature", piece.signature);
    out.member("text", piece.text);
  });
}

void check_format(json::Value document) {
  const json::Value format = document.at("format");
  if (format.as_string() != kFormat) format.fail(fmt::format("expected \"{}\"", kFormat));
  const json::Value version = document.at("version");
  if (version.as_integer() != kVersion) {
    version.fail(fmt::format("this is not version {} of the format", kVersion));
  }
  // Any program may have written the document; only format and version matter.
  document.at("generator").expect(json::Type::string);
}

Source read_source(json::Value value) {
  check_keys(value, {"member", "dialect", "stage", "tvm_version", "sha256"});
  const json::Value dialect = value.at("dialect");
  const auto known = dialect_named(dialect.as_string());
  if (!known) dialect.fail(fmt::format("\"{}\" is not a dialect", dialect.text()));
  return {.member = bytes_of(value, "member"),
          .dialect = *known,
          .stage = bytes_of(value, "stage"),
          .tvm_version = read_version(value.at("tvm_version")),
          .sha256 = bytes_of(value, "sha256")};
}

// The other keys follow from the text. The reader checks their names and ignores their values.
std::optional<std::string> read_target(json::Value value) {
  if (value.is_null()) return std::nullopt;
  for (json::Value target = value; !target.is_null(); target = *target.find("host")) {
    check_keys(target, {"text"});
    if (!target.find("kind")) break;  // a text that is not a target
    check_keys(target, {"text", "kind", "tag", "keys", "attrs", "device_type", "host"});
  }
  return bytes_of(value, "text");
}

CodePlace read_c_place(json::Value value) {
  check_keys(value, {"member", "line", "column", "last_line"});
  return {.member = bytes_of(value, "member"),
          .line = read_position(value.at("line")),
          .column = read_position(value.at("column")),
          .last_line = read_position(value.at("last_line"))};
}

std::vector<ImportedC> read_imported_c(json::Value value) {
  return json::list_of(value, [](json::Value entry) {
    check_keys(entry, {"name", "signature", "text"});
    if (entry.at("name").is_null() != entry.at("signature").is_null()) {
      entry.fail("name and signature are those of one function, or both null");
    }
    ImportedC piece;
    piece.text = bytes_of(entry, "text");
    if (entry.at("name").is_null()) return piece;
    piece.name = bytes_of(entry, "name");
    piece.signature = bytes_of(entry, "signature");
    return piece;
  });
}

// Severity and fields follow from the code. The reader checks their names and ignores their values.
std::vector<Loss> read_losses(json::Value value) {
  value.expect(json::Type::array);
  std::vector<Loss> losses;
  for (const json::Value entry : value.elements()) {
    check_keys(entry, {"code", "severity", "scope", "fields", "subject", "places"});
    const LossCode code = read_code(entry.at("code"));
    const LossScope scope = read_scope(entry.at("scope"));
    const json::Value places = entry.at("places");
    places.expect(json::Type::array);
    if (places.size() == 0) losses.push_back({code, scope, {}, {}});
    for (const json::Value place : places.elements()) {
      losses.push_back(read_place(place, code, scope));
    }
  }
  return losses;
}

}  // namespace mlf::tir::tir_json
