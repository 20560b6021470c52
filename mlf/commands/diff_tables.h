// What changed between two builds, for people.
#pragma once

#include <string>

#include "mlf/diff.h"
#include "table.h"

namespace mlf::program {

/// Totals, then kernels by the size of the change, then the network.
std::string to_tables(const BuildDifference& difference, const Screen& screen);

/// The same as one table of Markdown.
std::string to_markdown(const BuildDifference& difference);

}  // namespace mlf::program
