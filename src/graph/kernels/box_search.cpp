#include <algorithm>
#include <array>
#include <queue>
#include <utility>
#include <vector>

#include "graph/kernels/iteration_domain.h"
#include "tir/interval.h"

namespace mlf::graph {
namespace {

using tir::Interval;

constexpr std::size_t kMaxBoxes = 4096;  // that one search for the highest value visits

/// A part of the iterations.
struct LoopBox {
  std::vector<Interval> loops{};
  Interval value{};                     ///< of the sum of the terms
  std::optional<std::size_t> widest{};  ///< of the loops that an open test or the sum depends on
};

/// What is known of all iterations of a box.
enum class View : std::uint8_t {
  none_counts,
  all_count,
  open,
  unknown,  ///< the value has no bound, or the steps are over
};

struct LowerValue {
  bool operator()(const LoopBox& a, const LoopBox& b) const { return a.value.high < b.value.high; }
};

std::uint64_t width(const Interval& range) {
  return static_cast<std::uint64_t>(range.high - range.low) + 1;
}

std::optional<std::uint64_t> volume(const LoopBox& box) {
  std::uint64_t product = 1;
  for (const Interval& range : box.loops) {
    if (__builtin_mul_overflow(product, width(range), &product)) return std::nullopt;
  }
  return product;
}

class BoxSearch {
 public:
  BoxSearch(const CountedNest& nest, std::uint64_t& steps) : nest_(nest), steps_(steps) {}

  std::optional<std::uint64_t> count() {
    auto whole = all();
    if (!whole) return std::nullopt;
    std::uint64_t sum = 0;
    std::vector<LoopBox> boxes{*std::move(whole)};
    while (!boxes.empty()) {
      LoopBox box = std::move(boxes.back());
      boxes.pop_back();
      const View view = look_at(box);
      if (view == View::none_counts) continue;
      if (view == View::all_count) {
        const auto iterations = volume(box);
        if (!iterations || __builtin_add_overflow(sum, *iterations, &sum)) return std::nullopt;
        continue;
      }
      // A single iteration without a result: the test has no value there.
      if (view == View::unknown || !box.widest) return std::nullopt;
      for (LoopBox& half : halves(box)) boxes.push_back(std::move(half));
    }
    return sum;
  }

  /// Takes the box with the highest upper end first: if an iteration reaches it, no value is
  /// higher.
  HighestValue highest() {
    std::priority_queue<LoopBox, std::vector<LoopBox>, LowerValue> boxes;
    const auto add = [&](LoopBox box) {
      const View view = look_at(box);
      if (view == View::all_count || view == View::open) boxes.push(std::move(box));
      return view != View::unknown;
    };
    auto whole = all();
    if (!whole || !add(*std::move(whole))) return {};
    for (std::size_t looked_at = 0; !boxes.empty(); ++looked_at) {
      const LoopBox box = boxes.top();
      boxes.pop();
      if (is_reached(box)) return {.is_known = true, .value = box.value.high};
      if (looked_at == kMaxBoxes || !box.widest) return {};
      for (LoopBox& half : halves(box)) {
        if (!add(std::move(half))) return {};
      }
    }
    return {.is_known = true, .value = {}};
  }

 private:
  /// nullopt if a bound is not a number. A loop without iterations has an empty range.
  std::optional<LoopBox> all() const {
    constexpr std::int64_t kLargest = std::int64_t{1} << 40;
    LoopBox box;
    for (const CountedLoop& loop : nest_.loops) {
      if (!loop.min.variables().empty() || !loop.extent.variables().empty()) return std::nullopt;
      const auto min = IndexProgram(loop.min).run();
      const auto count = IndexProgram(loop.extent).run();
      if (!min || !count || *count > kLargest || *min > kLargest || *min < -kLargest) {
        return std::nullopt;
      }
      box.loops.push_back({*min, *min + std::max<std::int64_t>(*count, 0) - 1});
    }
    return box;
  }

  std::size_t loop_of(tir::NodeId variable) const {
    const auto at = std::ranges::find(nest_.loops, variable, &CountedLoop::variable);
    return static_cast<std::size_t>(at - nest_.loops.begin());
  }

  bool spend(std::size_t steps) {
    const bool is_enough = steps_ >= steps;
    if (is_enough) steps_ -= steps;
    return is_enough;
  }

  std::optional<Interval> range_of(const IndexProgram& program, const LoopBox& box) const {
    return program.range([&](tir::NodeId variable) { return box.loops[loop_of(variable)]; });
  }

  View answer(const CountedTest& test, const LoopBox& box) const {
    const auto value = range_of(test.expression, box);
    const auto wanted = test.other ? range_of(*test.other, box)
                                   : std::optional<Interval>(Interval{test.wanted, test.wanted});
    if (!value || !wanted) return View::open;
    if (value->high < wanted->low || wanted->high < value->low) return View::none_counts;
    const bool is_one = value->low == value->high && wanted->low == wanted->high;
    return is_one ? View::all_count : View::open;
  }

  /// Finds the value and the widest loop of a box.
  View look_at(LoopBox& box) {
    const auto is_empty = [](const Interval& range) { return range.high < range.low; };
    if (std::ranges::any_of(box.loops, is_empty)) return View::none_counts;
    View view = View::all_count;
    for (const CountedTest& test : nest_.tests) {
      if (!spend(test.expression.size() + (test.other ? test.other->size() : 0))) {
        return View::unknown;
      }
      const View found = answer(test, box);
      if (found == View::none_counts) return found;
      if (found == View::all_count) continue;
      view = View::open;
      note_loops(test.expression, box);
      if (test.other) note_loops(*test.other, box);
    }
    box.value = {};
    for (const CountedTerm& term : nest_.terms) {
      if (!spend(term.expression.size())) return View::unknown;
      auto range = range_of(term.expression, box);
      if (range) range = tir::combine(tir::Kind::Mul, *range, {term.factor, term.factor});
      if (range) range = tir::combine(tir::Kind::Add, box.value, *range);
      if (!range) return View::unknown;
      box.value = *range;
      note_loops(term.expression, box);
    }
    return view;
  }

  void note_loops(const IndexProgram& program, LoopBox& box) const {
    for (const tir::NodeId variable : program.variables()) {
      const std::size_t loop = loop_of(variable);
      const std::uint64_t here = width(box.loops[loop]);
      if (here > 1 && (!box.widest || here > width(box.loops[*box.widest]))) box.widest = loop;
    }
  }

  static std::array<LoopBox, 2> halves(const LoopBox& box) {
    const auto [low, high] = box.loops[*box.widest];
    const std::int64_t middle = low + (high - low) / 2;
    std::array<LoopBox, 2> parts{LoopBox{.loops = box.loops}, LoopBox{.loops = box.loops}};
    parts[0].loops[*box.widest] = {low, middle};
    parts[1].loops[*box.widest] = {middle + 1, high};
    return parts;
  }

  bool reaches(LoopBox& part, const LoopBox& box) {
    const View view = look_at(part);
    return (view == View::all_count || view == View::open) && part.value.high == box.value.high;
  }

  bool is_iteration_that_reaches(LoopBox& point, const LoopBox& box) {
    return look_at(point) == View::all_count && point.value.low == box.value.high;
  }

  /// Whether some iteration reaches the upper end of the box's value: the last one of all loops, as
  /// most do, or with each loop set to the end of its range that keeps this upper end.
  bool is_reached(const LoopBox& box) {
    LoopBox point = box;
    for (Interval& loop : point.loops) loop.low = loop.high;
    if (is_iteration_that_reaches(point, box)) return true;
    point = box;
    for (Interval& loop : point.loops) {
      const Interval whole = loop;
      loop = {whole.high, whole.high};
      if (reaches(point, box)) continue;
      loop = {whole.low, whole.low};
      if (!reaches(point, box)) return false;
    }
    return is_iteration_that_reaches(point, box);
  }

  const CountedNest& nest_;
  std::uint64_t& steps_;
};

}  // namespace

std::optional<std::uint64_t> count_in_boxes(const CountedNest& nest, std::uint64_t& steps) {
  return BoxSearch(nest, steps).count();
}

HighestValue highest_in_boxes(const CountedNest& nest, std::uint64_t& steps) {
  return BoxSearch(nest, steps).highest();
}

}  // namespace mlf::graph
