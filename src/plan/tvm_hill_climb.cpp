// TVM's planner "hill_climb" (src/tir/usmp/algo/hill_climb.cc of v0.10 and later, which orders what
// it chooses from by position; v0.9 takes it in the order of addresses, so that its result is not
// the same in two runs). Its rules are kept where they look odd: a swap that is not taken is undone
// once more after an attempt without one, and the result is the last plan that was accepted, not
// the smallest.
#include <algorithm>
#include <cstdlib>
#include <set>
#include <tuple>

#include "plan/tvm_planners.h"

namespace mlf::plan {
namespace {

constexpr std::size_t kAttempts = 500;

// Conflicts looked at in all attempts: beyond that the answer is not worth its time.
constexpr std::size_t kMostWork = 100'000'000;

class HillClimb {
 public:
  HillClimb(const std::vector<TvmBuffer>& buffers, std::uint64_t alignment)
      : buffers_(buffers),
        alignment_(alignment),
        order_(buffers.size()),
        position_(buffers.size()) {
    for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = i;
    const auto key = [&](std::size_t i) {
      return std::tuple(buffers_[i].bytes, buffers_[i].conflicts.size(),
                        std::string_view(buffers_[i].name_hint));
    };
    std::ranges::sort(order_, [&](std::size_t a, std::size_t b) { return key(a) > key(b); });
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

  /// In the present order, each buffer into the lowest gap between its conflicts that is seen by
  /// going through them upwards once.
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
        const std::uint64_t next = (end_of(plan, other) + alignment_ - 1) / alignment_ * alignment_;
        if (next > offset && offset + buffers_[at].bytes > plan.offsets[other]) offset = next;
      }
      plan.offsets[at] = offset;
      is_placed[at] = true;
      plan.size = std::max(plan.size, end_of(plan, at));
    }
    return plan;
  }

  /// Conflicts in front of a buffer that ends last, and what is in front of any of its conflicts:
  /// two of these change places.
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

  /// Its own reverse: an attempt that is not accepted is taken back by another swap.
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
