// What TVM 0.16.dev0 printed, against save_json of the same module.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "mlf/tir/compare.h"
#include "reading.h"

namespace mlf::tir::tvmscript {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> pair_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(MLF_TEST_DATA "/tir/tvmscript")) {
    if (entry.path().extension() == ".txt") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

Document read_data(const std::string& name) {
  return read_script(contents(fs::path(MLF_TEST_DATA "/tir/tvmscript") / name));
}

class ScriptPairs : public testing::TestWithParam<std::string> {};

TEST_P(ScriptPairs, SaysWhatTheCompilerHad) {
  const Document printed = read_data(GetParam() + ".txt");
  const Document saved = read_data(GetParam() + ".json");
  const Comparison result =
      compare(saved.module, printed.module, Tolerance::of(Dialect::tvmscript));
  for (const Difference& difference : result.differences) ADD_FAILURE() << to_string(difference);
  EXPECT_GT(result.nodes, 0u);
}

TEST_P(ScriptPairs, NamesEveryLossThatTheComparisonTolerates) {
  const Document printed = read_data(GetParam() + ".txt");
  const Document saved = read_data(GetParam() + ".json");
  const Comparison result =
      compare(saved.module, printed.module, Tolerance::of(Dialect::tvmscript));
  for (const Tolerated& tolerated : result.tolerated) {
    const ToleranceRow& row = all_tolerances()[tolerated.row];
    if (row.dialect == Dialect::save_json) continue;
    EXPECT_TRUE(lost(printed, tolerated.loss)) << tolerated.path << ": " << to_string(row);
  }
}

INSTANTIATE_TEST_SUITE_P(Tvm016, ScriptPairs, testing::ValuesIn(pair_names()),
                         [](const auto& pair) { return pair.param; });

TEST(ScriptMetadata, OfTvmGivesTheExactVersion) {
  const Document d = read_data("metadata_section.txt");
  EXPECT_EQ(d.source.tvm_version.exact, "0.16.dev0");
  EXPECT_FALSE(lost(d, LossCode::attr_object));
  EXPECT_TRUE(lost(read_data("metadata_left_out.txt"), LossCode::attr_object));
}

}  // namespace
}  // namespace mlf::tir::tvmscript
