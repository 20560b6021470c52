// Texts of every dialect with one token replaced by another kind of token: a module, which all that
// works on modules takes, or a diagnostic with a place. A sample; $MLF_MUTANTS is the number of
// mutants of each dialect.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "graph/reconstruct.h"
#include "mlf/analysis/cost.h"
#include "mlf/model_library.h"
#include "mlf/tir/compare.h"
#include "mlf/tir/visit.h"
#include "mlf/tir/write.h"
#include "unit/tir/c/archives.h"
#include "unit/tir/compare/corpus.h"

namespace mlf::tir {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kReplacements[] = {
    "",      "x",    "T.x",  "0",  "-1", "2.5", "4294967296", "99999999999999999999",
    "\"s\"", "\"",   "-",    "=",  ":",  ",",   ".",          "@",
    "(",     ")",    "[",    "]",  "{",  "}",   "()",         "[]",
    "{}",    "None", "(0,)", "\n", "in", "if",  "for"};
/// Doubled, and each other token of the text once in a while.
constexpr std::size_t kWays = std::size(kReplacements) + 3;

struct Token {
  std::size_t begin;
  std::size_t end;
};

bool is_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Tokens of any of the languages: words with numbers, strings, and single characters.
std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at++;
    if (std::isspace(static_cast<unsigned char>(text[begin])) != 0) continue;
    if (text[begin] == '"') {
      while (at < text.size() && text[at] != '"' && text[at] != '\n')
        at += text[at] == '\\' ? 2 : 1;
      at = std::min(at + 1, text.size());
    } else if (is_of_word(text[begin])) {
      while (at < text.size() && is_of_word(text[at])) ++at;
    }
    tokens.push_back({begin, at});
  }
  return tokens;
}

class Mutants {
 public:
  explicit Mutants(std::vector<std::string> texts) : texts_(std::move(texts)) {
    for (const std::string& text : texts_) {
      tokens_.push_back(tokens_of(text));
      count_ += tokens_.back().size() * kWays;
    }
  }

  /// The number of mutants that there are.
  std::size_t count() const { return count_; }

  /// The sample: every mutant where there are not more, else the same ones each time.
  template <class Check>
  void each(std::size_t most, const Check& check) const {
    // A prime, so that each mutant comes once.
    constexpr std::size_t kStep = 7'368'787;
    for (std::size_t i = 0; i < std::min(most, count_); ++i) check(mutant(i * kStep % count_));
  }

 private:
  std::string mutant(std::size_t index) const {
    std::size_t text = 0;
    for (; index >= tokens_[text].size() * kWays; ++text) index -= tokens_[text].size() * kWays;
    const std::vector<Token>& tokens = tokens_[text];
    const Token token = tokens[index / kWays];
    const std::size_t way = index % kWays;
    const auto spelling = [&](Token one) {
      return texts_[text].substr(one.begin, one.end - one.begin);
    };
    std::string replacement;
    if (way < std::size(kReplacements)) {
      replacement = kReplacements[way];
    } else if (way == std::size(kReplacements)) {
      replacement = spelling(token) + " " + spelling(token);
    } else {
      replacement = spelling(tokens[index * 31 % tokens.size()]);
    }
    return texts_[text].substr(0, token.begin) + replacement + texts_[text].substr(token.end);
  }

  std::vector<std::string> texts_;
  std::vector<std::vector<Token>> tokens_;
  std::size_t count_ = 0;
};

/// What a user chose, else `sample`.
std::size_t chosen(std::size_t sample) {
  const char* const text = std::getenv("MLF_MUTANTS");
  return text == nullptr ? sample : std::strtoull(text, nullptr, 10);
}

/// After a crash, this file has the mutant.
void keep(const std::string& mutant) {
  static const bool is_campaign = std::getenv("MLF_MUTANTS") != nullptr;
  if (is_campaign) std::ofstream(testing::TempDir() + "mlf-mutant.txt") << mutant;
}

/// Texts that are bundled, also below directories, and the C of archives.
std::vector<std::string> texts_of(Dialect dialect) {
  const fs::path data(MLF_TEST_DATA);
  std::vector<fs::path> paths;
  for (const char* const directory : {"tir", "graph"}) {
    for (const auto& entry : fs::recursive_directory_iterator(data / directory)) {
      if (entry.is_regular_file()) paths.push_back(entry.path());
    }
  }
  std::ranges::sort(paths);
  std::vector<std::string> texts;
  const auto add = [&](std::string text) {
    if (detect(text) == dialect && text.size() < 40'000) texts.push_back(std::move(text));
  };
  for (const fs::path& path : paths) add(corpus::contents(path));
  if (dialect != Dialect::c) return texts;
  for (const fs::path& path : c::archives(data / "c")) {
    for (const c::SourceFile& file : c::c_files(path)) add(file.text);
  }
  return texts;
}

/// Empty where the result is a value, or an error that is not one of mlf itself.
template <class T>
std::string defect_of(const Result<T>& result) {
  const bool is_defect = !result && result.error().kind != ErrorKind::invalid_input;
  return is_defect ? to_string(result.error()) : std::string();
}

/// What goes wrong with a module; empty if nothing does.
std::string defect_of_uses(Document& document) {
  const Sink ignore = [](std::string_view) {};
  std::string found = defect_of(write_tir_json(document, {}, ignore));
  found += defect_of(write_tvmscript(document, {}, ignore));
  found += defect_of(write_save_json(document, ignore));
  found += defect_of(write_c(document, ignore));
  const Node root = document.module.root();
  if (!root.is(Kind::IRModule)) return found;
  const NodeMap functions = root.map(f::IRModule::functions);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    if (functions.value(i).is(Kind::PrimFunc)) analysis::kernel_cost(functions.value(i));
  }
  const graph::TirInput input{&document, "tir-1"};
  for (const graph::Topology& network : graph::reconstruct({&input, 1})) {
    static_cast<void>(analysis::ram_peak(network));
  }
  return found;
}

class DialectMutants : public testing::TestWithParam<Dialect> {};

TEST_P(DialectMutants, AreReadOrRefusedWithAPlace) {
  const Mutants mutants(texts_of(GetParam()));
  ASSERT_GT(mutants.count(), 10'000u);
  std::size_t read_ones = 0;
  std::size_t refused = 0;
  mutants.each(chosen(500), [&](const std::string& mutant) {
    keep(mutant);
    auto document =
        read({.file = "mutant", .member = {}, .text = mutant}, {.max_nodes = 1'000'000});
    ++(document ? read_ones : refused);
    std::string defect = defect_of(document);
    if (document) {
      try {
        defect += defect_of_uses(*document);
      } catch (const std::exception& error) {
        defect += error.what();
      }
    } else if (GetParam() != Dialect::save_json && document.error().where.line == 0) {
      defect += "no place: " + to_string(document.error());
    }
    if (!defect.empty()) ADD_FAILURE() << defect << "\n" << mutant;
  });
  EXPECT_GT(read_ones, 0u);
  EXPECT_GT(refused, 0u);
}

std::string name_of(const testing::TestParamInfo<Dialect>& info) {
  return std::string(to_string(info.param));
}

INSTANTIATE_TEST_SUITE_P(EveryText, DialectMutants,
                         testing::Values(Dialect::legacy_text, Dialect::tvmscript,
                                         Dialect::old_tvmscript,
                                         Dialect::save_json, Dialect::c),
                         name_of);

TEST(MetadataMutants, AreReadOrRefused) {
  std::vector<std::string> texts;
  for (const auto& entry : fs::directory_iterator(fs::path(MLF_TEST_DATA) / "metadata")) {
    texts.push_back(corpus::contents(entry.path()));
  }
  std::ranges::sort(texts);
  Mutants(texts).each(chosen(1'000), [](const std::string& mutant) {
    keep(mutant);
    EXPECT_EQ(defect_of(read_model_library(mutant, {})), "") << mutant;
  });
}

}  // namespace
}  // namespace mlf::tir
