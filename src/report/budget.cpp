#include "mlf/budget.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "report/shared_numbers.h"
#include "support/lookup.h"
#include "support/nearest.h"

namespace mlf {
namespace {

using analysis::Count;

constexpr std::array kInfos{
#define MLF_RESOURCE(name, unit, meaning) ResourceInfo{Resource::name, #name, unit, meaning},
#include "mlf/resources.def"
#undef MLF_RESOURCE
};

/// The count as a lower bound, because a part of it is unknown.
Count at_least(const Count& count) {
  return {count.min, std::nullopt};
}

// --- What is needed ------------------------------------------------------------------------------

/// Bytes of workspace pools that the compiled C has in `data` and `bss`, and not the application.
std::uint64_t compiled_pools(const ModuleReport& module) {
  std::uint64_t bytes = 0;
  if (!module.network) return bytes;
  for (const graph::Pool& pool : module.network->pools) {
    const auto variable = module.code->variables.find(pool.name);
    const bool is_written = variable != module.code->variables.end() && variable->second.is_written;
    if (is_written && pool.kind == graph::PoolKind::workspace) bytes += variable->second.bytes;
  }
  return bytes;
}

/// Without a compiler, and with object files that state no frame, only the arrays of frames are
/// known.
Count stack_of(const ModuleReport& module, const LibraryNeeds& library) {
  const bool has_frames =
      module.code && std::ranges::any_of(module.code->functions, [](const auto& function) {
        return function.second.frame.has_value();
      });
  return has_frames ? stack_frames(module, library.stack)
                    : at_least(module.ram.stack + module.ram.arguments);
}

Count ram_of(const ModuleReport& module, const LibraryNeeds& library) {
  const RamReport& ram = module.ram;
  const Count beside = ram.io + ram.executor + ram.heap + stack_of(module, library);
  Count all = ram.pools + report::static_data(module) + beside;
  // The sections also have variables whose sizes only a compiler knows.
  if (module.code) all.min = std::max(all.min, module.code->least_ram() + beside.min);
  return all;
}

/// .data is also in flash: startup code copies it into RAM.
Count sections_of(const ModuleReport& module) {
  if (!module.code) return Count::unknown();
  const CompiledCode& code = *module.code;
  Count all = compiled_bytes(code, code.text + code.rodata + code.data);
  all.min -= std::min(all.min, code.unused_flash);
  return all;
}

Count constants_of(const ModuleReport& module) {
  return module.flash.constants + module.flash.copies;
}

Count flash_of(const ModuleReport& module, const LibraryNeeds& library) {
  if (!module.code) return at_least(constants_of(module));
  Count sections = sections_of(module);
  if (!module.code->uncompiled.empty()) {
    // Constants of the other files are read without a compiler.
    sections.min = std::max(sections.min, module.code->text + constants_of(module).min);
  }
  sections += module.flash.beside_code + Count(0, module.code->read_padding);
  if (!report::needs_library(module)) return sections;
  return library.flash ? sections + Count(0, library.flash) : at_least(sections);
}

/// An assumption is no upper bound.
Count time_of(const ModuleReport& module) {
  const Count time = module.call_times().nanoseconds;
  return module.times && module.times->are_assumed ? at_least(time) : time;
}

// --- Remarks on it -------------------------------------------------------------------------------

bool has(std::initializer_list<Resource> resources, Resource resource) {
  return support::is_among(resources, resource);
}

/// Possible savings by a change of the archive or its build, as far as the report shows them.
std::vector<std::string> ways_to_save(const ModuleReport& module, Resource resource) {
  std::vector<std::string> ways;
  const bool is_memory = has({Resource::ram, Resource::buffers}, resource);
  // Only a plan knows how much.
  const bool may_move = module.ram.pools.min > 0 && module.peak.used.min > module.lower_bound.min;
  if (is_memory && may_move) ways.emplace_back("mlf plan shows what other offsets need");
  const bool is_heap = is_memory || resource == Resource::heap;
  if (is_heap && module.ram.heap.min > 0 && !module.no_network) {
    ways.push_back(
        "TVM's unified static memory planner (tir.usmp.enable) would put main's tensors and "
        "workspaces of kernels into one pool, whose size mlf plan shows");
  }
  const bool is_flash = has({Resource::flash, Resource::constants, Resource::code}, resource);
  if (is_flash && module.flash.copies.min > 0) {
    ways.push_back(
        fmt::format("{} bytes are copies of constants in get_c_metadata", module.flash.copies.min));
  }
  return ways;
}

/// Adds functions that the archive does not contain.
void add_foreign_code(const CompiledCode& code, const LibraryNeeds& library, Resource resource,
                      bool is_stack, std::vector<std::string>& missing) {
  const bool is_given = is_stack ? library.stack.has_value() : library.flash.has_value();
  if (code.missing.empty() || is_given || resource == Resource::code) return;
  constexpr std::size_t kMostNames = 3;
  const bool is_one = code.missing.size() == 1;
  std::string text = fmt::format(
      "the archive does not contain {}{}: {} {} unknown", some_of(code.missing, kMostNames),
      code.missing.size() > kMostNames ? " (mlf inspect --integration --cc lists all)" : "",
      is_one ? "its" : "their",
      !is_stack ? "code is"
      : is_one  ? "frame is"
                : "frames are");
  text += fmt::format("; mlf check --library-{} BYTES takes an upper bound",
                      is_stack ? "stack" : "flash");
  missing.push_back(std::move(text));
}

void add_missing_code(const ModuleReport& module, const LibraryNeeds& library, Resource resource,
                      std::vector<std::string>& missing) {
  const bool is_stack = has({Resource::ram, Resource::stack}, resource);
  if (!is_stack && !has({Resource::flash, Resource::code}, resource)) return;
  if (!module.code) {
    missing.push_back(std::string(is_stack ? "stack frames need" : "code needs") +
                      " --cc COMPILER");
    return;
  }
  std::ranges::copy(module.code->uncompiled, std::back_inserter(missing));
  if (is_stack && module.network &&
      module.network->provenance.kind == graph::ProvenanceKind::graph_json) {
    missing.emplace_back(
        "TVM's graph executor calls the kernels and is not in the archive: its stack is unknown");
  }
  if (is_stack && module.code->may_recurse) {
    missing.emplace_back("functions call themselves: how often is unknown, and so is their stack");
  }
  add_foreign_code(*module.code, library, resource, is_stack, missing);
  if (resource == Resource::ram && !module.code->unplaced.empty()) {
    const std::set<std::string, std::less<>>& names = module.code->unplaced;
    missing.push_back(fmt::format(
        "the linker script decides whether {} {} in RAM; mlf check --section {}=ram or =flash",
        some_of(std::vector<std::string>(names.begin(), names.end()), 3),
        names.size() == 1 ? "is" : "are", *names.begin()));
  }
  const std::uint64_t padding = resource == Resource::ram     ? module.code->written_padding
                                : resource == Resource::flash ? module.code->read_padding
                                                              : 0;
  if (padding > 0) missing.emplace_back("the linker decides the padding between sections");
  if (!is_stack) return;
  const auto& functions = module.code->functions;
  const auto unbound =
      std::ranges::find_if(functions, [](const auto& function) { return !function.second.frame; });
  if (unbound == functions.end()) return;
  missing.push_back(fmt::format("no bound is known for the stack frame of '{}'", unbound->first));
}

bool needs_profile(Resource resource) {
  return has({Resource::instructions, Resource::time}, resource);
}

void add_missing_times(const ModuleReport& module, Resource resource,
                       std::vector<std::string>& missing) {
  if (!module.times) {
    missing.emplace_back("only a run shows it: mlf profile --json, and --profile FILE here");
  } else if (resource == Resource::instructions) {
    missing.emplace_back("the profile has no instructions: it is not from an emulator");
  } else if (module.times->are_assumed) {
    missing.emplace_back(
        "the profile assumes the cycles of an instruction: measure on the board, or state them "
        "with "
        "mlf profile --cpi");
  } else if (!module.call_times().nanoseconds.is_known()) {
    missing.emplace_back("the profile has no times: mlf profile --clock HERTZ");
  } else {
    missing.emplace_back("the profile has a range of cycles for an instruction: mlf profile --cpi");
  }
}

/// The part of a number that comes from the network.
Count part_of_network(const ModuleReport& module, Resource resource) {
  const RamReport& ram = module.ram;
  switch (resource) {
    case Resource::ram:
      return ram.pools + ram.io + ram.executor + ram.heap + (module.code ? Count() : ram.stack);
    case Resource::flash:
      return module.code ? Count() : constants_of(module);
    case Resource::stack:
      return module.code ? Count() : ram.stack;
    case Resource::code:
      return {};
    default:
      return needed(module, resource);
  }
}

/// Without those about loads and stores, if there are others.
std::vector<std::string> reasons_of_memory(const ModuleReport& module) {
  std::set<std::string> of_costs;
  for (const KernelReport& kernel : module.kernels) {
    if (!kernel.cost) continue;
    for (const std::string& why : kernel.cost->uncertain) {
      of_costs.insert(report::about_kernel(kernel, why));
    }
  }
  for (const std::string& why : module.peak.uncertain) of_costs.erase(why);
  std::vector<std::string> reasons;
  std::ranges::remove_copy_if(module.uncertain, std::back_inserter(reasons),
                              [&](const std::string& why) { return of_costs.contains(why); });
  return reasons.empty() ? module.uncertain : reasons;
}

/// Why a number of the network is not exact.
void add_reasons(const ModuleReport& module, Resource resource, std::vector<std::string>& missing) {
  if (part_of_network(module, resource).is_exact()) return;
  constexpr std::size_t kMost = 3;  // a few are enough to show the error
  const std::vector<std::string> reasons =
      resource == Resource::mac ? module.uncertain : reasons_of_memory(module);
  for (std::size_t i = 0; i < std::min(reasons.size(), kMost); ++i) {
    const auto says_it = [&](const std::string& one) { return one.ends_with(reasons[i]); };
    if (std::ranges::none_of(missing, says_it)) missing.push_back(reasons[i]);
  }
  const bool has_pools = has({Resource::ram, Resource::buffers}, resource);
  if (has_pools && module.network && !module.ram.pools.is_known()) {
    for (const graph::Pool& pool : module.network->pools) {
      if (pool.kind != graph::PoolKind::workspace || pool.bytes) continue;
      missing.push_back(
          fmt::format("nothing declares the size of pool '{0}': give it with --pool-size {0}=BYTES",
                      pool.name));
    }
  }
}

/// The limit that needs no compiler, or no functions of libraries.
std::string limit_on_rest(const ModuleReport& module, Resource resource) {
  const Resource rest = resource == Resource::ram ? Resource::buffers
                        : module.code             ? Resource::code
                                                  : Resource::constants;
  return fmt::format("the limit '{}' covers the rest", to_string(rest));
}

std::vector<std::string> remarks_on(const ModuleReport& module, const LibraryNeeds& library,
                                    const BudgetResult& result) {
  const Resource resource = result.limit.resource;
  std::vector<std::string> remarks;
  if (has({Resource::ram, Resource::buffers, Resource::heap}, resource)) {
    for (const DeviceReport& one : module.devices) {
      remarks.push_back(fmt::format("memory of device {} does not count", one.device));
    }
  }
  if (result.verdict == Verdict::fits) return remarks;
  remarks.insert(remarks.begin(), report::shortfall(result));
  if (result.verdict == Verdict::undecided) {
    const auto missing = report::what_is_missing(module, library, resource);
    remarks.insert(remarks.end(), missing.begin(), missing.end());
    const bool has_rest = has({Resource::ram, Resource::flash}, resource);
    if (has_rest && !missing.empty()) remarks.push_back(limit_on_rest(module, resource));
  }
  std::ranges::copy(ways_to_save(module, resource), std::back_inserter(remarks));
  return remarks;
}

/// Memory that other modules certainly do not share: variables of the module's C or objects.
std::uint64_t unshared(const ModuleReport& module, Resource resource) {
  if (!has({Resource::ram, Resource::buffers}, resource)) return 0;
  std::uint64_t pools = 0;
  for (const graph::Pool& pool :
       module.network ? module.network->pools : std::vector<graph::Pool>()) {
    const bool is_workspace = pool.kind == graph::PoolKind::workspace;
    if (is_workspace && report::is_own(module, pool)) pools += pool.bytes.value_or(0);
  }
  if (resource == Resource::buffers || !module.code) return pools;
  return std::max(module.code->least_ram(), pools + report::static_data(module).min);
}

/// nullopt for resources of one run of one network.
std::optional<Count> needed_together(const Report& report, Resource resource,
                                     LibraryNeeds library) {
  const bool adds_up = has({Resource::flash, Resource::constants, Resource::code}, resource);
  if (!adds_up && !has({Resource::ram, Resource::buffers, Resource::heap}, resource)) {
    return std::nullopt;
  }
  Count sum;
  std::uint64_t own = 0;
  std::uint64_t largest = 0;  // of what networks that run in turn may share
  for (const ModuleReport& module : report.modules) {
    const Count one = needed(module, resource, library);
    const std::uint64_t kept = std::min(unshared(module, resource), one.min);
    // A program has functions outside of the archive once.
    if (library.flash && report::needs_library(module)) library.flash = 0;
    sum = sum + one;
    own += kept;
    largest = std::max(largest, one.min - kept);
  }
  return adds_up ? sum : Count(own + largest, sum.max);
}

/// The limits on every module are limits on the archive.
void check_together(const Report& report, std::span<const Limit> limits,
                    const LibraryNeeds& library, std::vector<BudgetResult>& results) {
  const bool are_certain = std::ranges::all_of(report.modules, report::is_certain);
  for (const Limit& limit : limits) {
    const auto sum = needed_together(report, limit.resource, library);
    if (!sum) continue;
    BudgetResult result = report::result_of(std::string(kAllModules), limit, *sum, are_certain);
    if (result.verdict != Verdict::fits) {
      result.remarks.push_back(
          fmt::format("{} for all modules together{}", report::shortfall(result),
                      result.verdict == Verdict::undecided ? "; see the rows of each" : ""));
    }
    results.push_back(std::move(result));
  }
}

}  // namespace

// --- Budgets -------------------------------------------------------------------------------------

namespace report {

Count static_data(const ModuleReport& module) {
  if (!module.code) return {};
  const CompiledCode& code = *module.code;
  const std::optional<std::uint64_t> pools = module.ram.pools.max;
  const auto beside = [](std::uint64_t bytes, std::optional<std::uint64_t> part) {
    return part && *part <= bytes ? bytes - *part : 0;
  };
  const std::uint64_t own = std::min(compiled_pools(module), pools.value_or(0));
  const Count others(beside(code.least_ram(), pools), beside(code.data + code.bss, own));
  return compiled_bytes(code, 0) + others + Count(0, code.written_padding + code.unplaced_read);
}

bool is_own(const ModuleReport& module, const graph::Pool& pool) {
  return module.own_pools.contains(pool.name) ||
         (module.code && module.code->variables.contains(pool.name));
}

bool needs_library(const ModuleReport& module) {
  return module.code && !module.code->missing.empty();
}

bool is_certain(const ModuleReport& module) {
  return module.contradictions.empty() && (!module.network || module.network->is_sound());
}

BudgetResult result_of(std::string module, const Limit& limit, const Count& needed,
                       bool is_certain) {
  const bool fits = needed.max && *needed.max <= limit.most && is_certain;
  const Verdict verdict = needed.min > limit.most ? Verdict::exceeds
                          : fits                  ? Verdict::fits
                                                  : Verdict::undecided;
  return {std::move(module), limit, needed, verdict, {}};
}

std::string shortfall(const BudgetResult& result) {
  const Limit& limit = result.limit;
  const auto in_unit = [&](std::uint64_t amount) {
    if (limit.resource == Resource::time && !limit.memory) {
      return fmt::format("{:.6g} ms", static_cast<double>(amount) / 1e6);
    }
    return fmt::format("{} {}", amount, limit.memory ? "bytes" : info(limit.resource).unit);
  };
  if (result.verdict == Verdict::exceeds) {
    return in_unit(result.needed.min - limit.most) + " too many";
  }
  if (result.needed.max && *result.needed.max <= limit.most) return "its numbers may be wrong";
  if (!result.needed.max) return "the upper bound is unknown";
  return fmt::format("up to {} may be missing", in_unit(*result.needed.max - limit.most));
}

std::vector<std::string> what_is_missing(const ModuleReport& module, const LibraryNeeds& library,
                                         Resource resource) {
  std::vector<std::string> missing;
  if (!module.contradictions.empty()) {
    missing.push_back("the archive contradicts itself (see mlf verify): " +
                      module.contradictions.front().detail);
  }
  if (needs_profile(resource)) {
    add_missing_times(module, resource, missing);
    return missing;
  }
  add_reasons(module, resource, missing);
  add_missing_code(module, library, resource, missing);
  return missing;
}

}  // namespace report

std::span<const ResourceInfo> resource_infos() {
  return kInfos;
}

const ResourceInfo& info(Resource resource) {
  return kInfos[static_cast<std::size_t>(resource)];
}

std::string_view to_string(Resource resource) {
  return info(resource).name;
}

Result<Resource> resource_named(std::string_view name) {
  const auto found = std::ranges::find(kInfos, name, &ResourceInfo::name);
  if (found != kInfos.end()) return found->resource;
  std::vector<std::string> names;
  for (const ResourceInfo& one : kInfos) names.emplace_back(one.name);
  return tl::make_unexpected(
      Diagnostic{ErrorKind::usage, fmt::format("there is no limit '{}', only {}{}", name,
                                               fmt::join(names, ", "), did_you_mean(name, names))});
}

std::string_view to_string(const Limit& limit) {
  return limit.memory ? *limit.memory : to_string(limit.resource);
}

std::string_view to_string(Verdict verdict) {
  return support::name_in({"fits", "exceeds", "undecided"}, verdict);
}

std::string_view to_string(Presence presence) {
  return support::name_in({"absent", "found", "undecided"}, presence);
}

Presence FindingResult::presence() const {
  if (!found.empty()) return Presence::found;
  return unsearched.empty() ? Presence::absent : Presence::undecided;
}

Count needed(const ModuleReport& module, Resource resource, const LibraryNeeds& library) {
  switch (resource) {
    case Resource::ram:
      return ram_of(module, library);
    case Resource::flash:
      return flash_of(module, library);
    case Resource::stack:
      return stack_of(module, library);
    case Resource::heap:
      return module.ram.heap;
    case Resource::buffers:
      return module.ram.total();
    case Resource::constants:
      return constants_of(module);
    case Resource::code:
      return sections_of(module);
    case Resource::instructions:
      return module.call_times().instructions;
    case Resource::time:
      return time_of(module);
    case Resource::mac:
      break;
  }
  return module.mac;
}

std::vector<BudgetResult> check_budget(const ModuleReport& module, std::span<const Limit> limits,
                                       const LibraryNeeds& library) {
  std::vector<BudgetResult> results;
  for (const Limit& limit : limits) {
    BudgetResult result = report::result_of(
        module.name, limit, needed(module, limit.resource, library), report::is_certain(module));
    result.remarks = remarks_on(module, library, result);
    results.push_back(std::move(result));
  }
  return results;
}

std::vector<FindingResult> check_findings(const ModuleReport& module,
                                          std::span<const CostFindingCode> unwanted) {
  std::vector<FindingResult> results;
  for (const CostFindingCode code : unwanted) {
    FindingResult& result = results.emplace_back(FindingResult{module.name, code});
    std::ranges::copy_if(module.findings, std::back_inserter(result.found),
                         [&](const CostFinding& finding) { return finding.code == code; });
    for (const UnsearchedFinding& one : module.unsearched) {
      if (one.code == code) result.unsearched.push_back(one.why);
    }
  }
  return results;
}

Demands Budget::demands_on(std::string_view module) const {
  const auto found = of_modules.find(module);
  const Demands own = found != of_modules.end() ? found->second : Demands();
  Demands demands;
  for (const ResourceInfo& one : resource_infos()) {
    for (const auto* limits : {&own.limits, &common.limits}) {
      const auto limit = std::ranges::find(*limits, one.resource, &Limit::resource);
      if (limit == limits->end()) continue;
      demands.limits.push_back(*limit);
      break;
    }
  }
  for (const CostFindingInfo& one : all_cost_findings()) {
    const bool is_unwanted = support::is_among(own.no_findings, one.finding) ||
                             support::is_among(common.no_findings, one.finding);
    if (is_unwanted) demands.no_findings.push_back(one.finding);
  }
  return demands;
}

bool CheckResults::all_hold() const {
  return clashes.empty() &&
         std::ranges::all_of(
             limits, [](const BudgetResult& result) { return result.verdict == Verdict::fits; }) &&
         std::ranges::all_of(findings, [](const FindingResult& result) {
           return result.presence() == Presence::absent;
         });
}

std::vector<Total> totals(const Report& report) {
  constexpr std::array kResources{Resource::ram, Resource::flash};
  std::vector<Total> all;
  for (const ModuleReport& module : report.modules) {
    for (const Resource one : kResources) {
      // The caller of functions without a main has their tensors.
      const bool is_known = one == Resource::flash && module.code;
      if (module.no_network && !(is_known && module.no_network == NoNetwork::operators)) continue;
      all.push_back(
          {module.name, one, needed(module, one), report::what_is_missing(module, {}, one)});
    }
  }
  if (report.modules.size() < 2) return all;
  for (const Resource one : kResources) {
    Total total{std::string(kAllModules), one, *needed_together(report, one, {}), {}};
    std::map<std::string, std::vector<std::string>> modules_by_reason;
    for (const ModuleReport& module : report.modules) {
      for (std::string& why : report::what_is_missing(module, {}, one)) {
        modules_by_reason[std::move(why)].push_back(module.name);
      }
    }
    for (const auto& [why, modules] : modules_by_reason) {
      total.missing.push_back(fmt::format("{}: {}", some_of(modules, 3), why));
    }
    all.push_back(std::move(total));
  }
  return all;
}

CheckResults check(const Report& report, const Budget& budget, const LibraryNeeds& library) {
  CheckResults results;
  for (const ModuleReport& module : report.modules) {
    const Demands demands = budget.demands_on(module.name);
    std::ranges::move(check_budget(module, demands.limits, library),
                      std::back_inserter(results.limits));
    std::ranges::move(check_findings(module, demands.no_findings),
                      std::back_inserter(results.findings));
  }
  if (report.modules.size() > 1) {
    check_together(report, budget.common.limits, library, results.limits);
  }
  results.contradictions = contradictions_of(report);
  return results;
}

}  // namespace mlf
