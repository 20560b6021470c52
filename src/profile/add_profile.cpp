// Puts the numbers of a profile into a report.
#include <fmt/core.h>

#include <algorithm>

#include "mlf/profile.h"
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

[[noreturn]] void refuse_profile(std::string why) {
  throw support::Error(ErrorKind::usage, std::move(why));
}

/// A profile of a board has no kernels. Throws `Error`.
void require_calls(const ModuleReport& module, const Profile& profile) {
  if (module.calls.size() != profile.calls.size()) {
    refuse_profile(fmt::format("the profile has {} calls, and module '{}' has {}",
                               profile.calls.size(), module.name, module.calls.size()));
  }
  for (std::size_t i = 0; i < profile.calls.size(); ++i) {
    const std::string& kernel = module.kernels[module.calls[i].kernel].symbol;
    if (profile.calls[i].kernel == kernel) continue;
    refuse_profile(fmt::format("call {} is of '{}' in the profile and of '{}' in module '{}'", i,
                               profile.calls[i].kernel, kernel, module.name));
  }
}

void add_numbers(CallReport& call, const CallTimes& times) {
  const auto set = [&](CallMeasure measure, const Count& count) {
    call.numbers[static_cast<std::size_t>(measure)] = count;
  };
  set(CallMeasure::instructions, times.instructions);
  set(CallMeasure::cycles, times.cycles);
  set(CallMeasure::nanoseconds, times.nanoseconds);
}

/// Throws `Error`.
void add_to_report(Report& report, const Profile& profile) {
  const auto module = std::ranges::find(report.modules, profile.module, &ModuleReport::name);
  if (module == report.modules.end()) {
    refuse_profile(fmt::format("the profile is of module '{}', which the archive does not have",
                               profile.module));
  }
  require_calls(*module, profile);
  module->times = TimesReport{.origin = origin_of(profile),
                              .total = times_of(profile.total),
                              .are_assumed = are_assumed(profile)};
  for (std::size_t i = 0; i < profile.calls.size(); ++i) {
    add_numbers(module->calls[i], times_of(profile.calls[i].numbers));
  }
}

}  // namespace
}  // namespace profile

Result<void> add_profile(Report& report, const Profile& profile) {
  return support::to_result([&] { profile::add_to_report(report, profile); });
}

}  // namespace mlf
