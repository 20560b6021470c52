#include "table.h"

#include <fmt/color.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <utility>

#include "mlf/diagnostics.h"
#include "support/digits.h"
#include "support/lines.h"

namespace mlf::program {
namespace {

constexpr std::size_t kGap = 2;  // between columns
constexpr std::size_t kNarrowestName = 12;
constexpr std::size_t kNarrowestSentence = 24;

std::string coloured(const std::string& line, Emphasis emphasis) {
  if (emphasis == Emphasis::none) return line;
  const fmt::text_style style = emphasis == Emphasis::bold ? fmt::text_style(fmt::emphasis::bold)
                                                           : fmt::fg(fmt::terminal_color::red);
  return fmt::format(style, "{}", line);
}

/// Whether `text` may be cut here: not inside of a character in UTF-8.
bool is_boundary(std::string_view text, std::size_t at) {
  return at >= text.size() || (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
}

constexpr std::string_view kDots = "...";

/// A name of at most `width` characters without its middle, because the ends distinguish names. The
/// last `end` of the characters remain.
std::string shortened(const std::string& text, std::size_t width, std::size_t end) {
  if (text.size() <= width || width <= kDots.size() + 2) return text;
  std::size_t end_of_head = width - kDots.size() - end;
  std::size_t tail = text.size() - end;
  while (!is_boundary(text, end_of_head)) --end_of_head;
  while (!is_boundary(text, tail)) ++tail;
  return text.substr(0, end_of_head) + std::string(kDots) + text.substr(tail);
}

/// The end that names of this width keep.
std::size_t usual_end(std::size_t width) {
  return (std::max(width, kDots.size()) - kDots.size()) / 3;
}

using Names = std::set<std::string>;

/// The end with which names that differ remain different, if there is one.
std::optional<std::size_t> telling_end(const Names& names, std::size_t width) {
  constexpr std::size_t kMostNames = 1000;  // the time is the product of names and ends
  if (names.size() > kMostNames) return {};
  for (std::size_t end = usual_end(width); end + kDots.size() <= width; ++end) {
    Names shown;
    for (const std::string& name : names) shown.insert(shortened(name, width, end));
    if (shown.size() == names.size()) return end;
  }
  return {};
}

/// The words of a column: names, and parts of pairs of names.
Names names_in(const std::vector<std::vector<std::string>>& cells, std::size_t column) {
  Names names;
  for (const auto& row : cells) {
    for (std::string_view rest = row[column]; !rest.empty();) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      names.emplace(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return names;
}

/// Lines of at most `width` characters, broken between words. A longer word loses its middle; the
/// last `tail` of its characters remain.
std::vector<std::string> lines_of(std::string_view text, std::size_t width, std::size_t tail) {
  constexpr std::size_t kLeastInLine = 3;  // an arrow is in the line of its name
  std::vector<std::string> lines;
  while (text.size() > width) {
    std::size_t end = text.rfind(' ', width);
    if (end == text.npos || end < kLeastInLine) end = std::min(text.find(' ', width), text.size());
    lines.push_back(shortened(std::string(text.substr(0, end)), width, tail));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!text.empty() || lines.empty()) lines.emplace_back(text);
  return lines;
}

std::size_t total_width(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), widths.size() * kGap) - kGap;
}

/// Takes what does not fit from the widest columns, so that these become equal.
void narrow(std::vector<std::size_t>& widths, const std::vector<std::size_t>& least,
            std::size_t screen) {
  for (std::size_t i = 0; i < widths.size(); ++i) {
    widths[i] = std::min(widths[i], std::max(least[i], screen));
  }
  while (total_width(widths) > screen) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (widths[i] <= least[i]) continue;
      if (widest == widths.size() || widths[i] > widths[widest]) widest = i;
    }
    if (widest == widths.size()) return;
    --widths[widest];
  }
}

}  // namespace

std::string with_digits(std::string_view text, const Screen& screen) {
  return screen.digits == Digits::plain ? std::string(text) : group_digits(text);
}

std::string time_text(std::uint64_t min, std::optional<std::uint64_t> max, std::uint64_t largest,
                      int digits) {
  constexpr std::array<std::pair<std::string_view, double>, 4> kUnits{
      {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
  // Parts of a longer time have the same unit, and few digits need no exponent.
  constexpr double kMostOfUnit = 5'000;
  auto unit = kUnits.begin();
  while (unit + 1 != kUnits.end() && static_cast<double>(largest) >= kMostOfUnit * unit->second) {
    ++unit;
  }
  const auto number = [&](std::uint64_t nanoseconds) {
    return fmt::format("{:.{}g}", static_cast<double>(nanoseconds) / unit->second, digits);
  };
  if (!max) return fmt::format(">={} {}", number(min), unit->first);
  if (min == *max) return fmt::format("{} {}", number(min), unit->first);
  return fmt::format("{}..{} {}", number(min), number(*max), unit->first);
}

std::string folded(std::string_view text, const Screen& screen, std::size_t indent) {
  if (!screen.width || text.size() <= *screen.width || *screen.width <= indent + 1) {
    return std::string(text);
  }
  std::size_t end = text.rfind(' ', *screen.width);
  if (end == text.npos || end == 0) end = text.find(' ', *screen.width);  // a long path
  if (end == text.npos) return std::string(text);
  const std::size_t width = *screen.width - indent;
  std::string out(text.substr(0, end));
  while (!out.empty() && out.back() == ' ') out.pop_back();
  while (end < text.size() && text[end] == ' ') ++end;
  for (const std::string& line : lines_of(text.substr(end), width, usual_end(width))) {
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t last = line.find_last_not_of(' ');
    if (begin == line.size()) continue;
    out += '\n' + std::string(indent, ' ') + line.substr(begin, last + 1 - begin);
  }
  return out;
}

std::string titled_lines(std::string_view title, const std::vector<std::string>& sentences,
                         const Screen& screen) {
  std::string text = sentences.empty() ? "" : fmt::format("\n{}\n", title);
  for (const std::string& one : sentences) text += folded("  " + printable(one), screen, 4) + "\n";
  return text;
}

std::string markdown_text(std::string_view text) {
  std::string escaped;
  for (const char c : printable(text)) {
    if (std::string_view("|\\`*_<>[]&#").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string lines_for(std::string_view text, const Screen& screen) {
  std::string out;
  while (!text.empty()) {
    out += folded(with_digits(support::take_line(text), screen), screen, 2) + "\n";
  }
  return out;
}

// The head is a row like any other, so it affects the widths.
Table::Table(std::vector<std::string> heads) {
  for (std::string& head : heads) {
    const std::size_t name = head.find_first_not_of("#~?=");
    // "#" alone is a head.
    const std::string marks = head.substr(0, name == head.npos ? 0 : name);
    const auto has = [&](char mark) { return marks.find(mark) != marks.npos; };
    columns_.push_back({has('#'), has('~'), has('?'), has('=')});
    head.erase(0, marks.size());
  }
  rows_.push_back(std::move(heads));
  emphases_.push_back(Emphasis::none);
}

bool Table::is_hidden(std::size_t column) const {
  const auto all_are = [&](const std::string& cell) {
    return std::all_of(rows_.begin() + 1, rows_.end(),
                       [&](const auto& row) { return row[column] == cell; });
  };
  return (columns_[column].hides_empty && all_are("")) ||
         (columns_[column].hides_constant && rows_.size() > 1 && all_are(rows_[1][column]));
}

void Table::add(std::vector<std::string> cells, Emphasis emphasis) {
  // Names come from untrusted archives, so control characters must not reach a terminal.
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
  emphases_.push_back(emphasis);
}

Table::Cells Table::cells_for(const Screen& screen) const {
  Cells cells = rows_;
  for (auto& row : cells) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (columns_[i].is_number || columns_[i].wraps) row[i] = with_digits(row[i], screen);
    }
  }
  return cells;
}

/// The widths of columns at their narrowest: names lose nothing up to `name` characters, and more
/// only beyond `telling` characters, if their ends tell them apart then.
std::vector<std::size_t> Table::least_widths(const Cells& cells, NameWidths widths) const {
  std::vector<std::size_t> all;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    std::size_t widest = 0;
    for (const auto& row : cells) widest = std::max(widest, row[column].size());
    std::size_t least = std::max(cells[0][column].size(), widths.name);
    if (columns_[column].is_number) {
      least = widest;
    } else if (columns_[column].wraps) {
      least = std::max(cells[0][column].size(), kNarrowestSentence);
    } else if (widest > least) {
      const Names names = names_in(cells, column);
      std::size_t width = least;
      while (width <= widths.telling && !telling_end(names, width)) ++width;
      if (width <= widths.telling) least = width;
    }
    all.push_back(std::min(widest, least));
  }
  return all;
}

/// The columns of each block: the names at the front, then as many as fit.
std::vector<Table::Columns> Table::blocks(const std::vector<std::size_t>& least,
                                          const Screen& screen) const {
  Columns shown;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!is_hidden(i)) shown.push_back(i);
  }
  if (!screen.width) return {shown};
  // The names may have a number before them. A table without names, or only with names, repeats its
  // first column.
  std::size_t names = shown.empty() ? 0 : 1;
  while (names < shown.size() && !columns_[shown[names]].is_number) ++names;
  constexpr std::size_t kMostFront = 3;
  const std::size_t front = names == shown.size() ? 1 : std::min(names, kMostFront);
  std::vector<Columns> blocks;
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    widths.push_back(least[shown[i]]);
    const bool fits = total_width(widths) <= *screen.width;
    if (blocks.empty()) {
      blocks.emplace_back();
    } else if (!fits && i >= front && blocks.back().size() > front) {
      blocks.emplace_back(shown.begin(), shown.begin() + static_cast<std::ptrdiff_t>(front));
      widths.resize(front);
      widths.push_back(least[shown[i]]);
    }
    blocks.back().push_back(shown[i]);
  }
  return blocks;
}

// Uses bytes as width: names beyond ASCII may only be misaligned.
std::string Table::block(const Cells& cells, const Columns& columns,
                         const std::vector<std::size_t>& least_of_columns,
                         const Screen& screen) const {
  std::vector<std::size_t> widths;
  std::vector<std::size_t> least;
  for (const std::size_t i : columns) {
    std::size_t widest = 0;
    for (const auto& row : cells) widest = std::max(widest, row[i].size());
    widths.push_back(widest);
    least.push_back(least_of_columns[i]);
  }
  if (screen.width) narrow(widths, least, *screen.width);
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto end =
        columns_[columns[i]].is_number ? 0 : telling_end(names_in(cells, columns[i]), widths[i]);
    ends.push_back(end.value_or(usual_end(widths[i])));
  }
  std::string result;
  for (std::size_t at = 0; at < cells.size(); ++at) {
    std::vector<std::vector<std::string>> lines;
    std::size_t height = 1;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string& cell = cells[at][columns[i]];
      lines.push_back(columns_[columns[i]].is_number || !screen.width
                          ? std::vector{cell}
                          : lines_of(cell, widths[i], ends[i]));
      height = std::max(height, lines.back().size());
    }
    for (std::size_t k = 0; k < height; ++k) {
      std::string line;
      for (std::size_t i = 0; i < columns.size(); ++i) {
        if (i > 0) line += std::string(kGap, ' ');
        const std::string text = k < lines[i].size() ? lines[i][k] : "";
        const std::size_t width = i + 1 < columns.size() ? widths[i] : 0;
        line += columns_[columns[i]].is_number ? fmt::format("{:>{}}", text, widths[i])
                                               : fmt::format("{:<{}}", text, width);
      }
      // The last cell of text needs no blanks behind it.
      line.erase(line.find_last_not_of(' ') + 1);
      result += (screen.colours == Colours::on ? coloured(line, emphases_[at]) : line) + '\n';
    }
  }
  return result;
}

std::string Table::text(const Screen& screen) const {
  const Cells cells = cells_for(screen);
  // The widest names that need no further block.
  constexpr std::array<NameWidths, 6> kWidths{
      {{40, 0}, {32, 0}, {24, 0}, {20, 0}, {kNarrowestName, 20}, {kNarrowestName, 0}}};
  std::size_t fewest = blocks(least_widths(cells, kWidths.back()), screen).size();
  // Names that differ are worth one block more, where there are several anyway.
  const auto differing = blocks(least_widths(cells, kWidths[kWidths.size() - 2]), screen);
  if (fewest > 1 && differing.size() == fewest + 1) ++fewest;
  std::vector<std::size_t> least;
  std::vector<Columns> shown;
  for (const NameWidths& widths : kWidths) {
    least = least_widths(cells, widths);
    shown = blocks(least, screen);
    const bool is_too_wide = std::ranges::any_of(shown, [&](const Columns& columns) {
      std::size_t width = kGap * columns.size() - kGap;
      for (const std::size_t i : columns) width += least[i];
      return width > screen.width;
    });
    if (shown.size() <= fewest && !is_too_wide) break;
  }
  std::string result;
  for (const Columns& columns : shown) {
    if (!result.empty()) result += '\n';
    result += block(cells, columns, least, screen);
  }
  return result;
}

std::string Table::markdown() const {
  Cells cells = cells_for({.digits = Digits::grouped});
  std::vector<std::string> lines(cells.size() + 1, "|");
  const Columns shown = blocks({}, {}).front();
  for (const std::size_t column : shown) {
    std::size_t width = 3;
    for (auto& row : cells) {
      row[column] = markdown_text(row[column]);
      width = std::max(width, row[column].size());
    }
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string& cell = cells[i][column];
      lines[i == 0 ? 0 : i + 1] += columns_[column].is_number
                                       ? fmt::format(" {:>{}} |", cell, width)
                                       : fmt::format(" {:<{}} |", cell, width);
    }
    lines[1] += std::string(width + 1, '-') + (columns_[column].is_number ? ":|" : "-|");
  }
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

std::string folded_table(std::string_view title, const Table& table) {
  if (table.empty()) return {};
  return fmt::format("\n<details><summary>{}</summary>\n\n{}\n</details>\n", title,
                     table.markdown());
}

}  // namespace mlf::program
