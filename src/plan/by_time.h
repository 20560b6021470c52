// A plan in near-linear time, for problems whose pairs of buffers take too much time or memory.
#pragma once

#include "mlf/plan/problem.h"

namespace mlf::plan {

/// Allocates and frees buffers in the order of time, as a heap does, above all fixed buffers. Does
/// the same in the opposite order, and returns the better offsets, and a lower bound. The problem
/// has none of the errors of `solve`.
Solution in_order_of_time(const Problem& problem);

}  // namespace mlf::plan
