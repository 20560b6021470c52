// Problems of allocation as text: MiniMalloc's format, what is wrong with it, and its own
// instances.
#include "mlf/plan/problem.h"
#include "support/corpus_directory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace mlf::plan {
namespace {

ProblemCsv read(std::string_view text) {
  auto csv = read_problem_csv(text, "p.csv");
  EXPECT_TRUE(csv.has_value()) << to_string(csv.error());
  return csv.value_or(ProblemCsv{});
}

/// Line, column and what is wrong.
std::string failure_of(std::string_view text) {
  const auto csv = read_problem_csv(text, "p.csv");
  if (csv) return "none";
  const Diagnostic& first = csv.error();
  EXPECT_EQ(first.where.file, "p.csv");
  return std::to_string(first.where.line) + ":" + std::to_string(first.where.column) + ": " +
         first.message;
}

TEST(ProblemCsv, HasColumnsInAnyOrder) {
  const Problem problem = read("size,upper,id,lower\n7,3,a,-1\n").problem;
  ASSERT_EQ(problem.buffers.size(), 1u);
  EXPECT_EQ(problem.buffers[0].id, "a");
  EXPECT_EQ(problem.buffers[0].lower, -1);
  EXPECT_EQ(problem.buffers[0].upper, 3);
  EXPECT_EQ(problem.buffers[0].size, 7u);
  EXPECT_EQ(problem.buffers[0].alignment, 1u);
  EXPECT_FALSE(problem.buffers[0].fixed_offset);
}

TEST(ProblemCsv, MayHaveAlignmentGapsAndFixedOffsets) {
  const Problem problem = read(
                              "id,lower,upper,size,alignment,gaps,hint,offset\n"
                              "a,0,9,7,4,2-4 6-7,-1,8\n"
                              "b,0,9,7,4,,0,\n")
                              .problem;
  ASSERT_EQ(problem.buffers.size(), 2u);
  EXPECT_EQ(problem.buffers[0].alignment, 4u);
  ASSERT_EQ(problem.buffers[0].gaps.size(), 2u);
  EXPECT_EQ(problem.buffers[0].gaps[0].lower, 2);
  EXPECT_EQ(problem.buffers[0].gaps[0].upper, 4);
  EXPECT_EQ(problem.buffers[0].gaps[1].lower, 6);
  EXPECT_EQ(problem.buffers[0].fixed_offset, 8u);
  EXPECT_TRUE(problem.buffers[1].gaps.empty());
  EXPECT_FALSE(problem.buffers[1].fixed_offset);
}

TEST(ProblemCsv, CountsTheLastStepWhereTheColumnIsCalledEnd) {
  const Buffer buffer = read("buffer_id,start,end,size,gaps\na,0,8,7,2-3\n").problem.buffers[0];
  EXPECT_EQ(buffer.upper, 9);
  EXPECT_EQ(buffer.gaps[0].lower, 2);
  EXPECT_EQ(buffer.gaps[0].upper, 4);
}

TEST(ProblemCsv, ComesOutWithOffsetsInANewColumnOrInItsOwn) {
  EXPECT_EQ(to_csv(read("id,lower,upper,size\r\na,0,1,7\r\n\nb,0,1,8"), {8, 0}),
            "id,lower,upper,size,offset\na,0,1,7,8\nb,0,1,8,0\n");
  EXPECT_EQ(to_csv(read("id,offset,lower,upper,size\na,,0,1,7\n"), {4}),
            "id,offset,lower,upper,size\na,4,0,1,7\n");
}

TEST(ProblemCsv, SaysWhereItIsWrong) {
  EXPECT_EQ(failure_of(""), "1:1: expected the names of the columns");
  EXPECT_EQ(failure_of("id,lower,upper\n"), "1:1: there is no column 'size'");
  EXPECT_EQ(failure_of("id,lower,upper,size,colour\n"), "1:21: there is no column 'colour'");
  EXPECT_EQ(failure_of("id,lower,begin,upper,size\n"), "1:10: a second column for 'lower'");
  const auto of_row = [](const std::string& row) {
    return failure_of("id,lower,upper,size,alignment,gaps\na,0,1,2,1,\n" + row + "\n");
  };
  EXPECT_EQ(of_row("b,0,1,2,1"), "3:1: 5 fields for 6 columns");
  EXPECT_EQ(of_row("b,0,1,x,1,"), "3:7: expected a whole number");
  EXPECT_EQ(of_row("b,0,1,-2,1,"), "3:7: expected a whole number");
  EXPECT_EQ(of_row("b,0,1,99999999999999999999,1,"), "3:7: the number is too large");
  EXPECT_EQ(of_row("b,0,9223372036854775807,2,1,"), "3:5: the number is too large");
  EXPECT_EQ(of_row("b,4,4,2,1,"), "3:5: expected a step after the first one");
  EXPECT_EQ(of_row("b,0,9,2,0,"), "3:9: an alignment is 1 or more");
  EXPECT_EQ(of_row("b,0,9,2,1,3"), "3:11: expected a gap like 2-4");
  EXPECT_EQ(of_row("b,0,9,2,1,2-3 5-4"), "3:17: expected a step after the first one");
  EXPECT_EQ(of_row("b,0,9,2,1,2-3@0:1"), "3:11: a gap with a window is not supported");
  EXPECT_EQ(of_row("b\x1b[1m,0,1,2,1,"), "3:1: the line has bytes that are not printable UTF-8");
}

/// Those of MiniMalloc's challenging instances that take a second at most without optimisation.
/// `mlf_plan_bench` has all that are beside the checkout.
TEST(ProblemCsv, OfMiniMallocsBenchmarksIsSolvedWithinItsCapacityCorpus) {
  const std::filesystem::path directory = test::corpus_directory().parent_path() / "minimalloc";
  if (!std::filesystem::exists(directory)) GTEST_SKIP() << "no instances beside the checkout";
  for (const char* name : {"C.1048576.csv", "H.1048576.csv"}) {
    std::ifstream file(directory / name);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    Problem problem = read(text).problem;
    problem.capacity = 1'048'576;
    const auto solution = solve(problem);
    ASSERT_TRUE(solution.has_value());
    EXPECT_TRUE(solution->fits) << name;
    const auto size = check_offsets(problem, solution->offsets);
    ASSERT_TRUE(size.has_value()) << to_string(size.error());
    EXPECT_LE(*size, 1'048'576u);
  }
}

}  // namespace
}  // namespace mlf::plan
