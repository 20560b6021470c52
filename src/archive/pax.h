// PAX extended header records: "<length> <key>=<value>\n" (POSIX.1-2001 pax).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "archive/fault.h"

namespace mlf::archive {

struct Timestamp {
  std::int64_t seconds = 0;
  std::string fraction;
};

/// What PAX and GNU headers say about the member that follows; it outranks the member's header.
struct Attributes {
  std::optional<std::string> path;
  std::optional<std::string> link_path;
  std::optional<std::uint64_t> size;
  std::optional<Timestamp> mtime;
  std::optional<std::uint64_t> uid;
  std::optional<std::uint64_t> gid;
  std::optional<std::string> uname;
  std::optional<std::string> gname;
};

/// Adds the records of one PAX header to `attributes`. Keys that say nothing about identity, size
/// or owner are passed over. Refused: malformed records, a key of ours given twice, sparse
/// members, names in another character set.
void parse_pax(std::string_view body, const Spot& spot, Attributes& attributes);

/// One record as it is written, its own length included.
std::string pax_record(std::string_view key, std::string_view value);

}  // namespace mlf::archive
