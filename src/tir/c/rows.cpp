// Most bytes of most archives are rows like these: one pass, one table look-up a character.
#include "tir/c/rows.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "support/error.h"
#include "tir/c/hex.h"

namespace mlf::tir::c {
namespace {

constexpr std::uint8_t kNoDigit = 0xff;

constexpr auto kDigits = [] {
  std::array<std::uint8_t, 256> digits{};
  for (auto& digit : digits) digit = kNoDigit;
  for (unsigned i = 0; i < 10; ++i) digits['0' + i] = static_cast<std::uint8_t>(i);
  for (unsigned i = 0; i < 6; ++i) {
    digits['a' + i] = digits['A' + i] = static_cast<std::uint8_t>(10 + i);
  }
  return digits;
}();

std::uint8_t digit_of(char c) {
  return kDigits[static_cast<unsigned char>(c)];
}

bool is_separator(char c) {
  return static_cast<unsigned char>(c) <= ' ' || c == ',';
}

/// A place in the rows. `at` stops at `end`; reading past a number's end is not possible, for rows
/// are followed by a brace.
struct Scanner {
  const char* at;
  const char* end;

  void skip_separators() {
    while (at < end && is_separator(*at)) ++at;
  }
  bool take(std::string_view word) {
    if (static_cast<std::size_t>(end - at) < word.size()) return false;
    if (std::memcmp(at, word.data(), word.size()) != 0) return false;
    at += word.size();
    return true;
  }
  bool take_sign() {
    const bool is_negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) ++at;
    return is_negative;
  }
  bool take_hex_prefix() {
    if (end - at < 2 || at[0] != '0' || (at[1] | 0x20) != 'x') return false;
    at += 2;
    return true;
  }
  /// Hexadecimal digits into `value`; returns how many.
  std::size_t take_hex(std::uint64_t& value) {
    const char* const first = at;
    std::uint8_t digit = kNoDigit;
    while (at < end && (digit = digit_of(*at)) != kNoDigit) {
      value = value << 4 | digit;
      ++at;
    }
    return static_cast<std::size_t>(at - first);
  }
  void skip_suffix() {
    while (at < end && (*at == 'L' || *at == 'U' || *at == 'u' || *at == 'l')) ++at;
  }
};

/// 64 bits of a number, two's complement; false where none stands here.
bool take_integer(Scanner& scanner, std::uint64_t& value) {
  const bool is_negative = scanner.take_sign();
  value = 0;
  if (scanner.take_hex_prefix()) {
    const std::size_t digits = scanner.take_hex(value);
    if (digits == 0 || digits > 16) return false;
  } else {
    const auto [stop, error] = std::from_chars(scanner.at, scanner.end, value);
    if (error != std::errc()) return false;
    scanner.at = stop;
  }
  scanner.skip_suffix();
  if (is_negative) value = ~value + 1;
  return true;
}

/// mantissa · 2^exponent. Printed floats are exact, so nothing is rounded here.
double scaled(std::uint64_t mantissa, int exponent) {
  constexpr int kBias = 1023;
  const auto whole = static_cast<double>(mantissa);
  if (exponent > -kBias && exponent < kBias) {
    const auto bits = static_cast<std::uint64_t>(exponent + kBias) << 52;
    return whole * std::bit_cast<double>(bits);
  }
  return std::ldexp(whole, exponent);
}

bool take_exponent(Scanner& scanner, int& exponent) {
  if (scanner.at == scanner.end || (*scanner.at | 0x20) != 'p') return true;
  ++scanner.at;
  const bool is_negative = scanner.take_sign();
  int value = 0;
  const char* const first = scanner.at;
  while (scanner.at < scanner.end && digit_of(*scanner.at) < 10 && value < 100000) {
    value = value * 10 + digit_of(*scanner.at++);
  }
  exponent += is_negative ? -value : value;
  return scanner.at != first;
}

bool take_float(Scanner& scanner, double& value) {
  const bool is_negative = scanner.take_sign();
  if (scanner.take_hex_prefix()) {
    std::uint64_t mantissa = 0;
    std::size_t digits = scanner.take_hex(mantissa);
    int exponent = 0;
    if (scanner.at < scanner.end && *scanner.at == '.') {
      ++scanner.at;
      const std::size_t fraction = scanner.take_hex(mantissa);
      exponent = -4 * static_cast<int>(fraction);
      digits += fraction;
    }
    if (digits == 0 || digits > 16 || !take_exponent(scanner, exponent)) return false;
    value = scaled(mantissa, exponent);
  } else if (scanner.take("INFINITY")) {
    value = std::numeric_limits<double>::infinity();
  } else if (scanner.take("NAN")) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else {
    return false;
  }
  if (is_negative) value = -value;
  return true;
}

[[noreturn]] void fail(const support::SourceText& source, const char* at, std::string message) {
  support::fail_at(source, static_cast<std::size_t>(at - source.text.data()), std::move(message));
}

/// Whether 64 bits, two's complement, are a value of this type.
template <class Number>
bool fits(std::uint64_t value) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<Number>(value))) == value;
}

// What the fast paths may read past the element they are at.
constexpr std::ptrdiff_t kLongestElement = 40;

/// All the digits of an integer of this width, as TVM prints them; false where one is none.
template <unsigned kWidth>
bool take_digits(const char* at, std::uint64_t& value) {
  if constexpr (kWidth == 2) {
    const unsigned high = digit_of(at[0]);
    const unsigned low = digit_of(at[1]);
    value = high << 4 | low;
    return (high | low) < 16;
  } else if constexpr (kWidth <= 8) {
    const auto digits = parse_hex(load_eight(at), kWidth);
    value = digits.value_or(0);
    return digits.has_value();
  } else {
    std::uint64_t low = 0;
    const bool is_number = take_digits<8>(at, value) && take_digits<8>(at + 8, low);
    value = value << 32 | low;
    return is_number;
  }
}

/// `+0x0000000a, ` as TVM prints it, with all its digits. False where it is spelled otherwise, or
/// close to the end: then nothing was passed over.
template <class Number>
bool take_printed_integer(Scanner& scanner, Number& number) {
  constexpr unsigned kWidth = 2 * sizeof(Number);
  static_assert('-' - '+' == 2);
  if (scanner.end - scanner.at < kLongestElement) return false;
  // Which sign it is is as good as random: no branch depends on it.
  const char* at = scanner.at;
  const auto sign = static_cast<unsigned char>(*at - '+');
  const bool has_sign = (sign & ~2u) == 0;
  const std::uint64_t is_negative = has_sign ? sign >> 1u : 0u;
  at += has_sign ? 1 : 0;
  std::uint64_t value = 0;
  if (at[0] != '0' || at[1] != 'x' || !take_digits<kWidth>(at + 2, value)) return false;
  at += 2 + kWidth;
  if (*at == 'U') ++at;
  if (at[0] == 'L' && at[1] == 'L') at += 2;
  const std::uint64_t bits = (value ^ (0 - is_negative)) + is_negative;
  if (*at != ',' || !fits<Number>(bits)) return false;
  number = static_cast<Number>(bits);
  scanner.at = at + (at[1] == ' ' ? 2 : 1);
  return true;
}

/// `-0x1.6f76f4p-3, ` of a float32, under the same conditions.
bool take_printed_float(Scanner& scanner, float& number) {
  if (scanner.end - scanner.at < kLongestElement) return false;
  const char* at = scanner.at;
  const std::uint32_t is_negative = *at == '-' ? 1 : 0;
  at += is_negative;
  if (std::memcmp(at, "0x1.", 4) != 0) return false;
  const std::uint64_t word = load_eight(at + 4);
  const unsigned digits = bytes_before(word, 'p');
  if (digits == 0 || digits == 8) return false;
  const auto fraction = parse_hex(word, digits);
  at += 4 + digits + 1;
  const bool is_below = *at == '-';
  if (!fraction || (!is_below && *at != '+')) return false;
  int exponent = 0;
  for (++at; digit_of(*at) < 10 && exponent < 1000; ++at) exponent = exponent * 10 + digit_of(*at);
  while (*at == ' ' && at < scanner.end) ++at;
  if (*at != ',') return false;
  const double whole = scaled(std::uint64_t{1} << 4 * digits | *fraction,
                              (is_below ? -exponent : exponent) - 4 * static_cast<int>(digits));
  number = std::bit_cast<float>(std::bit_cast<std::uint32_t>(static_cast<float>(whole)) |
                                is_negative << 31);
  scanner.at = at + (at[1] == ' ' ? 2 : 1);
  return true;
}

template <class Number>
bool take_printed(Scanner& scanner, Number& number) {
  if constexpr (std::is_integral_v<Number>) return take_printed_integer(scanner, number);
  if constexpr (std::is_same_v<Number, float>) return take_printed_float(scanner, number);
  return false;
}

template <class Number>
bool take_number(Scanner& scanner, Number& number) {
  if constexpr (std::is_floating_point_v<Number>) {
    double value = 0;
    if (!take_float(scanner, value)) return false;
    number = static_cast<Number>(value);
    return true;
  } else {
    std::uint64_t value = 0;
    if (!take_integer(scanner, value) || !fits<Number>(value)) return false;
    number = static_cast<Number>(value);
    return true;
  }
}

template <class Number>
std::vector<std::byte> decode(const support::SourceText& source, Bytes rows, std::uint64_t count) {
  const std::string_view text = source.text;
  Scanner scanner{text.data() + rows.begin, text.data() + rows.end};
  std::vector<std::byte> data(count * sizeof(Number));
  std::byte* to = data.data();
  for (std::uint64_t i = 0; i < count; ++i, to += sizeof(Number)) {
    scanner.skip_separators();
    const char* const first = scanner.at;
    Number number{};
    if (!take_printed(scanner, number) && !take_number(scanner, number)) {
      const bool is_end = first == scanner.end;
      fail(source, first,
           is_end ? fmt::format("the array ends after {} of its {} elements", i, count)
                  : std::string("expected an element of the array"));
    }
    std::memcpy(to, &number, sizeof(Number));
  }
  scanner.skip_separators();
  if (scanner.at != scanner.end) {
    fail(source, scanner.at,
         fmt::format("expected '}}' after the {} elements of the array", count));
  }
  return data;
}

}  // namespace

bool has_rows(DType element) {
  if (!element.is_scalar()) return false;
  if (element.code == TypeCode::Float) return element.bits >= 16;
  return (element.is_int() || element.is_uint()) && element.bits >= 8;
}

std::vector<std::byte> decode_rows(const support::SourceText& source, Bytes rows, DType element,
                                   std::uint64_t count) {
  // Every element takes a character and a comma, so a wrong count cannot ask for memory.
  if (count > (rows.end - rows.begin + 1u) / 2 + 1) {
    support::fail_at(source, rows.begin,
                     fmt::format("the array has fewer than its {} elements", count));
  }
  if (element.code == TypeCode::Float && element.bits > 16) {
    return element.bits == 32 ? decode<float>(source, rows, count)
                              : decode<double>(source, rows, count);
  }
  const bool is_signed = element.is_int();
  switch (element.bits) {
    case 8:
      return is_signed ? decode<std::int8_t>(source, rows, count)
                       : decode<std::uint8_t>(source, rows, count);
    case 16:
      return is_signed ? decode<std::int16_t>(source, rows, count)
                       : decode<std::uint16_t>(source, rows, count);
    case 32:
      return is_signed ? decode<std::int32_t>(source, rows, count)
                       : decode<std::uint32_t>(source, rows, count);
    default:
      return decode<std::uint64_t>(source, rows, count);
  }
}

}  // namespace mlf::tir::c
