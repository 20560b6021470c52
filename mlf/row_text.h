// Rows of cells as text: CSV by RFC 4180, and JSON Lines.
#pragma once

#include <string>
#include <vector>

#include "mlf/report_rows.h"

namespace mlf::program {

/// One line with its line break. An empty cell is empty.
std::string csv_line(const std::vector<Cell>& cells);

/// One object with its line break; an empty cell is null. As many names as cells.
std::string json_line(const std::vector<std::string>& names, const std::vector<Cell>& cells);

}  // namespace mlf::program
