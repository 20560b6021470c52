// Costs of expressions that are shared, and of loops that are nested deeply.
#include "mlf/tir/builder.h"
#include "unit/analysis/cost_of.h"

namespace mlf::analysis {
namespace {

/// A function that stores 40 chained `x + x`, with loops of two iterations around that.
tir::Module chained(int loops) {
  using tir::Kind;
  tir::Builder make;
  const tir::DType i32 = tir::DType::Int(32);
  const auto integer = [&](int value) { return make.make(Kind::IntImm, {i32, value}); };
  const auto var = [&](std::string_view name, tir::DType dtype) {
    return make.make(Kind::Var, {dtype, make.string(name), tir::NodeId::none});
  };
  const tir::NodeId data = var("B", tir::DType::Handle());
  const tir::NodeId mask = make.make(Kind::IntImm, {tir::DType::Bool(), 1});
  tir::NodeId sum = make.make(Kind::Load, {i32, data, integer(1), mask});
  for (int i = 0; i < 40; ++i) sum = make.make(Kind::Add, {i32, sum, sum});
  tir::NodeId body = make.make(Kind::Store, {data, sum, integer(0), mask});
  for (int i = 0; i < loops; ++i) {
    body = make.make(Kind::For, {var("i", i32), integer(0), integer(2), tir::ForKind::serial, body,
                                 tir::NodeId::none, make.map(std::vector<tir::NamedNode>{})});
  }
  const tir::NodeId function = make.make(
      Kind::PrimFunc, {make.list({data}), tir::NodeId::none, make.map(std::vector<tir::NodePair>{}),
                       make.map(std::vector<tir::NodePair>{}), tir::NodeId::none, body});
  return std::move(make).finish(function);
}

TEST(KernelCost, SharedExpressionsCountAsOftenAsTheyAreEvaluated) {
  const tir::Module module = chained(0);
  const KernelCost cost = kernel_cost(module.root());
  EXPECT_EQ(exactly(operations(cost, Operation::add_subtract)), (std::uint64_t{1} << 40) - 1);
  EXPECT_EQ(exactly(buffer(cost, "B").loads), std::uint64_t{1} << 40);
  EXPECT_EQ(exactly(buffer(cost, "B").stores), 1);
}

/// A function with one statement of a kind that the tables do not have.
TEST(KernelCost, StatementsOfUnknownKindsAreUnknown) {
  tir::Builder make;
  const tir::NodeId statement = make.make(
      tir::Kind::OpaqueStmt, {make.string("tir.NewStmt"), make.map(std::vector<tir::NamedNode>{})});
  const tir::NodeId function = make.make(
      tir::Kind::PrimFunc, {make.list(std::vector<tir::NodeId>{}), tir::NodeId::none,
                            make.map(std::vector<tir::NodePair>{}),
                            make.map(std::vector<tir::NodePair>{}), tir::NodeId::none, statement});
  const tir::Module module = std::move(make).finish(function);
  const KernelCost cost = kernel_cost(module.root());
  EXPECT_EQ(cost.mac, Count(0, std::nullopt));
  EXPECT_EQ(cost.uncertain.size(), 1);
}

TEST(KernelCost, RealizedBlocksOfUnknownKindsAreUnknown) {
  tir::Builder make;
  const tir::NodeId block =
      make.make(tir::Kind::OpaqueStmt,
                {make.string("tir.NewBlock"), make.map(std::vector<tir::NamedNode>{})});
  const tir::NodeId always = make.make(tir::Kind::IntImm, {tir::DType::Bool(), 1});
  const tir::NodeId realize =
      make.make(tir::Kind::BlockRealize, {make.list(std::vector<tir::NodeId>{}), always, block});
  const tir::NodeId function = make.make(
      tir::Kind::PrimFunc, {make.list(std::vector<tir::NodeId>{}), tir::NodeId::none,
                            make.map(std::vector<tir::NodePair>{}),
                            make.map(std::vector<tir::NodePair>{}), tir::NodeId::none, realize});
  const tir::Module module = std::move(make).finish(function);
  EXPECT_EQ(kernel_cost(module.root()).mac, Count(0, std::nullopt));
}

TEST(KernelCost, NumbersBeyondTheLargestHaveNoMaximum) {
  const tir::Module module = chained(20'000);
  const KernelCost cost = kernel_cost(module.root());
  EXPECT_EQ(buffer(cost, "B").loads, Count(std::uint64_t{INT64_MAX}, std::nullopt));
  EXPECT_EQ(cost.loops.size(), 20'000);
}

}  // namespace
}  // namespace mlf::analysis
