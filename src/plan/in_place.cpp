#include "plan/in_place.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_set>
#include <utility>

#include "analysis/cost/access_sets.h"
#include "graph/node_queries.h"
#include "mlf/tir/visit.h"

namespace mlf::plan {
namespace {

using analysis::IndexTerms;
using tir::Kind;
using tir::Node;
namespace f = tir::f;

// The limit for factors, extents and offsets: sums and products of two stay within 64 bits.
constexpr std::int64_t kMostOfIndex = std::int64_t{1} << 30;

bool is_small(std::int64_t number) {
  return number > -kMostOfIndex && number < kMostOfIndex;
}

/// An index as TVM writes it after flattening: a sum of loop variables times numbers, all of them
/// small. Nothing for the division and modulo of fused loops: such loops give no pairs.
std::optional<IndexTerms> affine(Node index) {
  // Each cast is looked at alone. No index of a network has as many.
  constexpr std::size_t kMostCasts = 1000;
  std::size_t casts = 0;
  IndexTerms terms;
  if (!terms.add(index, 1, {})) return std::nullopt;
  while (!terms.others.empty()) {
    const IndexTerms::Other other = terms.others.back();
    terms.others.pop_back();
    const bool is_cast = other.expression.is(Kind::Cast);
    if (!is_cast || ++casts > kMostCasts ||
        !terms.add(other.expression[f::Cast::value], other.factor, {})) {
      return std::nullopt;
    }
  }
  const bool is_all_small =
      is_small(terms.constant) &&
      std::ranges::all_of(terms.variables, [](const auto& one) { return is_small(one.second); });
  return is_all_small ? std::optional(std::move(terms)) : std::nullopt;
}

bool are_equal(const IndexTerms& a, const IndexTerms& b) {
  return a.constant == b.constant && a.variables == b.variables;
}

struct Loop {
  tir::NodeId var;
  std::int64_t extent;
};

/// Whether no two iterations have the same index: each factor exceeds the largest sum of all
/// smaller terms.
bool is_injective(const IndexTerms& index, const std::vector<Loop>& loops) {
  std::vector<std::pair<std::int64_t, std::int64_t>> terms;  // factor, extent
  std::size_t found = 0;
  for (const Loop& loop : loops) {
    if (loop.extent == 1) continue;
    const auto at = index.variables.find(loop.var);
    // A loop whose variable is not in the index writes one element repeatedly.
    if (at == index.variables.end() || at->second < 0) return false;
    terms.emplace_back(at->second, loop.extent);
  }
  // Variables of no loop here are constant.
  for (const auto& [var, factor] : index.variables) {
    found +=
        std::ranges::any_of(loops, [&, one = var](const Loop& loop) { return loop.var == one; });
  }
  if (found != index.variables.size()) return false;
  // Like the digits of a number: the sum of all smaller digits is less than the next factor.
  std::ranges::sort(terms);
  std::int64_t reach = 0;
  for (const auto& [factor, extent] : terms) {
    if (factor <= reach || !is_small(factor * (extent - 1) + reach)) return false;
    reach += factor * (extent - 1);
  }
  return true;
}

/// The index of an access to a Buffer; undefined if the Buffer does not begin where its memory
/// begins.
Node index_of(Node buffer, tir::NodeList indices) {
  const Node begin = buffer[f::Buffer::elem_offset];
  const bool begins_with_memory = !begin || graph::integer_of(begin) == 0;
  return begins_with_memory && indices.size() == 1 ? indices[0] : Node();
}

std::size_t bytes_of_one(tir::DType dtype) {
  return dtype.lanes == 1 ? static_cast<std::size_t>(dtype.element_bytes()) : 0;
}

/// Reads one statement into accesses.
class AccessReader {
 public:
  using MemoryOf = std::function<std::optional<std::size_t>(Node)>;
  explicit AccessReader(const MemoryOf& memory_of) : memory_of_(memory_of) {}

  /// False if the statement contains a node that the reader does not handle.
  /// Uses a stack instead of recursion: hostile bodies nest to any depth.
  bool read(Node root) {
    pending_.push_back({root, 0});
    while (!pending_.empty()) {
      const Pending next = pending_.back();
      pending_.pop_back();
      if (++work_ > kMaxWork) return false;
      open_.resize(next.loops);
      if (!statement(next.stmt)) return false;
    }
    return work_ <= kMaxWork;
  }

  /// Leaves out a result that the tick also reads or stores elsewhere, such as a sum: it may still
  /// need the element that it overwrote.
  std::vector<InPlacePair> pairs() const {
    std::vector<InPlacePair> found;
    for (std::size_t i = 0; i < stores_.size(); ++i) {
      const Store& to = stores_[i];
      const auto same = [&](const auto& access) { return access.memory == to.memory; };
      const bool is_only_store = std::ranges::count_if(stores_, same) == 1;
      if (!is_only_store || std::ranges::any_of(loads_, same) || opaque_.contains(to.memory))
        continue;
      std::unordered_set<std::size_t> tried;
      for (const Load& load : loads_) {
        if (!tried.insert(load.memory).second) continue;
        if (is_proven(load.memory, to, i)) found.push_back({load.memory, to.memory});
      }
    }
    return found;
  }

 private:
  struct Store {
    std::size_t memory = 0;
    Node index;
    std::size_t element_bytes = 0;  // 0: not one element
    std::vector<Loop> loops;
  };
  struct Load {
    std::size_t memory = 0;
    Node index;
    std::size_t element_bytes = 0;
    std::optional<std::size_t> store;  // the store whose value contains it
  };
  struct Pending {
    Node stmt;
    std::size_t loops;  // around it: the first ones of open_
  };

  /// Ignores other memory: a local array or a constant.
  void load(Node var, Node index, tir::DType dtype, std::optional<std::size_t> in_store) {
    const auto memory = memory_of_(var);
    if (memory) loads_.push_back({*memory, index, bytes_of_one(dtype), in_store});
  }

  /// Expressions may share parts. Reads a part once per statement.
  void expression(Node root, std::optional<std::size_t> in_store) {
    if (!root) return;
    std::unordered_set<std::uint32_t> seen;
    const auto enter = [&](Node node) {
      if (!seen.insert(tir::index(node.id())).second || ++work_ > kMaxWork) return false;
      if (node.is(Kind::Var) || node.is(Kind::SizeVar)) {
        if (const auto memory = memory_of_(node)) opaque_.insert(*memory);
      } else if (node.is(Kind::BufferLoad)) {
        const Node buffer = node[f::BufferLoad::buffer];
        load(buffer[f::Buffer::data], index_of(buffer, node.list(f::BufferLoad::indices)),
             node.dtype(), in_store);
      } else if (node.is(Kind::Load)) {
        load(node[f::Load::buffer_var], node[f::Load::index], node.dtype(), in_store);
      } else if (graph::operator_of(node) == "address_of") {
        // Code that receives the address may do anything.
        for (const Node arg : node.list(f::Call::args)) {
          if (!arg.is(Kind::BufferLoad)) continue;
          const auto memory = memory_of_(arg[f::BufferLoad::buffer][f::Buffer::data]);
          if (memory) opaque_.insert(*memory);
        }
      }
      return true;
    };
    const auto parts = [&](Node node, auto&& push) {
      // The memory that a load names is not passed on as a pointer.
      if (node.is(Kind::BufferLoad)) {
        for (const Node index : node.list(f::BufferLoad::indices)) push(index);
      } else if (node.is(Kind::Load)) {
        push(node[f::Load::index]);
        if (node[f::Load::predicate]) push(node[f::Load::predicate]);
      } else {
        tir::for_each_child(node, [&](Node child, const tir::FieldInfo&) { push(child); });
      }
    };
    tir::walk_once(root, enter, parts, [](Node) {});
  }

  /// Reads the value first: loads in it belong to this store. Loads in the index belong to no
  /// store: they come before it, but may be of another element.
  bool store(Node buffer_var, Node index, Node value) {
    const auto memory = memory_of_(buffer_var);
    std::optional<std::size_t> number;
    if (memory) {
      number = stores_.size();
      stores_.push_back({*memory, index, bytes_of_one(value.dtype()), open_});
    }
    expression(value, number);
    expression(index, std::nullopt);
    return true;
  }

  /// The proof of injectivity requires loops of known extent. A loop that never runs stores
  /// nothing, but has no special case.
  bool loop(Node stmt) {
    const auto min = graph::integer_of(stmt[f::For::min]);
    const auto extent = graph::integer_of(stmt[f::For::extent]);
    if (!min || !extent || *extent < 1 || !is_small(*min) || !is_small(*extent)) return false;
    open_.push_back({stmt[f::For::loop_var].id(), *extent});
    pending_.push_back({stmt[f::For::body], open_.size()});
    return true;
  }

  /// Reads one statement; false for an unhandled kind. Pushes the parts to read them later: their
  /// order does not matter, because the proof for a tick holds for any order of its accesses.
  bool statement(Node stmt) {
    const std::size_t around = open_.size();
    switch (stmt.kind()) {
      case Kind::For:
        return loop(stmt);
      case Kind::SeqStmt:
        for (const Node part : stmt.list(f::SeqStmt::seq)) pending_.push_back({part, around});
        return true;
      case Kind::IfThenElse:
        expression(stmt[f::IfThenElse::condition], std::nullopt);
        pending_.push_back({stmt[f::IfThenElse::then_case], around});
        if (stmt[f::IfThenElse::else_case]) {
          pending_.push_back({stmt[f::IfThenElse::else_case], around});
        }
        return true;
      case Kind::LetStmt:
        expression(stmt[f::LetStmt::value], std::nullopt);
        pending_.push_back({stmt[f::LetStmt::body], around});
        return true;
      case Kind::AttrStmt:
        pending_.push_back({stmt[f::AttrStmt::body], around});
        return true;
      case Kind::DeclBuffer:
        pending_.push_back({stmt[f::DeclBuffer::body], around});
        return true;
      case Kind::BufferStore: {
        const tir::NodeList indices = stmt.list(f::BufferStore::indices);
        for (const Node index : indices) expression(index, std::nullopt);
        const Node buffer = stmt[f::BufferStore::buffer];
        return store(buffer[f::Buffer::data], index_of(buffer, indices),
                     stmt[f::BufferStore::value]);
      }
      case Kind::Store:
        return store(stmt[f::Store::buffer_var], stmt[f::Store::index], stmt[f::Store::value]);
      case Kind::Evaluate:
        expression(stmt[f::Evaluate::value], std::nullopt);
        return true;
      default:
        return false;
    }
  }

  /// The three conditions that in_place.h lists.
  bool is_proven(std::size_t from, const Store& to, std::size_t store) const {
    if (!to.index || to.element_bytes == 0 || from == to.memory || opaque_.contains(from))
      return false;
    const auto index = affine(to.index);
    // Each iteration writes a different element, so no later iteration reads what this one wrote.
    if (!index || !is_injective(*index, to.loops)) return false;
    const auto writes_it = [&](const Store& one) { return one.memory == from; };
    if (std::ranges::any_of(stores_, writes_it)) return false;
    // Each element is read in the value of the store to the same element, and therefore before the
    // store. Elements of another size would have other bounds.
    return std::ranges::all_of(loads_, [&](const Load& one) {
      if (one.memory != from) return true;
      if (one.store != store || !one.index || one.element_bytes != to.element_bytes) return false;
      const auto loaded = affine(one.index);
      return loaded && are_equal(*loaded, *index);
    });
  }

  // The most statements and expressions of one tick. Beyond that, the result is not worth the time.
  static constexpr std::size_t kMaxWork = 100'000;

  const MemoryOf& memory_of_;
  std::vector<Pending> pending_;
  std::vector<Loop> open_;
  std::vector<Store> stores_;
  std::vector<Load> loads_;
  std::unordered_set<std::size_t> opaque_;  // memories with other accesses
  std::size_t work_ = 0;
};

}  // namespace

std::vector<InPlacePair> in_place_pairs(
    Node statement, const std::function<std::optional<std::size_t>(Node)>& memory_of) {
  AccessReader reader(memory_of);
  return reader.read(statement) ? reader.pairs() : std::vector<InPlacePair>{};
}

}  // namespace mlf::plan
