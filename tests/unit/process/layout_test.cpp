// Processing archives as people publish them: below a directory, with "./" or without, codegen/host
// alone.
#include <gtest/gtest.h>

#include <filesystem>

#include "mlf/verify.h"
#include "unit/archive/tar_builder.h"
#include "unit/process/process_fixture.h"

namespace mlf {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

class PublishedArchive : public test::ProcessTest {
 protected:
  /// The members of an archive, each below `prefix`.
  std::string below(std::string_view prefix, const std::string& name) const {
    const archive::Archive plain = test::open_good(
        make({{"src/tir-1.txt", test::sound_network()}, {"codegen/host/README", "kept"}}));
    test::TarBuilder tar;
    tar.directory(prefix);
    for (const archive::Member& member : plain.members()) {
      if (member.type != archive::MemberType::file) continue;
      tar.file(std::string(prefix) + member.name, *plain.read(member));
    }
    return write(name, tar.finish());
  }

  /// Unpacks a tar into a directory.
  std::string unpacked(const std::string& tar, const std::string& name) const {
    const archive::Archive archive = test::open_good(tar);
    for (const archive::Member& member : archive.members()) {
      if (member.type != archive::MemberType::file) continue;
      fs::create_directories(fs::path(path(name)) / fs::path(member.name).parent_path());
      write(name + "/" + member.name, *archive.read(member));
    }
    return path(name);
  }
};

const Names kWritten{"src/tir-1.json", "src/default.topology.json", "src/default.graph.json",
                     "src/mlf.json"};

TEST_F(PublishedArchive, NewMembersAreBelowTheDirectoryOfTheOthers) {
  for (const std::string prefix : {"model/", "./model/", "./a/b/", "./"}) {
    const std::string tar = below(prefix, "below.tar");
    const std::string before = test::read_file(tar);
    const ProcessReport report = process(tar);
    Names written;
    for (const auto& one : report.written) written.push_back(one.name);
    EXPECT_EQ(written, kWritten);
    const archive::Archive archive = test::open_good(tar);
    Names raw;
    for (const archive::Member& member : archive.members()) raw.push_back(member.raw_name);
    ASSERT_EQ(raw.size(), 8u);
    for (std::size_t i = 0; i < kWritten.size(); ++i) EXPECT_EQ(raw[4 + i], prefix + kWritten[i]);
    // All that was there is there, byte for byte.
    const std::size_t kept = archive.members()[4].header_offset;
    EXPECT_EQ(test::read_file(tar).substr(0, kept), before.substr(0, kept));
    // The same documents as of the archive without the directory.
    const std::string plain =
        make({{"src/tir-1.txt", test::sound_network()}, {"codegen/host/README", "kept"}});
    process(plain);
    for (const std::string& name : kWritten) {
      const std::string stored = fs::path(prefix + name).lexically_normal();
      EXPECT_EQ(content(tar, stored), content(plain, name)) << stored;
    }
    EXPECT_FALSE(process(tar).changed());
    const auto verified = verify_archive(tar);
    ASSERT_TRUE(verified) << to_string(verified.error());
    EXPECT_TRUE(verified->passed());
  }
}

TEST_F(PublishedArchive, ADirectoryMayHoldOneDirectory) {
  const std::string directory = unpacked(below("model/", "below.tar"), "outer");
  process(directory);
  EXPECT_TRUE(fs::exists(directory + "/model/src/mlf.json"));
  EXPECT_TRUE(fs::exists(directory + "/model/src/default.graph.json"));
  EXPECT_FALSE(fs::exists(directory + "/src"));
  EXPECT_FALSE(process(directory).changed());
  fs::remove(directory + "/model/src/tir-1.json");
  EXPECT_TRUE(process(directory).changed());
  // What has no source any more goes.
  fs::remove(directory + "/model/src/tir-1.txt");
  EXPECT_EQ(process(directory).removed.size(), kWritten.size());
  EXPECT_FALSE(fs::exists(directory + "/model/src/tir-1.json"));
  const auto verified = verify_archive(directory);
  ASSERT_TRUE(verified) << to_string(verified.error());
}

TEST_F(PublishedArchive, NothingIsWrittenWhereThereIsNoPlaceForIt) {
  const std::string code =
      "// tvm target: c -keys=cpu\n#define TVM_EXPORTS\n"
      "#include \"tvm/runtime/c_runtime_api.h\"\n#include <math.h>\n"
      "TVM_DLL int32_t tvmgen_net___tvm_main__(int8_t* x_buffer_var, int8_t* output_buffer_var) {\n"
      "  return 0;\n}\n";
  for (const std::string name : {"host/src/net_lib1.c", "src/net_lib1.c", "net_lib1.c"}) {
    test::TarBuilder tar;
    const std::string path = write("part.tar", tar.file(name, code).finish());
    const std::string before = test::read_file(path);
    for (const ProcessOptions& options :
         {ProcessOptions{}, ProcessOptions{.module = "net"},
          ProcessOptions{.output = this->path("out.tar"), .module = "net"}}) {
      const Diagnostic error = refused(path, options);
      EXPECT_EQ(error.kind, ErrorKind::invalid_input);
      EXPECT_TRUE(error.message.starts_with("nothing is written: these are files of codegen/"))
          << error.message;
    }
    EXPECT_EQ(test::read_file(path), before);
    EXPECT_FALSE(fs::exists(this->path("out.tar")));
  }
}

TEST_F(PublishedArchive, TheErrorNamesTheDirectoryThatIsAnArchive) {
  test::TarBuilder tar;
  const std::string path =
      write("project.tar", tar.file("README", "").file("model/metadata.json", "{}").finish());
  EXPECT_EQ(
      refused(path).message,
      "no metadata.json: this is not a Model Library Format archive; its directory 'model' is "
      "one");
}

}  // namespace
}  // namespace mlf
