#include "process/manifest.h"

#include <algorithm>
#include <array>
#include <utility>

#include "json/document.h"
#include "json/text.h"
#include "json/writer.h"
#include "mlf/version.h"
#include "process/output_names.h"
#include "support/error.h"

namespace mlf::process {
namespace {

constexpr std::string_view kFormat = "mlf-manifest";
constexpr std::size_t kMostBytes = std::size_t{64} << 20;

// As on the command line.
constexpr std::array<std::pair<tir::ConstantPlace, std::string_view>, 3> kPlaces = {{
    {tir::ConstantPlace::inside, "inline"},
    {tir::ConstantPlace::npy, "npy"},
    {tir::ConstantPlace::none, "none"},
}};

std::string_view name_of(tir::ConstantPlace place) {
  return std::find_if(kPlaces.begin(), kPlaces.end(),
                      [&](const auto& row) { return row.first == place; })
      ->second;
}

std::optional<tir::ConstantPlace> place_named(std::string_view name) {
  for (const auto& [place, its_name] : kPlaces) {
    if (its_name == name) return place;
  }
  return std::nullopt;
}

/// Keys in the order of schemas/manifest.schema.json.
class ManifestWriter {
 public:
  explicit ManifestWriter(support::ByteSink& sink) : out_(sink, JsonLayout::pretty) {}

  void write(const Manifest& manifest);

 private:
  template <class Elements, class WriteElement>
  void list(std::string_view key, const Elements& elements, WriteElement write_element);
  void digests(std::string_view key, const std::vector<Digest>& digests);
  void target(const std::optional<ManifestTarget>& target);
  void tir(const ManifestTir& entry);
  void network(const ManifestNetwork& entry);
  void text(std::string_view key, std::string_view value);

  json::Writer out_;
};

void ManifestWriter::write(const Manifest& manifest) {
  out_.begin_object();
  text("format", kFormat);
  out_.key("version");
  out_.integer(kManifestVersion);
  // For people; `read_manifest` does not look at it, so that a new mlf does not make old outputs
  // stale.
  text("generator", "mlf " + std::string(version()));
  out_.key("options");
  out_.begin_object();
  text("constants", name_of(manifest.inputs.constants));
  out_.end_object();
  out_.key("consumed");
  out_.begin_object();
  digests("members", manifest.inputs.members);
  digests("files", manifest.inputs.files);
  out_.end_object();
  digests("written", manifest.written);
  // What follows is for readers of the archive: which member shows what. mlf does not read it back.
  list("tir", manifest.tir, [this](const ManifestTir& entry) { tir(entry); });
  list("networks", manifest.networks, [this](const ManifestNetwork& entry) { network(entry); });
  out_.end_object();
  out_.end_line();
  out_.flush();
}

template <class Elements, class WriteElement>
void ManifestWriter::list(std::string_view key, const Elements& elements,
                          WriteElement write_element) {
  out_.key(key);
  out_.begin_array();
  for (const auto& element : elements) write_element(element);
  out_.end_array();
}

void ManifestWriter::digests(std::string_view key, const std::vector<Digest>& digests) {
  list(key, digests, [this](const Digest& digest) {
    out_.begin_object();
    text("name", digest.name);
    text("sha256", digest.sha256);
    out_.end_object();
  });
}

void ManifestWriter::target(const std::optional<ManifestTarget>& target) {
  out_.key("target");
  if (!target) return out_.null();
  out_.begin_object();
  text("kind", target->kind);
  out_.key("device_type");
  target->device_type ? out_.integer(*target->device_type) : out_.null();
  text("text", target->text);
  out_.end_object();
}

void ManifestWriter::tir(const ManifestTir& entry) {
  out_.begin_object();
  text("member", entry.member);
  text("source", entry.source);
  text("stage", entry.stage);
  list("modules", entry.modules, [this](const std::string& module) { out_.string(module); });
  target(entry.target);
  out_.end_object();
}

void ManifestWriter::network(const ManifestNetwork& entry) {
  out_.begin_object();
  text("module", entry.module);
  text("topology", entry.topology);
  out_.key("graph");
  entry.graph ? out_.string(*entry.graph) : out_.null();
  text("source", entry.source);
  out_.end_object();
}

// Names come from the archive, which guarantees UTF-8, or from the file system, which does not.
void ManifestWriter::text(std::string_view key, std::string_view value) {
  out_.key(key);
  out_.string(json::valid_utf8(value));
}

std::vector<Digest> read_digests(json::Value list) {
  std::vector<Digest> digests;
  for (const json::Value entry : list.as_array()) {
    digests.push_back(
        {std::string(entry.at("name").as_string()), std::string(entry.at("sha256").as_string())});
  }
  return digests;
}

std::optional<Manifest> read_root(json::Value root) {
  // One of another version, or not ours: then nothing is known, and all outputs are made anew.
  if (root.at("format").as_string() != kFormat) return std::nullopt;
  if (root.at("version").integer() != kManifestVersion) return std::nullopt;
  const auto constants = place_named(root.at("options").at("constants").as_string());
  if (!constants) return std::nullopt;
  Manifest manifest;
  manifest.inputs = {.constants = *constants,
                     .members = read_digests(root.at("consumed").at("members")),
                     .files = read_digests(root.at("consumed").at("files"))};
  manifest.written = read_digests(root.at("written"));
  // What it lists is removed without a question, so that it must not list what mlf never writes.
  const bool plausible = std::all_of(manifest.written.begin(), manifest.written.end(),
                                     [](const Digest& d) { return is_output_name(d.name); });
  if (!plausible) return std::nullopt;
  return manifest;
}

}  // namespace

void write_manifest(const Manifest& manifest, support::ByteSink& out) {
  ManifestWriter(out).write(manifest);
}

std::optional<Manifest> read_manifest(std::string_view text) {
  // Nobody's manifest is larger; what claims to be one does not get to fill the memory.
  if (text.size() > kMostBytes) return std::nullopt;
  try {
    const support::SourceText source{"", "mlf.json", text};
    // A damaged manifest is like none: its outputs count as members of others, which --force
    // replaces.
    return read_root(json::Document(source).root());
  } catch (const support::Error&) {
    return std::nullopt;
  }
}

}  // namespace mlf::process
