// What TVM 0.16.dev0 and 0.9.dev0 printed, against save_json of the same module.
#include "unit/tir/text/pairs.h"
#include "reading.h"

namespace mlf::tir::repr {
namespace {

using text::contents;

const std::filesystem::path kDirectory = MLF_TEST_DATA "/tir/repr";

class ReprPairs : public testing::TestWithParam<std::string> {};

TEST_P(ReprPairs, SayWhatTheCompilerHadAndListWhatTheTextLost) {
  text::expect_what_was_saved(kDirectory, GetParam(), Dialect::repr_text);
}

INSTANTIATE_TEST_SUITE_P(Tvm, ReprPairs, testing::ValuesIn(text::pair_names(kDirectory)),
                         [](const auto& pair) { return pair.param; });

TEST(ReprPairs, DetectAChangedNumber) {
  const std::string json = contents(kDirectory / "beside_relay.json");
  std::string text = contents(kDirectory / "beside_relay.txt");
  text.replace(text.find("> 3)"), 4, "> 4)");
  const Document saved = read_text(json);
  const Document printed = read_text(text);
  EXPECT_FALSE(compare(saved.module, printed.module, Tolerance::of(Dialect::repr_text)).equal());
}

}  // namespace
}  // namespace mlf::tir::repr
