#include "plan/in_place_plan.h"

#include <algorithm>
#include <map>

#include "support/error.h"

namespace mlf::plan {
namespace {

/// Each buffer with the one that takes its place, as far as each has at most one before and one
/// behind it: by buffer, the first of its chain.
std::vector<std::size_t> chains_of(const PoolProblem& pool) {
  std::vector<InPlaceBuffers> pairs = pool.in_place;
  std::ranges::stable_sort(pairs, std::ranges::greater{}, [&](const InPlaceBuffers& pair) {
    return std::min(pool.buffers[pair.from].bytes, pool.buffers[pair.to].bytes);
  });
  std::vector<std::optional<std::size_t>> before(pool.buffers.size());
  std::vector<bool> has_next(pool.buffers.size());
  for (const InPlaceBuffers& pair : pairs) {
    if (has_next[pair.from] || before[pair.to]) continue;
    has_next[pair.from] = true;
    before[pair.to] = pair.from;
  }
  std::vector<std::size_t> first(pool.buffers.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    first[i] = i;
    // Lives follow one another, so a chain has an end.
    while (before[first[i]]) first[i] = *before[first[i]];
  }
  return first;
}

}  // namespace

std::optional<PlannerResult> plan_in_place(const PoolProblem& pool, const SearchLimits& limits) {
  if (pool.in_place.empty()) return std::nullopt;
  const std::vector<std::size_t> first = chains_of(pool);
  Problem problem;
  std::vector<std::size_t> position(first.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] != i) continue;
    position[i] = problem.buffers.size();
    problem.buffers.push_back(pool.problem.buffers[i]);
  }
  for (std::size_t i = 0; i < first.size(); ++i) {
    Buffer& chain = problem.buffers[position[first[i]]];
    const Buffer& link = pool.problem.buffers[i];
    chain.lower = std::min(chain.lower, link.lower);
    chain.upper = std::max(chain.upper, link.upper);
    // Both begin at one byte: element i of the result goes over element i of the input.
    chain.size = std::max(chain.size, link.size);
    chain.alignment = std::max(chain.alignment, link.alignment);
  }
  const auto found = support::value_if_valid(solve(problem, limits));
  if (!found) return std::nullopt;
  PlannerResult result{.size = found->size};
  for (std::size_t i = 0; i < first.size(); ++i) {
    result.offsets.push_back(found->offsets[position[first[i]]]);
  }
  return result;
}

std::uint64_t in_place_bound(const PoolProblem& pool) {
  // Bytes that come and go, by tick.
  std::map<std::int64_t, std::int64_t> changes;
  for (const PlannedBuffer& buffer : pool.buffers) {
    for (const Interval& live : buffer.live) {
      changes[live.lower] += static_cast<std::int64_t>(buffer.bytes);
      changes[live.upper] -= static_cast<std::int64_t>(buffer.bytes);
    }
  }
  // Each pair may share the smaller of its two in the one tick in which both are there.
  for (const InPlaceBuffers& pair : pool.in_place) {
    const PlannedBuffer& to = pool.buffers[pair.to];
    const auto shared =
        static_cast<std::int64_t>(std::min(pool.buffers[pair.from].bytes, to.bytes));
    const std::int64_t tick = to.live.front().lower;
    changes[tick] -= shared;
    changes[tick + 1] += shared;
  }
  std::int64_t alive = 0;
  std::int64_t most = 0;
  for (const auto& [tick, change] : changes) most = std::max(most, alive += change);
  return static_cast<std::uint64_t>(most);
}

}  // namespace mlf::plan
