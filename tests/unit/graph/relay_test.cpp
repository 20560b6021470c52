// The second opinion: Relay's main from before memory planning, which captures keep.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "graph/formats/graph_json.h"
#include "unit/graph/networks.h"

namespace mlf::graph {
namespace {

using nlohmann::json;

const json& node(const json& document, const json& reference) {
  return document["nodes"][std::stoul(reference.is_string() ? reference.get<std::string>()
                                                            : reference.dump())];
}

/// The capture with the first two tensors of every call of `callee` exchanged.
std::string with_swapped_arguments(const std::string& text, const std::string& callee) {
  json document = json::parse(text);
  std::size_t swapped = 0;
  for (json& list : document["nodes"]) {
    if (list.value("type_key", "") != "Array" || !list.contains("data")) continue;
    json& parts = list["data"];
    if (parts.size() < 3) continue;
    const json& first = node(document, parts[0]);
    if (first.value("type_key", "") != "tir.StringImm") continue;
    if (node(document, first["attrs"]["value"]).value("repr_str", "") != callee) continue;
    std::swap(parts[1], parts[2]);
    ++swapped;
  }
  if (swapped == 0) throw std::logic_error("no call of " + callee);
  return document.dump();
}

TEST(SecondOpinion, AgreesWithTheReconstruction) {
  const Topology topology = network(bundled_text("tvm-0.16-subtract.tvm.json"));
  EXPECT_EQ(topology.calls.size(), 4u);
  EXPECT_EQ(checks_of(topology), std::vector<std::string>{});
}

TEST(SecondOpinion, SeesSwappedOperandsThatMainAloneCannotShow) {
  const Topology topology = network(with_swapped_arguments(
      bundled_text("tvm-0.16-subtract.tvm.json"), "tvmgen_default_fused_nn_log_softmax_subtract"));
  const auto checks = checks_of(topology);
  ASSERT_FALSE(checks.empty());
  for (const std::string& check : checks) EXPECT_EQ(check, "second-opinion");
  EXPECT_FALSE(topology.is_sound());
}

TEST(SecondOpinion, ReshapesThatTvmRemovedAreNoDisagreement) {
  const Topology topology = network(bundled_text("tvm-0.16-reshapes.tvm.json"));
  EXPECT_EQ(checks_of(topology), std::vector<std::string>{});
  EXPECT_EQ(topology.calls.size(), 3u);
  const std::string text = bundled_text("tvm-0.16-reshapes-graph.json");
  const auto graph = read_graph_json({.file = "", .member = "graph", .text = text});
  ASSERT_TRUE(graph);
  EXPECT_EQ(differences_of_builds(topology, *graph), std::vector<std::string>{});
  EXPECT_NE(topology.values[1].type.shape,
            topology.type_at(topology.values[1].consumers[0], ValueId{1}).shape);
}

}  // namespace
}  // namespace mlf::graph
