// The iterations of loops in which conditions hold: what they depend on, which loops have to be run
// together, and the run itself.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/kernels/index_program.h"
#include "mlf/tir/module.h"

namespace mlf::graph {

/// What an expression has to come to.
struct Constraint {
  enum class Test : std::uint8_t { holds, fails, equals };
  tir::Node expression;
  Test test = Test::holds;
  tir::Node other{};  ///< of `equals`
};

/// Splits a constraint into some that are about fewer variables each: `a && b` is two, and so is
/// that `a || b` fails.
void split(const Constraint& whole, std::vector<Constraint>& into);

/// Whether an attribute statement is a loop over the threads of a device.
bool is_thread_loop(tir::Node statement);

/// The variable that a loop counts; of a For or a thread loop.
tir::Node loop_variable(tir::Node loop);

/// Iterations of a loop if its extent is a number; none of a negative one.
std::optional<std::uint64_t> constant_extent(tir::Node loop);

/// A loop whose bounds are integer expressions of outer loop variables.
struct CountedLoop {
  tir::NodeId variable{};
  IndexProgram min;
  IndexProgram extent;
};

/// A condition on loop variables.
struct CountedTest {
  IndexProgram expression;
  std::int64_t wanted = 1;              ///< of a truth value: 1 or 0
  std::optional<IndexProgram> other{};  ///< where two expressions have to be equal

  bool has_variables() const;
  /// Whether it is met with the present values of its variables; nothing if an expression has
  /// no value.
  std::optional<bool> is_met();
};

/// A part of a sum.
struct CountedTerm {
  IndexProgram expression;
  std::int64_t factor = 1;
};

/// Loops from the outside in, and what is asked in each iteration of the innermost one. All
/// variables of bounds, tests and terms are variables of the loops, bounds use those of outer loops
/// alone.
struct CountedNest {
  std::vector<CountedLoop> loops{};
  std::vector<CountedTest> tests{};
  std::vector<CountedTerm> terms{};
};

/// Runs a nest of loops.
class Enumeration {
 public:
  /// Without loops there is one iteration.
  explicit Enumeration(CountedNest nest);
  // Programs are connected by their addresses.
  Enumeration(const Enumeration&) = delete;
  Enumeration(Enumeration&&) = default;

  /// The number of iterations of the innermost loop in which all tests are met; nothing if an
  /// expression has no value or the steps do not suffice. Takes the steps it needs from `steps`.
  std::optional<std::uint64_t> count(std::uint64_t& steps);
  /// The sums of all terms in those iterations, ascending, each once. Nothing as above, and where a
  /// term has no value or the values are too many.
  std::optional<std::vector<std::int64_t>> values(std::uint64_t& steps);
  /// Iterations of the innermost loop each time it was entered, fewest to most: after `count`.
  tir::Interval innermost_extent() const { return innermost_; }

 private:
  struct Use {
    IndexProgram* program;
    std::size_t slot;
  };
  struct Level {
    CountedLoop loop;
    std::vector<Use> uses{};           // where its variable is read
    std::vector<std::size_t> tests{};  // those that can be answered from here on
    std::int64_t next = 0;
    std::int64_t left = 0;
  };
  enum class Answer : std::uint8_t { met, not_met, none };

  void connect(IndexProgram& program);
  std::size_t level_of(const IndexProgram& program) const;
  bool enter(Level& level, std::uint64_t& steps);
  Answer advance(Level& level, std::uint64_t& steps);
  template <class Visit>
  std::optional<std::uint64_t> run(std::uint64_t& steps, Visit visit);
  bool add_value(std::vector<std::int64_t>& values, std::uint64_t& steps);
  static bool spend(std::uint64_t& steps, std::size_t amount);

  std::vector<Level> levels_;
  std::vector<CountedTest> tests_;
  std::vector<CountedTerm> terms_;
  tir::Interval innermost_{0, 0};
  bool was_entered_ = false;
};

/// Loops and constraints around a place in a function, from the outside in.
struct IterationDomain {
  struct Loop {
    tir::Node node;
    std::optional<CountedLoop> counted{};  ///< nothing: its bounds depend on data
  };
  struct Test {
    Constraint constraint;
    std::optional<CountedTest> counted{};  ///< nothing: it depends on data
  };
  /// Loops that a bound, a test or a term connects, as positions in ascending order.
  struct Group {
    std::vector<std::size_t> loops{};
    std::vector<std::size_t> tests{};
    std::vector<std::size_t> terms{};
  };

  std::vector<Loop> loops{};
  std::vector<Test> tests{};
  std::vector<CountedTerm> terms{};  ///< of a sum whose values are asked for, of these loops

  /// Compiles bounds and constraints as far as loop variables are all that they depend on.
  void compile(const Bindings& bindings);
  /// Position of the loop that counts a variable; nothing if none does.
  std::optional<std::size_t> loop_of(tir::NodeId variable) const;
  /// The expression as a program, if variables of these loops are all that it depends on.
  std::optional<IndexProgram> compiled(tir::Node expression, const Bindings& bindings) const;

  /// Loops that nothing connects are independent: their numbers of iterations multiply, and only
  /// what is in one group has to be run together. Tests and terms without variables are in none.
  std::vector<Group> groups() const;
  /// One group; nothing if a bound or a test of it depends on data.
  std::optional<CountedNest> nest_of(const Group& group) const;
};

}  // namespace mlf::graph
