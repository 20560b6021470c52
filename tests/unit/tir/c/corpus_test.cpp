// Real archives: every function of every C file is read.
#include <cstdio>
#include <filesystem>

#include "archives.h"
#include "reading.h"
#include "support/corpus_directory.h"
#include "unit/tir/compare/corpus.h"
#include "unit/tir/json/documents.h"

namespace mlf::tir::c {
namespace {

namespace fs = std::filesystem;

struct Totals {
  std::size_t modules = 0;
  std::size_t functions = 0;
  std::size_t opaque = 0;
};

/// What was read is a whole module: tir-N.json takes it and gives it back.
void expect_writable(const std::string& name, const Document& document) {
  const std::string json = json_of(document);
  const auto again = read({"tir.json", {}, json});
  ASSERT_TRUE(again) << name << ": " << to_string(again.error());
  EXPECT_TRUE(json_of(*again) == json) << name;
}

void count(const std::string& name, const Document& document, Totals& totals) {
  expect_writable(name, document);
  ++totals.modules;
  totals.functions += document.module.root().map(f::IRModule::functions).size();
  for (const Loss& loss : document.losses) {
    if (loss.code != LossCode::unknown_construct) continue;
    ++totals.opaque;
    if (shows_tables()) {
      std::printf("%s %s: %s\n", name.c_str(), loss.where.c_str(), loss.name.c_str());
    }
  }
}

Totals read_all(const fs::path& root) {
  Totals totals;
  for (const fs::path& tar : archives(root)) {
    const std::vector<SourceFile> files = c_files(tar);
    for (const std::string& module : modules(files)) {
      for (const std::string& kind : target_kinds(files)) {
        const Document document = read_c(sources_for(files, module, kind));
        count(tar.parent_path().string() + " " + module + " " + kind, document, totals);
      }
    }
  }
  std::printf("%zu modules, %zu functions, %zu opaque\n", totals.modules, totals.functions,
              totals.opaque);
  return totals;
}

TEST(CArchives, OfTheTestsAreReadWhole) {
  const Totals totals = read_all(MLF_TEST_DATA "/c");
  EXPECT_GE(totals.functions, 15u);
  EXPECT_EQ(totals.opaque, 0u);
}

TEST(CArchives, OfTheCorpusAreReadWhole) {
  const Totals totals = read_all(test::corpus_directory());
  EXPECT_GT(totals.functions, test::of_corpus(700, 70));
  EXPECT_EQ(totals.opaque, 0u);
}

}  // namespace
}  // namespace mlf::tir::c
