// Columns of text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mlf::program {

/// Whether lines have colours.
enum class Colours : std::uint8_t { off, on };

/// The form of numbers: "208576" for programs, "208,576" for people.
enum class Digits : std::uint8_t { plain, grouped };

/// The screen for which text is laid out. `screen_of_standard_output` returns that of this process.
struct Screen {
  Colours colours = Colours::off;
  Digits digits = Digits::plain;
  std::optional<std::size_t> width = {};  ///< of a line, in characters; empty: no limit
};

/// The emphasis of a line on a screen with colours.
enum class Emphasis : std::uint8_t {
  none,
  bold,     ///< the most important line
  warning,  ///< red: an error
};

/// Returns `text` with numbers of at least four digits in the screen's form. Keeps digits in names.
std::string with_digits(std::string_view text, const Screen& screen);

/// A time with `digits` digits, in the unit that fits `largest`: "1.25 ms", "1.25..5 ms", or
/// ">=1.25 ms" without a maximum.
std::string time_text(std::uint64_t min, std::optional<std::uint64_t> max, std::uint64_t largest,
                      int digits = 4);

/// Breaks `text`, one line, into lines that fit the screen; those after the first begin with
/// `indent` blanks.
std::string folded(std::string_view text, const Screen& screen, std::size_t indent);

/// A title and a line for each sentence, behind an empty line; nothing without sentences.
std::string titled_lines(std::string_view title, const std::vector<std::string>& sentences,
                         const Screen& screen);

/// Escapes what Markdown takes for marks, and bars, which end a cell of a table.
std::string markdown_text(std::string_view text);

/// Fits each line of `text` to the screen.
std::string lines_for(std::string_view text, const Screen& screen);

/// A table for a screen. If it does not fit, its columns become narrower: it wraps sentences and
/// pairs of names, and shortens names in the middle. Numbers stay complete: columns that still do
/// not fit go into a second block, which repeats the first columns. Where it fits, shortened names
/// that differ look different.
class Table {
 public:
  /// Marks in front of a head say what its column is: `#` numbers; `~` sentences; `?` left out if
  /// all its cells are empty; `=` left out if all rows have the same cell in it.
  explicit Table(std::vector<std::string> heads);

  /// Adds a row with as many cells as the head.
  void add(std::vector<std::string> cells, Emphasis emphasis = Emphasis::none);

  bool empty() const noexcept { return rows_.size() == 1; }
  /// Returns one line for each row, columns two spaces apart, without trailing spaces.
  std::string text(const Screen& screen = {}) const;
  /// Returns the table in Markdown, with digits for people.
  std::string markdown() const;

 private:
  using Cells = std::vector<std::vector<std::string>>;
  using Columns = std::vector<std::size_t>;
  struct NameWidths {
    std::size_t name = 0;
    std::size_t telling = 0;
  };
  struct Column {
    bool is_number = false;
    bool wraps = false;
    bool hides_empty = false;
    bool hides_constant = false;
  };

  bool is_hidden(std::size_t column) const;
  Cells cells_for(const Screen& screen) const;
  std::vector<std::size_t> least_widths(const Cells& cells, NameWidths widths) const;
  std::vector<Columns> blocks(const std::vector<std::size_t>& least, const Screen& screen) const;
  std::string block(const Cells& cells, const Columns& columns,
                    const std::vector<std::size_t>& least, const Screen& screen) const;

  Cells rows_;                      ///< the head first
  std::vector<Emphasis> emphases_;  ///< one for each row
  std::vector<Column> columns_;
};

/// A part of a text in Markdown that a reader opens; empty without rows.
std::string folded_table(std::string_view title, const Table& table);

}  // namespace mlf::program
