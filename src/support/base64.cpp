#include "support/base64.h"

#include <openssl/evp.h>

#include <algorithm>

namespace mlf::support {
namespace {

// OpenSSL counts in int; chunks also keep the encoder's buffer in the cache.
constexpr std::size_t kGroupsAtOnce = 1u << 13;
constexpr std::size_t kAlphabetSize = 64;
constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static_assert(kAlphabet.size() == kAlphabetSize);

// OpenSSL takes unsigned char, everything else here is std::byte or char.
const unsigned char* unsigned_chars(const void* bytes) {
  return static_cast<const unsigned char*>(bytes);
}

std::size_t padding_of(std::string_view text) {
  return text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
}

// OpenSSL neither minds padding inside the text nor leftover bits in the last group.
bool ends_well(std::string_view text, std::size_t padding) {
  if (text.find('=') < text.size() - padding) return false;
  if (padding == 0) return true;
  const std::size_t last = kAlphabet.find(text[text.size() - padding - 1]);
  return last != std::string_view::npos && last % (padding == 1 ? 4 : 16) == 0;
}

}  // namespace

// Strict, because a constant that decodes in two ways would have two digests.
std::optional<std::vector<std::byte>> base64_decode(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  if (text.empty()) return std::vector<std::byte>();
  const std::size_t padding = padding_of(text);
  if (!ends_well(text, padding)) return std::nullopt;

  std::vector<std::byte> data(text.size() / 4 * 3);
  std::byte* out = data.data();
  for (std::size_t at = 0; at < text.size(); at += 4 * kGroupsAtOnce) {
    const std::string_view chunk = text.substr(at, 4 * kGroupsAtOnce);
    const int expected = static_cast<int>(chunk.size() / 4 * 3);
    // It skips white space at the ends, which then shows in the count.
    const int count = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out),
                                      unsigned_chars(chunk.data()), static_cast<int>(chunk.size()));
    if (count != expected) return std::nullopt;
    out += count;
  }
  data.resize(data.size() - padding);
  return data;
}

// For messages only, after decoding has failed.
std::size_t base64_error_offset(std::string_view text) {
  const std::size_t foreign = text.find_first_not_of(kAlphabet);
  if (foreign == std::string_view::npos) return text.size();
  const bool is_padding = text.size() % 4 == 0 && foreign >= text.size() - padding_of(text);
  return is_padding ? foreign - 1 : foreign;
}

void Base64Encoder::encode(std::span<const std::byte> data) {
  // One more for the zero that OpenSSL puts at the end.
  std::array<unsigned char, 4 * kGroupsAtOnce + 1> buffer;
  for (std::size_t at = 0; at < data.size(); at += 3 * kGroupsAtOnce) {
    const std::size_t size = std::min(data.size() - at, 3 * kGroupsAtOnce);
    const int count =
        EVP_EncodeBlock(buffer.data(), unsigned_chars(data.data() + at), static_cast<int>(size));
    sink_.write({reinterpret_cast<const char*>(buffer.data()), static_cast<std::size_t>(count)});
  }
}

void Base64Encoder::write(std::span<const std::byte> data) {
  // Groups are of three bytes, whatever the size of what is written at once.
  while (carried_ != 0 && carried_ < 3 && !data.empty()) {
    carry_[carried_++] = data.front();
    data = data.subspan(1);
  }
  if (carried_ == 3) {
    encode(carry_);
    carried_ = 0;
  }
  // One or two bytes may be left for the next call, or for the padding.
  const std::size_t whole = data.size() / 3 * 3;
  encode(data.first(whole));
  for (const std::byte rest : data.subspan(whole)) carry_[carried_++] = rest;
}

void Base64Encoder::finish() {
  encode(std::span(carry_).first(carried_));
  carried_ = 0;
}

void append_base64(std::string& text, std::span<const std::byte> data) {
  StringSink sink;
  Base64Encoder encoder(sink);
  encoder.write(data);
  encoder.finish();
  text += sink.text();
}

}  // namespace mlf::support
