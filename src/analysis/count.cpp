#include "mlf/analysis/cost.h"

#include <limits>

#include "analysis/count_json.h"

namespace mlf::analysis {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();

using Bound = std::optional<std::uint64_t>;  // nothing: more than kMost, or unknown

Bound sum(std::uint64_t a, std::uint64_t b) {
  return a > kMost || b > kMost - a ? Bound() : Bound(a + b);
}

Bound product(std::uint64_t a, std::uint64_t b) {
  const bool is_small = a == 0 || b == 0 || (a <= kMost && b <= kMost / a);
  return is_small ? Bound(a * b) : Bound();
}

}  // namespace

Count& Count::operator+=(const Count& other) {
  min = sum(min, other.min).value_or(kMost);
  max = max && other.max ? sum(*max, *other.max) : std::nullopt;
  return *this;
}

Count& Count::operator*=(const Count& other) {
  const bool is_nothing = max == 0 || other.max == 0;
  min = product(min, other.min).value_or(kMost);
  if (is_nothing) {
    max = 0;
  } else {
    max = max && other.max ? product(*max, *other.max) : std::nullopt;
  }
  return *this;
}

std::string to_string(const Count& count) {
  if (count.is_exact()) return std::to_string(count.min);
  if (!count.max) return count.min == 0 ? "?" : ">=" + std::to_string(count.min);
  if (count.min == 0) return "<=" + std::to_string(*count.max);
  return std::to_string(count.min) + ".." + std::to_string(*count.max);
}

namespace {

void write_bound(json::Writer& out, const std::optional<std::uint64_t>& bound) {
  if (!bound) return out.null();
  out.integer(static_cast<std::int64_t>(*bound));
}

}  // namespace

void write_json(json::Writer& out, const Count& count) {
  if (count.is_exact()) return write_bound(out, count.min);
  if (count.min == 0 && !count.max) return out.null();
  out.begin_object();
  out.key("min");
  write_bound(out, count.min);
  out.key("max");
  write_bound(out, count.max);
  out.end_object();
}

}  // namespace mlf::analysis
