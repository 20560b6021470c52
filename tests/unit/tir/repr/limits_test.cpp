// Inputs that are large or nested as no compiler nests them.

#include <pthread.h>

#include "reading.h"

namespace mlf::tir::repr {
namespace {

constexpr std::size_t kDeep = 100'000;

std::string repeated(std::string_view piece, std::size_t times) {
  std::string text;
  text.reserve(piece.size() * times);
  for (std::size_t i = 0; i < times; ++i) text += piece;
  return text;
}

/// Reads in a thread whose stack is as small as `ulimit -s 256` makes it.
std::optional<Document> read_with_small_stack(const std::string& text) {
  struct Job {
    const std::string& text;
    std::optional<Document> document{};
  } job{text};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 * 1024);
  pthread_t thread;
  const auto start = [](void* argument) -> void* {
    auto* const at = static_cast<Job*>(argument);
    at->document = read_text(at->text);
    return nullptr;
  };
  const bool is_started = pthread_create(&thread, &attributes, start, &job) == 0;
  if (is_started) pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  return std::move(job.document);
}

TEST(ReprLimits, AnExpressionNestedAHundredThousandDeepNeedsNoStack) {
  const auto d = read_with_small_stack(
      in_function("  " + repeated("(", kDeep) + "n" + repeated(" + 1)", kDeep)));
  ASSERT_TRUE(d);
  EXPECT_EQ(value(*d).kind(), Kind::Add);
}

TEST(ReprLimits, StatementsNestedAHundredThousandDeepNeedNoStack) {
  const auto lets = read_with_small_stack(in_function(repeated("  let y = n\n", kDeep) + "  n"));
  ASSERT_TRUE(lets);
  EXPECT_EQ(body(*lets).kind(), Kind::LetStmt);
  const auto chain = read_with_small_stack(
      in_function("  if (n) {\n    n\n" + repeated("  } else if (n) {\n    n\n", kDeep) + "  }"));
  ASSERT_TRUE(chain);
  EXPECT_EQ(body(*chain).kind(), Kind::IfThenElse);
}

TEST(ReprLimits, AttributesNestedAHundredThousandDeepNeedNoStack) {
  const auto d = read_with_small_stack("PrimFunc([]) attrs={\"k\": " + repeated("[", kDeep) + "1" +
                                       repeated("]", kDeep) + "} {\n  0\n}\n");
  ASSERT_TRUE(d);
  EXPECT_EQ(attribute(*d, "k").kind(), Kind::Array);
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
