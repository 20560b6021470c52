// Cells of CSV for spreadsheets, which run texts with some first characters as formulas.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mlf/report.h"

namespace mlf {
namespace {

std::string line_of(std::vector<Cell> cells) {
  return csv_line(cells);
}

TEST(CsvTest, NoTextIsAFormula) {
  EXPECT_EQ(line_of({"=1+1"}), "'=1+1\r\n");
  EXPECT_EQ(line_of({"+f"}), "'+f\r\n");
  EXPECT_EQ(line_of({"-f"}), "'-f\r\n");
  EXPECT_EQ(line_of({"@f"}), "'@f\r\n");
  EXPECT_EQ(line_of({"\tf"}), "'\tf\r\n");
  EXPECT_EQ(line_of({"\rf"}), "\"'\rf\"\r\n");
  EXPECT_EQ(line_of({"=f(\"a\",1)"}), "\"'=f(\"\"a\"\",1)\"\r\n");
  EXPECT_EQ(line_of({"-inf", "-nan", "-1+1", "-"}), "'-inf,'-nan,'-1+1,'-\r\n");
}

TEST(CsvTest, NumbersAndOtherTextsStay) {
  EXPECT_EQ(line_of({std::uint64_t{12}, {}, "-3", "-0.5e9"}), "12,,-3,-0.5e9\r\n");
  EXPECT_EQ(line_of({"a=b", "f-1", "'=a", " =1"}), "a=b,f-1,'=a, =1\r\n");
}

}  // namespace
}  // namespace mlf
