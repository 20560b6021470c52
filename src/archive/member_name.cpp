#include "archive/member_name.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "archive/fault.h"
#include "support/characters.h"

namespace mlf::archive {
namespace {

[[noreturn]] void refuse_name(std::string message, std::string_view raw_name) {
  refuse(std::move(message), printable_name(raw_name));
}

}  // namespace

std::string text_fault(std::string_view text, std::string_view what, const Limits& limits) {
  if (text.size() > limits.max_name_bytes) {
    return fmt::format("{} is longer than {} bytes (--limit name-bytes=N)", what,
                       limits.max_name_bytes);
  }
  while (!text.empty()) {
    const char32_t c = support::take_character(text);
    if (c == support::kNotUtf8) return fmt::format("{} is not valid UTF-8", what);
    if (c == 0) return fmt::format("{} contains a NUL byte", what);
    if (support::is_control(c)) return fmt::format("{} contains a control character", what);
    if (support::is_bidi_control(c))
      return fmt::format("{} contains a text direction control", what);
  }
  return {};
}

std::string normal_name(std::string_view raw_name, const Limits& limits) {
  if (raw_name.empty()) refuse("member name is empty");
  if (std::string fault = text_fault(raw_name, "member name", limits); !fault.empty()) {
    refuse_name(std::move(fault), raw_name);
  }
  // A backslash may separate directories where the archive is extracted, so it counts here too.
  constexpr std::string_view kSeparators = "/\\";
  if (kSeparators.find(raw_name.front()) != std::string_view::npos) {
    refuse_name("member name is absolute", raw_name);
  }
  // If a Windows tool extracts the archive, `C:x` is outside of its directory.
  if (raw_name.size() >= 2 && raw_name[1] == ':' &&
      std::isalpha(static_cast<unsigned char>(raw_name[0])) != 0) {
    refuse_name("member name starts with a drive letter", raw_name);
  }
  std::string name;
  for (std::string_view rest = raw_name; !rest.empty();) {
    const std::size_t end = std::min(rest.find_first_of(kSeparators), rest.size());
    const std::string_view part = rest.substr(0, end);
    if (part == "..") refuse_name("member name leaves the archive through '..'", raw_name);
    // Checks only the directories; the name stays as in the archive.
    const bool backslash = end < rest.size() && rest[end] == '\\';
    // "./a//b/" becomes "a/b", so two spellings of one name are equal.
    if (!part.empty() && part != ".") {
      name += part;
      if (end < rest.size()) name += backslash ? '\\' : '/';
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  while (!name.empty() && name.back() == '/') name.pop_back();
  return name.empty() ? "." : name;
}

}  // namespace mlf::archive
