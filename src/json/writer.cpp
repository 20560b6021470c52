#include "json/writer.h"

#include <array>
#include <charconv>
#include <cmath>

#include "json/text.h"
#include "support/base64.h"

namespace mlf::json {

Writer::Writer(support::ByteSink& sink, JsonLayout layout)
    : sink_(sink), layout_(layout), buffer_(std::make_unique_for_overwrite<char[]>(kBufferBytes)) {}

void Writer::append_over_end(std::string_view text) {
  flush();
  if (text.size() > kBufferBytes) return sink_.write(text);
  append(text);
}

// What follows is the first part of a container, before which there is no comma.
void Writer::open(char bracket) {
  separate();
  put(bracket);
  ++depth_;
  first_ = true;
}

// An empty container stays on its line.
void Writer::close(char bracket) {
  --depth_;
  if (!first_) new_line();
  put(bracket);
  first_ = false;
}

// Called before every value and key: the comma after the one before, and the line.
void Writer::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (!first_) put(',');
  if (depth_ > 0) new_line();
  first_ = false;
}

void Writer::new_line() {
  // Compact documents are one line.
  if (layout_ == JsonLayout::compact) return;
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

// Keys of ours, which need no escapes; `text_key` is for those of a document.
void Writer::key(std::string_view name) {
  separate();
  put('"');
  append(name);
  end_key();
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

void Writer::integer(std::int64_t value) {
  separate();
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  append({digits.data(), end});
}

// Beyond 2^53 JavaScript and jq lose digits of a number.
void Writer::integer_string(std::int64_t value) {
  separate();
  std::array<char, 24> digits;
  digits.front() = '"';
  const auto end = std::to_chars(digits.data() + 1, digits.data() + digits.size(), value).ptr;
  *end = '"';
  append({digits.data(), end + 1});
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

// Past the buffer, because constants are larger than it.
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

void Writer::flush() {
  sink_.write({buffer_.get(), size_});
  size_ = 0;
}

}  // namespace mlf::json
