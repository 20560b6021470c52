#include "process/manifest.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "mlf/version.h"
#include "process/output_names.h"

namespace mlf::process {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kFormat = "mlf-manifest";
constexpr std::size_t kMostBytes = std::size_t{64} << 20;

// As on the command line.
constexpr std::array<std::pair<tir::ConstantPlace, std::string_view>, 3> kPlaces = {{
    {tir::ConstantPlace::inside, "inline"},
    {tir::ConstantPlace::npy, "npy"},
    {tir::ConstantPlace::none, "none"},
}};

Json digests_to_json(const std::vector<Digest>& digests) {
  Json list = Json::array();
  for (const Digest& digest : digests) {
    list.push_back({{"name", digest.name}, {"sha256", digest.sha256}});
  }
  return list;
}

Json target_to_json(const std::optional<ManifestTarget>& target) {
  if (!target) return nullptr;
  Json device_type = nullptr;
  if (target->device_type) device_type = *target->device_type;
  return {{"kind", target->kind}, {"device_type", device_type}, {"text", target->text}};
}

Json tir_to_json(const std::vector<ManifestTir>& entries) {
  Json list = Json::array();
  for (const ManifestTir& entry : entries) {
    list.push_back({{"member", entry.member},
                    {"source", entry.source},
                    {"stage", entry.stage},
                    {"modules", entry.modules},
                    {"target", target_to_json(entry.target)}});
  }
  return list;
}

Json networks_to_json(const std::vector<ManifestNetwork>& entries) {
  Json list = Json::array();
  for (const ManifestNetwork& entry : entries) {
    Json graph = nullptr;
    if (entry.graph) graph = *entry.graph;
    list.push_back({{"module", entry.module},
                    {"topology", entry.topology},
                    {"graph", graph},
                    {"source", entry.source}});
  }
  return list;
}

std::vector<Digest> digests_from_json(const Json& list) {
  std::vector<Digest> digests;
  for (const Json& entry : list) {
    digests.push_back({entry.at("name").get<std::string>(), entry.at("sha256").get<std::string>()});
  }
  return digests;
}

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

std::optional<Manifest> manifest_from_json(const Json& json) {
  if (json.at("format").get<std::string>() != kFormat || json.at("version") != kManifestVersion) {
    return std::nullopt;
  }
  const auto constants = place_named(json.at("options").at("constants").get<std::string>());
  if (!constants) return std::nullopt;
  Manifest manifest;
  manifest.inputs = {.constants = *constants,
                     .members = digests_from_json(json.at("consumed").at("members")),
                     .files = digests_from_json(json.at("consumed").at("files"))};
  manifest.written = digests_from_json(json.at("written"));
  const bool plausible = std::all_of(manifest.written.begin(), manifest.written.end(),
                                     [](const Digest& d) { return is_output_name(d.name); });
  if (!plausible) return std::nullopt;
  return manifest;
}

}  // namespace

void write_manifest(const Manifest& manifest, support::ByteSink& out) {
  const Json json = {
      {"format", kFormat},
      {"version", kManifestVersion},
      {"generator", "mlf " + std::string(version())},
      {"options", {{"constants", name_of(manifest.inputs.constants)}}},
      {"consumed",
       {{"members", digests_to_json(manifest.inputs.members)},
        {"files", digests_to_json(manifest.inputs.files)}}},
      {"written", digests_to_json(manifest.written)},
      {"tir", tir_to_json(manifest.tir)},
      {"networks", networks_to_json(manifest.networks)},
  };
  // Names come from the archive, which guarantees UTF-8, or from the file system, which does not.
  out.write(json.dump(2, ' ', false, Json::error_handler_t::replace));
  out.write("\n");
}

std::optional<Manifest> read_manifest(std::string_view text) {
  // Nobody's manifest is larger; what claims to be one does not get to fill the memory.
  if (text.size() > kMostBytes) return std::nullopt;
  try {
    return manifest_from_json(Json::parse(text));
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace mlf::process
