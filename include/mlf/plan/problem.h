// Static memory allocation: buffers with lifetimes get offsets in one pool. Problems come from the
// caller, or from text in the format of MiniMalloc.
//
//     mlf::plan::Problem problem;
//     problem.buffers.push_back({.id = "a", .lower = 0, .upper = 2, .size = 64});
//     problem.buffers.push_back({.id = "b", .lower = 1, .upper = 3, .size = 64});
//     const auto solution = mlf::plan::solve(problem);
//     if (solution) print(solution->size);  // 128
//
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/diagnostics.h"
#include "mlf/export.h"

namespace mlf::plan {

/// The steps [lower, upper).
struct Interval {
  std::int64_t lower = 0;
  std::int64_t upper = 0;
};

/// A buffer that is live in the steps [lower, upper).
struct Buffer {
  std::string id;
  std::int64_t lower = 0;
  std::int64_t upper = 0;
  /// Steps within its lifetime in which it holds nothing (a workspace of a kernel that is called
  /// twice).
  std::vector<Interval> gaps{};
  std::uint64_t size = 0;                       ///< bytes; a buffer of 0 bytes gets an offset too
  std::uint64_t alignment = 1;                  ///< its offset is a multiple of this
  std::optional<std::uint64_t> fixed_offset{};  ///< it cannot be moved from here
};

struct Problem {
  std::vector<Buffer> buffers;
  /// The pool's size. The search ends with the first solution that fits. Empty: find the smallest
  /// size.
  std::optional<std::uint64_t> capacity{};
};

/// Limits the search for a better solution. A first solution is always made, which takes about a
/// second for a million buffers. The result depends only on `steps`, unless `seconds` or `stop` end
/// the search first.
struct SearchLimits {
  std::optional<std::uint64_t> steps{};  ///< of the search; nothing: a default of the library
  std::optional<std::chrono::duration<double>> seconds{};
  /// A time for several searches together; the earlier of this and `seconds` applies.
  std::optional<std::chrono::steady_clock::time_point> deadline{};
  std::stop_token stop{};

  /// The same limits, with `seconds` counted from now. More seconds than the clock can represent
  /// mean no limit; a number that is not one, or that is negative, means that no time is left.
  MLF_API SearchLimits from_now() const;
};

struct Solution {
  std::vector<std::uint64_t> offsets;  ///< by buffer
  std::uint64_t size = 0;              ///< the largest offset + size
  std::uint64_t lower_bound = 0;       ///< no solution is smaller
  bool fits = true;                    ///< size is within the capacity, where there is one
  bool proven =
      false;  ///< no solution is smaller than `size`, or than the capacity if it does not fit
};

/// Runs several greedy planners, TVM's greedy by size and by conflicts among them, and takes the
/// best result. Searches for a better one, unless this result is within the capacity or known to be
/// the smallest. The search is exact: given enough time it ends with a proven solution.
///
/// Allocates more than 1,000 buffers in the order of time first, and lowers that plan in windows of
/// time, all in near-linear time. Lowers a greedy plan as well if that is not enough. Searches only
/// if at most 20 million pairs of buffers are alive together.
///
/// Errors: ErrorKind::invalid_input for an empty lifetime or gap, an alignment of 0, a fixed offset
/// that is not a multiple of the alignment, fixed buffers that overlap, or sizes whose sum is not
/// below 2^62.
MLF_API Result<Solution> solve(const Problem& problem, const SearchLimits& limits = {});

/// Returns the largest offset + size, if `offsets` (by buffer) is a solution of `problem`; ignores
/// the capacity. Checks the buffers independently of `solve`.
///
/// Errors: ErrorKind::check_failed with the first pair of buffers that are live at the same time
/// and overlap, the buffer that is not aligned, or the buffer that is not at its fixed offset.
MLF_API Result<std::uint64_t> check_offsets(const Problem& problem,
                                            const std::vector<std::uint64_t>& offsets);

/// A problem with the lines that it came from.
struct ProblemCsv {
  Problem problem;                 ///< without a capacity
  std::vector<std::string> lines;  ///< the names of the columns, then a line for each buffer
  std::optional<std::size_t> offset_column{};  ///< in `lines`, from 0
};

/// Reads comma-separated values. The first line names the columns, in any order: `id`, `lower`,
/// `upper` and `size`; `alignment`; `gaps`, as "2-4 7-9" for the steps [2, 4) and [7, 9); `offset`,
/// the fixed offset of a buffer, or empty; `hint`, which is ignored. As in MiniMalloc, `begin` and
/// `start` are other names of `lower`, and `buffer` and `buffer_id` of `id`; with `end` instead of
/// `upper`, lifetimes and gaps include their last step. Blank lines are ignored.
///
/// `name` is the file in messages. Errors: ErrorKind::invalid_input with line and column, also for
/// windows of gaps ("2-4@0:8"), which leave a part of the buffer in use.
MLF_API Result<ProblemCsv> read_problem_csv(std::string_view text, const std::string& name);

/// Returns the lines with `offsets` (by buffer) in the column `offset`, which becomes the last
/// column if there was none.
MLF_API std::string to_csv(const ProblemCsv& csv, const std::vector<std::uint64_t>& offsets);

}  // namespace mlf::plan
