// One function as a text, and the lines of its statements.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "mlf/tir/visit.h"
#include "mlf/tir/write.h"
#include "unit/tir/tvmscript/reading.h"

namespace mlf::tir::tvmscript {
namespace {

FunctionScript script_of(const Document& document) {
  auto script = write_function(document, functions_of(document.module).at(0));
  if (script) return *std::move(script);
  ADD_FAILURE() << to_string(script.error());
  return {};
}

std::vector<std::string> lines_of(const FunctionScript& script) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < script.text.size();) {
    const std::size_t end = script.text.find('\n', at);
    lines.push_back(script.text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// The lines on which statements of a kind begin, without their indentation.
std::vector<std::string> lines_of(const Document& document, Kind kind) {
  const FunctionScript script = script_of(document);
  const auto lines = lines_of(script);
  std::map<std::uint32_t, std::string> found;
  for_each_pre_order(document.module.root(), [&](Node node) {
    const auto line = script.lines.find(node.id());
    if (!node.is(kind) || line == script.lines.end()) return;
    const std::string& text = lines.at(line->second - 1);
    found.emplace(line->second, text.substr(text.find_first_not_of(' ')));
  });
  std::vector<std::string> texts;
  for (const auto& [line, text] : found) texts.push_back(text);
  return texts;
}

using Texts = std::vector<std::string>;

constexpr std::string_view kLoops = R"(for i in range(16):
    B = T.allocate([4], "int8", "global")
    B_1 = T.Buffer((4,), "int8", data=B)
    for j in T.unroll(2, 4):
        if i < j:
            B_1[j] = A[i]
        else:
            A[i] = B_1[j])";

TEST(FunctionScripts, BeginWithoutIndentation) {
  const auto lines = lines_of(script_of(statements(kLoops)));
  EXPECT_EQ(lines.at(0), "@T.prim_func");
  EXPECT_EQ(lines.at(1).substr(0, 9), "def main(");
  EXPECT_EQ(lines.at(2), "    for i in range(16):");
}

TEST(FunctionScripts, HaveTheLineOfEachStatement) {
  const Document document = statements(kLoops);
  EXPECT_EQ(lines_of(document, Kind::For),
            (Texts{"for i in range(16):", "for j in T.unroll(2, 4):"}));
  EXPECT_EQ(lines_of(document, Kind::Allocate), Texts{"B = T.allocate([4], \"int8\", \"global\")"});
  EXPECT_EQ(lines_of(document, Kind::IfThenElse), Texts{"if i < j:"});
  EXPECT_EQ(lines_of(document, Kind::BufferStore), (Texts{"B_1[j] = A[i]", "A[i] = B_1[j]"}));
}

TEST(FunctionScripts, HaveTheLineOfABufferOfABlock) {
  const Document document = statements(R"(with T.block("root"):
    T.reads()
    T.writes()
    B = T.alloc_buffer((4,), "int8")
    B[0] = T.int8(1))");
  EXPECT_EQ(lines_of(document, Kind::Buffer), Texts{"B = T.alloc_buffer((4,), \"int8\")"});
}

// The variable of the let is found to be used outside of it while the function is printed: it is
// printed again, with a declaration at the top.
TEST(FunctionScripts, CountLinesOfTheLastAttempt) {
  const Document document = statements(R"(v = T.int32()
with T.LetStmt(n + 1, var=v):
    A[v] = T.int8(1)
A[v] = T.int8(2)
for i in range(16):
    A[i] = T.int8(3))");
  EXPECT_EQ(lines_of(document, Kind::For), Texts{"for i in range(16):"});
  EXPECT_EQ(lines_of(document, Kind::BufferStore),
            (Texts{"A[v] = T.int8(1)", "A[v] = T.int8(2)", "A[i] = T.int8(3)"}));
}

TEST(FunctionScripts, ReferToWhatAMissingMetadataSectionDefines) {
  const Document document = statements(
      "T.func_attr({\"pools\": metadata[\"ir.WorkspacePoolInfo\"][0]})\nA[0] = T.int8(1)");
  EXPECT_NE(script_of(document).text.find("metadata[\"ir.WorkspacePoolInfo\"][0]"),
            std::string::npos);
}

}  // namespace
}  // namespace mlf::tir::tvmscript
