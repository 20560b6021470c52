#include "tir/text/expr_factory.h"

#include <gtest/gtest.h>

#include <array>

#include "support/error.h"

namespace mlf::tir::text {
namespace {

class ExprFactoryTest : public testing::Test {
 protected:
  NodeId var(std::string_view name, DType dtype = DType::Int(32)) {
    return make_.var(name, make_.prim_type(dtype));
  }
  NodeId vector(std::int64_t lanes) {
    return make_.ramp(var("base"), make_.int32(1), make_.int32(lanes));
  }
  NodeId buffer(DType dtype, std::vector<NodeId> shape) {
    const NodeId type = make_.pointer_type(make_.prim_type(dtype), "global");
    return make_.buffer(
        {.name = "A", .data = make_.var("A", type), .dtype = dtype, .shape = std::move(shape)});
  }
  Node node(NodeId id) { return builder_.node(id); }

  Builder builder_;
  LossLog losses_;
  ExprFactory make_{builder_, losses_};
};

TEST_F(ExprFactoryTest, ArithmeticKeepsTheElementTypeAndTheLanesOfTheVector) {
  const NodeId x = var("x", DType::Int(64));
  EXPECT_EQ(make_.dtype_of(make_.binary(Kind::Add, x, x)), DType::Int(64));
  EXPECT_EQ(make_.dtype_of(make_.binary(Kind::Mul, var("i"), vector(4))),
            DType::Int(32).with_lanes(4));
}

TEST_F(ExprFactoryTest, ComparisonsAndLogicAreBooleanWithTheLanesOfTheirOperands) {
  const NodeId less = make_.binary(Kind::LT, vector(8), vector(8));
  EXPECT_EQ(make_.dtype_of(less), DType::Bool().with_lanes(8));
  EXPECT_EQ(make_.dtype_of(make_.logical_not(less)), DType::Bool().with_lanes(8));
  EXPECT_EQ(make_.dtype_of(make_.binary(Kind::Or, make_.boolean(1), make_.boolean(0))),
            DType::Bool());
}

TEST_F(ExprFactoryTest, WhatIsVoidHasNoLanesToGive) {
  const NodeId nothing = var("nothing", DType::Void());
  EXPECT_EQ(make_.dtype_of(make_.binary(Kind::EQ, nothing, nothing)), DType::Bool());
  EXPECT_EQ(make_.dtype_of(make_.binary(Kind::Add, var("i"), nothing)), DType::Int(32));
  EXPECT_EQ(make_.dtype_of(make_.logical_not(nothing)), DType::Bool());
}

TEST_F(ExprFactoryTest, LoadsTakeTheProductOfTheLanesOfBufferAndLastIndex) {
  const NodeId vectors = buffer(DType::Float(32).with_lanes(4), {make_.int32(16)});
  const std::array index{vector(2)};
  EXPECT_EQ(make_.dtype_of(make_.buffer_load(vectors, index)), DType::Float(32).with_lanes(8));
  const NodeId scalar = buffer(DType::Int(8), {});
  EXPECT_EQ(make_.dtype_of(make_.buffer_load(scalar, {})), DType::Int(8));
}

TEST_F(ExprFactoryTest, RefusesLoadsOfMoreLanesThanAVectorCanHave) {
  const NodeId wide = buffer(DType::Int(8).with_lanes(1000), {make_.int32(1)});
  const std::array index{vector(1000)};
  EXPECT_THROW(make_.buffer_load(wide, index), support::Error);
}

TEST_F(ExprFactoryTest, LanesAreConstantsOrMultiplesOfVscale) {
  const NodeId vscale = make_.call(make_.op("tir.vscale"), {}, DType::Int(32));
  EXPECT_EQ(lanes_of(node(make_.int32(4))), 4);
  EXPECT_EQ(lanes_of(node(vscale)), -1);
  EXPECT_EQ(lanes_of(node(make_.binary(Kind::Mul, make_.int32(4), vscale))), -4);
  EXPECT_EQ(lanes_of(node(make_.binary(Kind::Mul, vscale, make_.int32(8)))), -8);
  EXPECT_FALSE(lanes_of(node(make_.int32(0))));
  EXPECT_FALSE(lanes_of(node(make_.int32(32768))));
  EXPECT_FALSE(lanes_of(node(var("n"))));
}

TEST_F(ExprFactoryTest, ZeroOffsetHasTheDtypeOfTheFirstDimension) {
  const NodeId wide = buffer(DType::Int(8), {make_.int_imm(DType::Int(64), 3)});
  EXPECT_EQ(node(wide)[f::Buffer::elem_offset].dtype(), DType::Int(64));
  EXPECT_EQ(node(buffer(DType::Int(8), {}))[f::Buffer::elem_offset].dtype(), DType::Int(32));
}

TEST_F(ExprFactoryTest, FoldsTheExtentOfALoopFromItsEnd) {
  const NodeId n = var("n");
  const auto sum = [&](NodeId a, NodeId b) { return make_.binary(Kind::Add, a, b); };
  EXPECT_EQ(make_.extent(make_.int32(0), n), n);
  EXPECT_EQ(node(make_.extent(make_.int32(2), make_.int32(7))).integer(f::IntImm::value), 5);
  const NodeId five = make_.int32(5);
  EXPECT_EQ(make_.extent(sum(n, make_.int32(1)), sum(sum(n, make_.int32(1)), five)), five);
  EXPECT_EQ(node(make_.extent(n, n)).integer(f::IntImm::value), 0);
  EXPECT_TRUE(losses_.finish().empty());
}

TEST_F(ExprFactoryTest, AnExtentThatHasToBeADifferenceIsALoss) {
  const NodeId extent = make_.extent(var("a"), var("b"), "main");
  EXPECT_EQ(node(extent).kind(), Kind::Sub);
  const auto losses = losses_.finish();
  ASSERT_EQ(losses.size(), 1u);
  EXPECT_EQ(losses[0].code, LossCode::loop_extent);
  EXPECT_EQ(losses[0].where, "main");
}

TEST_F(ExprFactoryTest, InfersTheDtypeOfACallAndSaysSo) {
  const std::array x{var("x", DType::Float(16))};
  EXPECT_EQ(make_.dtype_of(make_.call_inferred("tir.exp", x, "main")), DType::Float(16));
  EXPECT_EQ(make_.dtype_of(make_.call_inferred("tir.isnan", x, "main")), DType::Bool());
  const auto losses = losses_.finish();
  ASSERT_EQ(losses.size(), 2u);
  EXPECT_EQ(losses[0].code, LossCode::call_dtype);
}

TEST_F(ExprFactoryTest, OperatorsAndGlobalVariablesOfOneNameAreOneNode) {
  EXPECT_EQ(make_.op("tir.exp"), make_.op("tir.exp"));
  EXPECT_NE(make_.op("tir.exp"), make_.op("tir.log"));
  EXPECT_EQ(make_.global_var("main"), make_.global_var("main"));
  EXPECT_EQ(make_.prim_type(DType::Bool()), make_.prim_type(DType::Bool()));
}

TEST_F(ExprFactoryTest, AVariableHasTheDtypeOfItsType) {
  const NodeId pointer = make_.pointer_type(make_.prim_type(DType::Int(8)), "shared");
  EXPECT_EQ(make_.dtype_of(make_.var("p", pointer)), DType::Handle());
  EXPECT_EQ(make_.dtype_of(var("i", DType::UInt(16))), DType::UInt(16));
}

TEST_F(ExprFactoryTest, ExpressionsAreTheSameWhereTheyReadTheSame) {
  const NodeId n = var("n");
  const auto spelled = [&](NodeId x) { return make_.binary(Kind::Mul, x, make_.int32(3)); };
  EXPECT_TRUE(make_.same_expr(spelled(n), spelled(n)));
  EXPECT_FALSE(make_.same_expr(spelled(n), spelled(var("n"))));
  EXPECT_FALSE(make_.same_expr(spelled(n), make_.binary(Kind::Mul, n, make_.int32(4))));
}

TEST(AllocationAlignment, IsHalvedUntilTheAllocationHasAsMany) {
  const auto of = [](DType dtype, std::vector<std::int64_t> extents) {
    return allocation_alignment(128, dtype, extents);
  };
  EXPECT_EQ(of(DType::Float(32), {32}), 128);
  EXPECT_EQ(of(DType::Float(32), {31}), 64);
  EXPECT_EQ(of(DType::Float(32), {}), 4);
  EXPECT_EQ(of(DType::Int(8).with_lanes(4), {2, 3}), 16);
  EXPECT_EQ(of(DType::Int(8), {0}), 128);
  EXPECT_EQ(of(DType::Bool(), {7}), 128);
  EXPECT_EQ(of(DType::Int(8), {1 << 20, 1 << 20}), 128);
}

TEST(DefaultAlignment, Is128UpToVersion9And64Later) {
  EXPECT_EQ(default_alignment(8), 128);
  EXPECT_EQ(default_alignment(9), 128);
  EXPECT_EQ(default_alignment(10), 64);
}

}  // namespace
}  // namespace mlf::tir::text
