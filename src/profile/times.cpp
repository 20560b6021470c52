#include "profile/numbers.h"

#include <algorithm>
#include <limits>

#include "run/program.h"

namespace mlf::profile {
namespace {

/// Clocks of computers may be coarser than what they measure.
std::uint64_t difference(std::uint64_t larger, std::uint64_t smaller) {
  return larger > smaller ? larger - smaller : 0;
}

/// The overhead of a hook: within the time that it measures, and the rest, for its caller.
struct Overhead {
  std::uint64_t inside = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t outside = std::numeric_limits<std::uint64_t>::max();

  void add(std::uint64_t seen_inside, std::uint64_t seen_outside) {
    inside = std::min(inside, seen_inside);
    outside = std::min(outside, seen_outside);
  }
};

/// The least overhead of all runs, for each call and last for the network.
std::vector<Overhead> overheads_of(std::span<const std::uint64_t> times, std::size_t calls) {
  std::vector<Overhead> overheads(calls + 1);
  const std::size_t size = times_of_run(calls);
  for (std::size_t run = 0; run < times.size(); run += size) {
    auto of_run = times.subspan(run, size).subspan(2 * (calls + 1));
    for (std::size_t i = 0; i < calls; ++i) {
      const auto now = of_run.subspan(i * run::kOverheads, run::kOverheads);
      overheads[i].add(difference(now[4], now[3]),
                       difference(difference(now[1], now[0]), difference(now[2], now[1])));
    }
    const auto nothing = of_run.subspan(calls * run::kOverheads, 2);
    overheads[calls].add(difference(nothing[1], nothing[0]), 0);
  }
  return overheads;
}

}  // namespace

std::size_t times_of_run(std::size_t calls) {
  return 2 * (calls + 1) + run::kOverheads * calls + 2;
}

std::vector<RunTimes> run_times(std::span<const std::uint64_t> times, std::size_t calls,
                                std::uint64_t empty) {
  const std::vector<Overhead> overheads = overheads_of(times, calls);
  std::uint64_t outside = 0;
  for (const Overhead& one : overheads) outside += one.outside;
  std::vector<RunTimes> runs;
  for (std::size_t begin = 0; begin < times.size(); begin += times_of_run(calls)) {
    const auto of_run = times.subspan(begin);
    const auto took = [&](std::size_t i) {
      return difference(difference(of_run[2 * i + 1], of_run[2 * i]), overheads[i].inside);
    };
    RunTimes run;
    for (std::size_t i = 0; i < calls; ++i) run.calls.push_back(took(i) + empty);
    run.network = difference(took(calls), outside);
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace mlf::profile
