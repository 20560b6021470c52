#include "mlf/diagnostics.h"

#include <fmt/core.h>

#include <algorithm>

namespace mlf {

// The codes of sysexits.h, and 1 for a check that failed.
int exit_code(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::check_failed:
      return 1;
    case ErrorKind::usage:
      return 64;
    case ErrorKind::invalid_input:
    case ErrorKind::out_of_memory:
      return 65;
    case ErrorKind::internal:
      return 70;
    case ErrorKind::io:
      return 74;
  }
  return 70;
}

namespace {

/// How many columns a text takes on a terminal: continuation bytes of UTF-8 take none.
std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

/// The line of the source, and under it what is meant. What is escaped gets longer, so the caret is
/// counted in what is shown.
std::string source_with_caret(const Location& where) {
  const std::string_view line = where.source_line;
  const std::size_t caret = std::min<std::size_t>(where.caret, line.size());
  const std::string before = printable(line.substr(0, caret));
  const std::string meant = printable(line.substr(caret, where.length));
  const std::string after = printable(line.substr(std::min(caret + where.length, line.size())));
  return fmt::format("\n  {}{}{}\n  {:{}}{:^<{}}", before, meant, after, "", columns_of(before), "",
                     std::max<std::size_t>(columns_of(meant), 1));
}

/// Names come from the input, which may have one of a megabyte: of what is so long, the beginning
/// and the end are shown, since the message names the fault after it.
std::string shortened(std::string_view text) {
  constexpr std::size_t kLongest = 2000;
  constexpr std::size_t kEnd = 500;
  if (text.size() <= kLongest) return printable(text);
  const auto is_inside_character = [&](std::size_t i) {
    return (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80;
  };
  std::size_t first = kLongest - kEnd;
  std::size_t last = text.size() - kEnd;
  while (first > 0 && is_inside_character(first)) --first;
  while (last < text.size() && is_inside_character(last)) ++last;
  return printable(text.substr(0, first)) + "…" + printable(text.substr(last));
}

}  // namespace

// As compilers print it, so that editors jump to the place: file:member:line:column: message, then
// the line and a caret.
std::string to_string(const Diagnostic& diagnostic) {
  const Location& where = diagnostic.where;
  std::string text;
  const auto part = [&text](std::string_view piece) {
    if (piece.empty()) return;
    text += shortened(piece);
    text += ':';
  };
  part(where.file);
  part(where.member);
  if (where.line != 0) part(fmt::format("{}:{}", where.line, where.column));
  part(where.json_pointer);
  if (!text.empty()) text += ' ';
  text += shortened(diagnostic.message);
  if (where.line != 0 && !where.source_line.empty()) text += source_with_caret(where);
  return text;
}

// Readers know places in a text, not the file that it is from.
Diagnostic in_file(Diagnostic diagnostic, std::string_view file) {
  if (diagnostic.where.file.empty()) diagnostic.where.file = file;
  return diagnostic;
}

}  // namespace mlf
