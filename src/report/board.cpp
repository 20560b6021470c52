// The memories of a board, and what several networks need of them together.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "report/budget_parts.h"
#include "support/error.h"
#include "support/nearest.h"

namespace mlf {
namespace report {
namespace {

using analysis::Count;

/// What a memory may hold of every network, the group that includes it, and the resource whose
/// missing facts it lacks.
struct PartKind {
  std::string_view name;
  std::string_view group;
  Resource resource;
  bool is_of_a_run;  ///< networks that run in turn share it
};
constexpr PartKind kPools{"pools", "ram", Resource::buffers, false};
/// Those that the application provides.
constexpr PartKind kGivenPools{"pools", "ram", Resource::buffers, true};
constexpr PartKind kIo{"io", "ram", Resource::buffers, false};
constexpr PartKind kExecutor{"executor", "ram", Resource::buffers, false};
constexpr PartKind kHeap{"heap", "ram", Resource::heap, true};
constexpr PartKind kStack{"stack", "ram", Resource::stack, true};
constexpr PartKind kData{"data", "ram", Resource::code, false};
constexpr PartKind kConstants{"constants", "flash", Resource::constants, false};
constexpr PartKind kCode{"code", "flash", Resource::flash, false};
constexpr std::array kAllKinds{kPools, kIo, kExecutor, kHeap, kStack, kData, kConstants, kCode};

struct PlacedPart {
  const ModuleReport* module;
  const PartKind* kind;
  BoardPart part;
};

/// The number without a part of it.
Count without(const Count& all, const Count& part) {
  Count rest{0, std::nullopt};
  if (part.max) rest.min = all.min - std::min(all.min, *part.max);
  if (all.max) rest.max = *all.max - std::min(*all.max, part.min);
  return rest;
}

/// Collects the parts of one module.
class ModuleParts {
 public:
  ModuleParts(const BoardArchive& archive, const ModuleReport& module, const LibraryNeeds& library,
              std::vector<PlacedPart>& parts)
      : archive_(archive), module_(module), library_(library), parts_(parts) {}

  void add_all() {
    add_pools();
    const RamReport& ram = module_.ram;
    add(kIo, ram.io);
    add(kExecutor, ram.executor);
    add(kHeap, ram.heap);
    add(kStack, needed(module_, Resource::stack, library_));
    add(kData, module_.code ? static_data(module_) : Count::unknown());
    add_read();
  }

 private:
  void add(const PartKind& kind, const Count& bytes, std::string_view name = {}) {
    if (bytes == Count(0)) return;
    const std::string_view shown = name.empty() ? kind.name : name;
    parts_.push_back({&module_, &kind, {archive_.name, std::string(shown), {}, bytes}});
  }

  void add_pools() {
    Count sum;
    if (module_.network) {
      for (const graph::Pool& pool : module_.network->pools) {
        if (pool.kind != graph::PoolKind::workspace) continue;
        const Count bytes = analysis::to_count(pool.bytes);
        sum += bytes;
        // The linker may pad in front of it.
        const Count padding(0, module_.code ? module_.code->written_padding : 0);
        add(is_given(pool.name) ? kGivenPools : kPools, bytes + padding, pool.name);
      }
    }
    add(kPools, without(module_.ram.pools, sum));
  }

  /// Whether the application has the pool, as no variable of the C is it.
  bool is_given(const std::string& pool) const {
    return module_.code && module_.code->uncompiled.empty() &&
           !module_.code->variables.contains(pool);
  }

  void add_read() {
    Count rest = needed(module_, Resource::flash, library_);
    if (!module_.code) {
      const Count constants = needed(module_, Resource::constants);
      add(kConstants, constants);
      return add(kCode, without(rest, constants));
    }
    for (const auto& [name, section] : module_.code->read_sections) {
      const Count padding(0, section.padding);
      rest = without(rest, section.bytes);
      if (rest.max) *rest.max -= std::min(*rest.max, section.padding);
      add(section.is_code ? kCode : kConstants, padding + section.bytes, name);
    }
    add(kCode, rest);
  }

  const BoardArchive& archive_;
  const ModuleReport& module_;
  const LibraryNeeds& library_;
  std::vector<PlacedPart>& parts_;
};

/// The names by which a memory may hold a part, the most specific first.
std::vector<std::string> names_of(const PlacedPart& one) {
  std::vector<std::string> names;
  const auto add = [&](std::string_view name) {
    names.push_back(one.part.archive + ":" + std::string(name));
    names.emplace_back(name);
  };
  // `.text` holds `.text.run`.
  std::string_view name = one.part.name;
  for (; name.find_last_of('.') != name.npos; name = name.substr(0, name.find_last_of('.'))) {
    add(name);
  }
  if (!name.empty()) add(name);
  add(one.kind->name);
  add(one.kind->group);
  return names;
}

class BoardCheck {
 public:
  BoardCheck(const Board& board, std::span<const BoardArchive> archives,
             const LibraryNeeds& library)
      : board_(board), archives_(archives), library_(library) {}

  CheckResults run() {
    for (const BoardArchive& archive : archives_) {
      for (const ModuleReport& module : archive.report.modules) {
        ModuleParts(archive, module, library_, parts_).add_all();
      }
    }
    place();
    CheckResults results;
    for (const BoardMemory& memory : board_.memories) {
      results.limits.push_back(result_of(memory.name, memory.bytes));
    }
    const bool is_outside =
        std::ranges::any_of(parts_, [](const PlacedPart& one) { return one.part.memory.empty(); });
    if (is_outside) results.limits.push_back(result_of("", 0));
    for (const PlacedPart& one : parts_) results.parts.push_back(one.part);
    add_clashes(results);
    for (const BoardArchive& archive : archives_) {
      for (ModuleContradiction& one : contradictions_of(archive.report)) {
        results.contradictions.push_back({archive.name + ":" + one.module, std::move(one.what)});
      }
    }
    return results;
  }

 private:
  void place() {
    std::map<std::string, const BoardMemory*> memory_of;
    for (const BoardMemory& memory : board_.memories) {
      for (const HeldName& held : memory.holds) {
        if (memory_of.emplace(held.name, &memory).second) continue;
        throw support::Error(ErrorKind::invalid_input,
                             fmt::format("'{}' is in two places", held.name), held.where);
      }
    }
    std::set<std::string> known;
    for (const PartKind& kind : kAllKinds) {
      for (const std::string_view name : {kind.name, kind.group}) {
        known.emplace(name);
        for (const BoardArchive& one : archives_) known.insert(one.name + ":" + std::string(name));
      }
    }
    for (PlacedPart& one : parts_) {
      const std::vector<std::string> names = names_of(one);
      known.insert(names.begin(), names.end());
      const auto held = std::ranges::find_if(
          names, [&](const std::string& name) { return memory_of.contains(name); });
      if (held != names.end()) one.part.memory = memory_of[*held]->name;
    }
    require_known({known.begin(), known.end()});
  }

  /// A part that no archive has would always fit.
  void require_known(const std::vector<std::string>& known) const {
    for (const BoardMemory& memory : board_.memories) {
      for (const HeldName& held : memory.holds) {
        if (std::ranges::binary_search(known, held.name)) continue;
        throw support::Error(ErrorKind::invalid_input,
                             fmt::format("no archive has '{}', and sections need --cc COMPILER{}",
                                         held.name, did_you_mean(held.name, known)),
                             held.where);
      }
    }
  }

  /// What all parts in a memory need together.
  Count needed_in(std::string_view memory, bool in_turn) const {
    Count sum;
    // Of each kind that networks share, what each of them needs.
    std::map<std::string_view, std::map<const ModuleReport*, Count>> shared;
    for (const auto& [module, kind, part] : parts_) {
      if (part.memory != memory) continue;
      Count& into = in_turn && kind->is_of_a_run ? shared[kind->name][module] : sum;
      into += part.bytes;
    }
    for (const auto& [kind, networks] : shared) {
      Count largest;
      for (const auto& [module, bytes] : networks) {
        largest.min = std::max(largest.min, bytes.min);
        if (!bytes.max || !largest.max) {
          largest.max.reset();
        } else {
          largest.max = std::max(*largest.max, *bytes.max);
        }
      }
      sum += largest;
    }
    return sum;
  }

  BudgetResult result_of(const std::string& memory, std::uint64_t bytes) {
    BudgetResult result{std::string(kAllModules),
                        {.most = bytes, .memory = memory},
                        needed_in(memory, board_.in_turn),
                        Verdict::fits,
                        {}};
    bool is_contradicted = false;
    for (const PlacedPart& one : parts_) {
      is_contradicted |= one.part.memory == memory && contradiction(*one.module).has_value();
    }
    result.verdict = verdict_on(result, is_contradicted);
    if (result.verdict == Verdict::fits) return result;
    result.remarks.push_back(memory.empty() ? "no memory holds " + names_in(memory)
                                            : shortfall(result));
    if (result.verdict == Verdict::undecided) add_missing(result);
    add_ways(result);
    return result;
  }

  std::string names_in(std::string_view memory) const {
    std::vector<std::string> names;
    for (const auto& [module, kind, part] : parts_) {
      if (part.memory == memory) names.push_back(part.archive + ":" + part.name);
    }
    return some_of(names);
  }

  void add_missing(BudgetResult& result) const {
    std::set<std::pair<const ModuleReport*, Resource>> seen;
    for (const auto& [module, kind, part] : parts_) {
      if (part.memory != *result.limit.memory || part.bytes.is_exact()) continue;
      if (!seen.emplace(module, kind->resource).second) continue;
      for (const std::string& why : what_is_missing(*module, library_, kind->resource)) {
        const std::string remark = part.archive + ": " + why;
        if (std::ranges::find(result.remarks, remark) != result.remarks.end()) continue;
        result.remarks.push_back(remark);
      }
    }
  }

  std::uint64_t bytes_of(std::string_view memory) const {
    const auto found = std::ranges::find(board_.memories, memory, &BoardMemory::name);
    return found == board_.memories.end() ? 0 : found->bytes;
  }

  bool fits(std::string_view memory) const {
    const Count needed = needed_in(memory, board_.in_turn);
    return needed.max && *needed.max <= bytes_of(memory);
  }

  /// Whether there are parts that are written, as nothing else shows which memories are RAM.
  bool is_written(std::string_view memory) const {
    return std::ranges::any_of(parts_, [&](const PlacedPart& one) {
      return one.part.memory == memory && one.kind->group == kPools.group;
    });
  }

  /// What would make it fit: networks in turn, or one part in another memory.
  void add_ways(BudgetResult& result) {
    const std::string& memory = *result.limit.memory;
    const Count shared = needed_in(memory, true);
    if (shared.max && *shared.max <= result.limit.most) {
      result.remarks.emplace_back("it fits if networks run in turn (in_turn = true)");
    }
    for (PlacedPart& one : parts_) {
      if (one.part.memory != memory) continue;
      for (const BoardMemory& other : board_.memories) {
        if (other.name == memory) continue;
        if (one.kind->group == kPools.group && !is_written(other.name)) continue;
        one.part.memory = other.name;
        const bool helps = fits(memory) && fits(other.name);
        one.part.memory = memory;
        if (!helps) continue;
        result.remarks.push_back(fmt::format("it fits with {}:{} ({} bytes) in '{}'",
                                             one.part.archive, one.part.name,
                                             to_string(one.part.bytes), other.name));
        return;
      }
    }
  }

  void add_clashes(CheckResults& results) const {
    std::map<std::string_view, std::vector<std::string>> definitions;
    for (const BoardArchive& archive : archives_) {
      for (const ModuleReport& module : archive.report.modules) {
        const CompiledCode* code = module.code      ? &*module.code
                                   : module.objects ? &module.objects->code
                                                    : nullptr;
        if (code == nullptr) continue;
        for (const std::string& symbol : code->exported) {
          definitions[symbol].push_back(archive.name);
        }
      }
    }
    for (auto& [symbol, archives] : definitions) {
      if (archives.size() > 1) results.clashes.push_back({std::string(symbol), archives});
    }
  }

  const Board& board_;
  std::span<const BoardArchive> archives_;
  const LibraryNeeds& library_;
  std::vector<PlacedPart> parts_;
};

}  // namespace
}  // namespace report

Result<CheckResults> check(const Board& board, std::span<const BoardArchive> archives,
                           const LibraryNeeds& library) {
  return support::to_result([&] { return report::BoardCheck(board, archives, library).run(); });
}

}  // namespace mlf
