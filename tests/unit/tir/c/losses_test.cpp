// The table of what generated C loses, in schemas/losses.md, names every loss of the reader.
#include <fstream>
#include <set>

#include "archives.h"
#include "normalization_rules.h"
#include "reading.h"
#include "support/corpus_directory.h"
#include "support/error.h"
#include "unit/tir/compare/corpus.h"

namespace mlf::tir::c {
namespace {

/// The rows of the table between the marks.
std::vector<std::string> rows() {
  std::ifstream file(MLF_SOURCE_DIR "/schemas/losses.md");
  std::vector<std::string> found;
  std::string line;
  while (std::getline(file, line) && line != "<!-- generated-c -->") {
  }
  while (std::getline(file, line) && line != "<!-- /generated-c -->") found.push_back(line);
  if (found.size() > 2) found.erase(found.begin(), found.begin() + 2);
  return found;
}

/// What the last column has between backticks.
std::set<std::string> codes_of(const std::string& row) {
  std::set<std::string> codes;
  const std::size_t column = row.rfind('|', row.size() - 2);
  std::size_t at = row.find('`', column);
  while (at != std::string::npos) {
    const std::size_t end = row.find('`', at + 1);
    codes.insert(row.substr(at + 1, end - at - 1));
    at = row.find('`', end + 1);
  }
  return codes;
}

void expect_listed(const std::set<std::string>& codes, LossCode loss, std::string_view who) {
  EXPECT_TRUE(codes.contains(std::string(info(loss).code))) << info(loss).code << " of " << who;
}

std::set<std::string> table() {
  std::set<std::string> all;
  for (const std::string& row : rows()) all.merge(codes_of(row));
  return all;
}

void expect_all_listed(const std::filesystem::path& root) {
  const std::set<std::string> codes = table();
  for (const Pair& pair : pairs(root)) {
    const auto read = support::to_result([&] { return read_c(pair.sources()); });
    ASSERT_TRUE(read) << pair.name;
    for (const Loss& loss : read->losses) expect_listed(codes, loss.code, pair.name);
  }
}

TEST(TableOfWhatCLoses, HasALossInEveryRowAndNoneThatIsUnknown) {
  ASSERT_GE(rows().size(), 10u);
  for (const std::string& row : rows()) {
    EXPECT_FALSE(codes_of(row).empty()) << row;
    for (const std::string& code : codes_of(row)) EXPECT_TRUE(loss_named(code)) << code;
  }
}

TEST(TableOfWhatCLoses, HasWhateverComparingLeavesOut) {
  const std::set<std::string> codes = table();
  for (const NormalizationRule& row : kNormalizationRules)
    expect_listed(codes, row.loss, to_string(row));
}

TEST(TableOfWhatCLoses, HasWhateverTheReaderReports) {
  expect_all_listed(MLF_TEST_DATA "/c");
}

TEST(TableOfWhatCLoses, HasWhateverTheReaderReportsOfTheCorpus) {
  expect_all_listed(test::corpus_directory());
}

}  // namespace
}  // namespace mlf::tir::c
