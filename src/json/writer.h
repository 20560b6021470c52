// Writes JSON text value by value: no tree of values, one buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "mlf/json_layout.h"
#include "support/byte_sink.h"

namespace mlf::json {

/// The caller opens, fills and closes in the right order; commas, escapes and layout are done
/// here. Nothing is flushed by the destructor.
class Writer {
 public:
  Writer(support::ByteSink& sink, JsonLayout layout);
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }

  /// A key of the format: ASCII that needs no escape.
  void key(std::string_view name);
  /// A key that comes from the IR: any bytes.
  void text_key(std::string_view bytes);

  /// Any bytes, by the rule of text.h.
  void string(std::string_view bytes);
  void integer(std::int64_t value);
  /// An integer as a decimal string, for 64-bit values.
  void integer_string(std::int64_t value);
  /// Shortest decimal that reads back as the same double, with a point or an exponent; strings
  /// "inf", "-inf", "nan" and "-nan".
  void real(double value);
  void boolean(bool value);
  void null();
  void base64(std::span<const std::byte> data);
  /// Text that is JSON already.
  void raw(std::string_view json);

  /// Ends the text with a newline.
  void end_line() { put('\n'); }
  void flush();

 private:
  // Sinks are called for blocks of this size, not for every number.
  static constexpr std::size_t kBufferBytes = 64 * 1024;

  void open(char bracket);
  void close(char bracket);
  void separate();
  void new_line();
  void end_key();
  // Half of all bytes of structure come one at a time: a call of memcpy each would be most of it.
  void put(char character) {
    if (size_ == kBufferBytes) flush();
    buffer_[size_++] = character;
  }
  void append(std::string_view text) {
    if (text.size() > kBufferBytes - size_) return append_over_end(text);
    text.copy(buffer_.get() + size_, text.size());  // memcpy would refuse an empty view's null
    size_ += text.size();
  }
  void append_over_end(std::string_view text);
  void append_escaped(std::string_view bytes);

  support::ByteSink& sink_;
  JsonLayout layout_;
  // Not a std::string: most of what is written is a few bytes, for which its growth checks cost
  // more than the copy.
  std::unique_ptr<char[]> buffer_;
  std::size_t size_ = 0;
  std::uint32_t depth_ = 0;
  bool first_ = true;  // the innermost container is empty so far
  bool after_key_ = false;
};

}  // namespace mlf::json
