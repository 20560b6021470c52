// What TVM 0.16.dev0 and 0.9.dev0 printed, against save_json of the same module.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <vector>

#include "mlf/tir/compare.h"
#include "reading.h"

namespace mlf::tir::repr {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = MLF_TEST_DATA "/tir/repr";

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> pair_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".txt") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

class ReprPairs : public testing::TestWithParam<std::string> {};

TEST_P(ReprPairs, SayWhatTheCompilerHadAndListWhatTheTextLost) {
  const std::string text = contents(kFolder / (GetParam() + ".txt"));
  const std::string json = contents(kFolder / (GetParam() + ".json"));
  const Document printed = read_text(text);
  const Document saved = read_text(json);
  ASSERT_EQ(printed.source.dialect, Dialect::repr_text);
  const Comparison result =
      compare(saved.module, printed.module, Tolerance::of(Dialect::repr_text));
  for (const Difference& difference : result.differences) ADD_FAILURE() << to_string(difference);
  EXPECT_GT(result.nodes, 0u);
  std::set<LossCode> unlisted;
  for (const Tolerated& tolerated : result.tolerated) {
    if (!lost(printed, tolerated.loss)) unlisted.insert(tolerated.loss);
  }
  for (const LossCode loss : unlisted) ADD_FAILURE() << info(loss).code << " is not listed";
}

INSTANTIATE_TEST_SUITE_P(Tvm, ReprPairs, testing::ValuesIn(pair_names()),
                         [](const auto& pair) { return pair.param; });

TEST(ReprPairs, NoticeAChangedNumber) {
  const std::string json = contents(kFolder / "beside_relay.json");
  std::string text = contents(kFolder / "beside_relay.txt");
  text.replace(text.find("> 3)"), 4, "> 4)");
  const Document saved = read_text(json);
  const Document printed = read_text(text);
  EXPECT_FALSE(compare(saved.module, printed.module, Tolerance::of(Dialect::repr_text)).equal());
}

}  // namespace
}  // namespace mlf::tir::repr
