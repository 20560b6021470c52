// The code of a kernel for people: loops, statements and allocations in a notation like NumPy's.
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/analysis/cost.h"
#include "mlf/export.h"
#include "mlf/tir/module.h"

namespace mlf::analysis {

/// One line. Names are as the archive has them: the caller escapes them.
struct NestLine {
  std::uint32_t depth = 0;  ///< levels of indentation
  std::string text;
  std::optional<std::size_t> loop{};     ///< of a loop: position in KernelCost::loops
  std::optional<std::uint64_t> bytes{};  ///< of an allocation, where its extents are constant
};

struct LoopNest {
  std::vector<NestLine> lines;
  bool is_cut = false;  ///< there are too many lines: the rest is left out
};

/// The lines of a PrimFunc that is called `name` and whose cost is `cost`.
///
/// Integer constants are folded, and so are additions of 0 and multiplications by 1. A buffer has
/// the name of its memory, whatever view of it an access goes through; `x[i] = x[i] + v` is
/// `x[i] += v`. `//` and `%` round down as in Python, `/` and
/// `truncmod` towards 0 as in C; a vector is a slice `x[base : end : step]`.
/// An expression of more than 2000 characters ends in "...". What only TVM's passes read
/// (attributes, declarations of views) is left out.
MLF_API LoopNest loop_nest(tir::Node prim_func, std::string_view name, const KernelCost& cost);

}  // namespace mlf::analysis
