// The times that a program saved, as numbers of calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace mlf::profile {

/// What one run of the network took.
struct RunTimes {
  std::vector<std::uint64_t> calls;
  std::uint64_t network = 0;  ///< with what is between calls
};

/// Times of one run in the order of `run::program_text`.
std::size_t times_of_run(std::size_t calls);

/// Returns what each run took without the overhead of hooks, of `times` for one or more runs.
/// `empty` is what the empty kernel takes.
std::vector<RunTimes> run_times(std::span<const std::uint64_t> times, std::size_t calls,
                                std::uint64_t empty);

}  // namespace mlf::profile
