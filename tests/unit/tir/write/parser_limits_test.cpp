// What TVM's parsers cannot read; tests/e2e/tvm/round_trips.py asks the parsers themselves.
#include <string>
#include <utility>
#include <vector>

#include "writing.h"

namespace mlf::tir {
namespace {

using write_test::read_text;
using write_test::script_of;

/// What is wrong with a function of these parameters and lines for a version; empty: nothing.
std::string fault(std::string_view parameters, std::string_view line, std::uint8_t minor) {
  Document document = read_text(
      "# from tvm.script import ir as I\n# from tvm.script import tir as T\n\n"
      "@I.ir_module\nclass Module:\n    @T.prim_func\n    def f(" +
      std::string(parameters) + "):\n        " + std::string(line) + "\n");
  document.source.tvm_version = {minor, minor, {}};
  const auto result = require_parsable(document);
  return result ? std::string() : result.error().message;
}

TEST(ParserLimits, NameTheConstructTheFunctionAndTheVersions) {
  EXPECT_EQ(fault("", "T.evaluate(T.IntImm(\"int4\", 1))", 9),
            "function f: TVM 0.9 cannot read T.int4, a number of this type; v0.12 can");
  EXPECT_EQ(fault("", "T.evaluate(T.FloatImm(\"bfloat16\", 1.5))", 8),
            "function f: TVM 0.8 cannot read T.bfloat16, a number of this type; v0.12 can");
  EXPECT_EQ(fault("", "T.evaluate(T.Shuffle([T.Broadcast(1, 4)], [0]))", 11),
            "function f: TVM 0.11 cannot read T.shuffle; v0.12 can");
  EXPECT_EQ(fault("p: T.handle(\"void\")", "T.evaluate(p)", 9),
            "function f: TVM 0.9 cannot read a pointer to T.void as a type; v0.10 can");
  EXPECT_EQ(fault("x: T.uint8", "T.evaluate(x)", 8),
            "function f: TVM 0.8 cannot read T.uint8 as a type; v0.9 can");
  EXPECT_EQ(fault("x: T.float32x4", "T.evaluate(x)", 9),
            "function f: TVM 0.9 cannot read T.float32x4 as a type; v0.10 can");
}

TEST(ParserLimits, LoopsCountInInt32OrInt64) {
  const std::string loop = "for i in T.serial(T.int8(0), T.int8(3)):\n            T.evaluate(i)";
  EXPECT_EQ(fault("", loop, 9), "function f: TVM 0.9 cannot read a loop over int8; v0.12 can");
  EXPECT_EQ(fault("", "for i in T.serial(T.int64(3)):\n            T.evaluate(i)", 9), "");
}

TEST(ParserLimits, NewParsersReadAnyDtype) {
  const std::vector<std::pair<std::string, std::string>> functions = {
      {"", "T.evaluate(T.IntImm(\"int4\", 1))"},
      {"", "T.evaluate(T.FloatImm(\"bfloat16\", 1.5))"},
      {"", "T.evaluate(T.Shuffle([T.Broadcast(1, 4)], [0]))"},
      {"p: T.handle(\"void\")", "T.evaluate(p)"},
      {"x: T.Var(\"x\", \"int4\")", "T.evaluate(x)"}};
  for (const auto& [parameters, line] : functions) {
    for (const std::uint8_t minor : {std::uint8_t{12}, std::uint8_t{16}, std::uint8_t{18}}) {
      EXPECT_EQ(fault(parameters, line, minor), "");
    }
  }
}

// The printer's words for these are not those of the parser.
TEST(ParserLimits, OldTextHasTheWordsOfTheParser) {
  Document document = read_text(
      "# from tvm.script import ir as I\n# from tvm.script import tir as T\n\n"
      "@I.ir_module\nclass Module:\n    @T.prim_func\n"
      "    def f(a: T.handle, x: T.bool):\n        s = T.int32()\n"
      "        A = T.match_buffer(a, (4,), \"float32\", strides=(s,), buffer_type=\"auto\")\n"
      "        T.evaluate(A[0] + T.Cast(\"float32\", x))\n");
  document.source.tvm_version = {9, 9, {}};
  EXPECT_TRUE(require_parsable(document));
  const std::string text = script_of(document);
  EXPECT_NE(text.find("x: T.boolean"), std::string::npos) << text;
  EXPECT_NE(text.find("buffer_type=\"auto_broadcast\""), std::string::npos) << text;
  const Document again = read_text(text);
  write_test::expect_same(document.module, again.module, TextTolerance::of(Dialect::old_tvmscript));
}

TEST(ParserLimits, AutoBroadcastBuffersHaveStrides) {
  const std::string buffer = "A: T.Buffer((4,), \"float32\", buffer_type=\"auto\")";
  EXPECT_EQ(fault(buffer, "T.evaluate(A[0])", 16),
            "function f: TVM 0.16 cannot read the auto-broadcast buffer 'A' without strides; no "
            "version can");
}

}  // namespace
}  // namespace mlf::tir
