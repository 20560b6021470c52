// Headers of a tar: the 512-byte block, and the PAX records for fields that do not fit in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "archive/fault.h"

namespace mlf::archive {

inline constexpr std::size_t kBlock = 512;
/// Writers pad a tar to whole records (POSIX pax, "blocking factor" 20).
inline constexpr std::size_t kRecord = 20 * kBlock;

/// POSIX.1-1988 ustar header; GNU tar and the V7 format agree with it up to `gname`.
struct TarHeader {
  char name[100];
  char mode[8];
  char uid[8];
  char gid[8];
  char size[12];
  char mtime[12];
  char checksum[8];
  char type;
  char link_name[100];
  char magic[6];
  char version[2];
  char uname[32];
  char gname[32];
  char device_major[8];
  char device_minor[8];
  char prefix[155];  ///< in POSIX archives only
  char padding[12];
};
static_assert(sizeof(TarHeader) == kBlock);

/// The family a header belongs to, by its magic.
enum class HeaderFormat : std::uint8_t { v7, ustar, gnu, unknown };

HeaderFormat format_of(const TarHeader& header);

/// Copies the block at `offset`, which must exist.
TarHeader header_at(std::string_view bytes, std::uint64_t offset);

bool is_zero(std::string_view bytes);

/// Sum of all bytes, those of the checksum field counted as spaces.
std::uint32_t checksum_of(const TarHeader& header);

enum class NumberFault : std::uint8_t { malformed, too_large };

/// A number field: octal digits, or GNU's base-256 with the top bit of the first byte set
/// (two's complement, so it may be negative). An empty field is 0.
tl::expected<std::int64_t, NumberFault> parse_number(std::string_view field);

/// Writes octal digits and a NUL. Returns false and writes nothing if the field is too small.
bool put_octal(std::span<char> field, std::uint64_t value);

/// Computes and stores the checksum.
void seal(TarHeader& header);

/// The text of a fixed-size field, up to the first NUL.
template <std::size_t N>
std::string_view field_text(const char (&field)[N]) {
  const std::string_view whole(field, N);
  return whole.substr(0, whole.find('\0'));
}

template <std::size_t N>
std::string_view field_bytes(const char (&field)[N]) {
  return {field, N};
}

// --- PAX records: "<length> <key>=<value>\n" (POSIX.1-2001 pax) ---------------------------------

/// The attributes that PAX and GNU headers state about the next member. They override its header.
struct Attributes {
  std::optional<std::string> path;
  std::optional<std::string> link_path;
  std::optional<std::uint64_t> size;
  std::optional<std::int64_t> mtime;  ///< seconds, rounded down
  std::optional<std::uint64_t> uid;
  std::optional<std::uint64_t> gid;
  std::optional<std::string> uname;
  std::optional<std::string> gname;
};

/// Adds the records of one PAX header to `attributes`. Ignores keys that do not affect identity,
/// size or owner. Rejects malformed records, a duplicate of a key that mlf reads, sparse members,
/// and names in another character set.
void parse_pax(std::string_view body, const HeaderPlace& place, Attributes& attributes);

/// Returns one record with its own length.
std::string pax_record(std::string_view key, std::string_view value);

}  // namespace mlf::archive
