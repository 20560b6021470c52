#include "manual/paragraph.h"

#include <algorithm>
#include <vector>

namespace mlf::program {
namespace {

constexpr std::size_t kWidth = 80;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// The column of the meaning in lines "word  meaning"; 0 if there is none.
std::size_t meaning_column(const std::vector<std::string_view>& lines) {
  std::size_t column = 0;
  for (const std::string_view line : lines) {
    const std::size_t gap = line.find("  ");
    if (gap != line.npos) column = std::max(column, gap + 2);
  }
  return column;
}

/// Appends the words of `line`, the first one at `column`, and returns the column after the last
/// one.
std::size_t append_words(std::string& out, std::string_view line, std::size_t indent,
                         std::size_t column) {
  bool begins_line = true;
  for (const std::string_view word : split(line, ' ')) {
    if (word.empty()) continue;
    if (!begins_line && column + 1 + word.size() > kWidth) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (!begins_line) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    begins_line = false;
  }
  return column;
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t indent, std::size_t column) {
  std::string out;
  const std::vector<std::string_view> lines = split(text, '\n');
  const std::size_t meanings = meaning_column(lines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    }
    const std::size_t gap = lines[i].find("  ");
    if (gap == lines[i].npos) {
      append_words(out, lines[i], indent, column);
      continue;
    }
    out += "  " + std::string(lines[i].substr(0, gap)) + std::string(meanings - gap, ' ');
    append_words(out, lines[i].substr(gap + 2), indent + meanings + 2, indent + meanings + 2);
  }
  return out;
}

std::string entry(std::string_view name, std::string_view text, std::size_t indent) {
  std::string out = "  " + std::string(name);
  if (text.empty()) return out + '\n';
  const bool fits = out.size() + 2 <= indent;
  out += fits ? std::string(indent - out.size(), ' ') : '\n' + std::string(indent, ' ');
  return out + wrapped(text, indent, indent) + '\n';
}

}  // namespace mlf::program
