#include "analysis/cost/iteration_space.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "analysis/cost/evaluated_parts.h"

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

}  // namespace

void IterationSpace::explain(const std::string& reason) {
  if (std::find(reasons_.begin(), reasons_.end(), reason) == reasons_.end()) {
    reasons_.push_back(reason);
  }
}

bool IterationSpace::spend(std::size_t steps) {
  const bool is_enough = steps_left_ >= steps;
  steps_left_ -= is_enough ? steps : steps_left_;
  return is_enough;
}

// --- Making regions ------------------------------------------------------------------------------

RegionId IterationSpace::append(Region region) {
  const Region& parent = (*this)[region.parent];
  const auto id = static_cast<RegionId>(regions_.size());
  region.depth = parent.depth + 1;
  region.innermost_loop = region.loop ? id : parent.innermost_loop;
  regions_.push_back(std::move(region));
  return id;
}

RegionId IterationSpace::add(Region region) {
  const RegionId id = append(std::move(region));
  // Counting makes no regions: the reference stays valid.
  count(regions_[static_cast<std::size_t>(id)]);
  return id;
}

RegionId IterationSpace::iterate(RegionId around, Node loop) {
  Region region;
  region.kind = Region::Kind::loop;
  region.parent = around;
  region.loop = loop;
  return add(std::move(region));
}

RegionId IterationSpace::branch(RegionId around, Node condition, Constraint::Test test) {
  Region region;
  region.kind = Region::Kind::conditional;
  region.parent = around;
  split({condition, test}, region.constraints);
  return add(std::move(region));
}

// TVM's LowerInitBlock makes the same conditions of it: `if k == 0` around the init.
RegionId IterationSpace::first_iteration(RegionId around, Node block) {
  Region region;
  region.kind = Region::Kind::conditional;
  region.parent = around;
  for (const Node axis : block.list(f::Block::iter_vars)) {
    const auto type = static_cast<tir::IterVarType>(axis.integer(f::IterVar::iter_type));
    if (type != tir::IterVarType::CommReduce || !axis[f::IterVar::dom]) continue;
    region.constraints.push_back(
        {axis[f::IterVar::var], Constraint::Test::equals, axis[f::IterVar::dom][f::Range::min]});
  }
  return add(std::move(region));
}

RegionId IterationSpace::repeat(RegionId around) {
  Region region;
  region.kind = Region::Kind::unknown;
  region.parent = around;
  return add(std::move(region));
}

RegionId IterationSpace::merge(RegionId common, const Count& count) {
  Region region;
  region.parent = common;
  region.count = count;
  return append(std::move(region));
}

// --- Counting ------------------------------------------------------------------------------------

void IterationSpace::count(Region& region) {
  switch (region.kind) {
    case Region::Kind::loop:
      return count_loop(region);
    case Region::Kind::conditional:
      return count_conditional(region);
    case Region::Kind::unknown:
      explain("the iterations of a 'while' are not known before it runs");
      region.count = (*this)[region.parent].count * Count(0, std::nullopt);
      return;
    case Region::Kind::counted:
      return;
  }
}

/// Extents are numbers in nearly all code: then nothing around the loop has to be looked at.
void IterationSpace::count_loop(Region& region) {
  if (const auto extent = constant_extent(region.loop)) {
    region.extent = *extent;
    region.count = (*this)[region.parent].count * region.extent;
    return;
  }
  const Iterations found = count_around(region);
  region.extent = found.innermost;
  region.count = found.all;
}

// Of `a && b` the opposite connects the variables of both: all iterations without those in which it
// holds is less to run.
void IterationSpace::count_conditional(Region& region) {
  const Count outer = (*this)[region.parent].count;
  const bool is_opposite = region.constraints.size() == 1 &&
                           region.constraints[0].test == Constraint::Test::fails &&
                           region.constraints[0].expression.is(Kind::And);
  if (is_opposite && outer.is_exact()) {
    Region opposite = region;
    opposite.constraints.clear();
    split({region.constraints[0].expression, Constraint::Test::holds}, opposite.constraints);
    const Count without = count_around(opposite).all;
    if (without.is_exact() && without.min <= outer.min) {
      region.count = outer.min - without.min;
      return;
    }
  }
  region.count = count_around(region).all;
  if (outer.max && region.count.max > outer.max) region.count.max = outer.max;
}

/// All that is around a region up to the one whose count is known by itself, and that count.
std::pair<Surroundings, Count> IterationSpace::surroundings_of(const Region& region) const {
  Surroundings around;
  std::vector<Node> loops;  // from the inside out
  Count base = 1;
  const Region* at = &region;
  for (; at->kind != Region::Kind::counted; at = &(*this)[at->parent]) {
    if (at->kind == Region::Kind::unknown) base *= Count(0, std::nullopt);
    if (at->loop) loops.push_back(at->loop);
    for (const Constraint& constraint : at->constraints) around.tests.push_back({constraint});
  }
  for (std::size_t i = loops.size(); i-- > 0;) around.loops.push_back({loops[i]});
  around.compile(bindings_);
  return {std::move(around), base * at->count};
}

/// The part of conditions that is the same in all iterations: those without variables, and those
/// that depend on data.
Count IterationSpace::count_constants(const Surroundings& around, const Grouping& grouping) {
  Count share{1};
  for (std::size_t i = 0; i < around.tests.size(); ++i) {
    if (grouping.is_on_loops(i)) continue;
    if (!around.tests[i].counted) {
      explain(
          "a condition depends on more than loop variables: what is under it is counted from "
          "never to always");
      share *= Count(0, 1);
      continue;
    }
    CountedTest test = *around.tests[i].counted;
    const auto value = test.expression.run();
    const auto wanted = test.other ? test.other->run() : std::optional(test.wanted);
    share *= !value || !wanted ? Count(0, 1) : Count(*value == *wanted ? 1 : 0);
  }
  return share;
}

/// The times that a region is entered, by all that is around it.
IterationSpace::Iterations IterationSpace::count_around(const Region& region) {
  const Count outer = (*this)[region.parent].count;
  const bool can_be_counted = region.depth <= kMaxDepth && spend(std::size_t{16} * region.depth);
  if (!can_be_counted) {
    explain("there are too many loops and conditions to count all iterations");
    return {{0, region.loop ? std::nullopt : outer.max}, {0, std::nullopt}};
  }
  const auto [around, base] = surroundings_of(region);
  const Grouping grouping(around);
  Iterations result{base * count_constants(around, grouping)};
  for (const std::vector<std::size_t>& loops : grouping.groups()) {
    const Iterations found = count_group(around, loops, grouping.tests_of(loops));
    result.all *= found.all;
    if (loops.back() + 1 == around.loops.size()) result.innermost = found.innermost;
  }
  return result;
}

/// The iterations of loops that are connected. `loops` and `tests` are positions in `around`.
IterationSpace::Iterations IterationSpace::count_group(const Surroundings& around,
                                                       const std::vector<std::size_t>& loops,
                                                       const std::vector<std::size_t>& tests) {
  const Iterations unknown{{0, std::nullopt}, {0, std::nullopt}};
  std::vector<std::uint32_t> key;
  Count product{1};  // of constant extents, without the tests
  bool is_constant = true;
  std::vector<CountedLoop> counted;
  for (const std::size_t i : loops) {
    const Surroundings::Loop& loop = around.loops[i];
    const auto extent = constant_extent(loop.node);
    is_constant = is_constant && extent;
    product *= Count(extent.value_or(1));
    if (!loop.counted) {
      explain(fmt::format("the iterations of loop '{}' are not known before it runs",
                          loop_variable(loop.node).text(f::Var::name)));
      return unknown;
    }
    key.push_back(tir::index(loop.node.id()));
    counted.push_back(*loop.counted);
  }
  if (is_constant && tests.empty()) return {product};
  std::vector<CountedTest> counted_tests;
  key.push_back(0);
  for (const std::size_t i : tests) {
    const Surroundings::Test& test = around.tests[i];
    key.push_back(tir::index(test.constraint.expression.id()));
    key.push_back(static_cast<std::uint32_t>(test.constraint.test));
    counted_tests.push_back(*test.counted);
  }
  const auto known = groups_.find(key);
  if (known != groups_.end()) return known->second;
  Enumeration enumeration(std::move(counted), std::move(counted_tests));
  const std::uint64_t allowed = std::min(steps_left_, kMaxEnumerationSteps);
  std::uint64_t left = allowed;
  const auto iterations = enumeration.count(left);
  spend(allowed - left);
  if (!iterations) {
    explain(
        "conditions or bounds distinguish too many iterations to run them one by one, or have "
        "no value in one of them");
  }
  const Iterations result = iterations    ? Iterations{*iterations, enumeration.innermost_extent()}
                            : is_constant ? Iterations{{0, product.max}}
                                          : unknown;
  groups_.emplace(std::move(key), result);
  return result;
}

}  // namespace mlf::analysis
