#include "analysis/cost/iteration_space.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/core.h>

#include "analysis/cost/enumeration.h"
#include "analysis/cost/evaluated_parts.h"
#include "graph/node_queries.h"

namespace mlf::analysis {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

namespace {

// Loops and conditions around one place. Real schedules have about a dozen.
constexpr std::uint32_t kMaxDepth = 512;

// Iterations of one group of loops that are run one by one.
constexpr std::uint64_t kMaxSteps = std::uint64_t{1} << 23;

struct Bounds {
  Node min;  // undefined: 0
  Node extent;
};

Bounds bounds_of(Node loop) {
  if (loop.is(Kind::For)) return {loop[f::For::min], loop[f::For::extent]};
  return {{}, loop[f::AttrStmt::value]};
}

std::optional<std::int64_t> constant_extent(Node loop) {
  const auto extent = graph::integer_of(bounds_of(loop).extent);
  return extent ? std::optional(std::max<std::int64_t>(*extent, 0)) : std::nullopt;
}

/// `a && b` is two constraints, and so is that `a || b` fails: each is about fewer variables.
void split(const Constraint& whole, std::vector<Constraint>& into) {
  std::vector<Constraint> stack{whole};
  while (!stack.empty()) {
    const Constraint one = stack.back();
    stack.pop_back();
    const Node node = one.expression;
    const bool is_split = (one.test == Constraint::Test::holds && node.is(Kind::And)) ||
                          (one.test == Constraint::Test::fails && node.is(Kind::Or));
    const bool is_negated = one.test != Constraint::Test::equals && node.is(Kind::Not);
    if (graph::operator_of(node) == "likely" && node.list(f::Call::args).size() == 1) {
      stack.push_back({node.list(f::Call::args)[0], one.test, one.other});
    } else if (is_negated) {
      stack.push_back({node[f::Not::a], one.test == Constraint::Test::holds
                                            ? Constraint::Test::fails
                                            : Constraint::Test::holds});
    } else if (is_split && into.size() + stack.size() < kMaxDepth) {
      stack.push_back({node[f::And::b], one.test});
      stack.push_back({node[f::And::a], one.test});
    } else {
      into.push_back(one);
    }
  }
}

}  // namespace

/// The loops and constraints around a region, from the outside in.
struct IterationSpace::Surroundings {
  struct Loop {
    Node node;
    std::optional<CountedLoop> counted{};  // nothing: its bounds depend on data
  };
  struct Test {
    Constraint constraint;
    std::optional<CountedTest> counted{};  // nothing: it depends on data
  };
  Count base{1};  // of the region that all are in
  std::vector<Loop> loops{};
  std::vector<Test> tests{};

  /// Position of the loop that counts a variable; nothing where none does.
  std::optional<std::size_t> loop_of(tir::NodeId variable) const {
    for (std::size_t i = loops.size(); i-- > 0;) {
      if (loop_variable(loops[i].node).id() == variable) return i;
    }
    return std::nullopt;
  }
  /// The expression as a program, if loop variables are all that it depends on.
  std::optional<IndexProgram> compile(Node expression, const Bindings& bindings) const {
    auto program = IndexProgram::compile(expression, bindings);
    const bool is_of_loops =
        program && std::all_of(program->variables().begin(), program->variables().end(),
                               [&](tir::NodeId variable) { return loop_of(variable).has_value(); });
    return is_of_loops ? std::move(program) : std::nullopt;
  }
};

/// Which loops a bound or a condition connects. Loops that nothing connects are independent: their
/// numbers of iterations multiply, and only what is connected has to be run together.
class IterationSpace::Grouping {
 public:
  explicit Grouping(const Surroundings& around) : around_(around), parent_(around.loops.size()) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
    for (std::size_t i = 0; i < around.loops.size(); ++i) {
      if (!around.loops[i].counted) continue;
      connect(i, around.loops[i].counted->min);
      connect(i, around.loops[i].counted->extent);
    }
    for (const Surroundings::Test& test : around.tests) {
      std::optional<std::size_t> loop;
      if (test.counted) {
        loop = connect(loop, test.counted->expression);
        if (test.counted->other) loop = connect(loop, *test.counted->other);
      }
      loop_of_test_.push_back(loop);
    }
  }

  std::size_t group_of(std::size_t loop) const {
    while (parent_[loop] != loop) loop = parent_[loop];
    return loop;
  }
  /// Nothing where it has no variables, or depends on data.
  std::optional<std::size_t> group_of_test(std::size_t test) const {
    return loop_of_test_[test] ? std::optional(group_of(*loop_of_test_[test])) : std::nullopt;
  }

 private:
  std::optional<std::size_t> connect(std::optional<std::size_t> loop, const IndexProgram& program) {
    for (const tir::NodeId variable : program.variables()) {
      const std::size_t other = *around_.loop_of(variable);
      if (loop) parent_[group_of(*loop)] = group_of(other);
      loop = other;
    }
    return loop;
  }

  const Surroundings& around_;
  std::vector<std::size_t> parent_;
  std::vector<std::optional<std::size_t>> loop_of_test_;
};

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

void IterationSpace::count_loop(Region& region) {
  const auto extent = constant_extent(region.loop);
  if (extent) {
    region.extent = static_cast<std::uint64_t>(*extent);
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

IterationSpace::Surroundings IterationSpace::surroundings_of(const Region& region) const {
  Surroundings around;
  const Region* at = &region;
  for (; at->kind != Region::Kind::counted; at = &(*this)[at->parent]) {
    if (at->kind == Region::Kind::unknown) around.base *= Count(0, std::nullopt);
    if (at->loop) around.loops.push_back({at->loop});
    for (const Constraint& constraint : at->constraints) around.tests.push_back({constraint});
  }
  around.base *= at->count;
  std::reverse(around.loops.begin(), around.loops.end());
  for (Surroundings::Loop& loop : around.loops) {
    const Bounds bounds = bounds_of(loop.node);
    auto extent = around.compile(bounds.extent, bindings_);
    auto min = bounds.min ? around.compile(bounds.min, bindings_)
                          : std::optional(IndexProgram::constant(0));
    if (!extent || !min) continue;
    loop.counted = CountedLoop{loop_variable(loop.node).id(), std::move(*min), std::move(*extent)};
  }
  for (Surroundings::Test& test : around.tests) {
    auto expression = around.compile(test.constraint.expression, bindings_);
    if (!expression) continue;
    std::optional<IndexProgram> other;
    if (test.constraint.test == Constraint::Test::equals) {
      other = around.compile(test.constraint.other, bindings_);
      if (!other) continue;
    }
    const std::int64_t wanted = test.constraint.test == Constraint::Test::holds ? 1 : 0;
    test.counted = CountedTest{std::move(*expression), wanted, std::move(other)};
  }
  return around;
}

/// The part of conditions that is the same in all iterations: those without variables, and those
/// that depend on data.
Count IterationSpace::count_constants(const Surroundings& around, const Grouping& grouping) {
  Count share{1};
  for (std::size_t i = 0; i < around.tests.size(); ++i) {
    if (grouping.group_of_test(i)) continue;
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

IterationSpace::Iterations IterationSpace::count_around(const Region& region) {
  const Count outer = (*this)[region.parent].count;
  const bool can_be_counted = region.depth <= kMaxDepth && spend(std::size_t{16} * region.depth);
  if (!can_be_counted) {
    explain("there are too many loops and conditions to count all iterations");
    return {{0, region.loop ? std::nullopt : outer.max}, {0, std::nullopt}};
  }
  const Surroundings around = surroundings_of(region);
  const Grouping grouping(around);
  Iterations result{around.base * count_constants(around, grouping)};
  for (std::size_t group = 0; group < around.loops.size(); ++group) {
    if (grouping.group_of(group) != group) continue;
    std::vector<std::size_t> loops;
    std::vector<std::size_t> tests;
    for (std::size_t i = 0; i < around.loops.size(); ++i) {
      if (grouping.group_of(i) == group) loops.push_back(i);
    }
    for (std::size_t i = 0; i < around.tests.size(); ++i) {
      if (grouping.group_of_test(i) == group) tests.push_back(i);
    }
    const Iterations found = count_group(around, loops, tests);
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
    product *= Count(static_cast<std::uint64_t>(extent.value_or(1)));
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
  const std::uint64_t allowed = std::min(steps_left_, kMaxSteps);
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
