#include "edit/edit.h"

#include <algorithm>
#include <charconv>

#include "support/error.h"

namespace mlf::edit {

tir::SourceRange whole_lines(std::string_view text, tir::SourceRange range) {
  std::size_t begin = range.begin;
  while (begin > 0 && (text[begin - 1] == ' ' || text[begin - 1] == '\t')) --begin;
  const std::size_t newline = text.find('\n', range.end);
  const std::string_view rest = text.substr(range.end, newline - range.end);
  const bool has_more =
      (begin > 0 && text[begin - 1] != '\n') || rest.find_first_not_of(" \t\r") != rest.npos;
  return has_more ? range : at(begin, newline == text.npos ? text.size() : newline + 1);
}

tir::SourceRange with_empty_line(std::string_view text, tir::SourceRange range) {
  return text.substr(range.end).starts_with('\n') ? at(range.begin, range.end + 1) : range;
}

std::string apply(std::string_view text, std::vector<Edit> edits) {
  // Callers go through a representation function by function, in its own order.
  std::ranges::stable_sort(edits, {}, [](const Edit& edit) { return edit.range.begin; });
  std::string result;
  result.reserve(text.size());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < edits.size(); ++i) {
    const Edit& edit = edits[i];
    if (i > 0 && edits[i - 1].range == edit.range) {
      // Two sites may share one number, such as a node that save_json writes once.
      if (edits[i - 1].text == edit.text) continue;
      refuse("'" + std::string(text_in(text, edit.range)) +
             "' would need two new values: " + edits[i - 1].text + " and " + edit.text);
    }
    if (edit.range.begin < kept) refuse("two changes of one place");
    result += text.substr(kept, edit.range.begin - kept);
    result += edit.text;
    kept = edit.range.end;
  }
  result += text.substr(kept);
  return result;
}

Edit number_edit(const support::SourceText& source, tir::SourceRange range,
                 const NumberChange& change, std::string_view what) {
  const char* const begin = source.text.data() + range.begin;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(begin, source.text.data() + range.end, value);
  const auto length = static_cast<std::uint32_t>(end - begin);
  if (error != std::errc() || value != change.before) {
    throw support::Error(
        ErrorKind::check_failed,
        std::string(what) + " is not " + std::to_string(change.before) + ", its value in the plan",
        source.locate(range.begin, range.end - range.begin));
  }
  return {{range.begin, range.begin + length}, std::to_string(change.after)};
}

// All refusals have one kind of error: the archive is unchanged, and the exit code is 1.
void refuse(std::string message, std::string_view where) {
  Location place;
  place.member = std::string(where);
  throw support::Error(ErrorKind::check_failed, std::move(message), place);
}

}  // namespace mlf::edit
