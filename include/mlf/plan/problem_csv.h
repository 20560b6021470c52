// Problems of static allocation as text, in the format of MiniMalloc.
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/diagnostics.h"
#include "mlf/export.h"
#include "mlf/plan/problem.h"

namespace mlf::plan {

/// A problem with the lines that it came from.
struct ProblemCsv {
  Problem problem;                 ///< without a capacity
  std::vector<std::string> lines;  ///< the names of the columns, then a line for each buffer
  std::optional<std::size_t> offset_column{};  ///< in `lines`, from 0
};

/// Reads comma-separated values. The first line names the columns, in any order: `id`, `lower`,
/// `upper` and `size`; `alignment`; `gaps`, as "2-4 7-9" for the steps [2, 4) and [7, 9); `offset`,
/// where a buffer is fixed, or nothing; `hint`, which nothing depends on. As in MiniMalloc, `begin`
/// and `start` are other names of `lower`, and `buffer` and `buffer_id` of `id`; with `end` in the
/// place of `upper`, lives and gaps have their last step in them. Blank lines mean nothing.
///
/// Errors: ErrorKind::invalid_input with line and column, `name` being the file; windows of gaps
/// ("2-4@0:8"), which leave a part of the buffer in use, are one.
MLF_API Result<ProblemCsv> read_problem_csv(std::string_view text, const std::string& name);

/// The lines as they were, with `offsets` (by buffer) in the column `offset`: a new last one if
/// there was none.
MLF_API std::string to_csv(const ProblemCsv& csv, const std::vector<std::uint64_t>& offsets);

}  // namespace mlf::plan
