#include "page/html.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "support/characters.h"

namespace mlf::page {
namespace {

constexpr std::size_t kBlockBytes = 64 * 1024;

bool is_plain_in_fragment(char c) {
  return support::is_letter(c) || support::is_digit(c) ||
         std::string_view("-._~=/").find(c) != std::string_view::npos;
}

/// HTML allows more characters in a value without quotes; these need no escapes either.
bool needs_no_quotes(std::string_view value) {
  return !value.empty() && std::ranges::all_of(value, [](char c) {
    return support::is_letter(c) || support::is_digit(c) || c == '-' || c == '.';
  });
}

using Escape = std::pair<char32_t, std::string_view>;
constexpr Escape kEscapes[] = {{support::kNotUtf8, "\uFFFD"},
                               {U'&', "&amp;"},
                               {U'<', "&lt;"},
                               {U'>', "&gt;"},
                               {U'"', "&quot;"},
                               {U'\'', "&#39;"}};

/// The place for a line break in a name: after a slash, or else after an underscore; npos if one of
/// the two parts would be too short.
std::size_t break_in(std::string_view name) {
  // Every possible break is an element, so names that are short enough for any column stay whole.
  constexpr std::size_t kShort = 24;
  constexpr std::size_t kLeast = 8;
  if (name.size() <= kShort) return name.npos;
  std::size_t at = name.find('/', kLeast);
  if (at == name.npos) at = name.find('_', kLeast);
  return at == name.npos || at + 1 == name.size() ? name.npos : at + 1;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::string_view before = text;
    const char32_t c = support::take_character(text);
    const auto* const escape = std::ranges::find(kEscapes, c, &Escape::first);
    if (escape != std::end(kEscapes)) {
      result += escape->second;
    } else if (support::is_unsafe_to_show(c) && c != U'\n' && c != U'\t') {
      result += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c));
    } else {
      result += before.substr(0, before.size() - text.size());
    }
  }
  return result;
}

std::string fragment(std::string_view id) {
  std::string result;
  for (const char c : id) {
    if (is_plain_in_fragment(c)) {
      result += c;
    } else {
      result += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
  }
  return result;
}

void HtmlWriter::open(std::string_view tag, Attributes attributes) {
  buffer_ += '<';
  buffer_ += tag;
  for (const auto& [name, value] : attributes) {
    if (name.empty()) continue;
    buffer_ += ' ';
    buffer_ += name;
    if (needs_no_quotes(value)) {
      buffer_ += '=';
      buffer_ += value;
      continue;
    }
    buffer_ += "=\"";
    buffer_ += escaped(value);
    buffer_ += '"';
  }
  buffer_ += '>';
}

void HtmlWriter::close(std::string_view tag) {
  constexpr std::array<std::string_view, 4> kWithoutEnd{"td", "th", "tr", "li"};
  if (std::ranges::find(kWithoutEnd, tag) == kWithoutEnd.end()) {
    buffer_ += "</";
    buffer_ += tag;
    buffer_ += ">";
  }
  if (buffer_.size() > kBlockBytes) flush();
}

void HtmlWriter::text(std::string_view text) {
  buffer_ += escaped(text);
}

void HtmlWriter::breakable(std::string_view text) {
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    std::string_view word = text.substr(0, space);
    text.remove_prefix(word.size());
    for (std::size_t at = break_in(word); at != word.npos; at = break_in(word)) {
      buffer_ += escaped(word.substr(0, at));
      buffer_ += "<wbr>";
      word.remove_prefix(at);
    }
    buffer_ += escaped(word);
    if (space != text.npos) {
      buffer_ += ' ';
      text.remove_prefix(1);
    }
  }
}

void HtmlWriter::breakable_element(std::string_view tag, Attributes attributes,
                                   std::string_view content) {
  open(tag, attributes);
  breakable(content);
  close(tag);
}

void HtmlWriter::element(std::string_view tag, Attributes attributes, std::string_view content) {
  open(tag, attributes);
  text(content);
  close(tag);
}

void HtmlWriter::flush() {
  sink_(buffer_);
  flushed_ += buffer_.size();
  buffer_.clear();
}

}  // namespace mlf::page
