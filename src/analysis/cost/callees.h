// The cost of a call without its arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mlf/analysis/cost.h"
#include "mlf/tir/module.h"

namespace mlf::analysis {

/// The accesses that one call certainly makes to the memory of one argument, in elements.
struct ArgumentUse {
  std::size_t argument = 0;  ///< position among the arguments of the Call
  std::uint64_t element_bytes = 1;
  Count loads{};
  Count stores{};
};

struct Callee {
  /// The function that is called; empty for operators of TIR.
  std::string symbol{};
  /// Arithmetic of each element of the result.
  std::optional<Operation> operation{};
  /// Multiply-accumulates of one call; unknown for unknown functions.
  Count mac{};
  /// Other arithmetic of one call that is certain; without an upper bound.
  std::vector<OperationCount> arithmetic{};
  bool is_known = true;  ///< whether the function is known
  /// Memory that it is known to use. Accesses through its other pointers are unknown.
  std::vector<ArgumentUse> uses{};
};

/// Returns the cost by callees.def; for kernels of CMSIS-NN and the micro kernels of TVM's own
/// schedules, by their names and arguments.
Callee callee_of(tir::Node call);

}  // namespace mlf::analysis
