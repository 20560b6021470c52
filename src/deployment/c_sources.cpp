#include "deployment/c_sources.h"

#include <algorithm>
#include <utility>

#include "deployment/c_header.h"
#include "deployment/graph_signatures.h"
#include "deployment/module_facts.h"
#include "deployment/tir_name.h"
#include "support/error.h"

namespace mlf::deployment {
namespace {

constexpr std::string_view kStage = "codegen";

/// A file of codegen/host/src, and what it is.
struct SourceFile {
  const archive::Member* member;
  std::string_view text;
  tir::CFile role;

  bool has_functions() const { return role.role == tir::CRole::kernels && !role.functions.empty(); }
  std::string_view target_kind() const {
    return std::string_view(role.target).substr(0, role.target.find(' '));
  }
};

std::vector<SourceFile> source_files(const archive::Archive& archive, const Module& module) {
  std::vector<SourceFile> files;
  for (const FileRef& file : module.files.sources) {
    const archive::Member* member = archive.find(file.name);
    const std::string_view text = support::get_or_throw(archive.read(*member));
    files.push_back({member, text, tir::describe_c(text)});
  }
  return files;
}

std::vector<tir::CPool> pools_of_headers(const archive::Archive& archive, const Module& module) {
  std::vector<tir::CPool> pools;
  for (const FileRef& header : module.files.headers) {
    const archive::Member* const member = archive.find(header.name);
    for (HeaderPool& pool : read_header(support::get_or_throw(archive.read(*member))).pools) {
      pools.push_back({std::move(pool.name), pool.bytes});
    }
  }
  return pools;
}

/// Kinds of target in the order of their files.
std::vector<std::string_view> target_kinds(const std::vector<SourceFile>& files) {
  std::vector<std::string_view> kinds;
  for (const SourceFile& file : files) {
    if (!file.has_functions()) continue;
    if (std::find(kinds.begin(), kinds.end(), file.target_kind()) == kinds.end()) {
      kinds.push_back(file.target_kind());
    }
  }
  return kinds;
}

const Target* target_of_kind(const Module& module, std::string_view kind) {
  const auto found = std::find_if(module.targets.begin(), module.targets.end(),
                                  [&](const ModuleTarget& one) { return one.target.kind == kind; });
  if (found != module.targets.end()) return &found->target;
  return module.targets.empty() ? nullptr : &module.targets.front().target;
}

/// The TIR of one target: its files with functions, and all that have none.
TirSource source_of(const archive::Archive& archive, const std::vector<SourceFile>& files,
                    std::string_view kind) {
  TirSource source{.stem = {},
                   .stage = std::string(kStage),
                   .name = {},
                   .path = archive.path(),
                   .text = {},
                   .c = tir::CSources{}};
  for (const SourceFile& file : files) {
    if (file.has_functions() && file.target_kind() != kind) continue;
    if (file.has_functions() && source.member == nullptr) {
      source.name = file.member->name;
      source.text = file.text;
      source.member = file.member;
    }
    source.c_members.push_back(file.member);
    source.c->files.push_back({.file = archive.path(),
                               .member = file.member->name,
                               .text = file.text,
                               .stage = std::string(kStage)});
  }
  return source;
}

bool mentions(const std::vector<TirSource>& sources, const std::string& symbol) {
  return std::any_of(sources.begin(), sources.end(), [&](const TirSource& source) {
    return source.text.find(symbol) != std::string_view::npos;
  });
}

/// Whether TIR that was captured shows the module; `alone`: the archive has no other.
bool is_shown(const Module& module, bool alone, const std::vector<TirSource>& captured) {
  if (module.style == Style::operator_only) return !captured.empty();
  const std::string prefix = "tvmgen_" + symbol_part(module.name) + "_";
  const auto& executors = module.executors;
  if (std::find(executors.begin(), executors.end(), Executor::aot) == executors.end()) {
    return alone ? !captured.empty() : mentions(captured, prefix);
  }
  // Alone, main is recognised under another module's name as well: sidecars may have one.
  const std::string before = alone ? std::string() : prefix;
  return mentions(captured, before + "__tvm_main__") || mentions(captured, before + "run_model");
}

}  // namespace

std::vector<TirSource> generated_c(const archive::Archive& archive, const Module& module,
                                   const std::vector<TirSource>& taken) {
  std::vector<TirSource> sources;
  const std::vector<SourceFile> files = source_files(archive, module);
  const std::vector<tir::CSignature> signatures = graph_signatures(archive, module);
  const std::vector<tir::CPool> pools = pools_of_headers(archive, module);
  for (const std::string_view kind : target_kinds(files)) {
    TirSource source = source_of(archive, files, kind);
    source.c->signatures = signatures;
    source.c->pools = pools;
    source.stem = free_stem(target_of_kind(module, kind), [&](const std::string& stem) {
      const auto has_stem = [&](const TirSource& one) { return one.stem == stem; };
      return std::any_of(taken.begin(), taken.end(), has_stem) ||
             std::any_of(sources.begin(), sources.end(), has_stem);
    });
    sources.push_back(std::move(source));
  }
  return sources;
}

void add_generated_c(const archive::Archive& archive, const ModelLibrary& library,
                     std::vector<TirSource>& sources) {
  const std::vector<TirSource> captured = sources;
  for (const Module& module : library.modules) {
    if (is_shown(module, library.modules.size() == 1, captured)) continue;
    for (TirSource& source : generated_c(archive, module, sources)) {
      sources.push_back(std::move(source));
    }
  }
}

}  // namespace mlf::deployment
