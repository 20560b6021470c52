#include "archive/fault.h"

#include <fmt/core.h>

#include <utility>

#include "support/error.h"

namespace mlf::archive {
namespace {

// Messages stay readable even where a name is a megabyte long.
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
  std::string text;
  for (const char c : name.substr(0, kPrintedName)) {
    const auto byte = static_cast<unsigned char>(c);
    // Everything but printable ASCII: these names were refused, perhaps for what they do to a
    // terminal.
    if (byte < 0x20 || byte >= 0x7f) {
      text += fmt::format("\\x{:02x}", byte);
    } else {
      text += c;
    }
  }
  if (name.size() > kPrintedName) text += "...";
  return text;
}

}  // namespace mlf::archive
