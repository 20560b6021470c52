// One meaning, several dialects: what a text says equals what save_json says of the same module, in
// everything that the dialect keeps.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <set>

#include "corpus.h"
#include "support/corpus_directory.h"
#include "text_tolerance.h"

namespace mlf::tir {
namespace {

using RowCounts = std::map<std::uint16_t, std::size_t>;
using LossCounts = std::map<std::string_view, std::size_t>;

constexpr Dialect kTexts[] = {Dialect::tvmscript, Dialect::old_tvmscript, Dialect::legacy_text};

// Differences shown of one module: the first ones tell what is wrong.
constexpr std::size_t kShown = 12;

void expect_equal(const std::string& name, const Comparison& result) {
  if (result.equal()) return;
  std::string text;
  for (std::size_t i = 0; i < result.differences.size() && i < kShown; ++i) {
    text += "\n  " + to_string(result.differences[i]);
  }
  ADD_FAILURE() << name << ": " << result.differences.size() << " unexplained differences" << text;
}

/// What is tolerated is what the reader said that the text had lost.
void expect_listed(const std::string& name, const TextComparison& result,
                   const std::vector<Loss>& losses) {
  std::set<LossCode> listed;
  for (const Loss& loss : losses) listed.insert(loss.code);
  std::set<LossCode> unlisted;
  for (const Tolerated& tolerated : result.tolerated) {
    if (!listed.contains(tolerated.loss)) unlisted.insert(tolerated.loss);
  }
  for (const LossCode loss : unlisted) {
    ADD_FAILURE() << name << ": " << info(loss).code << " is tolerated, but not among its losses";
  }
}

void print_line(const std::string& name, Dialect dialect, const TextComparison& result) {
  LossCounts losses;
  for (const Tolerated& tolerated : result.tolerated) ++losses[info(tolerated.loss).code];
  const std::string dialect_name(to_string(dialect));
  std::printf("%-58s %-11s %4zu %8zu %5zu ", name.c_str(), dialect_name.c_str(), result.functions,
              result.nodes, result.differences.size());
  for (const auto& [code, count] : losses) {
    std::printf(" %.*s=%zu", static_cast<int>(code.size()), code.data(), count);
  }
  std::printf("\n");
}

void print_idle_rows(Dialect dialect, const RowCounts& counts) {
  std::printf("rows of %s that nothing needed:\n", std::string(to_string(dialect)).c_str());
  const auto rows = all_tolerances();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].dialect != dialect || counts.contains(static_cast<std::uint16_t>(i))) continue;
    std::printf("  %s\n", to_string(rows[i]).c_str());
  }
}

/// Compares all pairs and prints the table: functions, nodes, differences, tolerated by loss.
void compare_all(const std::vector<corpus::TextPair>& pairs) {
  RowCounts counts;
  for (const corpus::TextPair& pair : pairs) {
    const auto json = corpus::read_or_fail(pair.name + " (save_json)", pair.json);
    const auto text = corpus::read_or_fail(pair.name, pair.text);
    if (!json || !text) continue;
    const Dialect dialect = text->source.dialect;
    const TextComparison result = compare(json->module, text->module, TextTolerance::of(dialect));
    for (const Tolerated& tolerated : result.tolerated) ++counts[tolerated.row];
    print_line(pair.name, dialect, result);
    expect_equal(pair.name, result);
    expect_listed(pair.name, result, text->losses);
  }
  for (const Dialect dialect : kTexts) print_idle_rows(dialect, counts);
}

TEST(Dialects, SayTheSameOfTheBundledModules) {
  const auto pairs = corpus::text_pairs(MLF_TEST_DATA "/tir/pairs");
  EXPECT_GE(pairs.size(), 14u);
  compare_all(pairs);
}

TEST(Dialects, SayTheSameOfTheWholeCorpus) {
  const auto pairs = corpus::text_pairs(test::corpus_directory());
  EXPECT_GT(pairs.size(), test::of_corpus(140, 20));
  compare_all(pairs);
}

TEST(Comparison, OfAnyCorpusModuleWithItselfFindsNothing) {
  for (const auto& path : corpus::save_json_files(test::corpus_directory())) {
    const std::string json = corpus::contents(path);
    const auto one = corpus::read_or_fail(path.string(), json);
    const auto other = corpus::read_or_fail(path.string(), json);
    if (!one || !other) continue;
    expect_equal(path.string(), compare(one->module, other->module));
    for (const Dialect dialect : kTexts) {
      const auto result = compare(one->module, other->module, TextTolerance::of(dialect));
      expect_equal(path.string(), result);
      for (const Tolerated& tolerated : result.tolerated) {
        ADD_FAILURE() << path << ": " << tolerated.path << ": "
                      << to_string(all_tolerances()[tolerated.row]);
      }
    }
  }
}

TEST(Comparison, IsSymmetricOnTheCorpusWhereNothingIsTolerated) {
  std::optional<Document> last;
  for (const auto& path : corpus::save_json_files(test::corpus_directory())) {
    auto next = corpus::read_or_fail(path.string(), corpus::contents(path));
    if (last && next) {
      const bool equal = compare(last->module, next->module).equal();
      EXPECT_EQ(equal, compare(next->module, last->module).equal()) << path;
    }
    last = std::move(next);
  }
}

}  // namespace
}  // namespace mlf::tir
