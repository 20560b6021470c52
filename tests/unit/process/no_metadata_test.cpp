// Processing an archive without metadata.json, such as a directory with codegen/ alone.
#include <gtest/gtest.h>

#include <algorithm>

#include "mlf/verify.h"
#include "unit/archive/tar_builder.h"
#include "unit/process/process_fixture.h"

namespace mlf {
namespace {

constexpr std::string_view kCodeAlone =
    "// tvm target: c -keys=cpu\n#define TVM_EXPORTS\n"
    "#include \"tvm/runtime/c_runtime_api.h\"\n#include <math.h>\n"
    "TVM_DLL int32_t tvmgen_net_fused_a(int8_t* p0, int8_t* T_a) {\n"
    "  for (int32_t i = 0; i < 8; ++i) {\n    T_a[i] = p0[i];\n  }\n  return 0;\n}\n"
    "TVM_DLL int32_t tvmgen_net___tvm_main__(int8_t* x_buffer_var, int8_t* output_buffer_var) {\n"
    "  if (tvmgen_net_fused_a(x_buffer_var, output_buffer_var) != 0 ) return -1;\n"
    "  return 0;\n}\n";

class WithoutMetadata : public test::ProcessTest {
 protected:
  std::string archive_of(std::string_view member, std::string_view text = kCodeAlone) const {
    test::TarBuilder tar;
    return write("module.tar", tar.file(member, text).finish());
  }
};

TEST_F(WithoutMetadata, NothingIsWrittenUnlessTheModuleIsNamed) {
  const std::string path = archive_of("./codegen/host/src/net_lib1.c");
  const std::string before = test::read_file(path);
  EXPECT_EQ(refused(path).message,
            "no metadata.json, so nothing is written: the files are those of module 'net'; "
            "--module net says that this is right");
  EXPECT_EQ(refused(path, {.module = "other"}).kind, ErrorKind::invalid_input);
  EXPECT_EQ(test::read_file(path), before);
}

TEST_F(WithoutMetadata, TheNamedModuleIsProcessedAndStaysUpToDate) {
  const std::string path = archive_of("./codegen/host/src/net_lib1.c");
  const ProcessReport report = process(path, {.module = "net"});
  ASSERT_EQ(report.written.size(), 4u);
  EXPECT_EQ(report.written.front().name, "src/tir-1.json");
  EXPECT_EQ(report.written.back().name, "src/mlf.json");
  EXPECT_FALSE(process(path, {.module = "net"}).changed());
  const auto verified = verify_archive(path);
  ASSERT_TRUE(verified) << to_string(verified.error());
  EXPECT_TRUE(verified->passed());
  const auto metadata =
      std::ranges::find(verified->checks, VerifyCheck::metadata, &VerifyResult::check);
  ASSERT_NE(metadata, verified->checks.end());
  EXPECT_EQ(metadata->not_checked, "the archive has no metadata.json");
}

TEST_F(WithoutMetadata, FilesThatNameNoModuleAreNotProcessed) {
  std::string code(kCodeAlone.substr(0, kCodeAlone.find("TVM_DLL int32_t tvmgen_net___")));
  code.replace(code.find("net_fused_"), 10, "");
  const std::string path = archive_of("./codegen/host/src/lib0.c", code);
  EXPECT_EQ(refused(path, {.module = "net"}).message,
            "no metadata.json, so nothing is written: the files name no module");
}

}  // namespace
}  // namespace mlf
