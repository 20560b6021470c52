// Columns of text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace mlf::program {

/// Whether lines have the colours of a terminal: see `colours_of_standard_output`.
enum class Colours : std::uint8_t { off, on };

/// How a line is shown where there are colours.
enum class Emphasis : std::uint8_t {
  none,
  bold,     ///< the line to look at first
  warning,  ///< red: something is not as it has to be
};

class Table {
 public:
  explicit Table(std::vector<std::string> head);

  /// These columns are numbers.
  void align_right(std::initializer_list<std::size_t> columns);
  /// Leaves this column out where all rows have the same cell in it.
  void hide_if_constant(std::size_t column);
  /// As many cells as the head has.
  void add(std::vector<std::string> cells, Emphasis emphasis = Emphasis::none);

  bool empty() const noexcept { return rows_.size() == 1; }
  /// One line a row, columns two spaces apart, nothing behind the last character of a line.
  std::string text(Colours colours = Colours::off) const;

 private:
  bool is_hidden(std::size_t column) const;

  std::vector<std::vector<std::string>> rows_;  ///< the head first
  std::vector<Emphasis> emphases_;              ///< one a row
  std::vector<bool> right_;
  std::vector<bool> may_hide_;
};

}  // namespace mlf::program
