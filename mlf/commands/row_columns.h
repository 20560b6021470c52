// The columns of `mlf table`, as text.
#pragma once

#include <string>

namespace mlf::program {

/// The names of the columns of every kind of row.
std::string row_columns_help();

/// The same with one line and its meaning for each column.
std::string row_columns_text();

}  // namespace mlf::program
