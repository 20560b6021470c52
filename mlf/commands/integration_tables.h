// What an application needs, in tables.
#pragma once

#include <string>

#include "mlf/integration.h"
#include "table.h"

namespace mlf::program {

/// "1x49x10x1", "scalar", or "?".
std::string shape_text(const graph::TensorType& type);
/// "int8", or "?".
std::string dtype_text(const graph::TensorType& type);

/// The loops of all functions.
std::string loops_table(const Integration& integration, const Screen& screen);

/// Everything else.
std::string to_tables(const Integration& integration, const Screen& screen);

}  // namespace mlf::program
