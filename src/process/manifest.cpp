#include "process/manifest.h"

#include <algorithm>
#include <array>
#include <utility>

#include "json/document.h"
#include "json/text.h"
#include "json/write_document.h"
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

// Keys are in the order of schemas/manifest.schema.json. Names come from the archive, which
// guarantees UTF-8, or from the file system, which does not.

void write_digest(json::Writer& out, const Digest& digest) {
  out.member("name", json::valid_utf8(digest.name));
  out.member("sha256", digest.sha256);
}

void write_target(json::Writer& out, const ManifestTarget& target) {
  out.member("kind", target.kind);
  out.member("device_type", target.device_type);
  out.member("text", target.text);
}

void write_tir(json::Writer& out, const ManifestTir& entry) {
  out.member("member", json::valid_utf8(entry.member));
  out.member("source", json::valid_utf8(entry.source));
  out.member("stage", json::valid_utf8(entry.stage));
  out.member("modules", entry.modules);
  out.object("target", entry.target, write_target);
}

void write_network(json::Writer& out, const ManifestNetwork& entry) {
  out.member("module", entry.module);
  out.member("topology", entry.topology);
  out.member("graph", entry.graph);
  out.member("source", json::valid_utf8(entry.source));
}

void write_members(json::Writer& out, const Manifest& manifest) {
  out.object("options", [&] { out.member("constants", name_of(manifest.inputs.constants)); });
  out.object("consumed", [&] {
    out.objects("members", manifest.inputs.members, write_digest);
    out.objects("files", manifest.inputs.files, write_digest);
  });
  out.objects("written", manifest.written, write_digest);
  // What follows is for readers of the archive: which member shows what. mlf does not read it back.
  out.objects("tir", manifest.tir, write_tir);
  out.objects("networks", manifest.networks, write_network);
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
  // Who wrote it is for people; `read_manifest` does not look at it, so that a new mlf does not
  // make old outputs stale.
  json::write_document(out, JsonLayout::pretty, kFormat, kManifestVersion,
                       [&](json::Writer& writer) { write_members(writer, manifest); });
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
