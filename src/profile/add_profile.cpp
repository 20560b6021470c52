// Puts the numbers of a profile into a report and into a trace of the same build.
#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "deployment/member_text.h"
#include "mlf/profile.h"
#include "profile/numbers.h"
#include "support/error.h"
#include "support/sha256.h"

namespace mlf {
namespace profile {

std::string code_digest(const Deployment& deployment, std::size_t module) {
  support::Sha256 digest;
  const ModuleFiles& files = deployment.library().modules[module].files;
  for (const auto* list : {&files.sources, &files.objects}) {
    for (const FileRef& file : *list) {
      const std::string_view text = deployment::member_text(deployment.archive(), file);
      digest.update(fmt::format("{}\n{}\n", file.name, text.size()));
      digest.update(text);
    }
  }
  return digest.hex();
}

namespace {

using analysis::Count;

[[noreturn]] void refuse_profile(std::string why) {
  throw support::Error(ErrorKind::usage, std::move(why));
}

/// Throws `Error` (`usage`) unless the profile has these kernels, one for each call, and the C of
/// the module, by its index, is what ran. A profile that does not say what ran may be of any C.
void require_same_build(const Profile& profile, const Deployment& deployment, std::size_t module,
                        std::span<const std::string> kernels) {
  const std::string& name = deployment.library().modules[module].name;
  if (profile.module != name) {
    refuse_profile(fmt::format("the profile is of module '{}', not of '{}'", profile.module, name));
  }
  if (kernels.size() != profile.calls.size()) {
    refuse_profile(fmt::format("the profile has {} calls, and module '{}' has {}",
                               profile.calls.size(), name, kernels.size()));
  }
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (profile.calls[i].kernel == kernels[i]) continue;
    refuse_profile(fmt::format("call {} is of '{}' in the profile and of '{}' in module '{}'", i,
                               profile.calls[i].kernel, kernels[i], name));
  }
  if (!profile.code.empty() && profile.code != code_digest(deployment, module)) {
    refuse_profile(
        fmt::format("the profile is of another build: the C of module '{}' is not what ran; "
                    "profile this archive",
                    name));
  }
}

/// One sentence: what counted or measured the numbers.
std::string origin_of(const Profile& profile) {
  std::string text(to_string(profile.source));
  for (const std::string& one : {profile.cpu, profile.machine, profile.compiler_version}) {
    if (!one.empty()) text += ", " + one;
  }
  // Of the flags, those of later ones count.
  const auto level = std::find_if(profile.flags.rbegin(), profile.flags.rend(),
                                  [](const std::string& flag) { return flag.starts_with("-O"); });
  if (level != profile.flags.rend()) text += " " + *level;
  if (profile.runs > 1) text += fmt::format(", {} runs", profile.runs);
  if (profile.clock)
    text += fmt::format(", {} MHz", static_cast<double>(profile.clock->hertz) / 1e6);
  if (profile.clock && profile.clock->cycles_per_instruction) {
    text += ", cycles per instruction by " + profile.clock->cycles_per_instruction->source;
  }
  return text;
}

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
    refuse_profile(fmt::format("the profile is of module '{}', which the archive does not have",
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
      refuse_profile("the profile has no times: mlf profile --clock adds them");
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
