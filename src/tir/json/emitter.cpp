#include "tir/json/emitter.h"

#include <array>
#include <charconv>
#include <cmath>

#include "support/base64.h"
#include "tir/json/text.h"

namespace mlf::tir::json {
namespace {

constexpr std::size_t kBufferBytes = 64 * 1024;

bool needs_no_escape(unsigned char byte) {
  return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

}  // namespace

void Emitter::open(char bracket) {
  separate();
  buffer_ += bracket;
  ++depth_;
  first_ = true;
}

void Emitter::close(char bracket) {
  --depth_;
  if (!first_) new_line();
  buffer_ += bracket;
  first_ = false;
  spill();
}

void Emitter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (!first_) buffer_ += ',';
  if (depth_ > 0) new_line();
  first_ = false;
}

void Emitter::new_line() {
  if (layout_ == JsonLayout::compact) return;
  buffer_ += '\n';
  buffer_.append(2 * std::size_t{depth_}, ' ');
}

void Emitter::key(std::string_view name) {
  separate();
  buffer_ += '"';
  buffer_ += name;
  buffer_ += layout_ == JsonLayout::compact ? "\":" : "\": ";
  after_key_ = true;
}

void Emitter::text_key(std::string_view bytes) {
  separate();
  quote(bytes);
  buffer_ += layout_ == JsonLayout::compact ? ":" : ": ";
  after_key_ = true;
}

void Emitter::string(std::string_view bytes) {
  separate();
  quote(bytes);
  spill();
}

void Emitter::quote(std::string_view bytes) {
  buffer_ += '"';
  while (!bytes.empty()) {
    std::size_t plain = 0;
    while (plain < bytes.size() && needs_no_escape(static_cast<unsigned char>(bytes[plain]))) {
      ++plain;
    }
    buffer_ += bytes.substr(0, plain);
    bytes.remove_prefix(plain);
    if (bytes.empty()) break;
    const auto byte = static_cast<unsigned char>(bytes.front());
    const std::size_t length = byte < 0x80 ? 0 : plain_character(bytes);
    if (length == 0) escape(byte);
    buffer_ += bytes.substr(0, length);
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  buffer_ += '"';
}

void Emitter::escape(unsigned char byte) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (byte) {
    case '"':
      buffer_ += "\\\"";
      return;
    case '\\':
      buffer_ += "\\\\";
      return;
    case '\n':
      buffer_ += "\\n";
      return;
    case '\t':
      buffer_ += "\\t";
      return;
    case '\r':
      buffer_ += "\\r";
      return;
    default:
      break;
  }
  if (byte >= 0x80) {
    buffer_ += escaped_byte(byte);
    return;
  }
  buffer_ += "\\u00";
  buffer_ += kHex[byte >> 4];
  buffer_ += kHex[byte & 15];
}

void Emitter::integer(std::int64_t value) {
  separate();
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  buffer_.append(digits.data(), end);
}

void Emitter::integer_string(std::int64_t value) {
  separate();
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  buffer_ += '"';
  buffer_.append(digits.data(), end);
  buffer_ += '"';
}

void Emitter::real(double value) {
  if (std::isnan(value)) return string(std::signbit(value) ? "-nan" : "nan");
  if (std::isinf(value)) return string(value < 0 ? "-inf" : "inf");
  separate();
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  const std::string_view text(digits.data(), static_cast<std::size_t>(end - digits.data()));
  buffer_ += text;
  // Without a point "-0" would read back as the integer 0.
  if (text.find_first_of(".e") == text.npos) buffer_ += ".0";
}

void Emitter::boolean(bool value) {
  raw(value ? "true" : "false");
}

void Emitter::null() {
  raw("null");
}

void Emitter::base64(std::span<const std::byte> data) {
  separate();
  buffer_ += '"';
  flush();
  support::Base64Encoder encoder(sink_);
  encoder.write(data);
  encoder.finish();
  buffer_ += '"';
}

void Emitter::raw(std::string_view json) {
  separate();
  buffer_ += json;
}

void Emitter::spill() {
  if (buffer_.size() >= kBufferBytes) flush();
}

void Emitter::flush() {
  sink_.write(buffer_);
  buffer_.clear();
}

}  // namespace mlf::tir::json
