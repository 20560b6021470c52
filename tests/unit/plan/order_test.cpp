// The order of calls with the least peak: by hand, and against every order that is allowed.
#include "plan/order/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>

#include "order_peak.h"
#include "support/error.h"

namespace mlf::plan {
namespace {

OrderUse reads(std::size_t buffer) {
  return {.buffer = buffer};
}
OrderUse writes(std::size_t buffer) {
  return {.buffer = buffer, .writes = true};
}
OrderCall call_of(std::vector<OrderUse> uses) {
  return {.uses = std::move(uses)};
}

CallOrder ordered(const OrderProblem& problem, const SearchLimits& limits = {}) {
  const auto order = best_order(problem, limits);
  EXPECT_TRUE(order.has_value()) << to_string(order.error());
  return order.value_or(CallOrder{});
}

std::string failure_of(const OrderProblem& problem) {
  const auto order = best_order(problem);
  return order ? "none" : order.error().message;
}

/// Towers from one input, each widened and then reduced, and joined at the end: breadth first, as
/// TVM may emit them.
OrderProblem towers(std::size_t count) {
  OrderProblem problem{.buffers = {{.bytes = 1, .from_start = true}}, .calls = {}};
  std::vector<OrderUse> join;
  for (std::size_t i = 0; i < count; ++i) {
    problem.buffers.push_back({.bytes = 100});
    problem.calls.push_back(call_of({reads(0), writes(1 + i)}));
  }
  for (std::size_t i = 0; i < count; ++i) {
    problem.buffers.push_back({.bytes = 10});
    problem.calls.push_back(call_of({reads(1 + i), writes(1 + count + i)}));
    join.push_back(reads(1 + count + i));
  }
  problem.buffers.push_back({.bytes = 5, .to_end = true});
  join.push_back(writes(problem.buffers.size() - 1));
  problem.calls.push_back(call_of(std::move(join)));
  return problem;
}

TEST(PlanOrder, RunsOneBranchAfterAnother) {
  const CallOrder order = ordered(towers(3));
  EXPECT_EQ(order.given_peak, 310u);
  EXPECT_EQ(order.peak, 130u);
  EXPECT_EQ(order.lower_bound, 130u);
  EXPECT_TRUE(order.proven);
  EXPECT_TRUE(order.changes());
  EXPECT_EQ(order.calls.back(), 6u);
}

TEST(PlanOrder, AChainStaysAsItIs) {
  OrderProblem problem{.buffers = {{.bytes = 4}, {.bytes = 8}}, .calls = {}};
  problem.calls = {call_of({writes(0)}), call_of({reads(0), writes(1)}), call_of({reads(1)})};
  const CallOrder order = ordered(problem);
  EXPECT_FALSE(order.changes());
  EXPECT_EQ(order.peak, 12u);
  EXPECT_TRUE(order.proven);
}

TEST(PlanOrder, NothingPassesACallWithUnknownEffects) {
  OrderProblem problem = towers(3);
  problem.calls[2].keeps_place = true;  // all that widens is in front of it
  const CallOrder order = ordered(problem);
  EXPECT_EQ(order.calls[2], 2u);
  EXPECT_EQ(order.peak, 310u);
}

TEST(PlanOrder, TicksOfOneCallAreTold) {
  // The input is read before the output is written.
  OrderProblem problem{.buffers = {{.bytes = 10, .from_start = true}, {.bytes = 10}}, .calls = {}};
  problem.calls = {{.uses = {{.buffer = 0, .first = 0, .last = 0},
                             {.buffer = 1, .first = 1, .last = 1, .writes = true}},
                    .scratch = {{.bytes = 3, .first = 0, .last = 1}}}};
  EXPECT_EQ(ordered(problem).peak, 13u);
  problem.calls[0].uses[0].last = 1;
  EXPECT_EQ(ordered(problem).peak, 23u);
}

TEST(PlanOrder, SaysThatSizesAreTooLarge) {
  EXPECT_EQ(failure_of({.buffers = {{.bytes = UINT64_MAX}}, .calls = {}}),
            "the sizes are too large");
}

TEST(PlanOrder, SaysWhichOrderIsNotAllowed) {
  const OrderProblem problem = towers(1);
  try {
    peak_of(problem, {1, 0, 2});
    FAIL() << "it is allowed";
  } catch (const support::Error& wrong) {
    EXPECT_EQ(wrong.diagnostic().message, "call 1 has to be after call 0");
  }
  EXPECT_THROW(peak_of(problem, {0, 0, 2}), support::Error);
}

TEST(PlanOrder, ItsLimitsEndIt) {
  SearchLimits limits;
  limits.steps = 0;
  const OrderProblem problem = towers(12);
  const CallOrder order = ordered(problem, limits);
  EXPECT_LE(order.peak, order.given_peak);
  EXPECT_LE(order.lower_bound, order.peak);
  EXPECT_EQ(peak_of(problem, order.calls), order.peak);
}

TEST(PlanOrder, OfTooManyCallsIsNotKnown) {
  OrderProblem problem = towers(1);
  problem.calls.resize(4096, {.keeps_place = true});
  EXPECT_EQ(ordered(problem).peak, 110u);
  EXPECT_EQ(ordered(problem).not_searched, "");
  problem.calls.push_back({});
  const CallOrder order = ordered(problem);
  EXPECT_FALSE(order.changes());
  EXPECT_FALSE(order.peak || order.given_peak || order.lower_bound || order.proven);
  EXPECT_EQ(order.not_searched, "there are more than 4096 calls");
}

// --- Random networks -----------------------------------------------------------------------------

struct Shape {
  std::size_t calls = 8;
  bool ticks = false;
  bool rewrites = false;  ///< buffers that are written twice
  bool barriers = false;
};

OrderProblem random_network(const Shape& shape, std::mt19937& random) {
  const auto below = [&](std::size_t n) {
    return static_cast<std::size_t>(random() % static_cast<std::uint32_t>(n));
  };
  OrderProblem problem;
  problem.buffers.push_back({.bytes = below(6), .from_start = true});
  const auto use_of = [&](std::size_t buffer, bool is_written) {
    OrderUse use{.buffer = buffer, .writes = is_written};
    if (shape.ticks) {
      use.first = static_cast<std::int64_t>(below(3));
      use.last = use.first + static_cast<std::int64_t>(below(3));
    }
    return use;
  };
  const std::size_t count = 2 + below(shape.calls - 1);
  for (std::size_t i = 0; i < count; ++i) {
    OrderCall call;
    for (std::size_t k = 1 + below(2); k > 0; --k) {
      call.uses.push_back(use_of(below(problem.buffers.size()), shape.rewrites && below(8) == 0));
    }
    problem.buffers.push_back({.bytes = below(20), .to_end = below(6) == 0});
    call.uses.push_back(use_of(problem.buffers.size() - 1, true));
    if (below(3) == 0) {
      const auto first = static_cast<std::int64_t>(shape.ticks ? below(3) : 0);
      call.scratch.push_back({.bytes = below(12), .first = first, .last = first});
    }
    call.keeps_place = shape.barriers && below(8) == 0;
    problem.calls.push_back(std::move(call));
  }
  return problem;
}

/// Whether call `b` may never run in front of call `a`, which is given first.
bool must_precede(const OrderProblem& problem, std::size_t a, std::size_t b) {
  const OrderCall& first = problem.calls[a];
  const OrderCall& second = problem.calls[b];
  if (first.keeps_place || second.keeps_place) return true;
  for (const OrderUse& one : first.uses) {
    for (const OrderUse& other : second.uses) {
      if (one.buffer == other.buffer && (one.writes || other.writes)) return true;
    }
  }
  return false;
}

/// The least peak of all allowed orders, one after the other.
std::uint64_t least_peak_by_brute_force(const OrderProblem& problem) {
  const std::size_t count = problem.calls.size();
  std::vector<std::vector<bool>> precedes(count, std::vector<bool>(count));
  for (std::size_t b = 0; b < count; ++b) {
    for (std::size_t a = 0; a < b; ++a) precedes[a][b] = must_precede(problem, a, b);
  }
  const auto is_allowed = [&](const std::vector<std::size_t>& calls) {
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = i + 1; k < count; ++k) {
        if (precedes[calls[k]][calls[i]]) return false;
      }
    }
    return true;
  };
  std::vector<std::size_t> calls(count);
  std::iota(calls.begin(), calls.end(), std::size_t{0});
  std::optional<std::uint64_t> least;
  do {
    if (!is_allowed(calls)) continue;
    const std::uint64_t peak = peak_of(problem, calls);
    least = std::min(least.value_or(peak), peak);
  } while (std::ranges::next_permutation(calls).found);
  return least.value();
}

void expect_sound(const OrderProblem& problem, const CallOrder& order) {
  std::vector<std::size_t> given(problem.calls.size());
  std::iota(given.begin(), given.end(), std::size_t{0});
  EXPECT_EQ(peak_of(problem, given), order.given_peak);
  EXPECT_EQ(peak_of(problem, order.calls), order.peak);
  EXPECT_LE(order.peak, order.given_peak);
  EXPECT_LE(order.lower_bound, order.peak);
  EXPECT_EQ(order.proven, order.lower_bound == order.peak);
}

void expect_best(const Shape& shape, int networks) {
  std::mt19937 random(static_cast<unsigned>(shape.calls));
  for (int i = 0; i < networks; ++i) {
    SCOPED_TRACE(i);
    const OrderProblem problem = random_network(shape, random);
    const CallOrder order = ordered(problem);
    expect_sound(problem, order);
    EXPECT_TRUE(order.proven);
    ASSERT_EQ(order.peak, least_peak_by_brute_force(problem));
  }
}

TEST(PlanOrder, IsTheBestOfAllOrders) {
  expect_best({.calls = 6}, 2000);
  expect_best({.calls = 8}, 100);
}

TEST(PlanOrder, IsTheBestOfAllOrdersWithTicks) {
  expect_best({.calls = 6, .ticks = true}, 2000);
}

TEST(PlanOrder, IsTheBestOfAllOrdersWithBuffersThatAreWrittenTwice) {
  expect_best({.calls = 6, .ticks = true, .rewrites = true}, 1000);
}

TEST(PlanOrder, IsTheBestOfAllOrdersAroundCallsThatStay) {
  expect_best({.calls = 6, .ticks = true, .rewrites = true, .barriers = true}, 1000);
}

TEST(PlanOrder, IsNeverWorseThanTheGivenOne) {
  std::mt19937 random(7);
  for (int i = 0; i < 60; ++i) {
    SCOPED_TRACE(i);
    const OrderProblem problem = random_network({.calls = 60, .ticks = true}, random);
    SearchLimits limits;
    limits.steps = 2000;
    const CallOrder order = ordered(problem, limits);
    expect_sound(problem, order);
    EXPECT_EQ(ordered(problem, limits).calls, order.calls);
  }
}

TEST(PlanOrder, SectionsAreSolvedOneByOne) {
  // Five blocks of six towers each: together too many sets of calls, one by one few.
  OrderProblem problem;
  std::size_t input = 0;
  problem.buffers.push_back({.bytes = 1, .from_start = true});
  for (int block = 0; block < 5; ++block) {
    const OrderProblem part = towers(6);
    const std::size_t base = problem.buffers.size() - 1;
    for (std::size_t i = 1; i < part.buffers.size(); ++i) {
      problem.buffers.push_back({.bytes = part.buffers[i].bytes});
    }
    for (OrderCall call : part.calls) {
      for (OrderUse& use : call.uses) use.buffer = use.buffer == 0 ? input : use.buffer + base;
      problem.calls.push_back(std::move(call));
    }
    input = problem.buffers.size() - 1;
  }
  const CallOrder order = ordered(problem);
  EXPECT_TRUE(order.proven);
  EXPECT_EQ(order.peak, 160u);
}

}  // namespace
}  // namespace mlf::plan
