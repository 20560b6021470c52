#include "mlf/diagnostics.h"

#include <gtest/gtest.h>

#include "support/error.h"
#include "support/source_text.h"

namespace mlf {
namespace {

TEST(Diagnostics, ShowFileMemberLineColumnAndACaretUnderTheSource) {
  const support::SourceText source{"module.tar", "src/tir-1.txt", "first\n  second oops\n"};
  const Diagnostic diagnostic{ErrorKind::invalid_input, "unexpected word", source.locate(15, 4)};
  EXPECT_EQ(to_string(diagnostic),
            "module.tar:src/tir-1.txt:2:10: unexpected word\n"
            "    second oops\n"
            "           ^^^^");
}

TEST(Diagnostics, LinesAreTheSameWhereverTheyAreCountedFrom) {
  const support::SourceText whole{"f", "", "a\nb\n\nc"};
  support::SourceText counted = whole;
  for (std::size_t from = 0; from <= whole.text.size(); ++from) {
    counted.count_lines_to(from);
    for (std::size_t at = 0; at <= whole.text.size(); ++at) {
      EXPECT_EQ(counted.locate(at).line, whole.locate(at).line) << from << " " << at;
    }
  }
  counted.count_lines_to(0);
  EXPECT_EQ(counted.counted.line, 4u);
}

TEST(Diagnostics, ClipLongLinesAroundTheColumn) {
  const std::string line(10'000, 'x');
  const support::SourceText source{"f", "", line};
  const Location where = source.locate(5'000);
  EXPECT_EQ(where.column, 5'001u);
  EXPECT_EQ(where.caret, 60u);
  EXPECT_EQ(where.source_line.size(), 100u);
}

TEST(Diagnostics, PointBehindTheLastByteAtTheEndOfTheText) {
  const support::SourceText source{"f", "", "ab"};
  const Location where = source.locate(99);
  EXPECT_EQ(where.line, 1u);
  EXPECT_EQ(where.column, 3u);
  EXPECT_EQ(where.length, 1u);
}

TEST(Diagnostics, NameTheFileOnlyWhereNoneIsNamedYet) {
  Location kept;
  kept.file = "kept";
  EXPECT_EQ(in_file({ErrorKind::io, "a", {}}, "given").where.file, "given");
  EXPECT_EQ(in_file({ErrorKind::io, "b", kept}, "given").where.file, "kept");
}

TEST(Printable, LeavesTextAsItIs) {
  for (const std::string_view text :
       {"", "a b\\c", "na\xc3\xafve", "\xe6\xb8\xac", "\xf0\x9f\x98\x80"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, EscapesControlCharacters) {
  using namespace std::string_literals;
  const std::pair<std::string, std::string> cases[] = {
      {"a\0b"s, "a\\x00b"},
      {"\x1b[31mred", "\\x1b[31mred"},
      {"two\nlines\r\t", "two\\x0alines\\x0d\\x09"},
      {"\x7f", "\\x7f"},
      {"\xc2\x9b"
       "2J",
       "\\u{9b}2J"},            // CSI as one character
      {"\xc2\x85", "\\u{85}"},  // next line
      {"\xe2\x80\xae"
       "gpj.exe",
       "\\u{202e}gpj.exe"},
      {"\xe2\x81\xa6", "\\u{2066}"},
      {"\xd8\x9c", "\\u{61c}"},
      {"\xe2\x80\xa8", "\\u{2028}"},
      {"\x9b", "\\x9b"},                    // no UTF-8, and CSI for a terminal of Latin-1
      {"\xc3", "\\xc3"},                    // cut off
      {"\xc0\x9b", "\\xc0\\x9b"},           // overlong
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"},  // a surrogate
  };
  for (const auto& [text, shown] : cases) {
    EXPECT_EQ(printable(text), shown);
    EXPECT_EQ(printable(shown), shown);
  }
}

TEST(Diagnostics, EscapeControlCharacters) {
  Location where;
  where.file = "a\x1b[2J.tar";
  where.member = "src/\xe2\x80\xae.txt";
  EXPECT_EQ(to_string(Diagnostic{ErrorKind::io, "no '\x7f\n'", where}),
            "a\\x1b[2J.tar:src/\\u{202e}.txt: no '\\x7f\\x0a'");
}

TEST(Diagnostics, PutTheCaretUnderWhatIsShown) {
  const support::SourceText source{"f", "", "\ta\x1b\xc3\xaf\xff oops\n"};
  EXPECT_EQ(to_string(Diagnostic{ErrorKind::invalid_input, "bad", source.locate(7, 4)}),
            "f:1:8: bad\n"
            "   a\\x1b\xc3\xaf\\xff oops\n"
            "              ^^^^");
}

TEST(Diagnostics, ShowTheBeginningAndTheEndOfWhatIsTooLong) {
  const std::string name(112'000, 'n');
  EXPECT_EQ(to_string(Diagnostic{ErrorKind::invalid_input, "'" + name + "' is not declared", {}}),
            "'" + name.substr(0, 1499) + "…" + name.substr(0, 483) + "' is not declared");
  // Between characters, which are two bytes each here.
  std::string umlauts = "x";
  for (int i = 0; i < 2000; ++i) umlauts += "ä";
  const std::string shown = to_string(Diagnostic{ErrorKind::invalid_input, umlauts, {}});
  EXPECT_TRUE(shown.find("\\x") == std::string::npos) << shown;
  EXPECT_LE(shown.size(), 2003u);
}

TEST(Diagnostics, ClipBetweenCharacters) {
  std::string line;
  for (int i = 0; i < 100; ++i) line += "\xe6\xb8\xac";
  const support::SourceText source{"f", "", line};
  const Location where = source.locate(150, 3);
  EXPECT_EQ(printable(where.source_line), where.source_line);
  EXPECT_EQ(where.source_line.substr(where.caret, 3), "\xe6\xb8\xac");
}

TEST(ToResult, TurnsErrorsIntoDiagnosticsAndForeignExceptionsIntoInternalOnes) {
  const auto known =
      support::to_result([]() -> int { throw support::Error(ErrorKind::io, "disk full"); });
  ASSERT_FALSE(known.has_value());
  EXPECT_EQ(known.error().kind, ErrorKind::io);

  const auto foreign = support::to_result([]() -> int { throw std::runtime_error("surprise"); });
  ASSERT_FALSE(foreign.has_value());
  EXPECT_EQ(exit_code(foreign.error().kind), 70);
}

}  // namespace
}  // namespace mlf
