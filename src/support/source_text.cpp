#include "support/source_text.h"

#include <algorithm>
#include <utility>

#include "support/count_bytes.h"
#include "support/error.h"

namespace mlf::support {
namespace {

// A message stays readable on a terminal even where a line is a megabyte long.
constexpr std::size_t kLineWidth = 100;
constexpr std::size_t kContextBefore = 60;

/// Where in `text` a character begins, at or before `offset`: clipping must not cut one in two.
std::size_t character_start(std::string_view text, std::size_t offset) {
  constexpr std::size_t kLongestCharacter = 4;
  for (std::size_t back = 0; back < kLongestCharacter && back <= offset; ++back) {
    const bool continues = offset - back < text.size() &&
                           (static_cast<unsigned char>(text[offset - back]) & 0xc0) == 0x80;
    if (!continues) return offset - back;
  }
  return offset;
}

/// A tab as one blank, so that the caret is where it should be.
std::string without_tabs(std::string_view text) {
  std::string result(text);
  std::replace(result.begin(), result.end(), '\t', ' ');
  return result;
}

}  // namespace

// Counts lines anew each time: readers keep offsets, and only an error needs a line.
CountedLines SourceText::counted_to(std::size_t offset) const {
  const CountedLines from = offset < counted.offset ? CountedLines{} : counted;
  const std::string_view between = text.substr(from.offset, offset - from.offset);
  const std::size_t newline = between.rfind('\n');
  return {.offset = offset,
          .line = from.line + static_cast<std::uint32_t>(
                                  count_bytes(between, [](char c) { return c == '\n'; })),
          .line_begin =
              newline == std::string_view::npos ? from.line_begin : from.offset + newline + 1};
}

void SourceText::count_lines_to(std::size_t offset) {
  if (offset > counted.offset) counted = counted_to(offset);
}

Location SourceText::locate(std::size_t offset, std::size_t length) const {
  offset = std::min(offset, text.size());
  const auto [at, line, line_begin] = counted_to(offset);
  // What is shown ends within the width of a line: the rest of a long one need not be looked at.
  const std::string_view behind = text.substr(offset, kLineWidth);
  const std::size_t line_end = offset + std::min(behind.find('\n'), behind.size());
  const std::size_t column = offset - line_begin;

  // Of a long line the part around the place is shown, so that the caret fits below it.
  const std::size_t clip_begin =
      column > kContextBefore ? character_start(text, offset - kContextBefore) : line_begin;
  const std::size_t clip_end = character_start(text, std::min(line_end, clip_begin + kLineWidth));
  const std::size_t most = clip_end > offset ? clip_end - offset : 1;

  Location where;
  where.file = file;
  where.member = member;
  // Counted from 1, as editors do.
  where.line = line;
  where.column = static_cast<std::uint32_t>(column + 1);
  where.source_line = without_tabs(text.substr(clip_begin, clip_end - clip_begin));
  where.caret = static_cast<std::uint32_t>(offset - clip_begin);
  where.length = static_cast<std::uint32_t>(std::clamp<std::size_t>(length, 1, most));
  return where;
}

void fail_at(const SourceText& source, std::size_t offset, std::string message,
             std::size_t length) {
  throw Error(ErrorKind::invalid_input, std::move(message), source.locate(offset, length));
}

}  // namespace mlf::support
