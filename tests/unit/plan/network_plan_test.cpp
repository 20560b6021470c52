// What a plan gives: the best one, TVM's greedy planners, what workspaces cost, static plans.
#include "plan/network/network_problem.h"

#include <gtest/gtest.h>

#include "plan/allocator/tvm_planners.h"
#include "unit/graph/networks.h"

namespace mlf::plan {
namespace {

PlannedBuffer tensor(std::string name, std::uint64_t bytes, std::uint64_t offset,
                     std::vector<Interval> live) {
  return {.variable = std::move(name),
          .offset = offset,
          .bytes = bytes,
          .alignment = 16,
          .storage = graph::StorageId{0},
          .live = std::move(live)};
}

PlannedBuffer scratch(std::string name, std::uint64_t bytes, std::uint64_t offset,
                      std::vector<Interval> live) {
  PlannedBuffer buffer = tensor(std::move(name), bytes, offset, std::move(live));
  buffer.storage.reset();
  buffer.kernel = graph::KernelId{0};
  return buffer;
}

PoolProblem pool_of(std::vector<PlannedBuffer> buffers, std::uint64_t declared) {
  PoolProblem pool{.declared = declared, .buffers = std::move(buffers)};
  for (const PlannedBuffer& buffer : pool.buffers) {
    pool.used = std::max(pool.used.value_or(0), buffer.offset + buffer.bytes);
    Buffer plain{.id = buffer.variable,
                 .lower = buffer.live.front().lower,
                 .upper = buffer.live.back().upper,
                 .size = buffer.bytes,
                 .alignment = buffer.alignment};
    for (std::size_t i = 1; i < buffer.live.size(); ++i) {
      plain.gaps.push_back({buffer.live[i - 1].upper, buffer.live[i].lower});
    }
    pool.problem.buffers.push_back(std::move(plain));
  }
  return pool;
}

/// Big first: greedy by size puts "c" behind "a", though "b" leaves space for it.
PoolProblem three() {
  return pool_of({tensor("a_let", 64, 0, {{0, 2}}), tensor("b_let", 32, 64, {{1, 3}}),
                  tensor("c_let", 48, 96, {{2, 4}})},
                 144);
}

TEST(PlanPools, FindsTheSmallestPlan) {
  const std::vector<PoolPlan> plans = plan_pools({.pools = {three()}, .first_tick = {0, 4}});
  ASSERT_EQ(plans.size(), 1u);
  EXPECT_EQ(plans[0].best.size, 96u);
  EXPECT_EQ(plans[0].best.lower_bound, 96u);
  EXPECT_TRUE(plans[0].best.proven);
  EXPECT_EQ(plans[0].gain(), 48u);
}

TEST(PlanPools, MovesNothingWhereNothingIsWon) {
  // The other way round would be as good.
  PoolProblem pool =
      pool_of({tensor("a_let", 16, 16, {{0, 2}}), tensor("b_let", 16, 0, {{1, 3}})}, 32);
  const std::vector<PoolPlan> plans = plan_pools({.pools = {pool}, .first_tick = {0, 3}});
  EXPECT_EQ(plans[0].best.offsets, (std::vector<std::uint64_t>{16, 0}));
  EXPECT_EQ(plans[0].gain(), 0u);
  EXPECT_TRUE(plans[0].best.proven);
}

TEST(PlanPools, LeavesAPoolThatIsRefused) {
  PoolProblem pool = three();
  pool.refused = {"something is not known"};
  const std::vector<PoolPlan> plans = plan_pools({.pools = {pool}, .first_tick = {0, 4}});
  EXPECT_TRUE(plans[0].is_refused());
  EXPECT_EQ(plans[0].best.offsets, (std::vector<std::uint64_t>{0, 64, 96}));
  EXPECT_EQ(plans[0].gain(), 0u);
  EXPECT_FALSE(plans[0].greedy_by_size);
}

TEST(PlanPools, RefusesWhatCannotBeSolved) {
  PoolProblem pool = three();
  pool.problem.buffers[0].alignment = 0;
  const std::vector<PoolPlan> plans = plan_pools({.pools = {pool}, .first_tick = {0, 4}});
  EXPECT_TRUE(plans[0].is_refused());
}

/// TVM's planners put "b" at 48 where 16 aligns it, and at 64 where 32 does.
PoolProblem aligned_to_32() {
  PoolProblem pool =
      pool_of({tensor("a_let", 48, 0, {{0, 2}}), tensor("b_let", 16, 64, {{0, 2}})}, 80);
  for (PlannedBuffer& buffer : pool.buffers) buffer.alignment = 32;
  return pool;
}

TEST(PlanPools, DoNotKnowWhatDependsOnAnAlignmentThatIsStatedNowhere) {
  const PoolPlan plan = plan_pools({.pools = {aligned_to_32()}, .first_tick = {0, 2}}).at(0);
  EXPECT_FALSE(plan.greedy_by_size.has_value());
  EXPECT_FALSE(plan.greedy_by_conflicts.has_value());
}

TEST(PlanPools, KnowWhatTvmGivesForAStatedAlignment) {
  PoolProblem pool = aligned_to_32();
  pool.is_alignment_stated = true;
  const PoolPlan plan = plan_pools({.pools = {pool}, .first_tick = {0, 2}}).at(0);
  ASSERT_TRUE(plan.greedy_by_size.has_value());
  EXPECT_EQ(plan.greedy_by_size->size, 80u);
}

TEST(TvmPlanners, PutEachBufferBehindAllThatAreThere) {
  // "d" is there with "a" and "c" and would fit between them.
  const PoolProblem pool =
      pool_of({tensor("a_let", 64, 0, {{0, 5}}), tensor("b_let", 48, 0, {{0, 2}}),
               tensor("c_let", 32, 0, {{1, 5}}), tensor("d_let", 16, 0, {{3, 4}})},
              256);
  const auto buffers = tvm_buffers(pool);
  ASSERT_TRUE(buffers);
  const PlannerResult by_size = greedy_by_size(*buffers, 16);
  EXPECT_EQ(by_size.offsets, (std::vector<std::uint64_t>{0, 64, 112, 144}));
  EXPECT_EQ(by_size.size, 160u);
  // "a" has three conflicts, "c" as many and is smaller, "b" and "d" two each.
  const PlannerResult by_conflicts = greedy_by_conflicts(*buffers, 16);
  EXPECT_EQ(by_conflicts.offsets, (std::vector<std::uint64_t>{0, 96, 64, 96}));
  EXPECT_EQ(by_conflicts.size, 144u);
}

TEST(TvmPlanners, CountAConflictForEachCall) {
  const PoolProblem pool =
      pool_of({tensor("a_let", 16, 0, {{0, 5}}), scratch("b_let", 16, 16, {{1, 2}, {3, 4}})}, 32);
  const auto buffers = tvm_buffers(pool);
  ASSERT_TRUE(buffers);
  EXPECT_EQ(buffers->at(0).conflicts, (std::vector<std::size_t>{1, 1}));
  EXPECT_EQ(buffers->at(1).conflicts, (std::vector<std::size_t>{0, 0}));
}

TEST(TvmPlanners, NameBuffersAsTvmDoes) {
  const PoolProblem pool =
      pool_of({tensor("sid_1_let", 16, 0, {{0, 5}}), scratch("pad_let", 16, 16, {{1, 2}}),
               scratch("pad_let_1", 16, 16, {{2, 3}}), scratch("odd_let_name", 16, 16, {{3, 4}})},
              32);
  const auto buffers = tvm_buffers(pool);
  ASSERT_TRUE(buffers);
  std::vector<std::string> names;
  for (const TvmBuffer& buffer : *buffers) names.push_back(buffer.name_hint);
  EXPECT_EQ(names, (std::vector<std::string>{"sid_1", "pad", "pad2", "odd_let_name"}));
}

TEST(ScratchCosts, AreThePeakOfEachCallWithAndWithoutItsWorkspaces) {
  graph::Topology topology;
  topology.kernels.resize(2);
  topology.calls = {{.kernel = graph::KernelId{0}, .position = 0},
                    {.kernel = graph::KernelId{1}, .position = 1},
                    {.kernel = graph::KernelId{0}, .position = 2}};
  const PoolProblem pool =
      pool_of({tensor("a_let", 64, 0, {{1, 4}}), scratch("b_let", 16, 64, {{2, 3}, {5, 6}})}, 80);
  const NetworkProblem network{.pools = {pool}, .first_tick = {1, 3, 4, 6}};
  const std::vector<ScratchCost> costs = scratch_costs(topology, network, pool);
  ASSERT_EQ(costs.size(), 2u);
  EXPECT_EQ(costs[0].call, graph::CallId{0});
  EXPECT_EQ(costs[0].scratch, 16u);
  EXPECT_EQ(costs[0].peak, 80u);
  EXPECT_EQ(costs[0].without, 64u);
  EXPECT_EQ(costs[1].call, graph::CallId{2});
  EXPECT_EQ(costs[1].peak, 16u);
  EXPECT_EQ(costs[1].without, 0u);
}

TEST(ScratchCosts, AreNotKnownWhereLivesOrSizesAreNot) {
  graph::Topology topology;
  topology.kernels.resize(1);
  topology.calls = {{.kernel = graph::KernelId{0}, .position = 0}};
  PoolProblem pool = pool_of({scratch("a_let", 16, 0, {{1, 2}})}, 16);
  pool.refused = {"not known"};
  const NetworkProblem network{.pools = {pool}, .first_tick = {1, 2}};
  const std::vector<ScratchCost> costs = scratch_costs(topology, network, pool);
  ASSERT_EQ(costs.size(), 1u);
  EXPECT_EQ(costs[0].scratch, 16u);
  EXPECT_FALSE(costs[0].peak);
  EXPECT_FALSE(costs[0].without);
  topology.kernels[0].workspaces = {{.name = "b_let", .pool = pool.pool}};
  EXPECT_FALSE(scratch_costs(topology, network, pool).at(0).scratch);
}

TEST(StaticPlans, GiveEveryValueAPlaceOfItsOwn) {
  const graph::Topology topology = graph::network(graph::merged_storage());
  const auto plan = static_plan(topology);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->heap, 32u);
  EXPECT_EQ(plan->executor + plan->stack, 0u);
  EXPECT_EQ(plan->main.size, 32u);
  EXPECT_EQ(plan->with_kernels.size, 32u);
  EXPECT_EQ(plan->now(), 32u);
}

TEST(StaticPlans, AreNothingWhereMainAllocatesNothing) {
  EXPECT_FALSE(static_plan(graph::Topology{}));
}

}  // namespace
}  // namespace mlf::plan
