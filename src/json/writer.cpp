#include "json/writer.h"

#include <array>
#include <charconv>
#include <cmath>

#include "json/text.h"
#include "support/base64.h"

namespace mlf::json {
namespace {

// Sinks are called for blocks of this size, not for every number.
constexpr std::size_t kBufferBytes = 64 * 1024;

}  // namespace

// What follows is the first part of a container, before which there is no comma.
void Writer::open(char bracket) {
  separate();
  buffer_ += bracket;
  ++depth_;
  first_ = true;
}

// An empty container stays on its line.
void Writer::close(char bracket) {
  --depth_;
  if (!first_) new_line();
  buffer_ += bracket;
  first_ = false;
  spill();
}

// Called before every value and key: the comma after the one before, and the line.
void Writer::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (!first_) buffer_ += ',';
  if (depth_ > 0) new_line();
  first_ = false;
}

void Writer::new_line() {
  // Compact documents are one line.
  if (layout_ == JsonLayout::compact) return;
  buffer_ += '\n';
  buffer_.append(2 * std::size_t{depth_}, ' ');
}

// Keys of ours, which need no escapes; `text_key` is for those of a document.
void Writer::key(std::string_view name) {
  separate();
  buffer_ += '"';
  buffer_ += name;
  buffer_ += layout_ == JsonLayout::compact ? "\":" : "\": ";
  after_key_ = true;
}

void Writer::text_key(std::string_view bytes) {
  separate();
  append_quoted(buffer_, bytes);
  buffer_ += layout_ == JsonLayout::compact ? ":" : ": ";
  after_key_ = true;
}

void Writer::string(std::string_view bytes) {
  separate();
  append_quoted(buffer_, bytes);
  spill();
}

void Writer::integer(std::int64_t value) {
  separate();
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  buffer_.append(digits.data(), end);
}

// Beyond 2^53 JavaScript and jq lose digits of a number.
void Writer::integer_string(std::int64_t value) {
  separate();
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  buffer_ += '"';
  buffer_.append(digits.data(), end);
  buffer_ += '"';
}

// std::to_chars: the shortest digits that read back as the same double.
void Writer::real(double value) {
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

void Writer::boolean(bool value) {
  raw(value ? "true" : "false");
}

void Writer::null() {
  raw("null");
}

// Past the buffer, because constants are larger than it.
void Writer::base64(std::span<const std::byte> data) {
  separate();
  buffer_ += '"';
  flush();
  support::Base64Encoder encoder(sink_);
  encoder.write(data);
  encoder.finish();
  buffer_ += '"';
}

// Words of JSON, which need no quotes.
void Writer::raw(std::string_view json) {
  separate();
  buffer_ += json;
}

void Writer::spill() {
  if (buffer_.size() >= kBufferBytes) flush();
}

void Writer::flush() {
  sink_.write(buffer_);
  buffer_.clear();
}

}  // namespace mlf::json
