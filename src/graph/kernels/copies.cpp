// Decides whether a kernel only copies, by running its loops.
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "graph/kernels/body_scan.h"
#include "graph/kernels/iteration_domain.h"
#include "graph/kernels/memories.h"
#include "graph/node_queries.h"

namespace mlf::graph {
namespace {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

// With more iterations, the result is not worth the time.
constexpr std::uint64_t kMaxIterations = 1 << 20;
constexpr std::uint64_t kMaxSteps = 100'000'000;

/// The only store of a copying kernel, and the loops around it from the outside in.
struct CopyNest {
  IterationDomain domain;
  Bindings lets;
  Node store;
};

// Follows a chain of statements; fails at any other statement.
std::optional<CopyNest> copy_nest(Node statement) {
  CopyNest nest;
  while (true) {
    switch (statement ? statement.kind() : Kind::Evaluate) {
      case Kind::For:
        nest.domain.loops.push_back({statement});
        statement = statement[f::For::body];
        break;
      case Kind::IfThenElse:
        // A tail guard of a tiled loop has no else branch.
        if (statement[f::IfThenElse::else_case]) return std::nullopt;
        nest.domain.tests.push_back({{statement[f::IfThenElse::condition]}});
        statement = statement[f::IfThenElse::then_case];
        break;
      case Kind::LetStmt:
        nest.lets.emplace(tir::index(statement[f::LetStmt::var].id()),
                          statement[f::LetStmt::value]);
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

/// The load that is the value of a store; undefined for another value.
Node loaded(Node store) {
  const Node value = store.is(Kind::Store) ? store[f::Store::value] : store[f::BufferStore::value];
  return value.is(Kind::Load) || value.is(Kind::BufferLoad) ? value : Node();
}

/// Whether the iterations are few enough to run one by one; false if an extent is not a number.
bool has_few_iterations(const IterationDomain& domain) {
  std::uint64_t iterations = 1;
  for (const IterationDomain::Loop& loop : domain.loops) {
    const auto extent = constant_extent(loop.node);
    if (!extent || *extent < 1 || *extent > kMaxIterations) return false;
    // Cannot overflow: both factors are at most 2^20.
    iterations *= *extent;
    if (iterations > kMaxIterations) return false;
  }
  return true;
}

/// Whether both indices are equal in every iteration in which the conditions are true: their
/// difference only has the value 0.
bool agree_everywhere(CopyNest nest, Node to, Node from) {
  IterationDomain& domain = nest.domain;
  if (!has_few_iterations(domain)) return false;
  domain.compile(nest.lets);
  const auto to_program = domain.compiled(to, nest.lets);
  const auto from_program = domain.compiled(from, nest.lets);
  if (!to_program || !from_program) return false;
  domain.terms = {{*to_program, 1}, {*from_program, -1}};
  IterationDomain::Group all{.terms = {0, 1}};
  for (std::size_t i = 0; i < domain.loops.size(); ++i) all.loops.push_back(i);
  for (std::size_t i = 0; i < domain.tests.size(); ++i) all.tests.push_back(i);
  auto counted = domain.nest_of(all);
  if (!counted) return false;
  std::uint64_t steps = kMaxSteps;
  const auto differences = Enumeration(*std::move(counted)).values(steps);
  return differences && (differences->empty() || *differences == std::vector<std::int64_t>{0});
}

}  // namespace

// If one variable is both indices, the loops need not run. v0.9 and v0.10 flatten buffers, so the
// two sides of a reshape have different expressions for one element.
bool copies_in_order(Node function) {
  auto nest = copy_nest(function[f::PrimFunc::body]);
  if (!nest) return false;
  const Node load = loaded(nest->store);
  // A copy within one tensor moves its elements; it is not another view of them.
  if (!load || data_of_access(load) == data_of_access(nest->store)) return false;
  const Node to = index_of(nest->store);
  const Node from = index_of(load);
  if (!to || !from) return false;
  return to == from || agree_everywhere(*std::move(nest), to, from);
}

}  // namespace mlf::graph
