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

void require_version(Fields& fields) {
  const json::Value format = fields.at("format");
  if (string_of(format) != kFormat) format.fail(fmt::format("expected \"{}\"", kFormat));
  const json::Value version = fields.at("version");
  if (size_of(version) != kBuildVersion) {
    version.fail(fmt::format("unsupported version of build.json, known is {}", kBuildVersion));
  }
}

CapturedTir read_capture(json::Value value, std::size_t targets) {
  Fields fields(value);
  CapturedTir capture{.stem = string_of(fields.at("stem"))};
  const json::Value target = fields.at("target");
  if (!target.is_null()) {
    capture.target = size_of(target);
    if (*capture.target >= targets) {
      target.fail(fmt::format("the module has {} targets, counted from 0", targets));
    }
  }
  return capture;
}

Module read_module(json::Value value, std::span<const FileRef> files) {
  Fields fields(value);
  Module module;
  module.name = string_of(fields.at("name"));
  module.model_name = module.name;
  module.style = style_of(fields.at("style"));
  if (const json::Value executor = fields.at("executor"); !executor.is_null()) {
    module.executors.push_back(executor_of(executor));
  }
  module.targets = targets_of(fields.at("targets"));
  for (const json::Value capture : fields.at("tir").as_array()) {
    module.captures.push_back(read_capture(capture, module.targets.size()));
  }
  if (const json::Value graph = fields.at("graph"); !graph.is_null()) {
    const std::string name = string_of(graph);
    const auto file = std::ranges::find(files, name, &FileRef::name);
    if (file == files.end()) graph.fail("there is no such file");
    module.files.graph = *file;
  }
  for (const json::Value parameter : fields.at("parameters").as_array()) {
    module.parameters.push_back(string_of(parameter));
  }
  module.extra = fields.rest();
  return module;
}

/// Modules and their TIR are found by name.
class UniqueNames {
 public:
  void add(std::string_view kind, const std::string& name, json::Value where) {
    if (!names_.insert(name).second) {
      where.fail(fmt::format("two modules have the {} {}", kind, json::quoted(name)));
    }
  }

 private:
  std::set<std::string, std::less<>> names_;
};

}  // namespace

ModelLibrary read_build(const support::SourceText& source, std::span<const FileRef> files) {
  const json::Document document(source, {.max_nesting = kMostNesting});
  Fields fields(document.root());
  require_version(fields);
  ModelLibrary library;
  library.is_build = true;
  UniqueNames modules;
  UniqueNames stems;
  const json::Value list = fields.at("modules");
  for (const json::Value value : list.as_array()) {
    Module module = read_module(value, files);
    modules.add("name", module.name, value);
    for (const CapturedTir& capture : module.captures) stems.add("TIR", capture.stem, value);
    library.modules.push_back(std::move(module));
  }
  if (library.modules.empty()) list.fail("a build has at least one module");
  library.extra = fields.rest();
  for (const FileRef& file : files) {
    if (file.name != kBuild) library.shared.other.push_back(file);
  }
  return library;
}

}  // namespace mlf::model_library
