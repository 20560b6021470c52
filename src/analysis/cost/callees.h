// What a call costs beyond its arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mlf/analysis/cost.h"
#include "mlf/tir/module.h"

namespace mlf::analysis {

/// What one call certainly does to the memory behind one of its arguments: elements.
struct ArgumentUse {
  std::size_t argument = 0;  ///< position among the arguments of the Call
  std::uint64_t element_bytes = 1;
  Count loads{};
  Count stores{};
  /// It touches no more than so many elements, from the one that it is given the address of on, and
  /// what it stores are all of them. Nothing: unknown.
  std::optional<std::uint64_t> reach{};
};

struct Callee {
  /// A function that is not part of the kernel; empty for operators of TIR.
  std::string symbol{};
  /// Arithmetic of each element of the result.
  std::optional<Operation> operation{};
  /// Multiply-accumulates of one call; unknown where nothing says what the function does.
  Count mac{};
  /// Other arithmetic of one call, as far as it is certain; without an upper bound.
  std::vector<OperationCount> arithmetic{};
  bool is_known = true;  ///< whether what it does is known
  /// Memory that it is known to use; of other pointers that it gets nothing is known.
  std::vector<ArgumentUse> uses{};
  /// Memory that it is given to work in: it writes there before it reads. Only `reach` is known.
  std::vector<ArgumentUse> scratch{};
};

/// By callees.def; kernels of CMSIS-NN and the micro kernels of TVM's own schedules by what their
/// names and arguments say.
Callee callee_of(tir::Node call);

}  // namespace mlf::analysis
