#include "support/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace mlf::support {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint32_t kForeign = 1U << 31;

/// The bits of each character at each place of a group, `kForeign` of those outside of the
/// alphabet.
constexpr auto kBits = [] {
  std::array<std::array<std::uint32_t, 256>, 4> bits{};
  for (std::size_t place = 0; place < 4; ++place) {
    bits[place].fill(kForeign);
    for (std::uint32_t i = 0; i < kAlphabet.size(); ++i) {
      bits[place][static_cast<unsigned char>(kAlphabet[i])] = i << (18 - 6 * place);
    }
  }
  return bits;
}();

std::uint32_t bits_of(std::string_view group, std::size_t place) {
  return kBits[place][static_cast<unsigned char>(group[place])];
}

std::size_t padding_of(std::string_view text) {
  return text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
}

}  // namespace

// Strict, because a constant that decodes in two ways would have two digests.
std::optional<std::vector<std::byte>> base64_decode(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t padding = padding_of(text);
  std::vector<std::byte> data(text.size() / 4 * 3);
  std::byte* out = data.data();
  const auto put = [&](std::uint32_t bits) {
    out[0] = static_cast<std::byte>(bits >> 16);
    out[1] = static_cast<std::byte>(bits >> 8);
    out[2] = static_cast<std::byte>(bits);
    out += 3;
  };
  std::uint32_t seen = 0;
  const std::size_t last = padding == 0 ? text.size() : text.size() - 4;
  for (std::size_t at = 0; at < last; at += 4) {
    const std::string_view group = text.substr(at, 4);
    const std::uint32_t bits =
        bits_of(group, 0) | bits_of(group, 1) | bits_of(group, 2) | bits_of(group, 3);
    seen |= bits;
    put(bits);
  }
  if (padding != 0) {
    const std::string_view group = text.substr(last);
    std::uint32_t bits = 0;
    for (std::size_t place = 0; place < 4 - padding; ++place) bits |= bits_of(group, place);
    // Bits that belong to no byte are zero.
    if ((bits & ((1U << (8 * padding)) - 1)) != 0) return std::nullopt;
    seen |= bits;
    put(bits);
    data.resize(data.size() - padding);
  }
  if ((seen & kForeign) != 0) return std::nullopt;
  return data;
}

// For messages only, after decoding has failed.
std::size_t base64_error_offset(std::string_view text) {
  const std::size_t foreign = text.find_first_not_of(kAlphabet);
  if (foreign == std::string_view::npos) return text.size();
  const bool is_padding = text.size() % 4 == 0 && foreign >= text.size() - padding_of(text);
  return is_padding ? foreign - 1 : foreign;
}

void Base64Encoder::write(std::span<const std::byte> data) {
  constexpr std::size_t kAtOnce = 12288;  // its text stays in the cache
  std::array<char, BASE64_ENCODE_LENGTH(kAtOnce)> text;
  while (!data.empty()) {
    const auto part = data.first(std::min(data.size(), kAtOnce));
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(part.data());
    sink_.write({text.data(), base64_encode_update(&state_, text.data(), part.size(), bytes)});
    data = data.subspan(part.size());
  }
}

void Base64Encoder::finish() {
  std::array<char, BASE64_ENCODE_FINAL_LENGTH> text;
  sink_.write({text.data(), base64_encode_final(&state_, text.data())});
}

void append_base64(std::string& text, std::span<const std::byte> data) {
  StringSink sink;
  Base64Encoder encoder(sink);
  encoder.write(data);
  encoder.finish();
  text += sink.text();
}

}  // namespace mlf::support
