#include "archive/fault.h"

#include <fmt/core.h>

#include <utility>

#include "support/error.h"

namespace mlf::archive {
namespace {

// Messages stay readable for a name of a megabyte.
constexpr std::size_t kPrintedName = 200;

}  // namespace

void HeaderPlace::fail(std::string_view message) const {
  refuse(fmt::format("{} (header at byte {})", message, offset), member);
}

void refuse(std::string message) {
  refuse(std::move(message), {});
}

void refuse(std::string message, std::string member) {
  Location where;
  where.member = std::move(member);
  throw support::Error(ErrorKind::invalid_input, std::move(message), std::move(where));
}

std::string printable_name(std::string_view name) {
  std::string text = printable(name.substr(0, kPrintedName));
  if (name.size() > kPrintedName) text += "...";
  return text;
}

void check_member_count(std::uint64_t members, const Limits& limits) {
  if (members <= limits.max_members) return;
  refuse(
      fmt::format("the archive has more than {} members (--limit members=N)", limits.max_members));
}

void check_member_size(std::uint64_t size, const std::string& member, const Limits& limits) {
  if (size <= limits.max_member_bytes) return;
  refuse(fmt::format("the member is larger than {} bytes (--limit member-bytes=N)",
                     limits.max_member_bytes),
         member);
}

void check_total_size(std::uint64_t bytes, const Limits& limits) {
  if (bytes <= limits.max_total_bytes) return;
  refuse(fmt::format("the archive is larger than {} bytes (--limit total-bytes=N)",
                     limits.max_total_bytes));
}

}  // namespace mlf::archive
