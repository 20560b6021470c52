// The loops and conditions around a place in a function, ready to be run, and which of them have to
// be run together.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/cost/enumeration.h"
#include "analysis/cost/index_program.h"
#include "mlf/tir/module.h"

namespace mlf::analysis {

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

/// Iterations of a loop if its extent is a number; none of a negative one.
std::optional<std::uint64_t> constant_extent(tir::Node loop);

/// Loops and constraints from the outside in.
struct Surroundings {
  struct Loop {
    tir::Node node;
    std::optional<CountedLoop> counted{};  ///< nothing: its bounds depend on data
  };
  struct Test {
    Constraint constraint;
    std::optional<CountedTest> counted{};  ///< nothing: it depends on data
  };
  std::vector<Loop> loops{};
  std::vector<Test> tests{};
  std::vector<CountedTerm> terms{};  ///< of a sum whose values are asked for, of these loops

  /// Compiles bounds and constraints as far as loop variables are all that they depend on.
  void compile(const Bindings& bindings);
  /// Position of the loop that counts a variable; nothing where none does.
  std::optional<std::size_t> loop_of(tir::NodeId variable) const;
  /// The expression as a program, if variables of these loops are all that it depends on.
  std::optional<IndexProgram> compiled(tir::Node expression, const Bindings& bindings) const;
};

/// Which loops a bound, a condition or a term connects. Loops that nothing connects are
/// independent: their numbers of iterations multiply, and only what is connected has to be run
/// together.
class Grouping {
 public:
  explicit Grouping(const Surroundings& around);

  /// The groups, each as positions of loops from the outside in.
  std::vector<std::vector<std::size_t>> groups() const;
  /// The positions of the tests on a group's loops.
  std::vector<std::size_t> tests_of(const std::vector<std::size_t>& group) const;
  /// The positions of the terms on a group's loops. One without variables is in no group.
  std::vector<std::size_t> terms_of(const std::vector<std::size_t>& group) const;
  /// Whether a test is on loops at all: not if it has no variables, or depends on data.
  bool is_on_loops(std::size_t test) const { return loop_of_test_[test].has_value(); }

 private:
  std::size_t group_of(std::size_t loop) const;
  std::optional<std::size_t> connect(std::optional<std::size_t> loop, const IndexProgram& program);

  const Surroundings& around_;
  std::vector<std::size_t> parent_;  // by loop: another one of its group, or itself
  std::vector<std::optional<std::size_t>> loop_of_test_;
  std::vector<std::optional<std::size_t>> loop_of_term_;
};

}  // namespace mlf::analysis
