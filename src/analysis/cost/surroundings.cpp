#include "analysis/cost/surroundings.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "analysis/cost/evaluated_parts.h"
#include "graph/node_queries.h"

namespace mlf::analysis {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

namespace {

// Parts of one condition. Those of padding have four, real ones hardly more than a dozen.
constexpr std::size_t kMaxParts = 512;

struct Bounds {
  Node min;  // undefined: 0
  Node extent;
};

Bounds bounds_of(Node loop) {
  if (loop.is(Kind::For)) return {loop[f::For::min], loop[f::For::extent]};
  return {{}, loop[f::AttrStmt::value]};
}

Constraint::Test opposite(Constraint::Test test) {
  return test == Constraint::Test::holds ? Constraint::Test::fails : Constraint::Test::holds;
}

}  // namespace

// `likely` is a hint of the loop partitioning pass and says nothing about the value.
void split(const Constraint& whole, std::vector<Constraint>& into) {
  std::vector<Constraint> stack{whole};
  while (!stack.empty()) {
    const Constraint one = stack.back();
    stack.pop_back();
    const Node node = one.expression;
    const bool is_split = (one.test == Constraint::Test::holds && node.is(Kind::And)) ||
                          (one.test == Constraint::Test::fails && node.is(Kind::Or));
    if (graph::operator_of(node) == "likely" && node.list(f::Call::args).size() == 1) {
      stack.push_back({node.list(f::Call::args)[0], one.test, one.other});
    } else if (one.test != Constraint::Test::equals && node.is(Kind::Not)) {
      stack.push_back({node[f::Not::a], opposite(one.test)});
    } else if (is_split && into.size() + stack.size() < kMaxParts) {
      stack.push_back({node[f::And::b], one.test});
      stack.push_back({node[f::And::a], one.test});
    } else {
      into.push_back(one);
    }
  }
}

std::optional<std::uint64_t> constant_extent(Node loop) {
  const auto extent = graph::integer_of(bounds_of(loop).extent);
  if (!extent) return std::nullopt;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(*extent, 0));
}

// From the inside out: code that is shared may be in the same loop twice.
std::optional<std::size_t> Surroundings::loop_of(tir::NodeId variable) const {
  for (std::size_t i = loops.size(); i-- > 0;) {
    if (loop_variable(loops[i].node).id() == variable) return i;
  }
  return std::nullopt;
}

std::optional<IndexProgram> Surroundings::compiled(Node expression,
                                                   const Bindings& bindings) const {
  auto program = IndexProgram::compile(expression, bindings);
  const bool is_of_loops =
      program && std::all_of(program->variables().begin(), program->variables().end(),
                             [&](tir::NodeId variable) { return loop_of(variable).has_value(); });
  return is_of_loops ? std::move(program) : std::nullopt;
}

void Surroundings::compile(const Bindings& bindings) {
  for (Loop& loop : loops) {
    const Bounds bounds = bounds_of(loop.node);
    auto extent = compiled(bounds.extent, bindings);
    // Loops over threads start at zero.
    auto min =
        bounds.min ? compiled(bounds.min, bindings) : std::optional(IndexProgram::constant(0));
    if (!extent || !min) continue;
    loop.counted = CountedLoop{loop_variable(loop.node).id(), std::move(*min), std::move(*extent)};
  }
  for (Test& test : tests) {
    auto expression = compiled(test.constraint.expression, bindings);
    if (!expression) continue;
    std::optional<IndexProgram> other;
    if (test.constraint.test == Constraint::Test::equals) {
      other = compiled(test.constraint.other, bindings);
      if (!other) continue;
    }
    const std::int64_t wanted = test.constraint.test == Constraint::Test::holds ? 1 : 0;
    test.counted = CountedTest{std::move(*expression), wanted, std::move(other)};
  }
}

// Sets that are joined: each loop leads to another one of its group until one leads to itself.
Grouping::Grouping(const Surroundings& around) : around_(around), parent_(around.loops.size()) {
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
  for (const CountedTerm& term : around.terms) {
    loop_of_term_.push_back(connect(std::nullopt, term.expression));
  }
}

/// The loop that the group is known by.
std::size_t Grouping::group_of(std::size_t loop) const {
  while (parent_[loop] != loop) loop = parent_[loop];
  return loop;
}

/// Joins the loops of all variables with `loop`; one of them.
std::optional<std::size_t> Grouping::connect(std::optional<std::size_t> loop,
                                             const IndexProgram& program) {
  for (const tir::NodeId variable : program.variables()) {
    const std::size_t other = *around_.loop_of(variable);
    if (loop) parent_[group_of(*loop)] = group_of(other);
    loop = other;
  }
  return loop;
}

std::vector<std::vector<std::size_t>> Grouping::groups() const {
  std::vector<std::vector<std::size_t>> all;
  for (std::size_t root = 0; root < parent_.size(); ++root) {
    if (group_of(root) != root) continue;
    all.emplace_back();
    for (std::size_t i = 0; i < parent_.size(); ++i) {
      if (group_of(i) == root) all.back().push_back(i);
    }
  }
  return all;
}

std::vector<std::size_t> Grouping::tests_of(const std::vector<std::size_t>& group) const {
  std::vector<std::size_t> tests;
  for (std::size_t i = 0; i < loop_of_test_.size(); ++i) {
    if (loop_of_test_[i] && group_of(*loop_of_test_[i]) == group_of(group[0])) tests.push_back(i);
  }
  return tests;
}

std::vector<std::size_t> Grouping::terms_of(const std::vector<std::size_t>& group) const {
  std::vector<std::size_t> terms;
  for (std::size_t i = 0; i < loop_of_term_.size(); ++i) {
    if (loop_of_term_[i] && group_of(*loop_of_term_[i]) == group_of(group[0])) terms.push_back(i);
  }
  return terms;
}

}  // namespace mlf::analysis
