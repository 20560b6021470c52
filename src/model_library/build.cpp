#include "model_library/build.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string>

#include "json/document.h"
#include "json/text.h"
#include "mlf/formats.h"
#include "model_library/fields.h"
#include "model_library/files.h"

namespace mlf::model_library {
namespace {

constexpr std::string_view kFormat = "mlf-build";
constexpr std::uint32_t kMostNesting = 64;

void require_version(json::Value object) {
  const json::Value format = object.at("format");
  if (string_of(format) != kFormat) format.fail(fmt::format("expected \"{}\"", kFormat));
  const json::Value version = object.at("version");
  if (size_of(version) != kBuildVersion) {
    version.fail(fmt::format("unsupported version of build.json, known is {}", kBuildVersion));
  }
}

CapturedTir read_capture(json::Value object, std::size_t targets) {
  CapturedTir capture{.stem = string_of(object.at("stem"))};
  const json::Value target = object.at("target");
  if (!target.is_null()) {
    capture.target = size_of(target);
    if (*capture.target >= targets) {
      target.fail(fmt::format("the module has {} targets, counted from 0", targets));
    }
  }
  return capture;
}

Module read_module(json::Value object, std::span<const FileRef> files) {
  Module module;
  module.name = string_of(object.at("name"));
  module.model_name = module.name;
  module.style = style_of(object.at("style"));
  if (const json::Value executor = object.at("executor"); !executor.is_null()) {
    module.executors.push_back(executor_of(executor));
  }
  module.targets = targets_of(object.at("targets"));
  for (const json::Value capture : object.at("tir").as_array()) {
    module.captures.push_back(read_capture(capture, module.targets.size()));
  }
  if (const json::Value graph = object.at("graph"); !graph.is_null()) {
    const std::string name = string_of(graph);
    const auto file = std::ranges::find(files, name, &FileRef::name);
    if (file == files.end()) graph.fail("there is no such file");
    module.files.graph = *file;
  }
  for (const json::Value parameter : object.at("parameters").as_array()) {
    module.parameters.push_back(string_of(parameter));
  }
  return module;
}

/// Modules and their TIR are found by name.
void add_unique(std::set<std::string>& names, std::string_view kind, const std::string& name,
                json::Value where) {
  if (names.insert(name).second) return;
  where.fail(fmt::format("two modules have the {} {}", kind, json::quoted(name)));
}

}  // namespace

ModelLibrary read_build(const support::SourceText& source, std::span<const FileRef> files) {
  const json::Document document(source, {.max_nesting = kMostNesting});
  require_version(document.root());
  ModelLibrary library;
  library.is_build = true;
  std::set<std::string> modules;
  std::set<std::string> stems;
  const json::Value list = document.root().at("modules");
  for (const json::Value value : list.as_array()) {
    Module module = read_module(value, files);
    add_unique(modules, "name", module.name, value);
    for (const CapturedTir& capture : module.captures) {
      add_unique(stems, "TIR", capture.stem, value);
    }
    library.modules.push_back(std::move(module));
  }
  if (library.modules.empty()) list.fail("a build has at least one module");
  for (const FileRef& file : files) {
    if (file.name != kBuild) library.shared.other.push_back(file);
  }
  return library;
}

}  // namespace mlf::model_library
