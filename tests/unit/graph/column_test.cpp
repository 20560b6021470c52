// What is laid out, and the column of calls that is drawn where that would take too long.
#include "graph/formats/picture.h"

#include <gtest/gtest.h>

#include "unit/all_rows.h"
#include "unit/graph/networks.h"

namespace mlf::graph {
namespace {

/// `count` calls; each reads what all calls before it wrote, or only the one before.
Topology calls_in_a_row(std::size_t count, bool reads_all) {
  Topology topology;
  topology.module = "default";
  topology.kernels.push_back({.symbol = "tvmgen_default_<a>&b"});
  topology.storages.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    Call call{.kernel = KernelId{0}, .position = i};
    for (std::uint32_t k = reads_all || i == 0 ? 0 : i - 1; k < i; ++k) {
      topology.values[k].consumers.push_back({.step = i, .argument = k});
      call.arguments.push_back({.reads = ValueId{k}});
    }
    topology.calls.push_back(std::move(call));
    topology.values.push_back(
        {.name = "sid_" + std::to_string(i), .producer = Endpoint{.step = i}});
  }
  return topology;
}

std::string column_of(const Topology& topology) {
  std::string text;
  write_column_svg(topology, [&](std::string_view part) { text += part; });
  return text;
}

TEST(Column, EffortCountsNodesAndTheRanksThatEdgesCross) {
  EXPECT_EQ(layout_effort(calls_in_a_row(1000, false)), 1000U + 999);
  // Edges from call i to call k cross k - i ranks.
  EXPECT_EQ(layout_effort(calls_in_a_row(4, true)), 4U + 3 * 1 + 2 * 2 + 1 * 3);
  EXPECT_LE(layout_effort(calls_in_a_row(1000, false)), kMostLayoutEffort);
  EXPECT_LE(layout_effort(calls_in_a_row(20, true)), kMostLayoutEffort);
  EXPECT_GT(layout_effort(calls_in_a_row(28, true)), kMostLayoutEffort);
}

TEST(Column, EffortOfAFoldedNetworkIsThatOfItsBoxes) {
  const Topology topology = calls_in_a_row(1000, false);
  const FoldedNetwork folded = fold_repeats(topology, std::vector<std::uint64_t>{1});
  // The first call, which reads nothing, the block of the others, and an edge.
  EXPECT_EQ(layout_effort(topology, folded), 2U + 1);
}

TEST(Column, InputsAreNearTheirFirstReader) {
  Topology topology = calls_in_a_row(3, false);
  topology.storages.emplace_back();
  topology.values.push_back({.name = "x", .kind = ValueKind::input, .storage = StorageId{3}});
  topology.inputs.push_back({.name = "x", .value = ValueId{3}});
  const std::uint64_t before = layout_effort(topology);
  topology.values[3].consumers = {{.step = 2}};
  EXPECT_EQ(layout_effort(topology), before + 1);
  topology.values[3].consumers = {{.step = 0}, {.step = 2}};
  EXPECT_EQ(layout_effort(topology), before + 1 + 3);
}

TEST(Column, SizeIsLinearInTheCalls) {
  const std::size_t once = column_of(calls_in_a_row(100, true)).size();
  const std::size_t twice = column_of(calls_in_a_row(200, true)).size();
  EXPECT_LT(twice, once * 21 / 10);
}

TEST(Column, SaysWhatEachCallReadsAndThatItIsNoLayout) {
  const std::string svg = column_of(calls_in_a_row(10, true));
  EXPECT_NE(svg.find("default: 10 calls in the order of main. Too many edges"), svg.npos);
  EXPECT_NE(svg.find(">reads nothing<"), svg.npos);
  EXPECT_NE(svg.find(">reads call 0, call 1, call 2<"), svg.npos);
  EXPECT_NE(svg.find(">reads call 0, call 1, call 2, call 3, call 4, call 5 and 3 more<"),
            svg.npos);
}

TEST(Column, NothingInANameIsMarkup) {
  Topology topology = calls_in_a_row(2, false);
  topology.kernels[0].symbol += "\x1b\xff\uFFFE";
  topology.checks.push_back(
      {.code = all_checks()[0].check, .detail = "<script>", .call = CallId{1}});
  const std::string svg = column_of(topology);
  EXPECT_NE(svg.find("&lt;a&gt;&amp;b\uFFFD\uFFFD\uFFFD<"), svg.npos) << svg;
  EXPECT_EQ(svg.find("<a>"), svg.npos);
  EXPECT_EQ(svg.find("<script>"), svg.npos);
}

}  // namespace
}  // namespace mlf::graph
