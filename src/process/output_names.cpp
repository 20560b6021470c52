#include "process/output_names.h"

#include <algorithm>
#include <array>

#include "support/characters.h"
#include "support/error.h"

namespace mlf::process {
namespace {

constexpr std::string_view kFolder = "src/";
constexpr std::string_view kTirPrefix = "tir-";
constexpr std::string_view kJsonSuffix = ".json";
constexpr std::string_view kTwinSuffix = ".tvm.json";
constexpr std::string_view kConstantFolder = ".constants/";
constexpr std::string_view kConstantSuffix = ".npy";
constexpr std::string_view kTopologySuffix = ".topology.json";
constexpr std::string_view kGraphSuffix = ".graph.json";

// With prefix and suffix below what file systems allow for one name (255 bytes).
constexpr std::size_t kLongestModule = 200;

/// Names of modules come from metadata.json, which anyone may have written.
bool can_name_file(std::string_view module) {
  // A slash would lead into another folder, in some tools a backslash too.
  return !module.empty() && module.size() <= kLongestModule &&
         module.find_first_of("/\\") == std::string_view::npos && support::is_plain(module);
}

std::string module_member(std::string_view module, std::string_view suffix, std::string_view file) {
  // In src/, where TVM's own readers look at nothing: executor-config/graph makes tvmc take the
  // archive for one of the graph executor.
  if (can_name_file(module)) return std::string(kFolder).append(module).append(suffix);
  Location where;
  where.file = file;
  throw support::Error(ErrorKind::invalid_input,
                       "the name of module '" + std::string(module.substr(0, kLongestModule)) +
                           "' cannot be part of the name of a member",
                       where);
}

bool is_network_name(std::string_view file) {
  constexpr std::array<std::string_view, 2> kSuffixes{kTopologySuffix, kGraphSuffix};
  return std::any_of(kSuffixes.begin(), kSuffixes.end(), [&](std::string_view suffix) {
    return file.ends_with(suffix) && can_name_file(file.substr(0, file.size() - suffix.size()));
  });
}

}  // namespace

std::string tir_json_name(std::string_view stem) {
  return std::string(kFolder).append(stem).append(kJsonSuffix);
}

std::string constants_folder(std::string_view stem) {
  return std::string(stem) + ".constants";
}

std::string beside_tir_json(std::string_view path) {
  return std::string(kFolder).append(path);
}

std::string topology_name(std::string_view module, std::string_view file) {
  return module_member(module, kTopologySuffix, file);
}

std::string graph_name(std::string_view module, std::string_view file) {
  return module_member(module, kGraphSuffix, file);
}

bool is_output_name(std::string_view name) {
  if (!name.starts_with(kFolder)) return false;
  const std::string_view file = name.substr(kFolder.size());
  if (is_network_name(file)) return true;
  if (!file.starts_with(kTirPrefix)) return false;
  const std::size_t slash = file.find('/');
  // `src/tir-1.json` is ours, its twin `src/tir-1.tvm.json` is captured.
  if (slash == std::string_view::npos) {
    return file.ends_with(kJsonSuffix) && !file.ends_with(kTwinSuffix);
  }
  return file.substr(0, slash + 1).ends_with(kConstantFolder) &&
         file.find('/', slash + 1) == std::string_view::npos && file.ends_with(kConstantSuffix);
}

}  // namespace mlf::process
