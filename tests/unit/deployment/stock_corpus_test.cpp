// Stock archives, as TVM exports them by itself: what the network in their C looks like.
#include <gtest/gtest.h>

#include <filesystem>

#include "deployment/network_search.h"
#include "graph/formats/graph_json.h"
#include "mlf/deployment.h"
#include "support/corpus_directory.h"
#include "unit/graph/networks.h"

namespace mlf {
namespace {

namespace fs = std::filesystem;

struct AotBuild {
  fs::path archive;
  fs::path graph;  // TVM's graph of the same model
};

std::vector<AotBuild> aot_builds() {
  std::vector<AotBuild> builds;
  for (const auto& entry : fs::recursive_directory_iterator(test::corpus_directory())) {
    if (entry.path().filename() != "module.tar") continue;
    const fs::path directory = entry.path().parent_path();
    const std::string name = directory.filename();
    const std::string model = name.substr(0, name.find("-aot"));
    const fs::path graph = directory.parent_path() / (model + "-graph") / "graph.json";
    if (model != name && fs::exists(graph)) builds.push_back({entry.path(), graph});
  }
  std::sort(builds.begin(), builds.end(),
            [](const AotBuild& a, const AotBuild& b) { return a.archive < b.archive; });
  return builds;
}

/// The network of the archive's only module, from its C alone.
graph::Topology network_from_c(const fs::path& path) {
  const auto deployment = Deployment::open(path);
  deployment::NetworkSearch search(*deployment);
  for (const auto& stage : deployment::by_stage(*deployment->generated_c(0))) {
    search.add_stage(stage);
  }
  return std::move(std::move(search).finish().found.at(0).topology);
}

graph::Topology graph_of(const fs::path& path) {
  const std::string text = graph::read_file(path);
  return *graph::read_graph_json({.file = path, .member = "", .text = text});
}

TEST(StockCorpus, TheCOfEveryArchiveShowsTheGraphOfTheGraphExecutor) {
  const auto builds = aot_builds();
  for (const AotBuild& build : builds) {
    const std::string name = build.archive.parent_path().string();
    const graph::Topology topology = network_from_c(build.archive);
    EXPECT_EQ(topology.provenance.dialect, tir::Dialect::c) << name;
    EXPECT_TRUE(topology.is_sound()) << name << ": " << topology.checks.front().detail;
    EXPECT_EQ(graph::differences_of_builds(topology, graph_of(build.graph)),
              std::vector<std::string>{})
        << name;
  }
}

}  // namespace
}  // namespace mlf
