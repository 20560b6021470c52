#include "archive/limits.h"

#include <fmt/core.h>

#include "archive/fault.h"

namespace mlf::archive {

void check_member_count(std::uint64_t members, const Limits& limits) {
  if (members <= limits.max_members) return;
  refuse(
      fmt::format("the archive has more than {} members (limit max_members)", limits.max_members));
}

void check_member_size(std::uint64_t size, const std::string& member, const Limits& limits) {
  if (size <= limits.max_member_bytes) return;
  refuse(fmt::format("the member is larger than {} bytes (limit max_member_bytes)",
                     limits.max_member_bytes),
         member);
}

void check_total_size(std::uint64_t bytes, const Limits& limits) {
  if (bytes <= limits.max_total_bytes) return;
  refuse(fmt::format("the archive is larger than {} bytes (limit max_total_bytes)",
                     limits.max_total_bytes));
}

}  // namespace mlf::archive
