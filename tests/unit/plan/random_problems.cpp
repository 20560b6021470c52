#include "random_problems.h"

#include <algorithm>
#include <string>
#include <vector>

namespace mlf::plan {
namespace {

int pick(std::mt19937& random, int from, int to) {
  // std::uniform_int_distribution differs between standard libraries.
  return from + static_cast<int>(random() % static_cast<unsigned>(to - from + 1));
}

Interval random_interval(std::mt19937& random, int from, int to) {
  const int lower = pick(random, from, to - 1);
  return {lower, pick(random, lower + 1, to)};
}

bool alive_at(const Buffer& buffer, std::int64_t step) {
  return buffer.lower <= step && step < buffer.upper &&
         std::ranges::none_of(buffer.gaps, [&](const Interval& gap) {
           return gap.lower <= step && step < gap.upper;
         });
}

/// Whether the two may not share a byte.
bool together(const Buffer& a, const Buffer& b) {
  if (a.size == 0 || b.size == 0) return false;
  for (std::int64_t step = a.lower; step < a.upper; ++step) {
    if (alive_at(a, step) && alive_at(b, step)) return true;
  }
  return false;
}

bool overlap(const Buffer& a, std::uint64_t at_a, const Buffer& b, std::uint64_t at_b) {
  return together(a, b) && at_a < at_b + b.size && at_b < at_a + a.size;
}

}  // namespace

Problem random_problem(const ProblemShape& shape, std::mt19937& random) {
  Problem problem;
  const int count = pick(random, 1, shape.buffers);
  for (int i = 0; i < count; ++i) {
    Buffer buffer{.id = "b" + std::to_string(i)};
    const Interval life = random_interval(random, 0, shape.steps);
    buffer.lower = life.lower;
    buffer.upper = life.upper;
    buffer.size = static_cast<std::uint64_t>(pick(random, 0, shape.largest));
    if (shape.aligned) buffer.alignment = std::uint64_t{1} << pick(random, 0, 3);
    if (shape.gaps && pick(random, 0, 2) == 0) {
      buffer.gaps.push_back(random_interval(random, 0, shape.steps));
    }
    if (shape.fixed && pick(random, 0, 3) == 0) {
      const auto offset = buffer.alignment * static_cast<std::uint64_t>(pick(random, 0, 4));
      const bool free = std::ranges::none_of(problem.buffers, [&](const Buffer& other) {
        return other.fixed_offset && overlap(buffer, offset, other, *other.fixed_offset);
      });
      if (free) buffer.fixed_offset = offset;
    }
    problem.buffers.push_back(std::move(buffer));
  }
  return problem;
}

std::uint64_t least_size_by_brute_force(const Problem& problem) {
  const std::size_t count = problem.buffers.size();
  // Pushed down as far as it goes, each buffer of the best plan is at 0, where it is fixed, or on
  // top of a lower one. So trying the buffers in every order of offsets is trying every plan.
  std::vector<std::vector<bool>> conflict(count, std::vector<bool>(count));
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < count; ++b) {
      conflict[a][b] = a != b && together(problem.buffers[a], problem.buffers[b]);
    }
  }
  std::vector<std::size_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = i;
  std::vector<std::uint64_t> offsets(count);
  std::uint64_t least = UINT64_MAX;
  do {
    std::uint64_t size = 0;
    for (std::size_t i = 0; i < count && size < least; ++i) {
      const Buffer& buffer = problem.buffers[order[i]];
      std::uint64_t offset = 0;
      for (std::size_t j = 0; j < i; ++j) {
        if (conflict[order[i]][order[j]]) {
          offset = std::max(offset, offsets[order[j]] + problem.buffers[order[j]].size);
        }
      }
      offset = (offset + buffer.alignment - 1) / buffer.alignment * buffer.alignment;
      if (buffer.fixed_offset && offset > *buffer.fixed_offset) {
        size = UINT64_MAX;
        break;
      }
      offsets[order[i]] = buffer.fixed_offset.value_or(offset);
      size = std::max(size, offsets[order[i]] + buffer.size);
    }
    least = std::min(least, size);
  } while (std::next_permutation(order.begin(), order.end()));
  return least;
}

}  // namespace mlf::plan
