#include "archive/tar_header.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

namespace mlf::archive {
namespace {

tl::expected<std::int64_t, NumberFault> parse_base256(std::string_view field) {
  const auto first = static_cast<unsigned char>(field.front());
  const bool negative = (first & 0x40) != 0;
  // The marker bit is not part of the number; the next one is its sign.
  std::int64_t value = negative ? -1 : 0;
  const auto push = [&value](std::int64_t byte) {
    constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max() >> 8;
    if (value > kHighest || value < -kHighest - 1) return false;
    value = value * 256 + byte;
    return true;
  };
  if (!push(negative ? first : first & 0x3f)) return tl::make_unexpected(NumberFault::too_large);
  for (const char c : field.substr(1)) {
    if (!push(static_cast<unsigned char>(c))) return tl::make_unexpected(NumberFault::too_large);
  }
  return value;
}

}  // namespace

HeaderFormat format_of(const TarHeader& header) {
  const std::string_view magic(header.magic, sizeof header.magic + sizeof header.version);
  constexpr std::string_view kUstar("ustar\00000", 8);
  constexpr std::string_view kGnu("ustar  \0", 8);
  if (magic == kUstar) return HeaderFormat::ustar;
  if (magic == kGnu) return HeaderFormat::gnu;
  return is_zero(magic) ? HeaderFormat::v7 : HeaderFormat::unknown;
}

TarHeader header_at(std::string_view bytes, std::uint64_t offset) {
  TarHeader header;
  std::memcpy(&header, bytes.data() + offset, kBlock);
  return header;
}

bool is_zero(std::string_view bytes) {
  return bytes.find_first_not_of('\0') == std::string_view::npos;
}

std::uint32_t checksum_of(const TarHeader& header) {
  TarHeader copy = header;
  std::fill(std::begin(copy.checksum), std::end(copy.checksum), ' ');
  unsigned char bytes[kBlock];
  std::memcpy(bytes, &copy, kBlock);
  return std::accumulate(std::begin(bytes), std::end(bytes), std::uint32_t{0});
}

tl::expected<std::int64_t, NumberFault> parse_number(std::string_view field) {
  if ((static_cast<unsigned char>(field.front()) & 0x80) != 0) return parse_base256(field);
  const std::size_t begin = std::min(field.find_first_not_of(' '), field.size());
  field.remove_prefix(begin);
  const std::size_t end = std::min(field.find_first_not_of("01234567"), field.size());
  if (field.find_first_not_of(std::string_view(" \0", 2), end) != std::string_view::npos) {
    return tl::make_unexpected(NumberFault::malformed);
  }
  std::int64_t value = 0;  // 12 octal digits are 36 bits
  for (const char digit : field.substr(0, end)) value = value * 8 + (digit - '0');
  return value;
}

bool put_octal(std::span<char> field, std::uint64_t value) {
  const std::size_t digits = field.size() - 1;
  if (digits * 3 < 64 && value >> (digits * 3) != 0) return false;
  for (std::size_t i = digits; i-- > 0; value >>= 3) {
    field[i] = static_cast<char>('0' + (value & 7));
  }
  field[digits] = '\0';
  return true;
}

void seal(TarHeader& header) {
  put_octal(std::span(header.checksum).first(7), checksum_of(header));
  header.checksum[7] = ' ';
}

}  // namespace mlf::archive
