#include "deployment/tir_name.h"

#include <algorithm>
#include <set>

#include "model_library/files.h"
#include "support/characters.h"
#include "support/lookup.h"
#include "support/numbers.h"
#include "tir/node_queries.h"

namespace mlf::deployment {
namespace {

constexpr std::string_view kPrefix = "tir-";
constexpr std::string_view kTextSuffix = ".txt";
constexpr std::string_view kTwinSuffix = ".tvm.json";
constexpr std::string_view kDirectory = "src/";

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

std::string_view source_directory(const archive::Archive& archive) {
  if (archive.find(model_library::kMetadata) != nullptr) return kDirectory;
  if (archive.find(model_library::kBuild) != nullptr) return "";
  const auto& members = archive.members();
  const bool has_tir = std::ranges::any_of(
      members, [](const archive::Member& one) { return parse_tir_name(one.name).has_value(); });
  const bool has_code = std::ranges::any_of(members, [](const archive::Member& one) {
    return one.name.starts_with(kDirectory) || one.name.starts_with("codegen/");
  });
  return has_tir && !has_code ? "" : kDirectory;
}

std::string_view stage_of_stem(std::string_view stem) {
  // tir-1.unplanned.txt is stage "unplanned" of target 1.
  const std::size_t dot = stem.find('.');
  return dot == std::string_view::npos ? kDefaultStage : stem.substr(dot + 1);
}

std::optional<TirName> parse_tir_name(std::string_view name) {
  if (!name.starts_with(kPrefix) || name.find('/') != std::string_view::npos) return std::nullopt;
  // The same TIR as save_json, without losses.
  const bool twin = name.ends_with(kTwinSuffix);
  if (!twin && !name.ends_with(kTextSuffix)) return std::nullopt;
  const std::string_view suffix = twin ? kTwinSuffix : kTextSuffix;
  const std::string_view stem = name.substr(0, name.size() - suffix.size());
  if (stem.size() <= kPrefix.size()) return std::nullopt;
  return TirName{stem, twin ? TirForm::twin : TirForm::text};
}

std::optional<TirName> parse_tir_member(std::string_view directory, std::string_view member) {
  if (!member.starts_with(directory)) return std::nullopt;
  return parse_tir_name(member.substr(directory.size()));
}

std::optional<StemTarget> target_of_stem(std::string_view stem) {
  std::string_view rest = stem.substr(0, stem.find('.'));
  if (!rest.starts_with(kPrefix)) return std::nullopt;
  rest.remove_prefix(kPrefix.size());
  StemTarget target;
  target.device_type = support::take_number<decltype(target.device_type)>(rest).value_or(0);
  if (target.device_type <= 0) return std::nullopt;
  if (rest.empty()) return target;
  if (!rest.starts_with('-')) return std::nullopt;
  target.kind = rest.substr(1);
  return target;
}

bool Stems::contains(std::string_view stem) const {
  return taken_.contains(stem) || (below_ != nullptr && below_->contains(stem));
}

std::size_t Stems::first_number(std::string_view stem) const {
  const auto known = next_.find(stem);
  if (known != next_.end()) return known->second;
  return below_ != nullptr ? below_->first_number(stem) : 1;
}

std::string Stems::free_stem(const Target* target) {
  // TVM uses DLDeviceType as the number, which is 1 (CPU) for c, llvm, cmsis-nn and ethos-u. The
  // kind distinguishes these, and a further number distinguishes targets of one kind.
  const std::int32_t type = target != nullptr ? target->device_type.value_or(1) : 1;
  const std::string with_type = "tir-" + std::to_string(type);
  if (!contains(with_type)) return with_type;
  const std::string with_kind = with_type + '-' + (target != nullptr ? target->kind : "c");
  if (!contains(with_kind)) return with_kind;
  for (std::size_t number = first_number(with_kind);; ++number) {
    std::string stem = with_kind + '-' + std::to_string(number);
    if (contains(stem)) continue;
    next_.insert_or_assign(with_kind, number + 1);
    return stem;
  }
}

std::string Stems::add_free(const Target* target) {
  std::string stem = free_stem(target);
  add(stem);
  return stem;
}

bool names_kind(std::string_view kind, std::string_view wanted) {
  if (!kind.starts_with(wanted)) return false;
  const std::string_view rest = kind.substr(wanted.size());
  return rest.empty() || (rest.starts_with('-') && support::is_digits(rest.substr(1)));
}

// --- Owners --------------------------------------------------------------------------------------

std::string symbol_part(std::string_view module_name) {
  return support::sanitized(module_name);
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
  return prefixes_.longest_of(support::sanitized(symbol));
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
  return support::value_at(owners_, stem);
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
