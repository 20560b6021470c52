#include "mlf/tir/visit.h"

#include <gtest/gtest.h>

#include <vector>

#include "mlf/tir/builder.h"

namespace mlf::tir {
namespace {

// 40 chained `x + x` are 2^40 nodes as a tree and 41 as a DAG.
TEST(Walk, VisitsSharedNodesOnce) {
  Builder b;
  NodeId node = b.make(Kind::IntImm, {DType::Int(32), 1});
  for (int i = 0; i < 40; ++i) node = b.make(Kind::Add, {DType::Int(32), node, node});
  const Module m = std::move(b).finish(node);
  int count = 0;
  for_each_pre_order(m.root(), [&](Node) { ++count; });
  EXPECT_EQ(count, 41);
}

TEST(Walk, NeedsNoStackForDepth) {
  Builder b;
  NodeId node = b.make(Kind::IntImm, {DType::Int(32), 1});
  for (int i = 0; i < 1'000'000; ++i) node = b.make(Kind::Not, {DType::Bool(), node});
  const Module m = std::move(b).finish(node);
  int count = 0;
  for_each_post_order(m.root(), [&](Node) { ++count; });
  EXPECT_EQ(count, 1'000'001);
}

TEST(Walk, MeetsPartsBeforeTheWholeInPostOrderAndInTheOrderOfTheRow) {
  Builder b;
  const NodeId left = b.make(Kind::IntImm, {DType::Int(32), 1});
  const NodeId right = b.make(Kind::IntImm, {DType::Int(32), 2});
  const NodeId sum = b.make(Kind::Add, {DType::Int(32), left, right});
  const Module m = std::move(b).finish(sum);
  std::vector<NodeId> order;
  for_each_post_order(m.root(), [&](Node node) { order.push_back(node.id()); });
  EXPECT_EQ(order, (std::vector{left, right, sum}));
  order.clear();
  for_each_pre_order(m.root(), [&](Node node) { order.push_back(node.id()); });
  EXPECT_EQ(order, (std::vector{sum, left, right}));
}

}  // namespace
}  // namespace mlf::tir
