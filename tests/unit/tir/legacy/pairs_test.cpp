// What TVM 0.9.dev0 printed, against save_json of the same module.
#include "unit/tir/text/pairs.h"
#include "reading.h"

namespace mlf::tir::legacy {
namespace {

using text::contents;

const std::filesystem::path kDirectory = MLF_TEST_DATA "/tir/legacy";

class LegacyPairs : public testing::TestWithParam<std::string> {};

TEST_P(LegacyPairs, SayWhatTheCompilerHadAndListWhatTheTextLost) {
  text::expect_what_was_saved(kDirectory, GetParam(), Dialect::legacy_text);
}

INSTANTIATE_TEST_SUITE_P(Tvm09, LegacyPairs, testing::ValuesIn(text::pair_names(kDirectory)),
                         [](const auto& pair) { return pair.param; });

TEST(LegacyMetadata, GivesTheObjectsBehindReferencesAndTheExactVersion) {
  const std::string text = contents(kDirectory / "metadata_section.txt");
  const Document d = read_text(text);
  EXPECT_EQ(d.source.tvm_version.exact, "0.9.dev0");
  EXPECT_FALSE(lost(d, LossCode::attr_object));
  const NodeMap attrs = function(d)[f::PrimFunc::attrs].map(f::DictAttrs::dict);
  EXPECT_EQ(attrs.find("nd").kind(), Kind::NDArray);
  EXPECT_EQ(attrs.find("map").kind(), Kind::StringMap);
}

TEST(LegacyMetadata, LeftOutLeavesReferences) {
  const std::string text = contents(kDirectory / "metadata_left_out.txt");
  const Document d = read_text(text);
  EXPECT_TRUE(lost(d, LossCode::attr_object));
  const NodeMap attrs = function(d)[f::PrimFunc::attrs].map(f::DictAttrs::dict);
  ASSERT_EQ(attrs.find("nd").kind(), Kind::MissingObject);
  EXPECT_EQ(attrs.find("nd").text(f::MissingObject::type_key), "runtime.NDArray");
}

}  // namespace
}  // namespace mlf::tir::legacy
