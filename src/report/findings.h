// What the kernels and constants of a module cost more than they have to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mlf/report.h"

namespace mlf::report {

/// A function of the module: a kernel or main.
struct NamedFunction {
  std::string_view symbol;
  tir::Node function;
};

/// What there is to find in a module that is reported otherwise. `functions` are its kernels and
/// main, each once; `main` is undefined where there is none.
std::vector<CostFinding> findings_of(const ModuleReport& module,
                                     const std::vector<NamedFunction>& functions, tir::Node main);

}  // namespace mlf::report
