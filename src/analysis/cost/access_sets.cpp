#include "analysis/cost/access_sets.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "graph/node_queries.h"
#include "support/lookup.h"

namespace mlf::analysis {

using tir::Interval;
using tir::Kind;
using tir::Node;
namespace f = tir::f;

// --- Indices as sums -----------------------------------------------------------------------------

namespace {

// Indices of real schedules have a few dozen nodes.
constexpr std::size_t kMaxIndexNodes = 4096;

}  // namespace

bool add_index(Node index, std::int64_t factor, const graph::Bindings& bindings,
               IndexTerms& terms) {
  const auto look = [&](Node part) {
    if (const Node value = graph::bound_value(part, bindings)) return value;
    return tir::is_plain_integer(part.dtype()) ? part : Node();
  };
  return tir::add_parts(
      index, factor, kMaxIndexNodes, terms, look,
      [&](Node term, std::int64_t times) { return terms.add_term(term.id(), times); });
}

// --- Accesses ------------------------------------------------------------------------------------

namespace {

// The most iterations to run one by one in one group of loops.
constexpr std::uint64_t kMaxSteps = std::uint64_t{1} << 23;

/// Moves the access by each number of the interval; bytes in between count as touched.
bool widen(ByteSet& bytes, const Interval& by, std::int64_t factor) {
  std::int64_t first = 0;
  std::int64_t last = 0;
  if (__builtin_mul_overflow(by.low, factor, &first) ||
      __builtin_mul_overflow(by.high, factor, &last)) {
    return false;
  }
  if (first > last) std::swap(first, last);
  ByteSpan hull = bytes.hull();
  if (__builtin_add_overflow(hull.begin, first, &hull.begin) ||
      __builtin_add_overflow(hull.end, last, &hull.end)) {
    return false;
  }
  bytes = bytes.is_empty() ? bytes : ByteSet(hull);
  return true;
}

graph::Constraint first_iteration(Node loop) {
  return {loop[f::For::loop_var], graph::Constraint::Test::equals, loop[f::For::min]};
}

/// Empty if the expression cannot be computed.
std::vector<tir::NodeId> variables_of(Node term, const graph::Bindings& bindings) {
  if (tir::is_var(term)) return {term.id()};
  const auto program = graph::IndexProgram::compile(term, bindings);
  if (!program) return {};
  return {program->variables().begin(), program->variables().end()};
}

/// Distances between the iterations of some loops.
struct Distances {
  std::int64_t start = 0;
  std::int64_t step = 0;  // of `count`, where there are no `values`
  std::uint64_t count = 1;
  std::vector<std::int64_t> values{};

  /// The distance of the last one from the first.
  std::uint64_t extent() const {
    if (!values.empty()) return static_cast<std::uint64_t>(values.back() - values.front());
    const std::uint64_t length =
        step < 0 ? 0 - static_cast<std::uint64_t>(step) : static_cast<std::uint64_t>(step);
    std::uint64_t product = 0;
    return __builtin_mul_overflow(length, count - 1, &product)
               ? std::numeric_limits<std::uint64_t>::max()
               : product;
  }

  std::optional<Interval> range() const {
    if (!values.empty()) return Interval{values.front(), values.back()};
    std::int64_t reach = 0;
    std::int64_t last = 0;
    if (__builtin_mul_overflow(step, count - 1, &reach) ||
        __builtin_add_overflow(start, reach, &last)) {
      return std::nullopt;
    }
    return Interval{std::min(start, last), std::max(start, last)};
  }
};

/// The steps of a loop without connections to others whose variable has a factor.
std::optional<Distances> steps_of(const graph::IterationDomain& domain,
                                  const graph::IterationDomain::Group& group) {
  const graph::IterationDomain::Loop& loop = domain.loops[group.loops[0]];
  const auto extent = graph::constant_extent(loop.node);
  const bool is_alone = group.loops.size() == 1 && group.tests.empty();
  if (!is_alone || !extent || !loop.counted || !loop.counted->min.variables().empty()) {
    return std::nullopt;
  }
  Distances result{.count = *extent};
  for (const std::size_t i : group.terms) {
    const graph::CountedTerm& term = domain.terms[i];
    const bool is_variable = term.expression.size() == 1;
    if (!is_variable || __builtin_add_overflow(result.step, term.factor, &result.step)) {
      return std::nullopt;
    }
  }
  const auto min = graph::IndexProgram(loop.counted->min).run();
  if (!min || __builtin_mul_overflow(*min, result.step, &result.start)) return std::nullopt;
  return result;
}

bool move_by(const std::vector<Distances>& all, ByteSet& bytes) {
  for (const Distances& one : all) {
    auto moved =
        one.values.empty() ? bytes.repeated(one.step, one.count) : bytes.at_each(one.values);
    if (!moved || !moved->shift(one.start)) return false;
    bytes = *std::move(moved);
  }
  return true;
}

/// Computes the bytes of one access.
class ByteFinder {
 public:
  ByteFinder(const graph::KernelCode& code, const Regions& regions, std::uint64_t& steps_left)
      : code_(code), regions_(regions), steps_left_(steps_left) {}

  std::optional<AccessedBytes> find(const PlacedAccess& access, RegionId level) && {
    find_surroundings(access, level);
    find_ranges();
    const auto vector = ByteSet({0, access.bytes}).repeated(access.lane_step, access.lanes);
    if (!vector) return std::nullopt;
    result_.bytes = *vector;
    result_.is_exact = true;
    const bool is_known = split_terms(access.terms) && move_by_loops() && move_by_constants() &&
                          result_.bytes.shift(access.terms.constant);
    return is_known ? std::optional(std::move(result_)) : std::nullopt;
  }

 private:
  // --- Loops and conditions ----------------------------------------------------------------------

  void find_surroundings(const PlacedAccess& access, RegionId level) {
    RegionId at = access.region;
    for (; at != level && at != RegionId::function; at = regions_[at].parent) {
      const Region& one = regions_[at];
      const bool is_counted = one.kind == RegionKind::loop || one.kind == RegionKind::conditional;
      if (!is_counted) inside_.tests.emplace_back();
      if (one.loop) inside_.loops.push_back({one.loop});
      if (one.loop && std::ranges::find(access.first_only, one.loop) != access.first_only.end()) {
        inside_.tests.push_back({first_iteration(one.loop)});
      }
      for (const graph::Constraint& constraint : one.constraints) {
        inside_.tests.push_back({constraint});
      }
    }
    for (; at != RegionId::function; at = regions_[at].parent) {
      if (regions_[at].loop) outside_.push_back(regions_[at].loop);
    }
    std::ranges::reverse(inside_.loops);
    inside_.compile(code_.bindings);
  }

  /// The ranges of the variables of all loops, from the outermost in, because bounds use outer
  /// variables.
  void find_ranges() {
    const auto add = [&](Node loop) {
      const auto [first, count] = graph::bounds_of(loop);
      const auto min = first ? range_of(first) : Interval{0, 0};
      const auto extent = range_of(count);
      const tir::NodeId variable = graph::loop_variable(loop).id();
      // A loop that never runs has no values; assumes one.
      if (!min || !extent) {
        ranges_.erase(variable);
      } else {
        ranges_[variable] = {min->low, min->high + std::max<std::int64_t>(extent->high - 1, 0)};
      }
    };
    for (std::size_t i = outside_.size(); i-- > 0;) add(outside_[i]);
    for (const graph::IterationDomain::Loop& loop : inside_.loops) add(loop.node);
  }

  std::optional<Interval> range_of(Node expression) const {
    const auto program = graph::IndexProgram::compile(expression, code_.bindings);
    return program ? range_of(*program) : std::nullopt;
  }

  std::optional<Interval> range_of(const graph::IndexProgram& program) const {
    return program.range([&](tir::NodeId variable) -> std::optional<Interval> {
      return support::value_at(ranges_, variable);
    });
  }

  // --- Terms -------------------------------------------------------------------------------------

  bool add_span(Node expression, std::int64_t factor) {
    result_.is_exact = false;
    const auto range = range_of(expression);
    return range && widen(result_.bytes, *range, factor);
  }

  /// Terms of fixed loops form the base, and those of other loops go into `inside_`. A term that
  /// depends on anything else counts as any value that its type and operators allow.
  bool split_terms(const IndexTerms& terms) {
    const auto stands_still = [&](tir::NodeId variable) {
      return !inside_.loop_of(variable) && std::ranges::any_of(outside_, [&](Node loop) {
        return graph::loop_variable(loop).id() == variable;
      });
    };
    for (const auto& [term, factor] : terms.factors) {
      const Node expression = code_.function.module().node(term);
      const std::vector<tir::NodeId> variables = variables_of(expression, code_.bindings);
      if (!variables.empty() && std::ranges::all_of(variables, stands_still)) {
        result_.base.factors.emplace(term, factor);
      } else if (!inside_.add_term(expression, factor, code_.bindings) &&
                 !add_span(expression, factor)) {
        return false;
      }
    }
    return true;
  }

  // --- Distances ---------------------------------------------------------------------------------

  std::optional<Distances> distances_of(const graph::IterationDomain::Group& group) {
    if (auto steps = steps_of(inside_, group)) return steps;
    auto nest = inside_.nest_of(group);
    if (!nest) return std::nullopt;
    const std::uint64_t allowed = std::min(steps_left_, kMaxSteps);
    std::uint64_t left = allowed;
    auto values = graph::values_in(*std::move(nest), left);
    steps_left_ -= allowed - left;
    if (!values) return std::nullopt;
    if (values->empty()) return Distances{.count = 0};
    return Distances{.values = *std::move(values)};
  }

  /// Checks the conditions that do not depend on loops. False if one of them is never true.
  bool meets_constants() {
    for (const graph::IterationDomain::Test& test : inside_.tests) {
      if (test.counted && test.counted->has_variables()) continue;
      const auto is_met = test.counted ? graph::CountedTest(*test.counted).is_met() : std::nullopt;
      if (is_met == false) return false;
      result_.is_exact = result_.is_exact && is_met.has_value();
    }
    return true;
  }

  /// Terms without variables are numbers.
  bool move_by_constants() {
    for (const graph::CountedTerm& term : inside_.terms) {
      if (!term.expression.variables().empty()) continue;
      const auto value = graph::IndexProgram(term.expression).run();
      std::int64_t distance = 0;
      if (!value || __builtin_mul_overflow(*value, term.factor, &distance) ||
          !result_.bytes.shift(distance)) {
        return false;
      }
    }
    return true;
  }

  /// Small steps come first, because they merge many spans into one.
  bool move_by_loops() {
    bool never_happens = !meets_constants();
    std::vector<Distances> all;
    for (const graph::IterationDomain::Group& group : inside_.groups()) {
      if (auto distances = distances_of(group)) {
        never_happens = never_happens || (distances->values.empty() && distances->count == 0);
        all.push_back(*std::move(distances));
        continue;
      }
      result_.is_exact = false;
      for (const std::size_t i : group.terms) {
        const auto range = range_of(inside_.terms[i].expression);
        if (!range || !widen(result_.bytes, *range, inside_.terms[i].factor)) return false;
      }
    }
    if (never_happens) {
      result_.bytes = ByteSet();
      return true;
    }
    std::ranges::stable_sort(all, {}, [](const Distances& one) { return one.extent(); });
    const ByteSet one = result_.bytes;
    if (move_by(all, result_.bytes)) return true;
    // Too many pieces: uses one span around them.
    result_.is_exact = false;
    result_.bytes = one;
    return std::ranges::all_of(all, [&](const Distances& distances) {
      const auto range = distances.range();
      return range && widen(result_.bytes, *range, 1);
    });
  }

  const graph::KernelCode& code_;
  const Regions& regions_;
  std::uint64_t& steps_left_;
  graph::IterationDomain inside_;  // the region
  std::vector<Node> outside_;      // loops that stand still, from the inside out
  std::map<tir::NodeId, Interval> ranges_;
  AccessedBytes result_;
};

}  // namespace

std::optional<AccessedBytes> AccessSets::bytes_inside(const PlacedAccess& access, RegionId level) {
  return ByteFinder(code_, evaluated_.regions, steps_left_).find(access, level);
}

bool AccessSets::have_same_base(const AccessedBytes& a, const AccessedBytes& b) const {
  // Terms by their value, if the function evaluates them.
  const auto numbered = [&](const IndexTerms& terms) {
    tir::LinearSum<std::pair<bool, std::uint32_t>> result;
    for (const auto& [term, factor] : terms.factors) {
      const std::uint32_t number = evaluated_.values.number_of(code_.function.module().node(term));
      result.add_term({number != 0, number != 0 ? number : tir::index(term)}, factor);
    }
    return result;
  };
  return numbered(a.base) == numbered(b.base);
}

std::optional<std::int64_t> AccessSets::step_in(const AccessedBytes& bytes, Node loop) const {
  const tir::NodeId variable = graph::loop_variable(loop).id();
  for (const auto& [term, factor] : bytes.base.factors) {
    const auto variables = variables_of(code_.function.module().node(term), code_.bindings);
    if (term != variable && support::is_among(variables, variable)) return std::nullopt;
  }
  return support::value_at(bytes.base.factors, variable).value_or(0);
}

}  // namespace mlf::analysis
