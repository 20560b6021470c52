// A report in tables: a summary and one line for each call.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/budget.h"
#include "mlf/report.h"
#include "table.h"

namespace mlf::program {

/// A column of the calls; a position in the table of all columns.
enum class ReportColumn : std::uint8_t {};

std::vector<std::string> column_names();
/// Names and meanings for --help.
std::string columns_help();
/// `name` is one of `column_names`.
ReportColumn column_named(std::string_view name);

/// Which parts of a report to show, and how.
struct ReportView {
  std::vector<ReportColumn> columns;  ///< empty: the default columns
  std::optional<ReportColumn> sort;   ///< empty: in the order of execution
  std::size_t top = 0;                ///< 0: all
  Screen screen{};
};

std::string to_tables(const Report& report, const ReportView& view);

}  // namespace mlf::program
