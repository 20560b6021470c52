#include "support/base64.h"

#include <algorithm>
#include <cstdint>

namespace mlf::support {
namespace {

constexpr std::size_t kGroupsAtOnce = 1U << 12;  // of three bytes; their text stays in the cache
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

/// Writes four characters.
char* write_group(std::span<const std::byte, 3> bytes, char* out) {
  std::uint32_t bits = 0;
  for (const std::byte byte : bytes) bits = bits << 8 | std::to_integer<std::uint32_t>(byte);
  out[0] = kAlphabet[bits >> 18];
  out[1] = kAlphabet[bits >> 12 & 63];
  out[2] = kAlphabet[bits >> 6 & 63];
  out[3] = kAlphabet[bits & 63];
  return out + 4;
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

void Base64Encoder::encode(std::span<const std::byte> data) {
  std::array<char, 4 * kGroupsAtOnce> buffer;
  while (data.size() >= 3) {
    const std::size_t groups = std::min(data.size() / 3, kGroupsAtOnce);
    char* out = buffer.data();
    for (std::size_t i = 0; i < groups; ++i) out = write_group(data.subspan(3 * i).first<3>(), out);
    sink_.write({buffer.data(), out});
    data = data.subspan(3 * groups);
  }
}

void Base64Encoder::write(std::span<const std::byte> data) {
  // Groups are of three bytes, whatever the size of what is written at once.
  while (carried_ != 0 && carried_ < 3 && !data.empty()) {
    carry_[static_cast<std::size_t>(carried_++)] = data.front();
    data = data.subspan(1);
  }
  if (carried_ == 3) {
    encode(carry_);
    carried_ = 0;
  }
  // One or two bytes may be left for the next call, or for the padding.
  const std::size_t whole = data.size() / 3 * 3;
  encode(data.first(whole));
  for (const std::byte rest : data.subspan(whole))
    carry_[static_cast<std::size_t>(carried_++)] = rest;
}

void Base64Encoder::finish() {
  if (carried_ == 0) return;
  std::fill(carry_.begin() + carried_, carry_.end(), std::byte{});
  std::array<char, 4> group{};
  write_group(carry_, group.data());
  std::fill(group.begin() + carried_ + 1, group.end(), '=');
  sink_.write({group.data(), group.size()});
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
