// What an application needs, in words for terminals and pages.
#pragma once

#include <string>
#include <vector>

#include "mlf/integration.h"

namespace mlf::report {

/// What an application needs to run a module of the report, without loops.
///
/// Throws the errors of reading C; none after a `report_of` of the same deployment.
ModuleIntegration integration_of_module(const Deployment& deployment, std::size_t position,
                                        const ModuleReport& report);

/// "-" if there is no text.
MLF_API std::string or_dash(const std::string& text);
/// "1x49x10x1", "scalar", or "?".
MLF_API std::string shape_text(const graph::TensorType& type);
/// "int8", or "?".
MLF_API std::string dtype_text(const graph::TensorType& type);

struct TextTable {
  std::vector<std::string> heads;  ///< those of numbers begin with '#'
  std::vector<std::vector<std::string>> rows{};
};

/// Prototypes and structs of C, and the order of packed arguments: a line each.
MLF_API std::vector<std::string> declarations_of(const ModuleIntegration& module);

/// Tensors, memory, functions and headers that the archive lacks, what to build with, and what
/// keeps state. Leaves out empty tables and columns.
MLF_API std::vector<TextTable> tables_of(const ModuleIntegration& module);

/// The loops of all functions.
MLF_API TextTable loops_of(const ModuleIntegration& module);

}  // namespace mlf::report
