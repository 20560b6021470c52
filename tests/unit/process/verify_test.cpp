// What verifying an archive finds.
#include "mlf/verify.h"

#include <gtest/gtest.h>

#include "unit/graph/networks.h"
#include "unit/process/process_fixture.h"

namespace mlf {
namespace {

using Names = std::vector<std::string>;

class VerifyTest : public test::ProcessTest {
 protected:
  /// "error network-check": severity and code of every finding.
  static Names findings(const std::string& path) {
    const auto found = verify_archive(path);
    if (!found) throw std::runtime_error(to_string(found.error()));
    Names lines;
    for (const VerifyFinding& finding : found->findings) {
      lines.push_back(std::string(graph::to_string(finding.severity)) + " " +
                      std::string(to_string(finding.code)));
    }
    return lines;
  }

  /// The archive again, with one member changed.
  std::string with(const std::string& path, const std::string& member,
                   const std::string& text) const {
    Members all;
    for (const std::string& name : members(path)) {
      if (name == "." || name == "metadata.json") continue;
      all.emplace_back(name, name == member ? text : content(path, name));
    }
    return make(all, "changed.tar");
  }
};

TEST_F(VerifyTest, ASoundArchiveHasNoFindings) {
  const std::string path = make({{"src/tir-1.txt", test::sound_network()}});
  EXPECT_EQ(findings(path), Names{});
  process(path);
  EXPECT_EQ(findings(path), Names{});
}

/// "tir 1/1" or "stages: why not" of every check.
Names results(const std::string& path) {
  Names lines;
  const auto verification = verify_archive(path);
  for (const VerifyResult& result : verification->checks) {
    lines.push_back(std::string(to_string(result.check)) +
                    (result.not_checked.empty() ? " " + std::to_string(result.passed) + "/" +
                                                      std::to_string(result.counted())
                                                : ": " + result.not_checked));
  }
  return lines;
}

TEST_F(VerifyTest, WhatWasCheckedIsCountedAndWhatWasNotIsSaid) {
  const std::string path = make({{"src/tir-1.txt", test::sound_network()}});
  const std::string no_c = "generated-c: no function has both captured TIR and C";
  const std::string no_compiler = "compilation: mlf reads C and runs no compiler";
  const std::string one_stage = "stages: the archive shows one stage at most";
  const std::string no_workspace = "metadata: no workspace that it declares can be compared";
  const std::string no_declarations = "declarations: the archive has no generated C";
  EXPECT_EQ(results(path), (Names{"tir 1/1", "inputs: mlf has not processed the archive",
                                  "outputs: mlf has not processed the archive", "network 1/1",
                                  one_stage, no_c, no_workspace, no_declarations, no_compiler}));
  process(path);
  EXPECT_EQ(results(path), (Names{"tir 1/1", "inputs 2/2", "outputs 3/3", "network 1/1", one_stage,
                                  no_c, no_workspace, no_declarations, no_compiler}));
  EXPECT_EQ(results(with(path, "src/tir-1.json", "{}")).at(2), "outputs 2/3");
  EXPECT_EQ(results(with(path, "src/tir-1.txt", test::sound_network() + "\n")).at(1), "inputs 1/2");
}

TEST_F(VerifyTest, WithoutTirNothingIsChecked) {
  const auto verification = verify_archive(make({}));
  EXPECT_TRUE(verification->passed());
  for (const VerifyResult& result : verification->checks) {
    EXPECT_EQ(result.counted(), 0U) << to_string(result.check);
    EXPECT_FALSE(result.not_checked.empty()) << to_string(result.check);
  }
}

TEST_F(VerifyTest, ConstantsMayBeWhereTheLastRunPutThem) {
  const std::string path = make({{"src/tir-1.txt", test::sound_network()}});
  ProcessOptions options;
  options.constants = tir::ConstantPlace::none;
  process(path, options);
  EXPECT_EQ(findings(path), Names{});
}

TEST_F(VerifyTest, FailedChecksOfTheNetworkAreFindings) {
  const std::string path =
      make({{"src/tir-1.txt", test::network_of("output_buffer.data, x_buffer.data")}});
  const auto found = verify_archive(path)->findings;
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].code, FindingCode::network_check);
  EXPECT_EQ(found[0].module, "default");
}

TEST_F(VerifyTest, StagesThatShowAnotherNetworkAreFindings) {
  const std::string twice = graph::script(
      {graph::main_of({"x", "output"},
                      graph::sid("sid_1") +
                          graph::call("tvmgen_default_a", "x_buffer.data, sid_1") +
                          graph::call("tvmgen_default_a", "sid_1, output_buffer.data")),
       graph::unary("tvmgen_default_a")});
  const std::string same = make(
      {{"src/tir-1.txt", test::sound_network()}, {"src/tir-1.codegen.txt", test::sound_network()}});
  EXPECT_EQ(findings(same), Names{});
  const std::string other =
      make({{"src/tir-1.txt", test::sound_network()}, {"src/tir-1.codegen.txt", twice}});
  const Names found = findings(other);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0], "error stage-mismatch");
}

TEST_F(VerifyTest, OutputsThatWereChangedAreFindings) {
  const std::string path = make({{"src/tir-1.txt", test::sound_network()}});
  process(path);
  EXPECT_EQ(findings(with(path, "src/default.graph.json", "{}")), Names{"error damaged-output"});
  EXPECT_EQ(findings(with(path, "src/mlf.json", "{\"format\": \"mlf-manifest\",")),
            Names{"error damaged-output"});
}

TEST_F(VerifyTest, OutputsThatAreMissingAreFindings) {
  const std::string path = make({{"src/tir-1.txt", test::sound_network()}});
  process(path);
  const std::string without = make(
      {{"src/tir-1.txt", test::sound_network()}, {"src/mlf.json", content(path, "src/mlf.json")}},
      "b.tar");
  EXPECT_EQ(findings(without), (Names(3, "error damaged-output")));
}

TEST_F(VerifyTest, OutputsOfAnEarlierArchiveAreFindings) {
  const std::string path = make({{"src/tir-1.txt", test::sound_network()}});
  process(path);
  const std::string changed = with(path, "src/tir-1.txt", test::sound_network() + "\n");
  EXPECT_EQ(findings(changed), Names{"error stale-outputs"});
  const Verification verification = verify_archive(changed).value();
  EXPECT_TRUE(verification.findings.front().detail.ends_with(": 'src/tir-1.txt'"));
}

TEST_F(VerifyTest, AModuleWithoutNetworkIsWorthANote) {
  EXPECT_EQ(findings(make({})), Names{"note no-network"});
}

TEST_F(VerifyTest, NothingIsWritten) {
  const std::string path = make({{"src/tir-1.txt", test::sound_network()}});
  const std::string before = test::read_file(path);
  findings(path);
  EXPECT_EQ(test::read_file(path), before);
}

TEST_F(VerifyTest, TirThatDoesNotReadIsAnError) {
  const auto found = verify_archive(make({{"src/tir-1.txt", "oops\n"}}));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().where.member, "src/tir-1.txt");
}

}  // namespace
}  // namespace mlf
