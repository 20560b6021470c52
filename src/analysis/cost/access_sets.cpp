#include "analysis/cost/access_sets.h"

#include <algorithm>
#include <limits>

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

}  // namespace

/// Empty if the expression cannot be computed.
std::vector<tir::NodeId> AccessSets::variables_of(Node term) const {
  if (tir::is_var(term)) return {term.id()};
  const auto program = graph::IndexProgram::compile(term, bindings_);
  if (!program) return {};
  return {program->variables().begin(), program->variables().end()};
}

std::optional<std::int64_t> AccessSets::step_in(const AccessedBytes& bytes, Node loop) const {
  const tir::NodeId variable = graph::loop_variable(loop).id();
  for (const auto& [term, factor] : bytes.base.factors) {
    const bool depends = std::ranges::count(variables_of(module_.node(term)), variable) != 0;
    if (term != variable && depends) return std::nullopt;
  }
  return support::value_at(bytes.base.factors, variable).value_or(0);
}

/// The distance of the last one from the first.
std::uint64_t AccessSets::Distances::extent() const {
  if (!values.empty()) return static_cast<std::uint64_t>(values.back() - values.front());
  const std::uint64_t length =
      step < 0 ? 0 - static_cast<std::uint64_t>(step) : static_cast<std::uint64_t>(step);
  std::uint64_t product = 0;
  return __builtin_mul_overflow(length, count - 1, &product)
             ? std::numeric_limits<std::uint64_t>::max()
             : product;
}

std::optional<Interval> AccessSets::Distances::range() const {
  if (!values.empty()) return Interval{values.front(), values.back()};
  std::int64_t reach = 0;
  std::int64_t last = 0;
  if (__builtin_mul_overflow(step, count - 1, &reach) ||
      __builtin_add_overflow(start, reach, &last)) {
    return std::nullopt;
  }
  return Interval{std::min(start, last), std::max(start, last)};
}

// --- Loops and conditions ------------------------------------------------------------------------

AccessSets::Surroundings AccessSets::surroundings_of(const PlacedAccess& access,
                                                     RegionId level) const {
  Surroundings result;
  std::vector<Node> loops;  // from the inside out
  RegionId at = access.region;
  for (; at != level && at != RegionId::function; at = regions_[at].parent) {
    const Region& one = regions_[at];
    const bool is_counted = one.kind == RegionKind::loop || one.kind == RegionKind::conditional;
    if (!is_counted) result.inside.tests.emplace_back();
    if (one.loop) loops.push_back(one.loop);
    if (one.loop && std::ranges::find(access.first_only, one.loop) != access.first_only.end()) {
      result.inside.tests.push_back({first_iteration(one.loop)});
    }
    for (const graph::Constraint& constraint : one.constraints) {
      result.inside.tests.push_back({constraint});
    }
  }
  for (; at != RegionId::function; at = regions_[at].parent) {
    if (regions_[at].loop) result.outside.push_back(regions_[at].loop);
  }
  for (std::size_t i = loops.size(); i-- > 0;) result.inside.loops.push_back({loops[i]});
  result.inside.compile(bindings_);
  return result;
}

/// The ranges of the variables of all loops, from the outermost in, because bounds use outer
/// variables.
AccessSets::Ranges AccessSets::ranges_of(const Surroundings& around) const {
  Ranges ranges;
  const auto add = [&](Node loop) {
    const bool is_for = loop.is(Kind::For);
    const auto min = is_for ? range_of(loop[f::For::min], ranges) : Interval{0, 0};
    const auto extent = range_of(is_for ? loop[f::For::extent] : loop[f::AttrStmt::value], ranges);
    const tir::NodeId variable = graph::loop_variable(loop).id();
    // A loop that never runs has no values; assumes one.
    if (!min || !extent) {
      ranges.erase(variable);
    } else {
      ranges[variable] = {min->low, min->high + std::max<std::int64_t>(extent->high - 1, 0)};
    }
  };
  for (std::size_t i = around.outside.size(); i-- > 0;) add(around.outside[i]);
  for (const graph::IterationDomain::Loop& loop : around.inside.loops) add(loop.node);
  return ranges;
}

std::optional<Interval> AccessSets::range_of(Node expression, const Ranges& ranges) const {
  const auto program = graph::IndexProgram::compile(expression, bindings_);
  return program ? range_of(*program, ranges) : std::nullopt;
}

std::optional<Interval> AccessSets::range_of(const graph::IndexProgram& program,
                                             const Ranges& ranges) const {
  return program.range([&](tir::NodeId variable) -> std::optional<Interval> {
    return support::value_at(ranges, variable);
  });
}

// --- Terms ---------------------------------------------------------------------------------------

bool AccessSets::add_span(Node expression, std::int64_t factor, const Ranges& ranges,
                          AccessedBytes& result) const {
  result.is_exact = false;
  const auto range = range_of(expression, ranges);
  return range && widen(result.bytes, *range, factor);
}

/// Terms of fixed loops form the base, and those of other loops go into `around`. A term that
/// depends on anything else counts as any value that its type and operators allow.
bool AccessSets::split_terms(const IndexTerms& terms, Surroundings& around, AccessedBytes& result,
                             const Ranges& ranges) {
  const auto stands_still = [&](tir::NodeId variable) {
    return !around.inside.loop_of(variable) && std::ranges::any_of(around.outside, [&](Node loop) {
      return graph::loop_variable(loop).id() == variable;
    });
  };
  const auto add = [&](Node expression, std::int64_t factor) {
    return around.inside.add_term(expression, factor, bindings_) ||
           add_span(expression, factor, ranges, result);
  };
  for (const auto& [term, factor] : terms.factors) {
    const Node expression = module_.node(term);
    const std::vector<tir::NodeId> variables = variables_of(expression);
    if (!variables.empty() && std::ranges::all_of(variables, stands_still)) {
      result.base.factors.emplace(term, factor);
    } else if (!add(expression, factor)) {
      return false;
    }
  }
  return true;
}

/// Terms by their value, if the function evaluates them.
tir::LinearSum<std::pair<bool, std::uint32_t>> AccessSets::numbered(const IndexTerms& terms) const {
  tir::LinearSum<std::pair<bool, std::uint32_t>> result;
  for (const auto& [term, factor] : terms.factors) {
    const std::uint32_t number = values_.number_of(module_.node(term));
    result.add_term({number != 0, number != 0 ? number : tir::index(term)}, factor);
  }
  return result;
}

bool AccessSets::have_same_base(const AccessedBytes& a, const AccessedBytes& b) const {
  return numbered(a.base) == numbered(b.base);
}

// --- Distances -----------------------------------------------------------------------------------

/// The steps of a loop without connections to others whose variable has a factor.
std::optional<AccessSets::Distances> AccessSets::steps_of(
    const graph::IterationDomain& domain, const graph::IterationDomain::Group& group) {
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

std::optional<AccessSets::Distances> AccessSets::distances_of(
    const graph::IterationDomain& domain, const graph::IterationDomain::Group& group) {
  auto nest = domain.nest_of(group);
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
bool AccessSets::meets_constants(const graph::IterationDomain& domain, bool& is_exact) {
  for (const graph::IterationDomain::Test& test : domain.tests) {
    if (test.counted && test.counted->has_variables()) continue;
    const auto is_met = test.counted ? graph::CountedTest(*test.counted).is_met() : std::nullopt;
    if (is_met == false) return false;
    is_exact = is_exact && is_met.has_value();
  }
  return true;
}

/// Terms without variables are numbers.
bool AccessSets::move_by_constants(const graph::IterationDomain& domain, ByteSet& bytes) {
  for (const graph::CountedTerm& term : domain.terms) {
    if (!term.expression.variables().empty()) continue;
    const auto value = graph::IndexProgram(term.expression).run();
    std::int64_t distance = 0;
    if (!value || __builtin_mul_overflow(*value, term.factor, &distance) ||
        !bytes.shift(distance)) {
      return false;
    }
  }
  return true;
}

bool AccessSets::move_by(const std::vector<Distances>& all, ByteSet& bytes) {
  for (const Distances& one : all) {
    auto moved =
        one.values.empty() ? bytes.repeated(one.step, one.count) : bytes.at_each(one.values);
    if (!moved || !moved->shift(one.start)) return false;
    bytes = *std::move(moved);
  }
  return true;
}

/// Small steps come first, because they merge many spans into one.
bool AccessSets::move_by(const Surroundings& around, const Ranges& ranges, AccessedBytes& result) {
  const graph::IterationDomain& inside = around.inside;
  bool never_happens = !meets_constants(inside, result.is_exact);
  std::vector<Distances> all;
  for (const graph::IterationDomain::Group& group : inside.groups()) {
    auto distances = steps_of(inside, group);
    if (!distances) distances = distances_of(inside, group);
    if (distances) {
      never_happens = never_happens || (distances->values.empty() && distances->count == 0);
      all.push_back(*std::move(distances));
      continue;
    }
    result.is_exact = false;
    for (const std::size_t i : group.terms) {
      const auto range = range_of(inside.terms[i].expression, ranges);
      if (!range || !widen(result.bytes, *range, inside.terms[i].factor)) return false;
    }
  }
  if (never_happens) {
    result.bytes = ByteSet();
    return true;
  }
  std::ranges::stable_sort(all, {}, [](const Distances& one) { return one.extent(); });
  const ByteSet one = result.bytes;
  if (move_by(all, result.bytes)) return true;
  // Too many pieces: uses one span around them.
  result.is_exact = false;
  result.bytes = one;
  return std::ranges::all_of(all, [&](const Distances& distances) {
    const auto range = distances.range();
    return range && widen(result.bytes, *range, 1);
  });
}

std::optional<AccessedBytes> AccessSets::bytes_inside(const PlacedAccess& access, RegionId level) {
  Surroundings around = surroundings_of(access, level);
  const Ranges ranges = ranges_of(around);
  AccessedBytes result;
  result.is_exact = true;
  const auto vector = ByteSet({0, access.bytes}).repeated(access.lane_step, access.lanes);
  if (!vector) return std::nullopt;
  result.bytes = *vector;
  const bool is_known =
      split_terms(access.terms, around, result, ranges) && move_by(around, ranges, result) &&
      move_by_constants(around.inside, result.bytes) && result.bytes.shift(access.terms.constant);
  return is_known ? std::optional(std::move(result)) : std::nullopt;
}

}  // namespace mlf::analysis
