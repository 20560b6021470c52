// Writes JSON text value by value: no tree of values, one buffer.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

#include "mlf/formats.h"
#include "support/byte_sink.h"

namespace mlf::json {

/// A key or string of the format that is made once and written often. Copying a fixed size is
/// cheaper than determining the length.
class Piece {
 public:
  Piece() = default;
  /// `name`, ASCII that needs no escape, as the key of a member after the first: `,"name":`.
  static Piece key(std::string_view name);
  /// As a string: `"text"`.
  static Piece string(std::string_view text);
  /// An object and its first member, a string: `{"key":"text"`.
  static Piece object(std::string_view key, std::string_view text);

 private:
  friend class Writer;
  static constexpr std::size_t kMost = 56;

  /// Throws if the text is longer than any word of the format.
  explicit Piece(std::string_view text);

  std::string_view text() const { return {text_.data(), size_}; }

  std::array<char, kMost> text_{};
  std::uint8_t size_ = 0;
};

/// An optional or a pointer. An empty one is null in JSON.
template <class T>
concept Nullable = requires(const T& value) {
  *value;
  static_cast<bool>(value);
};

/// The caller opens, fills and closes in the right order; the writer adds commas, escapes and
/// layout. The destructor does not flush.
class Writer {
 public:
  Writer(support::ByteSink& sink, JsonLayout layout);
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void begin_object() { open('{'); }
  /// The same with the first member, from `opening`.
  void begin_object(const Piece& opening) {
    if (layout_ != JsonLayout::compact) return begin_object_of_piece(opening);
    separate();
    append(opening);
    ++depth_;
  }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }

  /// A key of the format: ASCII that needs no escape.
  void key(std::string_view name);
  void key(const Piece& name) {
    // Nearly all keys are those of compact documents and not the first of their object.
    if (layout_ != JsonLayout::compact || first_) return key_of_piece(name);
    append(name);
    after_key_ = true;
  }
  /// A key that comes from the IR: any bytes.
  void text_key(std::string_view bytes);

  /// Any bytes, by the rule of text.h.
  void string(std::string_view bytes);
  void string(const Piece& text) {
    separate();
    append(text);
  }
  void integer(std::int64_t value) {
    separate();
    if (value >= 0 && value < 10) return put(static_cast<char>('0' + value));
    append_digits(value);
  }
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

  /// Writes a text, a boolean or a number; a type with its own `write_json`; a Nullable; or a
  /// list of any of these.
  template <class T>
  void value(const T& value);
  /// A key of the format, a text or a Piece, with its value.
  template <class T>
  void member(const auto& name, const T& value) {
    key(name);
    this->value(value);
  }
  /// Null if it is empty.
  void text_or_null(std::string_view name, std::string_view text);
  /// An object, the members of which `write_members()` writes.
  template <std::invocable WriteMembers>
  void object(std::string_view name, WriteMembers write_members) {
    key(name);
    begin_object();
    write_members();
    end_object();
  }
  /// A list, the elements of which `write_elements()` writes.
  template <std::invocable WriteElements>
  void array(std::string_view name, WriteElements write_elements) {
    key(name);
    begin_array();
    write_elements();
    end_array();
  }
  /// Writes an object by `write_members(*this, value)`; a Nullable may be null.
  template <class T, class WriteMembers>
  void object(std::string_view name, const T& value, WriteMembers write_members);
  /// Writes a list of objects, each by `write_members(*this, element)`; a Nullable may be null.
  template <class List, class WriteMembers>
  void objects(std::string_view name, const List& list, WriteMembers write_members);

  /// Ends the text with a newline.
  void end_line() { put('\n'); }
  void flush();

 private:
  // Sinks are called for blocks of this size, not for every number.
  static constexpr std::size_t kBufferBytes = 64 * 1024;

  // The next value is the first of a container, without a comma before it.
  void open(char bracket) {
    separate();
    put(bracket);
    ++depth_;
    first_ = true;
  }
  // An empty container stays on its line.
  void close(char bracket) {
    --depth_;
    if (layout_ != JsonLayout::compact && !first_) new_line();
    put(bracket);
    first_ = false;
  }
  // Called before every value and key: writes the comma after the previous one, and the line break.
  void separate() {
    if (after_key_) {
      after_key_ = false;
      return;
    }
    if (!first_) put(',');
    first_ = false;
    if (layout_ != JsonLayout::compact && depth_ > 0) new_line();
  }
  void new_line();
  void key_of_piece(const Piece& name);
  void begin_object_of_piece(const Piece& opening);
  void end_key();
  // Half of all structural bytes come one at a time: a call of memcpy for each would take most of
  // the time.
  void put(char character) {
    if (size_ == kBufferBytes) flush();
    buffer_[size_++] = character;
  }
  void append(std::string_view text) {
    if (text.size() > kBufferBytes - size_) return append_over_end(text);
    text.copy(buffer_.get() + size_, text.size());  // memcpy would refuse an empty view's null
    size_ += text.size();
  }
  void append(const Piece& piece) {
    if (kBufferBytes - size_ < Piece::kMost) flush();
    std::memcpy(buffer_.get() + size_, piece.text_.data(), Piece::kMost);
    size_ += piece.size_;
  }
  void append_over_end(std::string_view text);
  void append_digits(std::int64_t value);
  void append_escaped(std::string_view bytes);

  support::ByteSink& sink_;
  JsonLayout layout_;
  // Not a std::string: most writes are of a few bytes, for which its growth checks cost more than
  // the copy.
  std::unique_ptr<char[]> buffer_;
  std::size_t size_ = 0;
  std::uint32_t depth_ = 0;
  bool first_ = true;  // the innermost container is empty so far
  bool after_key_ = false;
};

template <class T>
void Writer::value(const T& value) {
  if constexpr (std::same_as<T, bool>) {
    boolean(value);
  } else if constexpr (std::integral<T>) {
    // All numbers are below 2^63: sums of bytes saturate there.
    integer(static_cast<std::int64_t>(value));
  } else if constexpr (std::floating_point<T>) {
    real(value);
  } else if constexpr (std::convertible_to<const T&, std::string_view>) {
    string(std::string_view(value));
  } else if constexpr (Nullable<T>) {
    value ? this->value(*value) : null();
  } else if constexpr (requires { value.begin(); }) {
    begin_array();
    for (const auto& element : value) this->value(element);
    end_array();
  } else {
    write_json(*this, value);
  }
}

template <class T, class WriteMembers>
void Writer::object(std::string_view name, const T& value, WriteMembers write_members) {
  if constexpr (Nullable<T>) {
    if (value) return object(name, *value, write_members);
    key(name);
    null();
  } else {
    object(name, [&] { write_members(*this, value); });
  }
}

template <class List, class WriteMembers>
void Writer::objects(std::string_view name, const List& list, WriteMembers write_members) {
  if constexpr (Nullable<List>) {
    if (list) return objects(name, *list, write_members);
    key(name);
    null();
  } else {
    array(name, [&] {
      for (const auto& element : list) {
        begin_object();
        write_members(*this, element);
        end_object();
      }
    });
  }
}

}  // namespace mlf::json
