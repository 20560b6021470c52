// What TVM 0.9.dev0 printed, against save_json of the same module.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "mlf/tir/compare.h"
#include "reading.h"

namespace mlf::tir::legacy {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> pair_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(MLF_TEST_DATA "/tir/legacy")) {
    if (entry.path().extension() == ".txt") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

class LegacyPairs : public testing::TestWithParam<std::string> {
 protected:
  Document read_file(std::string_view extension) const {
    const fs::path path = MLF_TEST_DATA "/tir/legacy/" + GetParam() + std::string(extension);
    text_ = contents(path);
    return read_text(text_);
  }

 private:
  mutable std::string text_;
};

TEST_P(LegacyPairs, SaysWhatTheCompilerHad) {
  const Document printed = read_file(".txt");
  const Document saved = read_file(".json");
  const Comparison result =
      compare(saved.module, printed.module, Tolerance::of(Dialect::legacy_text));
  for (const Difference& difference : result.differences) ADD_FAILURE() << to_string(difference);
  EXPECT_GT(result.nodes, 0u);
}

INSTANTIATE_TEST_SUITE_P(Tvm09, LegacyPairs, testing::ValuesIn(pair_names()),
                         [](const auto& pair) { return pair.param; });

TEST(LegacyMetadata, GivesTheObjectsBehindReferencesAndTheExactVersion) {
  const std::string text = contents(MLF_TEST_DATA "/tir/legacy/metadata_section.txt");
  const Document d = read_text(text);
  EXPECT_EQ(d.source.tvm_version.exact, "0.9.dev0");
  EXPECT_FALSE(lost(d, LossCode::attr_object));
  const NodeMap attrs = function(d)[f::PrimFunc::attrs].map(f::DictAttrs::dict);
  EXPECT_EQ(attrs.find("nd").kind(), Kind::NDArray);
  EXPECT_EQ(attrs.find("map").kind(), Kind::StringMap);
}

TEST(LegacyMetadata, LeftOutLeavesReferences) {
  const std::string text = contents(MLF_TEST_DATA "/tir/legacy/metadata_left_out.txt");
  const Document d = read_text(text);
  EXPECT_TRUE(lost(d, LossCode::attr_object));
  const NodeMap attrs = function(d)[f::PrimFunc::attrs].map(f::DictAttrs::dict);
  ASSERT_EQ(attrs.find("nd").kind(), Kind::MissingObject);
  EXPECT_EQ(attrs.find("nd").text(f::MissingObject::type_key), "runtime.NDArray");
}

}  // namespace
}  // namespace mlf::tir::legacy
