// Whether a kernel only copies, found out by running its loops.
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/kernels/body_scan.h"
#include "graph/node_queries.h"
#include "mlf/tir/visit.h"

namespace mlf::graph {

// --- Running loops: what indices come to where iterations are few -------------------------------

namespace {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

/// A loop of constant bounds.
struct Loop {
  Node var;
  std::int64_t min;
  std::int64_t extent;
};

/// A variable and its value.
using Binding = std::pair<Node, Node>;

/// Computes integer expressions of variables that have values.
class Evaluator {
 public:
  void set(Node var, std::int64_t value);
  void forget(Node var);
  /// Nothing where the expression holds something else, overflows or is too large.
  std::optional<std::int64_t> operator()(Node expr);
  /// Whether it has done so much that it will not do more.
  bool is_exhausted() const { return steps_left_ < 0; }

 private:
  std::optional<std::int64_t> evaluate(Node expr, int height);

  std::unordered_map<std::uint32_t, std::int64_t> values_;
  std::int64_t steps_left_ = 100'000'000;  // over all iterations: expressions may be shared
};

// Beyond that many iterations the answer is not worth its time.
constexpr std::int64_t kMaxIterations = 1 << 20;
constexpr int kMaxHeight = 64;  // of an index expression

/// TIR's FloorDiv rounds down, Div towards zero as C does.
std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

/// The two cases that C++ leaves undefined have no value here either.
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
    // Cannot overflow: both factors are at most 2^20.
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
    // A value of the last iteration must not survive a let that cannot be computed in this one.
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

/// Nothing where a bound is not constant.
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

/// The height is bounded (recursion on the input), and so are all steps together: an expression
/// that shares its parts can be exponentially larger than its nodes.
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

/// Calls `visit` in every iteration in which all conditions hold, until it returns false. False
/// where the iterations are too many, or where a condition cannot be computed.
/// The number of an iteration is one whose digits, each in the base of its extent, are the loop
/// variables: one loop runs any nest.
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
    // The visitor has seen enough: that is an answer, not a failure.
    if (*hold && !visit(at)) return true;
  }
  return true;
}

}  // namespace

// --- Copies -------------------------------------------------------------------------------------

namespace {

/// The one store of a copying kernel, and the loops around it from the outside in.
struct CopyNest {
  std::vector<Loop> loops;
  std::vector<Node> conditions;
  std::vector<std::pair<Node, Node>> lets;  // variable, value
  Node store;
};

// Goes down a chain of statements; anything beside the chain ends the matter.
std::optional<CopyNest> copy_nest(Node statement) {
  CopyNest nest;
  while (true) {
    switch (statement ? statement.kind() : Kind::Evaluate) {
      case Kind::For: {
        const auto loop = loop_of(statement);
        if (!loop) return std::nullopt;
        nest.loops.push_back(*loop);
        statement = statement[f::For::body];
        break;
      }
      case Kind::IfThenElse:
        // A tail guard of a tiled loop has no other branch.
        if (statement[f::IfThenElse::else_case]) return std::nullopt;
        nest.conditions.push_back(statement[f::IfThenElse::condition]);
        statement = statement[f::IfThenElse::then_case];
        break;
      case Kind::LetStmt:
        nest.lets.emplace_back(statement[f::LetStmt::var], statement[f::LetStmt::value]);
        statement = statement[f::LetStmt::body];
        break;
      case Kind::DeclBuffer:
        statement = statement[f::DeclBuffer::body];
        break;
      case Kind::AttrStmt:
        statement = statement[f::AttrStmt::body];
        break;
      case Kind::SeqStmt:
        if (statement.list(f::SeqStmt::seq).size() != 1) return std::nullopt;
        statement = statement.list(f::SeqStmt::seq)[0];
        break;
      case Kind::BufferStore:
      case Kind::Store:
        nest.store = statement;
        return nest;
      default:
        return std::nullopt;
    }
  }
}

struct ElementAccess {
  Node data;
  Node index;
};

ElementAccess single_access(Node data, tir::NodeList indices) {
  return indices.size() == 1 ? ElementAccess{data, indices[0]} : ElementAccess{};
}

ElementAccess stored(Node store) {
  if (store.is(Kind::Store)) return {store[f::Store::buffer_var], store[f::Store::index]};
  return single_access(store[f::BufferStore::buffer][f::Buffer::data],
                       store.list(f::BufferStore::indices));
}

ElementAccess loaded(Node store) {
  const Node value = store.is(Kind::Store) ? store[f::Store::value] : store[f::BufferStore::value];
  if (value.is(Kind::Load)) return {value[f::Load::buffer_var], value[f::Load::index]};
  if (!value.is(Kind::BufferLoad)) return {};
  return single_access(value[f::BufferLoad::buffer][f::Buffer::data],
                       value.list(f::BufferLoad::indices));
}

/// Whether both indices come to the same element in every iteration.
bool agree_everywhere(const CopyNest& nest, Node to, Node from) {
  bool agree = true;
  const bool known = for_each_iteration(nest.loops, nest.lets, nest.conditions, [&](Evaluator& at) {
    const auto a = at(to);
    const auto b = at(from);
    agree = a && b && *a == *b;
    return agree;
  });
  return known && agree;
}

}  // namespace

// The same variable as both indices needs no running. v0.9 and v0.10 flatten buffers, so that the
// two sides of a reshape have different expressions for one element.
bool copies_in_order(Node function) {
  const auto nest = copy_nest(function[f::PrimFunc::body]);
  if (!nest) return false;
  const ElementAccess to = stored(nest->store);
  const ElementAccess from = loaded(nest->store);
  // Within one tensor a copy is a move of its elements, not another view of them.
  if (!to.index || !from.index || to.data == from.data) return false;
  if (to.index == from.index) return true;
  return agree_everywhere(*nest, to.index, from.index);
}

}  // namespace mlf::graph
