// A plan in near-linear time.
#pragma once

#include <optional>

#include "plan/allocator/deadline.h"
#include "plan/allocator/instance.h"

namespace mlf::plan {

/// Allocates and frees items in the order of time, as a heap does, from this section to the last
/// one, and then from there back to the first one. All fixed items are below. Returns nullopt if
/// the time ends before.
std::optional<Placement> in_order_of_time(const Instance& instance, SectionIndex from,
                                          Deadline& deadline);

}  // namespace mlf::plan
