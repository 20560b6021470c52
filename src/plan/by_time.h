// A plan in near-linear time, for problems whose pairs of buffers take too much time or memory.
#pragma once

#include "mlf/plan/problem.h"

namespace mlf::plan {

/// Allocates and frees buffers in the order of time, as a heap does, above all fixed buffers; then in
/// the opposite order, and takes the better result. Returns offsets and a lower bound. The problem must be one that `make_instance` accepts.
Solution in_order_of_time(const Problem& problem);

}  // namespace mlf::plan
