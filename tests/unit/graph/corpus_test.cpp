// The network of every AOT archive of the corpus, against TVM's own graph of the same model.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "graph/compare.h"
#include "graph/formats/graph_json.h"
#include "graph/network/completion.h"
#include "mlf/graph/write.h"
#include "support/corpus_directory.h"
#include "unit/graph/networks.h"

namespace mlf::graph {
namespace {

namespace fs = std::filesystem;

struct Build {
  std::string name;  // "tvm-0.18/mlp-aot-c"
  fs::path directory;
  fs::path graph;  // TVM's graph of the same model; empty where there is none
};

std::vector<Build> aot_builds() {
  std::vector<Build> builds;
  for (const auto& version : fs::directory_iterator(test::corpus_directory())) {
    if (!version.is_directory()) continue;
    for (const auto& directory : fs::directory_iterator(version)) {
      const std::string name = directory.path().filename();
      if (!fs::exists(directory.path() / "save-1.json") || name.starts_with("op-")) continue;
      const fs::path graph =
          version.path() / (name.substr(0, name.find("-aot")) + "-graph") / "graph.json";
      builds.push_back({version.path().filename().string() + "/" + name, directory.path(),
                        fs::exists(graph) ? graph : fs::path()});
    }
  }
  std::sort(builds.begin(), builds.end(),
            [](const Build& a, const Build& b) { return a.name < b.name; });
  return builds;
}

/// The lossless TIR of one build, of all its targets.
std::vector<std::string> captured(const Build& build) {
  std::vector<std::string> texts;
  for (const auto& file : fs::directory_iterator(build.directory)) {
    if (file.path().filename().string().starts_with("save-")) {
      texts.push_back(read_file(file.path()));
    }
  }
  return texts;
}

Topology graph_of(const fs::path& path) {
  const std::string text = read_file(path);
  auto graph = read_graph_json({.file = path, .member = "", .text = text});
  if (!graph) throw std::runtime_error(to_string(graph.error()));
  return *std::move(graph);
}

TEST(Corpus, EveryArchiveShowsTheGraphOfTheGraphExecutor) {
  std::size_t compared = 0;
  for (const Build& build : aot_builds()) {
    if (build.graph.empty()) continue;
    const auto topologies = topologies_of(captured(build));
    ASSERT_EQ(topologies.size(), 1u) << build.name;
    EXPECT_EQ(differences_of_builds(topologies[0], graph_of(build.graph)),
              std::vector<std::string>{})
        << build.name;
    ++compared;
  }
  EXPECT_GT(compared, test::of_corpus(80, 3));
}

std::set<std::string> hashes_of(const Topology& topology) {
  std::set<std::string> hashes;
  for (const Kernel& kernel : topology.kernels) hashes.insert(kernel.hash);
  hashes.erase("");
  return hashes;
}

/// Exchanges the kernels of one pair of calls after the other, where both sides know the hashes of
/// both. Gives the number of pairs that were exchanged.
std::size_t swap_twins(const Topology& topology, Topology graph, const std::string& what) {
  const std::set<std::string> known = hashes_of(topology);
  std::size_t swapped = 0;
  for (Call& first : graph.calls) {
    for (Call& second : graph.calls) {
      const std::string& hash = graph.kernel_of(first).hash;
      const std::string& other = graph.kernel_of(second).hash;
      if (&second <= &first || hash == other) continue;
      if (!known.contains(hash) || !known.contains(other)) continue;
      std::swap(first.kernel, second.kernel);
      EXPECT_NE(differences_of_builds(topology, graph), std::vector<std::string>{})
          << what << " " << first.name;
      std::swap(first.kernel, second.kernel);
      ++swapped;
    }
  }
  return swapped;
}

TEST(Corpus, SwappedKernelsOfDifferentHashesAreNoticed) {
  const auto builds = aot_builds();
  std::size_t swapped = 0;
  for (const Build& build : builds) {
    if (build.graph.empty()) continue;
    const auto topologies = topologies_of(captured(build));
    swapped += swap_twins(topologies.at(0), graph_of(build.graph), build.name);
  }
  EXPECT_GT(swapped, test::of_corpus(100, 20));
}

TEST(Corpus, EveryNetworkIsSoundAndWritesAGraph) {
  const auto builds = aot_builds();
  for (const Build& build : builds) {
    for (const Topology& topology : topologies_of(captured(build))) {
      // TVM itself drops one of six arguments of this kernel (so does its C).
      const bool is_damaged = build.name.ends_with("/cmsis-nn");
      EXPECT_EQ(topology.is_sound(), !is_damaged) << build.name;
      std::string text;
      ASSERT_TRUE(write_graph_json(topology, JsonLayout::compact, [&](std::string_view part) {
        text += part;
      })) << build.name;
      std::vector<std::string> constants;
      for (const Value& value : topology.values) {
        if (value.kind == ValueKind::constant) constants.push_back(value.name);
      }
      const auto back = read_graph_json({.file = build.name, .member = "", .text = text},
                                        {.parameters = constants});
      ASSERT_TRUE(back) << build.name << to_string(back.error());
      if (is_damaged) continue;
      EXPECT_EQ(differences_between(topology, *back), std::vector<std::string>{}) << build.name;
    }
  }
}

// The planner of v0.9 forgets the shapes of kernels' tensors; Relay's main still has them.
TEST(Corpus, ShapesThatTheOldPlannerForgetsComeFromRelay) {
  std::size_t asked = 0;
  for (const Build& build : aot_builds()) {
    const bool is_old = build.name.starts_with("tvm-0.9/") && build.name.ends_with("-usmp");
    if (!is_old || build.graph.empty()) continue;
    const Topology graph = graph_of(build.graph);
    std::set<std::vector<std::int64_t>> shapes;
    for (const Value& value : graph.values) shapes.insert(value.type.shape.value());
    for (const Call& call : graph.calls) {
      for (const Argument& argument : call.arguments) shapes.insert(argument.type.shape.value());
    }
    const std::vector<Topology> topologies = topologies_of(captured(build));
    for (const Value& value : topologies.at(0).values) {
      ASSERT_TRUE(value.type.shape) << build.name << " " << value.name;
      EXPECT_TRUE(shapes.contains(*value.type.shape)) << build.name << " " << value.name;
      ++asked;
    }
  }
  EXPECT_GT(asked, test::of_corpus(50, 5));
}

TEST(Corpus, RelaysMainAgreesWhereverItWasCaptured) {
  const auto builds = aot_builds();
  std::size_t asked = 0;
  for (const Build& build : builds) {
    for (const std::string& text : captured(build)) {
      const auto document = tir::read({.file = build.name, .member = "", .text = text});
      ASSERT_TRUE(document) << build.name;
      const auto relay = relay_main(document->module.root());
      const auto topologies = topologies_of({text});
      if (!relay || topologies.empty()) continue;
      EXPECT_EQ(differences_between(topologies[0], *relay), std::vector<std::string>{})
          << build.name;
      EXPECT_GT(relay->calls.size(), 0u) << build.name;
      ++asked;
    }
  }
  EXPECT_GE(asked, builds.size());
}

TEST(Corpus, TheLastTensorOfEveryPoolEndsWhereThePoolEnds) {
  const auto builds = aot_builds();
  for (const Build& build : builds) {
    for (const Topology& topology : topologies_of(captured(build))) {
      std::vector<std::uint64_t> used(topology.pools.size());
      const auto take = [&](std::optional<PoolId> pool, std::optional<std::uint64_t> offset,
                            std::uint64_t bytes) {
        if (!pool || !offset) return;
        used[index(*pool)] = std::max(used[index(*pool)], *offset + bytes);
      };
      for (const Storage& storage : topology.storages) {
        take(storage.pool, storage.offset, storage.bytes.value_or(0));
      }
      for (const Kernel& kernel : topology.kernels) {
        for (const KernelBuffer& buffer : kernel.workspaces) {
          take(buffer.pool, buffer.offset, buffer.bytes.value_or(0));
        }
        for (const KernelBuffer& buffer : kernel.constants) {
          take(buffer.pool, buffer.offset, buffer.bytes.value_or(0));
        }
      }
      for (std::size_t i = 0; i < used.size(); ++i) {
        const std::string what = build.name + " " + topology.pools[i].name;
        EXPECT_EQ(used[i], topology.pools[i].bytes) << what;
        const MemoryUse& use = topology.memory.at(i);
        EXPECT_EQ(use.used, used[i]) << what;
        EXPECT_EQ(use.exactness, Exactness::exact) << what;
        ASSERT_TRUE(use.peak) << what;
        EXPECT_LE(use.peak->bytes, used[i]) << what;
      }
    }
  }
}

}  // namespace
}  // namespace mlf::graph
