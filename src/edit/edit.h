// Changes of a member's text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"
#include "mlf/tir/module.h"
#include "support/source_text.h"

namespace mlf::edit {

/// Places in texts are of 32 bits: a source has at most 4 GiB.
inline tir::SourceRange at(std::size_t begin, std::size_t end) {
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

/// The bytes of a value in its document.
inline tir::SourceRange range_of(json::Value value) {
  return at(value.offset(), value.offset() + value.source().size());
}

inline std::string_view text_in(std::string_view text, tir::SourceRange range) {
  return text.substr(range.begin, range.end - range.begin);
}

/// With the blanks before it and the newline behind it, if its lines contain nothing else.
tir::SourceRange whole_lines(std::string_view text, tir::SourceRange range);
/// With the empty line behind it.
tir::SourceRange with_empty_line(std::string_view text, tir::SourceRange range);

/// New text for `range`.
struct Edit {
  tir::SourceRange range;
  std::string text;
};

/// Returns the text with all edits, which may come in any order. Two edits of one range must be
/// equal, and others must not overlap; throws `Error` otherwise.
std::string apply(std::string_view text, std::vector<Edit> edits);

/// A number of a plan, before and after.
struct NumberChange {
  std::uint64_t before = 0;
  std::uint64_t after = 0;
};

/// Replaces the decimal digits at the beginning of `range` by the new number. Throws `Error`
/// (check_failed) if they are not the old number; `what` names it in the message.
Edit number_edit(const support::SourceText& source, tir::SourceRange range,
                 const NumberChange& change, std::string_view what);

/// Throws because the change cannot be proven correct. `where` is a member, or empty.
[[noreturn]] void refuse(std::string message, std::string_view where = {});

}  // namespace mlf::edit
