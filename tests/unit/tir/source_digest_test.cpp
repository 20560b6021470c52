// The digest that a document has of its source.
#include <gtest/gtest.h>

#include "support/sha256.h"

namespace mlf::tir {
namespace {

constexpr std::string_view kScript =
    "# from tvm.script import tir as T\n\n@T.prim_func\ndef f(x: T.int32):\n    T.evaluate(x)\n";
constexpr std::string_view kC =
    "// tvm target: c -keys=cpu \n"
    "TVM_DLL int32_t f(float* p0) {\n  return 0;\n}\n";

std::string digest_in(const Input& input) {
  return read(input).value().source.sha256;
}

TEST(SourceDigest, IsCountedWhereTheCallerDoesNotKnowIt) {
  for (const std::string_view text : {kScript, kC}) {
    EXPECT_EQ(digest_in({.file = "f", .member = {}, .text = text}), support::sha256_hex(text));
  }
}

TEST(SourceDigest, IsAskedOfTheCallerOnceWhereItKnowsIt) {
  for (const std::string_view text : {kScript, kC}) {
    int asked = 0;
    const auto known = [&] {
      ++asked;
      return std::string("known");
    };
    EXPECT_EQ(digest_in({.file = "f", .member = {}, .text = text, .sha256 = known}), "known");
    EXPECT_EQ(asked, 1);
  }
}

TEST(SourceDigest, OfALongTextIsTheSame) {
  std::string text(kScript);
  // Comments, until it is worth a thread.
  while (text.size() < (std::size_t{1} << 20)) text += "# as long as it takes\n";
  EXPECT_EQ(digest_in({.file = "f", .member = {}, .text = text}), support::sha256_hex(text));
}

}  // namespace
}  // namespace mlf::tir
