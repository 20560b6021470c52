// What every solution of the allocator keeps, on problems from a seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <span>
#include <string>

#include "mlf/plan/problem.h"
#include "plan/allocator/greedy.h"
#include "plan/allocator/instance.h"
#include "plan/allocator/windows.h"
#include "random_problems.h"

namespace mlf::plan {
namespace {

Problem problem_of(std::vector<Buffer> buffers) {
  return {.buffers = std::move(buffers)};
}

Solution solved(const Problem& problem, const SearchLimits& limits = {}) {
  const auto solution = solve(problem, limits);
  EXPECT_TRUE(solution.has_value()) << to_string(solution.error());
  return solution.value_or(Solution{});
}

std::string failure_of(const Problem& problem) {
  const auto solution = solve(problem);
  return solution ? "none" : solution.error().message;
}

TEST(PlanSolve, BuffersThatAreNeverAliveTogetherShareBytes) {
  const Solution solution = solved(problem_of({{.id = "a", .lower = 0, .upper = 1, .size = 10},
                                               {.id = "b", .lower = 1, .upper = 2, .size = 7}}));
  EXPECT_EQ(solution.offsets, (std::vector<std::uint64_t>{0, 0}));
  EXPECT_EQ(solution.size, 10u);
  EXPECT_TRUE(solution.proven);
}

TEST(PlanSolve, BuffersThatAreAliveTogetherDoNot) {
  const Solution solution = solved(problem_of({{.id = "a", .lower = 0, .upper = 2, .size = 10},
                                               {.id = "b", .lower = 1, .upper = 2, .size = 7}}));
  EXPECT_EQ(solution.size, 17u);
}

TEST(PlanSolve, ABufferUsesTheGapsOfAnother) {
  const Solution solution =
      solved(problem_of({{.id = "scratch", .lower = 0, .upper = 9, .gaps = {{1, 8}}, .size = 10},
                         {.id = "within", .lower = 1, .upper = 8, .size = 10}}));
  EXPECT_EQ(solution.size, 10u);
}

TEST(PlanSolve, NothingAtAllTakesNothing) {
  EXPECT_EQ(solved({}).size, 0u);
  const Solution solution =
      solved(problem_of({{.id = "empty", .lower = 0, .upper = 5, .size = 0}}));
  EXPECT_EQ(solution.offsets, std::vector<std::uint64_t>{0});
}

TEST(PlanSolve, ACapacityThatIsTooSmallIsSaidToBe) {
  Problem problem = problem_of({{.id = "a", .lower = 0, .upper = 2, .size = 10}});
  problem.capacity = 9;
  EXPECT_FALSE(solved(problem).fits);
  EXPECT_TRUE(solved(problem).proven);
  problem.capacity = 10;
  EXPECT_TRUE(solved(problem).fits);
}

TEST(PlanSolve, SaysWhatIsWrongWithAProblem) {
  EXPECT_EQ(failure_of(problem_of({{.id = "a", .lower = 2, .upper = 2, .size = 1}})),
            "buffer 'a' is never alive");
  EXPECT_EQ(
      failure_of(problem_of({{.id = "a", .lower = 0, .upper = 2, .gaps = {{1, 1}}, .size = 1}})),
      "buffer 'a' has an empty gap");
  EXPECT_EQ(
      failure_of(problem_of({{.id = "a", .lower = 0, .upper = 2, .size = 1, .alignment = 0}})),
      "buffer 'a' has an alignment of 0");
  const Buffer fixed{
      .id = "a", .lower = 0, .upper = 2, .size = 4, .alignment = 4, .fixed_offset = 6};
  EXPECT_EQ(failure_of(problem_of({fixed})),
            "buffer 'a' is fixed at 6, which is not a multiple of its alignment 4");
  EXPECT_EQ(
      failure_of(problem_of({{.id = "a", .lower = 0, .upper = 2, .size = 4, .fixed_offset = 6},
                             {.id = "b", .lower = 1, .upper = 3, .size = 4, .fixed_offset = 9}})),
      "buffer 'b' is fixed and overlaps 'a', which is fixed as well");
  const Buffer half{.id = "h", .lower = 0, .upper = 1, .size = std::uint64_t{1} << 61};
  EXPECT_EQ(failure_of(problem_of({half, half})),
            "buffer 'h' brings the sum of sizes and alignments to 2^62 or more");
}

/// Every problem of a seed: a solution, not below the bound, not above any greedy planner.
void expect_sound(const Problem& problem, const Solution& solution) {
  const auto size = check_offsets(problem, solution.offsets);
  ASSERT_TRUE(size.has_value()) << to_string(size.error());
  EXPECT_EQ(*size, solution.size);
  EXPECT_GE(solution.size, solution.lower_bound);
  Deadline deadline({});
  const Instance instance = make_instance(problem);
  const Measures measures(instance);
  for (const GreedyPlanner& planner : greedy_planners()) {
    const Placement placement = place_greedily(instance, measures, planner, deadline).value();
    const auto offsets = offsets_of(problem, instance, placement);
    const auto greedy = check_offsets(problem, offsets);
    ASSERT_TRUE(greedy.has_value()) << to_string(greedy.error());
    EXPECT_LE(solution.size, *greedy);
  }
}

/// Pairs of these take longer than the time.
Problem many_buffers() {
  Problem problem;
  for (std::int64_t i = 0; i < 9000; ++i) {
    const auto size = static_cast<std::uint64_t>(1 + i * 7919 % 1000);
    problem.buffers.push_back({.id = std::to_string(i),
                               .lower = i % 3000,
                               .upper = i % 3000 + 2000,
                               .size = size,
                               .alignment = i % 5 == 0 ? 64u : 1u});
  }
  problem.buffers[17].fixed_offset = 640;
  problem.buffers[40].gaps = {{60, 70}};
  return problem;
}

TEST(PlanSolve, WithoutTimeTheAnswerIsASolution) {
  const Problem problem = many_buffers();
  for (const double seconds : {0.0, -1.0, 1e-9, std::nan("")}) {
    const auto began = std::chrono::steady_clock::now();
    const auto solution =
        solve(problem, {.steps = UINT64_MAX, .seconds = std::chrono::duration<double>(seconds)});
    const auto took = std::chrono::steady_clock::now() - began;
    ASSERT_TRUE(solution) << to_string(solution.error());
    const auto size = check_offsets(problem, solution->offsets);
    ASSERT_TRUE(size) << to_string(size.error());
    EXPECT_EQ(*size, solution->size);
    EXPECT_LE(solution->lower_bound, solution->size);
    EXPECT_LT(took, std::chrono::seconds(10));
  }
}

TEST(PlanSolve, ManyBuffersThatAreAllAliveTogetherArePlanned) {
  Problem problem;
  for (std::int64_t i = 0; i < 7000; ++i) {
    problem.buffers.push_back(
        {.id = std::to_string(i), .lower = i % 7, .upper = 100 + i % 5, .size = 8});
  }
  const Solution solution = solved(problem);
  EXPECT_EQ(check_offsets(problem, solution.offsets), solution.size);
  EXPECT_EQ(solution.size, 56'000u);
  EXPECT_TRUE(solution.proven);
}

/// Where no greedy planner finds the least size.
Problem network_of_many_calls() {
  std::mt19937 random(7);
  Problem problem;
  for (std::int64_t i = 0; i < 20'000; ++i) {
    const std::int64_t life = i % 2 == 1 ? 1 : 2 + static_cast<std::int64_t>(random() % 23);
    problem.buffers.push_back({.id = {},
                               .lower = i,
                               .upper = i + life,
                               .size = 64 * (1 + random() % 200),
                               .alignment = 16});
  }
  return problem;
}

TEST(PlanSolve, WindowsLowerThePlanOfManyBuffers) {
  const Problem problem = network_of_many_calls();
  const Solution solution = solved(problem);
  EXPECT_EQ(check_offsets(problem, solution.offsets), solution.size);
  EXPECT_TRUE(solution.proven);
  EXPECT_EQ(solved(problem).offsets, solution.offsets);
}

TEST(PlanSolve, WindowsLeaveFixedBuffersAndGapsAsTheyAre) {
  Problem problem = network_of_many_calls();
  for (std::size_t i = 0; i < problem.buffers.size(); i += 100) {
    Buffer& buffer = problem.buffers[i];
    buffer.upper = buffer.lower + 40;
    buffer.gaps = {{buffer.lower + 3, buffer.lower + 30}};
    problem.buffers[i + 50].fixed_offset = 160'000;
  }
  const Solution solution = solved(problem);
  EXPECT_EQ(check_offsets(problem, solution.offsets), solution.size);
  EXPECT_LE(solution.lower_bound, solution.size);
}

TEST(PlanSolve, TheOrderOfTimeBeginsInAnySection) {
  // Forwards, "b" is put above "a", and "c" does not fit below it.
  const Problem problem = problem_of({{.id = "a", .lower = 0, .upper = 2, .size = 2},
                                      {.id = "before", .lower = 0, .upper = 1, .size = 1},
                                      {.id = "b", .lower = 1, .upper = 4, .size = 2},
                                      {.id = "c", .lower = 3, .upper = 5, .size = 3}});
  const Instance instance = make_instance(problem);
  ASSERT_EQ(instance.section_count, 3u);
  Deadline deadline({});
  EXPECT_EQ(height(instance, in_order_of_time(instance, 0, deadline).value()), 7);
  EXPECT_EQ(height(instance, in_order_of_time(instance, 2, deadline).value()), 5);
}

TEST(PlanSolve, AlignmentCountsInTheBoundOfManyBuffers) {
  Problem problem;
  constexpr int kHalf = 5000;  // 25 million pairs of an item and its section
  for (int i = 0; i < kHalf; ++i) {
    problem.buffers.push_back(
        {.id = "always", .lower = 0, .upper = kHalf, .size = 8, .alignment = 16});
    problem.buffers.push_back(
        {.id = "once", .lower = i, .upper = i + 1, .size = 8, .alignment = 16});
  }
  const Solution solution = solved(problem, {.steps = 0});
  EXPECT_EQ(solution.lower_bound, 16u * kHalf + 8u);
  EXPECT_TRUE(solution.proven);
}

/// The bytes that these items need if the offsets of some of them are multiples of `grid`.
Units least_on_grid(const Instance& instance, std::span<const ItemIndex> section, Units grid) {
  Units cells = 0;
  Units most_saved = 0;
  for (const ItemIndex index : section) {
    const Item& item = instance.items[index];
    if (item.alignment % grid != 0) continue;
    const Units whole = (item.size + grid - 1) / grid * grid;
    cells += whole;
    most_saved = std::max(most_saved, whole - item.size);
  }
  return cells - most_saved;
}

TEST(PlanSolve, TheBoundIncludesTheAlignmentsOfTheWorstSection) {
  std::mt19937 random(7);
  const auto below = [&](std::uint64_t end) { return random() % end; };
  for (int round = 0; round < 200; ++round) {
    Problem problem;
    for (int i = 0; i < 30; ++i) {
      const auto lower = static_cast<std::int64_t>(below(20));
      problem.buffers.push_back({.id = std::to_string(i),
                                 .lower = lower,
                                 .upper = lower + 1 + static_cast<std::int64_t>(below(8)),
                                 .size = 1 + below(40),
                                 .alignment = std::uint64_t{1} << below(6)});
    }
    const Instance instance = make_instance(problem);
    Units expected = 0;
    for (SectionIndex s = 0; s < instance.sections.size(); ++s) {
      for (const Units grid : {1, 2, 4, 8, 16, 32}) {
        expected = std::max(expected, least_on_grid(instance, instance.sections[s], grid));
      }
    }
    Deadline deadline{SearchLimits{}};
    EXPECT_EQ(lower_bound(instance, deadline), expected);
  }
}

TEST(PlanSolve, WithoutTimeTheFirstPlanOfManyBuffersIsTheAnswer) {
  const Problem problem = network_of_many_calls();
  const auto late = solve(problem, {.seconds = std::chrono::duration<double>(0)});
  ASSERT_TRUE(late) << to_string(late.error());
  EXPECT_EQ(check_offsets(problem, late->offsets), late->size);
  const Instance instance = make_instance(problem);
  const std::vector<Units> totals = totals_of(instance);
  const auto busiest = std::ranges::max_element(totals) - totals.begin();
  Deadline unlimited({});
  const auto first = in_order_of_time(instance, static_cast<SectionIndex>(busiest), unlimited);
  EXPECT_EQ(late->offsets, offsets_of(problem, instance, first.value()));
  EXPECT_GT(late->size, solved(problem).size);
}

TEST(PlanSolve, TheTimeEndsAllButTheFirstPlan) {
  const Problem problem = network_of_many_calls();
  const Instance instance = make_instance(problem);
  Deadline ended({.seconds = std::chrono::duration<double>(0)});
  EXPECT_FALSE(in_order_of_time(instance, 0, ended));
  const auto solver = [](const Problem& part) -> std::optional<std::vector<std::uint64_t>> {
    ADD_FAILURE() << "asks for " << part.buffers.size() << " buffers";
    return std::nullopt;
  };
  const std::vector<std::uint64_t> offsets(problem.buffers.size(), 1'000'000);
  EXPECT_FALSE(Windows(problem, ended).lower(offsets, 500'000, solver));
}

/// Every third lives to the end; the others are short.
Problem many_to_the_end(std::int64_t buffers) {
  std::mt19937 random(7);
  Problem problem;
  for (std::int64_t i = 0; i < buffers; ++i) {
    const std::int64_t upper = i % 3 == 0 ? buffers + 40 : i + 1 + static_cast<int>(random() % 40);
    problem.buffers.push_back(
        {.id = {}, .lower = i, .upper = upper, .size = 64 * (1 + random() % 200)});
  }
  return problem;
}

TEST(PlanSolve, BuffersThatLiveThroughAWindowDoNotCountInIt) {
  // More are live at once than a window may have.
  const Problem problem = many_to_the_end(60'000);
  const Solution solution = solved(problem);
  EXPECT_EQ(check_offsets(problem, solution.offsets), solution.size);
  EXPECT_TRUE(solution.proven);
}

TEST(PlanSolve, WithoutTimeFixedBuffersThatOverlapAreRefused) {
  Problem problem = many_buffers();
  problem.buffers[18].fixed_offset = 641;
  problem.buffers[18].size = 1000;
  problem.buffers[17].size = 1000;
  const auto refused = solve(problem, {.seconds = std::chrono::duration<double>(0)});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "buffer '18' is fixed and overlaps '17', which is fixed as well");
}

TEST(PlanSolve, WithoutTimeSmallProblemsAreStillPlanned) {
  std::mt19937 random(7);
  for (int i = 0; i < 20; ++i) {
    const Problem problem = random_problem({.buffers = 40, .gaps = true}, random);
    const Solution usual = solved(problem, {.steps = 0});
    const auto late = solve(problem, {.steps = 0, .seconds = std::chrono::duration<double>(0)});
    ASSERT_TRUE(late);
    EXPECT_EQ(late->offsets, usual.offsets);
  }
}

constexpr ProblemShape kShapes[] = {
    {.buffers = 40},
    {.buffers = 40, .aligned = true},
    {.buffers = 40, .gaps = true},
    {.buffers = 40, .fixed = true},
    {.buffers = 40, .aligned = true, .gaps = true, .fixed = true},
};

TEST(PlanSolve, IsSoundOnRandomProblems) {
  std::mt19937 random(16);
  for (int round = 0; round < 400; ++round) {
    for (const ProblemShape& shape : kShapes) {
      const Problem problem = random_problem(shape, random);
      expect_sound(problem, solved(problem, {.steps = 200}));
      if (HasFailure()) return;
    }
  }
}

TEST(PlanSolve, TheOrderOfTimeIsAPlanFromAnySection) {
  std::mt19937 random(5);
  Deadline deadline({});
  for (int round = 0; round < 100; ++round) {
    for (const ProblemShape& shape : kShapes) {
      const Problem problem = random_problem(shape, random);
      const Instance instance = make_instance(problem);
      for (SectionIndex from = 0; from < instance.section_count; ++from) {
        const Placement placement = in_order_of_time(instance, from, deadline).value();
        const auto size = check_offsets(problem, offsets_of(problem, instance, placement));
        ASSERT_TRUE(size) << from << ": " << to_string(size.error());
      }
    }
  }
}

/// Small problems of every kind: the least size, proven, for a pool without limit and for pools
/// that are exactly large enough or one byte too small.
void expect_exact(Problem problem) {
  const std::uint64_t least = least_size_by_brute_force(problem);
  const Solution solution = solved(problem);
  EXPECT_EQ(solution.size, least);
  EXPECT_EQ(solution.lower_bound, least);
  EXPECT_TRUE(solution.proven);
  expect_sound(problem, solution);
  problem.capacity = least;
  EXPECT_TRUE(solved(problem).fits);
  if (least == 0) return;
  problem.capacity = least - 1;
  const Solution too_small = solved(problem);
  EXPECT_FALSE(too_small.fits);
  EXPECT_TRUE(too_small.proven);
}

TEST(PlanSolve, IsExactOnSmallRandomProblems) {
  std::mt19937 random(8);
  for (int round = 0; round < 2000; ++round) {
    for (ProblemShape shape : kShapes) {
      shape.buffers = round % 100 == 0 ? 8 : 6;
      expect_exact(random_problem(shape, random));
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace mlf::plan
