// The manifest decides whether an archive is left alone, and what of it may be removed.
#include "process/manifest.h"

#include <gtest/gtest.h>

#include <string>

namespace mlf::process {
namespace {

const OutputNames kNames("src/");

const std::string kDigest(64, 'a');

Manifest sample() {
  return {.inputs = {.constants = tir::ConstantPlace::npy,
                     .members = {{"metadata.json", kDigest}, {"src/tir-1.txt", kDigest}},
                     .files = {{"x.tir", kDigest}}},
          .written = {{"src/tir-1.json", kDigest}, {"src/tir-1.constants/c0.npy", kDigest}},
          .tir = {{"src/tir-1.json", "src/tir-1.txt", "lowered", {"default"}, nullptr}}};
}

std::string text_of(const Manifest& manifest) {
  support::StringSink out;
  write_manifest(manifest, out);
  return out.take();
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

TEST(ManifestTest, WhatDecidesIsReadBackAsItWasWritten) {
  const auto read = read_manifest(text_of(sample()), kNames);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->inputs, sample().inputs);
  EXPECT_EQ(read->written, sample().written);
}

TEST(ManifestTest, AnotherFormatOrVersionIsNotOurs) {
  const std::string text = text_of(sample());
  EXPECT_FALSE(read_manifest(replaced(text, "mlf-manifest", "mlf-other"), kNames));
  EXPECT_FALSE(read_manifest(replaced(text, "\"version\": 2", "\"version\": 1"), kNames));
  EXPECT_FALSE(read_manifest(replaced(text, "\"npy\"", "\"elsewhere\""), kNames));
  EXPECT_FALSE(read_manifest(replaced(text, "\"written\"", "\"wrote\""), kNames));
}

TEST(ManifestTest, WhatIsNotJsonIsNotOurs) {
  EXPECT_FALSE(read_manifest("", kNames));
  EXPECT_FALSE(read_manifest("[]", kNames));
  EXPECT_FALSE(read_manifest("\xff", kNames));
  EXPECT_FALSE(read_manifest(std::string(1'000'000, '['), kNames));
}

TEST(ManifestTest, AManifestThatListsForeignMembersIsRejected) {
  const std::string text = text_of(sample());
  for (const char* name : {"metadata.json", "src/tir-1.txt", "src/tir-1.tvm.json",
                           "codegen/host/src/lib1.c", "src/mlf.json"}) {
    const std::string claim = "\"name\": \"" + std::string(name) + "\"";
    EXPECT_FALSE(read_manifest(replaced(text, R"("name": "src/tir-1.json")", claim), kNames))
        << name;
  }
}

TEST(OutputNamesTest, NamesThatMlfMakes) {
  EXPECT_TRUE(kNames.contain("src/tir-1.json"));
  EXPECT_TRUE(kNames.contain("src/tir-1-c.tir.StorageRewrite.json"));
  EXPECT_TRUE(kNames.contain("src/tir-1.constants/c12.npy"));
  EXPECT_EQ(kNames.tir_json("tir-1"), "src/tir-1.json");
  EXPECT_EQ(kNames.member(constants_directory("tir-1") + "/c0.npy"), "src/tir-1.constants/c0.npy");
}

TEST(OutputNamesTest, ABuildHasThemAtTheTop) {
  const OutputNames names("");
  EXPECT_EQ(names.tir_json("tir-4"), "tir-4.json");
  EXPECT_EQ(names.manifest(), "mlf.json");
  EXPECT_EQ(names.graph("default", "directory"), "default.graph.json");
  EXPECT_TRUE(names.contain("tir-4.json"));
  EXPECT_TRUE(names.contain("default.topology.json"));
  EXPECT_FALSE(names.contain("tir-4.tvm.json"));
  EXPECT_FALSE(names.contain("src/tir-4.json"));
}

TEST(OutputNamesTest, NamesOfOthers) {
  for (const char* name : {"src/tir-1.tvm.json", "src/tir-1.txt", "tir-1.json", "src/graph.json",
                           "src/tir-1.constants/a/b.npy", "src/tir-1.other/c.npy", "src/mlf.json",
                           "src/tir-1.constants/x.txt", "src/tir-1/x.json"}) {
    EXPECT_FALSE(kNames.contain(name)) << name;
  }
}

}  // namespace
}  // namespace mlf::process
