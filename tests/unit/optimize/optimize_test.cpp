// Archives with less flash and less RAM: what changes, what stays and why.
#include "mlf/optimize.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "mlf/process.h"
#include "mlf/verify.h"
#include "support/corpus_folder.h"
#include "unit/archive/archive_fixture.h"
#include "unit/optimize/bundled.h"

namespace mlf::test {
namespace {

class Optimized : public ArchiveTest {
 protected:
  OptimizeReport write(const std::string& from, const Optimizations& what = {},
                       const std::string& to = "out.tar") const {
    auto report = write_optimized(open_deployment(from), {.output = path(to), .what = what});
    EXPECT_TRUE(report) << to_string(report.error());
    return report ? std::move(report).value() : OptimizeReport();
  }

  /// The archive without captured TIR, and one member changed.
  std::string stock(std::string_view name, const std::function<void(std::string&)>& change) const {
    const archive::Archive archive = open_good(data(name));
    std::string text(archive.read(*archive.find(kKernels)).value());
    change(text);
    archive::Changes changes{.remove = {}, .add = {}, .edit = {{std::string(kKernels), text}}};
    for (const archive::Member& one : archive.members()) {
      if (one.name.starts_with("src/tir-")) changes.remove.push_back(one.name);
    }
    archive::write_to_path(archive, changes, path("changed.tar"));
    return path("changed.tar");
  }

  static void replace(std::string& text, std::string_view from, const std::string& to) {
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
  }

  /// Why the int16 weights keep their type after the change.
  std::string why_kept(std::string_view name, const std::function<void(std::string&)>& change) {
    const OptimizeReport report = write(stock(name, change), {.ram = false});
    for (const OptimizedConstant& one : report.modules.at(0).constants) {
      if (one.before != tir::DType::Int(16)) continue;
      return one.before == one.after ? one.kept : "it is " + to_string(one.after);
    }
    return "there are no such weights: " + report.modules[0].constants_kept;
  }
};

TEST_F(Optimized, NarrowsEveryArchiveOfTheCorpusToOneThatHoldsTogether) {
  std::vector<std::string> archives{data(kWithArrays), data(kUsmp)};
  for (const auto& version : std::filesystem::directory_iterator(test::corpus_folder())) {
    if (!version.is_directory()) continue;
    for (const auto& build : std::filesystem::directory_iterator(version)) {
      const std::string name = build.path().filename().string();
      const bool is_quantized = name.starts_with("aww") || name.starts_with("qnn_conv");
      if (is_quantized) archives.push_back((build.path() / "module.tar").string());
    }
  }
  for (const std::string& archive : archives) {
    SCOPED_TRACE(archive);
    const OptimizedModule module = write(archive).modules.at(0);
    EXPECT_LT(module.constants_after * 100, module.constants_before * 52);
    for (const Finding& finding : verify_archive(path("out.tar")).value().findings) {
      EXPECT_NE(finding.severity, graph::Severity::error) << finding.detail;
    }
    EXPECT_TRUE(write(path("out.tar"), {}, "again.tar").changed.empty());
    EXPECT_TRUE(read_file(path("out.tar")) == read_file(path("again.tar")));
  }
}

TEST_F(Optimized, NarrowsWeightsOfTheBundledArchive) {
  EXPECT_EQ(why_kept(kWithArrays, [](std::string&) {}), "it is int8");
}

/// The C with a statement before the first loop of the convolution, which has the weights.
std::function<void(std::string&)> with_statement(const std::string& statement) {
  return [statement](std::string& text) {
    const std::size_t load = text.find("fused_constant_42)[");
    const std::size_t loop = text.rfind("\n  for (", load);
    text.insert(loop + 1, "  " + statement + "\n");
  };
}

TEST_F(Optimized, KeepsTheTypeOfAConstantWhoseAddressEscapes) {
  EXPECT_EQ(why_kept(kWithArrays, with_statement("(void)use(fused_constant_42);")),
            "is passed to 'use'");
  EXPECT_EQ(
      why_kept(kWithArrays, with_statement("(void)use((&(((int16_t*)fused_constant_42)[3])));")),
      "is an argument of address_of");
}

TEST_F(Optimized, KeepsTheTypeOfAConstantThatIsLoadedThroughAnother) {
  EXPECT_EQ(
      why_kept(kWithArrays, with_statement("int32_t word = ((int32_t*)fused_constant_42)[0];")),
      "is accessed as int32");
  EXPECT_EQ(why_kept(kWithArrays, with_statement("int32_t word = *(int32_t*)fused_constant_42;")),
            "'tvmgen_default_fused_nn_conv2d_add_fixed_point_multiply_add_clip_cast_clip' has a "
            "statement that mlf cannot read");
}

TEST_F(Optimized, KeepsTheTypeOfAConstantThatCodeOutsideOfKernelsNames) {
  EXPECT_EQ(why_kept(kWithArrays,
                     [](std::string& text) {
                       text += "static int peek(void) { return fused_constant_42[3]; }\n";
                     }),
            "the C names it in a place that mlf cannot read");
}

TEST_F(Optimized, MakesTheOutputsOfProcessAgain) {
  const std::string processed = path("processed.tar");
  ASSERT_TRUE(process_archive(data(kUsmp), {.output = processed}));
  write(processed);
  EXPECT_FALSE(process_archive(path("out.tar")).value().changed());
}

TEST_F(Optimized, DoesOnlyWhatIsAskedFor) {
  const OptimizeReport flash = write(data(kUsmp), {.ram = false});
  EXPECT_FALSE(flash.ram_plan);
  EXPECT_GT(flash.modules.at(0).saved_by_narrowing, 0U);
  const OptimizeReport ram = write(data(kUsmp), {.narrow = false, .share = false});
  EXPECT_EQ(ram.ram_plan, RamPlan::offsets);
  EXPECT_TRUE(ram.modules.at(0).constants.empty());
}

TEST_F(Optimized, WithoutAnOutputWritesNothing) {
  const auto report = write_optimized(open_deployment(data(kUsmp)), {});
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->changed.empty());
}

}  // namespace
}  // namespace mlf::test
