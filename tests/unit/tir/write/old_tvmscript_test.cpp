// TVMScript of v0.8 to v0.11 as mlf writes it: TVM's parser judges it in
// tests/e2e/tvm/round_trips.py, here mlf's own reader does.
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <tuple>

#include "writing.h"

namespace mlf::tir {
namespace {

namespace fs = std::filesystem;
using write_test::contents;
using write_test::expect_same;
using write_test::read_text;
using write_test::script_of;

constexpr std::uint8_t kVersions[] = {8, 9, 10, 11};

/// What the module in `text` is for a version.
std::string script_for(std::string_view text, std::uint8_t minor) {
  Document document = read_text(text);
  document.source.tvm_version = {minor, minor, {}};
  return script_of(document);
}

// --- Whole modules -----------------------------------------------------------------------------

/// Modules that old TVMScript can say all of, besides what it loses anyway.
constexpr const char* kModules[] = {"tvmscript/threads.json", "tvmscript/expressions.json",
                                    "pairs/tvm-0.9-blocks/save.json"};

class WrittenOldScripts : public testing::TestWithParam<std::tuple<const char*, std::uint8_t>> {};

TEST_P(WrittenOldScripts, ReadBackAsTheModuleThatWasWritten) {
  const auto& [name, minor] = GetParam();
  const std::string text = contents(fs::path(MLF_TEST_DATA "/tir") / name);
  const Document saved = read_text(text);
  const Document written = read_text(script_for(text, minor));
  EXPECT_EQ(written.source.dialect, Dialect::old_tvmscript);
  EXPECT_LE(written.source.tvm_version.first, minor);
  EXPECT_GE(written.source.tvm_version.last, minor);
  expect_same(saved.module, written.module, TextTolerance::of(Dialect::old_tvmscript));
}

INSTANTIATE_TEST_SUITE_P(Versions, WrittenOldScripts,
                         testing::Combine(testing::ValuesIn(kModules),
                                          testing::ValuesIn(kVersions)),
                         [](const auto& test) {
                           const fs::path path = std::get<0>(test.param);
                           std::string name = path.stem().string();
                           if (name == "save") name = "blocks";
                           return name + "_0_" + std::to_string(std::get<1>(test.param));
                         });

TEST(OldScriptWriter, NamesWhatItHasNoWordsFor) {
  const std::map<std::string, std::string> refused = {
      {"attributes", "function attr_imap: TVMScript before v0.12 has no words for a IndexMap"},
      {"buffers", "function declb11: TVMScript before v0.10 has no words for a DeclBuffer"},
      {"literals",
       "function aconst_f: TVMScript before v0.12 has no literals for the constant 'c'"},
      {"statements", "a function called 'while' cannot be written in Python"},
  };
  for (const auto& [name, message] : refused) {
    const auto path = fs::path(MLF_TEST_DATA "/tir/tvmscript") / (name + ".json");
    EXPECT_EQ(script_for(contents(path), 9), message);
  }
}

// --- Spelling, version by version --------------------------------------------------------------

std::string in_v09(std::string_view lines) {
  return std::string(
             "# from tvm.script import tir as T\n"
             "@tvm.script.ir_module\n"
             "class Module:\n"
             "    @T.prim_func\n"
             "    def f(A: T.Buffer[(16,), \"float32\"], n: T.int32) -> None:\n")
      .append(lines)
      .append("    __tvm_meta__ = None\n");
}

void expect_unchanged(std::string_view lines) {
  EXPECT_EQ(script_for(in_v09(lines), 9), in_v09(lines));
}

TEST(OldScriptWriter, WritesWhatItReads) {
  expect_unchanged(
      "        T.func_attr({\"number\": 3, \"flag\": True, \"text\": \"a \\\"b\\\"\"})\n"
      "        for i in T.serial(16):\n"
      "            A[i] = A[i] * T.float32(0.5) + T.cast((i + n) * 2, \"float32\")\n"
      "        x: T.int32 = n + 1\n"
      "        if x > 3 and not (x == n) or (n < 2) == True:\n"
      "            A[x] = T.max(T.float32(1), T.float32(1e999))\n"
      "        else:\n"
      "            A[0] = T.exp(A[x], dtype=\"float32\")\n"
      "        T.evaluate(T.call_extern(\"fill\", A.data, T.int64(5), dtype=\"\"))\n");
}

TEST(OldScriptWriter, WritesResultsAndParametersOfEveryType) {
  std::string text = in_v09("        T.evaluate(n)\n");
  const std::string_view result = "None";
  text.replace(text.rfind(result, text.find("T.evaluate")), result.size(),
               "T.Tuple[T.int8, T.Tuple[T.float32, T.Ptr[T.int8, \"global\"]]]");
  const std::string_view type = "T.int32";
  text.replace(text.find(type), type.size(), "T.Ptr[T.Ptr[T.int8, \"global\"], \"shared\"]");
  EXPECT_EQ(script_for(text, 9), text);
}

TEST(OldScriptWriter, ComputesNothingBecauseTheParserDoesNot) {
  expect_unchanged(
      "        T.evaluate(n + 0)\n"
      "        T.evaluate((1 + 2) * (n - 0))\n"
      "        T.evaluate(T.truncmod(n, 3))\n");
}

TEST(OldScriptWriter, DeclaresTheVariablesThatScopesTake) {
  expect_unchanged(
      "        x = T.var(\"int32\")\n"
      "        threadIdx_x = T.env_thread(\"threadIdx.x\")\n"
      "        with T.let(x, n + 1):\n"
      "            T.evaluate(x)\n"
      "        T.launch_thread(threadIdx_x, 32)\n"
      "        T.evaluate(threadIdx_x)\n");
}

TEST(OldScriptWriter, GivesAllocationsOfV09TheNameOfABuffer) {
  expect_unchanged(
      "        work = T.allocate([16], \"float32\", \"global\")\n"
      "        work_1 = T.buffer_decl((4, 4), \"float32\", data=work.data)\n"
      "        work_1[0, 1] = T.float32(2)\n");
}

TEST(OldScriptWriter, GivesEveryBufferOfAFunctionANameOfItsOwn) {
  const std::string script =
      script_for(in_v09("        with T.allocate([16], \"int8\", \"global\") as w:\n"
                        "            T.evaluate(w.data)\n"
                        "        with T.allocate([8], \"int8\", \"global\") as w:\n"
                        "            T.evaluate(w.data)\n"),
                 9);
  EXPECT_NE(script.find(" as w:"), std::string::npos);
  EXPECT_NE(script.find("w_1 = T.allocate("), std::string::npos);
}

TEST(OldScriptWriter, RemembersBuffersBeforeTheyWereFlattened) {
  expect_unchanged(
      "        T.preflattened_buffer(A, (4, 4), \"float32\", data=A.data)\n"
      "        A[n] = T.float32(0)\n");
}

TEST(OldScriptWriter, SpellsAsTheVersionDoes) {
  const std::string source = in_v09(
      "        for i in T.serial(16):\n"
      "            A[i] = T.cast(i, \"float32\")\n");
  const auto lines = [&](std::uint8_t minor) { return script_for(source, minor); };
  EXPECT_NE(lines(8).find("A = T.match_buffer("), std::string::npos);
  EXPECT_NE(lines(8).find("T.serial(0, 16)"), std::string::npos);
  EXPECT_NE(lines(10).find("T.cast(i, \"float32\")"), std::string::npos);
  EXPECT_NE(lines(11).find("T.Cast(\"float32\", i)"), std::string::npos);
  EXPECT_EQ(lines(11).find(" -> None"), std::string::npos);
  EXPECT_NE(lines(12).find("@I.ir_module"), std::string::npos);
}

// --- Constants ---------------------------------------------------------------------------------

void expect_constant_unchanged(std::string_view elements, std::string_view dtype, int extent) {
  const std::string lines = std::string("        c = T.allocate_const(")
                                .append(elements)
                                .append(", \"")
                                .append(dtype)
                                .append("\", [")
                                .append(std::to_string(extent))
                                .append("])\n        T.evaluate(c.data)\n");
  EXPECT_EQ(script_for(in_v09(lines), 9), in_v09(lines)) << dtype;
}

TEST(OldScriptWriter, WritesEveryDigitOfEveryElementOfAConstant) {
  expect_constant_unchanged("[1,-2,127,]", "int8", 3);
  expect_constant_unchanged("[5,]", "int8", 1);
  expect_constant_unchanged("[1,2,]", "uint8", 2);
  expect_constant_unchanged("[0.1,3.4028235e+38,-0.0,]", "float32", 3);
  expect_constant_unchanged("[True,False,]", "bool", 2);
}

}  // namespace
}  // namespace mlf::tir
