#include "graph/kernels/index_search.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory_resource>
#include <queue>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "graph/node_queries.h"
#include "mlf/tir/visit.h"
#include "tir/interval.h"

namespace mlf::graph {
namespace {

using tir::Interval;
using tir::Kind;
using tir::Node;
namespace f = tir::f;

using Range = std::optional<Interval>;

constexpr int kMaxIndexHeight = 64;      // of an index expression
constexpr std::size_t kMaxBoxes = 4096;  // that one search visits

constexpr Interval kFalse{0, 0};
constexpr Interval kTrue{1, 1};
constexpr Interval kEither{0, 1};

bool is_point(const Interval& range) {
  return range.low == range.high;
}

bool is_true(const Interval& range) {
  return range.low > 0 || range.high < 0;
}

Interval negated(const Interval& range) {
  if (is_true(range)) return kFalse;
  return is_point(range) ? kTrue : kEither;
}

Interval joined(const Interval& a, const Interval& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

/// Whether a < b for all values, for none, or for some.
Interval is_less(const Interval& a, const Interval& b) {
  if (a.high < b.low) return kTrue;
  return a.low >= b.high ? kFalse : kEither;
}

Interval are_equal(const Interval& a, const Interval& b) {
  if (a.high < b.low || b.high < a.low) return kFalse;
  return is_point(a) && is_point(b) ? kTrue : kEither;
}

Interval hold_both(const Interval& a, const Interval& b) {
  if (is_true(a) && is_true(b)) return kTrue;
  const bool is_false = (is_point(a) && !is_true(a)) || (is_point(b) && !is_true(b));
  return is_false ? kFalse : kEither;
}

/// A remainder preserves the order of values between two adjacent multiples.
Range remainder(Kind kind, const Interval& a, const Interval& b) {
  const bool is_within = is_point(b) && b.low > 0 && a.low >= 0 && a.low / b.low == a.high / b.low;
  if (is_within) return Interval{a.low % b.low, a.high % b.low};
  if (is_point(a) && is_point(b) && b.low > 0) {
    const std::int64_t rest = a.low % b.low;
    return kind == Kind::FloorMod && rest < 0 ? Interval{rest + b.low, rest + b.low}
                                              : Interval{rest, rest};
  }
  return tir::combine(kind, a, b);
}

Range binary(Kind kind, const Interval& a, const Interval& b) {
  switch (kind) {
    case Kind::LT:
      return is_less(a, b);
    case Kind::GT:
      return is_less(b, a);
    case Kind::LE:
      return negated(is_less(b, a));
    case Kind::GE:
      return negated(is_less(a, b));
    case Kind::EQ:
      return are_equal(a, b);
    case Kind::NE:
      return negated(are_equal(a, b));
    case Kind::And:
      return hold_both(a, b);
    case Kind::Or:
      return negated(hold_both(negated(a), negated(b)));
    case Kind::Mod:
    case Kind::FloorMod:
      return remainder(kind, a, b);
    default:
      return tir::combine(kind, a, b);
  }
}

/// Operators that LowerIntrin and generated C use in place of divisions.
Range of_operator(std::string_view op, const Interval& a, const Interval& b) {
  if (!is_point(b) || b.low < 0 || b.low >= (std::int64_t{1} << 40)) return std::nullopt;
  if (op == "shift_right" && b.low < 63) return Interval{a.low >> b.low, a.high >> b.low};
  if (op == "shift_left" && b.low < 40) {
    return tir::combine(Kind::Mul, a, {std::int64_t{1} << b.low, std::int64_t{1} << b.low});
  }
  if (op != "bitwise_and") return std::nullopt;
  if (is_point(a)) return Interval{a.low & b.low, a.low & b.low};
  const bool keeps_all = a.low >= 0 && (b.low & (b.low + 1)) == 0 && a.high <= b.low;
  return keeps_all ? a : Interval{0, b.low};
}

/// Whether the range fits its type. A number that does not fit would wrap around.
bool fits(const Interval& range, tir::DType dtype) {
  if (dtype.bits >= 64) return true;
  const std::int64_t values = std::int64_t{1} << dtype.bits;
  if (dtype.is_uint()) return range.low >= 0 && range.high < values;
  return dtype.is_int() && range.low >= -(values / 2) && range.high < values / 2;
}

/// The ranges of integer expressions from the ranges of variables.
class Ranges {
 public:
  explicit Ranges(SearchBudget& budget) : budget_(budget) {}

  void set(Node var, const Range& range) {
    range ? static_cast<void>(values_.insert_or_assign(tir::index(var.id()), *range))
          : static_cast<void>(values_.erase(tir::index(var.id())));
  }
  /// nullopt if the range is unknown or too large, or takes too much work.
  Range of(Node expr) { return of(expr, kMaxIndexHeight); }

 private:
  Range of_choice(Node condition, Node yes, Node no, int height) {
    const Range holds = of(condition, height);
    if (holds && is_point(*holds)) return of(is_true(*holds) ? yes : no, height);
    const Range a = of(yes, height);
    const Range b = a ? of(no, height) : std::nullopt;
    return b ? Range(joined(*a, *b)) : std::nullopt;
  }

  Range of_call(Node call, int height) {
    const std::string_view op = operator_of(call);
    const tir::NodeList args = call.list(f::Call::args);
    if (op == "likely" && args.size() == 1) return of(args[0], height);
    if (op == "if_then_else" && args.size() == 3) {
      return of_choice(args[0], args[1], args[2], height);
    }
    if (args.size() != 2) return std::nullopt;
    const Range a = of(args[0], height);
    const Range b = a ? of(args[1], height) : std::nullopt;
    return b ? of_operator(op, *a, *b) : std::nullopt;
  }

  /// The height bounds the recursion, and the budget bounds all steps: an expression with shared
  /// parts can be exponentially larger than its number of nodes.
  Range of(Node expr, int height) {
    if (!expr || height == 0 || --budget_.steps < 0) return std::nullopt;
    switch (expr.kind()) {
      case Kind::IntImm: {
        const std::int64_t value = expr.integer(f::IntImm::value);
        return Interval{value, value};
      }
      case Kind::Var:
      case Kind::SizeVar: {
        const auto at = values_.find(tir::index(expr.id()));
        return at == values_.end() ? std::nullopt : Range(at->second);
      }
      case Kind::Cast: {
        const Range value = of(expr[f::Cast::value], height - 1);
        return value && fits(*value, expr.dtype()) ? value : std::nullopt;
      }
      case Kind::Not: {
        const Range value = of(expr[f::Not::a], height - 1);
        return value ? Range(negated(*value)) : std::nullopt;
      }
      case Kind::Select:
        return of_choice(expr[f::Select::condition], expr[f::Select::true_value],
                         expr[f::Select::false_value], height - 1);
      case Kind::Call:
        return of_call(expr, height - 1);
      default:
        break;
    }
    if (!tir::is_binary(expr.kind())) return std::nullopt;
    const Range a = of(expr[f::Add::a], height - 1);
    const Range b = a ? of(expr[f::Add::b], height - 1) : std::nullopt;
    return b ? binary(expr.kind(), *a, *b) : std::nullopt;
  }

  SearchBudget& budget_;
  std::unordered_map<std::uint32_t, Interval> values_;
};

/// A part of the iteration space: a range for each loop.
struct Box {
  std::vector<Interval> loops;
  Interval index{};
  bool always = false;  // all conditions are true everywhere
};

struct LowerIndex {
  bool operator()(const Box& a, const Box& b) const { return a.index.high < b.index.high; }
};

class Search {
 public:
  // From the inside out: if a binding matters, its parts matter too.
  Search(Node index, std::span<const Surrounding> around, SearchBudget& budget)
      : index_(index), around_(around), budget_(budget), ranges_(budget) {
    note_vars(index);
    for (std::size_t i = around.size(); i > 0; --i) {
      const Surrounding& one = around[i - 1];
      const bool is_used = one.var && vars_.contains(tir::index(one.var.id()));
      if (one.kind == SurroundingKind::loop) {
        matters_.push_back(is_used);
      } else if (one.kind != SurroundingKind::binding || is_used) {
        note_vars(one.value);
      }
    }
    std::reverse(matters_.begin(), matters_.end());
  }

  /// Takes the box with the highest upper end first: if an iteration reaches it, no index is
  /// higher.
  HighestIndex run() {
    Box all;
    for (const Surrounding& one : around_) {
      if (one.kind != SurroundingKind::loop) continue;
      if (one.extent < 1) return {.is_known = true, .value = {}};
      std::int64_t last = 0;
      if (__builtin_add_overflow(one.min, one.extent - 1, &last)) return {};
      all.loops.push_back({one.min, last});
    }
    push(std::move(all));
    for (std::size_t looked_at = 0; !boxes_.empty() && !is_lost_; ++looked_at) {
      if (looked_at == kMaxBoxes) return {};
      const Box box = boxes_.top();
      boxes_.pop();
      if (is_reached(box)) return {.is_known = true, .value = box.index.high};
      const auto loop = longest(box);
      if (!loop) return {};
      split(box, *loop);
    }
    if (is_lost_) return {};
    return {.is_known = true, .value = {}};
  }

 private:
  void note_vars(Node expr) {
    std::vector<Node> open{expr};
    while (!open.empty()) {
      const Node node = open.back();
      open.pop_back();
      if (!node || node.category() != tir::Category::expr) continue;
      if (!vars_.insert(tir::index(node.id())).second || --budget_.steps < 0) continue;
      tir::for_each_child(node, [&](Node child, const tir::FieldInfo&) { open.push_back(child); });
    }
  }

  /// False if no iteration is in the box. Sets `is_lost` if a value is unknown.
  bool evaluate(Box& box) {
    box.always = true;
    std::size_t loop = 0;
    for (const Surrounding& one : around_) {
      if (one.kind == SurroundingKind::loop) {
        ranges_.set(one.var, box.loops[loop++]);
      } else if (one.kind == SurroundingKind::binding) {
        if (vars_.contains(tir::index(one.var.id()))) ranges_.set(one.var, ranges_.of(one.value));
      } else {
        const bool is_negated = one.kind == SurroundingKind::otherwise;
        const Range range = ranges_.of(one.value);
        if (!range) return is_lost_ = true, false;
        const Interval holds = is_negated ? negated(*range) : *range;
        if (is_point(holds) && !is_true(holds)) return false;
        box.always = box.always && is_true(holds);
      }
    }
    const Range index = ranges_.of(index_);
    if (!index) return is_lost_ = true, false;
    box.index = *index;
    return true;
  }

  bool is_reached_by(Box& point, const Box& box) {
    return evaluate(point) && point.index.high == box.index.high && point.always &&
           is_point(point.index);
  }

  /// Whether some iteration reaches the upper end of the box's index: the last one of all loops, as
  /// most do, or with each loop set to the end of its range that keeps this upper end.
  bool is_reached(const Box& box) {
    Box point = box;
    for (Interval& loop : point.loops) loop.low = loop.high;
    if (is_reached_by(point, box)) return true;
    point = box;
    for (Interval& loop : point.loops) {
      const Interval whole = loop;
      loop = {whole.high, whole.high};
      if (evaluate(point) && point.index.high == box.index.high) continue;
      loop = {whole.low, whole.low};
      if (!evaluate(point) || point.index.high != box.index.high) return false;
    }
    return point.always && is_point(point.index);
  }

  std::optional<std::size_t> longest(const Box& box) const {
    std::optional<std::size_t> found;
    std::int64_t most = 0;
    for (std::size_t i = 0; i < box.loops.size(); ++i) {
      const std::int64_t length = box.loops[i].high - box.loops[i].low;
      if (!matters_[i] || length <= most) continue;
      most = length;
      found = i;
    }
    return found;
  }

  void split(const Box& box, std::size_t loop) {
    const auto [low, high] = box.loops[loop];
    const std::int64_t middle = low + (high - low) / 2;
    Box part{.loops = box.loops};
    part.loops[loop] = {low, middle};
    push(part);
    part.loops[loop] = {middle + 1, high};
    push(std::move(part));
  }

  void push(Box box) {
    if (evaluate(box)) boxes_.push(std::move(box));
  }

  Node index_;
  std::span<const Surrounding> around_;
  SearchBudget& budget_;
  Ranges ranges_;
  std::array<std::byte, 2048> buffer_;  // enough for most sets of nodes
  std::pmr::monotonic_buffer_resource memory_{buffer_.data(), buffer_.size()};
  std::pmr::unordered_set<std::uint32_t> vars_{&memory_};  // of the index and the conditions
  std::vector<bool> matters_;                              // by loop
  std::priority_queue<Box, std::vector<Box>, LowerIndex> boxes_;
  bool is_lost_ = false;
};

}  // namespace

HighestIndex highest_index(Node index, std::span<const Surrounding> around, SearchBudget& budget) {
  const bool is_unknown = std::ranges::any_of(around, [](const Surrounding& one) {
    return one.kind == SurroundingKind::condition && !one.value;
  });
  if (is_unknown || !index) return {};
  return Search(index, around, budget).run();
}

}  // namespace mlf::graph
