// Columns of text.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <vector>

namespace mlf::program {

class Table {
 public:
  explicit Table(std::vector<std::string> head);

  /// These columns are numbers.
  void align_right(std::initializer_list<std::size_t> columns);
  /// As many cells as the head has.
  void add(std::vector<std::string> cells);

  bool empty() const noexcept { return rows_.size() == 1; }
  /// One line a row, columns two spaces apart, nothing behind the last character of a line.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;  ///< the head first
  std::vector<bool> right_;
};

}  // namespace mlf::program
