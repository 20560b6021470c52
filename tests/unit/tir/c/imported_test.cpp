// C that schedules import with `pragma_import_c`.
#include "mlf/tir/write.h"
#include "reading.h"
#include "support/error.h"
#include "unit/tir/json/documents.h"

namespace mlf::tir::c {
namespace {

constexpr std::string_view kExternC = "#ifdef __cplusplus\nextern \"C\"\n#endif\n";
constexpr std::string_view kWeights =
    "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
    "static const int8_t __attribute__((section(\".rodata.tvm\"), aligned(16))) w[2] = {\n"
    "    +0x01, -0x02\n};\n#ifdef __cplusplus\n}  // extern \"C\"\n#endif\n";
constexpr std::string_view kImporting =
    "TVM_DLL int32_t tvmgen_default_f(int8_t* p) {\n  p[0] = ((int8_t*)w)[1];\n  return 0;\n}\n";
constexpr std::string_view kSum =
    "#include <string.h>\n#define LOOP(n) \\\n  for (;;) {\n"
    "typedef struct { int a; } pair_t;\n"
    "static const uint8_t table[4] = {1, 2, 3, 4};\n"
    "#ifdef __cplusplus\nextern \"C\"\n#endif\n"
    "__attribute__((always_inline)) static inline int32_t sum(\n"
    "    const int8_t *aa,  // of a\n    int n) {\n"
    "  /* a brace } in a comment */ char c = '}'; goto out;\n  switch (n) { case 1: break; }\n"
    "out:\n  return table[0];\n}";
constexpr std::string_view kReset = "#undef LOOP\nint32_t reset(int32_t *cc) { return 0; }";

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return text;
}

/// As TVM 0.9 prints it: constants and imported C in the order of code generation.
std::string file_with_imports() {
  return kernel_file(joined(
      {"\n\n", kSum, "\n", kWeights, kReset, "\n\n#pragma GCC pop_options\n", kExternC, kImporting}));
}

TEST(ImportedC, IsKeptByFunctionWithWhatIsBeforeIt) {
  const Document document = read_files({file_with_imports()});
  EXPECT_EQ(body_of(document), "constant w int8[2] { p[0] = w[1] }");
  const std::vector<ImportedC>& pieces = document.imported_c;
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_EQ(pieces[0].name, "sum");
  EXPECT_EQ(pieces[0].signature,
            "__attribute__((always_inline)) static inline int32_t sum( const int8_t *aa, int n)");
  EXPECT_EQ(pieces[0].text, joined({kSum, "\n"}));
  EXPECT_EQ(pieces[1], (ImportedC{"reset", "int32_t reset(int32_t *cc)", joined({kReset, "\n"})}));
  EXPECT_EQ(pieces[2], (ImportedC{"", "", "#pragma GCC pop_options\n"}));
}

TEST(ImportedC, ThereIsNoneInWhatTvmPrintsOfTir) {
  const std::string file = kernel_file(
      joined({"static void* tvm_f_packed = NULL;\nvoid* __tvm_module_ctx = NULL;\n", kWeights,
              kExternC, "TVM_DLL int32_t tvmgen_default_f(int8_t* p);\n", kExternC, kImporting,
              "// CodegenC: NOTE: Auto-generated entry function\n", kExternC,
              "TVM_DLL int32_t __tvm_main__(void* args) {\n  return 0;\n}\n"}));
  EXPECT_TRUE(read_files({file}).imported_c.empty());
  EXPECT_TRUE(read_files({"/* a licence */\n" + file}).imported_c.empty());
}

TEST(ImportedC, AnArrayThatIsAPoolIsNotPartOfIt) {
  const std::string_view main =
      "TVM_DLL int32_t tvmgen_default___tvm_main__(uint8_t* ws_0_var) {\n  return 0;\n}\n";
  const Document document =
      read_files({kernel_file(joined({"static uint8_t ws[64];\nstatic int rows[3];\n", main}))});
  ASSERT_EQ(document.imported_c.size(), 1u);
  EXPECT_EQ(document.imported_c[0].text, "static int rows[3];\n");
}

TEST(ImportedC, IncludesOfACodeGeneratorBeforeTheTargetAreKept) {
  const Document document =
      read_files({"#include \"vendor.h\"\n" + kernel_file(joined({kWeights, kImporting}))});
  ASSERT_EQ(document.imported_c.size(), 1u);
  EXPECT_EQ(document.imported_c[0].text, "#include \"vendor.h\"\n");
}

TEST(ImportedC, OfFilesOfOtherCodeGeneratorsIsTheirs) {
  const std::string file =
      joined({"// tvm target: cmsis-nn\n#include <arm_nnfunctions.h>\n", kWeights, kImporting});
  EXPECT_TRUE(read_files({file}).imported_c.empty());
}

TEST(ImportedC, ComesBackThroughJsonAndC) {
  const Document document = read_files({file_with_imports()});
  const Document again = document_of(json_of(document));
  EXPECT_EQ(again.imported_c, document.imported_c);
  std::string text;
  ASSERT_TRUE(write_c(again, [&](std::string_view part) { text += part; }));
  EXPECT_NE(text.find(kSum), text.npos) << text;
  // Before what calls it.
  EXPECT_LT(text.find("int32_t reset("), text.find("tvmgen_default_f"));
  EXPECT_EQ(read_files({text}).imported_c, document.imported_c);
}

TEST(ImportedC, OfADocumentHasNameAndSignatureOrNeither) {
  const std::string good = json_of(read_files({file_with_imports()}));
  std::string bad = good;
  const std::string_view name = R"("name":"reset")";
  bad.replace(bad.find(name), name.size(), R"("name":null)");
  try {
    document_of(bad);
    ADD_FAILURE() << "accepted";
  } catch (const support::Error& error) {
    EXPECT_EQ(error.diagnostic().message,
              "name and signature are those of one function, or both null");
  }
}

}  // namespace
}  // namespace mlf::tir::c
