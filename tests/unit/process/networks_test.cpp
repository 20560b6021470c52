// The network of a module, as processing writes it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "unit/graph/networks.h"
#include "unit/process/process_fixture.h"

namespace mlf {
namespace {

using Json = nlohmann::json;
using Names = std::vector<std::string>;

/// A main whose calls read and write these arguments, and its kernel.
/// Nothing wrote the output before it is read.
std::string unsound() {
  return test::network_of("output_buffer.data, x_buffer.data");
}

class ProcessedNetworkTest : public test::ProcessTest {
 protected:
  static Json json_of(const std::string& path, std::string_view member) {
    return Json::parse(content(path, member));
  }
  static ProcessOptions requiring(Requirement requirement) {
    ProcessOptions options;
    options.require = {requirement};
    return options;
  }
};

TEST_F(ProcessedNetworkTest, TopologyAndGraphFollowTheTir) {
  const std::string path = make({{"src/tir-1.txt", test::sound_network()}});
  const ProcessReport report = process(path);
  EXPECT_EQ(members(path),
            (Names{".", "metadata.json", "src/tir-1.txt", "src/tir-1.json",
                   "src/default.topology.json", "src/default.graph.json", "src/mlf.json"}));
  EXPECT_EQ(json_of(path, "src/default.topology.json").at("format"), "mlf-topology");
  EXPECT_EQ(json_of(path, "src/default.graph.json").at("nodes").size(), 2U);
  ASSERT_EQ(report.networks.size(), 1U);
  EXPECT_EQ(report.networks[0].calls, 1U);
  EXPECT_EQ(report.networks[0].failed_checks, 0U);
}

TEST_F(ProcessedNetworkTest, TheManifestSaysWhereItCameFrom) {
  const std::string path = make({{"src/tir-1.txt", test::sound_network()}});
  process(path);
  const Json expected = {{{"module", "default"},
                          {"topology", "src/default.topology.json"},
                          {"graph", "src/default.graph.json"},
                          {"source", "tir-1"}}};
  EXPECT_EQ(json_of(path, "src/mlf.json").at("networks"), expected);
}

TEST_F(ProcessedNetworkTest, AFailedCheckLeavesTheGraphOut) {
  const std::string path = make({{"src/tir-1.txt", unsound()}});
  const ProcessReport report = process(path);
  EXPECT_EQ(members(path), (Names{".", "metadata.json", "src/tir-1.txt", "src/tir-1.json",
                                  "src/default.topology.json", "src/mlf.json"}));
  EXPECT_FALSE(json_of(path, "src/default.topology.json").at("checks").empty());
  EXPECT_EQ(json_of(path, "src/mlf.json").at("networks").at(0).at("graph"), nullptr);
  EXPECT_GT(report.networks.at(0).failed_checks, 0U);
}

TEST_F(ProcessedNetworkTest, AGraphThatIsNoLongerValidIsRemoved) {
  const std::string path = make({{"src/tir-1.txt", test::sound_network()}});
  process(path);
  const std::string other =
      make({{"src/tir-1.txt", unsound()},
            {"src/default.graph.json", content(path, "src/default.graph.json")},
            {"src/mlf.json", content(path, "src/mlf.json")}},
           "other.tar");
  EXPECT_EQ(process(other).removed, Names{"src/default.graph.json"});
}

TEST_F(ProcessedNetworkTest, ARequiredGraphIsThereOrNothingChanges) {
  const std::string good = make({{"src/tir-1.txt", test::sound_network()}}, "good.tar");
  EXPECT_TRUE(process(good, requiring(Requirement::graph)).changed());
  EXPECT_FALSE(process(good, requiring(Requirement::graph)).changed());

  const std::string bad = make({{"src/tir-1.txt", unsound()}}, "bad.tar");
  const Diagnostic failure = refused(bad, requiring(Requirement::graph));
  EXPECT_EQ(failure.kind, ErrorKind::check_failed);
  EXPECT_TRUE(failure.message.starts_with("module 'default' has no graph: ")) << failure.message;
  EXPECT_EQ(members(bad).size(), 3U);
}

TEST_F(ProcessedNetworkTest, ARequiredGraphIsMissedInAnArchiveThatIsUpToDateToo) {
  const std::string path = make({{"src/tir-1.txt", unsound()}});
  process(path);
  EXPECT_EQ(refused(path, requiring(Requirement::graph)).kind, ErrorKind::check_failed);
}

TEST_F(ProcessedNetworkTest, WithoutMainTheReasonIsGiven) {
  const std::string path = make({{"src/tir-1.txt", test::legacy_text(1)}});
  EXPECT_EQ(process(path).networks.at(0).reason, NoNetwork::no_main);
  EXPECT_EQ(refused(path, requiring(Requirement::graph)).message,
            "module 'default' has no graph: the archive's TIR does not hold its AOT main function");
}

TEST_F(ProcessedNetworkTest, ANameThatIsNoFilesNameIsRefused) {
  for (const std::string name : {"a/b", "a\\u0001b", "", "a\\u009bb", "a\\u0085b", "a\\u202eb"}) {
    const std::string metadata =
        R"({"version": 7, "modules": {")" + name + R"(": {"model_name": ")" + name +
        R"(", "style": "full-model", "export_datetime": "2024-01-01 00:00:00Z",
        "executors": ["aot"], "target": ["c"],
        "memory": {"functions": {"main": [], "operator_functions": []}}}}})";
    const std::string path = make_with(metadata, {{"src/tir-1.txt", test::sound_network()}});
    EXPECT_EQ(refused(path).kind, ErrorKind::invalid_input) << name;
  }
}

TEST_F(ProcessedNetworkTest, AModuleWhoseFilesAreThoseOfAStageIsRefused) {
  const std::string metadata =
      R"({"version": 7, "modules": {"tir-1": {"model_name": "tir-1", "style": "full-model",
      "export_datetime": "2024-01-01 00:00:00Z", "executors": ["aot"], "target": ["c"],
      "memory": {"functions": {"main": [], "operator_functions": []}}}}})";
  const std::string path = make_with(metadata, {{"src/tir-1.topology.txt", test::sound_network()}});
  EXPECT_EQ(refused(path).where.member, "src/tir-1.topology.json");
}

}  // namespace
}  // namespace mlf
