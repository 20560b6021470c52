// Which lines of two codes of one function are the same statement.
#include "page/kernel_code.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "mlf/tir/document.h"

namespace mlf::page {
namespace {

std::vector<StatementPlace> statements(const std::string& body) {
  const std::string text =
      "# from tvm.script import tir as T\n\n@T.prim_func\n"
      "def f(A: T.Buffer((8,), \"float32\"), n: T.int32):\n" +
      body;
  const auto document = tir::read({.file = "f", .member = "", .text = text});
  if (!document) throw std::runtime_error(to_string(document.error()));
  const auto functions = document->module.root().map(tir::f::IRModule::functions);
  const report::LineTable lines(text);
  return statements_of(functions.value(0), report::statement_lines(functions.value(0), lines, 1));
}

using Lines = std::map<std::uint32_t, std::uint32_t>;

TEST(MatchingLines, LoopsStoresAndConditionsAreStatementsOfALine) {
  const auto found = statements(R"(    for i in range(8):
        if n < 4:
            A[i] = A[i] + T.float32(1)
    A[0] = T.float32(2)
)");
  ASSERT_EQ(found.size(), 4);
  EXPECT_EQ(found[0].kind, tir::Kind::For);
  EXPECT_EQ(found[0].line, 5);
  EXPECT_EQ(found[1].kind, tir::Kind::IfThenElse);
  EXPECT_EQ(found[1].depth, 1);
  EXPECT_EQ(found[2].kind, tir::Kind::BufferStore);
  EXPECT_EQ(found[2].line, 7);
  EXPECT_EQ(found[2].depth, 2);
  EXPECT_EQ(found[3].line, 8);
  EXPECT_EQ(found[3].depth, 0);
}

TEST(MatchingLines, StatementsInTheSameOrderMatchOneByOne) {
  const auto tir = statements(R"(    for i in range(8):
        A[i] = T.float32(1)
)");
  const auto c = statements(R"(    T.evaluate(n)
    for i in range(8):

        A[i] = T.float32(1)
)");
  EXPECT_EQ(matching_lines(tir, c), (Lines{{6, 5}, {8, 6}}));
}

TEST(MatchingLines, LoopsOfOneLineMatchThatLine) {
  const auto tir = statements(R"(    for i, j in T.grid(2, 4):
        A[i * 4 + j] = T.float32(1)
)");
  const auto c = statements(R"(    for i in range(2):
        for j in range(4):
            A[i * 4 + j] = T.float32(1)
)");
  EXPECT_EQ(matching_lines(tir, c), (Lines{{5, 5}, {6, 5}, {7, 6}}));
}

TEST(MatchingLines, NothingIsSaidOfOtherStatements) {
  const auto tir = statements(R"(    for i in range(8):
        A[i] = T.float32(1)
)");
  EXPECT_TRUE(matching_lines(tir, statements(R"(    for i in range(8):
        A[i] = T.float32(1)
    A[0] = T.float32(1)
)"))
                  .empty());
  EXPECT_TRUE(matching_lines(tir, statements(R"(    for i in range(8):
        T.evaluate(n)
    A[0] = T.float32(1)
)"))
                  .empty());
}

}  // namespace
}  // namespace mlf::page
