#include "reading.h"
#include "unit/tir/text/deep_input.h"

namespace mlf::tir::legacy {
namespace {

using text::repeated;
using text::with_small_stack;

TEST(LegacyLimits, AnExpressionNestedAHundredThousandDeepNeedsNoStack) {
  constexpr std::size_t kDeep = 100'000;
  const std::string text =
      in_function("  " + repeated("(", kDeep) + "n" + repeated(" + 1)", kDeep));
  with_small_stack([&] {
    const Document d = read_text(text);
    EXPECT_EQ(value(d).kind(), Kind::Add);
  });
}

TEST(LegacyLimits, StatementsNestedAHundredThousandDeepNeedNoStack) {
  constexpr std::size_t kDeep = 100'000;
  const std::string text = in_function(repeated("  let y: int32 = n\n", kDeep) + "  n");
  with_small_stack([&] { EXPECT_EQ(body(read_text(text)).kind(), Kind::LetStmt); });
}

TEST(LegacyLimits, DeeperThanTheLimitIsOneClearError) {
  const ReadLimits limits{.max_nesting = 100};
  EXPECT_EQ(error_of(in_function("  " + repeated("(", 101) + "n"), limits),
            "4:103: expression nested deeper than 100 levels\n"
            "  " +
                repeated("(", 61) + "n\n" + repeated(" ", 62) + "^");
  EXPECT_NE(error_of(in_function(repeated("{\n", 101)), limits)
                .find("statements nested deeper than 100 levels"),
            std::string::npos);
}

TEST(LegacyLimits, MoreNodesThanAllowedAreOneClearError) {
  EXPECT_NE(
      error_of(in_function(repeated("  n\n", 200)), {.max_nodes = 100}).find("more than 100 nodes"),
      std::string::npos);
}

TEST(LegacyLimits, AHundredThousandFunctionsAreRead) {
  constexpr std::size_t kFunctions = 100'000;
  std::string text;
  for (std::size_t i = 0; i < kFunctions; ++i) {
    const std::string n = std::to_string(i);
    text += "@f" + n + " = primfn(n" + n + ": int32) -> () {\n  n" + n + "\n}\n\n";
  }
  const Document d = read_text(text);
  EXPECT_EQ(d.module.root().map(f::IRModule::functions).size(), kFunctions);
}

}  // namespace
}  // namespace mlf::tir::legacy
