#include "archive/tar_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <numeric>

#include "support/numbers.h"

namespace mlf::archive {
namespace {

/// GNU's extension for numbers that do not fit in octal digits: big-endian, two's complement.
tl::expected<std::int64_t, NumberFault> parse_base256(std::string_view field) {
  const auto first = static_cast<unsigned char>(field.front());
  const bool negative = (first & 0x40) != 0;
  // The marker bit is not part of the number; the next bit is its sign.
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

/// A record that is being checked.
struct Record {
  std::string_view key;
  std::string_view value;
  const HeaderPlace& place;

  [[noreturn]] void fail(std::string_view problem) const {
    place.fail(fmt::format("PAX header: {} '{}' {}", key, printable_name(value), problem));
  }
};

template <class T>
void set_once(std::optional<T>& slot, T value, const Record& record) {
  if (slot.has_value()) record.place.fail(fmt::format("PAX header gives '{}' twice", record.key));
  slot = std::move(value);
}

template <std::optional<std::string> Attributes::*Slot>
void take_text(Attributes& attributes, const Record& record) {
  set_once(attributes.*Slot, std::string(record.value), record);
}

template <std::optional<std::uint64_t> Attributes::*Slot>
void take_number(Attributes& attributes, const Record& record) {
  const auto value = support::whole_number<std::uint64_t>(record.value);
  if (!value.has_value()) record.fail("is not a number");
  set_once(attributes.*Slot, *value, record);
}

/// "1700000000.25", possibly negative; the fraction counts away from zero, mlf rounds down.
void take_mtime(Attributes& attributes, const Record& record) {
  const std::size_t point = std::min(record.value.find('.'), record.value.size());
  const std::string_view fraction = record.value.substr(std::min(point + 1, record.value.size()));
  const auto seconds = support::whole_number<std::int64_t>(record.value.substr(0, point));
  if (!seconds.has_value() || fraction.find_first_not_of("0123456789") != std::string_view::npos) {
    record.fail("is not a time");
  }
  const bool below = record.value.front() == '-' &&
                     fraction.find_first_not_of('0') != std::string_view::npos &&
                     *seconds > std::numeric_limits<std::int64_t>::min();
  set_once(attributes.mtime, below ? *seconds - 1 : *seconds, record);
}

void check_charset(Attributes& /*attributes*/, const Record& record) {
  if (record.value != "ISO-IR 10646 2000 UTF-8") record.fail("is not supported, only UTF-8 is");
}

struct Rule {
  std::string_view key;
  void (*take)(Attributes&, const Record&);
};

// Keys that affect a member. Others (comment, atime, keys of vendors) stay with the member unread.
constexpr std::array<Rule, 9> kRules{{
    {"path", take_text<&Attributes::path>},
    {"linkpath", take_text<&Attributes::link_path>},
    {"size", take_number<&Attributes::size>},
    {"mtime", take_mtime},
    {"uid", take_number<&Attributes::uid>},
    {"gid", take_number<&Attributes::gid>},
    {"uname", take_text<&Attributes::uname>},
    {"gname", take_text<&Attributes::gname>},
    {"hdrcharset", check_charset},
}};

/// Splits the first record off `body`.
Record take_record(std::string_view& body, const HeaderPlace& place) {
  // The length, a blank, key=value and a newline; the length counts all of these, including itself.
  const std::size_t space = std::min(body.find(' '), body.size());
  const auto length = support::whole_number<std::uint64_t>(body.substr(0, space));
  if (!length.has_value()) place.fail("malformed PAX header: a record's length is not a number");
  if (*length > body.size() || *length < space + 2) {
    place.fail("malformed PAX header: a record's length does not fit");
  }
  std::string_view text = body.substr(space + 1, static_cast<std::size_t>(*length) - space - 1);
  if (text.back() != '\n') place.fail("malformed PAX header: a record does not end with a newline");
  text.remove_suffix(1);
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    place.fail("malformed PAX header: a record has no key");
  }
  body.remove_prefix(static_cast<std::size_t>(*length));
  return {text.substr(0, equals), text.substr(equals + 1), place};
}

}  // namespace

HeaderFormat format_of(const TarHeader& header) {
  // GNU's magic extends over the version field.
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
  // The sum counts the checksum field as blanks.
  std::fill(std::begin(copy.checksum), std::end(copy.checksum), ' ');
  unsigned char bytes[kBlock];
  std::memcpy(bytes, &copy, kBlock);
  return std::accumulate(std::begin(bytes), std::end(bytes), std::uint32_t{0});
}

tl::expected<std::int64_t, NumberFault> parse_number(std::string_view field) {
  if ((static_cast<unsigned char>(field.front()) & 0x80) != 0) return parse_base256(field);
  // Old tars pad with leading blanks, and end numbers with a blank, a NUL or nothing.
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
  // Six digits, a NUL and a blank: the only field with this end.
  put_octal(std::span(header.checksum).first(7), checksum_of(header));
  header.checksum[7] = ' ';
}

void parse_pax(std::string_view body, const HeaderPlace& place, Attributes& attributes) {
  while (!body.empty()) {
    const Record record = take_record(body, place);
    // Their size is not the number of bytes that follow; readers differ on their content.
    if (record.key.starts_with("GNU.sparse.") || record.key == "SCHILY.realsize") {
      place.fail("sparse members are not supported");
    }
    const auto* const rule = std::find_if(kRules.begin(), kRules.end(),
                                          [&](const Rule& r) { return r.key == record.key; });
    if (rule != kRules.end()) rule->take(attributes, record);
  }
}

std::string pax_record(std::string_view key, std::string_view value) {
  const std::size_t rest = key.size() + value.size() + 3;  // space, '=' and newline
  std::size_t length = rest + 1;
  // The length counts its own digits: one more digit may require another one.
  while (fmt::formatted_size("{}", length) + rest != length) {
    length = fmt::formatted_size("{}", length) + rest;
  }
  return fmt::format("{} {}={}\n", length, key, value);
}

}  // namespace mlf::archive
