#include "large_problems.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace mlf::bench {
namespace {

/// Below `end`. The distributions of the standard library differ between machines.
std::int64_t below(std::mt19937& random, std::int64_t end) {
  return static_cast<std::int64_t>(random()) % end;
}

/// Above 0, at most 1.
double share(std::mt19937& random) {
  return (static_cast<double>(random()) + 1) / 4294967296.0;
}

plan::Buffer living(std::int64_t lower, std::int64_t life, std::int64_t size) {
  plan::Buffer buffer;
  buffer.lower = lower;
  buffer.upper = lower + life;
  buffer.size = static_cast<std::uint64_t>(size);
  return buffer;
}

/// A tensor a step that the next steps read, one of eight for long, and scratch in every second
/// one.
plan::Buffer of_network(std::mt19937& random, std::int64_t place, std::int64_t) {
  const bool is_scratch = place % 2 == 1;
  const std::int64_t life = is_scratch ? 1 : 2 + below(random, 3);
  const bool is_skip = !is_scratch && below(random, 8) == 0;
  plan::Buffer buffer = living(place, is_skip ? life + 20 : life, 64 * (1 + below(random, 200)));
  buffer.alignment = 16;
  return buffer;
}

/// Some ten live at once, and few of them for a quarter of the time; few sizes are large.
plan::Buffer with_heavy_tail(std::mt19937& random, std::int64_t, std::int64_t count) {
  const auto life = static_cast<std::int64_t>(3 * std::pow(share(random), -0.7));
  const std::int64_t lower = below(random, count);
  const auto size = static_cast<std::int64_t>(1 / (share(random) + 1e-3));
  return living(lower, 1 + std::min(count / 4, life), 16 * (1 + size));
}

/// Half a percent of all live at once.
plan::Buffer in_crowd(std::mt19937& random, std::int64_t, std::int64_t count) {
  const std::int64_t life = 1 + below(random, std::max<std::int64_t>(2, count / 100));
  const std::int64_t lower = below(random, count);
  return living(lower, life, 64 * (1 + below(random, 200)));
}

/// Every fifth lives to the end.
plan::Buffer to_the_end(std::mt19937& random, std::int64_t place, std::int64_t count) {
  const std::int64_t life = 1 + below(random, 40);
  const std::int64_t lower = below(random, count);
  return living(lower, place % 5 == 0 ? count + 40 - lower : life, 64 * (1 + below(random, 200)));
}

constexpr std::array<Family, 4> kFamilies = {{
    {"network", of_network},
    {"heavy-tail", with_heavy_tail},
    {"dense", in_crowd},
    {"fifth-to-end", to_the_end},
}};

}  // namespace

std::span<const Family> families() {
  return kFamilies;
}

plan::Problem make_problem(const Family& family, std::size_t buffers, std::uint32_t seed) {
  std::mt19937 random(seed);
  plan::Problem problem;
  for (std::size_t i = 0; i < buffers; ++i) {
    problem.buffers.push_back(
        family.make(random, static_cast<std::int64_t>(i), static_cast<std::int64_t>(buffers)));
    problem.buffers.back().id = std::to_string(i);
  }
  return problem;
}

}  // namespace mlf::bench
