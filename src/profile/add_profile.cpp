// Puts the numbers of a profile into a report and into a trace.
#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "mlf/profile.h"
#include "profile/same_build.h"
#include "support/error.h"

namespace mlf {
namespace profile {
namespace {

using analysis::Count;

/// The least and the most.
Count count_of(const std::optional<ProfileSpread>& spread) {
  return spread ? Count(spread->min, spread->max) : Count::unknown();
}

CallTimes times_of(const ProfileNumbers& numbers) {
  return {.instructions = analysis::to_count(numbers.instructions),
          .cycles = count_of(numbers.cycles),
          .nanoseconds = count_of(numbers.nanoseconds)};
}

/// The user answers for the numbers of --cpi.
bool are_assumed(const Profile& profile) {
  if (profile.source != ProfileSource::emulated || !profile.clock) return false;
  const auto& cycles = profile.clock->cycles_per_instruction;
  return cycles && cycles->source != kStatedByUser;
}

void add_numbers(CallReport& call, const CallTimes& times) {
  const auto set = [&](CallMeasure measure, const Count& count) {
    call.numbers[static_cast<std::size_t>(measure)] = count;
  };
  set(CallMeasure::instructions, times.instructions);
  set(CallMeasure::cycles, times.cycles);
  set(CallMeasure::nanoseconds, times.nanoseconds);
}

bool costs_time(CostFindingCode code) {
  return code == CostFindingCode::padding_scratch || code == CostFindingCode::index_divisions ||
         code == CostFindingCode::unvectorized_kernel || code == CostFindingCode::untiled_kernel ||
         code == CostFindingCode::recomputed;
}

/// Those that cost time get the share of their kernel and come first, the largest before others.
void weigh_findings(ModuleReport& module) {
  for (CostFinding& finding : module.findings) {
    if (!costs_time(finding.code)) continue;
    std::vector<graph::CallId> calls;
    for (const CallReport& call : module.calls) {
      if (module.kernels[call.kernel].symbol == finding.where) calls.push_back(call.call);
    }
    finding.share = share_of(module, calls);
  }
  std::ranges::stable_sort(module.findings, std::greater(), [](const CostFinding& finding) {
    constexpr double kWhole = 1;
    return finding.share ? finding.share->max.value_or(kWhole) : -1;
  });
}

/// Throws `Error`.
void add_to_report(Report& report, const Deployment& deployment, const Profile& profile) {
  const auto module = std::ranges::find(report.modules, profile.module, &ModuleReport::name);
  if (module == report.modules.end()) {
    throw support::Error(
        ErrorKind::usage,
        fmt::format("the profile is of module '{}', which the archive does not have",
                    profile.module));
  }
  std::vector<std::string> kernels;
  for (const CallReport& call : module->calls) {
    kernels.push_back(module->kernels[call.kernel].symbol);
  }
  const auto index = static_cast<std::size_t>(module - report.modules.begin());
  require_same_build(profile, deployment, index, kernels);
  module->times = TimesReport{.origin = origin_of(profile),
                              .total = times_of(profile.total),
                              .are_assumed = are_assumed(profile)};
  for (std::size_t i = 0; i < profile.calls.size(); ++i) {
    add_numbers(module->calls[i], times_of(profile.calls[i].numbers));
  }
  weigh_findings(*module);
}

graph::TraceTimes times_for(const Deployment& deployment, const Network& network,
                            const Profile& profile) {
  std::vector<std::string> kernels;
  for (const graph::Call& call : network.topology.calls) {
    kernels.push_back(network.topology.kernel_of(call).symbol);
  }
  require_same_build(profile, deployment, network.module, kernels);
  std::vector<ProfileSpread> spreads;
  for (const ProfiledCall& call : profile.calls) {
    if (!call.numbers.nanoseconds) {
      throw support::Error(ErrorKind::usage,
                           "the profile has no times: mlf profile --clock adds them");
    }
    spreads.push_back(*call.numbers.nanoseconds);
  }
  // The shown numbers of all calls are of one kind.
  const bool have_median = std::ranges::all_of(
      spreads, [](const ProfileSpread& time) { return time.median.has_value(); });
  const bool have_max =
      std::ranges::all_of(spreads, [](const ProfileSpread& time) { return time.max.has_value(); });
  graph::TraceTimes times{.shown = have_median ? "medians"
                                   : have_max  ? "upper bounds"
                                               : "lower bounds",
                          .origin = origin_of(profile)};
  for (const ProfileSpread& time : spreads) {
    const std::uint64_t shown = have_median ? *time.median : have_max ? *time.max : time.min;
    times.calls.push_back({.shown = shown, .min = time.min, .max = time.max});
  }
  return times;
}

}  // namespace
}  // namespace profile

Result<void> add_profile(Report& report, const Deployment& deployment, const Profile& profile) {
  return support::to_result([&] { profile::add_to_report(report, deployment, profile); });
}

Result<graph::TraceTimes> trace_times(const Deployment& deployment, const Network& network,
                                      const Profile& profile) {
  return support::to_result([&] { return profile::times_for(deployment, network, profile); });
}

}  // namespace mlf
