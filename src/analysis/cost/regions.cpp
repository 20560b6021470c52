#include "analysis/cost/regions.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "support/lookup.h"

namespace mlf::analysis {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

namespace {

// Regions around one place. Real schedules have about a dozen.
constexpr std::uint32_t kMaxDepth = 512;

// Iterations of one group of loops that are run one by one: about a million of a condition of eight
// steps, some hundredths of a second.
constexpr std::uint64_t kMaxEnumerationSteps = std::uint64_t{1} << 23;

// Up to this number, running iterations is cheaper than splitting ranges.
constexpr std::uint64_t kFewIterations = std::uint64_t{1} << 20;

Count count_of(const tir::Interval& range) {
  return {static_cast<std::uint64_t>(range.low), static_cast<std::uint64_t>(range.high)};
}

}  // namespace

void Regions::explain(const std::string& reason) {
  support::add_once(reasons_, reason);
}

bool Regions::spend(std::size_t steps) {
  const bool is_enough = steps_left_ >= steps;
  steps_left_ -= is_enough ? steps : steps_left_;
  return is_enough;
}

// --- Making regions ------------------------------------------------------------------------------

RegionId Regions::append(Region region) {
  const Region& parent = (*this)[region.parent];
  const auto id = static_cast<RegionId>(regions_.size());
  region.depth = parent.depth + 1;
  region.innermost_loop = region.loop ? id : parent.innermost_loop;
  regions_.push_back(std::move(region));
  return id;
}

namespace {

/// That the reduction axes of a block are at their start. TVM's LowerInitBlock makes the same
/// conditions of it: `if k == 0` around the init.
std::vector<graph::Constraint> first_iteration_of(Node block) {
  std::vector<graph::Constraint> constraints;
  for (const Node axis : block.list(f::Block::iter_vars)) {
    const auto type = static_cast<tir::IterVarType>(axis.integer(f::IterVar::iter_type));
    if (type != tir::IterVarType::CommReduce || !axis[f::IterVar::dom]) continue;
    constraints.push_back({axis[f::IterVar::var], graph::Constraint::Test::equals,
                           axis[f::IterVar::dom][f::Range::min]});
  }
  return constraints;
}

}  // namespace

RegionId Regions::inside(RegionId around, const graph::Part& part, Node whole) {
  Region region{.kind = RegionKind::conditional, .parent = around};
  switch (part.when) {
    case graph::When::guard_holds:
      graph::split({part.guard, graph::Constraint::Test::holds}, region.constraints);
      break;
    case graph::When::guard_fails:
      graph::split({part.guard, graph::Constraint::Test::fails}, region.constraints);
      break;
    case graph::When::each_iteration:
      region.kind = RegionKind::loop;
      region.loop = whole;
      break;
    case graph::When::first_iteration:
      region.constraints = first_iteration_of(whole);
      break;
    case graph::When::unknown_times:
      region.kind = RegionKind::unknown;
      break;
    case graph::When::always:
    case graph::When::chosen:
    case graph::When::not_chosen:
      return around;
  }
  const RegionId id = append(std::move(region));
  // Counting makes no regions: the reference stays valid.
  Region& made = regions_[static_cast<std::size_t>(id)];
  if (made.kind == RegionKind::loop) {
    count_loop(made);
  } else if (made.kind == RegionKind::conditional) {
    count_conditional(made);
  } else {
    explain("the number of iterations of a 'while' is unknown");
    made.count = (*this)[around].count * Count::unknown();
  }
  return id;
}

RegionId Regions::merge(RegionId common, const Count& count) {
  return append({.parent = common, .count = count});
}

RegionId Regions::common_region(RegionId a, RegionId b) const {
  while (a != b) {
    RegionId& deeper = (*this)[a].depth >= (*this)[b].depth ? a : b;
    deeper = (*this)[deeper].parent;
  }
  return a;
}

// --- Counting ------------------------------------------------------------------------------------

/// In nearly all code, extents are numbers, so nothing around the loop matters.
void Regions::count_loop(Region& region) {
  if (const auto extent = graph::constant_extent(region.loop)) {
    region.extent = *extent;
    region.count = (*this)[region.parent].count * region.extent;
    return;
  }
  const Iterations found = count_around(region);
  region.extent = found.innermost;
  region.count = found.all;
}

// The negation of `a && b` connects the variables of both. It takes fewer steps to subtract the
// iterations in which it is true from all iterations.
void Regions::count_conditional(Region& region) {
  const Count outer = (*this)[region.parent].count;
  const bool is_opposite = region.constraints.size() == 1 &&
                           region.constraints[0].test == graph::Constraint::Test::fails &&
                           region.constraints[0].expression.is(Kind::And);
  if (is_opposite && outer.is_exact()) {
    Region opposite = region;
    opposite.constraints.clear();
    graph::split({region.constraints[0].expression, graph::Constraint::Test::holds},
                 opposite.constraints);
    const Count without = count_around(opposite).all;
    if (without.is_exact() && without.min <= outer.min) {
      region.count = outer.min - without.min;
      return;
    }
  }
  region.count = count_around(region).all;
  if (outer.max && region.count.max > outer.max) region.count.max = outer.max;
}

/// Everything around a region, up to the region whose own count is known, and that count.
std::pair<graph::IterationDomain, Count> Regions::domain_of(const Region& region) const {
  graph::IterationDomain domain;
  std::vector<Node> loops;  // from the inside out
  Count base = 1;
  const Region* at = &region;
  for (; at->kind != RegionKind::counted; at = &(*this)[at->parent]) {
    if (at->kind == RegionKind::unknown) base *= Count::unknown();
    if (at->loop) loops.push_back(at->loop);
    for (const graph::Constraint& constraint : at->constraints)
      domain.tests.push_back({constraint});
  }
  for (std::size_t i = loops.size(); i-- > 0;) domain.loops.push_back({loops[i]});
  domain.compile(bindings_);
  return {std::move(domain), base * at->count};
}

/// The part of conditions that is the same in all iterations: those without variables, and those
/// that depend on data.
Count Regions::count_constants(const graph::IterationDomain& domain) {
  Count share{1};
  for (const graph::IterationDomain::Test& test : domain.tests) {
    if (!test.counted) {
      explain(
          "a condition depends on more than loop variables: code under it may run never or always");
      share *= Count(0, 1);
    } else if (!test.counted->has_variables()) {
      const auto is_met = graph::CountedTest(*test.counted).is_met();
      share *= is_met ? Count(*is_met ? 1 : 0) : Count(0, 1);
    }
  }
  return share;
}

/// The times that a region is entered, by all that is around it.
Regions::Iterations Regions::count_around(const Region& region) {
  const Count outer = (*this)[region.parent].count;
  const bool can_be_counted = region.depth <= kMaxDepth && spend(std::size_t{16} * region.depth);
  if (!can_be_counted) {
    explain("too many loops and conditions to count the iterations");
    return {{0, region.loop ? std::nullopt : outer.max}, {0, std::nullopt}};
  }
  const auto [domain, base] = domain_of(region);
  Iterations result{base * count_constants(domain)};
  for (const graph::IterationDomain::Group& group : domain.groups()) {
    const Iterations found = count_group(domain, group);
    result.all *= found.all;
    if (group.loops.back() + 1 == domain.loops.size()) result.innermost = found.innermost;
  }
  return result;
}

/// The result of `count(steps)` with one group's share of the remaining steps.
template <class CountWith>
auto Regions::within_steps(CountWith count) {
  const std::uint64_t allowed = std::min(steps_left_, kMaxEnumerationSteps);
  std::uint64_t left = allowed;
  const auto iterations = count(left);
  spend(allowed - left);
  return iterations;
}

/// The iterations of loops that are connected.
Regions::Iterations Regions::count_group(const graph::IterationDomain& domain,
                                         const graph::IterationDomain::Group& group) {
  const Iterations unknown{Count::unknown(), Count::unknown()};
  std::vector<std::uint32_t> key;
  Count product{1};  // of constant extents, without the tests
  bool is_constant = true;
  for (const std::size_t i : group.loops) {
    const graph::IterationDomain::Loop& loop = domain.loops[i];
    const auto extent = graph::constant_extent(loop.node);
    is_constant = is_constant && extent;
    product *= Count(extent.value_or(1));
    if (!loop.counted) {
      explain(fmt::format("the number of iterations of loop '{}' is unknown",
                          graph::loop_variable(loop.node).text(f::Var::name)));
      return unknown;
    }
    key.push_back(tir::index(loop.node.id()));
  }
  if (is_constant && group.tests.empty()) return {product};
  key.push_back(0);
  for (const std::size_t i : group.tests) {
    const graph::Constraint& constraint = domain.tests[i].constraint;
    key.push_back(tir::index(constraint.expression.id()));
    key.push_back(static_cast<std::uint32_t>(constraint.test));
  }
  const auto known = groups_.find(key);
  if (known != groups_.end()) return known->second;
  graph::CountedNest nest = *domain.nest_of(group);
  if (is_constant && product.min > kFewIterations) {
    const auto in_boxes =
        within_steps([&](auto& steps) { return graph::count_in_boxes(nest, steps); });
    if (in_boxes) return groups_.emplace(std::move(key), Iterations{*in_boxes}).first->second;
  }
  const auto iterations =
      within_steps([&](auto& steps) { return graph::count_iterations(std::move(nest), steps); });
  if (!iterations) {
    explain(
        "too many iterations to evaluate conditions and bounds in each of them, or one of them "
        "has no value");
  }
  const Iterations result = iterations    ? Iterations{iterations->all, count_of(iterations->each)}
                            : is_constant ? Iterations{{0, product.max}}
                                          : unknown;
  groups_.emplace(std::move(key), result);
  return result;
}

// --- Evaluations ---------------------------------------------------------------------------------

using graph::EvaluationOrder;
using graph::Part;
using graph::When;

namespace {

// A node with more regions counts as if it were in a single one. TVM's lowered code is a tree, so a
// node in two regions is rare.
constexpr std::size_t kMaxRegions = 16;

}  // namespace

Evaluations::Evaluations(const EvaluationOrder& order, Regions& regions)
    : order_(order), regions_(regions), evaluations_(order.size()) {
  add(0, {});
  for (std::size_t i = 0; i < order.size(); ++i) pass_on(i);
}

/// One region for one condition or loop inside of another region.
RegionId Evaluations::region_of(const Part& part, Node whole, RegionId around) {
  if (part.when == When::always || part.when >= When::chosen) return around;
  const Node key = part.guard ? part.guard : whole;
  const auto known = known_.find({around, key.id(), part.when});
  if (known != known_.end()) return known->second;
  const RegionId made = regions_.inside(around, part, whole);
  known_.emplace(std::tuple(around, key.id(), part.when), made);
  return made;
}

void Evaluations::pass_on(std::size_t position) {
  // All its parents came before, so the list is complete.
  std::vector<Evaluation>& evaluations = evaluations_[position];
  if (evaluations.size() > kMaxRegions) merge(evaluations);
  const Node whole = order_[position];
  for (const Part& part : order_.parts(position)) {
    for (const Evaluation& evaluation : evaluations) {
      const RegionId region = region_of(part, whole, evaluation.region);
      if (part.when == When::each_iteration) loops_.push_back({region, evaluation});
      add(part.position, {region, evaluation.is_address || part.is_address, evaluation.times});
    }
  }
}

/// A part that its parent evaluates twice in one region, as in `x * x`, counts twice.
void Evaluations::add(std::size_t position, const Evaluation& evaluation) {
  std::vector<Evaluation>& all = evaluations_[position];
  const auto same = std::find_if(all.begin(), all.end(), [&](const Evaluation& known) {
    return known.region == evaluation.region && known.is_address == evaluation.is_address;
  });
  if (same == all.end()) {
    all.push_back(evaluation);
  } else {
    same->times += evaluation.times;
  }
}

// Replaces many regions of a node by one, and keeps only the sum of the evaluations.
void Evaluations::merge(std::vector<Evaluation>& evaluations) {
  RegionId common = evaluations.front().region;
  Count sum = 0;
  bool is_address = true;
  for (const Evaluation& evaluation : evaluations) {
    common = regions_.common_region(common, evaluation.region);
    sum += regions_[evaluation.region].count * evaluation.times;
    is_address = is_address && evaluation.is_address;
  }
  evaluations = {{regions_.merge(common, sum), is_address, 1}};
}

}  // namespace mlf::analysis
