#include "analysis/cost/box_count.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace mlf::analysis {
namespace {

using graph::CountedLoop;
using graph::CountedTest;
using graph::IndexProgram;
using tir::Interval;

/// A range of each loop.
using Box = std::vector<Interval>;

enum class Answer : std::uint8_t { met, not_met, open };

class BoxCounter {
 public:
  BoxCounter(const graph::CountedNest& nest, std::uint64_t& steps)
      : loops_(nest.loops), tests_(nest.tests), steps_(steps) {}

  std::optional<std::uint64_t> count();

 private:
  std::optional<Box> whole() const;
  Answer answer(const CountedTest& test, const Box& box) const;
  bool is_used(const IndexProgram& program, std::size_t loop) const;
  void add_candidates(const CountedTest& test, const Box& box, std::size_t& widest) const;

  const std::vector<CountedLoop>& loops_;
  const std::vector<CountedTest>& tests_;
  std::uint64_t& steps_;
};

std::uint64_t width(const Interval& range) {
  return static_cast<std::uint64_t>(range.high - range.low) + 1;
}

std::optional<std::uint64_t> volume(const Box& box) {
  std::uint64_t product = 1;
  for (const Interval& range : box) {
    if (__builtin_mul_overflow(product, width(range), &product)) return std::nullopt;
  }
  return product;
}

/// Nothing where a bound is no number. A loop without iterations has an empty range.
std::optional<Box> BoxCounter::whole() const {
  constexpr std::int64_t kLargest = std::int64_t{1} << 40;
  Box box;
  for (const CountedLoop& loop : loops_) {
    if (!loop.min.variables().empty() || !loop.extent.variables().empty()) return std::nullopt;
    IndexProgram first = loop.min;
    IndexProgram extent = loop.extent;
    const auto min = first.run();
    const auto count = extent.run();
    if (!min || !count || *count > kLargest || *min > kLargest || *min < -kLargest) {
      return std::nullopt;
    }
    box.push_back({*min, *min + std::max<std::int64_t>(*count, 0) - 1});
  }
  return box;
}

Answer BoxCounter::answer(const CountedTest& test, const Box& box) const {
  const auto range_of = [&](tir::NodeId variable) -> std::optional<Interval> {
    for (std::size_t i = 0; i < loops_.size(); ++i) {
      if (loops_[i].variable == variable) return box[i];
    }
    return std::nullopt;
  };
  const auto value = test.expression.range(range_of);
  const auto wanted = test.other ? test.other->range(range_of)
                                 : std::optional<Interval>(Interval{test.wanted, test.wanted});
  if (!value || !wanted) return Answer::open;
  if (value->high < wanted->low || wanted->high < value->low) return Answer::not_met;
  const bool is_one = value->low == value->high && wanted->low == wanted->high;
  return is_one ? Answer::met : Answer::open;
}

bool BoxCounter::is_used(const IndexProgram& program, std::size_t loop) const {
  return std::ranges::find(program.variables(), loops_[loop].variable) != program.variables().end();
}

/// The loop with the most iterations left, of those that the test is on.
void BoxCounter::add_candidates(const CountedTest& test, const Box& box,
                                std::size_t& widest) const {
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    if (!is_used(test.expression, i) && !(test.other && is_used(*test.other, i))) continue;
    if (width(box[i]) < 2) continue;
    if (widest == loops_.size() || width(box[i]) > width(box[widest])) widest = i;
  }
}

std::optional<std::uint64_t> BoxCounter::count() {
  const auto all = whole();
  if (!all) return std::nullopt;
  const auto is_empty = [](const Interval& range) { return range.high < range.low; };
  if (std::ranges::any_of(*all, is_empty)) return 0;
  std::uint64_t sum = 0;
  std::vector<Box> boxes{*all};
  while (!boxes.empty()) {
    Box box = std::move(boxes.back());
    boxes.pop_back();
    std::size_t widest = loops_.size();
    bool is_open = false;
    bool is_met = true;
    for (const CountedTest& test : tests_) {
      const std::uint64_t cost = test.expression.size() + (test.other ? test.other->size() : 0);
      if (steps_ < cost) return std::nullopt;
      steps_ -= cost;
      const Answer found = answer(test, box);
      is_met = is_met && found != Answer::not_met;
      if (!is_met) break;
      if (found != Answer::open) continue;
      is_open = true;
      add_candidates(test, box, widest);
    }
    if (!is_met) continue;
    if (!is_open) {
      const auto iterations = volume(box);
      if (!iterations || __builtin_add_overflow(sum, *iterations, &sum)) return std::nullopt;
      continue;
    }
    // Of one iteration, and still no answer: the test has no value there.
    if (widest == loops_.size()) return std::nullopt;
    const Interval range = box[widest];
    const std::int64_t middle = range.low + (range.high - range.low) / 2;
    Box upper = box;
    box[widest].high = middle;
    upper[widest].low = middle + 1;
    boxes.push_back(std::move(upper));
    boxes.push_back(std::move(box));
  }
  return sum;
}

}  // namespace

std::optional<std::uint64_t> count_in_boxes(const graph::CountedNest& nest, std::uint64_t& steps) {
  return BoxCounter(nest, steps).count();
}

}  // namespace mlf::analysis
