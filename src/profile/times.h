// Converts the times that a program saved into numbers of calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mlf::profile {

/// What one run of the network took.
struct RunTimes {
  std::vector<std::uint64_t> calls;
  std::uint64_t network = 0;  ///< including main between calls
};

/// The number of times of one run; they have the order of `run::program_text`.
std::size_t times_of_run(std::size_t calls);

/// Returns the numbers of each run without the overhead of hooks. `times` has one or more runs. The
/// overhead includes the empty kernel, which takes `empty`.
std::vector<RunTimes> run_times(std::span<const std::uint64_t> times, std::size_t calls,
                                std::uint64_t empty);

}  // namespace mlf::profile
