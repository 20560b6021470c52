// Decodes elements of arrays in the exact form that TVM prints: integers in whole rows without a
// branch, floats with few branches. constants.cpp reads every other form.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace mlf::tir::c {

// --- Hexadecimal digits, eight at a time in one register ----------------------------------------

static_assert(std::endian::native == std::endian::little, "the first digit is the lowest byte");

constexpr std::uint64_t kEveryByte = 0x0101010101010101;
constexpr std::uint64_t kHighBits = 0x80 * kEveryByte;
constexpr std::uint64_t kEightZeros = '0' * kEveryByte;

template <class Word>
Word load(const char* at) {
  Word word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

/// Two characters as `load<std::uint16_t>` returns them.
constexpr std::uint16_t two_chars(char first, char second) {
  return static_cast<std::uint16_t>(static_cast<unsigned char>(first) |
                                    static_cast<unsigned char>(second) << 8);
}

/// The number of bytes before the first `c`; 8 if there is none.
inline unsigned bytes_before(std::uint64_t word, char c) {
  const std::uint64_t zeros = word ^ (kEveryByte * static_cast<unsigned char>(c));
  const std::uint64_t marks = (zeros - kEveryByte) & ~zeros & kHighBits;
  return marks == 0 ? 8 : static_cast<unsigned>(std::countr_zero(marks)) / 8;
}

/// Not 0 if one of eight characters is not a digit from 0 to 9 or a to f.
inline std::uint64_t not_hexadecimal(std::uint64_t word) {
  const auto at_least = [&](char c) {
    return word + kEveryByte * (0x80u - static_cast<unsigned char>(c));
  };
  // Sums do not carry into the next byte: characters beyond ASCII are not digits anyway.
  const std::uint64_t decimals = at_least('0') & ~at_least('9' + 1);
  const std::uint64_t letters = at_least('a') & ~at_least('f' + 1);
  return (word | ~(decimals | letters)) & kHighBits;
}

/// The value of eight digits.
inline std::uint64_t join_digits(std::uint64_t word) {
  const std::uint64_t letters = word >> 6 & kEveryByte;
  std::uint64_t digits = (word & 0x0f * kEveryByte) + 9 * letters;
  digits = (digits << 4 | digits >> 8) & 0x00ff00ff00ff00ff;
  digits = (digits << 8 | digits >> 16) & 0x0000ffff0000ffff;
  return (digits << 16 | digits >> 32) & 0xffffffff;
}

constexpr std::uint8_t kNoDigit = 0xff;
constexpr auto kHexDigits = [] {
  std::array<std::uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  for (std::uint8_t i = 0; i < 10; ++i) digits['0' + i] = i;
  for (std::uint8_t i = 0; i < 6; ++i) digits['a' + i] = static_cast<std::uint8_t>(10 + i);
  return digits;
}();

/// Reads `kWidth` digits. Sets bits of `faults` if one of them is not a digit.
template <unsigned kWidth>
std::uint64_t take_digits(const char* at, std::uint64_t& faults) {
  if constexpr (kWidth == 16) {
    const std::uint64_t high = take_digits<8>(at, faults);
    return high << 32 | take_digits<8>(at + 8, faults);
  } else if constexpr (kWidth == 8) {
    const auto word = load<std::uint64_t>(at);
    faults |= not_hexadecimal(word);
    return join_digits(word);
  } else {
    // For so few digits, a table is faster.
    std::uint64_t value = 0;
    std::uint64_t seen = 0;
    for (unsigned i = 0; i < kWidth; ++i) {
      const std::uint64_t digit = kHexDigits[static_cast<unsigned char>(at[i])];
      seen |= digit;
      value = value << 4 | digit;
    }
    faults |= seen & 0xf0;
    return value;
  }
}

// --- Rows ---------------------------------------------------------------------------------------

/// A row of integers: `-0x0000000a, ` and so on, each element with all its digits.
template <class Integer>
struct PrintedRow {
  static constexpr std::size_t kSign = std::is_signed_v<Integer> ? 1 : 0;
  static constexpr std::size_t kDigits = 2 * sizeof(Integer);
  static constexpr std::size_t kUnsigned = sizeof(Integer) == 8 ? 1 - kSign : 0;  // U
  static constexpr std::size_t kLong = sizeof(Integer) == 8 ? 2 : 0;              // LL
  static constexpr std::size_t kPrefix = 2;                                       // 0x
  static constexpr std::size_t kSeparator = 2;
  static constexpr std::size_t kStride = kSign + kPrefix + kDigits + kUnsigned + kLong + kSeparator;
  /// TVM fills 80 columns by its own measure, with a power of two of elements.
  static constexpr std::size_t kElements = std::bit_floor(80 / (kDigits + 2));
  static constexpr std::size_t kMostBytes = kElements * kStride;

  /// Decodes a row in which `, ` follows every element. Returns its end; null for other text.
  static const char* take(const char* at, Integer* to) {
    if (at[kSign + 1] != 'x') return nullptr;
    std::uint64_t faults = 0;
    for (std::size_t i = 0; i < kElements; ++i, at += kStride) to[i] = element(at, faults);
    return faults == 0 ? at : nullptr;
  }

 private:
  static Integer element(const char* at, std::uint64_t& faults) {
    // Signs are nearly random, so no branch depends on them.
    std::uint64_t is_negative = 0;
    if constexpr (kSign > 0) {
      static_assert('-' - '+' == 2);
      const auto sign = static_cast<unsigned char>(*at++ - '+');
      faults |= sign & ~2u;
      is_negative = sign >> 1;
    }
    const auto expect = [&](char first, char second) {
      faults |= static_cast<std::uint64_t>(load<std::uint16_t>(at) ^ two_chars(first, second));
      at += 2;
    };
    expect('0', 'x');
    const std::uint64_t value = take_digits<kDigits>(at, faults);
    at += kDigits;
    if constexpr (kUnsigned > 0) faults |= static_cast<std::uint64_t>(*at++ ^ 'U');
    if constexpr (kLong > 0) expect('L', 'L');
    expect(',', ' ');
    if constexpr (kSign == 0) return static_cast<Integer>(value);
    // -x is ~(x - 1). TVM does not print a zero with a minus.
    const std::uint64_t bits = value - is_negative;
    faults |= bits & ~std::uint64_t{std::numeric_limits<Integer>::max()};
    return static_cast<Integer>(bits ^ (0 - is_negative));
  }
};

/// The digits after the point of a hexadecimal float.
struct Fraction {
  std::uint64_t bits = 0;  ///< of 52: the first digit is the highest four
  unsigned digits = 0;
};

/// Reads at most 13 digits before a `p`. Sets bits of `faults` for other text.
inline Fraction take_fraction(const char* at, std::uint64_t& faults) {
  const auto first_digits = [&](const char* from, unsigned& count) {
    const std::uint64_t word = load<std::uint64_t>(from);
    count = bytes_before(word, 'p');
    if (count == 8) {
      faults |= not_hexadecimal(word);
      return join_digits(word);
    }
    const std::uint64_t kept = (std::uint64_t{1} << 8 * count) - 1;
    const std::uint64_t padded = (word & kept) | (kEightZeros & ~kept);
    faults |= not_hexadecimal(padded);
    return join_digits(padded);
  };
  Fraction fraction;
  fraction.bits = first_digits(at, fraction.digits) << 20;
  if (fraction.digits == 8) {
    unsigned more = 0;
    fraction.bits |= first_digits(at + 8, more) >> 12;
    fraction.digits += more;
    faults |= more > 5 ? 1 : 0;
  }
  return fraction;
}

/// `-0x1.6f76f4p-3 , `: one float, with the blanks after it.
template <class Float>
struct PrintedFloat {
  static constexpr std::size_t kElements = 1;
  static constexpr std::size_t kMostBytes = 64;

  /// The same for one float. Reads at most kMostBytes.
  static const char* take(const char* at, Float* to) {
    const std::uint64_t is_negative = *at == '-' ? 1 : 0;
    at += is_negative;
    if (load<std::uint16_t>(at) != two_chars('0', 'x')) return nullptr;
    const std::uint64_t lead = static_cast<unsigned char>(at[2]) - std::uint64_t{'0'};
    const unsigned has_point = at[3] == '.' ? 1 : 0;
    std::uint64_t faults = lead & ~std::uint64_t{1};
    at += 3 + has_point;
    const Fraction fraction = take_fraction(at, faults);
    // Normal numbers begin with 1; the other frequent number is 0x0p+0.
    faults |= lead == 0 ? fraction.digits : 0;
    faults |= (fraction.digits > 0 ? 1u : 0u) ^ has_point;
    at += fraction.digits + 1;
    int exponent = 0;
    at = take_exponent(at, exponent, faults);
    if (faults != 0) return nullptr;
    const std::uint64_t power = lead * static_cast<std::uint64_t>(exponent + 1023);
    const auto value = std::bit_cast<double>(is_negative << 63 | power << 52 | fraction.bits);
    *to = static_cast<Float>(value);
    if (static_cast<double>(*to) != value) return nullptr;
    return take_separator(at);
  }

 private:
  /// A sign and one digit or two.
  static const char* take_exponent(const char* at, int& exponent, std::uint64_t& faults) {
    const int first = static_cast<unsigned char>(at[1]) - '0';
    const int second = static_cast<unsigned char>(at[2]) - '0';
    const bool has_second = second >= 0 && second < 10;
    faults |= at[0] != '-' && at[0] != '+' ? 1 : 0;
    faults |= first < 0 || first > 9 ? 1 : 0;
    const int value = has_second ? 10 * first + second : first;
    exponent = at[0] == '-' ? -value : value;
    return at + (has_second ? 3 : 2);
  }
  static const char* take_separator(const char* at) {
    // Short numbers are padded to the width of the type.
    for (int i = 0; i < 16 && *at == ' '; ++i) ++at;
    return load<std::uint16_t>(at) == two_chars(',', ' ') ? at + 2 : nullptr;
  }
};

template <class Number>
using Printed =
    std::conditional_t<std::is_floating_point_v<Number>, PrintedFloat<Number>, PrintedRow<Number>>;

}  // namespace mlf::tir::c
