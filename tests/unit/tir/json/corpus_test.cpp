// tir-N.json of every captured module of the corpus.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "mlf/tir/document.h"
#include "support/corpus_directory.h"
#include "support/sha256.h"
#include "tir/compare/compare.h"
#include "tir/reader.h"
#include "unit/tir/compare/corpus.h"
#include "unit/tir/json/documents.h"

namespace mlf::tir {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> captured_modules() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(test::corpus_directory())) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("save") && name.ends_with(".json")) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::string content_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return (std::ostringstream() << stream.rdbuf()).str();
}

// Bytes of base64 in a text: the values of `begin`…`"`.
std::size_t bytes_between(std::string_view text, std::string_view begin) {
  std::size_t bytes = 0;
  for (std::size_t at = text.find(begin); at != text.npos; at = text.find(begin, at)) {
    at += begin.size();
    const std::size_t end = text.find('"', at);
    bytes += end - at;
    at = end;
  }
  return bytes;
}

class TirJsonOfTheCorpus : public testing::Test {
 protected:
  void SetUp() override {
    for (const fs::path& path : captured_modules()) {
      const std::string text = content_of(path);
      Reading reading = read_save_json({.file = path.string(), .member = {}, .text = text}, {});
      modules_.push_back({fs::relative(path, test::corpus_directory()).string(),
                          text,
                          {.source = {.member = path.filename().string(),
                                      .stage = "lowered",
                                      .tvm_version = reading.version,
                                      .sha256 = support::sha256_hex(text)},
                           .target = "c -keys=cpu",
                           .module = std::move(reading.module),
                           .losses = std::move(reading.losses)}});
    }
    ASSERT_FALSE(modules_.empty());
  }

  struct Captured {
    std::string name;
    std::string text;
    Document document;
  };
  std::vector<Captured> modules_;
};

void expect_round_trip(const std::string& name, const Document& document) {
  const std::string written = json_of(document);
  const Document back = document_of(written);
  EXPECT_EQ(json_of(back), written) << name;
  const Comparison result = compare(document.module, back.module);
  for (const Difference& difference : result.differences) {
    ADD_FAILURE() << name << ": " << to_string(difference);
  }
}

TEST_F(TirJsonOfTheCorpus, GivesTheModuleBackByteForByteAndNodeForNode) {
  for (const Captured& module : modules_) expect_round_trip(module.name, module.document);
}

TEST(TirJsonOfTexts, OfTestsAndCorpusGivesTheModuleBackByteForByteAndNodeForNode) {
  std::vector<corpus::TextPair> pairs = corpus::text_pairs(MLF_TEST_DATA "/tir/pairs");
  EXPECT_FALSE(pairs.empty());
  std::ranges::move(corpus::text_pairs(test::corpus_directory()), std::back_inserter(pairs));
  for (const corpus::TextPair& pair : pairs) {
    const auto document = corpus::read_or_fail(pair.name, pair.text);
    if (document) expect_round_trip(pair.name, *document);
  }
}

// TVM's blob has a header of at least 40 bytes more than the data that we keep.
TEST_F(TirJsonOfTheCorpus, TakesAtMostSeventyPercentOfSaveJson) {
  std::map<std::string, std::size_t> texts;  // sizes, by the save_json of the same module
  for (const corpus::TextPair& pair : corpus::text_pairs(test::corpus_directory())) {
    texts[pair.json] = pair.text.size();
  }
  std::string table = fmt::format("{:>10} {:>10} {:>10} {:>6}  module, without data of constants\n",
                                  "text", "save_json", "tir-N.json", "%");
  for (const Captured& module : modules_) {
    const std::string written = json_of(module.document);
    const std::size_t theirs = module.text.size() - bytes_between(module.text, "\"P6G0lvBAXt0A");
    const std::size_t constants = bytes_between(written, "\"data\":\"");
    const std::size_t ours = written.size() - constants;
    const double percent = 100.0 * static_cast<double>(ours) / static_cast<double>(theirs);
    table += fmt::format("{:>10} {:>10} {:>10} {:>6.1f}  {}\n", texts[module.text], theirs, ours,
                         percent, module.name);
    EXPECT_LE(percent, 70.0) << module.name;
  }
  RecordProperty("sizes", table);
  if (std::getenv("MLF_SHOW_TABLES") != nullptr) fmt::print("{}", table);
}

}  // namespace
}  // namespace mlf::tir
