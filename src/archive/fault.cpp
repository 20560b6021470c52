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
  std::string text = printable(name.substr(0, kPrintedName));
  if (name.size() > kPrintedName) text += "...";
  return text;
}

}  // namespace mlf::archive
