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

/// One line. Names are unescaped: the caller escapes them.
struct NestLine {
  std::uint32_t depth = 0;  ///< levels of indentation
  std::string text;
  std::optional<std::size_t> loop{};     ///< of a loop: position in KernelCost::loops
  std::optional<std::uint64_t> bytes{};  ///< of an allocation with constant extents
};

struct LoopNest {
  std::vector<NestLine> lines;
  bool is_cut = false;  ///< whether lines are left out because there are too many
};

/// Returns the lines of a PrimFunc with the name `name` and the cost `cost`.
///
/// Integer constants are folded, and so are additions of 0 and multiplications by 1. A buffer has
/// the name of its memory, through any view; `x[i] = x[i] + v` is `x[i] += v`. `//` and `%` round
/// down as in Python, `/` and `truncmod` towards 0 as in C; a vector is a slice `x[base : end :
/// step]`. An expression of more than 2000 characters ends in "...". Leaves out attributes and
/// declarations of views, which only TVM's passes read.
MLF_API LoopNest loop_nest(tir::Node prim_func, std::string_view name, const KernelCost& cost);

}  // namespace mlf::analysis
