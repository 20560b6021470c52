// The iterations of loops in which conditions are true: their dependencies, the groups of loops
// that must run together, and the run itself.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/kernels/index_program.h"
#include "mlf/tir/module.h"

namespace mlf::graph {

/// The value that an expression must have.
struct Constraint {
  enum class Test : std::uint8_t { holds, fails, equals };
  tir::Node expression;
  Test test = Test::holds;
  tir::Node other{};  ///< of `equals`
};

/// Splits a constraint into several with fewer variables each: both `a && b` and `!(a || b)` become
/// two.
void split(const Constraint& whole, std::vector<Constraint>& into);

/// Whether an attribute statement is a loop over the threads of a device.
bool is_thread_loop(tir::Node statement);

/// The loop variable of a For or a thread loop.
tir::Node loop_variable(tir::Node loop);

struct LoopBounds {
  tir::Node min;  ///< undefined: 0
  tir::Node extent;
};
LoopBounds bounds_of(tir::Node loop);

/// The number of iterations of a loop with constant extent; 0 for a negative extent.
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
  /// Whether the present values of its variables meet it; nullopt if an expression has no value.
  std::optional<bool> is_met();
};

/// A term of a sum.
struct CountedTerm {
  IndexProgram expression;
  std::int64_t factor = 1;
};

/// Loops from the outside in, with the tests and terms for each iteration of the innermost one.
/// Bounds, tests and terms use only variables of these loops; bounds use only those of outer loops.
struct CountedNest {
  std::vector<CountedLoop> loops{};
  std::vector<CountedTest> tests{};
  std::vector<CountedTerm> terms{};
};

/// Iterations of the innermost loop.
struct CountedIterations {
  std::uint64_t all = 0;
  tir::Interval each{0, 0};  ///< each time that the loop is entered, fewest to most
};

/// Runs a nest of loops; without loops, there is one iteration. Returns the iterations of the
/// innermost loop, of all only those that meet all tests; nullopt if an expression has no value or
/// `steps` do not suffice. Subtracts the steps that it takes from `steps`.
std::optional<CountedIterations> count_iterations(CountedNest nest, std::uint64_t& steps);
/// Returns the sums of all terms in those iterations, ascending, each once; nullopt in the same
/// cases, and if a term has no value or there are too many values.
std::optional<std::vector<std::int64_t>> values_in(CountedNest nest, std::uint64_t& steps);

// Without running them one by one: these look at boxes, a range of each loop, and halve them until
// their tests certainly hold or certainly fail, which takes few steps for affine conditions.

/// The number of iterations of the innermost loop in which all tests hold; nullopt if a bound is
/// not a number, if a test has no value, or if `steps` do not suffice. Subtracts its steps.
std::optional<std::uint64_t> count_in_boxes(const CountedNest& nest, std::uint64_t& steps);

/// The highest value that a sum certainly has in an iteration in which all tests hold.
struct HighestValue {
  bool is_known = false;              ///< false: it may have any value
  std::optional<std::int64_t> value;  ///< nothing, though known: there is no such iteration
};

/// That of the sum of the terms. Subtracts its steps.
HighestValue highest_in_boxes(const CountedNest& nest, std::uint64_t& steps);

/// Loops and constraints around a place in a function, from the outside in.
struct IterationDomain {
  struct Loop {
    tir::Node node;
    std::optional<CountedLoop> counted{};  ///< nothing: its bounds depend on data
  };
  struct Test {
    Constraint constraint{};               ///< without an expression: it is not known
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

  /// Compiles the bounds and constraints that depend only on loop variables.
  void compile(const Bindings& bindings);
  /// Position of the loop with this variable; nullopt if there is none.
  std::optional<std::size_t> loop_of(tir::NodeId variable) const;
  /// Adds a term if it depends only on variables of these loops. Returns whether it does.
  bool add_term(tir::Node expression, std::int64_t factor, const Bindings& bindings);

  /// Unconnected loops are independent: their numbers of iterations multiply, and only the loops of
  /// one group must run together. Tests and terms without variables are in no group.
  std::vector<Group> groups() const;
  /// The nest of one group; nullopt if one of its bounds or tests depends on data.
  std::optional<CountedNest> nest_of(const Group& group) const;
  /// The nest of all loops, tests and terms; nullopt in the same case.
  std::optional<CountedNest> nest() const;

 private:
  /// The expression as a program, if it depends only on variables of these loops.
  std::optional<IndexProgram> compiled(tir::Node expression, const Bindings& bindings) const;
};

}  // namespace mlf::graph
