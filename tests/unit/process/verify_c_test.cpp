// Captured TIR and generated C of one archive have to say the same, whatever form the TIR has.
#include <gtest/gtest.h>

#include <algorithm>

#include "mlf/verify.h"
#include "unit/process/process_fixture.h"

namespace mlf {
namespace {

/// One change to the C of an archive.
struct Seed {
  std::string_view from;
  std::string_view to;
};

class VerifyCTest : public test::ProcessTest {
 protected:
  /// An archive of tests/data with its members as they are, but for one change to its C; `capture`
  /// takes the place of its captured text.
  std::string changed(const std::string& tar, const Seed& seed, const Members& capture = {}) const {
    const std::string path = std::string(MLF_TEST_DATA) + "/" + tar;
    Members all = capture;
    bool is_changed = seed.from.empty();
    for (const std::string& name : members(path)) {
      if (!is_wanted(name) || (!capture.empty() && name.starts_with("src/tir-"))) continue;
      std::string text = content(path, name);
      const std::size_t at = name.ends_with(".c") && !is_changed ? text.find(seed.from) : text.npos;
      if (at != text.npos) text.replace(at, seed.from.size(), seed.to);
      is_changed |= at != text.npos;
      all.emplace_back(name, std::move(text));
    }
    EXPECT_TRUE(is_changed) << tar << " has no " << seed.from;
    return make_with(content(path, "metadata.json"), all);
  }

  /// Files, whose names have dots, of the directories that count.
  static bool is_wanted(const std::string& name) {
    const bool is_file = name.find('.', name.rfind('/') + 1) != std::string::npos;
    return is_file && (name.starts_with("codegen/") || name.starts_with("src/"));
  }

  static std::vector<std::string> mismatches(const std::string& path) {
    const auto found = verify_archive(path);
    if (!found) throw std::runtime_error(to_string(found.error()));
    std::vector<std::string> details;
    for (const VerifyFinding& finding : found->findings) {
      if (finding.code == FindingCode::c_mismatch) details.push_back(finding.detail);
    }
    return details;
  }
};

constexpr std::string_view kScript = "archives/tvm-0.18-add-aot-c.tar";
constexpr std::string_view kLegacy = "archives/tvm-0.9-qnn_conv-aot-c.tar";
constexpr std::string_view kPacked = "c/tvm-0.18-passthrough-aot-packed/module.tar";

TEST_F(VerifyCTest, AConstantThatBeginsOtherwiseThanInTheCapturedTextDoesNotAgree) {
  const auto found = verify_archive(changed("archives/tvm-0.18-qnn_conv-aot-c.tar",
                                            {.from = "-0x0024,", .to = "-0x0025,"}));
  ASSERT_TRUE(found);
  const auto agreeing =
      std::ranges::find(found->checks, VerifyCheck::generated_c, &VerifyResult::check);
  EXPECT_EQ(agreeing->passed, 4U);
  EXPECT_EQ(std::ranges::count(found->findings, graph::CheckCode::decided_by_c,
                               &VerifyFinding::check),
            1);
}

TEST_F(VerifyCTest, CThatSaysWhatTheCapturedTextSaysIsNoFinding) {
  for (const std::string_view tar : {kScript, kLegacy, kPacked}) {
    EXPECT_EQ(mismatches(changed(std::string(tar), {})), std::vector<std::string>()) << tar;
  }
}

TEST_F(VerifyCTest, AnOperatorThatIsAnotherOneInCIsAFinding) {
  const Seed seed{"(p0[ax1_inner] + p1[ax1_inner])", "(p0[ax1_inner] - p1[ax1_inner])"};
  const auto found = mismatches(changed(std::string(kScript), seed));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0],
            "the generated C, codegen/host/src/default_lib1.c:20, has Sub float32 where "
            "src/tir-1.txt has Add float32: "
            "functions[\"tvmgen_default_fused_add\"].body.body.value; the C counts, and if it is "
            "meant so, remove the capture");
}

TEST_F(VerifyCTest, FunctionsAreCounted) {
  const auto counts = [&](const Seed& seed) {
    const auto checks = verify_archive(changed(std::string(kScript), seed))->checks;
    const VerifyResult& c = checks.at(static_cast<std::size_t>(VerifyCheck::generated_c));
    return std::pair(c.passed, c.failed);
  };
  EXPECT_EQ(counts({}), std::pair(std::size_t{2}, std::size_t{0}));
  EXPECT_EQ(counts({"(p0[ax1_inner] + p1[ax1_inner])", "(p0[ax1_inner] - p1[ax1_inner])"}),
            std::pair(std::size_t{1}, std::size_t{1}));
}

TEST_F(VerifyCTest, AFunctionOfTheMathLibraryThatIsAnotherOneInCIsAFinding) {
  const Seed seed{"condval = expf(", "condval = tanhf("};
  const auto found = mismatches(changed("c/tvm-0.18-control_ops-aot-c/module.tar", seed));
  ASSERT_FALSE(found.empty());
  EXPECT_TRUE(found[0].starts_with(
      "the generated C, codegen/host/src/default_lib1.c:141, has \"tir.tanh\" where "))
      << found[0];
}

TEST_F(VerifyCTest, ALoopOrAnIndexThatIsAnotherOneInCIsAFinding) {
  for (const Seed& seed : {Seed{"ax2 < 8", "ax2 < 7"}, Seed{"(ax2 * 4)", "(ax2 * 5)"},
                           Seed{"rv0_rv1_fused * 8", "rv0_rv1_fused + 8"}}) {
    EXPECT_EQ(mismatches(changed(std::string(kLegacy), seed)).size(), 1u) << seed.to;
  }
}

TEST_F(VerifyCTest, AnotherKernelCalledByMainIsAFinding) {
  const Seed seed{"tvmgen_default_fused_add(x_buffer_var, y_buffer_var",
                  "tvmgen_default_fused_add(y_buffer_var, x_buffer_var"};
  EXPECT_FALSE(mismatches(changed(std::string(kScript), seed)).empty());
}

TEST_F(VerifyCTest, AConstantThatIsAnotherOneInCIsAFindingWhereTheCaptureHasIt) {
  const std::string directory = "c/tvm-0.9-cmsis-nn";
  const std::string data = std::string(MLF_TEST_DATA) + "/" + directory;
  const Members capture = {{"src/tir-1.tvm.json", test::read_file(data + "/save-1.json")}};
  const Seed seed{"+0x5c", "+0x5d"};
  EXPECT_TRUE(mismatches(changed(directory + "/module.tar", {}, capture)).empty());
  EXPECT_EQ(mismatches(changed(directory + "/module.tar", seed, capture)).size(), 1u);
  EXPECT_TRUE(mismatches(changed(directory + "/module.tar", seed)).empty()) << "texts have no data";
}

TEST_F(VerifyCTest, AFunctionOfCThatIsKeptAsTextContradictsNothing) {
  for (const Seed& seed :
       {Seed{"  return 0;\n}", "  goto end;\n}"},
        Seed{"  if (tvmgen_default_fused_add(", "  goto end;\n  if (tvmgen_default_fused_add("}}) {
    EXPECT_TRUE(mismatches(changed(std::string(kScript), seed)).empty()) << seed.to;
  }
}

}  // namespace
}  // namespace mlf
