#include "archive/member_name.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cstdint>

#include "archive/fault.h"

namespace mlf::archive {
namespace {

/// C0, DEL and C1: terminals obey all of them.
bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0);
}

/// Characters that reorder what a terminal or a browser shows (Unicode UAX #9).
bool is_bidi_control(char32_t c) {
  return c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069);
}

constexpr char32_t kInvalid = 0xffffffff;

/// Takes one UTF-8 character off `text`; kInvalid for malformed, overlong and surrogate forms.
char32_t take_character(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text.front());
  text.remove_prefix(1);
  if (lead < 0x80) return lead;
  // A byte that continues, or the lead of an overlong form or of a value beyond Unicode.
  if (lead < 0xc2 || lead > 0xf4) return kInvalid;
  const std::size_t following = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
  if (text.size() < following) return kInvalid;
  char32_t value = static_cast<char32_t>(lead & (0x3f >> following));
  for (std::size_t i = 0; i < following; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0) != 0x80) return kInvalid;
    value = (value << 6) | (byte & 0x3f);
  }
  text.remove_prefix(following);
  constexpr char32_t kSmallest[] = {0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  return value < kSmallest[following] || value > 0x10ffff || surrogate ? kInvalid : value;
}

[[noreturn]] void refuse_name(std::string message, std::string_view raw_name) {
  refuse(std::move(message), printable_name(raw_name));
}

}  // namespace

std::string text_fault(std::string_view text, std::string_view what, const Limits& limits) {
  if (text.size() > limits.max_name_bytes) {
    return fmt::format("{} is longer than {} bytes (limit max_name_bytes)", what,
                       limits.max_name_bytes);
  }
  while (!text.empty()) {
    const char32_t c = take_character(text);
    if (c == kInvalid) return fmt::format("{} is not valid UTF-8", what);
    if (c == 0) return fmt::format("{} contains a NUL byte", what);
    if (is_control(c)) return fmt::format("{} contains a control character", what);
    if (is_bidi_control(c)) return fmt::format("{} contains a text direction control", what);
  }
  return {};
}

std::string normal_name(std::string_view raw_name, const Limits& limits) {
  if (raw_name.empty()) refuse("member name is empty");
  if (std::string fault = text_fault(raw_name, "member name", limits); !fault.empty()) {
    refuse_name(std::move(fault), raw_name);
  }
  // A backslash separates folders where somebody may extract the archive, so it counts here too.
  constexpr std::string_view kSeparators = "/\\";
  if (kSeparators.find(raw_name.front()) != std::string_view::npos) {
    refuse_name("member name is absolute", raw_name);
  }
  // Where a Windows tool extracts the archive, `C:x` is outside of it.
  if (raw_name.size() >= 2 && raw_name[1] == ':' &&
      std::isalpha(static_cast<unsigned char>(raw_name[0])) != 0) {
    refuse_name("member name starts with a drive letter", raw_name);
  }
  std::string name;
  for (std::string_view rest = raw_name; !rest.empty();) {
    const std::size_t end = std::min(rest.find_first_of(kSeparators), rest.size());
    const std::string_view part = rest.substr(0, end);
    if (part == "..") refuse_name("member name leaves the archive through '..'", raw_name);
    // Kept as it is: only its folders are judged, the name stays what the archive says.
    const bool backslash = end < rest.size() && rest[end] == '\\';
    // "./a//b/" becomes "a/b", and two spellings of one name are one.
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
