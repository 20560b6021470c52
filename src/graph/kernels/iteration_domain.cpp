#include "graph/kernels/iteration_domain.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "graph/node_queries.h"
#include "support/numbers.h"

namespace mlf::graph {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

namespace {

// The most parts of one condition. Conditions of padding have four; real ones rarely have more than
// a dozen.
constexpr std::size_t kMaxParts = 512;

Constraint::Test opposite(Constraint::Test test) {
  return test == Constraint::Test::holds ? Constraint::Test::fails : Constraint::Test::holds;
}

}  // namespace

// `likely` is a hint for the loop partitioning pass and does not change the value.
void split(const Constraint& whole, std::vector<Constraint>& into) {
  std::vector<Constraint> stack{whole};
  while (!stack.empty()) {
    const Constraint one = stack.back();
    stack.pop_back();
    const Node node = one.expression;
    const bool is_split = (one.test == Constraint::Test::holds && node.is(Kind::And)) ||
                          (one.test == Constraint::Test::fails && node.is(Kind::Or));
    if (operator_of(node) == "likely" && node.list(f::Call::args).size() == 1) {
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

// Its extent is the value; its variable is that of the IterVar.
bool is_thread_loop(Node statement) {
  if (!statement.is(Kind::AttrStmt) || !statement[f::AttrStmt::node].is(Kind::IterVar))
    return false;
  const std::string_view key = statement.text(f::AttrStmt::attr_key);
  return key == "thread_extent" || key == "virtual_thread";
}

LoopBounds bounds_of(Node loop) {
  if (loop.is(Kind::For)) return {loop[f::For::min], loop[f::For::extent]};
  return {{}, loop[f::AttrStmt::value]};
}

Node loop_variable(Node loop) {
  if (loop.is(Kind::For)) return loop[f::For::loop_var];
  return loop[f::AttrStmt::node][f::IterVar::var];
}

std::optional<std::uint64_t> constant_extent(Node loop) {
  const auto extent = integer_of(bounds_of(loop).extent);
  if (!extent) return std::nullopt;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(*extent, 0));
}

// From the inside out: shared code may be in the same loop twice.
std::optional<std::size_t> IterationDomain::loop_of(tir::NodeId variable) const {
  for (std::size_t i = loops.size(); i-- > 0;) {
    if (loop_variable(loops[i].node).id() == variable) return i;
  }
  return std::nullopt;
}

std::optional<IndexProgram> IterationDomain::compiled(Node expression,
                                                      const Bindings& bindings) const {
  auto program = IndexProgram::compile(expression, bindings);
  const bool is_of_loops =
      program && std::all_of(program->variables().begin(), program->variables().end(),
                             [&](tir::NodeId variable) { return loop_of(variable).has_value(); });
  return is_of_loops ? std::move(program) : std::nullopt;
}

bool IterationDomain::add_term(Node expression, std::int64_t factor, const Bindings& bindings) {
  auto program = compiled(expression, bindings);
  if (!program) return false;
  terms.push_back({*std::move(program), factor});
  return true;
}

void IterationDomain::compile(const Bindings& bindings) {
  for (Loop& loop : loops) {
    const LoopBounds bounds = bounds_of(loop.node);
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
    if (test.constraint.test == Constraint::Test::equals) {
      auto other = compiled(test.constraint.other, bindings);
      if (other) test.counted = CountedTest{*std::move(expression), 0, std::move(other)};
    } else {
      const std::int64_t wanted = test.constraint.test == Constraint::Test::holds ? 1 : 0;
      test.counted = CountedTest{(*std::move(expression)).truth(), wanted};
    }
  }
}

namespace {

/// Groups of joined loops: each loop refers to another one of its group; the representative refers
/// to itself.
class JoinedLoops {
 public:
  explicit JoinedLoops(const IterationDomain& domain)
      : domain_(domain), parent_(domain.loops.size()) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }

  /// The representative loop of a group.
  std::size_t group_of(std::size_t loop) const {
    while (parent_[loop] != loop) loop = parent_[loop];
    return loop;
  }
  /// Joins the loops of all variables with `loop`. Returns one of them.
  std::optional<std::size_t> join(std::optional<std::size_t> loop, const IndexProgram& program) {
    for (const tir::NodeId variable : program.variables()) {
      const std::size_t other = *domain_.loop_of(variable);
      if (loop) parent_[group_of(*loop)] = group_of(other);
      loop = other;
    }
    return loop;
  }

 private:
  const IterationDomain& domain_;
  std::vector<std::size_t> parent_;
};

}  // namespace

std::vector<IterationDomain::Group> IterationDomain::groups() const {
  JoinedLoops joined(*this);
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (!loops[i].counted) continue;
    joined.join(i, loops[i].counted->min);
    joined.join(i, loops[i].counted->extent);
  }
  // A loop of each test and term that has variables.
  std::vector<std::optional<std::size_t>> loop_of_test(tests.size());
  for (std::size_t i = 0; i < tests.size(); ++i) {
    if (!tests[i].counted) continue;
    loop_of_test[i] = joined.join(std::nullopt, tests[i].counted->expression);
    const auto& other = tests[i].counted->other;
    if (other) loop_of_test[i] = joined.join(loop_of_test[i], *other);
  }
  std::vector<std::optional<std::size_t>> loop_of_term;
  for (const CountedTerm& term : terms) {
    loop_of_term.push_back(joined.join(std::nullopt, term.expression));
  }
  std::vector<Group> by_loop(loops.size());
  for (std::size_t i = 0; i < loops.size(); ++i) by_loop[joined.group_of(i)].loops.push_back(i);
  for (std::size_t i = 0; i < tests.size(); ++i) {
    if (loop_of_test[i]) by_loop[joined.group_of(*loop_of_test[i])].tests.push_back(i);
  }
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (loop_of_term[i]) by_loop[joined.group_of(*loop_of_term[i])].terms.push_back(i);
  }
  std::erase_if(by_loop, [](const Group& group) { return group.loops.empty(); });
  return by_loop;
}

std::optional<CountedNest> IterationDomain::nest_of(const Group& group) const {
  CountedNest nest;
  for (const std::size_t i : group.loops) {
    if (!loops[i].counted) return std::nullopt;
    nest.loops.push_back(*loops[i].counted);
  }
  for (const std::size_t i : group.tests) {
    if (!tests[i].counted) return std::nullopt;
    nest.tests.push_back(*tests[i].counted);
  }
  for (const std::size_t i : group.terms) nest.terms.push_back(terms[i]);
  return nest;
}

std::optional<CountedNest> IterationDomain::nest() const {
  // A variable that is bound again has two values.
  std::set<tir::NodeId> variables;
  for (const Loop& loop : loops) variables.insert(loop_variable(loop.node).id());
  if (variables.size() != loops.size()) return std::nullopt;
  return nest_of({support::positions(loops.size()), support::positions(tests.size()),
                  support::positions(terms.size())});
}

// --- Running loops -------------------------------------------------------------------------------

bool CountedTest::has_variables() const {
  return !expression.variables().empty() || (other && !other->variables().empty());
}

std::optional<bool> CountedTest::is_met() {
  const auto value = expression.run();
  const auto compared = other ? other->run() : std::optional(wanted);
  return value && compared ? std::optional(*value == *compared) : std::nullopt;
}

namespace {

// The most values of one sum.
constexpr std::size_t kMaxValues = std::size_t{1} << 20;

void make_unique(std::vector<std::int64_t>& values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

/// Evaluates a test in the outermost loop that its variables allow, so inner loops of failed tests
/// never run.
class Enumeration {
 public:
  Enumeration(CountedNest nest, std::uint64_t& steps)
      : steps_(steps), tests_(std::move(nest.tests)), terms_(std::move(nest.terms)) {
    if (nest.loops.empty()) {
      nest.loops.push_back({{}, IndexProgram::constant(0), IndexProgram::constant(1)});
    }
    for (CountedLoop& loop : nest.loops) levels_.push_back({.loop = std::move(loop)});
    for (Level& level : levels_) {
      connect(level.loop.min);
      connect(level.loop.extent);
    }
    for (std::size_t i = 0; i < tests_.size(); ++i) {
      std::size_t level = connect(tests_[i].expression);
      if (tests_[i].other) level = std::max(level, connect(*tests_[i].other));
      levels_[level].tests.push_back(i);
    }
    for (CountedTerm& term : terms_) connect(term.expression);
  }
  // Uses refer to programs by address.
  Enumeration(const Enumeration&) = delete;

  std::optional<CountedIterations> count() {
    const auto count = run([] { return true; });
    return count ? std::optional(CountedIterations{*count, innermost_}) : std::nullopt;
  }

  std::optional<std::vector<std::int64_t>> values() {
    std::vector<std::int64_t> values;
    const auto count = run([&] { return add_value(values); });
    if (!count) return std::nullopt;
    if (terms_.empty() && *count > 0) return std::vector<std::int64_t>{0};
    make_unique(values);
    return values;
  }

 private:
  struct Use {
    IndexProgram* program;
    std::size_t slot;
  };
  struct Level {
    CountedLoop loop;
    std::vector<Use> uses{};           // the uses of its variable
    std::vector<std::size_t> tests{};  // tests whose variables are all known from here on
    std::int64_t next = 0;
    std::int64_t left = 0;
  };
  enum class Answer : std::uint8_t { met, not_met, none };

  /// Notes the loops that determine the variables of a program. Returns the innermost one.
  std::size_t connect(IndexProgram& program) {
    std::size_t innermost = 0;
    for (std::size_t slot = 0; slot < program.variables().size(); ++slot) {
      for (std::size_t i = 0; i < levels_.size(); ++i) {
        if (levels_[i].loop.variable != program.variables()[slot]) continue;
        levels_[i].uses.push_back({&program, slot});
        innermost = std::max(innermost, i);
      }
    }
    return innermost;
  }

  bool spend(std::size_t amount) {
    if (steps_ < amount) return false;
    steps_ -= amount;
    return true;
  }

  /// Restarts a loop with its bounds for the present outer variables.
  bool enter(Level& level) {
    CountedLoop& loop = level.loop;
    if (!spend(loop.min.size() + loop.extent.size())) return false;
    const auto min = loop.min.run();
    const auto extent = loop.extent.run();
    if (!min || !extent) return false;
    level.next = *min;
    level.left = std::max<std::int64_t>(*extent, 0);
    // The last value of the variable must also be representable.
    if (level.left > 0 && *min > std::numeric_limits<std::int64_t>::max() - (level.left - 1)) {
      return false;
    }
    if (&level == &levels_.back()) {
      innermost_.low = was_entered_ ? std::min(innermost_.low, level.left) : level.left;
      innermost_.high = was_entered_ ? std::max(innermost_.high, level.left) : level.left;
      was_entered_ = true;
    }
    return true;
  }

  /// Advances to the next iteration of a loop with iterations left.
  Answer advance(Level& level) {
    if (!spend(1)) return Answer::none;
    for (const Use& use : level.uses) use.program->set(use.slot, level.next);
    if (--level.left > 0) ++level.next;
    for (const std::size_t i : level.tests) {
      CountedTest& test = tests_[i];
      const std::size_t other = test.other ? test.other->size() : 0;
      if (!spend(test.expression.size() + other)) return Answer::none;
      const auto is_met = test.is_met();
      if (!is_met) return Answer::none;
      if (!*is_met) return Answer::not_met;
    }
    return Answer::met;
  }

  bool add_value(std::vector<std::int64_t>& values) {
    std::int64_t sum = 0;
    for (CountedTerm& term : terms_) {
      if (!spend(term.expression.size())) return false;
      const auto value = term.expression.run();
      std::int64_t part = 0;
      if (!value || __builtin_mul_overflow(*value, term.factor, &part) ||
          __builtin_add_overflow(sum, part, &sum)) {
        return false;
      }
    }
    if (!values.empty() && values.back() == sum) return true;
    values.push_back(sum);
    if (values.size() < 2 * kMaxValues) return true;
    // Many iterations give the same value.
    make_unique(values);
    return values.size() <= kMaxValues;
  }

  // Works like an odometer: `depth` is the loop that advances. Does not recurse, because the input
  // determines the depth of nesting. Calls `visit` in every iteration that counts, unless only
  // their number is needed; `visit` returns false to end the run.
  template <class Visit>
  std::optional<std::uint64_t> run(Visit visit) {
    std::uint64_t iterations = 0;
    if (levels_.empty() || !enter(levels_[0])) return std::nullopt;
    std::size_t depth = 0;
    while (true) {
      Level& level = levels_[depth];
      const bool is_innermost = depth + 1 == levels_.size();
      if (is_innermost && level.tests.empty() && terms_.empty()) {
        // Every iteration counts, so they need not run.
        iterations += static_cast<std::uint64_t>(level.left);
        if (iterations > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
          return std::nullopt;
        }
        level.left = 0;
      }
      if (level.left == 0) {
        if (depth == 0) return iterations;
        --depth;
        continue;
      }
      const Answer answer = advance(level);
      if (answer == Answer::none) return std::nullopt;
      if (answer == Answer::not_met) continue;
      if (is_innermost) {
        if (!visit()) return std::nullopt;
        ++iterations;
      } else if (!enter(levels_[++depth])) {
        return std::nullopt;
      }
    }
  }

  std::uint64_t& steps_;
  std::vector<Level> levels_;
  std::vector<CountedTest> tests_;
  std::vector<CountedTerm> terms_;
  tir::Interval innermost_{0, 0};
  bool was_entered_ = false;
};

}  // namespace

std::optional<CountedIterations> count_iterations(CountedNest nest, std::uint64_t& steps) {
  return Enumeration(std::move(nest), steps).count();
}

std::optional<std::vector<std::int64_t>> values_in(CountedNest nest, std::uint64_t& steps) {
  return Enumeration(std::move(nest), steps).values();
}

}  // namespace mlf::graph
