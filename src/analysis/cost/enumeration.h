// Runs a nest of loops and counts the iterations that meet conditions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/cost/index_program.h"
#include "mlf/analysis/count.h"

namespace mlf::analysis {

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
};

/// A part of a sum.
struct CountedTerm {
  IndexProgram expression;
  std::int64_t factor = 1;
};

class Enumeration {
 public:
  /// The loops from the outside in. All variables of bounds, tests and terms are variables of the
  /// loops, bounds use those of outer loops alone.
  Enumeration(std::vector<CountedLoop> loops, std::vector<CountedTest> tests,
              std::vector<CountedTerm> terms = {});

  /// The number of iterations of the innermost loop in which all tests are met; nothing where an
  /// expression has no value or the steps do not suffice. Takes the steps it needs from `steps`.
  std::optional<std::uint64_t> count(std::uint64_t& steps);
  /// The sums of all terms in those iterations, ascending, each once. Nothing as above, and where a
  /// term has no value or the values are too many.
  std::optional<std::vector<std::int64_t>> values(std::uint64_t& steps);
  /// Iterations of the innermost loop each time it was entered, fewest to most: after `count`.
  Count innermost_extent() const { return innermost_; }

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
  Count innermost_{};
  bool was_entered_ = false;
};

}  // namespace mlf::analysis
