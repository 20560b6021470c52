#include "deployment/owners.h"

#include <algorithm>
#include <set>

#include "deployment/tir_name.h"
#include "graph/kernels/functions.h"
#include "tir/node_queries.h"

namespace mlf::deployment {
namespace {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

std::vector<const Target*> targets_of(const std::vector<std::size_t>& modules,
                                      const ModelLibrary& library) {
  std::vector<const Target*> targets;
  for (const std::size_t i : modules) {
    for (const ModuleTarget& target : library.modules[i].targets) targets.push_back(&target.target);
  }
  return targets;
}

const Target* target_of_kind(const std::vector<const Target*>& targets, std::string_view kind) {
  const auto found = std::ranges::find(targets, kind, &Target::kind);
  return found == targets.end() ? nullptr : *found;
}

const Target* target_by_stem(const std::vector<const Target*>& targets, std::string_view stem) {
  // A name such as tir-1-cmsis-nn states device type and kind; other names state neither.
  const auto wanted = target_of_stem(stem);
  if (!wanted) return targets.size() == 1 ? targets.front() : nullptr;
  const auto fits = [&](const Target* target) {
    return target->device_type == wanted->device_type &&
           // The device type does not distinguish c and cmsis-nn.
           (wanted->kind.empty() || names_kind(wanted->kind, target->kind));
  };
  const auto found = std::ranges::find_if(targets, fits);
  return found == targets.end() ? nullptr : *found;
}

}  // namespace

std::string symbol_part(std::string_view module_name) {
  return graph::sanitized(module_name);
}

std::string symbol_prefix(std::string_view module_name) {
  return "tvmgen_" + symbol_part(module_name) + '_';
}

ModuleSymbols::ModuleSymbols(const ModelLibrary& library)
    : is_only_one_(library.modules.size() == 1) {
  for (std::size_t i = 0; i < library.modules.size(); ++i) {
    prefixes_.add(symbol_prefix(library.modules[i].name), i);
  }
}

// If one module's name is a prefix of another's, the longest match applies.
std::optional<std::size_t> ModuleSymbols::module_of(std::string_view symbol) const {
  // Operator archives may have symbols without any prefix.
  if (is_only_one_) return 0;
  // TVM puts the module's name into symbols unchanged.
  return prefixes_.longest_of(graph::sanitized(symbol));
}

StatedOwners::StatedOwners(const ModelLibrary& library) {
  for (std::size_t i = 0; i < library.modules.size(); ++i) {
    const Module& module = library.modules[i];
    for (const CapturedTir& capture : module.captures) {
      const Target* target = capture.target ? &module.targets[*capture.target].target : nullptr;
      owners_.emplace(capture.stem, TirOwners{{i}, target});
    }
  }
}

std::optional<TirOwners> StatedOwners::of(std::string_view stem) const {
  const auto found = owners_.find(stem);
  return found == owners_.end() ? std::nullopt : std::optional(found->second);
}

TirOwners owners_of(const tir::Module& module, std::string_view stem, const ModelLibrary& library,
                    const ModuleSymbols& symbols, const StatedOwners& stated) {
  if (auto owners = stated.of(stem)) return *std::move(owners);
  std::set<std::size_t> modules;
  // Since v0.9, an attribute of a function states its target, if the text contains it.
  std::set<std::string_view> kinds;
  for (const tir::NamedFunction& one : tir::functions_of(module)) {
    if (const auto owner = symbols.module_of(one.symbol)) {
      modules.insert(*owner);
    }
    if (const auto kind = tir::target_kind_of(one.function); !kind.empty()) kinds.insert(kind);
  }

  TirOwners owners{{modules.begin(), modules.end()}, nullptr};
  const auto targets = targets_of(owners.modules, library);
  // In TVM's files, all functions of one TIR have one target; a TIR with several targets has none.
  if (kinds.size() == 1) owners.target = target_of_kind(targets, *kinds.begin());
  if (owners.target == nullptr) owners.target = target_by_stem(targets, stem);
  return owners;
}

}  // namespace mlf::deployment
