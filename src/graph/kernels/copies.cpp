// Decides whether a kernel only copies, by running its loops.
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "graph/kernels/body_scan.h"
#include "graph/node_queries.h"

namespace mlf::graph {
namespace {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

// With more iterations, the result is not worth the time.
constexpr std::int64_t kMaxIterations = 1 << 20;
constexpr std::uint64_t kMaxSteps = 100'000'000;

/// Whether a statement does nothing but run the only statement in it.
bool passes_on(Node statement) {
  switch (statement.kind()) {
    case Kind::For:
    case Kind::LetStmt:
    case Kind::DeclBuffer:
    case Kind::AttrStmt:
      return true;
    case Kind::IfThenElse:
      // A tail guard of a tiled loop has no else branch.
      return !statement[f::IfThenElse::else_case];
    case Kind::SeqStmt:
      return statement.list(f::SeqStmt::seq).size() == 1;
    default:
      return false;
  }
}

/// The position of the only statement that does something, if it is a store.
std::optional<std::size_t> only_store(const KernelCode& code) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < code.order.size(); ++i) {
    if (tir::is_expr(code.order[i].category()) || passes_on(code.order[i])) continue;
    if (found || !is_store(code.order[i])) return std::nullopt;
    found = i;
  }
  return found;
}

/// Whether the iterations are few enough to run one by one.
bool has_few_iterations(const std::vector<Surrounding>& around) {
  std::int64_t iterations = 1;
  for (const Surrounding& one : around) {
    if (one.kind != SurroundingKind::loop) continue;
    if (one.extent < 1 || one.extent > kMaxIterations) return false;
    // Cannot overflow: both factors are at most 2^20.
    iterations *= one.extent;
    if (iterations > kMaxIterations) return false;
  }
  return true;
}

/// Whether both indices are equal in every iteration in which the conditions are true: their
/// difference only has the value 0.
bool agree_everywhere(const std::vector<Surrounding>& around, Node to, Node from) {
  if (!has_few_iterations(around)) return false;
  const std::vector<SumTerm> difference{{to, 1}, {from, -1}};
  auto nest = nest_around(around, difference);
  if (!nest) return false;
  std::uint64_t steps = kMaxSteps;
  const auto values = Enumeration(*std::move(nest)).values(steps);
  return values && (values->empty() || *values == std::vector<std::int64_t>{0});
}

}  // namespace

// If one variable is both indices, the loops need not run. v0.9 and v0.10 flatten buffers, so the
// two sides of a reshape have different expressions for one element.
bool copies_in_order(const KernelCode& code) {
  const auto at = only_store(code);
  if (!at) return false;
  const Node store = code.order[*at];
  const Node load = stored_value(store);
  // A copy within one tensor moves its elements; it is not another view of them.
  if (!is_load(load) || data_of_access(load) == data_of_access(store)) return false;
  const Node to = index_of(store);
  const Node from = index_of(load);
  if (!to || !from) return false;
  return to == from || agree_everywhere(code.around(*at), to, from);
}

}  // namespace mlf::graph
