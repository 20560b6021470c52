// The exact search and what it is built of, on problems that are known to fit.
#include "plan/allocator/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "plan/allocator/skyline.h"
#include "random_problems.h"

namespace mlf::plan {
namespace {

constexpr ProblemShape kEveryShape{
    .buffers = 30, .steps = 20, .aligned = true, .gaps = true, .fixed = true};

Instance instance_of(const Problem& problem) {
  Deadline deadline({});
  Instance instance = make_instance(problem);
  list_conflicts(instance, deadline);
  return instance;
}

/// 100 steps of `height` bytes, cut into buffers so that nothing is left over.
Problem cut_rectangle(std::size_t buffers, std::uint64_t height, std::mt19937& random) {
  std::vector<Buffer> pieces = {{.id = "0", .lower = 0, .upper = 100, .size = height}};
  while (pieces.size() < buffers) {
    const std::size_t chosen = random() % pieces.size();
    Buffer rest = pieces[chosen];
    rest.id = std::to_string(pieces.size());
    Buffer& piece = pieces[chosen];
    const std::int64_t steps = piece.upper - piece.lower;
    if (random() % 2 == 0 && steps > 1) {
      piece.upper = rest.lower =
          piece.lower + 1 + static_cast<std::int64_t>(random()) % (steps - 1);
    } else if (piece.size > 1) {
      piece.size = 1 + random() % (piece.size - 1);
      rest.size -= piece.size;
    } else {
      continue;
    }
    pieces.push_back(rest);
  }
  return {.buffers = pieces};
}

/// What can be seen of a skyline.
std::vector<Units> content_of(const Skyline& skyline, const Instance& instance) {
  std::vector<Units> content = skyline.placement();
  for (ItemIndex item = 0; item < instance.items.size(); ++item) {
    content.push_back(skyline.least_offset(item));
  }
  for (SectionIndex s = 0; s < instance.sections.size(); ++s) {
    content.push_back(skyline.floor(s));
    content.push_back(skyline.slack(s));
    content.push_back(skyline.items_at_floor(s));
    content.push_back(skyline.free_beginning_in(s));
    content.push_back(skyline.ends_apart(s) ? 1 : 0);
  }
  return content;
}

/// Places an item on the lowest floor, or leaves that floor empty. False if all items are placed.
bool change(Skyline& skyline, const Instance& instance, std::mt19937& random) {
  std::vector<SectionIndex> open;
  for (SectionIndex s = 0; s < instance.sections.size(); ++s) {
    if (skyline.items_at_floor(s) > 0) open.push_back(s);
  }
  if (open.empty()) return false;
  const SectionIndex lowest =
      *std::ranges::min_element(open, {}, [&](SectionIndex s) { return skyline.floor(s); });
  if (random() % 4 == 0) {
    skyline.leave_empty(lowest);
    return true;
  }
  const auto& items = instance.sections[lowest];
  skyline.place(*std::ranges::find_if(
      items, [&](ItemIndex item) { return skyline.is_at_floor(item, lowest); }));
  return true;
}

TEST(PlanSkyline, UndoRestoresEverything) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    const Instance instance = instance_of(random_problem(kEveryShape, random));
    Skyline skyline(instance, 200);
    const SectionRange all{0, static_cast<SectionIndex>(instance.sections.size())};
    while (skyline.is_sound()) {
      const std::size_t mark = skyline.mark();
      const std::vector<Units> before = content_of(skyline, instance);
      const StateKey key = skyline.key_of(all);
      const std::mt19937 copy = random;
      if (!change(skyline, instance, random)) break;
      skyline.undo(mark);
      ASSERT_EQ(content_of(skyline, instance), before);
      ASSERT_EQ(skyline.key_of(all), key);
      random = copy;
      change(skyline, instance, random);
    }
  }
}

TEST(PlanSkyline, FloorsAreAtTheLeastOffsetOfTheirFreeItems) {
  std::mt19937 random(4);
  for (int round = 0; round < 300; ++round) {
    const Instance instance = instance_of(random_problem(kEveryShape, random));
    Skyline skyline(instance, 200);
    do {
      for (SectionIndex s = 0; s < instance.sections.size(); ++s) {
        std::vector<Units> offsets;
        for (const ItemIndex item : instance.sections[s]) {
          if (skyline.is_free(item)) offsets.push_back(skyline.least_offset(item));
        }
        if (offsets.empty()) continue;
        const Units least = std::ranges::min(offsets);
        ASSERT_EQ(skyline.floor(s), least);
        ASSERT_EQ(skyline.items_at_floor(s), std::ranges::count(offsets, least));
      }
    } while (change(skyline, instance, random) && skyline.is_sound());
  }
}

TEST(PlanSkyline, AHoleForAFreeItemIsNotLeft) {
  // "small" holds "large" up, so that "other" fits below it.
  const Instance instance =
      instance_of({.buffers = {{.id = "large", .lower = 0, .upper = 2, .size = 8},
                               {.id = "small", .lower = 0, .upper = 1, .size = 3},
                               {.id = "other", .lower = 1, .upper = 2, .size = 3}}});
  Skyline skyline(instance, 100);
  skyline.place(1);
  skyline.leave_empty(1);
  EXPECT_FALSE(skyline.is_sound());
}

TEST(PlanStateSet, FindsTheStateThatWasInsertedLast) {
  StateSet set;
  for (std::uint64_t i = 1; i < 5000; ++i) {
    const StateKey key{scrambled(i), i};
    EXPECT_FALSE(set.contains(key));
    set.insert(key);
    EXPECT_TRUE(set.contains(key));
    EXPECT_FALSE(set.contains({key.first, i + 1}));
  }
}

TEST(PlanSearch, PutsRectanglesTogetherAgain) {
  std::mt19937 random(5);
  for (std::size_t buffers = 10; buffers <= 150; buffers += 10) {
    Problem problem = cut_rectangle(buffers, 1'000'000, random);
    problem.capacity = 1'000'000;
    const auto solution = solve(problem);
    ASSERT_TRUE(solution);
    EXPECT_TRUE(solution->fits) << buffers << " buffers";
  }
}

TEST(PlanSearch, GivesTheSameOffsetsAgain) {
  std::mt19937 random(6);
  for (int round = 0; round < 50; ++round) {
    const Problem problem = random_problem(kEveryShape, random);
    EXPECT_EQ(solve(problem, {.steps = 500})->offsets, solve(problem, {.steps = 500})->offsets);
  }
}

/// Runs with every kind of strategy come to the verdict of trying all placements.
TEST(PlanSearch, LearnsNothingThatIsWrong) {
  constexpr Criterion kOrder[] = {Criterion::area};
  std::mt19937 random(9);
  for (int round = 0; round < 1000; ++round) {
    ProblemShape shape = kEveryShape;
    shape.buffers = 6;
    const Problem problem = random_problem(shape, random);
    const auto least = static_cast<Units>(least_size_by_brute_force(problem));
    const Instance instance = instance_of(problem);
    if (instance.items.empty()) continue;
    Deadline deadline({});
    Effort effort({}, instance, deadline);
    const Units height = least / static_cast<Units>(instance.unit);
    for (const Units capacity : {height, height - 1}) {
      if (capacity < instance.least_height) continue;
      Search search(instance, capacity);
      Verdict verdict = Verdict::undecided;
      for (std::uint64_t run = 0; run < 1000 && verdict == Verdict::undecided; ++run) {
        const Strategy strategy{.order = kOrder,
                                .focus = run % 2 == 0 ? Focus::hardest : Focus::lowest,
                                .repeats = run % 3 == 0,
                                .seed = run};
        verdict = search.run(strategy, 1 + run / 4, effort).verdict;
      }
      ASSERT_EQ(verdict, capacity == height ? Verdict::found : Verdict::impossible);
    }
  }
}

}  // namespace
}  // namespace mlf::plan
