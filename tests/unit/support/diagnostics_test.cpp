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
  const Diagnostics named =
      in_file({{ErrorKind::io, "a", {}}, {ErrorKind::io, "b", kept}}, "given");
  EXPECT_EQ(named[0].where.file, "given");
  EXPECT_EQ(named[1].where.file, "kept");
}

TEST(ToResult, TurnsErrorsIntoDiagnosticsAndForeignExceptionsIntoInternalOnes) {
  const auto known =
      support::to_result([]() -> int { throw support::Error(ErrorKind::io, "disk full"); });
  ASSERT_FALSE(known.has_value());
  EXPECT_EQ(known.error().front().kind, ErrorKind::io);

  const auto foreign = support::to_result([]() -> int { throw std::runtime_error("surprise"); });
  ASSERT_FALSE(foreign.has_value());
  EXPECT_EQ(exit_code(foreign.error().front().kind), 70);
}

}  // namespace
}  // namespace mlf
