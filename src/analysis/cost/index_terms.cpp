#include "analysis/cost/index_terms.h"

#include <utility>

#include "graph/node_queries.h"

namespace mlf::analysis {
namespace {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

// Indices of real schedules have some dozens of nodes.
constexpr int kMaxNodes = 4096;

/// Sums of such types do not wrap around in generated C: overflow there is an error of the program.
bool is_plain_integer(tir::DType dtype) {
  return dtype.is_int() && dtype.is_scalar() && dtype.bits >= 32;
}

bool add_to(std::int64_t& sum, std::int64_t value, std::int64_t factor) {
  std::int64_t product = 0;
  return !__builtin_mul_overflow(value, factor, &product) &&
         !__builtin_add_overflow(sum, product, &sum);
}

/// What a variable stands for; undefined for one of a loop.
Node value_of(Node node, const graph::Bindings& bindings) {
  const bool is_variable = node.is(Kind::Var) || node.is(Kind::SizeVar);
  const auto bound = is_variable ? bindings.find(tir::index(node.id())) : bindings.end();
  return bound == bindings.end() ? Node() : bound->second;
}

/// A product of something and a number.
std::optional<std::pair<Node, std::int64_t>> scaled(Node product) {
  if (!product.is(Kind::Mul)) return std::nullopt;
  const Node a = product[f::Mul::a];
  const Node b = product[f::Mul::b];
  if (const auto number = graph::integer_of(b)) return std::pair(a, *number);
  if (const auto number = graph::integer_of(a)) return std::pair(b, *number);
  return std::nullopt;
}

}  // namespace

// A stack instead of recursion: nesting is the input's.
bool IndexTerms::add(Node index, std::int64_t factor, const graph::Bindings& bindings) {
  std::vector<std::pair<Node, std::int64_t>> stack{{index, factor}};
  for (int part = 0; !stack.empty(); ++part) {
    if (part == kMaxNodes) return false;
    const auto [node, times] = stack.back();
    stack.pop_back();
    if (!node) return false;
    std::int64_t product = 0;
    if (node.is(Kind::IntImm)) {
      if (!add_to(constant, node.integer(f::IntImm::value), times)) return false;
    } else if (const Node value = value_of(node, bindings)) {
      stack.emplace_back(value, times);
    } else if (!is_plain_integer(node.dtype())) {
      others.push_back({node, times});
    } else if (node.is(Kind::Var) || node.is(Kind::SizeVar)) {
      if (!add_to(variables[node.id()], 1, times)) return false;
    } else if (node.is(Kind::Add) || node.is(Kind::Sub)) {
      stack.emplace_back(node[f::Add::a], times);
      stack.emplace_back(node[f::Add::b], node.is(Kind::Add) ? times : -times);
    } else if (const auto parts = scaled(node);
               parts && !__builtin_mul_overflow(times, parts->second, &product)) {
      stack.emplace_back(parts->first, product);
    } else {
      others.push_back({node, times});
    }
  }
  std::erase_if(variables, [](const auto& one) { return one.second == 0; });
  return true;
}

}  // namespace mlf::analysis
