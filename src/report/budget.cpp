#include "mlf/budget.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace mlf {
namespace {

using analysis::Count;

constexpr std::array kResources{Resource::ram, Resource::flash, Resource::stack, Resource::heap,
                                Resource::mac};

/// A number with bounds fits only if its upper one does: a board does not take the benefit of
/// doubt.
Verdict verdict_on(const Count& needed, std::uint64_t most) {
  if (needed.min > most) return Verdict::exceeds;
  return needed.max && *needed.max <= most ? Verdict::fits : Verdict::undecided;
}

std::string_view unit_of(Resource resource) {
  return resource == Resource::mac ? "multiply-accumulates" : "bytes";
}

/// What the limit is missed by.
std::string shortfall(const BudgetResult& result) {
  const Limit& limit = result.limit;
  const std::string_view unit = unit_of(limit.resource);
  if (result.verdict == Verdict::exceeds) {
    return fmt::format("{} {} too many", result.needed.min - limit.most, unit);
  }
  if (!result.needed.max) return fmt::format("nobody knows how many {} are needed at most", unit);
  return fmt::format("up to {} {} too many", *result.needed.max - limit.most, unit);
}

/// What a change of the archive or of its build could save, as far as the report shows it.
std::vector<std::string> ways_to_save(const ModuleReport& module, Resource resource) {
  std::vector<std::string> ways;
  const Count loss = placement_loss(module);
  const bool is_memory = resource == Resource::ram || resource == Resource::heap;
  if (is_memory && loss.min > 0) {
    ways.push_back(fmt::format("another placement of tensors could save up to {} bytes", loss.min));
  }
  if (is_memory && module.ram.heap.min > 0) {
    ways.push_back(
        "TVM's unified static memory planner (tir.usmp.enable) would put main's tensors and "
        "workspaces of kernels into one pool");
  }
  if (resource == Resource::flash && module.flash.copies.min > 0) {
    ways.push_back(
        fmt::format("{} bytes are copies of constants in get_c_metadata", module.flash.copies.min));
  }
  return ways;
}

/// No compiler sees the frames of functions that it does not compile, so that nothing here is all
/// that a run takes.
std::string what_of_the_stack(const ModuleReport& module) {
  return module.code ? "frames of main and of its largest kernel, without those of libm and the "
                       "runtime that they call"
                     : "arrays of generated functions alone: with --cc their frames count";
}

}  // namespace

std::span<const Resource> all_resources() {
  return kResources;
}

std::string_view to_string(Resource resource) {
  constexpr std::array<std::string_view, 5> kNames{"ram", "flash", "stack", "heap", "mac"};
  return kNames[static_cast<std::size_t>(resource)];
}

std::string_view to_string(Verdict verdict) {
  constexpr std::array<std::string_view, 3> kNames{"fits", "exceeds", "undecided"};
  return kNames[static_cast<std::size_t>(verdict)];
}

Count needed(const ModuleReport& module, Resource resource) {
  switch (resource) {
    case Resource::ram:
      return module.ram.total();
    case Resource::flash:
      // .data is in flash as well: startup code copies it into RAM.
      if (module.code) return module.code->text + module.code->rodata + module.code->data;
      return module.flash.constants + module.flash.copies;
    case Resource::stack:
      // A floor either way, and the remark of `check_budget` says which.
      return module.code ? Count(stack_frames(module).min) : module.ram.stack;
    case Resource::heap:
      return module.ram.heap;
    case Resource::mac:
      break;
  }
  return module.mac;
}

std::vector<BudgetResult> check_budget(const ModuleReport& module, std::span<const Limit> limits) {
  std::vector<BudgetResult> results;
  for (const Limit& limit : limits) {
    BudgetResult result{module.name, limit, needed(module, limit.resource), Verdict::fits, {}};
    result.verdict = verdict_on(result.needed, limit.most);
    if (limit.resource == Resource::stack) result.remarks.push_back(what_of_the_stack(module));
    if (result.verdict != Verdict::fits) {
      std::ranges::copy(ways_to_save(module, limit.resource), std::back_inserter(result.remarks));
      result.remarks.insert(result.remarks.begin(), shortfall(result));
    }
    results.push_back(std::move(result));
  }
  return results;
}

std::vector<FindingResult> check_findings(const ModuleReport& module,
                                          std::span<const CostFindingCode> unwanted) {
  std::vector<FindingResult> results;
  for (const CostFindingCode code : unwanted) {
    FindingResult& result = results.emplace_back(FindingResult{module.name, code, {}});
    std::ranges::copy_if(module.findings, std::back_inserter(result.found),
                         [&](const CostFinding& finding) { return finding.code == code; });
  }
  return results;
}

}  // namespace mlf
