// Most bytes of most archives are rows like these. As TVM prints them they are decoded by
// printed_rows.h; here is what C allows beyond that, and the errors for anything else.
#include "tir/c/read/array_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <string>
#include <system_error>

#include "support/error.h"
#include "tir/c/read/printed_rows.h"

namespace mlf::tir::c {
namespace {

bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

const char* skip_digits(const char* at, const char* end, bool is_hexadecimal) {
  const auto is_digit = [&](char c) {
    const bool is_letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'f';
    return (c >= '0' && c <= '9') || (is_hexadecimal && is_letter);
  };
  while (at < end && is_digit(*at)) ++at;
  return at;
}

/// The end of a float as C spells it, without sign and prefix; null where there is none.
/// std::from_chars takes more: words, a second sign.
const char* float_end(const char* at, const char* end, bool is_hexadecimal) {
  const char* const whole = skip_digits(at, end, is_hexadecimal);
  const char* stop = whole;
  if (stop < end && *stop == '.') stop = skip_digits(stop + 1, end, is_hexadecimal);
  const bool has_digits = whole > at || stop > whole + 1;
  if (!has_digits) return nullptr;
  if (stop == end || (*stop | 0x20) != (is_hexadecimal ? 'p' : 'e')) return stop;
  ++stop;
  if (stop < end && (*stop == '-' || *stop == '+')) ++stop;
  const char* const exponent = stop;
  stop = skip_digits(stop, end, false);
  return stop > exponent ? stop : nullptr;
}

/// A literal without its sign and its suffix.
struct Magnitude {
  std::uint64_t value = 0;
  bool is_negative = false;
};

class RowReader {
 public:
  RowReader(const support::SourceText& source, Bytes rows, DType element, std::uint64_t count)
      : source_(source),
        element_(element),
        count_(count),
        at_(source.text.data() + rows.begin),
        end_(source.text.data() + rows.end) {}

  template <class Number>
  std::vector<std::byte> read();

 private:
  template <class Number>
  bool take_printed(std::uint64_t i, std::byte* to);
  template <class Number>
  void take_element(std::uint64_t i, std::byte* to);
  template <class Integer>
  void take_number(Integer& number) requires std::is_integral_v<Integer>;
  template <class Float>
  void take_number(Float& number) requires std::is_floating_point_v<Float>;
  template <class Number>
  void convert(Number& number, bool is_hexadecimal);
  Magnitude take_magnitude();
  void take_separator(std::uint64_t i);

  void skip_blanks() {
    while (at_ < end_ && is_blank(*at_)) ++at_;
  }
  bool take(char c) {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  bool take_either(char one, char other) { return take(one) || take(other); }
  bool take_word(std::string_view word) {
    if (!std::string_view(at_, end_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  bool take_sign() {
    const bool is_negative = take('-');
    if (!is_negative) take('+');
    return is_negative;
  }
  bool take_hex_prefix() {
    const bool is_there = end_ - at_ > 1 && at_[0] == '0' && (at_[1] | 0x20) == 'x';
    if (is_there) at_ += 2;
    return is_there;
  }
  void take_integer_suffix();

  [[noreturn]] void fail(const char* at, std::string message) const {
    support::fail_at(source_, static_cast<std::size_t>(at - source_.text.data()),
                     std::move(message));
  }
  [[noreturn]] void fail_as_element(const char* at) const {
    fail(at, "expected an element of the array");
  }

  const support::SourceText& source_;
  DType element_;
  std::uint64_t count_;
  const char* at_;
  const char* end_;
  const char* first_ = nullptr;  // of the element that is being read
};

/// U, L, LL and both, in either order and case.
void RowReader::take_integer_suffix() {
  const bool is_unsigned = take_either('U', 'u');
  const char* const letters = at_;
  const bool is_long = take_either('L', 'l');
  if (is_long) take(*letters);
  if (is_long && !is_unsigned) take_either('U', 'u');
}

template <class Number>
void RowReader::convert(Number& number, bool is_hexadecimal) {
  std::from_chars_result result{};
  if constexpr (std::is_floating_point_v<Number>) {
    const char* const end = float_end(at_, end_, is_hexadecimal);
    if (end == nullptr) fail_as_element(first_);
    const auto format = is_hexadecimal ? std::chars_format::hex : std::chars_format::general;
    result = std::from_chars(at_, end, number, format);
    if (result.ec == std::errc() && result.ptr != end) fail_as_element(first_);
  } else {
    result = std::from_chars(at_, end_, number, is_hexadecimal ? 16 : 10);
  }
  if (result.ec == std::errc::result_out_of_range) {
    fail(first_, fmt::format("the element is out of the range of {}", to_string(element_)));
  }
  if (result.ec != std::errc()) fail_as_element(first_);
  at_ = result.ptr;
}

/// TVM prints no octal numbers; 010 would be 8 in C and 10 to a reader, so it is refused.
Magnitude RowReader::take_magnitude() {
  Magnitude magnitude;
  magnitude.is_negative = take_sign();
  const bool is_hexadecimal = take_hex_prefix();
  const bool is_octal =
      !is_hexadecimal && end_ - at_ > 1 && at_[0] == '0' && at_[1] >= '0' && at_[1] <= '9';
  if (is_octal) fail(first_, "an octal number");
  convert(magnitude.value, is_hexadecimal);
  take_integer_suffix();
  return magnitude;
}

template <class Integer>
void RowReader::take_number(Integer& number) requires std::is_integral_v<Integer> {
  const Magnitude magnitude = take_magnitude();
  constexpr std::uint64_t kMost = std::numeric_limits<Integer>::max();
  constexpr std::uint64_t kLeast = std::is_signed_v<Integer> ? kMost + 1 : 0;
  if (magnitude.value > (magnitude.is_negative ? kLeast : kMost)) {
    fail(first_, fmt::format("the element is out of the range of {}", to_string(element_)));
  }
  number = static_cast<Integer>(magnitude.is_negative ? 0 - magnitude.value : magnitude.value);
}

template <class Float>
void RowReader::take_number(Float& number) requires std::is_floating_point_v<Float> {
  const bool is_negative = take_sign();
  if (take_word("INFINITY")) {
    number = std::numeric_limits<Float>::infinity();
  } else if (take_word("NAN")) {
    number = std::numeric_limits<Float>::quiet_NaN();
  } else {
    convert(number, take_hex_prefix());
    if (sizeof(Float) == sizeof(float)) take_either('f', 'F');
  }
  if (is_negative) number = -number;
}

/// A comma, which the last element may have or not.
void RowReader::take_separator(std::uint64_t i) {
  skip_blanks();
  const bool has_comma = take(',');
  if (has_comma || i + 1 == count_ || at_ == end_) return;
  fail(at_, "expected ',' after an element of the array");
}

template <class Number>
void RowReader::take_element(std::uint64_t i, std::byte* to) {
  skip_blanks();
  if (at_ == end_) {
    fail(at_, fmt::format("the array ends after {} of its {} elements", i, count_));
  }
  first_ = at_;
  Number number{};
  take_number(number);
  take_separator(i);
  std::memcpy(to, &number, sizeof number);
}

/// A row as TVM prints it; false: there is none, and nothing was passed over.
template <class Number>
bool RowReader::take_printed(std::uint64_t i, std::byte* to) {
  using Row = Printed<Number>;
  if (count_ - i < Row::kElements) return false;
  if (static_cast<std::size_t>(end_ - at_) < Row::kMostBytes) return false;
  std::array<Number, Row::kElements> numbers;
  const char* const end = Row::take(at_, numbers.data());
  if (end == nullptr) return false;
  std::memcpy(to, numbers.data(), sizeof numbers);
  at_ = end;
  return true;
}

template <class Number>
std::vector<std::byte> RowReader::read() {
  constexpr std::uint64_t kRow = Printed<Number>::kElements;
  std::vector<std::byte> data(count_ * sizeof(Number));
  std::byte* to = data.data();
  for (std::uint64_t i = 0; i < count_; i += kRow, to += kRow * sizeof(Number)) {
    skip_blanks();
    // A whole row at once; where that fails, element by element, which also says what is wrong.
    if (take_printed<Number>(i, to)) continue;
    const std::uint64_t left = std::min(kRow, count_ - i);
    for (std::uint64_t k = 0; k < left; ++k) {
      take_element<Number>(i + k, to + k * sizeof(Number));
    }
  }
  skip_blanks();
  if (at_ != end_)
    fail(at_, fmt::format("expected '}}' after the {} elements of the array", count_));
  return data;
}

}  // namespace

/// float16 is printed as the bits of its elements, not as their values: it is read like integers of
/// 16 bits.
std::vector<std::byte> decode_rows(const support::SourceText& source, Bytes rows, DType element,
                                   std::uint64_t count) {
  // Every element takes a character and a comma, so a wrong count cannot ask for memory.
  if (count > (rows.end - rows.begin + 1u) / 2 + 1) {
    support::fail_at(source, rows.begin,
                     fmt::format("the array has fewer than its {} elements", count));
  }
  RowReader reader(source, rows, element, count);
  if (element.code == TypeCode::Float && element.bits > 16) {
    return element.bits == 32 ? reader.read<float>() : reader.read<double>();
  }
  const bool is_signed = element.is_int();
  switch (element.bits) {
    case 8:
      return is_signed ? reader.read<std::int8_t>() : reader.read<std::uint8_t>();
    case 16:
      return is_signed ? reader.read<std::int16_t>() : reader.read<std::uint16_t>();
    case 32:
      return is_signed ? reader.read<std::int32_t>() : reader.read<std::uint32_t>();
    default:
      return is_signed ? reader.read<std::int64_t>() : reader.read<std::uint64_t>();
  }
}

std::vector<std::byte> decode_text(const support::SourceText& source, Bytes text,
                                   std::uint64_t count) {
  constexpr std::uint32_t kPerByte = 4;  // characters
  const std::uint32_t first = text.begin + 1;
  const std::uint32_t characters = text.end - text.begin - std::min(text.end - text.begin, 2u);
  if (characters % kPerByte != 0 || characters / kPerByte != count) {
    support::fail_at(source, text.begin, fmt::format("expected {} bytes as \\xHH", count));
  }
  std::vector<std::byte> bytes;
  bytes.reserve(static_cast<std::size_t>(count));
  for (std::uint32_t at = first; bytes.size() < count; at += kPerByte) {
    const char* const digits = source.text.data() + at + 2;
    std::uint8_t value = 0;
    const auto [end, error] = std::from_chars(digits, digits + 2, value, 16);
    if (source.text.substr(at, 2) != "\\x" || error != std::errc() || end != digits + 2) {
      support::fail_at(source, at, "expected a byte as \\xHH");
    }
    bytes.push_back(static_cast<std::byte>(value));
  }
  return bytes;
}

}  // namespace mlf::tir::c
