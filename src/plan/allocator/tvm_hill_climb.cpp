// TVM's planner "hill_climb" (src/tir/usmp/algo/hill_climb.cc of v0.10 and later, which orders its
// candidates by position; v0.9 orders them by address, so its result differs between runs). Keeps
// all of TVM's rules, even odd ones: after an attempt without a swap, it undoes the last rejected
// swap again, and the result is the last accepted plan, not the smallest.
#include <algorithm>
#include <set>

#include "support/numbers.h"

#include "plan/allocator/tvm_planners.h"

namespace mlf::plan {
namespace {

constexpr std::size_t kAttempts = 500;

// The most conflicts to visit in all attempts; beyond that, the result is not worth the time.
constexpr std::size_t kMostWork = 100'000'000;

class HillClimb {
 public:
  HillClimb(const std::vector<TvmBuffer>& buffers, std::uint64_t alignment)
      : buffers_(buffers),
        alignment_(alignment),
        order_(largest_first(buffers)),
        position_(buffers.size()) {
    for (std::size_t i = 0; i < order_.size(); ++i) position_[order_[i]] = i;
  }

  PlannerResult run(std::uint64_t pressure) {
    PlannerResult accepted;
    PlannerResult now;
    for (std::size_t attempt = 0; attempt < kAttempts; ++attempt) {
      PlannerResult before = std::exchange(now, place());
      if (accepted.size == 0 || now.size < accepted.size ||
          chance() < 50 * (now.size - accepted.size) / now.size / attempt) {
        accepted = now;
        if (accepted.size <= pressure) break;
      } else {
        swap_positions();
        now = std::move(before);
      }
      choose_swap(now);
    }
    return accepted;
  }

 private:
  std::size_t random() { return static_cast<std::size_t>(::rand_r(&seed_)); }
  std::size_t chance() { return random() % 100; }

  std::uint64_t end_of(const PlannerResult& plan, std::size_t buffer) const {
    return plan.offsets[buffer] + buffers_[buffer].bytes;
  }

  /// Places each buffer, in the present order, into the lowest gap between its conflicts that one
  /// upward pass over them finds.
  PlannerResult place() const {
    PlannerResult plan;
    plan.offsets.resize(buffers_.size());
    std::vector<bool> is_placed(buffers_.size());
    for (const std::size_t at : order_) {
      std::vector<std::size_t> conflicts;
      for (const std::size_t other : buffers_[at].conflicts) {
        if (is_placed[other]) conflicts.push_back(other);
      }
      std::ranges::sort(conflicts, {}, [&](std::size_t other) { return plan.offsets[other]; });
      std::uint64_t offset = 0;
      for (const std::size_t other : conflicts) {
        const std::uint64_t next = support::round_up(end_of(plan, other), alignment_);
        if (next > offset && offset + buffers_[at].bytes > plan.offsets[other]) offset = next;
      }
      plan.offsets[at] = offset;
      is_placed[at] = true;
      plan.size = std::max(plan.size, end_of(plan, at));
    }
    return plan;
  }

  /// Chooses two buffers to swap: among the conflicts before a buffer that ends last, and the
  /// buffers before any of its conflicts.
  void choose_swap(const PlannerResult& plan) {
    std::vector<std::size_t> last;  // by position, ascending
    for (const std::size_t at : order_) {
      if (end_of(plan, at) == plan.size) last.push_back(at);
    }
    const std::size_t buffer = last[random() % last.size()];
    std::set<std::size_t> first_positions;
    std::set<std::size_t> second_positions;
    for (const std::size_t other : buffers_[buffer].conflicts) {
      if (position_[other] < position_[buffer]) first_positions.insert(position_[other]);
      for (const std::size_t next : buffers_[other].conflicts) {
        if (position_[next] < position_[other]) second_positions.insert(position_[next]);
      }
    }
    if (first_positions.empty()) return;
    const std::vector<std::size_t> first(first_positions.begin(), first_positions.end());
    const std::vector<std::size_t> second(second_positions.begin(), second_positions.end());
    const std::size_t one = first[random() % first.size()];
    std::size_t other = one;
    while (other == one) {
      const bool takes_second = !second.empty() && chance() > 25;
      const std::vector<std::size_t>& from = takes_second ? second : first;
      other = from[random() % from.size()];
      if (first.size() < 2 && second.size() < 2) break;
    }
    if (other == one) return;
    swap_ = {one, other};
    swap_positions();
  }

  /// Its own inverse: a second swap undoes a rejected attempt.
  void swap_positions() {
    std::swap(order_[swap_.first], order_[swap_.second]);
    position_[order_[swap_.first]] = swap_.first;
    position_[order_[swap_.second]] = swap_.second;
  }

  const std::vector<TvmBuffer>& buffers_;
  std::uint64_t alignment_;
  std::vector<std::size_t> order_;              // buffers by position
  std::vector<std::size_t> position_;           // by buffer
  std::pair<std::size_t, std::size_t> swap_{};  // the last one
  unsigned int seed_ = 0;                       // TVM's, of rand_r
};

}  // namespace

std::optional<PlannerResult> hill_climb(const std::vector<TvmBuffer>& buffers,
                                        std::uint64_t alignment, std::uint64_t pressure) {
  std::size_t conflicts = 0;
  for (const TvmBuffer& buffer : buffers) {
    for (const std::size_t other : buffer.conflicts) conflicts += buffers[other].conflicts.size();
    if (conflicts > kMostWork / kAttempts) return std::nullopt;
  }
  if (buffers.empty()) return PlannerResult{};
  return HillClimb(buffers, alignment).run(pressure);
}

}  // namespace mlf::plan
