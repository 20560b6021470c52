// Plans in which results are written over what they are computed from.
#pragma once

#include <cstdint>
#include <optional>

#include "mlf/plan/network_plan.h"

namespace mlf::plan {

/// The pool with the pairs of `pool.in_place` that go together as one buffer each, the largest
/// first; nothing where there are none.
std::optional<PlannerResult> plan_in_place(const PoolProblem& pool, const SearchLimits& limits);

/// Bytes below which no plan is, whichever of `pool.in_place` it makes use of.
std::uint64_t in_place_bound(const PoolProblem& pool);

}  // namespace mlf::plan
