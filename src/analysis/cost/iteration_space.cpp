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

/// Positions that belong together, joined two at a time.
class Groups {
 public:
  explicit Groups(std::size_t size) : parent_(size) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  std::size_t find(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::size_t a, std::size_t b) { parent_[find(a)] = find(b); }

 private:
  std::vector<std::size_t> parent_;
};

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
    std::optional<CountedTest> counted{};
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
  bool all_are_loops(const IndexProgram& program) const {
    return std::all_of(program.variables().begin(), program.variables().end(),
                       [&](tir::NodeId variable) { return loop_of(variable).has_value(); });
  }
};

void IterationSpace::explain(const std::string& reason) {
  if (std::find(reasons_.begin(), reasons_.end(), reason) == reasons_.end()) {
    reasons_.push_back(reason);
  }
}

RegionId IterationSpace::add(Region region) {
  region.depth = (*this)[region.parent].depth + 1;
  region.count = count_of(region);
  regions_.push_back(std::move(region));
  return static_cast<RegionId>(regions_.size() - 1);
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
  region.depth = (*this)[common].depth + 1;
  region.count = count;
  regions_.push_back(std::move(region));
  return static_cast<RegionId>(regions_.size() - 1);
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
    auto extent = IndexProgram::compile(bounds.extent, bindings_);
    auto min = bounds.min ? IndexProgram::compile(bounds.min, bindings_)
                          : std::optional(IndexProgram::constant(0));
    if (!extent || !min || !around.all_are_loops(*extent) || !around.all_are_loops(*min)) continue;
    loop.counted = CountedLoop{loop_variable(loop.node).id(), std::move(*min), std::move(*extent)};
  }
  for (Surroundings::Test& test : around.tests) {
    auto expression = IndexProgram::compile(test.constraint.expression, bindings_);
    if (!expression || !around.all_are_loops(*expression)) continue;
    std::optional<IndexProgram> other;
    if (test.constraint.test == Constraint::Test::equals) {
      other = IndexProgram::compile(test.constraint.other, bindings_);
      if (!other || !around.all_are_loops(*other)) continue;
    }
    const std::int64_t wanted = test.constraint.test == Constraint::Test::holds ? 1 : 0;
    test.counted = CountedTest{std::move(*expression), wanted, std::move(other)};
  }
  return around;
}

// Loops that no condition and no bound connects are independent: their numbers multiply. Only what
// is connected has to be run together.
Count IterationSpace::count_of(const Region& region) {
  const Region& parent = (*this)[region.parent];
  if (region.kind == Region::Kind::unknown) {
    explain("the iterations of a 'while' are not known before it runs");
    return parent.count * Count(0, std::nullopt);
  }
  if (region.loop) {
    const auto extent = constant_extent(region.loop);
    if (extent) return parent.count * Count(static_cast<std::uint64_t>(*extent));
  }
  if (region.depth > kMaxDepth) {
    explain("loops and conditions are nested too deeply to count their iterations");
    return {0, region.loop ? std::nullopt : parent.count.max};
  }
  const Surroundings around = surroundings_of(region);
  Groups groups(around.loops.size());
  const auto connect = [&](std::size_t loop, const IndexProgram& program) {
    for (const tir::NodeId variable : program.variables()) {
      groups.join(loop, *around.loop_of(variable));
    }
  };
  for (std::size_t i = 0; i < around.loops.size(); ++i) {
    if (!around.loops[i].counted) continue;
    connect(i, around.loops[i].counted->min);
    connect(i, around.loops[i].counted->extent);
  }
  Count result = around.base;
  std::vector<std::optional<std::size_t>> group_of_test;
  for (const Surroundings::Test& test : around.tests) {
    std::optional<std::size_t> first;
    if (test.counted) {
      std::vector<tir::NodeId> variables(test.counted->expression.variables().begin(),
                                         test.counted->expression.variables().end());
      if (test.counted->other) {
        const auto more = test.counted->other->variables();
        variables.insert(variables.end(), more.begin(), more.end());
      }
      for (const tir::NodeId variable : variables) {
        const std::size_t loop = *around.loop_of(variable);
        if (first) groups.join(*first, loop);
        first = loop;
      }
      if (!first) {
        // Without variables it is the same in every iteration.
        CountedTest constant = *test.counted;
        const auto value = constant.expression.run();
        const auto wanted = constant.other ? constant.other->run() : std::optional(constant.wanted);
        if (!value || !wanted) {
          result *= Count(0, 1);
        } else if (*value != *wanted) {
          return 0;
        }
      }
    } else {
      explain(
          "a condition depends on more than loop variables: what is under it is counted from "
          "never to always");
      result *= Count(0, 1);
    }
    group_of_test.push_back(first);
  }
  for (std::size_t group = 0; group < around.loops.size(); ++group) {
    if (groups.find(group) != group) continue;
    std::vector<std::size_t> loops;
    std::vector<std::size_t> tests;
    for (std::size_t i = 0; i < around.loops.size(); ++i) {
      if (groups.find(i) == group) loops.push_back(i);
    }
    for (std::size_t i = 0; i < around.tests.size(); ++i) {
      if (group_of_test[i] && groups.find(*group_of_test[i]) == group) tests.push_back(i);
    }
    result *= count_component(around, loops, tests);
  }
  return result;
}

/// The iterations of loops that are connected. `loops` and `tests` are positions in `around`.
Count IterationSpace::count_component(const Surroundings& around,
                                      const std::vector<std::size_t>& loops,
                                      const std::vector<std::size_t>& tests) {
  std::vector<std::uint32_t> key;
  Count all{1};  // without the tests
  bool is_bounded = true;
  std::vector<CountedLoop> counted;
  for (const std::size_t i : loops) {
    const Surroundings::Loop& loop = around.loops[i];
    if (const auto extent = constant_extent(loop.node)) {
      all *= Count(static_cast<std::uint64_t>(*extent));
    } else {
      is_bounded = false;
    }
    if (!loop.counted) {
      explain(fmt::format("the iterations of loop '{}' are not known before it runs",
                          loop_variable(loop.node).text(f::Var::name)));
      return {0, std::nullopt};
    }
    key.push_back(tir::index(loop.node.id()));
    counted.push_back(*loop.counted);
  }
  if (is_bounded && tests.empty()) return all;
  std::vector<CountedTest> counted_tests;
  key.push_back(0);
  for (const std::size_t i : tests) {
    const Surroundings::Test& test = around.tests[i];
    key.push_back(tir::index(test.constraint.expression.id()));
    key.push_back(static_cast<std::uint32_t>(test.constraint.test));
    counted_tests.push_back(*test.counted);
  }
  const auto known = components_.find(key);
  if (known != components_.end()) return known->second;
  std::uint64_t steps = std::min(steps_left_, kMaxSteps);
  const std::uint64_t before = steps;
  const auto iterations = Enumeration(std::move(counted), std::move(counted_tests)).count(steps);
  steps_left_ -= before - steps;
  if (!iterations) {
    explain(
        "conditions or bounds distinguish too many iterations to run them one by one, or have "
        "no value in one of them");
  }
  const Count result = iterations   ? Count(*iterations)
                       : is_bounded ? Count(0, all.max)
                                    : Count(0, std::nullopt);
  components_.emplace(std::move(key), result);
  return result;
}

Count IterationSpace::extent(RegionId loop) {
  const Region& region = (*this)[loop];
  const auto constant = constant_extent(region.loop);
  if (constant) return static_cast<std::uint64_t>(*constant);
  const Count outer = (*this)[region.parent].count;
  if (region.count.is_exact() && outer.is_exact() && outer.min > 0 &&
      region.count.min % outer.min == 0 && outer.min == 1) {
    return region.count.min;
  }
  return {0, region.count.max};
}

}  // namespace mlf::analysis
