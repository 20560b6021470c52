#include "mlf/plan/problem.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

#include "support/error.h"
#include "support/source_text.h"

namespace mlf::plan {
namespace {

/// A part of the text, with its place in it.
struct Field {
  std::string_view text;
  std::size_t offset = 0;  ///< bytes from the start of the file

  Field part(std::size_t from, std::size_t count = std::string_view::npos) const {
    return {text.substr(from, count), offset + from};
  }
};

std::vector<Field> split(const Field& whole, char separator) {
  std::vector<Field> parts;
  parts.reserve(1 + static_cast<std::size_t>(std::ranges::count(whole.text, separator)));
  std::size_t from = 0;
  for (std::size_t end = whole.text.find(separator); end != std::string_view::npos;
       end = whole.text.find(separator, from)) {
    parts.push_back(whole.part(from, end - from));
    from = end + 1;
  }
  parts.push_back(whole.part(from));
  return parts;
}

/// The lines that are not blank, without line ends.
std::vector<Field> lines_of(std::string_view text) {
  std::vector<Field> lines;
  for (Field line : split({text, 0}, '\n')) {
    if (line.text.ends_with('\r')) line.text.remove_suffix(1);
    if (!line.text.empty()) lines.push_back(line);
  }
  return lines;
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

enum class Column : std::uint8_t { id, lower, upper, size, alignment, gaps, hint, offset };

/// By column: the name that messages use.
constexpr std::array<std::string_view, 8> kNames = {"id",        "lower", "upper", "size",
                                                    "alignment", "gaps",  "hint",  "offset"};

/// Reads the head first: columns may be in any order and may have several names.
class ProblemReader {
 public:
  ProblemReader(std::string_view text, const std::string& name) : source_{name, {}, text} {}

  ProblemCsv read() {
    const std::vector<Field> lines = lines_of(source_.text);
    if (lines.empty()) support::fail_at(source_, 0, "expected the names of the columns");
    read_head(lines.front());
    ProblemCsv csv;
    csv.lines.reserve(lines.size());
    csv.problem.buffers.reserve(lines.size());
    for (const Field& line : lines) {
      // The output repeats the lines unchanged, possibly on a terminal.
      if (!is_ascii(line.text) && printable(line.text) != line.text) {
        fail(line, "the line has bytes that are not printable UTF-8");
      }
      csv.lines.emplace_back(line.text);
      if (&line != &lines.front()) csv.problem.buffers.push_back(buffer_of(line));
    }
    csv.offset_column = place_of(Column::offset);
    return csv;
  }

 private:
  [[noreturn]] void fail(const Field& field, std::string message) const {
    support::fail_at(source_, field.offset, std::move(message),
                     std::max<std::size_t>(1, field.text.size()));
  }

  void read_head(const Field& line) {
    // MiniMalloc's converter accepts these words (FromCsv in src/converter.cc).
    static const std::map<std::string_view, Column> kColumns = {
        {"id", Column::id},        {"buffer", Column::id},
        {"buffer_id", Column::id}, {"lower", Column::lower},
        {"begin", Column::lower},  {"start", Column::lower},
        {"upper", Column::upper},  {"end", Column::upper},
        {"size", Column::size},    {"alignment", Column::alignment},
        {"gaps", Column::gaps},    {"hint", Column::hint},
        {"offset", Column::offset}};
    for (const Field& field : split(line, ',')) {
      const auto known = kColumns.find(field.text);
      if (known == kColumns.end()) {
        fail(field, fmt::format("there is no column '{}'", printable(field.text)));
      }
      const auto column = static_cast<std::size_t>(known->second);
      if (columns_[column]) {
        fail(field, fmt::format("a second column for '{}'", kNames[column]));
      }
      columns_[column] = column_count_++;
      // A column `end` contains the last step; `upper` is the step after it.
      if (field.text == "end") last_step_counts_ = 1;
    }
    for (const Column column : {Column::id, Column::lower, Column::upper, Column::size}) {
      if (place_of(column)) continue;
      fail(line, fmt::format("there is no column '{}'", kNames[static_cast<std::size_t>(column)]));
    }
  }

  /// In a line.
  std::optional<std::size_t> place_of(Column column) const {
    return columns_[static_cast<std::size_t>(column)];
  }

  /// The whole field must be a number, without plus sign, spaces or unit.
  template <class Number>
  Number number(const Field& field) const {
    Number value{};
    const char* const end = field.text.data() + field.text.size();
    const auto [stop, error] = std::from_chars(field.text.data(), end, value);
    if (error == std::errc::result_out_of_range) fail(field, "the number is too large");
    if (error != std::errc() || stop != end) fail(field, "expected a whole number");
    return value;
  }

  /// Gaps and lifetimes have the same form, and their ends have the same meaning.
  Interval interval(const Field& lower, const Field& upper) const {
    Interval steps{number<std::int64_t>(lower), number<std::int64_t>(upper)};
    if (steps.upper == INT64_MAX) fail(upper, "the number is too large");
    steps.upper += last_step_counts_;
    if (steps.lower >= steps.upper) fail(upper, "expected a step after the first one");
    return steps;
  }

  std::vector<Interval> gaps(const Field& field) const {
    std::vector<Interval> result;
    for (const Field& gap : split(field, ' ')) {
      if (gap.text.empty()) continue;
      if (gap.text.find('@') != std::string_view::npos) {
        fail(gap, "a gap with a window is not supported");
      }
      // The first character may be a sign.
      const std::size_t dash = gap.text.find('-', 1);
      if (dash == std::string_view::npos) fail(gap, "expected a gap like 2-4");
      result.push_back(interval(gap.part(0, dash), gap.part(dash + 1)));
    }
    return result;
  }

  /// If a column is missing, the buffer keeps its default: no gaps, no alignment, no fixed offset.
  Buffer buffer_of(const Field& line) const {
    const std::vector<Field> fields = split(line, ',');
    if (fields.size() != column_count_) {
      fail(line, fmt::format("{} fields for {} columns", fields.size(), column_count_));
    }
    const auto field = [&](Column column) -> const Field* {
      const std::optional<std::size_t> place = place_of(column);
      return place ? &fields[*place] : nullptr;
    };
    Buffer buffer;
    buffer.id = field(Column::id)->text;
    const Interval life = interval(*field(Column::lower), *field(Column::upper));
    buffer.lower = life.lower;
    buffer.upper = life.upper;
    buffer.size = number<std::uint64_t>(*field(Column::size));
    if (const Field* alignment = field(Column::alignment)) {
      buffer.alignment = number<std::uint64_t>(*alignment);
      if (buffer.alignment == 0) fail(*alignment, "an alignment is 1 or more");
    }
    if (const Field* list = field(Column::gaps)) buffer.gaps = gaps(*list);
    if (const Field* offset = field(Column::offset); offset != nullptr && !offset->text.empty()) {
      buffer.fixed_offset = number<std::uint64_t>(*offset);
    }
    return buffer;
  }

  support::SourceText source_;
  std::array<std::optional<std::size_t>, kNames.size()> columns_{};
  std::size_t column_count_ = 0;
  std::int64_t last_step_counts_ = 0;
};

}  // namespace

Result<ProblemCsv> read_problem_csv(std::string_view text, const std::string& name) {
  return support::to_result([&] { return ProblemReader(text, name).read(); });
}

std::string to_csv(const ProblemCsv& csv, const std::vector<std::uint64_t>& offsets) {
  // An existing column `offset` gets the new values; all other cells stay unchanged.
  std::string text;
  for (std::size_t row = 0; row < csv.lines.size(); ++row) {
    const std::string cell = row == 0 ? "offset" : std::to_string(offsets[row - 1]);
    if (!csv.offset_column) {
      text += csv.lines[row];
      text += ',';
      text += cell;
      text += '\n';
      continue;
    }
    const std::vector<Field> fields = split({csv.lines[row], 0}, ',');
    for (std::size_t column = 0; column < fields.size(); ++column) {
      if (column != 0) text += ',';
      text += column == *csv.offset_column ? std::string_view(cell) : fields[column].text;
    }
    text += '\n';
  }
  return text;
}

}  // namespace mlf::plan
