// Hexadecimal digits, eight at a time in one register.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>

namespace mlf::tir::c {

static_assert(std::endian::native == std::endian::little, "the first digit is the lowest byte");

constexpr std::uint64_t kEveryByte = 0x0101010101010101;

inline std::uint64_t load_eight(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

/// How many bytes stand before the first `c`; 8 where there is none.
inline unsigned bytes_before(std::uint64_t word, char c) {
  const std::uint64_t zeros = word ^ (kEveryByte * static_cast<unsigned char>(c));
  const std::uint64_t marks = (zeros - kEveryByte) & ~zeros & (kEveryByte * 0x80);
  return marks == 0 ? 8 : static_cast<unsigned>(std::countr_zero(marks)) / 8;
}

/// The first `count` characters, 1 to 8 of them, as one number; nothing where one of them is no
/// lower-case hexadecimal digit.
inline std::optional<std::uint64_t> parse_hex(std::uint64_t word, unsigned count) {
  // Zeros before the digits, so that there are always eight.
  const unsigned missing = 8 * (8 - count);
  if (missing > 0) word = word << missing | (kEveryByte * '0') >> (64 - missing);
  // '0' … '9' end in their value, 'a' … 'f' in one less than their value minus 9.
  const std::uint64_t letters = word >> 6 & kEveryByte;
  std::uint64_t digits = (word & kEveryByte * 0x0f) + 9 * letters;
  const std::uint64_t spelled = digits + kEveryByte * '0' + letters * ('a' - '0' - 10);
  const std::uint64_t too_large = (digits + kEveryByte * 0x70) & kEveryByte * 0x80;
  const std::uint64_t letters_below_a = (digits + kEveryByte * (0x80 - 10)) >> 7 & kEveryByte;
  if (spelled != word || too_large != 0 || letters_below_a != letters) return std::nullopt;
  digits = (digits << 4 | digits >> 8) & 0x00ff00ff00ff00ff;
  digits = (digits << 8 | digits >> 16) & 0x0000ffff0000ffff;
  return (digits << 16 | digits >> 32) & 0xffffffff;
}

}  // namespace mlf::tir::c
