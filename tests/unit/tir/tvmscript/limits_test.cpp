// Inputs that are large or nested as no compiler nests them.
#include "reading.h"
#include "unit/tir/text/deep_input.h"

namespace mlf::tir::tvmscript {
namespace {

using text::repeated;
using text::with_small_stack;

TEST(ScriptLimits, ExpressionsNestedAHundredThousandDeepNeedNoStack) {
  constexpr std::size_t kDeep = 100'000;
  const std::string sums =
      in_function("T.evaluate(" + repeated("(", kDeep) + "n" + repeated(" + 1)", kDeep) + ")");
  const std::string calls = in_function("T.evaluate(" + repeated("T.exp(", kDeep) + "T.float32(1)" +
                                        repeated(")", kDeep) + ")");
  const std::string negations = in_function("T.evaluate(" + repeated("not ", kDeep) + "n < 1)");
  with_small_stack([&] {
    EXPECT_EQ(value(read_text(sums)).kind(), Kind::Add);
    EXPECT_EQ(value(read_text(calls)).kind(), Kind::Call);
    EXPECT_EQ(value(read_text(negations)).kind(), Kind::Not);
  });
}

TEST(ScriptLimits, AttributesNestedDeepNeedNoStack) {
  constexpr std::size_t kDeep = 50'000;
  const std::string text = in_function("T.func_attr({\"a\": " + repeated("[", kDeep) +
                                       repeated("]", kDeep) + "})\nT.evaluate(0)");
  with_small_stack([&] { EXPECT_EQ(attribute(read_text(text), "a").kind(), Kind::Array); });
}

TEST(ScriptLimits, StatementsNestedAHundredThousandDeepNeedNoStack) {
  constexpr std::size_t kDeep = 100'000;
  const std::string text = in_function(repeated("x: T.int32 = n\n", kDeep) + "T.evaluate(x)");
  with_small_stack([&] { EXPECT_EQ(body(read_text(text)).kind(), Kind::LetStmt); });
}

TEST(ScriptLimits, SuitesNestAsDeepAsTheyAreIndented) {
  std::string lines;
  for (std::size_t i = 0; i < 400; ++i) lines += std::string(i, ' ') + "while n < 1:\n";
  lines += std::string(400, ' ') + "T.evaluate(n)";
  EXPECT_EQ(body(read_text(in_function(lines))).kind(), Kind::While);
}

TEST(ScriptLimits, DeeperThanTheLimitIsOneClearError) {
  const ReadLimits limits{.max_nesting = 100};
  const auto message = [&](std::string_view lines) {
    const std::string error = error_of(in_function(lines), limits);
    return error.substr(0, error.find('\n'));
  };
  EXPECT_EQ(message("T.evaluate(" + repeated("(", 101) + "n"),
            "9:119: expression nested deeper than 100 levels");
  EXPECT_EQ(message("T.evaluate(n" + repeated(" + 1", 101) + ")"),
            "9:418: expression nested deeper than 100 levels");
  EXPECT_EQ(message(repeated("x: T.int32 = n\n", 101) + "T.evaluate(x)"),
            "108:9: statements nested deeper than 100 levels");
}

TEST(ScriptLimits, MoreNodesThanAllowedAreOneClearError) {
  const std::string text = in_function(repeated("T.evaluate(n)\n", 200));
  EXPECT_NE(error_of(text, {.max_nodes = 100}).find("more than 100 nodes"), std::string::npos);
}

TEST(ScriptLimits, TenThousandFunctionsAreRead) {
  constexpr std::size_t kFunctions = 10'000;
  std::string text = "# from tvm.script import tir as T\n\n";
  for (std::size_t i = 0; i < kFunctions; ++i) {
    text += "@T.prim_func\ndef f" + std::to_string(i) + "(n: T.int32):\n    T.evaluate(n)\n\n";
  }
  const Document d = read_text(text);
  EXPECT_EQ(d.module.root().map(f::IRModule::functions).size(), kFunctions);
}

}  // namespace
}  // namespace mlf::tir::tvmscript
