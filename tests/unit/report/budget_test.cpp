// Limits compared with what a module needs.
#include "mlf/budget.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>

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
  EXPECT_EQ(checked(module, {Resource::buffers, 100}).verdict, Verdict::fits);
  const BudgetResult result = checked(module, {Resource::buffers, 99});
  EXPECT_EQ(result.verdict, Verdict::exceeds);
  EXPECT_EQ(result.remarks.front(), "1 bytes too many");
}

TEST(Budget, IsUndecidedBetweenTheBounds) {
  const ModuleReport module = module_with(Count(50, 150));
  EXPECT_EQ(checked(module, {Resource::buffers, 100}).verdict, Verdict::undecided);
  EXPECT_EQ(checked(module, {Resource::buffers, 150}).verdict, Verdict::fits);
  EXPECT_EQ(checked(module, {Resource::buffers, 49}).verdict, Verdict::exceeds);
}

TEST(Budget, NeverHoldsWhereWhatIsNeededIsNotKnown) {
  const ModuleReport module = module_with(Count(50, std::nullopt));
  EXPECT_EQ(checked(module, {Resource::buffers, 1'000'000}).verdict, Verdict::undecided);
}

TEST(Budget, OfBuffersHasAllMemoryThatTensorsTake) {
  ModuleReport module = module_with(1, 20);
  module.ram.io = 300;
  module.ram.executor = 4000;
  module.ram.stack = 50000;
  module.ram.arguments = 600000;
  EXPECT_EQ(needed(module, Resource::buffers), Count(654321));
  EXPECT_EQ(needed(module, Resource::heap), Count(20));
}

TEST(Budget, WithoutACompilerKnowsNoUpperBoundOfWhatHasFramesOrCode) {
  ModuleReport module = module_with(100);
  module.ram.stack = 20;
  module.ram.arguments = 3;
  module.flash = {.constants = 40, .copies = 8};
  EXPECT_EQ(needed(module, Resource::ram), Count(123, std::nullopt));
  EXPECT_EQ(needed(module, Resource::stack), Count(23, std::nullopt));
  EXPECT_EQ(needed(module, Resource::flash), Count(48, std::nullopt));
  EXPECT_EQ(needed(module, Resource::code), Count(0, std::nullopt));
  EXPECT_EQ(needed(module, Resource::constants), Count(48));
  EXPECT_EQ(checked(module, {Resource::stack, 22}).verdict, Verdict::exceeds);
  const BudgetResult result = checked(module, {Resource::stack, 1000});
  EXPECT_EQ(result.verdict, Verdict::undecided);
  EXPECT_EQ(result.remarks.back(), "stack frames need --cc COMPILER");
}

/// Main, a kernel and the function that calls main; with a compiler all is known of them.
ModuleReport compiled_module() {
  ModuleReport module = module_with(100);
  module.network.emplace().provenance.symbol = "main";
  module.network->pools = {{.name = "workspace", .bytes = 100}};
  module.kernels.resize(2);
  module.kernels[0].symbol = "a";
  module.kernels[1].symbol = "b";
  for (KernelReport& kernel : module.kernels) kernel.cost.emplace();
  module.code = CompiledCode{
      .text = 1000,
      .rodata = 200,
      .data = 30,
      .bss = 100,
      .functions = {{"a", {10, 16}}, {"b", {10, 64}}, {"main", {10, 32}}, {"run", {10, 8}}},
      .variables = {{"workspace", {.bytes = 100, .is_written = true}}},
      .read_padding = 7,
      .written_padding = 3};
  return module;
}

TEST(Budget, WithAWholeGraphOfCallsHasAnUpperBoundOfTheStack) {
  // Main and the larger kernel; at most also the other function, and 8 bytes of each of four.
  EXPECT_EQ(needed(compiled_module(), Resource::stack), Count(96, 136));
  EXPECT_EQ(needed(compiled_module(), Resource::ram), Count(226, 269));
  EXPECT_EQ(needed(compiled_module(), Resource::flash), Count(1230, 1237));
  EXPECT_EQ(needed(compiled_module(), Resource::code), Count(1230));
}

TEST(Budget, WithAPoolInInitialisedDataCountsItOnce) {
  ModuleReport module = compiled_module();
  module.code->data += module.code->bss;
  module.code->bss = 0;
  EXPECT_EQ(needed(module, Resource::ram), Count(226, 269));
  // The variable of the application may be another one.
  module.code->variables.clear();
  EXPECT_EQ(needed(module, Resource::ram), Count(226, 369));
}

TEST(Budget, WithCallsOfLibrariesHasNoUpperBoundOfWhatTheyAreIn) {
  ModuleReport module = compiled_module();
  module.code->missing = {"expf", "memcpy"};
  EXPECT_EQ(needed(module, Resource::stack), Count(96, std::nullopt));
  EXPECT_EQ(needed(module, Resource::flash), Count(1230, std::nullopt));
  EXPECT_EQ(needed(module, Resource::code), Count(1230));
  const BudgetResult result = checked(module, {Resource::flash, 100'000});
  EXPECT_EQ(result.verdict, Verdict::undecided);
  EXPECT_EQ(result.remarks.at(1),
            "the archive does not contain expf, memcpy: their code is unknown; mlf check "
            "--library-flash BYTES takes an upper bound");
  EXPECT_EQ(result.remarks.at(2), "the linker decides the padding between sections");
  EXPECT_EQ(result.remarks.at(3), "the limit 'code' covers the rest");
}

TEST(Budget, WithCallsOfLibrariesHasTheBoundThatIsGivenForThem) {
  ModuleReport module = compiled_module();
  module.code->missing = {"expf", "memcpy"};
  const LibraryNeeds library{.stack = 500, .flash = 4000};
  EXPECT_EQ(needed(module, Resource::stack, library), Count(96, 636));
  EXPECT_EQ(needed(module, Resource::flash, library), Count(1230, 5237));
  EXPECT_EQ(needed(module, Resource::flash, {.stack = 500}), Count(1230, std::nullopt));
  // Nothing is missing: the number does not count.
  EXPECT_EQ(needed(compiled_module(), Resource::stack, library), Count(96, 136));
}

TEST(Budget, WithAFrameWithoutABoundHasNoUpperBoundOfTheStack) {
  ModuleReport module = compiled_module();
  module.code->functions["run"].frame.reset();
  const BudgetResult result = checked(module, {Resource::stack, 100'000});
  EXPECT_EQ(result.verdict, Verdict::undecided);
  EXPECT_EQ(result.remarks.at(1), "no bound is known for the stack frame of 'run'");
}

TEST(Budget, OfAnArchiveThatContradictsItselfDoesNotHold) {
  ModuleReport module = module_with(100);
  module.network.emplace().checks.push_back({graph::CheckCode::arity, "'f' has 2 parameters"});
  EXPECT_EQ(checked(module, {Resource::buffers, 100}).verdict, Verdict::undecided);
  module.contradictions.push_back({"arity", "'f' has 2 parameters"});
  const BudgetResult result = checked(module, {Resource::buffers, 100});
  EXPECT_EQ(result.verdict, Verdict::undecided);
  ASSERT_EQ(result.remarks.size(), 2u);
  EXPECT_EQ(result.remarks[1],
            "the archive contradicts itself (see mlf verify): 'f' has 2 parameters");
  EXPECT_EQ(checked(module, {Resource::buffers, 99}).verdict, Verdict::exceeds);
}

TEST(Budget, TheSchemaListsEveryResource) {
  std::ifstream file(MLF_SOURCE_DIR "/schemas/check.schema.json");
  const auto schema = nlohmann::json::parse(file);
  const auto& names = schema.at("$defs").at("result").at("properties").at("resource").at("enum");
  std::vector<std::string> known;
  for (const ResourceInfo& one : resource_infos()) known.emplace_back(one.name);
  EXPECT_EQ(names.get<std::vector<std::string>>(), known);
}

TEST(Budget, OfNumbersBeyondTheLargestIsUndecided) {
  ModuleReport module = module_with(std::uint64_t{1} << 62);
  module.ram.io = std::uint64_t{1} << 62;
  EXPECT_EQ(checked(module, {Resource::buffers, INT64_MAX}).verdict, Verdict::undecided);
}

TEST(Budget, NamesThePlanWhereOtherOffsetsMayNeedLess) {
  ModuleReport module = module_with(100);
  module.peak.used = 100;
  module.lower_bound = 60;
  const BudgetResult result = checked(module, {Resource::buffers, 80});
  ASSERT_EQ(result.remarks.size(), 2u);
  EXPECT_EQ(result.remarks[1], "mlf plan shows what other offsets need");
  module.ram.pools = 0;
  module.ram.stack = 100;
  EXPECT_EQ(checked(module, {Resource::buffers, 80}).remarks.size(), 1u);
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

TEST(Budget, AFindingIsUndecidedWhereNotEverythingCouldBeLookedAt) {
  ModuleReport module = module_with(100);
  const std::array unwanted{CostFindingCode::constants_twice};
  EXPECT_EQ(check_findings(module, unwanted).front().presence(), Presence::absent);
  module.unsearched.push_back({CostFindingCode::constants_twice, "'x' has no data"});
  EXPECT_EQ(check_findings(module, unwanted).front().presence(), Presence::undecided);
  module.findings.push_back({CostFindingCode::constants_twice, "x", 16, "twice"});
  EXPECT_EQ(check_findings(module, unwanted).front().presence(), Presence::found);
}

}  // namespace
}  // namespace mlf
