#include "tir/compare/printed_names.h"

#include <algorithm>
#include <string>

namespace mlf::tir::compare_detail {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// `stem`, or `stem_<n>`: what a table of unique names makes of it.
bool is_made_unique(std::string_view printed, std::string_view stem) {
  if (!printed.starts_with(stem)) return false;
  std::string_view suffix = printed.substr(stem.size());
  if (suffix.empty()) return true;
  if (suffix.size() < 2 || suffix.front() != '_') return false;
  suffix.remove_prefix(1);
  return suffix.front() != '0' && std::ranges::all_of(suffix, is_digit);
}

// `show_object_address` puts `_0x…` behind each name.
std::string_view without_address(std::string_view printed) {
  const std::size_t at = printed.rfind("_0x");
  const bool has_address =
      at != std::string_view::npos && at + 3 < printed.size() &&
      printed.find_first_not_of("0123456789abcdef", at + 3) == std::string_view::npos;
  return has_address ? printed.substr(0, at) : printed;
}

}  // namespace

// IRDocsifier (v0.12+) replaces what Python does not allow in a name, and counts repeated ones.
bool is_script_name_of(std::string_view whole, std::string_view hint, Kind kind) {
  const std::string_view printed = without_address(whole);
  if (hint.empty()) return is_made_unique(printed, kind == Kind::Buffer ? "buffer" : "v");
  std::string legal(hint);
  std::ranges::replace_if(
      legal, [](char c) { return !is_letter(c) && !is_digit(c) && c != '_'; }, '_');
  return is_made_unique(printed, legal);
}

// The legacy printer wants a letter first and leaves the rest as it is.
bool is_legacy_name_of(std::string_view printed, std::string_view hint, Kind kind) {
  if (!hint.empty() && is_letter(hint.front())) return is_made_unique(printed, hint);
  const std::string_view prefix = kind == Kind::Buffer ? "buf_" : "v";
  return is_made_unique(printed, std::string(prefix).append(hint));
}

bool is_old_script_name_of(std::string_view printed, std::string_view hint, Kind kind) {
  std::string without_dots(hint);
  std::ranges::replace(without_dots, '.', '_');
  return is_legacy_name_of(printed, without_dots, kind);
}

bool is_name_of_part(std::string_view name, std::string_view buffer) {
  if (!name.starts_with(buffer)) return false;
  name.remove_prefix(buffer.size());
  return name.empty() || name == "_elem_offset" || name == "_handle";
}

}  // namespace mlf::tir::compare_detail
