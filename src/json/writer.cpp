#include "json/writer.h"

#include <charconv>
#include <cmath>
#include <stdexcept>

#include "json/text.h"
#include "support/base64.h"

namespace mlf::json {

Piece::Piece(std::string_view text) : size_(static_cast<std::uint8_t>(text.size())) {
  if (text.size() > kMost) throw std::length_error("a word of the format is too long");
  text.copy(text_.data(), text.size());
}

Piece Piece::key(std::string_view name) {
  return Piece(std::string(",\"").append(name).append("\":"));
}

Piece Piece::object(std::string_view key, std::string_view text) {
  return Piece(std::string("{\"").append(key).append("\":\"").append(text).append("\""));
}

Piece Piece::string(std::string_view text) {
  return Piece(std::string("\"").append(text).append("\""));
}

Writer::Writer(support::ByteSink& sink, JsonLayout layout)
    : sink_(sink), layout_(layout), buffer_(std::make_unique_for_overwrite<char[]>(kBufferBytes)) {}

void Writer::append_over_end(std::string_view text) {
  flush();
  if (text.size() > kBufferBytes) return sink_.write(text);
  append(text);
}

// For indented documents; compact ones have a single line.
void Writer::new_line() {
  constexpr std::string_view kSpaces = "                                                ";
  put('\n');
  std::size_t spaces = 2 * std::size_t{depth_};
  for (; spaces > kSpaces.size(); spaces -= kSpaces.size()) append(kSpaces);
  append(kSpaces.substr(0, spaces));
}

void Writer::end_key() {
  put('"');
  put(':');
  if (layout_ != JsonLayout::compact) put(' ');
  after_key_ = true;
}

// For keys of the format, which need no escapes; `text_key` is for keys from the IR.
void Writer::key(std::string_view name) {
  separate();
  put('"');
  append(name);
  end_key();
}

void Writer::key_of_piece(const Piece& name) {
  constexpr std::size_t kComma = 1;
  constexpr std::size_t kColon = 1;
  separate();
  append(name.text().substr(kComma, name.text().size() - kComma - kColon));
  put(':');
  if (layout_ != JsonLayout::compact) put(' ');
  after_key_ = true;
}

void Writer::begin_object_of_piece(const Piece& opening) {
  const std::string_view text = opening.text();
  const std::size_t colon = text.find(':');
  begin_object();
  separate();
  append(text.substr(1, colon));
  put(' ');
  append(text.substr(colon + 1));
}

void Writer::text_key(std::string_view bytes) {
  separate();
  put('"');
  append_escaped(bytes);
  end_key();
}

void Writer::append_escaped(std::string_view bytes) {
  if (is_plain(bytes)) return append(bytes);
  std::string text;
  json::append_escaped(text, bytes);
  append(text);
}

void Writer::string(std::string_view bytes) {
  separate();
  put('"');
  append_escaped(bytes);
  put('"');
}

void Writer::append_digits(std::int64_t value) {
  constexpr std::size_t kMost = 24;
  if (kBufferBytes - size_ < kMost) flush();
  char* const begin = buffer_.get() + size_;
  size_ += static_cast<std::size_t>(std::to_chars(begin, begin + kMost, value).ptr - begin);
}

// Beyond 2^53 JavaScript and jq lose digits of a number.
void Writer::integer_string(std::int64_t value) {
  separate();
  put('"');
  append_digits(value);
  put('"');
}

// std::to_chars: the shortest digits that read back as the same double.
void Writer::real(double value) {
  if (std::isnan(value)) return string(std::signbit(value) ? "-nan" : "nan");
  if (std::isinf(value)) return string(value < 0 ? "-inf" : "inf");
  separate();
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  const std::string_view text(digits.data(), static_cast<std::size_t>(end - digits.data()));
  append(text);
  // Without a point "-0" would read back as the integer 0.
  if (text.find_first_of(".e") == text.npos) append(".0");
}

void Writer::boolean(bool value) {
  raw(value ? "true" : "false");
}

void Writer::null() {
  raw("null");
}

// Bypasses the buffer, because constants are larger.
void Writer::base64(std::span<const std::byte> data) {
  separate();
  put('"');
  flush();
  support::Base64Encoder encoder(sink_);
  encoder.write(data);
  encoder.finish();
  put('"');
}

// Words of JSON, which need no quotes.
void Writer::raw(std::string_view json) {
  separate();
  append(json);
}

void Writer::text_or_null(std::string_view name, std::string_view text) {
  key(name);
  text.empty() ? null() : string(text);
}

void Writer::flush() {
  sink_.write({buffer_.get(), size_});
  size_ = 0;
}

}  // namespace mlf::json
