// Problems of static allocation as text: what `solve` gives is a solution, no smaller than its
// lower bound, and is in the text that is written.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "mlf/plan/problem.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto csv = mlf::plan::read_problem_csv(text, "fuzz");
  if (!csv) return 0;
  const auto solution = mlf::plan::solve(csv->problem, {.steps = 200});
  if (!solution) return 0;
  const auto checked = mlf::plan::check_offsets(csv->problem, solution->offsets);
  if (!checked || *checked != solution->size || solution->size < solution->lower_bound) {
    std::abort();
  }
  const auto again =
      mlf::plan::read_problem_csv(mlf::plan::to_csv(*csv, solution->offsets), "written");
  if (!again || again->problem.buffers.size() != csv->problem.buffers.size()) std::abort();
  for (std::size_t i = 0; i < solution->offsets.size(); ++i) {
    if (again->problem.buffers[i].fixed_offset != solution->offsets[i]) std::abort();
  }
  return 0;
}
