// metadata.json: which keys stand where in which version, and their meaning.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "json/document.h"
#include "json/text.h"
#include "mlf/model_library.h"
#include "model_library/fields.h"
#include "model_library/files.h"
#include "model_library/memory.h"
#include "support/error.h"
#include "target/readers.h"

namespace mlf {
namespace model_library {
namespace {

constexpr std::int32_t kNewestVersion = 7;
constexpr std::int32_t kFirstVersionWithStyle = 4;
constexpr std::int32_t kFirstVersionWithExecutors = 5;
constexpr std::int32_t kFirstVersionWithModules = 7;

std::int32_t read_version(json::Value value) {
  const std::int32_t version = device_type_of(value);
  if (version < 1 || version > kNewestVersion) {
    value.fail(
        fmt::format("unsupported format version {}, known are 1 to {}", version, kNewestVersion));
  }
  return version;
}

Style read_style(json::Value value) {
  const std::string text = string_of(value);
  if (text == "full-model") return Style::full_model;
  if (text == "operator") return Style::operator_only;
  value.fail(fmt::format("unknown style {}, known are \"full-model\" and \"operator\"",
                         json::quoted(text)));
}

Executor read_executor(json::Value value) {
  const std::string text = string_of(value);
  if (text == "aot") return Executor::aot;
  if (text == "graph") return Executor::graph;
  value.fail(
      fmt::format("unknown executor {}, known are \"aot\" and \"graph\"", json::quoted(text)));
}

ModuleTarget read_module_target(json::Value value) {
  const std::string text = string_of(value);
  try {
    ModuleTarget entry;
    entry.target = targets::read_target(text, TargetIntegers::decimal);
    return entry;
  } catch (const support::Error& error) {
    // The place in the target's text means nothing to someone who looks at the JSON.
    value.fail(fmt::format("malformed target {}: {}", json::quoted(text), error.what()));
  }
}

ModuleTarget read_keyed_target(json::Member member) {
  const std::string_view key = member.key.text();
  ModuleTarget entry = read_module_target(member.value);
  const auto [end, error] =
      std::from_chars(key.data(), key.data() + key.size(), entry.device_type_key);
  if (error != std::errc() || end != key.data() + key.size() || entry.device_type_key < 1) {
    member.value.fail(
        fmt::format("the key of a target is a device type, found {}", json::quoted(key)));
  }
  return entry;
}

std::vector<ModuleTarget> read_targets(json::Value value) {
  if (value.is(json::Type::array)) return list_of(value, read_module_target);
  if (!value.is(json::Type::object)) {
    value.fail(
        fmt::format("expected an array or an object of targets, found {}", name_of(value.type())));
  }
  std::vector<ModuleTarget> targets;
  for (const json::Member member : value.members()) targets.push_back(read_keyed_target(member));
  return targets;
}

ExternalDependency read_dependency(json::Value value) {
  Fields fields(value);
  ExternalDependency dependency;
  dependency.short_name = string_of(fields.at("short_name"));
  dependency.url = string_of(fields.at("url"));
  dependency.url_type = string_of(fields.at("url_type"));
  dependency.version_spec = string_of(fields.at("version_spec"));
  dependency.extra = fields.rest();
  return dependency;
}

/// The keys of one model, which stand at the top level or, from version 7 on, below `modules`.
Module read_module(Fields& fields, std::int32_t version) {
  Module module;
  if (version >= kFirstVersionWithStyle) module.style = read_style(fields.at("style"));
  module.model_name = string_or_null(fields.at("model_name"));
  module.name = module.model_name.value_or("");
  if (const auto time = fields.find("export_datetime")) module.export_datetime = string_of(*time);
  const bool renamed = version >= kFirstVersionWithExecutors;
  module.executors = list_of(fields.at(renamed ? "executors" : "runtimes"), read_executor);
  module.targets = read_targets(fields.at("target"));
  if (const auto dependencies = fields.find("external_dependencies")) {
    module.external_dependencies = list_of(*dependencies, read_dependency);
  }
  module.memory = read_memory(fields.at("memory"), module.style);
  return module;
}

std::vector<Module> read_modules(json::Value value, std::int32_t version) {
  value.expect(json::Type::object);
  std::vector<Module> modules;
  for (const json::Member member : value.members()) {
    Fields fields(member.value);
    Module module = read_module(fields, version);
    // TVM names files by the key; it writes the same text into `model_name`.
    module.name = member.key.text();
    module.extra = fields.rest();
    modules.push_back(std::move(module));
  }
  if (modules.empty()) value.fail("expected at least one module");
  return modules;
}

/// From version 7 on, except in operator archives, which keep the old shape.
bool keeps_modules_apart(const Fields& fields, std::int32_t version) {
  if (version < kFirstVersionWithModules) return false;
  const std::optional<json::Value> style = fields.peek("style");
  return !(style && style->is_string() && style->text() == "operator");
}

ModelLibrary read_metadata(json::Value root) {
  Fields fields(root);
  ModelLibrary library;
  library.version = read_version(fields.at("version"));
  if (keeps_modules_apart(fields, library.version)) {
    library.modules = read_modules(fields.at("modules"), library.version);
  } else {
    library.modules.push_back(read_module(fields, library.version));
  }
  library.extra = fields.rest();
  return library;
}

}  // namespace
}  // namespace model_library

Result<ModelLibrary> read_model_library(std::string_view metadata, std::span<const FileRef> members,
                                        const MetadataOptions& options) {
  return support::to_result([&] {
    const auto most = std::min<std::size_t>(options.max_nesting, UINT32_MAX);
    const support::SourceText source{"", "metadata.json", metadata};
    const json::Document document(source, {.max_nesting = static_cast<std::uint32_t>(most)});
    ModelLibrary library = model_library::read_metadata(document.root());
    model_library::assign_files(library, members);
    return library;
  });
}

}  // namespace mlf
