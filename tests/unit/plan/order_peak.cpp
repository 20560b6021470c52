#include "order_peak.h"

#include <algorithm>
#include <string>

#include "support/error.h"

namespace mlf::plan {
namespace {

/// An order of calls as it is, gone through tick by tick.
class Walk {
 public:
  Walk(const OrderProblem& problem, const std::vector<std::size_t>& calls)
      : problem_(problem), calls_(calls), place_(calls.size()) {}

  std::uint64_t run() {
    check_calls();
    check_order();
    find_lives();
    std::uint64_t most = 0;
    for (const Life& life : lives_) {
      if (life.from.place == kBefore) most += life.bytes;
    }
    // Something begins at the peak, or it is there at the start of its call.
    for (std::size_t place = 0; place < calls_.size(); ++place) {
      for (const std::int64_t tick : ticks_of(place)) {
        most = std::max(most, alive_at({static_cast<std::int64_t>(place), tick}));
      }
    }
    return most;
  }

 private:
  static constexpr std::int64_t kBefore = -1;

  struct Moment {
    std::int64_t place = 0;  // in the order
    std::int64_t tick = 0;
    auto operator<=>(const Moment&) const = default;
  };
  struct Life {
    std::uint64_t bytes = 0;
    Moment from{};
    Moment to{};  // included
  };
  struct User {
    std::size_t call = 0;
    OrderUse use{};
  };

  // An order that is wrong is a failed check, not an invalid problem.
  [[noreturn]] static void fail(const std::string& message) {
    throw support::Error(ErrorKind::check_failed, message, {});
  }

  /// A permutation: every call is there, and none twice.
  void check_calls() {
    std::vector<std::size_t> sorted = calls_;
    std::ranges::sort(sorted);
    bool has_all = calls_.size() == problem_.calls.size();
    for (std::size_t i = 0; i < sorted.size(); ++i) has_all &= sorted[i] == i;
    if (!has_all) fail("the order does not have every call once");
    for (std::size_t i = 0; i < calls_.size(); ++i) place_[calls_[i]] = i;
  }

  void expect_order(std::size_t earlier, std::size_t later) const {
    if (earlier == later || place_[earlier] < place_[later]) return;
    fail("call " + std::to_string(later) + " has to be after call " + std::to_string(earlier));
  }

  /// From the definition, pair by pair, and not by the graph that the searches work on.
  void check_order() {
    users_.resize(problem_.buffers.size());
    for (std::size_t call = 0; call < problem_.calls.size(); ++call) {
      for (const OrderUse& use : problem_.calls[call].uses) {
        for (const User& earlier : users_[use.buffer]) {
          if (earlier.use.writes || use.writes) expect_order(earlier.call, call);
        }
        users_[use.buffer].push_back({call, use});
      }
      if (!problem_.calls[call].keeps_place) continue;
      for (std::size_t other = 0; other < problem_.calls.size(); ++other) {
        other < call ? expect_order(other, call) : expect_order(call, other);
      }
    }
  }

  /// From the first touch to the last in this order; nothing in between frees memory, even if a
  /// buffer is written anew.
  void find_lives() {
    for (std::size_t i = 0; i < users_.size(); ++i) {
      const OrderBuffer& buffer = problem_.buffers[i];
      const bool is_used = !users_[i].empty();
      const bool from_start = buffer.from_start || (is_used && !users_[i].front().use.writes);
      if (!is_used && !(from_start && buffer.to_end)) continue;
      Life life{buffer.bytes, {static_cast<std::int64_t>(calls_.size()), 0}, {kBefore, 0}};
      for (const User& user : users_[i]) {
        const auto place = static_cast<std::int64_t>(place_[user.call]);
        life.from = std::min(life.from, Moment{place, user.use.first});
        life.to = std::max(life.to, Moment{place, user.use.last});
      }
      if (from_start) life.from = {kBefore, 0};
      if (buffer.to_end) life.to = {static_cast<std::int64_t>(calls_.size()), 0};
      lives_.push_back(life);
    }
  }

  std::vector<std::int64_t> ticks_of(std::size_t place) const {
    const OrderCall& call = problem_.calls[calls_[place]];
    std::vector<std::int64_t> ticks{0};
    for (const OrderUse& use : call.uses) ticks.push_back(use.first);
    for (const OrderScratch& scratch : call.scratch) ticks.push_back(scratch.first);
    return ticks;
  }

  /// Adds up everything: slow, but there is nothing to get wrong.
  std::uint64_t alive_at(Moment now) const {
    std::uint64_t bytes = 0;
    for (const Life& life : lives_) {
      if (life.from <= now && now <= life.to) bytes += life.bytes;
    }
    const auto place = static_cast<std::size_t>(now.place);
    for (const OrderScratch& scratch : problem_.calls[calls_[place]].scratch) {
      if (scratch.first <= now.tick && now.tick <= scratch.last) bytes += scratch.bytes;
    }
    return bytes;
  }

  const OrderProblem& problem_;
  const std::vector<std::size_t>& calls_;
  std::vector<std::size_t> place_;  // by call
  std::vector<std::vector<User>> users_;
  std::vector<Life> lives_;
};

}  // namespace

std::uint64_t peak_of(const OrderProblem& problem, const std::vector<std::size_t>& calls) {
  return Walk(problem, calls).run();
}

}  // namespace mlf::plan
