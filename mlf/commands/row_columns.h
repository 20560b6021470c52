// The columns of `mlf table`, as text.
#pragma once

#include <string>

namespace mlf::program {

/// The names of the columns of every kind of row.
std::string row_columns_help();

/// The same with a line for each column, which says its meaning.
std::string row_columns_text();

}  // namespace mlf::program
