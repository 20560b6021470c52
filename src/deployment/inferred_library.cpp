#include "deployment/inferred_library.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "deployment/member_text.h"
#include "deployment/tir_name.h"
#include "graph/kernels/functions.h"
#include "mlf/target.h"
#include "model_library/files.h"
#include "support/error.h"
#include "support/lookup.h"
#include "tir/c/c.h"
#include "tir/node_queries.h"

namespace mlf::deployment {
namespace {

using model_library::below;
using model_library::kHeaders;
using model_library::kObjects;
using model_library::kSources;

// Versions of the format, by the places of files of the graph executor and of Relay.
constexpr std::int32_t kVersionOfReleases = 7;
constexpr std::int32_t kVersionWithExecutorConfig = 5;
constexpr std::int32_t kVersionWithRuntimeConfig = 3;

using Names = support::DistinctList<std::string>;  // an archive may have any number of files

/// The generated code in the archive.
struct GeneratedCode {
  std::map<std::string, std::string, std::less<>> targets;  ///< that files of C state, by file
  Names of_libraries;  ///< modules in the names of files of C and objects, which may have none
  Names of_headers;    ///< as names of headers have them
  Names of_mains;      ///< as symbols have them
  Names of_kernels;    ///< as symbols of functions that TVM fuses for a network have them
  bool is_any = false;
};

/// Adds the modules of the main functions that a text with TIR names.
void add_mains(std::string_view text, Names& modules) {
  tir::c::for_each_word(text, [&](std::string_view word, std::size_t) {
    const bool is_main = word.starts_with(kSymbolPrefix) && tir::is_main_symbol(word);
    if (is_main) modules.add(graph::module_of_main(word));
  });
}

/// The module of "tvmgen_default_fused_add", as C names it; empty for a function of an operator.
std::string_view module_of_kernel(std::string_view symbol) {
  if (!symbol.starts_with(kSymbolPrefix)) return {};
  symbol.remove_prefix(kSymbolPrefix.size());
  const std::size_t fused = symbol.find("_fused_");
  return fused == symbol.npos ? std::string_view() : symbol.substr(0, fused);
}

GeneratedCode generated_code(const archive::Archive& archive, std::span<const FileRef> files) {
  GeneratedCode code;
  const std::string_view directory = source_directory(archive);
  for (const FileRef& file : files) {
    const std::string_view source = below(file.name, kSources);
    const std::string_view object = below(file.name, kObjects);
    const auto header = model_library::module_of_header(below(file.name, kHeaders));
    if (header) code.of_headers.add(model_library::header_form(*header));
    const auto library = model_library::module_of_library_file(source.empty() ? object : source);
    if (library && !library->empty()) code.of_libraries.add(*library);
    code.is_any = code.is_any || header || library || object.ends_with(".a");
    // Archives have TIR in src/, beside the metadata.json that states their modules.
    if (directory.empty() && parse_tir_member(directory, file.name)) {
      code.is_any = true;
      add_mains(member_text(archive, file), code.of_mains);
    }
    if (source.empty()) continue;
    tir::CFile read = tir::describe_c(member_text(archive, file));
    code.is_any = code.is_any || read.role != tir::CRole::other;
    for (const tir::CDefinition& one : read.definitions) {
      const bool is_main = one.symbol.starts_with(kSymbolPrefix) && tir::is_main_symbol(one.symbol);
      if (is_main) code.of_mains.add(graph::module_of_main(one.symbol));
      const std::string_view module = module_of_kernel(one.symbol);
      if (!module.empty()) code.of_kernels.add(module);
    }
    if (!read.target.empty()) code.targets.emplace(file.name, std::move(read.target));
  }
  return code;
}

bool has_main(const GeneratedCode& code, std::string_view module) {
  return code.of_mains.contains(symbol_part(module));
}

bool has_header(const GeneratedCode& code, std::string_view module) {
  return code.of_headers.contains(model_library::header_form(module));
}

/// Names of files contain the unchanged names of modules. Headers and mains contain them as C
/// names.
std::vector<std::string> module_names(const GeneratedCode& code) {
  Names names;
  for (const std::string& name : code.of_libraries.all()) {
    // The file may be a library of another kind.
    const bool is_certain = has_main(code, name) || has_header(code, name);
    if (is_certain) names.add(name);
  }
  const Names* const others[] = {&code.of_libraries, &code.of_mains, &code.of_headers,
                                 &code.of_kernels};
  for (const Names* more : others) {
    if (names.all().empty()) names = *more;
  }
  if (names.all().empty()) names.add("");
  return names.all();
}

/// The version with this layout of files; that of the releases if no file distinguishes it.
std::int32_t layout_version(std::span<const FileRef> files) {
  const auto has = [&](std::string_view name) {
    return std::ranges::find(files, name, &FileRef::name) != files.end();
  };
  if (has("runtime-config/graph/graph.json")) return kVersionWithRuntimeConfig;
  const bool is_older = has("executor-config/graph/graph.json") || has("src/relay.txt");
  return is_older ? kVersionWithExecutorConfig : kVersionOfReleases;
}

void add_targets(Module& module, const GeneratedCode& code) {
  Names texts;
  for (const FileRef& file : module.files.sources) {
    const auto target = code.targets.find(file.name);
    if (target != code.targets.end()) texts.add(target->second);
  }
  for (const std::string& text : texts.all()) {
    auto target = support::value_if_valid(parse_target(text));
    if (target) module.targets.push_back({.target = *std::move(target)});
  }
}

void complete(Module& module, const GeneratedCode& code) {
  // The header is that of AOT's C interface; mains of other modules are in other files.
  if (has_main(code, module.name) || has_header(code, module.name)) {
    module.executors.push_back(Executor::aot);
  }
  // The library of a network without a main is that of the graph executor.
  const bool is_of_graph =
      module.executors.empty() && code.of_kernels.contains(symbol_part(module.name));
  if (module.files.graph || is_of_graph) module.executors.push_back(Executor::graph);
  const bool is_operator = module.name.empty() && module.executors.empty();
  if (is_operator) module.style = Style::operator_only;
  if (!module.name.empty()) module.model_name = module.name;
  add_targets(module, code);
}

}  // namespace

std::optional<ModelLibrary> inferred_library(const archive::Archive& archive,
                                             std::span<const FileRef> files) {
  const GeneratedCode code = generated_code(archive, files);
  if (!code.is_any) return std::nullopt;
  ModelLibrary library;
  for (std::string& name : module_names(code)) {
    library.modules.emplace_back().name = std::move(name);
  }
  library.version = layout_version(files);
  model_library::assign_files(library, files);
  library.version = 0;
  for (Module& module : library.modules) complete(module, code);
  return library;
}

}  // namespace mlf::deployment
