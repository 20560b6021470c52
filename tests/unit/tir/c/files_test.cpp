// Which files there are, what is passed over in them, and what is refused.
#include <sstream>

#include "mlf/tir/visit.h"
#include "reading.h"
#include "tir/c/read/directives.h"

namespace mlf::tir::c {
namespace {

constexpr std::string_view kKernel =
    "TVM_DLL int32_t tvmgen_default_f(float* p) {\n  p[0] = p[1];\n  return 0;\n}\n";

TEST(CFiles, AreDetectedByTheirContent) {
  const CFile kernels = describe_c(kernel_file(kKernel));
  EXPECT_EQ(kernels.role, CRole::kernels);
  EXPECT_EQ(kernels.target, "c -keys=cpu");
  EXPECT_EQ(kernels.functions, std::vector<std::string>{"tvmgen_default_f"});

  EXPECT_EQ(describe_c("// tvm target: cmsis-nn\n" + std::string(kKernel)).role, CRole::external);
  EXPECT_EQ(describe_c("#include \"tvm/runtime/c_runtime_api.h\"\n;").role, CRole::support);
  EXPECT_EQ(describe_c(";").role, CRole::support);
  EXPECT_EQ(describe_c("int main(void) { return 0; }\n").role, CRole::other);
  EXPECT_EQ(describe_c("").role, CRole::other);
}

TEST(CFiles, SayWhereEachFunctionIs) {
  const std::string text = kernel_file(std::string(kKernel));
  const CFile file = describe_c(text);
  ASSERT_EQ(file.definitions.size(), 1u);
  EXPECT_EQ(file.definitions[0].symbol, "tvmgen_default_f");
  const SourceRange range = file.definitions[0].range;
  EXPECT_EQ(text.substr(range.begin, range.end - range.begin) + "\n", kKernel);
}

TEST(CFiles, SayWhereEachConstantIs) {
  const std::string text = kernel_file(
      "static const int8_t __attribute__((section(\".rodata.tvm\"), )) w[2] = {1, 2};\n"
      "static struct pool {\n  float a_let[2];\n  int8_t b_let[1];\n} pool = {\n"
      "  .a_let = {\n    0x1.8p+0f, -.5f\n  },\n  .b_let = {\n    3\n  },\n};\n");
  std::vector<std::pair<std::string, std::string>> found;
  for (const CDefinition& one : describe_c(text).constants) {
    found.emplace_back(one.symbol, text.substr(one.range.begin, one.range.end - one.range.begin));
  }
  const std::vector<std::pair<std::string, std::string>> expected{
      {"w", "static const int8_t __attribute__((section(\".rodata.tvm\"), )) w[2] = {1, 2};"},
      {"a_let", ".a_let = {\n    0x1.8p+0f, -.5f\n  "},
      {"b_let", ".b_let = {\n    3\n  "}};
  EXPECT_EQ(found, expected);
}

using ReferredNames = std::set<std::string, std::less<>>;

TEST(CFiles, SayWhatTheyReferTo) {
  const CReferences references = references_of(
      "#include <math.h>\n#include \"arm_nn.h\"\n#define TWICE(x) fmaf(x, 2, 0)\n"
      "#if 0\nint gone(void) { return lost(); }\n#endif\n"
      "int32_t by_address(void);\nint32_t unused(void);\n"
      "static int32_t helper(int32_t n) { return n; }\n"
      "TVM_DLL int32_t tvmgen_default_f(struct ops* ops) {\n"
      "  /* comment() */\n  ops->member(\"text()\");\n"
      "  if (sizeof(int32_t) > 3 && helper((int32_t)expf(1)) > TWICE(1)) set(by_address);\n"
      "  return (int32_t)(0);\n}\n");
  EXPECT_EQ(references.defined, (ReferredNames{"tvmgen_default_f"}));
  EXPECT_EQ(references.called, (ReferredNames{"by_address", "expf", "fmaf", "set"}));
  // What may be there under a condition, or is static in another file, defines nothing here.
  EXPECT_EQ(references_of("#ifndef LIBM\nstatic float expf(float x) { return x; }\n#endif\n"
                          "int f(void) { return expf(1); }\n")
                .called,
            (ReferredNames{"expf"}));
  EXPECT_EQ(references_of("extern uint8_t pool[100];\nextern int f(int);\n").external,
            ReferredNames({"pool"}));
  EXPECT_EQ(references_of("extern float a[2], b;\n").external, ReferredNames({"a", "b"}));
  EXPECT_EQ(references_of("extern float c, d[3];\n").external, ReferredNames({"c", "d"}));
  EXPECT_EQ(references.includes, (std::vector<std::string>{"math.h", "arm_nn.h"}));
}

TEST(CFiles, TellWhatOneProgramHasOnce) {
  const CReferences references = references_of(
      "struct one;\ntypedef int word;\nextern int elsewhere;\nstatic int f(void);\n"
      "static const int table[2] = {1, 2};\nconst char* const fixed = \"x\";\n"
      "static uint8_t pool[16] __attribute__((aligned(16)));\n"
      "int count = 1, last;\nstatic struct { int member; } state;\n"
      "static const char* text;\nvoid (*hook)(int argument);\n"
      "#ifdef BOARD\nint perhaps;\nvoid maybe(void) {}\n#endif\n"
      "__attribute__((weak)) void weak(void) {}\ninline void in_line(void) {}\n"
      "static int f(void) {\n  static int calls, *where = 0;\n  static const int kTwo = 2;\n"
      "  return calls++ + kTwo;\n}\nint run(void) { return f(); }\n");
  EXPECT_EQ(references.exported, (ReferredNames{"count", "fixed", "hook", "last", "run"}));
  EXPECT_EQ(references.written, (ReferredNames{"calls", "count", "hook", "last", "perhaps", "pool",
                                               "state", "text", "where"}));
  EXPECT_EQ(references.external, ReferredNames({"elsewhere"}));
}

TEST(CFiles, PrototypesAndForwardersAreNoFunctions) {
  const CFile file = describe_c(
      kernel_file("TVM_DLL int32_t tvmgen_default_f(float* p);\n" + std::string(kKernel) +
                  "// CodegenC: NOTE: Auto-generated entry function\n"
                  "TVM_DLL int32_t __tvm_main__(void* args, int* arg_type_ids, int num_args, void* "
                  "out_ret_value, int* out_ret_tcode, void* resource_handle) {\n"
                  "  return f(args, arg_type_ids, num_args, out_ret_value, out_ret_tcode, "
                  "resource_handle);\n}\n"));
  EXPECT_EQ(file.functions, std::vector<std::string>{"tvmgen_default_f"});
}

TEST(CFiles, SayWhereTheyComeFrom) {
  const Document document = read_files({kernel_file(kKernel)});
  EXPECT_EQ(document.source.dialect, Dialect::c);
  EXPECT_EQ(document.source.stage, "codegen");
  EXPECT_EQ(document.source.member, "lib.c");
  EXPECT_EQ(document.target, "c -keys=cpu");
  EXPECT_EQ(document.source.tvm_version, (VersionRange{12, 18, ""}));
}

std::string kernel_of(std::string_view name, std::string_view array) {
  return "TVM_DLL int32_t " + std::string(name) + "(float* p) {\n  p[0] = ((float*)" +
         std::string(array) + ")[0];\n  return 0;\n}\n";
}

/// Constants that a function has, read or not.
std::size_t constants_of(const Document& document, std::string_view function) {
  std::size_t count = 0;
  const NodeMap functions = document.module.root().map(f::IRModule::functions);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    if (functions.key(i).text(f::GlobalVar::name_hint) != function) continue;
    for_each_pre_order(functions.value(i),
                       [&](Node node) { count += node.is(Kind::AllocateConst); });
  }
  return count;
}

std::string declared(std::string_view name) {
  return "static const float __attribute__((section(\".rodata.tvm\"), aligned(16))) " +
         std::string(name) + "[1] = {\n    0x1p+0\n};\n";
}

TEST(CFiles, AnUnusedArrayBelongsToTheFunctionOfTheArraysAroundIt) {
  const Document document =
      read_files({kernel_file(declared("a") + declared("unused") + declared("b") +
                              "TVM_DLL int32_t tvmgen_default_f(float* p) {\n"
                              "  p[0] = (((float*)a)[0] + ((float*)b)[0]);\n  return 0;\n}\n")});
  EXPECT_EQ(constants_of(document, "tvmgen_default_f"), 3u);
}

TEST(CFiles, AnArrayBetweenThoseOfAFunctionBelongsToIt) {
  const Document document =
      read_files({kernel_file(declared("a") + declared("unused") + declared("b") +
                              "TVM_DLL int32_t tvmgen_default_f(float* p) {\n"
                              "  p[0] = (((float*)a)[0] + ((float*)b)[0]);\n  return 0;\n}\n"
                              "TVM_DLL int32_t tvmgen_default_g(float* p) {\n"
                              "  p->x = 1;\n  return 0;\n}\n")});
  EXPECT_EQ(constants_of(document, "tvmgen_default_f"), 3u);
}

TEST(CFiles, AnArrayInFrontOfAllOthersIsOfNoFunctionWhereOneIsNotRead) {
  const Document document = read_files(
      {kernel_file(declared("unused") + declared("b") + kernel_of("tvmgen_default_f", "b") +
                   "TVM_DLL int32_t tvmgen_default_g(float* p) {\n"
                   "  p->x = 1;\n  return 0;\n}\n")});
  EXPECT_EQ(constants_of(document, "tvmgen_default_f"), 1u);
}

TEST(CFiles, AnArrayThatMayBelongToSeveralFunctionsBelongsToNone) {
  const Document document = read_files(
      {kernel_file(declared("a") + declared("unused") + declared("b") +
                   kernel_of("tvmgen_default_f", "a") + kernel_of("tvmgen_default_g", "b"))});
  EXPECT_EQ(constants_of(document, "tvmgen_default_f"), 1u);
  EXPECT_EQ(constants_of(document, "tvmgen_default_g"), 1u);
  EXPECT_TRUE(std::ranges::any_of(document.losses, [](const Loss& loss) {
    return loss.code == LossCode::unknown_construct &&
           loss.name == "1 constants belong to no function that is understood";
  }));
}

TEST(CFiles, AnArrayThatMayBelongToSeveralFunctionsBelongsToMain) {
  const std::string main =
      "TVM_DLL int32_t tvmgen_default___tvm_main__(float* p) {\n"
      "  if (tvmgen_default_f(a, p) != 0 ) return -1;\n  return 0;\n}\n";
  const std::string kernel =
      "TVM_DLL int32_t tvmgen_default_f(float* q, float* p) {\n  p[0] = q[0];\n  return 0;\n}\n";
  for (const std::string& functions : {kernel + main, main + kernel}) {
    const Document document = read_files(
        {kernel_file(declared("unused") + declared("a") + declared("behind") + functions)});
    EXPECT_EQ(constants_of(document, "__tvm_main__"), 3u);
  }
}

TEST(CFiles, AByteOrderMarkIsNoPartOfThem) {
  const std::string text = declared("a") + kernel_of("tvmgen_default_f", "a");
  EXPECT_EQ(constants_of(read_files({"\xEF\xBB\xBF" + text}), "tvmgen_default_f"), 1u);
  const std::string targeted = "\xEF\xBB\xBF" + kernel_file(text);
  EXPECT_EQ(describe_c(targeted).target, "c -keys=cpu");
  EXPECT_EQ(directives_of("\xEF\xBB\xBF#include <math.h>\n").includes.size(), 1u);
}

TEST(CFiles, WithoutAnyFunctionAreRefused) {
  EXPECT_NE(to_string(try_read({";"}).error()).find("no function"), std::string::npos);
  EXPECT_NE(to_string(try_read({}).error()).find("no files"), std::string::npos);
}

std::string array_of(std::string_view declaration, std::string_view rows) {
  return kernel_file("static const " + std::string(declaration) + " = {\n" + std::string(rows) +
                     "\n};\n" + std::string(kKernel));
}

constexpr std::string_view kThree =
    "int8_t __attribute__((section(\".rodata.tvm\"), aligned(16))) c[3]";

/// What is not understood of an array.
std::string fault_of(std::string_view declaration, std::string_view rows) {
  return details(read_files({array_of(declaration, rows)}), LossCode::unknown_construct);
}

TEST(CFiles, ArraysMustHaveAllTheirElements) {
  EXPECT_NE(fault_of(kThree, "+0x01, +0x02").find("the array ends after 2 of its 3 elements"),
            std::string::npos);
}

TEST(CFiles, ArraysMustNotHaveMoreElementsOrOthers) {
  EXPECT_NE(fault_of(kThree, "+0x01, +0x02, +0x03, +0x04"), "");
  EXPECT_NE(fault_of(kThree, "+0x01, +0x02, x"), "");
  EXPECT_NE(fault_of(kThree, "+0x01, +0x02, +0x100"), "");
  EXPECT_EQ(fault_of(kThree, "+0x01, +0x02, -0x80"), "");
}

TEST(CFiles, ACountThatCannotBeTrueAsksForNoMemory) {
  EXPECT_NE(
      fault_of(
          "double __attribute__((section(\".rodata.tvm\"), aligned(16))) c[9000000000000000000]",
          "0x1p0"),
      "");
}

TEST(CFiles, CutAnywhereTheyAreReadOrRefused) {
  const std::string whole = array_of(kThree, "+0x01, +0x02, +0x03");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto document = try_read({whole.substr(0, length)});
    if (document) continue;
    EXPECT_EQ(document.error().kind, ErrorKind::invalid_input) << length;
  }
}

/// The lines of a text that a compiler may read.
std::string lines_of(const std::string& text, const MacroValues& macros = {}) {
  std::string lines;
  std::istringstream active(active_text(text, macros).value_or(text));
  for (std::string line; std::getline(active, line);) {
    if (line.find_first_not_of(' ') != line.npos) lines += (lines.empty() ? "" : "|") + line;
  }
  return lines;
}

TEST(CFiles, ConditionsThatTheTextDecidesAreEvaluated) {
  EXPECT_EQ(lines_of("#if 0\na\n#else\nb\n#endif\nc"), "b|c");
  EXPECT_EQ(lines_of("#if 1\na\n#elif X\nb\n#else\nc\n#endif"), "a");
  EXPECT_EQ(lines_of("#if 0\n#ifdef X\na\n#else\nb\n#endif\n#define Y\n#endif\nc"), "c");
  EXPECT_EQ(lines_of("#if 0\ndon't \\ <:\n#endif\nc"), "c");
  EXPECT_EQ(lines_of("#define X 2\n#if defined(X) && (X >= 2u || Y)\na\n#else\nb\n#endif"),
            "#define X 2|a");
  EXPECT_EQ(lines_of("#define X\n#ifndef X\na\n#endif"), "#define X");
  EXPECT_EQ(lines_of("#if !1\na\n#elif 2 == 2\nb\n#endif"), "b");
  EXPECT_EQ(lines_of("#if 0 && Y\na\n#endif"), "");
}

TEST(CFiles, MacrosOfTheCompilerDecideConditions) {
  const std::string text = "#ifdef X\na\n#elif X + 1\nb\n#else\nc\n#endif";
  EXPECT_EQ(lines_of(text, {{"X", "1"}}), "a");
  EXPECT_EQ(lines_of("#ifdef X\na\n#else\nc\n#endif", {{"X", std::nullopt}}), "c");
  EXPECT_EQ(lines_of("#if X > 1 && !defined(Y)\na\n#endif", {{"X", "2"}, {"Y", std::nullopt}}),
            "a");
  EXPECT_EQ(lines_of("#if X\na\n#endif", {{"X", std::nullopt}}), "");
  EXPECT_EQ(lines_of("#ifndef X\n#define X 5\n#endif\n#if X == 3\na\n#endif", {{"X", "3"}}), "a");
  EXPECT_EQ(lines_of("#ifdef X\n#define Y 1\n#endif\n#ifdef Y\na\n#else\nb\n#endif", {{"X", "1"}}),
            "#define Y 1|a");
  // The text defines it behind the condition.
  EXPECT_EQ(lines_of("#define X 5\n#if X == 5\na\n#endif", {{"X", std::nullopt}}), "#define X 5|a");
  EXPECT_EQ(active_text("#define X 5\n#if X == 5\na\n#endif", {{"X", "3"}}), std::nullopt);
}

TEST(CFiles, MicroKernelsDefineAFunctionOnce) {
  const std::string once =
      "#ifndef CPU_INTRINSICS_EXIST\n#define CPU_INTRINSICS_EXIST\na\n#endif\n";
  EXPECT_EQ(lines_of(once + "b\n" + once), "#define CPU_INTRINSICS_EXIST|a|b");
  EXPECT_EQ(lines_of(once + "b", {{"CPU_INTRINSICS_EXIST", ""}}), "b");
  // Guards with other names may be defined elsewhere, and values may be defaults.
  EXPECT_EQ(active_text("b\n#ifndef FAST\n#define FAST\na\n#endif"), std::nullopt);
  EXPECT_EQ(active_text("b\n#ifndef N_EXIST\n#define N_EXIST 1\na\n#endif"), std::nullopt);
}

TEST(CFiles, ConditionsThatOtherTextDecidesStay) {
  for (const std::string text :
       {"#ifdef X\na\n#else\nb\n#endif", "#if Y + 1\na\n#endif",
        "#define X\n#undef X\n#ifdef X\na\n#endif",
        "#ifndef X\n#define X 1\n#endif\n#if X\na\n#endif", "/*\n#if 0\n*/\na\n/*\n#endif\n*/",
        "#ifdef __cplusplus\nextern \"C\"\n#endif"}) {
    EXPECT_EQ(active_text(text), std::nullopt) << text;
  }
  EXPECT_EQ(lines_of("#if 0\na\n#elif X\nb\n#else\nc\n#endif"), "#if 0|#elif X|b|#else|c|#endif");
  EXPECT_EQ(lines_of("#if " + std::string(1000, '(') + "0\na\n#endif\n#if 0\n#endif").substr(0, 4),
            "#if ");
}

}  // namespace
}  // namespace mlf::tir::c
