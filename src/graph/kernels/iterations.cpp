#include "graph/kernels/iterations.h"

#include "graph/node_queries.h"
#include "mlf/tir/visit.h"

namespace mlf::graph {
namespace {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

// Beyond that many iterations the answer is not worth its time.
constexpr std::int64_t kMaxIterations = 1 << 20;
constexpr int kMaxHeight = 64;  // of an index expression

// TIR's FloorDiv rounds down, Div towards zero as C does.
std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

std::optional<std::int64_t> divide(Kind kind, std::int64_t a, std::int64_t b) {
  if (b == 0 || (b == -1 && a == INT64_MIN)) return std::nullopt;
  switch (kind) {
    case Kind::Div:
      return a / b;
    case Kind::Mod:
      return a % b;
    case Kind::FloorDiv:
      return floor_div(a, b);
    default:
      return a - floor_div(a, b) * b;
  }
}

std::optional<std::int64_t> arithmetic(Kind kind, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  switch (kind) {
    case Kind::Add:
      return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case Kind::Sub:
      return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case Kind::Mul:
      return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case Kind::Div:
    case Kind::Mod:
    case Kind::FloorDiv:
    case Kind::FloorMod:
      return divide(kind, a, b);
    case Kind::LT:
      return a < b ? 1 : 0;
    case Kind::LE:
      return a <= b ? 1 : 0;
    case Kind::GT:
      return a > b ? 1 : 0;
    case Kind::GE:
      return a >= b ? 1 : 0;
    case Kind::And:
      return a != 0 && b != 0 ? 1 : 0;
    default:
      return std::nullopt;
  }
}

/// Operators that are calls: what LowerIntrin and generated C have in place of divisions.
std::optional<std::int64_t> call_of(std::string_view op, std::int64_t a, std::int64_t b) {
  const bool shifts = b >= 0 && b < 63;
  if (op == "shift_right" && shifts) return a >> b;
  if (op == "shift_left" && shifts) return arithmetic(Kind::Mul, a, std::int64_t{1} << b);
  if (op == "bitwise_and") return a & b;
  if (op == "bitwise_or") return a | b;
  return std::nullopt;
}

std::optional<std::int64_t> number_of_iterations(std::span<const Loop> loops) {
  std::int64_t iterations = 1;
  for (const Loop& loop : loops) {
    if (loop.extent < 1 || loop.extent > kMaxIterations) return std::nullopt;
    iterations *= loop.extent;
    if (iterations > kMaxIterations) return std::nullopt;
  }
  return iterations;
}

/// Gives every loop variable its value in the iteration `i`, and every let what follows from it.
void enter_iteration(std::int64_t i, std::span<const Loop> loops, std::span<const Binding> lets,
                     Evaluator& at) {
  for (const Loop& loop : loops) {
    at.set(loop.var, loop.min + i % loop.extent);
    i /= loop.extent;
  }
  for (const auto& [var, value] : lets) {
    const auto number = at(value);
    number ? at.set(var, *number) : at.forget(var);
  }
}

/// Whether all hold; nothing where that cannot be told.
std::optional<bool> all_hold(std::span<const Node> conditions, Evaluator& at) {
  for (const Node condition : conditions) {
    const auto holds = at(condition);
    if (!holds) return std::nullopt;
    if (*holds == 0) return false;
  }
  return true;
}

}  // namespace

std::optional<Loop> loop_of(Node loop) {
  const auto min = integer_of(loop[f::For::min]);
  const auto extent = integer_of(loop[f::For::extent]);
  if (!min || !extent) return std::nullopt;
  return Loop{loop[f::For::loop_var], *min, *extent};
}

void Evaluator::set(Node var, std::int64_t value) {
  values_.insert_or_assign(tir::index(var.id()), value);
}

void Evaluator::forget(Node var) {
  values_.erase(tir::index(var.id()));
}

std::optional<std::int64_t> Evaluator::operator()(Node expr) {
  return evaluate(expr, kMaxHeight);
}

// The height is bounded (recursion on the input), and so are all steps together: an expression that
// shares its parts can be exponentially larger than its nodes.
std::optional<std::int64_t> Evaluator::evaluate(Node expr, int height) {
  if (height == 0 || --steps_left_ < 0) return std::nullopt;
  expr = without_casts(expr);
  if (expr.is(Kind::IntImm)) return expr.integer(f::IntImm::value);
  if (expr.is(Kind::Var) || expr.is(Kind::SizeVar)) {
    const auto at = values_.find(tir::index(expr.id()));
    return at == values_.end() ? std::nullopt : std::optional(at->second);
  }
  const std::string_view op = operator_of(expr);
  if (!op.empty()) {
    const tir::NodeList args = expr.list(f::Call::args);
    if (op == "likely" && args.size() == 1) return evaluate(args[0], height - 1);
    if (args.size() != 2) return std::nullopt;
    const auto a = evaluate(args[0], height - 1);
    const auto b = a ? evaluate(args[1], height - 1) : std::nullopt;
    return b ? call_of(op, *a, *b) : std::nullopt;
  }
  if (!expr || !tir::is_binary(expr.kind())) return std::nullopt;
  const auto a = evaluate(expr[f::Add::a], height - 1);
  const auto b = a ? evaluate(expr[f::Add::b], height - 1) : std::nullopt;
  return b ? arithmetic(expr.kind(), *a, *b) : std::nullopt;
}

// The iteration number is a number whose digits, each in the base of its extent, are the loop
// variables: one loop runs any nest.
bool for_each_iteration(std::span<const Loop> loops, std::span<const Binding> lets,
                        std::span<const Node> conditions,
                        const std::function<bool(Evaluator&)>& visit) {
  const auto iterations = number_of_iterations(loops);
  if (!iterations) return false;
  Evaluator at;
  for (std::int64_t i = 0; i < *iterations; ++i) {
    enter_iteration(i, loops, lets, at);
    const auto hold = all_hold(conditions, at);
    if (!hold || at.is_exhausted()) return false;
    if (*hold && !visit(at)) return true;
  }
  return true;
}

}  // namespace mlf::graph
