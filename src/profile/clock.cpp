// Times from a clock.
#include <fmt/core.h>

#include <cmath>
#include <limits>

#include "mlf/profile.h"
#include "support/error.h"

namespace mlf {
namespace {

constexpr double kNanoseconds = 1e9;
/// Of a core whose manual lists the cycles of each instruction.
CyclesPerInstruction listed(double max, std::string_view manual) {
  return {
      1, max,
      fmt::format("{}: 1 to {} cycles for an instruction, except for IT blocks, divisions, square "
                  "roots and accesses to several registers; memory without wait states",
                  manual, max)};
}

/// Of a core that may execute two instructions in a cycle, and whose manual lists no cycles.
CyclesPerInstruction at_least_half(std::string_view core) {
  return {
      0.5, std::nullopt,
      fmt::format("{} executes at most two instructions in a cycle; Arm lists no cycles", core)};
}

/// The assumption if the user gives none. Nothing: cores differ too much.
std::optional<CyclesPerInstruction> cycles_of(std::string_view cpu) {
  // A call: 3; with the small multiplier, a multiplication takes 32.
  if (cpu == "cortex-m0plus") {
    return listed(3, "Cortex-M0+ manual (DDI 0484), with the fast multiplier");
  }
  // SMLAL and UMLAL: 4 to 7.
  if (cpu == "cortex-m3") return listed(7, "Cortex-M3 manual (DDI 0337)");
  // A load to PC and a table branch: 2, and 1 to 3 until the pipeline is full again.
  if (cpu == "cortex-m4") return listed(5, "Cortex-M4 manual (DDI 0439)");
  if (cpu == "cortex-m7") return at_least_half("Cortex-M7");
  if (cpu == "cortex-m33") return at_least_half("Cortex-M33");
  if (cpu == "cortex-m55") return at_least_half("Cortex-M55");
  return std::nullopt;
}

std::uint64_t to_integer(double value) {
  constexpr auto kMost = static_cast<double>(std::numeric_limits<std::int64_t>::max());
  return value < kMost ? static_cast<std::uint64_t>(value)
                       : static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
}

ProfileSpread times_of(double instructions, const CyclesPerInstruction& assumed, double hertz) {
  ProfileSpread times{
      .min = to_integer(std::floor(instructions * assumed.min / hertz * kNanoseconds))};
  if (assumed.max) {
    times.max = to_integer(std::ceil(instructions * *assumed.max / hertz * kNanoseconds));
  }
  return times;
}

ProfileSpread times_of(const ProfileSpread& cycles, double hertz) {
  const auto time = [&](std::uint64_t one) {
    return to_integer(std::round(static_cast<double>(one) / hertz * kNanoseconds));
  };
  ProfileSpread times{.min = time(cycles.min)};
  if (cycles.median) times.median = time(*cycles.median);
  if (cycles.max) times.max = time(*cycles.max);
  return times;
}

void add_times(ProfileNumbers& numbers, const ProfileClock& clock) {
  const auto hertz = static_cast<double>(clock.hertz);
  if (numbers.cycles) {
    numbers.nanoseconds = times_of(*numbers.cycles, hertz);
  } else if (numbers.instructions && clock.cycles_per_instruction) {
    numbers.nanoseconds =
        times_of(static_cast<double>(*numbers.instructions), *clock.cycles_per_instruction, hertz);
  }
}

/// Throws `Error`.
ProfileClock clock_for(const Profile& profile, std::uint64_t hertz,
                       std::optional<CyclesPerInstruction> assumed) {
  const auto refuse = [](std::string why) {
    throw support::Error(ErrorKind::usage, std::move(why));
  };
  if (profile.source == ProfileSource::timed)
    refuse("time is measured on this computer: leave out --clock");
  if (profile.source == ProfileSource::measured) return {.hertz = hertz};
  if (!assumed) assumed = cycles_of(profile.cpu);
  if (!assumed) {
    refuse(fmt::format(
        "cores with {} differ: for times, give --cpi MIN..MAX, the cycles of an instruction",
        profile.cpu));
  }
  return {.hertz = hertz, .cycles_per_instruction = std::move(assumed)};
}

}  // namespace

Result<void> set_clock(Profile& profile, std::uint64_t hertz,
                       std::optional<CyclesPerInstruction> assumed) {
  return support::to_result([&] {
    profile.clock = clock_for(profile, hertz, std::move(assumed));
    for (ProfiledCall& call : profile.calls) add_times(call.numbers, *profile.clock);
    add_times(profile.total, *profile.clock);
    if (profile.network) add_times(*profile.network, *profile.clock);
  });
}

}  // namespace mlf
