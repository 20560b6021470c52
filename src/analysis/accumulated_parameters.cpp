#include "analysis/accumulated_parameters.h"

#include <vector>

#include "graph/kernels/kernel_code.h"
#include "mlf/tir/visit.h"
#include "tir/ethos_u.h"

namespace mlf::analysis {
namespace {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

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
