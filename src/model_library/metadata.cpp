// Reads metadata.json: the keys of each version, and their meaning.
#include <fmt/core.h>

#include <algorithm>

#include "json/document.h"
#include "mlf/model_library.h"
#include "model_library/fields.h"
#include "model_library/files.h"
#include "support/error.h"

namespace mlf {
namespace model_library {
namespace {

// From TVM's history of python/tvm/micro/model_library_format.py. Releases write 5 (v0.8) and 7
// (v0.9 to v0.18); the others come from snapshots between them.
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

/// Since v0.9, and only for AOT with the C runtime: the source of `runtime/`.
ExternalDependency read_dependency(json::Value object) {
  return {.short_name = string_of(object.at("short_name")),
          .url = string_of(object.at("url")),
          .url_type = string_of(object.at("url_type")),
          .version_spec = string_of(object.at("version_spec"))};
}

/// The parameter of a storage or a buffer, where the object says one.
std::optional<std::string> binding_of(json::Value object) {
  const auto binding = object.find("input_binding");
  return binding ? string_or_null(*binding) : std::nullopt;
}

/// A storage of the graph executor. TVM indexes its tables of shapes by storage instead of node, so
/// sizes and bindings may be wrong; mlf reports them unchanged.
StorageId read_storage_id(json::Value object) {
  return {.storage_id = static_cast<std::int64_t>(size_of(object.at("storage_id"))),
          .size_bytes = size_of(object.at("size_bytes")),
          .input_binding = binding_of(object)};
}

DeviceWorkspace read_workspace(json::Value object) {
  return {.device = device_type_of(object.at("device")),
          .workspace_size_bytes = size_of(object.at("workspace_size_bytes"))};
}

FunctionWorkspace read_operator_function(json::Value object) {
  return {.function_name = string_of(object.at("function_name")),
          .workspace = list_of(object.at("workspace"), read_workspace)};
}

/// Inputs or outputs by name. TVM sorts the keys when it writes, so their order has no meaning.
std::vector<IoTensor> read_io(json::Value value) {
  value.expect(json::Type::object);
  std::vector<IoTensor> tensors;
  for (const json::Member member : value.members()) {
    tensors.push_back({.name = std::string(member.key.text()),
                       .size_bytes = size_of(member.value.at("size")),
                       .dtype = string_of(member.value.at("dtype"))});
  }
  return tensors;
}

MainMemory read_main(json::Value object) {
  // Only in some archives of a version: v0.11 introduced inputs and outputs (#12789), and still
  // writes 7.
  const auto optional = [&](std::string_view key, auto read) {
    const auto found = object.find(key);
    return found ? std::optional(read(*found)) : std::nullopt;
  };
  return {.device = device_type_of(object.at("device")),
          .workspace_size_bytes = size_of(object.at("workspace_size_bytes")),
          .constants_size_bytes = optional("constants_size_bytes", size_of),
          .io_size_bytes = optional("io_size_bytes", size_of),
          .inputs = optional("inputs", read_io),
          .outputs = optional("outputs", read_io)};
}

/// In operator archives, a buffer of each kernel, which is bound to a parameter or to nothing.
OperatorBuffer read_operator_buffer(json::Value object) {
  const auto extent_of = [](json::Value extent) {
    return static_cast<std::int64_t>(size_of(extent));
  };
  return {.size_bytes = size_of(object.at("size_bytes")),
          .shape = list_of(object.at("shape"), extent_of),
          .dtype = string_of(object.at("dtype")),
          .input_binding = binding_of(object)};
}

/// Operator archives: function → buffers, without the other levels of full models.
ModuleMemory read_operators(json::Value value) {
  value.expect(json::Type::object);
  ModuleMemory memory;
  for (const json::Member function : value.members()) {
    memory.operators.push_back(
        {std::string(function.key.text()), list_of(function.value, read_operator_buffer)});
  }
  return memory;
}

/// Version 1 has a list, later versions an object; the value itself shows which.
ModuleMemory read_memory(json::Value value, Style style) {
  if (style == Style::operator_only) return read_operators(value);
  ModuleMemory memory;
  if (value.is(json::Type::array)) {
    memory.storage_ids = list_of(value, read_storage_id);
    return memory;
  }
  if (const auto ids = value.find("sids")) memory.storage_ids = list_of(*ids, read_storage_id);
  // Only the graph executor has `sids`; `functions` always exists.
  const json::Value functions = value.at("functions");
  memory.operator_functions = list_of(functions.at("operator_functions"), read_operator_function);
  memory.main = list_of(functions.at("main"), read_main);
  return memory;
}

/// The keys of one model, at the top level or, from version 7 on, in `modules`.
Module read_module(json::Value object, std::int32_t version) {
  Module module;
  if (version >= kFirstVersionWithStyle) module.style = style_of(object.at("style"));
  module.model_name = string_or_null(object.at("model_name"));
  // Operator archives may lack a name.
  module.name = module.model_name.value_or("");
  if (const auto time = object.find("export_datetime")) module.export_datetime = string_of(*time);
  // Version 5 renamed the key (#8270).
  const bool renamed = version >= kFirstVersionWithExecutors;
  module.executors = list_of(object.at(renamed ? "executors" : "runtimes"), executor_of);
  module.targets = targets_of(object.at("target"));
  if (const auto dependencies = object.find("external_dependencies")) {
    module.external_dependencies = list_of(*dependencies, read_dependency);
  }
  module.memory = read_memory(object.at("memory"), module.style);
  return module;
}

std::vector<Module> read_modules(json::Value value, std::int32_t version) {
  value.expect(json::Type::object);
  std::vector<Module> modules;
  for (const json::Member member : value.members()) {
    Module module = read_module(member.value, version);
    // TVM names files by the key; it writes the same text into `model_name`.
    module.name = member.key.text();
    modules.push_back(std::move(module));
  }
  if (modules.empty()) value.fail("expected at least one module");
  return modules;
}

/// From version 7 on, except in operator archives, which keep the old form.
bool keeps_modules_apart(json::Value object, std::int32_t version) {
  if (version < kFirstVersionWithModules) return false;
  // Only a preview: `read_module` reads it again and reports errors.
  const std::optional<json::Value> style = object.find("style");
  return !(style && style->is_string() && style->text() == "operator");
}

ModelLibrary read_metadata(json::Value object) {
  ModelLibrary library;
  library.version = read_version(object.at("version"));
  if (keeps_modules_apart(object, library.version)) {
    library.modules = read_modules(object.at("modules"), library.version);
  } else {
    library.modules.push_back(read_module(object, library.version));
  }
  return library;
}

}  // namespace
}  // namespace model_library

Result<ModelLibrary> read_model_library(std::string_view metadata, std::span<const FileRef> members,
                                        const MetadataOptions& options) {
  return support::to_result([&] {
    const auto most = std::min<std::size_t>(options.max_nesting, UINT32_MAX);
    // A nesting limit, so hostile documents cannot exhaust the stack of recursive readers.
    const support::SourceText source{"", std::string(model_library::kMetadata), metadata};
    const json::Document document(source, {.max_nesting = static_cast<std::uint32_t>(most)});
    ModelLibrary library = model_library::read_metadata(document.root());
    model_library::assign_files(library, members);
    return library;
  });
}

std::string_view to_string(Style style) {
  return style == Style::full_model ? "full-model" : "operator";
}

std::string_view to_string(Executor executor) {
  return executor == Executor::aot ? "aot" : "graph";
}

}  // namespace mlf
