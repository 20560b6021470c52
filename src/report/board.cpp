// The memories of a board, and what several networks need of them together.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "report/shared_numbers.h"
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
constexpr PartKind kPools{"pools", "ram", Resource::ram, false};
/// Those that are not its own: the application provides them.
constexpr PartKind kGivenPools{"pools", "ram", Resource::ram, true};
constexpr PartKind kIo{"io", "ram", Resource::buffers, false};
constexpr PartKind kExecutor{"executor", "ram", Resource::buffers, false};
constexpr PartKind kHeap{"heap", "ram", Resource::heap, true};
constexpr PartKind kStack{"stack", "ram", Resource::stack, true};
constexpr PartKind kData{"data", "ram", Resource::code, false};
constexpr PartKind kConstants{"constants", "flash", Resource::constants, false};
constexpr PartKind kCode{"code", "flash", Resource::flash, false};
/// Including functions outside of the archive.
constexpr PartKind kOtherCode{"code", "flash", Resource::flash, false};

/// The most in front of a tensor or pool of the application. Objects of LLVM may assume that it is
/// aligned to 64 bytes, those of TVM up to v0.9 to 128.
std::uint64_t most_padding(const ModuleReport& module) {
  return module.objects ? 127 : 15;
}

struct PlacedPart {
  const ModuleReport* module;
  const PartKind* kind;
  BoardPart part;

  bool is_written() const { return kind->group == kPools.group; }
};

void add_parts(const std::string& archive, const ModuleReport& module, const LibraryNeeds& library,
               std::vector<PlacedPart>& parts) {
  const auto add = [&](const PartKind& kind, const Count& bytes, std::string_view name = {}) {
    const std::string_view shown = name.empty() ? kind.name : name;
    parts.push_back({&module, &kind, {archive, std::string(shown), {}, bytes}});
  };
  const CompiledCode no_code;
  const CompiledCode& code = module.code ? *module.code : no_code;
  const std::vector<graph::Pool> no_pools;
  Count other_pools = module.ram.pools;
  for (const graph::Pool& pool : module.network ? module.network->pools : no_pools) {
    if (pool.kind != graph::PoolKind::workspace) continue;
    const Count bytes = analysis::to_count(pool.bytes);
    other_pools = without(other_pools, bytes);
    // The linker may pad in front of it. Without code, whose it is is not known either.
    const bool is_compiled = module.code && code.uncompiled.empty();
    const bool is_variable = code.variables.contains(pool.name);
    const Count padding = !is_compiled  ? Count::unknown()
                          : is_variable ? Count(0, code.written_padding)
                                        : Count(0, most_padding(module));
    add(is_own(module, pool) ? kPools : kGivenPools, bytes + padding, pool.name);
  }
  add(kPools, other_pools);
  const std::size_t tensors =
      module.network ? module.network->inputs.size() + module.network->outputs.size() : 0;
  add(kIo, module.ram.io + Count(0, tensors * most_padding(module)));
  add(kExecutor, module.ram.executor);
  add(kHeap, module.ram.heap);
  add(kStack, needed(module, Resource::stack, library));
  // The board says where sections are that linker scripts do not know.
  Count data = module.code ? static_data(module) : Count::unknown();
  if (data.max) *data.max -= std::min(*data.max, code.unplaced_read);
  add(kData, data);
  // A compiler has constants in sections.
  const Count constants = module.code ? Count() : needed(module, Resource::constants);
  add(kConstants, constants);
  Count other_code = without(needed(module, Resource::flash, library), constants);
  for (const auto& [name, section] : code.read_sections) {
    other_code = without(other_code, section.bytes);
    if (other_code.max) *other_code.max -= std::min(*other_code.max, section.padding);
    add(section.is_code ? kCode : kConstants, Count(0, section.padding) + section.bytes, name);
  }
  add(kOtherCode, other_code);
}

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
        const std::size_t begin = parts_.size();
        add_parts(archive.name, module, library_, parts_);
        if (archive.report.modules.size() == 1) continue;
        for (std::size_t i = begin; i < parts_.size(); ++i) parts_[i].part.module = module.name;
      }
    }
    place();
    check_prefixes();
    count_library_once();
    add_load_images();
    CheckResults results;
    for (const BoardMemory& memory : board_.memories) {
      results.limits.push_back(result_of(memory.name, memory.bytes));
    }
    for (const PlacedPart& one : parts_) {
      if (one.part.bytes != Count(0)) results.parts.push_back(one.part);
    }
    if (std::ranges::count(results.parts, "", &BoardPart::memory) > 0) {
      results.limits.push_back(result_of("", 0));
    }
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
    for (const BoardMemory& memory : board_.memories) {
      for (const HeldName& held : memory.holds) {
        if (!memory_of_.emplace(held.name, &memory).second) {
          refuse(held, fmt::format("'{}' is in two places", held.name));
        }
      }
    }
    std::set<std::string> known;
    for (PlacedPart& one : parts_) {
      const std::vector<std::string> names = names_of(one);
      known.insert(names.begin(), names.end());
      put(one, names);
    }
    const std::vector<std::string> all(known.begin(), known.end());
    for (const BoardMemory& memory : board_.memories) {
      for (const HeldName& held : memory.holds) {
        // A part that no archive has would always fit.
        if (known.contains(held.name)) continue;
        refuse(held, fmt::format("no archive has '{}', and sections need --cc COMPILER{}",
                                 held.name, did_you_mean(held.name, all)));
      }
    }
  }

  void check_prefixes() const {
    std::vector<std::string> names;
    for (const BoardArchive& archive : archives_) names.push_back(archive.name);
    for (const SymbolPrefix& one : board_.prefixes) {
      const auto found = std::ranges::find(archives_, one.archive.name, &BoardArchive::name);
      if (found == archives_.end()) {
        refuse(one.archive, fmt::format("no archive is '{}'{}", one.archive.name,
                                        did_you_mean(one.archive.name, names)));
      }
      const auto takes_prefix = [](const ModuleReport& module) {
        return !module.objects && module.network &&
               module.network->provenance.kind == graph::ProvenanceKind::main_function;
      };
      if (!std::ranges::all_of(found->report.modules, takes_prefix)) {
        refuse(one.archive, fmt::format("'{}' takes no prefix: it is not an archive of the AOT "
                                        "executor with C alone",
                                        one.archive.name));
      }
    }
  }

  /// As mlf_add_network renames it.
  std::string symbol_in_program(const BoardArchive& archive, std::string_view symbol) const {
    constexpr std::string_view kTvm = "tvmgen_";
    const auto of_archive = [&](const SymbolPrefix& one) {
      return one.archive.name == archive.name;
    };
    const auto found = std::ranges::find_if(board_.prefixes, of_archive);
    std::string renamed(symbol);
    if (found == board_.prefixes.end()) return renamed;
    const std::string prefix = found->prefix + "_";
    for (std::size_t at = renamed.find(kTvm); at != renamed.npos;
         at = renamed.find(kTvm, at + prefix.size())) {
      renamed.replace(at, kTvm.size(), prefix);
    }
    return renamed;
  }

  void put(PlacedPart& one, const std::vector<std::string>& names) const {
    const auto held = std::ranges::find_if(
        names, [&](const std::string& name) { return memory_of_.contains(name); });
    if (held != names.end()) one.part.memory = memory_of_.at(*held)->name;
  }

  /// A program has functions outside of the archives once. Which memory is not known: any may.
  void count_library_once() {
    std::set<std::string_view> counted;
    for (auto& [module, kind, part] : parts_) {
      if (kind != &kOtherCode || !needs_library(*module) || !library_.flash) continue;
      const bool is_first = counted.insert(part.memory).second;
      if (is_first || !part.bytes.max) continue;
      *part.bytes.max -= std::min(*part.bytes.max, *library_.flash);
    }
  }

  /// What is only read and is in RAM comes from flash when the program starts.
  void add_load_images() {
    const std::size_t count = parts_.size();
    for (std::size_t i = 0; i < count; ++i) {
      const PlacedPart& loaded = parts_[i];
      if (loaded.is_written() || loaded.part.memory.empty() || !is_ram(loaded.part.memory))
        continue;
      const BoardPart& part = loaded.part;
      PlacedPart image{loaded.module,
                       &kCode,
                       {part.archive, "load image of " + part.name, {}, part.bytes, part.module}};
      put(image, {part.archive + ":code", "code", part.archive + ":flash", "flash"});
      parts_.push_back(std::move(image));
    }
  }

  [[noreturn]] static void refuse(const HeldName& held, std::string why) {
    throw support::Error(ErrorKind::invalid_input, std::move(why), held.where);
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
      for (const auto& [module, bytes] : networks) largest = larger(largest, bytes);
      sum += largest;
    }
    return sum;
  }

  BudgetResult result_of(const std::string& memory, std::uint64_t bytes) {
    const bool are_certain = std::ranges::all_of(parts_, [&](const PlacedPart& one) {
      return one.part.memory != memory || is_certain(*one.module);
    });
    BudgetResult result =
        report::result_of(std::string(kAllModules), {.most = bytes, .memory = memory},
                          needed_in(memory, board_.in_turn), are_certain);
    if (result.verdict == Verdict::fits) return result;
    result.remarks.push_back(memory.empty() ? "no memory holds these parts" : shortfall(result));
    if (result.verdict == Verdict::undecided) add_missing(result);
    add_ways(result);
    return result;
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

  bool fits(std::string_view memory, std::uint64_t bytes) const {
    const Count needed = needed_in(memory, board_.in_turn);
    return needed.max && *needed.max <= bytes;
  }

  /// Whether it has parts that are written, as nothing else shows which memories are RAM.
  bool is_ram(std::string_view memory) const {
    return std::ranges::any_of(parts_, [&](const PlacedPart& one) {
      return one.part.memory == memory && one.is_written();
    });
  }

  /// What would make it fit: networks in turn, or one part in another memory.
  void add_ways(BudgetResult& result) {
    const std::string& memory = *result.limit.memory;
    const Count shared = needed_in(memory, true);
    if (!board_.in_turn && shared.max && *shared.max <= result.limit.most) {
      result.remarks.emplace_back("it fits if networks run in turn (in_turn = true)");
    }
    for (PlacedPart& one : parts_) {
      if (one.part.memory != memory) continue;
      for (const BoardMemory& other : board_.memories) {
        if (other.name == memory || (one.is_written() && !is_ram(other.name))) continue;
        one.part.memory = other.name;
        const bool helps = fits(memory, result.limit.most) && fits(other.name, other.bytes);
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
    std::map<std::string, SymbolClash> definitions;
    for (const BoardArchive& archive : archives_) {
      for (const ModuleReport& module : archive.report.modules) {
        // Files that are not compiled define what their text shows.
        std::set<std::string_view> symbols(module.defined.begin(), module.defined.end());
        if (module.code) symbols.insert(module.code->exported.begin(), module.code->exported.end());
        if (!module.code && module.objects) {
          const auto& exported = module.objects->code.exported;
          symbols.insert(exported.begin(), exported.end());
        }
        for (const std::string_view symbol : symbols) {
          const std::string name = symbol_in_program(archive, symbol);
          SymbolClash& clash = definitions[name];
          clash.symbol = name;
          clash.archives.push_back(archive.name);
          clash.modules.push_back(module.name);
        }
      }
    }
    for (auto& [symbol, clash] : definitions) {
      if (clash.archives.size() > 1) results.clashes.push_back(std::move(clash));
    }
  }

  const Board& board_;
  std::span<const BoardArchive> archives_;
  const LibraryNeeds& library_;
  std::vector<PlacedPart> parts_;
  std::map<std::string, const BoardMemory*, std::less<>> memory_of_;  ///< by the name that it holds
};

}  // namespace
}  // namespace report

Result<CheckResults> check(const Board& board, std::span<const BoardArchive> archives,
                           const LibraryNeeds& library) {
  return support::to_result([&] { return report::BoardCheck(board, archives, library).run(); });
}

}  // namespace mlf
