#include "table.h"

#include <fmt/color.h>
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "mlf/diagnostics.h"

namespace mlf::program {
namespace {

std::string coloured(const std::string& line, Emphasis emphasis) {
  switch (emphasis) {
    case Emphasis::none:
      break;
    case Emphasis::bold:
      return fmt::format(fmt::emphasis::bold, "{}", line);
    case Emphasis::warning:
      return fmt::format(fmt::fg(fmt::terminal_color::red), "{}", line);
  }
  return line;
}

}  // namespace

// The head is a row like any other, and counts for the widths.
Table::Table(std::vector<std::string> head) : right_(head.size()), may_hide_(head.size()) {
  rows_.push_back(std::move(head));
  emphases_.push_back(Emphasis::none);
}

void Table::align_right(std::initializer_list<std::size_t> columns) {
  for (const std::size_t column : columns) right_[column] = true;
}

void Table::hide_if_constant(std::size_t column) {
  may_hide_[column] = true;
}

bool Table::is_hidden(std::size_t column) const {
  return may_hide_[column] && std::all_of(rows_.begin() + 1, rows_.end(), [&](const auto& row) {
           return row[column] == rows_[1][column];
         });
}

void Table::add(std::vector<std::string> cells, Emphasis emphasis) {
  // Names come from untrusted archives: a terminal must not obey them.
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
  emphases_.push_back(emphasis);
}

// Width by bytes: names beyond ASCII may be out of line, which is all that happens.
std::string Table::text(Colours colours) const {
  std::vector<std::size_t> widths(right_.size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < right_.size(); ++i) {
    if (!is_hidden(i)) shown.push_back(i);
  }
  std::string result;
  for (std::size_t at = 0; at < rows_.size(); ++at) {
    const auto& row = rows_[at];
    std::string line;
    for (const std::size_t i : shown) {
      if (i != shown.front()) line += "  ";
      line += right_[i] ? fmt::format("{:>{}}", row[i], widths[i])
                        : fmt::format("{:<{}}", row[i], widths[i]);
    }
    // An empty last cell would leave blanks at the end.
    line.erase(line.find_last_not_of(' ') + 1);
    result += (colours == Colours::on ? coloured(line, emphases_[at]) : line) + '\n';
  }
  return result;
}

}  // namespace mlf::program
