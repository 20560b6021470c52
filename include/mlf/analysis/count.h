// How often something happens or how many bytes something takes, and how sure that is.
// Threads: plain values; functions have no shared state and may be called from any number of
// threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mlf/export.h"

namespace mlf::analysis {

/// A number of times or of bytes, between two bounds. Sums and products stop at 2^63-1, the largest
/// number that the JSON can say: a minimum then is 2^63-1, and a maximum unknown.
struct Count {
  std::uint64_t min = 0;                 ///< at least so many
  std::optional<std::uint64_t> max = 0;  ///< at most so many; nothing: unknown

  Count() = default;
  /// An exact number.
  Count(std::uint64_t exactly) : min(exactly), max(exactly) {}
  Count(std::uint64_t at_least, std::optional<std::uint64_t> at_most)
      : min(at_least), max(at_most) {}

  bool is_known() const { return max.has_value(); }
  bool is_exact() const { return max == min; }

  MLF_API Count& operator+=(const Count& other);
  MLF_API Count& operator*=(const Count& other);
  friend Count operator+(Count a, const Count& b) { return a += b; }
  /// Nothing times an unknown number is nothing.
  friend Count operator*(Count a, const Count& b) { return a *= b; }
  friend bool operator==(const Count&, const Count&) = default;
};

/// "72", "10..72", ">=72", "<=72", or "?" where nothing is known.
MLF_API std::string to_string(const Count& count);

}  // namespace mlf::analysis
