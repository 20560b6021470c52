// When the archive changes, when it does not, and when it must not.
#include <gtest/gtest.h>

#include <filesystem>

#include "unit/process/process_fixture.h"

namespace mlf {
namespace {

using test::legacy_text;
using test::read_file;
using Names = std::vector<std::string>;

using InPlaceTest = test::ProcessTest;

TEST_F(InPlaceTest, ASecondRunLeavesTheFileAlone) {
  const std::string path = make({{"src/tir-1.txt", legacy_text(1)}});
  process(path);
  const std::string bytes = read_file(path);
  const auto time = std::filesystem::last_write_time(path);
  EXPECT_FALSE(process(path).changed());
  EXPECT_EQ(read_file(path), bytes);
  EXPECT_EQ(std::filesystem::last_write_time(path), time);
}

TEST_F(InPlaceTest, ADamagedOutputIsMadeAgain) {
  const std::string path = make({{"src/tir-1.txt", legacy_text(1)}});
  process(path);
  const std::string good = read_file(path);
  std::string damaged = good;
  damaged.replace(damaged.find("mlf-tir"), 7, "mlf-rit");
  write("module.tar", damaged);
  EXPECT_TRUE(process(path).changed());
  EXPECT_EQ(read_file(path), good);
}

TEST_F(InPlaceTest, TheResultDoesNotDependOnEarlierRuns) {
  const std::string path = make({{"src/tir-1.txt", legacy_text(1)}});
  process(path);
  const std::string direct = read_file(path);
  ProcessOptions options;
  options.constants = tir::ConstantPlace::none;
  EXPECT_TRUE(process(path, options).changed());
  EXPECT_TRUE(process(path).changed());
  EXPECT_EQ(read_file(path), direct);
}

TEST_F(InPlaceTest, OutputsWhoseSourceIsGoneAreRemoved) {
  const std::string with = make({{"src/tir-1.txt", legacy_text(1)}}, "with.tar");
  process(with);
  const std::string path = make({{"src/tir-2.txt", legacy_text(2)},
                                 {"src/tir-1.json", content(with, "src/tir-1.json")},
                                 {"src/mlf.json", content(with, "src/mlf.json")}});
  const ProcessReport report = process(path);
  EXPECT_EQ(report.removed, Names{"src/tir-1.json"});
  EXPECT_EQ(members(path),
            (Names{".", "metadata.json", "src/tir-2.txt", "src/tir-2.json", "src/mlf.json"}));
}

TEST_F(InPlaceTest, WithoutTirNothingIsAddedAndTheManifestIsRemoved) {
  const std::string with = make({{"src/tir-1.txt", legacy_text(1)}}, "with.tar");
  process(with);
  const std::string stock = read_file(make({}));
  EXPECT_FALSE(process(path("module.tar")).changed());
  EXPECT_EQ(read_file(path("module.tar")), stock);

  const std::string path = make({{"src/tir-1.json", content(with, "src/tir-1.json")},
                                 {"src/mlf.json", content(with, "src/mlf.json")}});
  EXPECT_EQ(process(path).removed, (Names{"src/mlf.json", "src/tir-1.json"}));
  EXPECT_EQ(read_file(path), stock);
}

TEST_F(InPlaceTest, AMemberThatMlfDidNotWriteIsNotReplacedUnlessForced) {
  const std::string path =
      make({{"src/tir-1.txt", legacy_text(1)}, {"src/tir-1.json", "{\"mine\": true}"}});
  const std::string before = read_file(path);
  const Diagnostic refusal = refused(path);
  EXPECT_EQ(refusal.kind, ErrorKind::invalid_input);
  EXPECT_EQ(refusal.where.member, "src/tir-1.json");
  EXPECT_EQ(read_file(path), before);

  ProcessOptions options;
  options.foreign = ForeignMembers::replace;
  process(path, options);
  const std::string clean = make({{"src/tir-1.txt", legacy_text(1)}}, "clean.tar");
  process(clean);
  EXPECT_EQ(read_file(path), read_file(clean));
}

TEST_F(InPlaceTest, AForeignManifestIsAnErrorToo) {
  const std::string path = make({{"src/tir-1.txt", legacy_text(1)}, {"src/mlf.json", "{}"}});
  EXPECT_EQ(refused(path).where.member, "src/mlf.json");
}

TEST_F(InPlaceTest, AMissingRequirementIsAFailedCheck) {
  const std::string path = make({});
  ProcessOptions options;
  options.require = {Requirement::tir};
  EXPECT_EQ(refused(path, options).kind, ErrorKind::check_failed);
  EXPECT_EQ(listing(), Names{"module.tar"});
}

TEST_F(InPlaceTest, ADryRunSaysWhatItWouldDoAndDoesNot) {
  const std::string path = make({{"src/tir-1.txt", legacy_text(1)}});
  const std::string before = read_file(path);
  ProcessOptions options;
  options.effect = Effect::dry_run;
  EXPECT_EQ(process(path, options).written.size(), 2U);
  EXPECT_EQ(read_file(path), before);
}

TEST_F(InPlaceTest, OneBadTirLeavesTheArchiveAsItWas) {
  const std::string path = make({{"src/tir-1.txt", legacy_text(1)}, {"src/tir-2.txt", "oops"}});
  const std::string before = read_file(path);
  const Diagnostic refusal = refused(path);
  EXPECT_EQ(refusal.where.member, "src/tir-2.txt");
  EXPECT_EQ(refusal.where.line, 1U);
  EXPECT_EQ(read_file(path), before);
  EXPECT_EQ(listing(), Names{"module.tar"});
}

TEST_F(InPlaceTest, AnotherOutputLeavesTheArchiveAlone) {
  const std::string source = make({{"src/tir-1.txt", legacy_text(1)}});
  const std::string before = read_file(source);
  ProcessOptions options;
  options.output = path("out.tar");
  process(source, options);
  EXPECT_EQ(read_file(source), before);
  process(source);
  EXPECT_EQ(read_file(path("out.tar")), read_file(source));
}

TEST_F(InPlaceTest, AnUpToDateArchiveIsCopiedToAnotherOutput) {
  const std::string source = make({{"src/tir-1.txt", legacy_text(1)}});
  process(source);
  ProcessOptions options;
  options.output = path("out.tar");
  EXPECT_FALSE(process(source, options).changed());
  EXPECT_EQ(read_file(path("out.tar")), read_file(source));
}

}  // namespace
}  // namespace mlf
