// An order problem prepared for searches, with the predecessors and the cost of each step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/order/order.h"

namespace mlf::plan {

using CallIndex = std::uint32_t;

/// A set of calls, a bit each. Sets of one problem have the same number of words.
using CallSet = std::vector<std::uint64_t>;
using CallSetView = std::span<const std::uint64_t>;

inline bool contains(CallSetView set, CallIndex call) {
  return (set[call / 64] >> (call % 64) & 1) != 0;
}
inline void insert(std::span<std::uint64_t> set, CallIndex call) {
  set[call / 64] |= std::uint64_t{1} << (call % 64);
}

/// The cost of running one call next.
struct StepCost {
  std::uint64_t peak = 0;        ///< the most bytes live in one of its ticks
  std::uint64_t live_after = 0;  ///< bytes live after it
};

class OrderGraph {
 public:
  /// `problem` is valid (`check_sizes`) and outlives this.
  explicit OrderGraph(const OrderProblem& problem);

  CallIndex size() const { return static_cast<CallIndex>(direct_.size()); }
  std::size_t words() const { return (direct_.size() + 63) / 64; }

  /// The direct predecessors of this call, without those implied by others.
  std::span<const CallIndex> direct(CallIndex call) const { return direct_[call]; }
  /// All predecessors of this call.
  CallSetView before(CallIndex call) const { return before_[call]; }
  bool is_ready(CallIndex call, CallSetView done) const;

  /// Bytes alive before the first call.
  std::uint64_t live_at_start() const;
  /// `live` is the number of bytes live after the calls of `done`.
  StepCost step(CallIndex call, CallSetView done, std::uint64_t live) const;

  /// A lower bound of the peak of every order: the most bytes that are live during some call in any
  /// order.
  std::uint64_t lower_bound() const;

  /// Numbers of calls k, ascending, for which the first k calls are the same set in every order:
  /// there the problem splits into independent sections.
  std::vector<CallIndex> cuts() const;

 private:
  struct Buffer : OrderBuffer {
    std::vector<CallIndex> users{};  // in the given order
  };

  void take_uses(const OrderProblem& problem);
  void take_dependencies(const OrderProblem& problem);
  void close();
  bool is_alive_before(const Buffer& buffer, CallIndex call, CallSetView done) const;
  bool is_alive_after(const Buffer& buffer, CallIndex call, CallSetView done) const;
  std::uint64_t least_peak(CallIndex call, CallSetView after) const;
  std::vector<CallSet> after() const;
  static std::uint64_t fullest(const std::vector<OrderScratch>& spans);

  const OrderProblem& problem_;
  std::vector<Buffer> buffers_;
  std::vector<std::vector<OrderUse>> uses_;  // by call, each buffer once
  std::vector<std::vector<CallIndex>> direct_;
  std::vector<CallSet> before_;
};

/// Throws the errors of `best_order`: no sum of bytes may overflow.
void check_sizes(const OrderProblem& problem);

struct FoundOrder {
  std::vector<CallIndex> calls;
  std::uint64_t peak = 0;
};

}  // namespace mlf::plan
