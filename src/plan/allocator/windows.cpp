#include "plan/allocator/windows.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "plan/allocator/instance.h"
#include "support/numbers.h"
#include "support/sort_by_key.h"

namespace mlf::plan {
namespace {

/// How many beginnings of lifetimes before and after a buffer are in its windows.
constexpr std::size_t kReaches[] = {16, 64, 256, 1024, 4096};
constexpr std::size_t kMostBuffersOfWindow = 16'000;
/// Live buffers that windows visit to lower a plan once.
constexpr std::size_t kMostVisits = 20'000'000;
constexpr std::uint64_t kWorkOfVisit = 30;

}  // namespace

/// A plan within `target` of the buffers that are placed.
struct Windows::State {
  std::vector<std::uint64_t> offsets;
  std::vector<bool> is_placed;
  std::uint64_t target = 0;
  std::size_t visits_left = kMostVisits;
};

/// The problem of a window.
struct Windows::Part {
  Problem problem{};
  std::vector<std::size_t> buffers{};  ///< their places in the whole problem
};

namespace {

/// Adds fixed buffers that are live in all of the window, one for those that touch.
void add_obstacles(Problem& problem, const Interval& window,
                   std::vector<std::pair<std::uint64_t, std::uint64_t>> used) {
  std::ranges::sort(used);
  const std::size_t movable = problem.buffers.size();
  for (const auto& [from, to] : used) {
    Buffer& last = problem.buffers.back();
    if (problem.buffers.size() > movable && *last.fixed_offset + last.size == from) {
      last.size += to - from;
    } else {
      problem.buffers.push_back({.id = {},
                                 .lower = window.lower,
                                 .upper = window.upper,
                                 .size = to - from,
                                 .fixed_offset = from});
    }
  }
}

}  // namespace

Windows::Windows(const Problem& problem, Deadline& deadline)
    : problem_(problem),
      deadline_(deadline),
      by_begin_(support::positions(problem.buffers.size())) {
  const auto begin = [&](std::size_t i) { return problem.buffers[i].lower; };
  support::sort_by_number(by_begin_, begin);
  while (leaves_ < by_begin_.size()) leaves_ *= 2;
  last_uppers_.assign(2 * leaves_, std::numeric_limits<std::int64_t>::min());
  for (std::size_t i = 0; i < by_begin_.size(); ++i) {
    last_uppers_[leaves_ + i] = problem.buffers[by_begin_[i]].upper;
  }
  for (std::size_t i = leaves_ - 1; i > 0; --i) {
    last_uppers_[i] = std::max(last_uppers_[2 * i], last_uppers_[2 * i + 1]);
  }
}

/// Visits the buffers whose lifetime, gaps included, has a step in the window, until `visit`
/// returns false.
template <class Visit>
void Windows::for_live(const Interval& window, Visit visit) const {
  const auto begin = [&](std::size_t i) { return problem_.buffers[by_begin_[i]].lower; };
  std::vector<std::size_t> nodes = {1};
  while (!nodes.empty()) {
    const std::size_t node = nodes.back();
    nodes.pop_back();
    if (last_uppers_[node] <= window.lower) continue;
    if (node >= leaves_) {
      const std::size_t i = node - leaves_;
      // All later ones begin later.
      if (begin(i) >= window.upper || !visit(by_begin_[i])) return;
    } else {
      nodes.push_back(2 * node + 1);
      nodes.push_back(2 * node);
    }
  }
}

/// Nullopt if too many buffers are live in it, or if the time ends before.
std::optional<Windows::Part> Windows::window(State& state, std::size_t center,
                                             std::size_t reach) const {
  const auto begin = [&](std::size_t i) { return problem_.buffers[i].lower; };
  const Buffer& middle = problem_.buffers[center];
  const auto first = std::ranges::lower_bound(by_begin_, middle.lower, {}, begin);
  const auto last = std::ranges::lower_bound(by_begin_, middle.upper, {}, begin);
  const auto before =
      std::min<std::ptrdiff_t>(first - by_begin_.begin(), static_cast<std::ptrdiff_t>(reach));
  const bool ends_before = by_begin_.end() - last > static_cast<std::ptrdiff_t>(reach);
  const Interval window = {
      begin(*(first - before)),
      ends_before ? begin(last[static_cast<std::ptrdiff_t>(reach)]) : last_uppers_[1]};
  Part part;
  part.problem.capacity = state.target;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> used;  // in all of the window
  const auto has_space = [&] {
    return part.buffers.size() <= kMostBuffersOfWindow && state.visits_left > 0 &&
           !deadline_.ends_after(kWorkOfVisit);
  };
  for_live(window, [&](std::size_t i) {
    if (!has_space()) return false;
    --state.visits_left;
    const Buffer& buffer = problem_.buffers[i];
    const bool is_inside = buffer.lower >= window.lower && buffer.upper <= window.upper;
    if (buffer.size == 0 || (!state.is_placed[i] && !is_inside)) return true;
    const bool is_throughout =
        !is_inside && buffer.lower <= window.lower && buffer.upper >= window.upper;
    if (is_throughout && buffer.gaps.empty()) {
      used.emplace_back(state.offsets[i], state.offsets[i] + buffer.size);
      return true;
    }
    Buffer piece = {.id = {},
                    .lower = std::max(buffer.lower, window.lower),
                    .upper = std::min(buffer.upper, window.upper),
                    .gaps = buffer.gaps,
                    .size = buffer.size,
                    .alignment = buffer.alignment,
                    .fixed_offset = buffer.fixed_offset};
    if (!is_inside) piece.fixed_offset = state.offsets[i];
    // A buffer may have nothing but a gap in the window.
    if (!piece.gaps.empty() && live_intervals(piece).empty()) return true;
    part.problem.buffers.push_back(std::move(piece));
    part.buffers.push_back(i);
    return true;
  });
  if (!has_space()) return std::nullopt;
  add_obstacles(part.problem, window, std::move(used));
  return part;
}

/// Finds a place for a buffer.
bool Windows::place(State& state, std::size_t center, const PartSolver& solver) const {
  for (const std::size_t reach : kReaches) {
    const std::optional<Part> part = window(state, center, reach);
    if (!part) return false;
    const auto offsets = solver(part->problem);
    if (!offsets) continue;
    for (std::size_t i = 0; i < part->buffers.size(); ++i) {
      state.offsets[part->buffers[i]] = (*offsets)[i];
      state.is_placed[part->buffers[i]] = true;
    }
    return true;
  }
  return false;
}

std::optional<std::vector<std::uint64_t>> Windows::lower(std::vector<std::uint64_t> offsets,
                                                         std::uint64_t target,
                                                         const PartSolver& solver) const {
  State state = {std::move(offsets), {}, target};
  for (std::size_t i = 0; i < state.offsets.size(); ++i) {
    state.is_placed.push_back(state.offsets[i] + problem_.buffers[i].size <= target);
  }
  for (const std::size_t i : by_begin_) {
    if (!state.is_placed[i] && !place(state, i, solver)) return std::nullopt;
  }
  return std::move(state.offsets);
}

}  // namespace mlf::plan
