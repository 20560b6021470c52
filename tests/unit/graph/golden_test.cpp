// Whole topologies and graphs, key by key, as readers in other languages get them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "graph/formats/graph_json.h"
#include "mlf/graph/write.h"
#include "unit/graph/networks.h"

namespace mlf::graph {
namespace {

const std::string kData = std::string(MLF_TEST_DATA) + "/graph/";

void expect_committed(const std::string& name, const std::string& text) {
  const std::string path = kData + "golden/" + name;
  if (std::getenv("MLF_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
  EXPECT_TRUE(read_file(path) == text)
      << name << " is out of date: run this test with MLF_UPDATE_GOLDEN=1";
}

class Golden : public testing::TestWithParam<const char*> {};

TEST_P(Golden, IsWhatMlfWrites) {
  const std::string name = GetParam();
  const std::string text = read_file(kData + name);
  const bool is_graph = name.ends_with("-graph.json");
  Topology topology;
  if (is_graph) {
    auto graph = read_graph_json({.file = "", .member = "src/" + name, .text = text});
    ASSERT_TRUE(graph);
    topology = *std::move(graph);
  } else {
    topology = network(text);
  }
  const std::string stem = name.substr(0, name.find_last_of('.'));
  std::string written;
  const auto sink = [&](std::string_view part) { written += part; };
  ASSERT_TRUE(write_topology_json(topology, JsonLayout::pretty, sink));
  expect_committed(stem + ".topology.json", written);
  if (!topology.is_sound()) return;
  written.clear();
  ASSERT_TRUE(write_graph_json(topology, JsonLayout::pretty, sink));
  expect_committed(stem + ".graph.json", written);
}

INSTANTIATE_TEST_SUITE_P(Networks, Golden,
                         testing::Values("every-form.txt", "tvm-0.16-usmp.txt",
                                         "tvm-0.9-packed.txt", "tvm-0.9-usmp.txt",
                                         "tvm-0.16-reshapes.tvm.json", "tvm-0.16-graph.json"));

}  // namespace
}  // namespace mlf::graph
