// Limits held against what a module needs.
#include "mlf/budget.h"

#include <gtest/gtest.h>

#include <array>

namespace mlf {
namespace {

using analysis::Count;

ModuleReport module_with(Count pools, Count heap = 0) {
  ModuleReport module;
  module.name = "default";
  module.ram.pools = pools;
  module.ram.heap = heap;
  return module;
}

BudgetResult checked(const ModuleReport& module, Limit limit) {
  return check_budget(module, std::array{limit}).front();
}

TEST(Budget, HoldsUpToTheLastByte) {
  const ModuleReport module = module_with(100);
  EXPECT_EQ(checked(module, {Resource::ram, 100}).verdict, Verdict::fits);
  const BudgetResult result = checked(module, {Resource::ram, 99});
  EXPECT_EQ(result.verdict, Verdict::exceeds);
  EXPECT_EQ(result.remarks.front(), "1 bytes too many");
}

TEST(Budget, IsUndecidedBetweenTheBounds) {
  const ModuleReport module = module_with(Count(50, 150));
  EXPECT_EQ(checked(module, {Resource::ram, 100}).verdict, Verdict::undecided);
  EXPECT_EQ(checked(module, {Resource::ram, 150}).verdict, Verdict::fits);
  EXPECT_EQ(checked(module, {Resource::ram, 49}).verdict, Verdict::exceeds);
}

TEST(Budget, NeverHoldsWhereNobodyKnowsWhatIsNeeded) {
  const ModuleReport module = module_with(Count(50, std::nullopt));
  EXPECT_EQ(checked(module, {Resource::ram, 1'000'000}).verdict, Verdict::undecided);
}

TEST(Budget, OfRamHasAllMemoryThatIsWritten) {
  ModuleReport module = module_with(1, 20);
  module.ram.io = 300;
  module.ram.executor = 4000;
  module.ram.stack = 50000;
  EXPECT_EQ(needed(module, Resource::ram), Count(54321));
  EXPECT_EQ(needed(module, Resource::heap), Count(20));
  EXPECT_EQ(needed(module, Resource::stack), Count(50000));
}

TEST(Budget, SaysWhatAnotherPlacementCouldSave) {
  ModuleReport module = module_with(100);
  module.peak.used = 100;
  module.lower_bound = 60;
  const BudgetResult result = checked(module, {Resource::ram, 80});
  ASSERT_EQ(result.remarks.size(), 2u);
  EXPECT_EQ(result.remarks[1], "another placement of tensors could save up to 40 bytes");
}

TEST(Budget, SaysWhereUnwantedFindingsAre) {
  ModuleReport module = module_with(100);
  module.findings = {{CostFindingCode::half_in_c, "f", Count(0, std::nullopt), "line 1"},
                     {CostFindingCode::padding_scratch, "g", 64, "'pad'"},
                     {CostFindingCode::padding_scratch, "h", 32, "'pad'"}};
  const auto results = check_findings(
      module, std::array{CostFindingCode::constants_twice, CostFindingCode::padding_scratch});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_TRUE(results[0].found.empty());
  ASSERT_EQ(results[1].found.size(), 2u);
  EXPECT_EQ(results[1].found[1].where, "h");
  EXPECT_EQ(results[1].module, "default");
}

}  // namespace
}  // namespace mlf
