// Hexadecimal digits, eight at a time in one register.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace mlf::tir::c {

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

/// Two characters as `load<std::uint16_t>` sees them.
constexpr std::uint16_t two_chars(char first, char second) {
  return static_cast<std::uint16_t>(static_cast<unsigned char>(first) |
                                    static_cast<unsigned char>(second) << 8);
}

/// How many bytes stand before the first `c`; 8 where there is none.
inline unsigned bytes_before(std::uint64_t word, char c) {
  const std::uint64_t zeros = word ^ (kEveryByte * static_cast<unsigned char>(c));
  const std::uint64_t marks = (zeros - kEveryByte) & ~zeros & kHighBits;
  return marks == 0 ? 8 : static_cast<unsigned>(std::countr_zero(marks)) / 8;
}

/// Not 0 where one of eight characters is no digit: 0 to 9, a to f.
inline std::uint64_t not_hexadecimal(std::uint64_t word) {
  const auto at_least = [&](char c) {
    return word + kEveryByte * (0x80u - static_cast<unsigned char>(c));
  };
  // Sums do not carry into the next byte: characters beyond ASCII are no digits anyway.
  const std::uint64_t decimals = at_least('0') & ~at_least('9' + 1);
  const std::uint64_t letters = at_least('a') & ~at_least('f' + 1);
  return (word | ~(decimals | letters)) & kHighBits;
}

/// The number that eight digits are.
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

/// `kWidth` digits. Sets bits of `faults` where one of them is none.
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
    // Of so few, a table is faster.
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

}  // namespace mlf::tir::c
