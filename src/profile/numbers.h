// The calls of a profile, sums and spreads of their numbers, the times that a program saved, and
// the digest of what ran.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mlf/deployment.h"
#include "mlf/profile.h"

namespace mlf::profile {

/// The calls of a network without numbers of a run. Layers and costs are those of the report.
/// Throws `Error` if there is no report.
std::vector<ProfiledCall> described_calls(const Deployment& deployment, const Network& network);

/// The least, the median and the most of several runs. `runs` must not be empty. If two values are
/// in the middle, the median is the lower one.
ProfileSpread spread_of(std::vector<std::uint64_t> runs);

/// Returns the sum of each number; nothing if one of the two lacks it, or above 2^63 - 1. Adds the
/// parts of spreads one by one.
ProfileNumbers sum_of(const ProfileNumbers& a, const ProfileNumbers& b);

/// Throws `Error` (`invalid_input`) if the total is less than its calls take. Limits of `mlf check`
/// apply to the total.
void require_total_of_calls(const Profile& profile);

/// The times of one run of the network, in nanoseconds, or its instructions.
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

/// SHA-256 over names, sizes and contents of the C and the objects of a module, by its index: what
/// is compiled and linked for a profile. Throws `Error` where a member cannot be read.
std::string code_digest(const Deployment& deployment, std::size_t module);

}  // namespace mlf::profile
