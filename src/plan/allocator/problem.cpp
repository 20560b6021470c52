#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "mlf/plan/problem.h"
#include "support/error.h"
#include "support/numbers.h"
#include "support/sort_by_key.h"
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

namespace {

// Shares no code with the planners, so that a mistake in them is not repeated here.

/// Checks the requirements of one buffer, independent of the others.
void check_place(const Buffer& buffer, std::uint64_t offset) {
  const auto fail = [&](const std::string& why) {
    throw support::Error(ErrorKind::check_failed,
                         fmt::format("buffer '{}' at {} {}", printable(buffer.id), offset, why));
  };
  if (buffer.alignment == 0 || offset % buffer.alignment != 0) {
    fail(fmt::format("is not aligned to {}", buffer.alignment));
  }
  if (buffer.fixed_offset && *buffer.fixed_offset != offset) {
    fail(fmt::format("is fixed at {}", *buffer.fixed_offset));
  }
  if (offset + buffer.size < offset) fail("ends beyond 2^64");
}

/// The steps [lower, upper), in which a buffer is live at the bytes [from, to).
struct Piece {
  std::int64_t lower = 0;
  std::int64_t upper = 0;
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::size_t buffer = 0;
};

/// In the order of their beginnings. Empty buffers share nothing at any offset.
std::vector<Piece> pieces_of(const std::vector<Buffer>& buffers,
                             const std::vector<std::uint64_t>& offsets) {
  std::vector<Piece> pieces;
  pieces.reserve(buffers.size());
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].size == 0) continue;
    std::vector<Interval> gaps = buffers[i].gaps;
    // What is left of the lifetime is before, between and after these.
    gaps.push_back({buffers[i].upper, buffers[i].upper});
    std::ranges::sort(gaps, {}, &Interval::lower);
    std::int64_t from = buffers[i].lower;
    for (const Interval& gap : gaps) {
      const std::int64_t to = std::min(gap.lower, buffers[i].upper);
      if (from < to) pieces.push_back({from, to, offsets[i], offsets[i] + buffers[i].size, i});
      from = std::max(from, gap.upper);
    }
  }
  support::sort_by_number(pieces, &Piece::lower);
  return pieces;
}

/// Checks that pieces that are live at one step share no byte.
class LivePieces {
 public:
  LivePieces(const std::vector<Buffer>& buffers, const std::vector<Piece>& pieces)
      : buffers_(buffers), pieces_(pieces) {}

  void check() {
    std::vector<std::size_t> ends = support::positions(pieces_.size());
    support::sort_by_number(ends, [this](std::size_t i) { return pieces_[i].upper; });
    auto next_end = ends.begin();
    for (const Piece& piece : pieces_) {
      for (; pieces_[*next_end].upper <= piece.lower; ++next_end) {
        live_.erase(pieces_[*next_end].from);
      }
      add(piece);
    }
  }

 private:
  /// Live pieces are disjoint, so an overlap includes a neighbour by offset.
  void add(const Piece& piece) {
    const auto above = live_.lower_bound(piece.from);
    if (above != live_.begin()) {
      const Piece& below = *std::prev(above)->second;
      if (below.to > piece.from) refuse(piece, below);
    }
    if (above != live_.end() && above->first < piece.to) refuse(piece, *above->second);
    live_.emplace_hint(above, piece.from, &piece);
  }

  [[noreturn]] void refuse(const Piece& added, const Piece& other) const {
    const auto key = [this](const Piece& piece) {
      return std::pair(buffers_[piece.buffer].lower, piece.buffer);
    };
    const auto& [a, b] = key(added) < key(other) ? std::tie(added, other) : std::tie(other, added);
    throw support::Error(ErrorKind::check_failed,
                         fmt::format("buffers '{}' [{}, {}) and '{}' [{}, {}) overlap at step {}",
                                     printable(buffers_[a.buffer].id), a.from, a.to,
                                     printable(buffers_[b.buffer].id), b.from, b.to, added.lower));
  }

  const std::vector<Buffer>& buffers_;
  const std::vector<Piece>& pieces_;
  std::map<std::uint64_t, const Piece*> live_{};  // by offset
};

}  // namespace

Result<std::uint64_t> check_offsets(const Problem& problem,
                                    const std::vector<std::uint64_t>& offsets) {
  return support::to_result([&] {
    const auto& buffers = problem.buffers;
    if (offsets.size() != buffers.size()) {
      throw support::Error(ErrorKind::check_failed, fmt::format("{} offsets for {} buffers",
                                                                offsets.size(), buffers.size()));
    }
    std::uint64_t size = 0;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      check_place(buffers[i], offsets[i]);
      size = std::max(size, offsets[i] + buffers[i].size);
    }
    LivePieces(buffers, pieces_of(buffers, offsets)).check();
    return size;
  });
}

}  // namespace mlf::plan
