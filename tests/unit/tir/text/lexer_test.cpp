#include "tir/text/lexer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace mlf::tir::text {
namespace {

std::vector<std::string> tokens(const std::string& text, const LexicalRules& rules) {
  const support::SourceText source{"in", "", text};
  std::vector<std::string> result;
  for (Lexer lexer(source, rules); !lexer.token().is(TokenKind::end); lexer.advance()) {
    const std::string at = std::to_string(lexer.indentation()) + ":";
    result.push_back(
        lexer.token().is(TokenKind::newline) ? "NL" : at + std::string(lexer.text(lexer.token())));
  }
  return result;
}

using Tokens = std::vector<std::string>;

constexpr LexicalRules python() {
  LexicalRules rules;
  rules.comment = '#';
  return rules;
}

TEST(Lexer, EndsLinesOnlyOutsideBracketsAndIgnoresEmptyOnes) {
  EXPECT_EQ(tokens("a\n\n  f(\n b)\n", python()),
            (Tokens{"0:a", "NL", "2:f", "3:(", "1:b", "2:)", "NL"}));
  EXPECT_EQ(tokens("a\r\nb", python()), (Tokens{"0:a", "NL", "0:b", "NL"}));
  EXPECT_EQ(tokens("a \\\n b\n", python()), (Tokens{"0:a", "5:b", "NL"}));
}

TEST(Lexer, TellsCommentLinesFromCommentsBehindCode) {
  EXPECT_EQ(tokens("  # whole line\na  # behind\nf(  # inside\n)", python()),
            (Tokens{"2:# whole line", "0:a", "NL", "0:f", "1:(", "0:)", "NL"}));
}

TEST(Lexer, PassesOverAByteOrderMark) {
  EXPECT_EQ(tokens("\xef\xbb\xbf"
                   "a",
                   python()),
            (Tokens{"0:a", "NL"}));
}

TEST(Lexer, KeepsNumbersAndNamesThatStartWithDigitsApart) {
  EXPECT_EQ(
      tokens("1e-05 1.5 2.x 3x 1e5 12_a", {}),
      (Tokens{"0:1e-05", "6:1.5", "10:2", "11:.", "12:x", "14:3x", "17:1e5", "21:12_a", "NL"}));
  LexicalRules typed;
  typed.suffixes = LexicalRules::Suffixes::typed;
  EXPECT_EQ(tokens("1f32 5i64 0u8 1e-05f16", typed),
            (Tokens{"0:1f32", "5:5i64", "10:0u8", "14:1e-05f16", "NL"}));
}

TEST(Lexer, FindsTheEndOfStrings) {
  EXPECT_EQ(tokens(R"("a\"b" 'c"d' "" """x
"y""")",
                   {}),
            (Tokens{R"(0:"a\"b")", R"(7:'c"d')", "13:\"\"", "16:\"\"\"x\n\"y\"\"\"", "NL"}));
}

TEST(Lexer, ContinuesAtTheGivenPlace) {
  const support::SourceText source{"in", "", "a : some text ; b"};
  const LexicalRules rules;
  Lexer lexer(source, rules);
  lexer.advance();
  lexer.seek(14);
  EXPECT_TRUE(lexer.token().is(Sign::semicolon));
}

}  // namespace
}  // namespace mlf::tir::text
