#include "tir/json/head_writer.h"

#include <string>
#include <unordered_set>

#include "mlf/target.h"
#include "tir/json/format.h"

namespace mlf::tir::tir_json {
namespace {

void member(json::Writer& emitter, std::string_view key, std::string_view text) {
  emitter.key(key);
  emitter.string(text);
}

std::string minor_version(std::uint8_t minor) {
  return "0." + std::to_string(minor);
}

void write_version(json::Writer& emitter, const VersionRange& version) {
  emitter.begin_object();
  member(emitter, "first", minor_version(version.first));
  member(emitter, "last", minor_version(version.last));
  if (!version.exact.empty()) member(emitter, "exact", version.exact);
  emitter.end_object();
}

void write_source(json::Writer& emitter, const Source& source) {
  emitter.begin_object();
  member(emitter, "member", source.member);
  member(emitter, "dialect", to_string(source.dialect));
  member(emitter, "stage", source.stage);
  emitter.key("tvm_version");
  write_version(emitter, source.tvm_version);
  member(emitter, "sha256", source.sha256);
  emitter.end_object();
}

void write_value(json::Writer& emitter, const TargetValue& value);

// The parser of targets bounds the nesting of lists, so this recursion is no deeper than that.
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
  void operator()(const JsonText& json) const { emitter.string(json.text); }
};

void write_value(json::Writer& emitter, const TargetValue& value) {
  std::visit(ValueWriter{emitter}, value.value);
}

void write_attrs(json::Writer& emitter, const std::vector<TargetAttr>& attrs) {
  emitter.begin_object();
  std::unordered_set<std::string_view> names;
  for (const TargetAttr& attr : attrs) {
    if (!names.insert(attr.name).second) continue;  // the first of a name holds
    emitter.text_key(attr.name);
    write_value(emitter, attr.value);
  }
  emitter.end_object();
}

// Everything but the host, which comes last; the object stays open.
void write_target_fields(json::Writer& emitter, const Target& target) {
  emitter.begin_object();
  member(emitter, "text", target.text);
  member(emitter, "kind", target.kind);
  member(emitter, "tag", target.tag);
  emitter.key("keys");
  emitter.begin_array();
  for (const std::string& key : target.keys) emitter.string(key);
  emitter.end_array();
  emitter.key("attrs");
  write_attrs(emitter, target.attrs);
  emitter.key("device_type");
  target.device_type ? emitter.integer(*target.device_type) : emitter.null();
  emitter.key("host");
}

void write_target(json::Writer& emitter, const std::string& text) {
  const Result<Target> parsed = parse_target(text);
  if (!parsed) {
    emitter.begin_object();
    member(emitter, "text", text);
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

}  // namespace

void write_head(json::Writer& emitter, const Document& document) {
  member(emitter, "format", kFormat);
  emitter.key("version");
  emitter.integer(kVersion);
  member(emitter, "generator", "mlf " MLF_VERSION);
  emitter.key("source");
  write_source(emitter, document.source);
  emitter.key("target");
  document.target ? write_target(emitter, *document.target) : emitter.null();
}

void write_losses(json::Writer& emitter, const Document& document) {
  emitter.key("losses");
  emitter.begin_array();
  for (const Loss& loss : document.losses) {
    emitter.begin_object();
    member(emitter, "code", info(loss.code).code);
    member(emitter, "where", loss.where);
    member(emitter, "detail", loss.detail);
    emitter.end_object();
  }
  emitter.end_array();
}

}  // namespace mlf::tir::tir_json
