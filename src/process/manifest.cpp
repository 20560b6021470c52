#include "process/manifest.h"

#include <algorithm>
#include <array>

#include "json/document.h"
#include "json/text.h"
#include "json/write_document.h"
#include "support/characters.h"
#include "support/error.h"

namespace mlf::process {
namespace {

constexpr std::string_view kFormat = "mlf-manifest";
constexpr std::size_t kMostBytes = std::size_t{64} << 20;

// By value of ConstantPlace.
constexpr std::array<std::string_view, 3> kPlaces{"inline", "npy", "none"};

// Keys are in the order of schemas/manifest.schema.json. Names come from the archive, which
// guarantees UTF-8, or from the file system, which does not.

void write_target(json::Writer& out, const Target& target) {
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
  out.object("options", [&] {
    out.member("constants", kPlaces[static_cast<std::size_t>(manifest.inputs.constants)]);
  });
  out.object("consumed", [&] {
    out.objects("members", manifest.inputs.members, json::write_digest);
    out.objects("files", manifest.inputs.files, json::write_digest);
  });
  out.objects("written", manifest.written, json::write_digest);
  // The rest is for readers of the archive: it states the content of each member. mlf does not read
  // it.
  out.objects("tir", manifest.tir, write_tir);
  out.objects("networks", manifest.networks, write_network);
}

std::vector<FileDigest> read_digests(json::Value list) {
  std::vector<FileDigest> digests;
  for (const json::Value entry : list.as_array()) {
    digests.push_back(
        {std::string(entry.at("name").as_string()), std::string(entry.at("sha256").as_string())});
  }
  return digests;
}

std::optional<Manifest> read_root(json::Value root, const OutputNames& names) {
  // A manifest of another version or program: its content is unknown, and all outputs are made
  // again.
  if (root.at("format").as_string() != kFormat) return std::nullopt;
  if (root.at("version").integer() != kManifestVersion) return std::nullopt;
  const auto place = std::ranges::find(kPlaces, root.at("options").at("constants").as_string());
  if (place == kPlaces.end()) return std::nullopt;
  Manifest manifest;
  manifest.inputs = {.constants = static_cast<tir::ConstantPlace>(place - kPlaces.begin()),
                     .members = read_digests(root.at("consumed").at("members")),
                     .files = read_digests(root.at("consumed").at("files"))};
  manifest.written = read_digests(root.at("written"));
  // Listed members are removed without a question, so the list may contain only names that mlf
  // writes.
  const bool plausible = std::ranges::all_of(
      manifest.written, [&](const FileDigest& digest) { return names.contain(digest.name); });
  if (!plausible) return std::nullopt;
  return manifest;
}

constexpr std::string_view kTirPrefix = "tir-";
constexpr std::string_view kJsonSuffix = ".json";
constexpr std::string_view kTwinSuffix = ".tvm.json";
constexpr std::string_view kConstantDirectory = ".constants/";
constexpr std::string_view kConstantSuffix = ".npy";
constexpr std::string_view kTopologySuffix = ".topology.json";
constexpr std::string_view kGraphSuffix = ".graph.json";

// With prefix and suffix, less than file systems allow for one name (255 bytes).
constexpr std::size_t kLongestModule = 200;

/// Names of modules come from metadata.json, which is untrusted.
bool can_name_file(std::string_view module) {
  // A slash would lead into another directory; in some tools a backslash does too.
  return !module.empty() && module.size() <= kLongestModule &&
         module.find_first_of("/\\") == std::string_view::npos && support::is_plain(module);
}

void require_name(std::string_view module, std::string_view archive) {
  if (can_name_file(module)) return;
  throw support::Error(ErrorKind::invalid_input,
                       "the name of module '" + std::string(module.substr(0, kLongestModule)) +
                           "' cannot be part of the name of a member",
                       {.file = std::string(archive)});
}

bool is_network_name(std::string_view file) {
  constexpr std::array<std::string_view, 2> kSuffixes{kTopologySuffix, kGraphSuffix};
  return std::any_of(kSuffixes.begin(), kSuffixes.end(), [&](std::string_view suffix) {
    return file.ends_with(suffix) && can_name_file(file.substr(0, file.size() - suffix.size()));
  });
}

}  // namespace

void write_manifest(const Manifest& manifest, support::ByteSink& out) {
  // The program that wrote it is information for users: `read_manifest` ignores it, so a new mlf
  // does not make old outputs stale.
  json::write_document(out, JsonLayout::pretty, kFormat, kManifestVersion,
                       [&](json::Writer& writer) { write_members(writer, manifest); });
}

std::optional<Manifest> read_manifest(std::string_view text, const OutputNames& names) {
  // No manifest is larger; a member with its name must not fill the memory.
  if (text.size() > kMostBytes) return std::nullopt;
  try {
    const support::SourceText source{"", "mlf.json", text};
    // A damaged manifest counts as none: its outputs count as foreign members, which --force
    // replaces.
    return read_root(json::Document(source).root(), names);
  } catch (const support::Error&) {
    return std::nullopt;
  }
}

bool is_cut_manifest(std::string_view text) {
  // The format is the first member.
  constexpr std::size_t kBeginning = 40;
  if (text.substr(0, kBeginning).find(kFormat) == text.npos) return false;
  return !support::to_result([&] { json::Document(support::SourceText{"", "mlf.json", text}); });
}

std::string OutputNames::tir_json(std::string_view stem) const {
  return member(stem).append(kJsonSuffix);
}

std::string constants_directory(std::string_view stem) {
  return std::string(stem) + ".constants";
}

// In src/, which TVM's own readers ignore: a file in executor-config/graph makes tvmc treat the
// archive as one of the graph executor.
std::string OutputNames::topology(std::string_view module, std::string_view archive) const {
  require_name(module, archive);
  return member(module).append(kTopologySuffix);
}

std::string OutputNames::graph(std::string_view module, std::string_view archive) const {
  require_name(module, archive);
  return member(module).append(kGraphSuffix);
}

bool OutputNames::contain(std::string_view name) const {
  if (!name.starts_with(directory_)) return false;
  const std::string_view file = name.substr(directory_.size());
  if (is_network_name(file)) return true;
  if (!file.starts_with(kTirPrefix)) return false;
  const std::size_t slash = file.find('/');
  // `src/tir-1.json` is from mlf, its twin `src/tir-1.tvm.json` is captured.
  if (slash == std::string_view::npos) {
    return file.ends_with(kJsonSuffix) && !file.ends_with(kTwinSuffix);
  }
  return file.substr(0, slash + 1).ends_with(kConstantDirectory) &&
         file.find('/', slash + 1) == std::string_view::npos && file.ends_with(kConstantSuffix);
}

}  // namespace mlf::process
