// Long networks are drawn in columns.
#include "graph/formats/ranks.h"

#include <gtest/gtest.h>

#include "mlf/graph/write.h"

namespace mlf::graph {
namespace {

/// `count` calls; call i reads what calls i-1 … i-`reads` made.
Topology calls_that_read(std::size_t count, std::uint32_t reads) {
  Topology topology;
  topology.kernels.push_back({.symbol = "add"});
  topology.storages.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    Call call{.kernel = KernelId{0}, .position = i};
    for (std::uint32_t k = i > reads ? i - reads : 0; k < i; ++k) {
      topology.values[k].consumers.push_back({.step = i});
      call.arguments.push_back({.reads = ValueId{k}});
    }
    topology.calls.push_back(std::move(call));
    topology.values.push_back({.storage = StorageId{i}, .producer = Endpoint{.step = i}});
  }
  return topology;
}

PictureColumns columns_of(const Topology& topology) {
  return picture_columns(topology, whole_network(topology));
}

std::vector<std::uint32_t> columns_of_calls(const Topology& topology) {
  const PictureColumns columns = columns_of(topology);
  std::vector<std::uint32_t> list;
  for (std::uint32_t i = 0; i < topology.calls.size(); ++i) {
    list.push_back(columns.columns[{EndpointKind::call, i}]);
  }
  return list;
}

std::size_t occurrences(std::string_view text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += what.size()) ++count;
  return count;
}

TEST(PictureColumns, ANetworkThatFitsAPageIsOneColumn) {
  EXPECT_EQ(columns_of(calls_that_read(20, 1)).count, 1U);
  EXPECT_EQ(columns_of(Topology()).count, 1U);
}

TEST(PictureColumns, ALongChainIsCutIntoEqualParts) {
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < 36; ++i) expected.push_back(i / 12);
  EXPECT_EQ(columns_of_calls(calls_that_read(36, 1)), expected);
}

TEST(PictureColumns, NoColumnBeginsWhereTwoTensorsLeadOn) {
  Topology topology = calls_that_read(36, 1);
  // A skip connection over the place of the first cut.
  topology.values[10].consumers.push_back({.step = 13});
  topology.calls[13].arguments.push_back({.reads = ValueId{10}});
  const std::vector<std::uint32_t> columns = columns_of_calls(topology);
  EXPECT_EQ(columns[12], 0U);
  EXPECT_EQ(columns[13], 0U);
  EXPECT_EQ(columns[14], 1U);
  EXPECT_EQ(columns_of(calls_that_read(36, 2)).count, 1U);
}

TEST(PictureColumns, ABlockIsOneRank) {
  const Topology topology = calls_that_read(36, 1);
  const FoldedNetwork folded = fold_repeats(topology, std::vector<std::uint64_t>{7});
  // The first call reads nothing, and so is not like the others.
  ASSERT_EQ(folded.blocks.size(), 2U);
  EXPECT_EQ(picture_columns(topology, folded).count, 1U);
  EXPECT_EQ((ranks_of(topology, folded)[{EndpointKind::call, 1}]), 2U);
}

TEST(PictureColumns, WrittenAsDotOneEdgeLeadsToEachColumn) {
  const std::string dot = dot_of(calls_that_read(36, 1));
  EXPECT_EQ(occurrences(dot, "subgraph cluster_"), 3U);
  EXPECT_EQ(occurrences(dot, "constraint=false"), 2U);
  EXPECT_NE(dot.find("call11 -> call12 [label="), dot.npos);
  EXPECT_NE(dot.find("{ rank=same; call0 -> call12 -> call24 [style=invis]; }"), dot.npos);
  EXPECT_EQ(occurrences(dot, " -> call"), 35U + 2U);
  EXPECT_EQ(occurrences(dot_of(calls_that_read(20, 1)), "cluster"), 0U);
}

}  // namespace
}  // namespace mlf::graph
