// Long networks are drawn as one column.
#include "graph/formats/picture.h"

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

std::size_t occurrences(std::string_view text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += what.size()) ++count;
  return count;
}

TEST(Ranks, ABlockIsOneRank) {
  const Topology topology = calls_that_read(36, 1);
  const FoldedNetwork folded = fold_repeats(topology, std::vector<std::uint64_t>{7});
  // The first call reads nothing, and so is not like the others.
  ASSERT_EQ(folded.blocks.size(), 2U);
  EXPECT_EQ((ranks_of(topology, folded)[{EndpointKind::call, 1}]), 2U);
}

TEST(Ranks, ALongChainIsDrawnInTheOrderOfMain) {
  const Topology topology = calls_that_read(36, 1);
  Ranks ranks = ranks_of(topology, whole_network(topology));
  for (std::uint32_t i = 0; i < 36; ++i) EXPECT_EQ((ranks[{EndpointKind::call, i}]), i + 1);
  // Nothing but edges places the boxes of a picture.
  const std::string dot = dot_of(topology);
  EXPECT_EQ(occurrences(dot, "subgraph"), 0U);
  EXPECT_EQ(occurrences(dot, "constraint"), 0U);
  EXPECT_EQ(occurrences(dot, " -> call"), 35U);
}

}  // namespace
}  // namespace mlf::graph
