// When the work on a problem has to end.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>

#include "mlf/plan/problem.h"

namespace mlf::plan {

/// Work on two buffers that are live at the same time.
inline constexpr std::uint64_t kWorkOfConflict = 10;

/// The time that `SearchLimits` leave. All parts of the work on one problem share one.
class Deadline {
 public:
  explicit Deadline(const SearchLimits& limits)
      : deadline_(limits.from_now().deadline), stop_(limits.stop) {}

  /// Counts work, a unit of which takes about a nanosecond, and returns whether the time is over.
  /// Looks at the clock from time to time only: small problems end without a look.
  bool ends_after(std::uint64_t work) {
    constexpr std::uint64_t kWorkBetweenLooks = 100'000;
    work_ += work;
    return work_ >= kWorkBetweenLooks ? look() : has_ended_;
  }

  /// Looks at the clock, and returns whether the time is over.
  bool look() {
    work_ = 0;
    has_ended_ = has_ended_ || stop_.stop_requested() ||
                 (deadline_ && std::chrono::steady_clock::now() >= *deadline_);
    return has_ended_;
  }

  bool has_ended() const { return has_ended_; }

 private:
  std::optional<std::chrono::steady_clock::time_point> deadline_;
  std::stop_token stop_;
  std::uint64_t work_ = 0;
  bool has_ended_ = false;
};

}  // namespace mlf::plan
