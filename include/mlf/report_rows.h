// A report as rows for spreadsheets, data frames and databases: `mlf table` prints them.
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mlf/export.h"
#include "mlf/report.h"

namespace mlf {

/// What a row is about.
enum class RowKind : std::uint8_t {
  archive,   ///< one module of an archive, and what it needs
  call,      ///< one execution of a kernel
  tensor,    ///< one value of a network
  constant,  ///< one constant of a kernel or of main
  finding,   ///< something that costs more than it has to
};

/// What is in the cells of a column, where they are not empty.
enum class CellType : std::uint8_t { number, text };

/// A column of the rows of one kind. Columns are only ever added, at the end.
struct RowColumn {
  std::string_view name;
  std::string_view meaning;  ///< with the unit; empty where the name says all
  CellType type = CellType::number;
};

/// Numbers that are not exact are two columns, `…_min` and `…_max`. An unknown maximum is empty.
MLF_API std::span<const RowColumn> columns_of(RowKind kind);

/// Empty, a number or a text.
using Cell = std::variant<std::monostate, std::uint64_t, std::string>;

/// As many cells a row as `columns_of` has columns; in the order of modules, then that of the
/// network.
MLF_API std::vector<std::vector<Cell>> rows_of(const Report& report, RowKind kind);

/// One line of CSV by RFC 4180 with its line break. An empty cell is empty.
MLF_API std::string csv_line(std::span<const Cell> cells);
/// One object of JSON with a line break; an empty cell is null. As many names as cells.
MLF_API std::string json_line(std::span<const std::string> names, std::span<const Cell> cells);

}  // namespace mlf
