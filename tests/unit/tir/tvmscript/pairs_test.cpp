// What TVM 0.9.dev0 and 0.16.dev0 printed, against save_json of the same module.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "reading.h"
#include "unit/tir/compare/text_tolerance.h"

namespace mlf::tir::tvmscript {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

constexpr std::string_view kData = MLF_TEST_DATA "/tir/";

/// Pairs of each directory: "tvmscript/blocks", "old_tvmscript/blocks".
std::vector<std::string> pair_names() {
  std::vector<std::string> names;
  for (const std::string directory : {"old_tvmscript", "tvmscript"}) {
    for (const auto& entry : fs::directory_iterator(std::string(kData) + directory)) {
      if (entry.path().extension() != ".txt") continue;
      names.push_back(directory + "/" + entry.path().stem().string());
    }
  }
  std::ranges::sort(names);
  return names;
}

Document read_data(const std::string& name) {
  return read_text(contents(std::string(kData) + name));
}

class ScriptPairs : public testing::TestWithParam<std::string> {
 protected:
  const Document printed_ = read_data(GetParam() + ".txt");
  const Document saved_ = read_data(GetParam() + ".json");
  const TextComparison result_ =
      compare(saved_.module, printed_.module, TextTolerance::of(printed_.source.dialect));
};

TEST_P(ScriptPairs, SaysWhatTheCompilerHad) {
  EXPECT_NE(printed_.source.dialect, Dialect::save_json);
  for (const Difference& difference : result_.differences) ADD_FAILURE() << to_string(difference);
  EXPECT_GT(result_.nodes, 0u);
}

TEST_P(ScriptPairs, NamesEveryLossThatTheComparisonTolerates) {
  for (const Tolerated& tolerated : result_.tolerated) {
    const ToleranceRow& row = all_tolerances()[tolerated.row];
    if (row.dialect == Dialect::save_json) continue;
    EXPECT_TRUE(lost(printed_, tolerated.loss)) << tolerated.path << ": " << to_string(row);
  }
}

INSTANTIATE_TEST_SUITE_P(Tvm, ScriptPairs, testing::ValuesIn(pair_names()), [](const auto& pair) {
  std::string name = pair.param;
  std::ranges::replace(name, '/', '_');
  return name;
});

TEST(ScriptMetadata, OfTvmGivesTheExactVersion) {
  const Document d = read_data("tvmscript/metadata_section.txt");
  EXPECT_EQ(d.source.tvm_version.exact, "0.16.dev0");
  EXPECT_FALSE(lost(d, LossCode::attr_object));
  EXPECT_TRUE(lost(read_data("tvmscript/metadata_left_out.txt"), LossCode::attr_object));
}

}  // namespace
}  // namespace mlf::tir::tvmscript
