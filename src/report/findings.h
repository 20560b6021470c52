// Finds avoidable costs of the kernels and constants of a module.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/optimize.h"
#include "mlf/report.h"
#include "support/name_map.h"

namespace mlf::report {

/// A function of the module: a kernel or main.
struct NamedFunction {
  std::string_view symbol;
  tir::Node function;
};

/// What findings are searched in.
struct SearchedCode {
  std::vector<NamedFunction> functions;  ///< kernels and main, each once
  tir::Node main{};                      ///< lists the constants of pools; may be undefined
  /// Names of constants of the C that certainly no function reads.
  support::NameSet<std::string> unread{};
  /// What `mlf optimize` saves; null if it reads no constants of the module.
  const OptimizedModule* smaller = nullptr;
};

/// Returns the findings of a module whose other numbers are complete. `uncalled` are functions that
/// main does not call, undefined if only their names are known.
std::vector<CostFinding> findings_of(const ModuleReport& module, const SearchedCode& code,
                                     const std::vector<NamedFunction>& uncalled);

/// Returns the parts of the module that could not be searched for findings of each code: missing
/// code, code that is not understood, and constants without data.
std::vector<UnsearchedFinding> unsearched_findings(const ModuleReport& module,
                                                   const SearchedCode& searched);

/// The offsets of constants in pools whose data the attributes of main list.
std::set<std::uint64_t> offsets_with_data(tir::Node main);

}  // namespace mlf::report
