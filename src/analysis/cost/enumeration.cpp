#include "analysis/cost/enumeration.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace mlf::analysis {
namespace {

// Values that one sum has.
constexpr std::size_t kMaxValues = std::size_t{1} << 20;

void make_unique(std::vector<std::int64_t>& values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

// A test is answered as far out as its variables allow: what it rules out there is never entered.
Enumeration::Enumeration(std::vector<CountedLoop> loops, std::vector<CountedTest> tests,
                         std::vector<CountedTerm> terms)
    : tests_(std::move(tests)), terms_(std::move(terms)) {
  levels_.reserve(loops.size());
  for (CountedLoop& loop : loops) {
    Level level;
    level.loop = std::move(loop);
    levels_.push_back(std::move(level));
  }
  for (Level& level : levels_) {
    connect(level.loop.min);
    connect(level.loop.extent);
  }
  for (std::size_t i = 0; i < tests_.size(); ++i) {
    connect(tests_[i].expression);
    std::size_t level = level_of(tests_[i].expression);
    if (tests_[i].other) {
      connect(*tests_[i].other);
      level = std::max(level, level_of(*tests_[i].other));
    }
    levels_[level].tests.push_back(i);
  }
  for (CountedTerm& term : terms_) connect(term.expression);
}

/// Notes which loops give the variables of a program their values.
void Enumeration::connect(IndexProgram& program) {
  for (std::size_t slot = 0; slot < program.variables().size(); ++slot) {
    for (Level& level : levels_) {
      if (level.loop.variable == program.variables()[slot]) level.uses.push_back({&program, slot});
    }
  }
}

/// The innermost loop that the program needs a value of.
std::size_t Enumeration::level_of(const IndexProgram& program) const {
  std::size_t innermost = 0;
  for (const tir::NodeId variable : program.variables()) {
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      if (levels_[i].loop.variable == variable) innermost = std::max(innermost, i);
    }
  }
  return innermost;
}

bool Enumeration::spend(std::uint64_t& steps, std::size_t amount) {
  if (steps < amount) return false;
  steps -= amount;
  return true;
}

/// Starts a loop over, with the bounds that outer variables give it now.
bool Enumeration::enter(Level& level, std::uint64_t& steps) {
  CountedLoop& loop = level.loop;
  if (!spend(steps, loop.min.size() + loop.extent.size())) return false;
  const auto min = loop.min.run();
  const auto extent = loop.extent.run();
  if (!min || !extent) return false;
  level.next = *min;
  level.left = std::max<std::int64_t>(*extent, 0);
  // The last value of the variable has to be a number as well.
  if (level.left > 0 && *min > std::numeric_limits<std::int64_t>::max() - (level.left - 1)) {
    return false;
  }
  if (&level == &levels_.back()) {
    const auto iterations = static_cast<std::uint64_t>(level.left);
    innermost_.min = was_entered_ ? std::min(innermost_.min, iterations) : iterations;
    innermost_.max = was_entered_ ? std::max(*innermost_.max, iterations) : iterations;
    was_entered_ = true;
  }
  return true;
}

/// Goes to the next iteration of a loop that has one left.
Enumeration::Answer Enumeration::advance(Level& level, std::uint64_t& steps) {
  if (!spend(steps, 1)) return Answer::none;
  for (const Use& use : level.uses) use.program->set(use.slot, level.next);
  if (--level.left > 0) ++level.next;
  for (const std::size_t i : level.tests) {
    CountedTest& test = tests_[i];
    if (!spend(steps, test.expression.size())) return Answer::none;
    const auto value = test.expression.run();
    const auto wanted = test.other ? test.other->run() : std::optional(test.wanted);
    if (!value || !wanted) return Answer::none;
    if (*value != *wanted) return Answer::not_met;
  }
  return Answer::met;
}

std::optional<std::uint64_t> Enumeration::count(std::uint64_t& steps) {
  return run(steps, [] { return true; });
}

std::optional<std::vector<std::int64_t>> Enumeration::values(std::uint64_t& steps) {
  std::vector<std::int64_t> values;
  const auto count = run(steps, [&] { return add_value(values, steps); });
  if (!count) return std::nullopt;
  if (terms_.empty() && *count > 0) return std::vector<std::int64_t>{0};
  make_unique(values);
  return values;
}

bool Enumeration::add_value(std::vector<std::int64_t>& values, std::uint64_t& steps) {
  std::int64_t sum = 0;
  for (CountedTerm& term : terms_) {
    if (!spend(steps, term.expression.size())) return false;
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
  // Many iterations have the same value.
  make_unique(values);
  return values.size() <= kMaxValues;
}

// An odometer: `depth` is the loop that moves. Depth of nesting is the input's, so nothing
// recurses. `visit` is called in every iteration that counts, unless only their number is asked
// for, and ends the run with false.
template <class Visit>
std::optional<std::uint64_t> Enumeration::run(std::uint64_t& steps, Visit visit) {
  std::uint64_t iterations = 0;
  if (levels_.empty() || !enter(levels_[0], steps)) return std::nullopt;
  std::size_t depth = 0;
  while (true) {
    Level& level = levels_[depth];
    const bool is_innermost = depth + 1 == levels_.size();
    if (is_innermost && level.tests.empty() && terms_.empty()) {
      // Every iteration counts: no need to run them.
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
    const Answer answer = advance(level, steps);
    if (answer == Answer::none) return std::nullopt;
    if (answer == Answer::not_met) continue;
    if (is_innermost) {
      if (!visit()) return std::nullopt;
      ++iterations;
    } else if (!enter(levels_[++depth], steps)) {
      return std::nullopt;
    }
  }
}

}  // namespace mlf::analysis
