// The values of one constant, as text or as a NumPy file.
#pragma once

#include <string>

#include "mlf/report.h"
#include "mlf/run.h"
#include "table.h"

namespace mlf::program {

/// A constant of an archive with its elements.
struct ShownConstant {
  std::string facts;  ///< lines with its name, its place and its range
  Tensor values;
};

/// Finds the constant that `wanted` names in these modules: by its name, or KERNEL.NAME. Throws
/// `Error`: `usage` if there is none or if several differ, `check_failed` without its elements.
ShownConstant shown_constant(const std::vector<const ModuleReport*>& modules,
                             const std::string& wanted);

/// The facts, and a line for each row of the last axis.
std::string text_of(const ShownConstant& constant, const Screen& screen);

}  // namespace mlf::program
