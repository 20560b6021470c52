// The processors, and times from a clock.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "mlf/profile.h"
#include "support/error.h"

namespace mlf {
namespace {

constexpr double kNanoseconds = 1e9;
constexpr std::string_view kArm = "gcc-arm-none-eabi, libnewlib-arm-none-eabi and qemu-system-arm";
constexpr std::string_view kRiscv =
    "gcc-riscv64-unknown-elf, picolibc-riscv64-unknown-elf and qemu-system-misc";

/// Of a core whose manual lists the cycles of each instruction.
CyclesPerInstruction listed(double max, std::string_view manual) {
  return {1, max,
          fmt::format("{}: 1 to {} cycles for all instructions but IT, divisions, square roots and "
                      "those that load or store several registers; memory without wait states",
                      manual, max)};
}

/// Of a core that may execute two instructions in a cycle, and whose manual lists no cycles.
CyclesPerInstruction at_least_half(std::string_view core) {
  return {
      0.5, std::nullopt,
      fmt::format("{} executes at most two instructions in a cycle; Arm lists no cycles", core)};
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
  if (profile.source == ProfileSource::timed) refuse("a clock is for instructions and cycles");
  if (profile.source == ProfileSource::measured) return {.hertz = hertz};
  if (!assumed) {
    const auto cpu = std::ranges::find(profile_cpus(), profile.cpu, &ProfileCpu::name);
    if (cpu != profile_cpus().end()) assumed = cpu->cycles_per_instruction;
  }
  if (!assumed) {
    refuse(fmt::format("cores with {} differ: for times, say how many cycles an instruction takes",
                       profile.cpu));
  }
  return {.hertz = hertz, .cycles_per_instruction = std::move(assumed)};
}

}  // namespace

std::span<const ProfileCpu> profile_cpus() {
  static const std::array kCpus{
      // A call: 3; with the small multiplier, a multiplication takes 32.
      ProfileCpu{"cortex-m0plus", "Cortex-M0+", "arm-none-eabi-gcc", kArm,
                 listed(3, "Cortex-M0+ manual (DDI 0484), with the fast multiplier")},
      // SMLAL and UMLAL: 4 to 7.
      ProfileCpu{"cortex-m3", "Cortex-M3", "arm-none-eabi-gcc", kArm,
                 listed(7, "Cortex-M3 manual (DDI 0337)")},
      // A load to PC and a table branch: 2, and 1 to 3 until the pipeline is full again.
      ProfileCpu{"cortex-m4", "Cortex-M4", "arm-none-eabi-gcc", kArm,
                 listed(5, "Cortex-M4 manual (DDI 0439)")},
      ProfileCpu{"cortex-m7", "Cortex-M7", "arm-none-eabi-gcc", kArm, at_least_half("Cortex-M7")},
      ProfileCpu{"cortex-m33", "Cortex-M33", "arm-none-eabi-gcc", kArm,
                 at_least_half("Cortex-M33")},
      ProfileCpu{"cortex-m55", "Cortex-M55", "arm-none-eabi-gcc", kArm,
                 at_least_half("Cortex-M55")},
      ProfileCpu{"rv32imc", "32-bit RISC-V", "riscv64-unknown-elf-gcc", kRiscv, std::nullopt},
      ProfileCpu{"host", "this computer: time", "cc", "gcc", std::nullopt},
  };
  return kCpus;
}

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
