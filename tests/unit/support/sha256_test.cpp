#include "support/sha256.h"

#include <gtest/gtest.h>

namespace mlf::support {
namespace {

// FIPS 180-4 examples.
TEST(Sha256, OfKnownTexts) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, PiecesDoNotMatter) {
  Sha256 digest;
  for (const char c : std::string_view("abc")) digest.update({&c, 1});
  EXPECT_EQ(digest.hex(), sha256_hex("abc"));
}

TEST(HashingSink, PassesEverythingOn) {
  StringSink text;
  HashingSink sink(text);
  sink.write("a");
  sink.write("bc");
  EXPECT_EQ(text.text(), "abc");
  EXPECT_EQ(sink.hex(), sha256_hex("abc"));
}

}  // namespace
}  // namespace mlf::support
