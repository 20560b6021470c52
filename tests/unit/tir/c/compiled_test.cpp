// What is compiled is what is read: each piece of C is either read as a compiler reads it, or the
// function is not understood.
#include <fmt/core.h>

#include "reading.h"

namespace mlf::tir::c {
namespace {

enum class Reading { read, not_understood };

struct Snippet {
  std::string_view text;
  Reading reading = Reading::not_understood;
};

/// The code that is kept as text, if any of it may do something to the tensors.
bool is_all_understood(const Document& document) {
  return !lost(document, LossCode::unknown_construct) &&
         body_of(document, "tvmgen_default_f").find("OpaqueStmt") == std::string::npos;
}

void expect(const Snippet& snippet, const std::vector<std::string>& files) {
  // Behind some texts no function begins.
  const auto document = try_read(files);
  const bool is_read = document && is_all_understood(*document);
  EXPECT_EQ(is_read, snippet.reading == Reading::read) << snippet.text;
}

TEST(CompiledC, StatementsAreReadAsTheCompilerReadsThemOrNotUnderstood) {
  const std::vector<Snippet> snippets = {
      {"(p)[0] = 1.0f;", Reading::read},
      {"memset(p, 0, 16);", Reading::read},
      {"memcpy(p, q, 16);", Reading::read},
      {"helper(p);", Reading::read},  // the effect of a call is not known
      {"if (n < 3) {\n return 0;\n}\np[0] = 1.0f;", Reading::read},
      {"if (n < 3) {\n return -1;\n}\np[0] = 1.0f;", Reading::read},
      {"p[0] = 1.0f; return 0;", Reading::read},
      {"p[0] = 1.0f; { return 0; }", Reading::read},
      {"float x[4]; { x[0] = p[0]; } p[1] = x[0];", Reading::read},
      {"p[0] = 1.0f; // a comment", Reading::read},
      {"p[0] = 1.0f; /* a\ncomment */", Reading::read},
      {"// a comment \\\n that continues\np[0] = 1.0f;", Reading::read},
      {"// another one \\  \r\n p = q;\np[0] = 1.0f;", Reading::read},
      {"#line 7\np[0] = 1.0f;", Reading::read},
      {"#pragma GCC unroll 4\nfor (int32_t i = 0; i < 4; ++i) {\n p[i] = 1.0f;\n}", Reading::read},
      {"return 0; p[0] = 1.0f;"},
      {"return -1; p[0] = 1.0f;"},
      {"{ return 0; } p[0] = 1.0f;"},
      {"int32_t s = g(p); return s; p[0] = 1.0f;"},
      {"goto end; end: p[0] = 1.0f;"},
      {"for (int32_t i = 0; i < 4; ++i) {\n break;\n}"},
      {"for (int32_t i = 0; i < 4; ++i) {\n continue;\n}"},
      {"for (int32_t i = 0; i < 010; ++i) {\n p[i] = 1.0f;\n}"},
      {"for (int32_t i = 0; i < 4; ++i) {\n i = 3;\n}"},
      {"for (int32_t i = 0; i < 4; ++i) {\n}\np[i] = 1.0f;"},
      {"{ int32_t m = 3; q[0] = m; } q[1] = m;"},
      {"for (int32_t p = 0; p < 4; ++p) {\n}"},
      {"{ float p = 1.0f; q[0] = 1; }"},
      {"float x[010];"},
      {"float x[4 + 4];"},
      {"float x[n];"},
      {"static float x[8000];"},
      {"static int32_t x = 0;"},
      {"volatile float x[8000];"},
      {"union { float a; int32_t b[500]; } x;"},
      {"struct { float a[500]; } x;"},
      {"const float* x = p;"},
      {"float* x = (float*)((uintptr_t)p + 4);"},
      {"float* x = (float*)((uint64_t)p + 4); x[0] = 1.0f;"},
      {"*p = 1.0f;"},
      {"*(p + 1) = 1.0f;"},
      {"0[p] = 1.0f;"},
      {"p['a'] = 1.0f;"},
      {"p[0] += 1.0f;"},
      {"p[0] -= 1.0f;"},
      {"q[0] <<= 1;"},
      {"q[0]++;"},
      {"++q[0];"},
      {"p = p + 1;"},
      {"p[0] = 1.0f, p[1] = 2.0f;"},
      {"p[n = 3] = 1.0f;"},
      {"p[0] = q[0] * 2 + 1;"},
      {"DONE;"},
      {"__asm__ volatile (\"\" : : : \"memory\");"},
      {"switch (n) {\n case 1: p[0] = 1.0f;\n}"},
      {"p<:0:> = 1.0f;"},
      {"<% p[0] = 1.0f; %>"},
      {"p[0] = 1.0f; // a comment ?\?/\n p[1] = 2.0f;"},
      {"p[?\?(0?\?)] = 1.0f;"},
      {"p[0] = 1.0f + \\\n2.0f;"},
      {"q[0] = 1\\\n0;"},
      {"/\\\n/ p[0] = 1.0f;"},
      {"#if 0\np[0] = 1.0f;\n#endif", Reading::read},
      {"#if WITH_X\np[0] = 1.0f;\n#endif"},
      {"#ifdef __cplusplus\np[0] = 1.0f;\n#endif"},
      {"#ifdef FAST /* a\n comment */\np[0] = 1.0f;\n#else\np[1] = 1.0f;\n#endif"},
      {"#include \"body.h\"\n"},
      {"#define p r\np[0] = 1.0f;"},
      {"_Pragma(\"pack(1)\") p[0] = 1.0f;"},
  };
  for (const Snippet& snippet : snippets) {
    expect(snippet, {in_kernel(snippet.text)});
  }
}

/// `text` before a kernel.
std::string before_kernel(std::string_view text) {
  return kernel_file(std::string(text) +
                     "\nTVM_DLL int32_t tvmgen_default_f(float* p, int16_t* q) {\n"
                     "  p[0] = expf(p[1]);\n  memset(q, 0, 4);\n  return 0;\n}\n");
}

TEST(CompiledC, WhatComesBeforeAFunctionMayChangeIt) {
  const std::vector<Snippet> snippets = {
      {"", Reading::read},
      {"#pragma once", Reading::read},
      {"#pragma GCC diagnostic ignored \"-Wunused\"", Reading::read},
      {"#error not here", Reading::read},
      {"#include <arm_nnfunctions.h>\n#include \"board.h\"", Reading::read},
      {"#define OTHER(a) int16_t", Reading::read},
      {"/*\n#define int16_t int64_t\n*/", Reading::read},
      {"// \\\n#define int16_t int64_t", Reading::read},
      {"#ifndef CLAMP\n#define CLAMP(a) a\n#endif", Reading::read},
      {"#if defined(X)\nint32_t other(void);\n#endif", Reading::read},
      {"const char* text = \"#define int16_t int64_t\";", Reading::read},
      {"static int32_t other(void) {\n#if X\n  return 1;\n#endif\n}", Reading::read},
      {"#define TVM_DLL", Reading::read},
      {"#define TVM_DLL __attribute__((used))", Reading::read},
      {"#ifndef TVM_DLL\n#define TVM_DLL\n#endif", Reading::read},
      {"#define TVM_DLL __attribute__((weak))"},
      {"#define TVM_DLL int32_t x;"},
      {"#define int16_t int64_t"},
      {"#define int16_\\\nt int64_t\n#define p r"},
      {"  #  define  p r"},
      {"/* a comment */ #define p r"},
      {"#define expf(x) x"},
      {"#undef q"},
      {"#ifdef X\n#define q p\n#endif"},
      {"%:define p r"},
      {"#if X"},
      {"#else"},
      {"#endif"},
      {"#pragma pack(1)"},
      {"#pragma redefine_extname tvmgen_default_f other"},
      {"#pragma weak tvmgen_default_f"},
      {"#pragma GCC poison other"},
      {"#include \"board.ino\""},
      {"#include \"board.inc\""},
      {"#include HEADER"},
      {"#import \"board.h\""},
      {"asm(\".set tvmgen_default_f, other\");"},
      {"extern int32_t other(void) __asm__(\"tvmgen_default_f\");"},
      {"int32_t other(void) __attribute__((alias(\"tvmgen_default_f\")));"},
      {"_Pragma(\"pack(1)\");"},
      {"static float expf(float x) {\n  return x;\n}"},
      {"static void memset(int16_t* a, int32_t b, int32_t c) {\n  a[500] = b;\n}"},
      {"__attribute__((weak)) int32_t tvmgen_default_f(float* p) {\n  return 0;\n}"},
  };
  for (const Snippet& snippet : snippets) {
    expect(snippet, {before_kernel(snippet.text)});
  }
}

TEST(CompiledC, AFunctionBetweenConditionsIsNotUnderstood) {
  for (const std::string_view condition : {"#if 0", "#ifdef X", "#ifndef X", "#if 1\n#else"}) {
    expect({condition}, {before_kernel(condition) + "#endif\n"});
  }
  expect({"a guard", Reading::read},
         {"#ifndef KERNELS\n#define KERNELS\n" + before_kernel("") + "#endif\n"});
}

TEST(CompiledC, AFunctionThatAnotherFileDefinesIsNotUnderstood) {
  expect({"", Reading::read}, {before_kernel(""), "int32_t other(void) {\n  return 0;\n}\n"});
  expect({"twice"},
         {before_kernel(""), "int32_t tvmgen_default_f(float* p) {\n  return p[0];\n}\n"});
}

TEST(CompiledC, HeadersOfTheArchiveAreReadForWhatTheyDefine) {
  const std::string file = before_kernel("#include \"a.h\"");
  const auto read = [&](std::string_view header) {
    CSources sources{.files = {{"lib.c", {}, file, "codegen"}}};
    sources.headers = [&](std::string_view path) -> std::vector<std::string_view> {
      if (path == "a.h") return {"#include <b.h>\n"};
      return path == "b.h" ? std::vector{header} : std::vector<std::string_view>();
    };
    return is_all_understood(read_c(sources));
  };
  EXPECT_TRUE(read("#define OTHER 3\n"));
  EXPECT_FALSE(read("#define int16_t int64_t\n"));
  EXPECT_FALSE(read("#pragma pack(1)\n"));
  EXPECT_FALSE(read("#include \"code.c\"\n"));
}

/// A main with a pool, and the declaration of the pool: whether its size is known.
bool has_size(std::string_view declaration, std::string_view header = {}) {
  const std::string kernels = kernel_file(
      "TVM_DLL int32_t tvmgen_default___tvm_main__(float* x_buffer_var, uint8_t* work_1_var) {\n"
      "  void* sid_1_let = (&(work_1_var[16]));\n  return 0;\n}\n");
  const std::string wrapper(declaration);
  CSources sources{
      .files = {{"lib1.c", {}, kernels, "codegen"}, {"lib0.c", {}, wrapper, "codegen"}},
      .pools = {{.name = "work", .bytes = 64}},
      .headers = [&](std::string_view) { return std::vector{header}; }};
  const Document document = read_c(sources);
  const Node main = function(document);
  const bool is_sized = bool(main[f::PrimFunc::attrs].map(f::DictAttrs::dict).find("pool_args"));
  EXPECT_NE(is_sized, lost(document, LossCode::unknown_construct)) << declaration;
  return is_sized;
}

TEST(CompiledC, ThePoolHasTheSizeThatTheCompilerGivesItOrAnUnknownOne) {
  for (const std::string_view text :
       {"static uint8_t work[64];", "uint8_t* work;", "static uint8_t work[64u];",
        "static uint8_t work[64] __attribute__((aligned(16)));", "extern uint8_t work[];",
        "extern uint8_t work[64];\nuint8_t work[64];", "static uint8_t work[64 + 4000];",
        "uint8_t work[0100];", "static uint8_t work[0x40];",
        "#define SIZE (64)\nstatic uint8_t work[2 * SIZE - 64];", "static uint8_t work[(64)];",
        "static uint8_t work[16 * sizeof(int32_t)];",
        "#define HALF 32\n#define SIZE (2 * HALF)\nstatic uint8_t work[SIZE];"}) {
    EXPECT_TRUE(has_size(text)) << text;
  }
  for (const std::string_view text :
       {"static uint8_t work[64 - 128];",
        "static uint8_t work[0xFFFFFFFF + 65];",
        "static uint8_t work[\n#ifdef A\n64 +\n#endif\n64];",
        "#define uint8_t int64_t\n/* [ */ static uint8_t work[64];",
        "static uint8_t work[SIZE];",
        "static uint8_t work[sizeof(int)];",
        "static uint8_t* work[64];",
        "_Complex float work[8];",
        "long double work[4];",
        "uint8_t __attribute__((vector_size(16))) work[64];",
        "#define SIZE 64\n#include \"board.h\"\nstatic uint8_t work[SIZE];",
        "#if 0u - 1 > 5\nstatic uint8_t work[6400];\n#else\nstatic uint8_t work[64];\n#endif",
        "#define SIZE 32 + 32\nstatic uint8_t work[SIZE * 2 - 64];",
        "#define SIZE SIZE\nstatic uint8_t work[SIZE];",
        "#define int32_t int16_t\nstatic uint8_t work[16 * sizeof(int32_t)];",
        "static uint8_t work[64][64];",
        "static uint8_t (work)[6400];",
        "static uint8_t a[4], work[6400];",
        "static struct { uint8_t a[6400]; } work;",
        "static uint8_t work[64] = {0};",
        "#define uint8_t int64_t\nstatic uint8_t work[64];",
        "#if A\nstatic uint8_t work[64];\n#else\nstatic uint8_t work[6400];\n#endif",
        "#if A\nstatic uint8_t work[64];\n#endif",
        "#pragma pack(1)\nstatic uint8_t work[64];",
        "static uint8_t work[64];\nstatic uint8_t work[64];"}) {
    EXPECT_FALSE(has_size(text)) << text;
  }
  EXPECT_FALSE(has_size("#include \"pools.h\"\n", "static uint8_t work[6400];\n"));
}

TEST(CompiledC, AConstantThatThePreprocessorMayChangeIsUnknown) {
  const auto read = [](std::string_view before, std::string_view size, std::string_view behind) {
    const Document document = read_files({kernel_file(fmt::format(
        "{}\nstatic const int8_t __attribute__((section(\".rodata.tvm\"), aligned(16))) a[{}] = "
        "{{\n    +0x01, +0x02\n}};\n{}\nTVM_DLL int32_t tvmgen_default_f(int8_t* p) {{\n  p[0] = "
        "((int8_t*)a)[0];\n  return 0;\n}}\n",
        before, size, behind))});
    return is_all_understood(document);
  };
  EXPECT_TRUE(read("", "2", ""));
  EXPECT_FALSE(read("", "2 + 4000", ""));
  EXPECT_FALSE(read("", "4", ""));
  EXPECT_FALSE(read("", "02", ""));
  EXPECT_FALSE(read("", "SIZE", ""));
  EXPECT_FALSE(read("#define a b", "2", ""));
  EXPECT_FALSE(read("#if X", "2", "#endif"));
}

}  // namespace
}  // namespace mlf::tir::c
