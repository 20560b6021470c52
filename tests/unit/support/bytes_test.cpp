// Bytes as digests and as text.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "support/base64.h"
#include "support/sha256.h"

namespace mlf::support {
namespace {

// --- SHA-256 -------------------------------------------------------------------------------------

// FIPS 180-4 examples.
TEST(Sha256, OfKnownTextsIsCorrect) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, PiecesDoNotMatter) {
  Sha256 digest;
  for (const char c : std::string_view("abc")) digest.update({&c, 1});
  EXPECT_EQ(digest.hex(), sha256_hex("abc"));
}

TEST(HashingSink, ForwardsAllBytes) {
  StringSink text;
  HashingSink sink(text);
  sink.write("a");
  sink.write("bc");
  EXPECT_EQ(text.text(), "abc");
  EXPECT_EQ(sink.hex(), sha256_hex("abc"));
}

// --- Base64 --------------------------------------------------------------------------------------

std::vector<std::byte> bytes(std::string_view text) {
  const auto* const data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}

std::string encoded(std::string_view text) {
  std::string result;
  append_base64(result, bytes(text));
  return result;
}

TEST(Base64, FollowsTheExamplesOfRfc4648) {
  const std::pair<std::string_view, std::string_view> examples[] = {{"", ""},
                                                                    {"f", "Zg=="},
                                                                    {"fo", "Zm8="},
                                                                    {"foo", "Zm9v"},
                                                                    {"foob", "Zm9vYg=="},
                                                                    {"fooba", "Zm9vYmE="},
                                                                    {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, text] : examples) {
    EXPECT_EQ(encoded(plain), text);
    EXPECT_EQ(base64_decode(text), bytes(plain));
  }
}

TEST(Base64, IsDecodedForAnySplitOfTheInput) {
  std::vector<std::byte> data(100'003);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i * 37 >> 3);
  std::string whole;
  append_base64(whole, data);
  EXPECT_EQ(base64_decode(whole), data);
  for (const std::size_t block : {1u, 2u, 4u, 1000u, 65'537u}) {
    StringSink sink;
    Base64Encoder encoder(sink);
    for (std::size_t at = 0; at < data.size(); at += block) {
      encoder.write(std::span(data).subspan(at, std::min(block, data.size() - at)));
    }
    encoder.finish();
    EXPECT_EQ(sink.text(), whole) << block;
  }
}

TEST(Base64, RefusesWhatIsNotExactlyBase64AndSaysWhere) {
  const std::pair<std::string_view, std::size_t> cases[] = {
      {"Zg=", 2},        // no whole group
      {"Zg", 2},         //
      {" Zg=", 0},       // white space
      {"Zm9v\n", 4},     //
      {"Zm9v\nZm9", 4},  //
      {"Zg==Zm9v", 2},   // padding inside
      {"Z===", 1},       //
      {"Zm9*", 3},       // foreign character
      {"Zh==", 1},       // leftover bits
      {"Zm9=", 2},       //
  };
  for (const auto& [text, offset] : cases) {
    EXPECT_FALSE(base64_decode(text)) << text;
    EXPECT_EQ(base64_error_offset(text), offset) << text;
  }
}

}  // namespace
}  // namespace mlf::support
