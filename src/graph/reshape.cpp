#include "graph/reshape.h"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "graph/nodes.h"
#include "mlf/tir/visit.h"

namespace mlf::graph {
namespace {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

constexpr std::int64_t kMaxIterations = 1 << 20;
constexpr int kMaxHeight = 64;                   // of an index expression
constexpr std::int64_t kMaxSteps = 100'000'000;  // over all iterations: expressions may be shared

struct Loop {
  Node var;
  std::int64_t min;
  std::int64_t extent;
};

/// The one store of a copying kernel, and the loops around it from the outside in.
struct CopyNest {
  std::vector<Loop> loops;
  std::vector<Node> conditions;
  std::vector<std::pair<Node, Node>> lets;  // variable, value
  Node store;
};

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

/// Computes integer expressions of variables that have values.
class Evaluator {
 public:
  void set(Node var, std::int64_t value) { values_.insert_or_assign(tir::index(var.id()), value); }
  std::optional<std::int64_t> operator()(Node expr) { return evaluate(expr, kMaxHeight); }

 private:
  std::optional<std::int64_t> evaluate(Node expr, int height);

  std::unordered_map<std::uint32_t, std::int64_t> values_;
  std::int64_t steps_left_ = kMaxSteps;
};

std::optional<std::int64_t> Evaluator::evaluate(Node expr, int height) {
  if (height == 0 || --steps_left_ < 0) return std::nullopt;
  expr = without_casts(expr);
  if (expr.is(Kind::IntImm)) return expr.integer(f::IntImm::value);
  if (expr.is(Kind::Var) || expr.is(Kind::SizeVar)) {
    const auto at = values_.find(tir::index(expr.id()));
    return at == values_.end() ? std::nullopt : std::optional(at->second);
  }
  if (operator_of(expr) == "likely" && expr.list(f::Call::args).size() == 1) {
    return evaluate(expr.list(f::Call::args)[0], height - 1);
  }
  if (!expr || !tir::is_binary(expr.kind())) return std::nullopt;
  const auto a = evaluate(expr[f::Add::a], height - 1);
  const auto b = a ? evaluate(expr[f::Add::b], height - 1) : std::nullopt;
  return b ? arithmetic(expr.kind(), *a, *b) : std::nullopt;
}

std::optional<Loop> loop_of(Node loop) {
  const auto min = integer_of(loop[f::For::min]);
  const auto extent = integer_of(loop[f::For::extent]);
  if (!min || !extent) return std::nullopt;
  return Loop{loop[f::For::loop_var], *min, *extent};
}

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

struct Access {
  Node data;
  Node index;
};

Access single_access(Node data, tir::NodeList indices) {
  return indices.size() == 1 ? Access{data, indices[0]} : Access{};
}

Access stored(Node store) {
  if (store.is(Kind::Store)) return {store[f::Store::buffer_var], store[f::Store::index]};
  return single_access(store[f::BufferStore::buffer][f::Buffer::data],
                       store.list(f::BufferStore::indices));
}

Access loaded(Node store) {
  const Node value = store.is(Kind::Store) ? store[f::Store::value] : store[f::BufferStore::value];
  if (value.is(Kind::Load)) return {value[f::Load::buffer_var], value[f::Load::index]};
  if (!value.is(Kind::BufferLoad)) return {};
  return single_access(value[f::BufferLoad::buffer][f::Buffer::data],
                       value.list(f::BufferLoad::indices));
}

/// Whether the indices agree in one iteration; nothing where that cannot be told.
std::optional<bool> agree(const CopyNest& nest, Node to, Node from, Evaluator& value_of) {
  for (const auto& [var, value] : nest.lets) {
    const auto number = value_of(value);
    if (number) value_of.set(var, *number);
  }
  for (const Node condition : nest.conditions) {
    const auto holds = value_of(condition);
    if (!holds) return std::nullopt;
    if (*holds == 0) return true;
  }
  const auto a = value_of(to);
  const auto b = value_of(from);
  if (!a || !b) return std::nullopt;
  return *a == *b;
}

bool agree_everywhere(const CopyNest& nest, Node to, Node from) {
  std::int64_t iterations = 1;
  for (const Loop& loop : nest.loops) {
    if (loop.extent < 1 || loop.extent > kMaxIterations) return false;
    iterations *= loop.extent;
    if (iterations > kMaxIterations) return false;
  }
  Evaluator value_of;
  for (std::int64_t i = 0; i < iterations; ++i) {
    std::int64_t rest = i;
    for (const Loop& loop : nest.loops) {
      value_of.set(loop.var, loop.min + rest % loop.extent);
      rest /= loop.extent;
    }
    if (!agree(nest, to, from, value_of).value_or(false)) return false;
  }
  return true;
}

}  // namespace

bool copies_in_order(Node function) {
  const auto nest = copy_nest(function[f::PrimFunc::body]);
  if (!nest) return false;
  const Access to = stored(nest->store);
  const Access from = loaded(nest->store);
  if (!to.index || !from.index || to.data == from.data) return false;
  if (to.index == from.index) return true;
  return agree_everywhere(*nest, to.index, from.index);
}

}  // namespace mlf::graph
