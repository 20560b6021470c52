// Base64 with the standard alphabet and padding, without line breaks, as TVM writes it.
#pragma once

#include <nettle/base64.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/byte_sink.h"

namespace mlf::support {

/// Decodes strictly: whole groups of four, padding only at the end, no other character, unused bits
/// zero. Returns nullopt for other texts.
std::optional<std::vector<std::byte>> base64_decode(std::string_view text);

/// Returns the offset of the first character that makes `text` malformed, or its size if the length
/// is wrong.
std::size_t base64_error_offset(std::string_view text);

/// Encodes data block by block; its memory does not grow with the data.
class Base64Encoder {
 public:
  explicit Base64Encoder(ByteSink& sink) : sink_(sink) { base64_encode_init(&state_); }
  Base64Encoder(const Base64Encoder&) = delete;
  Base64Encoder& operator=(const Base64Encoder&) = delete;

  void write(std::span<const std::byte> data);
  /// Writes the last group and its padding. Call it last.
  void finish();

 private:
  ByteSink& sink_;
  base64_encode_ctx state_{};
};

/// Appends the encoding of `data` to `text`.
void append_base64(std::string& text, std::span<const std::byte> data);

}  // namespace mlf::support
