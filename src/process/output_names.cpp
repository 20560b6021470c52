#include "process/output_names.h"

namespace mlf::process {
namespace {

constexpr std::string_view kTirPrefix = "src/tir-";
constexpr std::string_view kJsonSuffix = ".json";
constexpr std::string_view kTwinSuffix = ".tvm.json";
constexpr std::string_view kConstantFolder = ".constants/";
constexpr std::string_view kConstantSuffix = ".npy";

}  // namespace

std::string tir_json_name(std::string_view stem) {
  return "src/" + std::string(stem) + std::string(kJsonSuffix);
}

std::string constants_folder(std::string_view stem) {
  return std::string(stem) + ".constants";
}

std::string beside_tir_json(std::string_view path) {
  return "src/" + std::string(path);
}

bool is_output_name(std::string_view name) {
  if (!name.starts_with(kTirPrefix)) return false;
  const std::string_view rest = name.substr(kTirPrefix.size());
  const std::size_t slash = rest.find('/');
  if (slash == std::string_view::npos) {
    return rest.ends_with(kJsonSuffix) && !rest.ends_with(kTwinSuffix);
  }
  return rest.substr(0, slash + 1).ends_with(kConstantFolder) &&
         rest.find('/', slash + 1) == std::string_view::npos && rest.ends_with(kConstantSuffix);
}

}  // namespace mlf::process
