#include "mlf/analysis/count.h"

#include <limits>

namespace mlf::analysis {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();

std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  return a > kMost || b > kMost - a ? kMost : a + b;
}

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  return a != 0 && b > kMost / a ? kMost : a * b;
}

}  // namespace

Count& Count::operator+=(const Count& other) {
  min = sum(min, other.min);
  max = max && other.max ? std::optional(sum(*max, *other.max)) : std::nullopt;
  return *this;
}

Count& Count::operator*=(const Count& other) {
  const bool is_nothing = max == 0 || other.max == 0;
  min = product(min, other.min);
  if (is_nothing) {
    max = 0;
  } else {
    max = max && other.max ? std::optional(product(*max, *other.max)) : std::nullopt;
  }
  return *this;
}

}  // namespace mlf::analysis
