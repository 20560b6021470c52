// Which members are TIR, and which one is read where the same TIR is there twice.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "deployment/tir_name.h"
#include "mlf/deployment.h"
#include "tir/c/c.h"
#include "unit/archive/archive_fixture.h"
#include "unit/archive/tar_builder.h"

namespace mlf {
namespace {

constexpr std::string_view kMetadata =
    R"({"version": 7, "modules": {"default": {"model_name": "default", "style": "full-model",
    "export_datetime": "2024-01-01 00:00:00Z", "executors": ["aot"], "target": ["c"],
    "memory": {"functions": {"main": [], "operator_functions": []}}}}})";

class TirSourcesTest : public test::ArchiveTest {
 protected:
  archive::Archive open(std::initializer_list<std::string_view> members) {
    test::TarBuilder tar;
    tar.file("./metadata.json", kMetadata);
    for (const std::string_view name : members) tar.file(name, name);
    return test::open_good(write("a.tar", tar.finish()));
  }

  static std::vector<std::string> found(archive::Archive archive,
                                        const std::vector<TirFile>& beside = {}) {
    std::vector<std::string> lines;
    const auto deployment = Deployment::open(std::move(archive), {.tir_files = beside});
    for (const TirSource& source : deployment->tir_sources()) {
      lines.push_back(source.stem + " " + source.stage + " " + source.name);
    }
    return lines;
  }
};

using Lines = std::vector<std::string>;

TEST_F(TirSourcesTest, TextsInSrcAreFoundInTheOrderOfTheirStems) {
  EXPECT_EQ(
      found(open({"./src/tir-2.txt", "./src/tir-1.unplanned.txt", "./src/tir-1.txt", "./tir-3.txt",
                  "./src/default.relay", "./src/tir-1.json"})),
      (Lines{"tir-1 lowered src/tir-1.txt", "tir-1.unplanned unplanned src/tir-1.unplanned.txt",
             "tir-2 lowered src/tir-2.txt"}));
}

TEST_F(TirSourcesTest, TheLosslessTwinIsReadInsteadOfItsText) {
  EXPECT_EQ(found(open({"./src/tir-1.tvm.json", "./src/tir-1.txt", "./src/tir-2.txt",
                        "./src/tir-2.tvm.json", "./src/tir-3.tvm.json"})),
            (Lines{"tir-1 lowered src/tir-1.tvm.json", "tir-2 lowered src/tir-2.tvm.json",
                   "tir-3 lowered src/tir-3.tvm.json"}));
}

TEST_F(TirSourcesTest, TheGraphExecutorsGraphSaysWhatTheKernelsOfGeneratedCTake) {
  test::TarBuilder tar;
  tar.file("./metadata.json",
           R"({"version": 7, "modules": {"default": {"model_name": "default",
           "style": "full-model", "export_datetime": "2024-01-01 00:00:00Z",
           "executors": ["graph"], "target": ["c"],
           "memory": {"functions": {"main": [], "operator_functions": []}}}}})");
  tar.file("./executor-config/graph/default.graph",
           R"({"nodes": [{"op": "null", "name": "x", "inputs": []},
           {"op": "tvm_op", "name": "k", "attrs": {"num_outputs": "1", "num_inputs": "1",
           "flatten_data": "0", "func_name": "tvmgen_default_k"}, "inputs": [[0, 0, 0]]}],
           "arg_nodes": [0], "heads": [[1, 0, 0]],
           "attrs": {"dltype": ["list_str", ["int8", "int16"]],
           "shape": ["list_shape", [[2, 3], [6]]], "storage_id": ["list_int", [0, 1]]},
           "node_row_ptr": [0, 1, 2]})");
  tar.file("./codegen/host/src/default_lib0.c",
           "// tvm target: c -keys=cpu \n#define TVM_EXPORTS\n"
           "#include \"tvm/runtime/c_runtime_api.h\"\n#include \"tvm/runtime/c_backend_api.h\"\n"
           "TVM_DLL int32_t tvmgen_default_k(int8_t* p0, int16_t* T_k) {\n  return 0;\n}\n");
  const auto deployment = Deployment::open(write("a.tar", tar.finish()));
  const std::vector<TirSource>& sources = deployment->tir_sources();
  ASSERT_EQ(sources.size(), 1u);
  const std::vector<tir::CSignature>& signatures = sources.front().c->signatures;
  ASSERT_EQ(signatures.size(), 1u);
  EXPECT_EQ(signatures[0].function, "tvmgen_default_k");
  ASSERT_EQ(signatures[0].params.size(), 2u);
  EXPECT_EQ(signatures[0].params[0].dtype, tir::DType::Int(8));
  EXPECT_EQ(signatures[0].params[0].shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(signatures[0].params[1].dtype, tir::DType::Int(16));
}

TEST_F(TirSourcesTest, TheBytesAreThoseOfTheMember) {
  const auto deployment = Deployment::open(open({"./src/tir-1.txt"}));
  const TirSource& source = deployment->tir_sources().front();
  EXPECT_EQ(source.text, "./src/tir-1.txt");
  EXPECT_EQ(source.member, deployment->archive().find("src/tir-1.txt"));
}

TEST_F(TirSourcesTest, AFileBesideTheArchiveGetsTheNextFreeStem) {
  const std::vector<TirFile> files = {{"/tmp/a.tir", "a"}, {"b.tir", "b"}, {"c.tir", "c"}};
  EXPECT_EQ(found(open({"./src/tir-1.txt"}), files),
            (Lines{"tir-1 lowered src/tir-1.txt", "tir-1-c lowered a.tir",
                   "tir-1-c-1 lowered b.tir", "tir-1-c-2 lowered c.tir"}));
  EXPECT_EQ(found(open({}), {files.front()}), Lines{"tir-1 lowered a.tir"});
}

TEST_F(TirSourcesTest, AFileNamedLikeAMemberTakesItsPlace) {
  EXPECT_EQ(found(open({"./src/tir-1.txt"}), {{"x/tir-1.tvm.json", ""}, {"x/tir-9.txt", ""}}),
            (Lines{"tir-1 lowered tir-1.tvm.json", "tir-9 lowered tir-9.txt"}));
}

TEST_F(TirSourcesTest, AFileThatTheArchiveHasAlreadyIsRefused) {
  const std::vector<TirFile> files = {{"x/tir-1.txt", ""}};
  const auto deployment = Deployment::open(open({"./src/tir-1.txt"}), {.tir_files = files});
  ASSERT_FALSE(deployment);
  EXPECT_EQ(deployment.error().kind, ErrorKind::usage);
  EXPECT_EQ(to_string(deployment.error()),
            "x/tir-1.txt: the archive has a member src/tir-1.txt already");
}

TEST_F(TirSourcesTest, AFileWhoseNameNoMemberCouldHaveIsRefused) {
  const std::string about = ": the name of a file with TIR is UTF-8 without control characters";
  for (const auto& [name, shown] :
       {std::pair{"tir-1.\x1b.txt", "x/tir-1.\\x1b.txt"}, std::pair{"a\nb", "x/a\\x0ab"},
        std::pair{"a\xff", "x/a\\xff"}, std::pair{"a\xe2\x80\xae", "x/a\\u{202e}"}}) {
    const std::vector<TirFile> files = {{std::string("x/") + name, ""}};
    const auto deployment = Deployment::open(open({}), {.tir_files = files});
    ASSERT_FALSE(deployment);
    EXPECT_EQ(deployment.error().kind, ErrorKind::usage);
    EXPECT_EQ(to_string(deployment.error()), shown + about);
  }
}

TEST_F(TirSourcesTest, TwoFilesOfOneNameAreRefused) {
  const std::vector<TirFile> files = {{"x/tir-1.txt", ""}, {"y/tir-1.txt", ""}};
  const auto deployment = Deployment::open(open({}), {.tir_files = files});
  ASSERT_FALSE(deployment);
  EXPECT_EQ(deployment.error().kind, ErrorKind::usage);
}

TEST_F(TirSourcesTest, AStageMustNotHaveTheNameOfTheTwin) {
  const auto deployment = Deployment::open(open({"./src/tir-1.tvm.txt"}));
  ASSERT_FALSE(deployment);
  EXPECT_EQ(deployment.error().kind, ErrorKind::invalid_input);
  EXPECT_EQ(deployment.error().where.member, "src/tir-1.tvm.txt");
}

TEST_F(TirSourcesTest, AnArchiveWithoutMetadataIsNotAModelLibrary) {
  test::TarBuilder tar;
  const auto deployment = Deployment::open(write("b.tar", tar.file("./x", "y").finish()));
  ASSERT_FALSE(deployment);
  EXPECT_EQ(deployment.error().message,
            "no metadata.json: this is not a Model Library Format archive");
}

}  // namespace
}  // namespace mlf

// --- Names of TIR members -----------------------------------------------------------------------

namespace mlf::deployment {
namespace {

TEST(StemsTest, FreeStemsAreNumberedInOrder) {
  Stems stems;
  stems.add("tir-1");
  stems.add("tir-1-c-2");
  EXPECT_EQ(stems.add_free(nullptr), "tir-1-c");
  EXPECT_EQ(stems.add_free(nullptr), "tir-1-c-1");
  EXPECT_EQ(stems.add_free(nullptr), "tir-1-c-3");
}

TEST(StemsTest, StemsAboveOthersLeaveThemUnchanged) {
  Stems below;
  EXPECT_EQ(below.add_free(nullptr), "tir-1");
  for (int k = 0; k < 2; ++k) {
    Stems above(&below);
    EXPECT_EQ(above.add_free(nullptr), "tir-1-c");
    EXPECT_EQ(above.add_free(nullptr), "tir-1-c-1");
  }
  EXPECT_EQ(below.add_free(nullptr), "tir-1-c");
}

TEST(TirNameTest, TextAndTwinOfOneModuleHaveOneStem) {
  const auto text = parse_tir_name("tir-1-cmsis-nn.txt");
  const auto twin = parse_tir_name("tir-1-cmsis-nn.tvm.json");
  ASSERT_TRUE(text && twin);
  EXPECT_EQ(text->stem, "tir-1-cmsis-nn");
  EXPECT_EQ(text->form, TirForm::text);
  EXPECT_EQ(twin->stem, text->stem);
  EXPECT_EQ(twin->form, TirForm::twin);
}

TEST(TirNameTest, WhatFollowsTheFirstDotIsTheStage) {
  EXPECT_EQ(stage_of_stem("tir-1"), "lowered");
  EXPECT_EQ(stage_of_stem("tir-1.unplanned"), "unplanned");
  EXPECT_EQ(stage_of_stem("tir-1.tir.StorageRewrite"), "tir.StorageRewrite");
}

TEST(TirNameTest, OtherMembersAreNotTir) {
  for (const char* name : {"tir-1.json", "tir-.txt", "tir-1", "relay.txt", "tir-1/a.txt",
                           "tir-1.constants/c0.npy", "mytir-1.txt", ".txt"}) {
    EXPECT_FALSE(parse_tir_name(name)) << name;
  }
}

TEST(TirNameTest, AStemNamesDeviceTypeAndKind) {
  const auto plain = target_of_stem("tir-1.unplanned");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->device_type, 1);
  EXPECT_EQ(plain->kind, "");
  const auto kind = target_of_stem("tir-13-ethos-u-2");
  ASSERT_TRUE(kind);
  EXPECT_EQ(kind->device_type, 13);
  EXPECT_TRUE(names_kind(kind->kind, "ethos-u"));
}

TEST(TirNameTest, StemsOfOtherFormsNameNoTarget) {
  for (const char* stem : {"tir-main", "tir-0", "tir--1", "tir-1x", "tir-99999999999"}) {
    EXPECT_FALSE(target_of_stem(stem)) << stem;
  }
}

TEST(TirNameTest, AKindMayBeFollowedByANumberOnly) {
  EXPECT_TRUE(names_kind("c", "c"));
  EXPECT_TRUE(names_kind("c-2", "c"));
  EXPECT_FALSE(names_kind("cmsis-nn", "c"));
  EXPECT_FALSE(names_kind("ethos-u", "ethos"));
}

TEST_F(TirSourcesTest, NoMoreOfAStreamIsReadThanATirMayHave) {
  const auto text = load_tir_or_archive("/dev/zero", 1000, std::uint64_t{1} << 40);
  ASSERT_FALSE(text.has_value());
  EXPECT_EQ(text.error().message, "has more than 1000 bytes");
  EXPECT_FALSE(load_tir_file("/dev/zero", 1000).has_value());
}

TEST_F(TirSourcesTest, AnArchiveMayHaveMoreBytesThanATir) {
  test::TarBuilder tar;
  tar.file("./metadata.json", kMetadata);
  const std::string bytes = tar.finish();
  const std::string path = write("a.tar", bytes);
  const auto archive = load_tir_or_archive(path, 1000, bytes.size());
  ASSERT_TRUE(archive.has_value());
  EXPECT_EQ(archive->text, bytes);
  EXPECT_FALSE(load_tir_or_archive(path, 1000, bytes.size() - 1).has_value());
}

}  // namespace
}  // namespace mlf::deployment
