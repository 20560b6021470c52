// Base64 with the standard alphabet and padding, without line breaks, as TVM writes it.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/byte_sink.h"

namespace mlf::support {

/// Decodes strictly: whole groups of four, padding only at the end, no other character, unused
/// bits zero. nullopt where the text is not that.
std::optional<std::vector<std::byte>> base64_decode(std::string_view text);

/// Offset of the first character that makes `text` malformed; its size where the length is wrong.
std::size_t base64_error_offset(std::string_view text);

/// Encodes what it is given, block by block; memory does not grow with the data.
class Base64Encoder {
 public:
  explicit Base64Encoder(ByteSink& sink) : sink_(sink) {}
  Base64Encoder(const Base64Encoder&) = delete;
  Base64Encoder& operator=(const Base64Encoder&) = delete;

  void write(std::span<const std::byte> data);
  /// Writes the last group and its padding. Nothing may be written afterwards.
  void finish();

 private:
  void encode(std::span<const std::byte> data);

  ByteSink& sink_;
  std::array<std::byte, 3> carry_{};
  std::size_t carried_ = 0;
};

/// Appends the encoding of `data` to `text`.
void append_base64(std::string& text, std::span<const std::byte> data);

}  // namespace mlf::support
