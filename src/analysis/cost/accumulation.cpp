#include "analysis/cost/accumulation.h"

#include <algorithm>
#include <map>
#include <vector>

#include "graph/kernels/evaluation_order.h"
#include "graph/kernels/iteration_domain.h"
#include "graph/kernels/kernel_code.h"
#include "graph/node_queries.h"
#include "mlf/tir/visit.h"
#include "tir/ethos_u.h"

namespace mlf::analysis {
namespace {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

// The most nodes to visit for all stores; kernels need a few thousand. The limit prevents quadratic
// time if stores share large expressions.
constexpr std::size_t kMaxNodes = std::size_t{1} << 22;

/// Whether the value is one number in every element, independent of the loops.
bool is_constant_value(Node value) {
  while (true) {
    value = graph::without_casts(value);
    if (!value.is(Kind::Broadcast)) break;
    value = value[f::Broadcast::value];
  }
  return value.is(Kind::IntImm) || value.is(Kind::FloatImm);
}

/// The terms of a sum.
struct Terms {
  std::vector<Node> loads;
  std::vector<Node> products;
  std::vector<Node> sums;  ///< Add and Sub nodes that are evaluated with the whole
  std::size_t conditional_products = 0;
};

class Finder {
 public:
  Finder(const std::vector<LoopedStore>& stores, const graph::KernelCode& code,
         const ValueNumbers& values)
      : stores_(stores), code_(code), values_(values) {}

  // Two rounds, because whether an update is a reduction depends on all stores that set its memory
  // to new values.
  Accumulations run() {
    struct Update {
      const LoopedStore* store;
      Terms terms;
    };
    std::vector<Update> updates;
    std::map<std::size_t, Definitions> definitions;
    for (const LoopedStore& looped : stores_) {
      const auto memory = code_.memories.of_access(looped.store);
      if (!memory) continue;
      Terms terms = terms_of(graph::stored_value(looped.store));
      const bool is_update = std::any_of(terms.loads.begin(), terms.loads.end(), [&](Node load) {
        return is_same_element(looped.store, load);
      });
      if (is_update) {
        updates.push_back({&looped, std::move(terms)});
        continue;
      }
      Definitions& known = definitions[*memory];
      known.has_constant =
          known.has_constant || is_constant_value(graph::stored_value(looped.store));
      for (const Node loop : looped.loops) known.loops.insert(tir::index(loop.id()));
    }
    Accumulations found;
    for (Update& update : updates) {
      const Node store = update.store->store;
      if (!is_reduction(*update.store, definitions[*code_.memories.of_access(store)])) continue;
      std::size_t products = 0;
      for (const Node product : update.terms.products) {
        if (!is_product(product, store)) continue;
        found.products.insert(tir::index(product.id()));
        ++products;
      }
      // Each product that is always evaluated has one addition.
      products -= std::min(products, update.terms.conditional_products);
      for (std::size_t i = 0; i < std::min(products, update.terms.sums.size()); ++i) {
        found.sums.insert(tir::index(update.terms.sums[i].id()));
      }
    }
    found.is_complete = left_ > 0;
    return found;
  }

 private:
  /// Stores into one memory that do not add to its present value.
  struct Definitions {
    bool has_constant = false;
    std::unordered_set<std::uint32_t> loops;  ///< that have such a store inside
  };

  /// Calls `visit(node)` for an expression, what its variables are bound to, and their parts, until
  /// it returns false; parts that are addresses only if asked for.
  enum class Addresses : std::uint8_t { included, left_out };

  template <class Visit>
  void search(std::vector<Node> start, Addresses addresses, Visit&& visit) const {
    std::unordered_set<std::uint32_t> seen;
    std::vector<graph::Part> parts;
    while (!start.empty() && spend()) {
      const Node node = start.back();
      start.pop_back();
      if (!seen.insert(tir::index(node.id())).second) continue;
      if (!visit(node)) return;
      if (const Node of_let = graph::bound_value(node, code_.bindings)) start.push_back(of_let);
      parts.clear();
      graph::evaluated_parts(node, parts);
      for (const graph::Part& part : parts) {
        if (!part.is_address || addresses == Addresses::included) start.push_back(part.node);
      }
    }
  }

  // Follows casts, lets and branches, for any order of the sum.
  Terms terms_of(Node value) const {
    struct OpenTerm {
      Node node;
      bool is_conditional;
    };
    Terms terms;
    std::vector<OpenTerm> stack{{value, false}};
    std::unordered_set<std::uint32_t> seen;
    while (!stack.empty() && spend()) {
      const auto [node, is_conditional] = stack.back();
      stack.pop_back();
      if (!node || !seen.insert(tir::index(node.id())).second) continue;
      const auto add = [&, conditional = is_conditional](Node part, bool in_branch = false) {
        stack.push_back({part, conditional || in_branch});
      };
      if (node.is(Kind::Add) || node.is(Kind::Sub)) {
        if (!is_conditional) terms.sums.push_back(node);
        add(node[f::Add::b]);
        add(node[f::Add::a]);
      } else if (node.is(Kind::Cast)) {
        add(node[f::Cast::value]);
      } else if (node.is(Kind::Let)) {
        add(node[f::Let::body]);
      } else if (node.is(Kind::Select)) {
        add(node[f::Select::false_value], true);
        add(node[f::Select::true_value], true);
      } else if (graph::operator_of(node) == "if_then_else") {
        const tir::NodeList args = node.list(f::Call::args);
        for (std::size_t i = args.size(); i-- > 1;) add(args[i], true);
      } else if (node.is(Kind::Mul)) {
        terms.products.push_back(node);
        if (is_conditional) ++terms.conditional_products;
      } else if (graph::is_load(node)) {
        terms.loads.push_back(node);
      } else if (const Node of_let = graph::bound_value(node, code_.bindings)) {
        add(of_let);
      }
    }
    return terms;
  }

  /// Whether a load reads what the store replaces: the same memory at the same indices.
  bool is_same_element(Node store, Node load) const {
    if (code_.memories.of_access(store) != code_.memories.of_access(load)) return false;
    const std::vector<Node> to = graph::indices_of(store);
    const std::vector<Node> from = graph::indices_of(load);
    return std::equal(to.begin(), to.end(), from.begin(), from.end(),
                      [&](Node a, Node b) { return values_.are_same(a, b); });
  }

  /// Also through a let, which has the value that it was bound to.
  bool reads_memory(Node expression) const {
    bool reads = false;
    search({expression}, Addresses::included, [&](Node node) {
      reads = values_.reads_memory(node);
      return !reads;
    });
    return reads;
  }

  bool reads_element(Node expression, Node store) const {
    bool reads = false;
    search({expression}, Addresses::left_out, [&](Node node) {
      reads = graph::is_load(node) && is_same_element(store, node);
      return !reads;
    });
    return reads;
  }

  /// Whether this is a product of two different values from memory. Variances add up squares, and
  /// means add up products with constants; TVM's get_total_mac_number counts neither.
  bool is_product(Node multiplication, Node store) const {
    const Node a = multiplication[f::Mul::a];
    const Node b = multiplication[f::Mul::b];
    return reads_memory(a) && reads_memory(b) &&
           !values_.are_same(graph::without_casts(a), graph::without_casts(b)) &&
           !reads_element(multiplication, store);
  }

  std::unordered_set<std::uint32_t> variables_of(const std::vector<Node>& indices) const {
    std::unordered_set<std::uint32_t> variables;
    search(indices, Addresses::included, [&](Node node) {
      if (tir::is_var(node)) variables.insert(tir::index(node.id()));
      return true;
    });
    return variables;
  }

  /// In a reduction, a loop repeatedly adds to one element: the loop does not change the index, and
  /// no other store writes the element in between. An elementwise operation in place also looks
  /// like an update, but has no such loop. If TVM has removed a reduction of one step, it still
  /// sets the sum to zero.
  bool is_reduction(const LoopedStore& update, const Definitions& definitions) const {
    if (definitions.has_constant) return true;
    const auto variables = variables_of(graph::indices_of(update.store));
    return std::any_of(update.loops.begin(), update.loops.end(), [&](Node loop) {
      return !variables.contains(tir::index(graph::loop_variable(loop).id())) &&
             !definitions.loops.contains(tir::index(loop.id()));
    });
  }

  bool spend() const { return left_ > 0 && --left_ > 0; }

  const std::vector<LoopedStore>& stores_;
  const graph::KernelCode& code_;
  const ValueNumbers& values_;
  mutable std::size_t left_ = kMaxNodes;  // nodes that may still be visited
};

}  // namespace

Accumulations find_accumulations(const std::vector<LoopedStore>& stores,
                                 const graph::KernelCode& code, const ValueNumbers& values) {
  return Finder(stores, code, values).run();
}

// --- Accumulated parameters ----------------------------------------------------------------------

namespace {

/// From which memory each memory gets its values.
class DataFlow {
 public:
  explicit DataFlow(const graph::KernelCode& code) : code_(code), sources_(code_.memories.size()) {}

  std::optional<std::set<std::size_t>> accumulated() {
    if (!read()) return std::nullopt;
    std::set<std::size_t> reached;
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      if (sources_[i].contains(i) && reached.insert(i).second) left.push_back(i);
    }
    if (left.empty()) return std::nullopt;
    while (!left.empty()) {
      const std::size_t memory = left.back();
      left.pop_back();
      for (const std::size_t source : sources_[memory]) {
        if (reached.insert(source).second) left.push_back(source);
      }
    }
    std::set<std::size_t> parameters;
    for (const std::size_t memory : reached) {
      const graph::Address& address = code_.memories[memory].address;
      if (address.is_of_caller()) parameters.insert(address.root);
    }
    return parameters;
  }

 private:
  /// False if not everything is known.
  bool read() {
    for (std::size_t i = 0; i < code_.order.size(); ++i) {
      const Node node = code_.order[i];
      if (node.is(Kind::Call) && passes_memory(node)) return false;
      if (!graph::is_store(node)) continue;
      const auto memory = code_.memories.of_access(node);
      const auto loaded = loaded_by(node);
      if (!memory || !loaded) return false;
      sources_[*memory].insert(loaded->begin(), loaded->end());
    }
    return true;
  }

  bool passes_memory(Node call) const {
    for (const Node argument : call.list(f::Call::args)) {
      if (code_.memories.of_pointer(tir::passed_pointer(call, argument))) return true;
    }
    return false;
  }

  /// The memory that the value and the conditions within it come from, also through lets.
  std::optional<std::set<std::size_t>> loaded_by(Node store) const {
    std::set<std::size_t> loaded;
    std::set<std::uint32_t> seen;
    std::vector<Node> left{store};
    bool is_known = true;
    while (!left.empty()) {
      const Node next = left.back();
      left.pop_back();
      tir::for_each_pre_order(next, [&](Node node) {
        if (node.is(Kind::Var)) {
          const auto bound = code_.bindings.find(tir::index(node.id()));
          const bool is_new = bound != code_.bindings.end() && seen.insert(bound->first).second;
          if (is_new) left.push_back(bound->second);
        }
        if (graph::is_store(node) || !graph::data_of_access(node)) return;
        const auto memory = code_.memories.of_access(node);
        is_known &= memory.has_value();
        if (memory) loaded.insert(*memory);
      });
    }
    return is_known ? std::optional(std::move(loaded)) : std::nullopt;
  }

  const graph::KernelCode& code_;
  std::vector<std::set<std::size_t>> sources_;  ///< by memory
};

}  // namespace

std::optional<std::set<std::size_t>> accumulated_parameters(const graph::KernelCode& code) {
  return DataFlow(code).accumulated();
}

}  // namespace mlf::analysis
