#include "reading.h"
#include "unit/tir/text/deep_input.h"

namespace mlf::tir::repr {
namespace {

using text::repeated;
using text::with_small_stack;

constexpr std::size_t kDeep = 100'000;

TEST(ReprLimits, AnExpressionNestedAHundredThousandDeepNeedsNoStack) {
  const std::string text =
      in_function("  " + repeated("(", kDeep) + "n" + repeated(" + 1)", kDeep));
  with_small_stack([&] { EXPECT_EQ(value(read_text(text)).kind(), Kind::Add); });
}

TEST(ReprLimits, StatementsNestedAHundredThousandDeepNeedNoStack) {
  const std::string lets = in_function(repeated("  let y = n\n", kDeep) + "  n");
  const std::string chain =
      in_function("  if (n) {\n    n\n" + repeated("  } else if (n) {\n    n\n", kDeep) + "  }");
  with_small_stack([&] {
    EXPECT_EQ(body(read_text(lets)).kind(), Kind::LetStmt);
    EXPECT_EQ(body(read_text(chain)).kind(), Kind::IfThenElse);
  });
}

TEST(ReprLimits, AttributesNestedAHundredThousandDeepNeedNoStack) {
  const std::string text = "PrimFunc([]) attrs={\"k\": " + repeated("[", kDeep) + "1" +
                           repeated("]", kDeep) + "} {\n  0\n}\n";
  with_small_stack([&] { EXPECT_EQ(attribute(read_text(text), "k").kind(), Kind::Array); });
}

TEST(ReprLimits, DeeperThanTheLimitIsOneClearError) {
  const ReadLimits limits{.max_nesting = 100};
  EXPECT_NE(error_of(in_function("  " + repeated("(", 101) + "n"), limits)
                .find("2:103: expression nested deeper than 100 levels"),
            std::string::npos);
  EXPECT_NE(error_of(in_function(repeated("  let y = n\n", 101)), limits)
                .find("statements nested deeper than 100 levels"),
            std::string::npos);
  EXPECT_NE(error_of("PrimFunc([]) attrs={\"k\": " + repeated("[", 101), limits)
                .find("values nested deeper than 100 levels"),
            std::string::npos);
}

TEST(ReprLimits, MoreNodesThanAllowedAreOneClearError) {
  EXPECT_NE(
      error_of(in_function(repeated("  n\n", 200)), {.max_nodes = 100}).find("more than 100 nodes"),
      std::string::npos);
}

TEST(ReprLimits, TwentyThousandFunctionsAreRead) {
  constexpr std::size_t kFunctions = 20'000;
  std::string text = "IRModule({";
  for (std::size_t i = 0; i < kFunctions; ++i) {
    text += (i == 0 ? "GlobalVar(f" : "\n, GlobalVar(f") + std::to_string(i) +
            "): PrimFunc([n])  {\n  n\n}";
  }
  const Document d = read_text(text + "\n})");
  EXPECT_EQ(d.module.root().map(f::IRModule::functions).size(), kFunctions);
}

}  // namespace
}  // namespace mlf::tir::repr
