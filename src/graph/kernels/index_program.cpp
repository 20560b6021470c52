#include "graph/kernels/index_program.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "graph/node_queries.h"
#include "support/lookup.h"
#include "tir/integer_arithmetic.h"

namespace mlf::graph {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

namespace {

// Index expressions of real schedules have a few dozen nodes.
constexpr std::size_t kMaxProgramSteps = 4096;

/// Vectors of indices have many values, and floats do not determine iterations.
bool is_integer(tir::DType dtype) {
  return (dtype.is_int() || dtype.is_uint()) && dtype.is_scalar();
}

/// Whether generated code computes the same value: it uses the type that TIR states.
bool is_in_range(std::int64_t value, tir::DType dtype) {
  if (dtype.is_bool()) return value == 0 || value == 1;
  if (dtype.is_uint() && value < 0) return false;
  const int bits = dtype.bits - (dtype.is_int() ? 1 : 0);
  if (bits >= 63) return true;
  const std::int64_t end = std::int64_t{1} << bits;
  return value < end && (dtype.is_uint() || value >= -end);
}

bool is_point(const tir::Interval& range) {
  return range.low == range.high;
}

using tir::range_of_type;

using Range = std::optional<tir::Interval>;

constexpr tir::Interval kAlways{1, 1};
constexpr tir::Interval kNever{0, 0};
constexpr tir::Interval kSometimes{0, 1};

/// The truth values of a comparison that is always true if `holds`, and always false if `fails`.
tir::Interval truth(bool holds, bool fails) {
  return holds ? kAlways : fails ? kNever : kSometimes;
}

/// The truth values of numbers.
tir::Interval truth_of(const tir::Interval& value) {
  return truth(value.low > 0 || value.high < 0, is_point(value) && value.low == 0);
}

tir::Interval opposite(const tir::Interval& value) {
  return {1 - value.high, 1 - value.low};
}

/// The truth values of a comparison, or of `And` and `Or`, between values of these ranges.
tir::Interval range_of_truth(Kind kind, const Range& a, const Range& b) {
  if (!a || !b) return kSometimes;
  switch (kind) {
    case Kind::LT:
      return truth(a->high < b->low, a->low >= b->high);
    case Kind::LE:
      return truth(a->high <= b->low, a->low > b->high);
    case Kind::GT:
      return truth(a->low > b->high, a->high <= b->low);
    case Kind::GE:
      return truth(a->low >= b->high, a->high < b->low);
    case Kind::EQ:
    case Kind::NE: {
      const bool is_one_value = is_point(*a) && is_point(*b) && a->low == b->low;
      const tir::Interval equal = truth(is_one_value, a->high < b->low || b->high < a->low);
      return kind == Kind::EQ ? equal : opposite(equal);
    }
    case Kind::And:
      return {std::min(truth_of(*a).low, truth_of(*b).low),
              std::min(truth_of(*a).high, truth_of(*b).high)};
    case Kind::Or:
      return {std::max(truth_of(*a).low, truth_of(*b).low),
              std::max(truth_of(*a).high, truth_of(*b).high)};
    default:
      return kSometimes;
  }
}

/// As `tir::combine`. A remainder keeps the order of values between two multiples of the divisor.
Range range_of_arithmetic(Kind kind, const Range& a, const Range& b, tir::DType dtype) {
  const bool is_between = (kind == Kind::Mod || kind == Kind::FloorMod) && a && b && is_point(*b) &&
                          b->low > 0 && a->low >= 0 && a->low / b->low == a->high / b->low;
  if (is_between) return tir::Interval{a->low % b->low, a->high % b->low};
  return tir::combine(kind, a, b, dtype);
}

}  // namespace

/// Turns nodes into instructions, children before parents. Each node becomes one instruction, so
/// shared parts stay shared.
class IndexCompiler {
 public:
  explicit IndexCompiler(const Bindings& bindings) : bindings_(bindings) {}

  std::optional<IndexProgram> compile(Node expression) {
    open(expression);
    while (!stack_.empty() && is_possible_) {
      const auto [node, are_parts_done] = stack_.back();
      stack_.pop_back();
      if (done_.contains(tir::index(node.id()))) continue;
      are_parts_done ? finish(node) : enter(node);
    }
    if (!is_possible_) return std::nullopt;
    program_.values_.resize(program_.variables_.size());
    program_.results_.resize(program_.instructions_.size());
    return std::move(program_);
  }

 private:
  using Code = IndexProgram::Code;
  using Instruction = IndexProgram::Instruction;

  void open(Node node) { stack_.emplace_back(node, false); }
  std::uint32_t at(Node node) const { return done_.at(tir::index(node.id())); }

  // The node whose value this one has, if it computes nothing itself.
  Node alias_of(Node node) const {
    if (node.is(Kind::Let)) return node[f::Let::body];
    if (operator_of(node) == "likely" && node.list(f::Call::args).size() == 1) {
      return node.list(f::Call::args)[0];
    }
    return bound_value(node, bindings_);
  }

  /// What a node computes from its operands.
  struct Step {
    Code code = Code::constant;
    std::vector<Node> operands{};  // three at most
  };

  // Iterative, because the input determines the nesting. The limit on instructions ends a let that
  // refers to itself.
  void enter(Node node) {
    if (!node || ++entered_ > kMaxProgramSteps || !tir::is_expr(node.category()) ||
        !is_integer(node.dtype())) {
      is_possible_ = false;
      return;
    }
    stack_.emplace_back(node, true);
    if (const Node alias = alias_of(node)) return open(alias);
    const auto step = step_of(node);
    if (!step) {
      is_possible_ = false;
      return;
    }
    for (const Node operand : step->operands) open(operand);
  }

  // All parts of the node have instructions now.
  void finish(Node node) {
    if (const Node alias = alias_of(node)) {
      done_.emplace(tir::index(node.id()), at(alias));
      return;
    }
    const auto [code, operands] = *step_of(node);
    Instruction instruction{.code = code, .kind = node.kind(), .dtype = node.dtype()};
    if (code == Code::constant) instruction.constant = node.integer(f::IntImm::value);
    if (code == Code::variable) {
      instruction.a = static_cast<std::uint32_t>(program_.variables_.size());
      program_.variables_.push_back(node.id());
    }
    const std::array places{&instruction.a, &instruction.b, &instruction.c};
    for (std::size_t i = 0; i < operands.size(); ++i) *places[i] = at(operands[i]);
    done_.emplace(tir::index(node.id()), static_cast<std::uint32_t>(program_.instructions_.size()));
    program_.instructions_.push_back(instruction);
  }

  /// nullopt for a node that is not understood.
  static std::optional<Step> step_of(Node node) {
    if (is_read(node)) return Step{Code::variable};
    switch (node.kind()) {
      case Kind::IntImm:
        return Step{Code::constant};
      case Kind::Var:
      case Kind::SizeVar:
        return Step{Code::variable};
      case Kind::Cast:
        return Step{Code::cast, {node[f::Cast::value]}};
      case Kind::Not:
        return Step{Code::negation, {node[f::Not::a]}};
      case Kind::Select:
        return Step{Code::choice,
                    {node[f::Select::condition], node[f::Select::true_value],
                     node[f::Select::false_value]}};
      case Kind::Call:
        return step_of_call(operator_of(node), node.list(f::Call::args));
      default:
        if (!tir::is_binary(node.kind())) return std::nullopt;
        return Step{Code::binary, {node[f::Add::a], node[f::Add::b]}};
    }
  }

  /// A value that no loop determines: an element of memory, or a number computed from a
  /// non-integer.
  static bool is_read(Node node) {
    if (node.is(Kind::Cast)) return !is_integer(node[f::Cast::value].dtype());
    return is_load(node);
  }

  static std::optional<Step> step_of_call(std::string_view op, tir::NodeList args) {
    struct Operator {
      std::string_view name;
      Code code;
      std::size_t operands;
    };
    static constexpr auto kOperators =
        std::to_array<Operator>({{"if_then_else", Code::choice, 3},
                                 {"bitwise_not", Code::bit_not, 1},
                                 {"shift_left", Code::shift_left, 2},
                                 {"shift_right", Code::shift_right, 2},
                                 {"bitwise_and", Code::bit_and, 2},
                                 {"bitwise_or", Code::bit_or, 2},
                                 {"bitwise_xor", Code::bit_xor, 2}});
    const auto* const row = std::ranges::find(kOperators, op, &Operator::name);
    if (row == kOperators.end() || args.size() != row->operands) return std::nullopt;
    Step step{row->code};
    for (const Node arg : args) step.operands.push_back(arg);
    return step;
  }

  const Bindings& bindings_;
  IndexProgram program_;
  std::vector<std::pair<Node, bool>> stack_;
  std::unordered_map<std::uint32_t, std::uint32_t> done_;
  std::size_t entered_ = 0;
  bool is_possible_ = true;
};

Node bound_value(Node node, const Bindings& bindings) {
  if (!tir::is_var(node)) return {};
  return support::value_at(bindings, tir::index(node.id())).value_or(Node());
}

std::optional<IndexProgram> IndexProgram::compile(Node expression, const Bindings& bindings) {
  // Most bounds of loops.
  if (const auto number = tir::int_imm_of(expression)) return constant(*number);
  return IndexCompiler(bindings).compile(expression);
}

IndexProgram IndexProgram::truth() && {
  if (!instructions_.back().dtype.is_bool()) {
    instructions_.push_back({.code = Code::cast,
                             .dtype = tir::DType::Bool(),
                             .a = static_cast<std::uint32_t>(instructions_.size() - 1)});
    results_.emplace_back();
  }
  return std::move(*this);
}

IndexProgram IndexProgram::constant(std::int64_t value) {
  IndexProgram program;
  program.instructions_.push_back({.dtype = tir::DType::Int(64), .constant = value});
  program.results_.resize(1);
  return program;
}

// An instruction without a value affects only the instructions that need it: a division by zero in
// a branch that is not taken does not matter.
std::optional<std::int64_t> IndexProgram::run() {
  for (std::size_t i = 0; i < instructions_.size(); ++i) {
    results_[i] = evaluate(instructions_[i]);
    if (results_[i] && !is_in_range(*results_[i], instructions_[i].dtype)) results_[i].reset();
  }
  return results_.back();
}

std::optional<tir::Interval> IndexProgram::range(const RangeOf& range_of) const {
  Ranges ranges;
  for (const Instruction& instruction : instructions_) {
    auto range = range_of_step(instruction, ranges, range_of);
    // A result that overflows its type has no value.
    if (range && (!is_in_range(range->low, instruction.dtype) ||
                  !is_in_range(range->high, instruction.dtype))) {
      range.reset();
    }
    ranges.push_back(range);
  }
  return ranges.back();
}

std::optional<tir::Interval> IndexProgram::range_of_step(const Instruction& instruction,
                                                         const Ranges& ranges,
                                                         const RangeOf& range_of) const {
  const auto& a = ranges.empty() ? std::nullopt
                                 : ranges[std::min<std::size_t>(instruction.a, ranges.size() - 1)];
  switch (instruction.code) {
    case Code::constant:
      return tir::Interval{instruction.constant, instruction.constant};
    case Code::variable: {
      const auto known = range_of(variables_[instruction.a]);
      return known ? known : range_of_type(instruction.dtype);
    }
    case Code::cast:
      if (a && instruction.dtype.is_bool()) return truth_of(*a);
      return a && is_in_range(a->low, instruction.dtype) && is_in_range(a->high, instruction.dtype)
                 ? a
                 : range_of_type(instruction.dtype);
    case Code::negation:
      return a ? opposite(truth_of(*a)) : kSometimes;
    case Code::choice: {
      const auto& b = ranges[instruction.b];
      const auto& c = ranges[instruction.c];
      if (a && is_point(truth_of(*a))) return truth_of(*a).low == 1 ? b : c;
      if (!b || !c) return std::nullopt;
      return tir::Interval{std::min(b->low, c->low), std::max(b->high, c->high)};
    }
    case Code::binary:
      return instruction.dtype.is_bool()
                 ? range_of_truth(instruction.kind, a, ranges[instruction.b])
                 : range_of_arithmetic(instruction.kind, a, ranges[instruction.b],
                                       instruction.dtype);
    case Code::bit_not:
      return range_of_type(instruction.dtype);
    default:
      return range_of_bits(instruction, a, ranges[instruction.b]);
  }
}

/// With a constant on the right, as LowerIntrin and generated C have it in place of divisions.
std::optional<tir::Interval> IndexProgram::range_of_bits(const Instruction& instruction,
                                                         const std::optional<tir::Interval>& a,
                                                         const std::optional<tir::Interval>& b) {
  const auto all = range_of_type(instruction.dtype);
  if (!b || !is_point(*b) || b->low < 0) return all;
  if (a && is_point(*a)) {
    const auto value = bits(instruction.code, a->low, b->low);
    return value ? std::optional(tir::Interval{*value, *value}) : std::nullopt;
  }
  switch (instruction.code) {
    case Code::bit_and: {
      // No result exceeds the mask, and a mask of low bits changes no number below it.
      const bool keeps_all = a && a->low >= 0 && a->high <= b->low && (b->low & (b->low + 1)) == 0;
      return keeps_all ? *a : tir::Interval{0, b->low};
    }
    case Code::shift_left:
    case Code::shift_right: {
      const bool is_left = instruction.code == Code::shift_left;
      if (!a || b->low > 30 || (is_left && a->low < 0)) return std::nullopt;
      const std::int64_t power = std::int64_t{1} << b->low;
      return tir::combine(is_left ? Kind::Mul : Kind::FloorDiv, *a, {power, power});
    }
    default:
      return all;
  }
}

IndexProgram::IndexValue IndexProgram::evaluate(const Instruction& instruction) const {
  if (instruction.code == Code::constant) return instruction.constant;
  if (instruction.code == Code::variable) return values_[instruction.a];
  const IndexValue& a = results_[instruction.a];
  const IndexValue& b = results_[instruction.b];
  if (instruction.code == Code::binary) return arithmetic(instruction.kind, a, b);
  if (!a) return std::nullopt;
  switch (instruction.code) {
    case Code::cast:
      return instruction.dtype.is_bool() ? *a != 0 : *a;
    case Code::negation:
      return *a == 0;
    case Code::choice:
      // The branch that is not taken need not have a value.
      return *a != 0 ? b : results_[instruction.c];
    case Code::bit_not:
      return ~*a;
    default:
      return b ? bits(instruction.code, *a, *b) : std::nullopt;
  }
}

/// Operations that are undefined in C, such as a left shift of a negative number, have no value.
IndexProgram::IndexValue IndexProgram::bits(Code code, std::int64_t a, std::int64_t b) {
  switch (code) {
    case Code::shift_left:
      if (a < 0 || b < 0 || b > 31 || a >= std::int64_t{1} << 31) return std::nullopt;
      return a << b;
    case Code::shift_right:
      if (b < 0 || b > 63) return std::nullopt;
      return a >> b;
    case Code::bit_and:
      return a & b;
    case Code::bit_or:
      return a | b;
    case Code::bit_xor:
      return a ^ b;
    default:
      return std::nullopt;
  }
}

IndexProgram::IndexValue IndexProgram::arithmetic(Kind kind, const IndexValue& a,
                                                  const IndexValue& b) {
  // One side can determine the result alone.
  if (kind == Kind::And && (a == 0 || b == 0)) return 0;
  if (kind == Kind::Or && ((a && *a != 0) || (b && *b != 0))) return 1;
  if (!a || !b) return std::nullopt;
  const std::int64_t x = *a;
  const std::int64_t y = *b;
  switch (kind) {
    case Kind::EQ:
      return x == y;
    case Kind::NE:
      return x != y;
    case Kind::LT:
      return x < y;
    case Kind::LE:
      return x <= y;
    case Kind::GT:
      return x > y;
    case Kind::GE:
      return x >= y;
    case Kind::And:
      return x != 0 && y != 0;
    case Kind::Or:
      return x != 0 || y != 0;
    default:
      return tir::integer_result(kind, x, y);
  }
}

}  // namespace mlf::graph
