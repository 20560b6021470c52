// What processing adds to an archive.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "unit/process/process_fixture.h"

namespace mlf {
namespace {

using test::legacy_text;
using Json = nlohmann::json;
using Names = std::vector<std::string>;

class OutputsTest : public test::ProcessTest {
 protected:
  static Json json_of(const std::string& path, std::string_view member) {
    return Json::parse(content(path, member));
  }
};

TEST_F(OutputsTest, EveryTirGetsItsJsonAndTheManifestComesLast) {
  const std::string path =
      make({{"src/tir-1.txt", legacy_text(1)}, {"src/tir-2.txt", legacy_text(2)}});
  const ProcessReport report = process(path);
  EXPECT_EQ(members(path), (Names{".", "metadata.json", "src/tir-1.txt", "src/tir-2.txt",
                                  "src/tir-1.json", "src/tir-2.json", "src/mlf.json"}));
  ASSERT_EQ(report.written.size(), 3U);
  EXPECT_EQ(report.written.front().name, "src/tir-1.json");
  EXPECT_EQ(report.written.front().size, content(path, "src/tir-1.json").size());
  EXPECT_EQ(json_of(path, "src/tir-1.json").at("format"), "mlf-tir");
  EXPECT_EQ(json_of(path, "src/tir-1.json").at("source").at("member"), "src/tir-1.txt");
}

TEST_F(OutputsTest, TheManifestSaysWhatBelongsToWhat) {
  const std::string path = make({{"src/tir-1.unplanned.txt", legacy_text(1)}});
  process(path);
  const Json manifest = json_of(path, "src/mlf.json");
  EXPECT_EQ(manifest.at("consumed").at("members").at(1).at("name"), "src/tir-1.unplanned.txt");
  EXPECT_EQ(manifest.at("written").at(0).at("name"), "src/tir-1.unplanned.json");
  const Json entry = manifest.at("tir").at(0);
  EXPECT_EQ(entry.at("stage"), "unplanned");
  EXPECT_EQ(entry.at("modules"), Json({"default"}));
  EXPECT_EQ(entry.at("target").at("text"), "c -keys=cpu ");
}

TEST_F(OutputsTest, NewMembersHaveTimeAndModeOfTheirSource) {
  const std::string path = make({{"src/tir-1.txt", legacy_text(1)}});
  process(path);
  const archive::Archive archive = test::open_good(path);
  const archive::Member* source = archive.find("src/tir-1.txt");
  const archive::Member* made = archive.find("src/tir-1.json");
  EXPECT_EQ(made->mtime, source->mtime);
  EXPECT_EQ(made->mode, source->mode);
  EXPECT_EQ(made->raw_name, "./src/tir-1.json");
}

/// Also before anything is written, and where nothing is to be written.
TEST_F(OutputsTest, WhatTheNextRunWouldRefuseIsNotWritten) {
  const std::string path = make({{"src/tir-1.txt", legacy_text(1)}});
  const std::string before = test::read_file(path);
  ProcessOptions options;
  options.archive_limits.max_member_bytes = 700;
  EXPECT_EQ(to_string(refused(path, options)),
            path + ":src/tir-1.json: the member is larger than 700 bytes (--limit member-bytes=N)");
  options.archive_limits = {.max_members = 4};
  options.effect = Effect::dry_run;
  EXPECT_EQ(to_string(refused(path, options)),
            path + ": the archive has more than 4 members (--limit members=N)");
  EXPECT_EQ(test::read_file(path), before);
}

TEST_F(OutputsTest, AFileBesideTheArchiveIsTakenAndListed) {
  const std::string path = make({});
  ProcessOptions options;
  options.tir_files = {write("kernels.tir", legacy_text(3))};
  process(path, options);
  EXPECT_EQ(json_of(path, "src/tir-1.json").at("source").at("member"), "kernels.tir");
  EXPECT_EQ(json_of(path, "src/mlf.json").at("consumed").at("files").at(0).at("name"),
            "kernels.tir");
}

TEST_F(OutputsTest, TirThatIsAddedIsAMemberLikeAnyOther) {
  const std::string with_tir = make({{"src/tir-1.txt", legacy_text(1)}}, "with.tar");
  process(with_tir);
  const std::string path = make({});
  ProcessOptions options;
  options.added_tir_files = {write("tir-1.txt", legacy_text(1))};
  const ProcessReport report = process(path, options);
  EXPECT_EQ(members(path), members(with_tir));
  for (const char* name : {"src/tir-1.txt", "src/tir-1.json", "src/mlf.json"}) {
    EXPECT_EQ(content(path, name), content(with_tir, name)) << name;
  }
  const archive::Archive archive = test::open_good(path);
  EXPECT_EQ(archive.find("src/tir-1.txt")->mtime, archive.find("metadata.json")->mtime);
  EXPECT_EQ(archive.find("src/tir-1.txt")->raw_name, "./src/tir-1.txt");
  ASSERT_EQ(report.written.size(), 3U);
  EXPECT_EQ(report.written.front().name, "src/tir-1.txt");
  EXPECT_EQ(report.written.front().size, legacy_text(1).size());
  EXPECT_EQ(process(path, options).changed(), false);
  EXPECT_EQ(process(path).changed(), false);
}

/// The twin of a text is what is read: the text goes in, and no output changes.
TEST_F(OutputsTest, TirIsAddedAlsoWhereAllOutputsAreUpToDate) {
  const std::string twin =
      test::read_file(std::string(MLF_TEST_DATA) + "/tir/tvm-0.9-constants.tvm.json");
  const std::string path = make({{"src/tir-1.tvm.json", twin}});
  process(path);
  ProcessOptions options;
  options.added_tir_files = {write("tir-1.txt", legacy_text(1))};
  const ProcessReport report = process(path, options);
  ASSERT_EQ(report.written.size(), 1U);
  EXPECT_EQ(report.written.front().name, "src/tir-1.txt");
  EXPECT_EQ(content(path, "src/tir-1.txt"), legacy_text(1));
}

TEST_F(OutputsTest, AMemberWithTheNameOfAddedTirStaysAndIsReported) {
  const std::string path = make({{"src/tir-1.txt", legacy_text(1)}});
  ProcessOptions options;
  options.added_tir_files = {write("tir-1.txt", legacy_text(2)),
                             write("tir-2.txt", legacy_text(2))};
  const ProcessReport report = process(path, options);
  EXPECT_EQ(report.kept, Names{"src/tir-1.txt"});
  EXPECT_EQ(content(path, "src/tir-1.txt"), legacy_text(1));
  EXPECT_EQ(content(path, "src/tir-2.txt"), legacy_text(2));
}

TEST_F(OutputsTest, TirIsAddedUnderANameOfTirOrRefused) {
  const std::string path = make({});
  const std::string before = test::read_file(path);
  ProcessOptions options;
  const std::string other = write("kernels.tir", legacy_text(1));
  options.added_tir_files = {other};
  EXPECT_EQ(to_string(refused(path, options)),
            other +
                ": TIR is added under the name of its file, which has to be like tir-1.txt or "
                "tir-1.tvm.json");
  const std::string tir = write("tir-1.txt", "no TIR");
  options.added_tir_files = {tir, tir};
  EXPECT_EQ(to_string(refused(path, options)), tir + ": two files have this name");
  options.added_tir_files = {tir};
  EXPECT_TRUE(
      to_string(refused(path, options)).starts_with(path + ":src/tir-1.txt:1:1: expected TIR: "));
  options.added_tir_files = {write("tir-1.txt", legacy_text(1))};
  options.archive_limits.max_member_bytes = 20;
  EXPECT_FALSE(process_archive(path, options).has_value());
  EXPECT_EQ(test::read_file(path), before);
}

TEST_F(OutputsTest, ConstantsAreFilesBesideTheJsonOnRequest) {
  const std::string path =
      make({{"src/tir-1.tvm.json",
             test::read_file(std::string(MLF_TEST_DATA) + "/tir/tvm-0.9-constants.tvm.json")}});
  ProcessOptions options;
  options.constants = tir::ConstantPlace::npy;
  process(path, options);
  const Json constant = json_of(path, "src/tir-1.json").at("constants").at(0);
  const std::string file = constant.at("file");
  EXPECT_EQ(content(path, "src/" + file).substr(1, 5), "NUMPY");
  EXPECT_EQ(process(path, options).changed(), false);

  process(path);
  EXPECT_EQ(members(path),
            (Names{".", "metadata.json", "src/tir-1.tvm.json", "src/tir-1.json",
                   "src/default.topology.json", "src/default.graph.json", "src/mlf.json"}));
}

TEST_F(OutputsTest, AnUnpackedArchiveIsProcessedLikeATar) {
  const std::string tar = make({{"src/tir-1.txt", legacy_text(1)}});
  const std::string directory = path("unpacked");
  std::filesystem::create_directories(directory + "/src");
  std::filesystem::copy(write("m", content(tar, "metadata.json")), directory + "/metadata.json");
  std::filesystem::copy(write("t", legacy_text(1)), directory + "/src/tir-1.txt");
  ProcessOptions options;
  options.added_tir_files = {write("tir-2.txt", legacy_text(2))};
  process(tar, options);
  process(directory, options);
  for (const char* name : {"src/tir-1.json", "src/tir-2.txt", "src/tir-2.json", "src/mlf.json"}) {
    EXPECT_EQ(test::read_file(directory + "/" + name), content(tar, name)) << name;
  }
}

}  // namespace
}  // namespace mlf
