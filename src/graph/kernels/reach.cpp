#include "graph/kernels/reach.h"

#include <algorithm>
#include <vector>

#include "graph/allocations.h"
#include "graph/kernels/box_search.h"
#include "graph/node_queries.h"

namespace mlf::graph {
namespace {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

class Reading {
 public:
  explicit Reading(const KernelCode& code) : code_(code) {}

  FunctionReach run() && {
    for (const MemoryAccess& use : code_.accesses) {
      use.kind == AccessKind::element ? add_element(use) : add_call(use);
    }
    for (std::size_t i = 0; i < code_.order.size(); ++i) {
      const Node node = code_.order[i];
      const bool is_opaque = node.is(Kind::OpaqueStmt) || node.is(Kind::OpaqueExpr);
      found_.is_complete = found_.is_complete && (!is_opaque || is_inert_text(node));
    }
    return std::move(found_);
  }

 private:
  /// Calls `visit(reaches, offset)` for every memory that contains the address: for a named one
  /// inside a parameter, both the name and the parameter. A negative offset is unknown.
  template <class Visit>
  void for_each_owner(const Address& address, Visit&& visit) {
    const std::int64_t offset = address.offset_known ? address.offset : -1;
    if (address.kind == AddressKind::parameter) visit(found_.parameters[address.root], offset);
    if (address.kind == AddressKind::argument) visit(found_.arguments[address.root], offset);
    if (address.kind == AddressKind::local) {
      visit(found_.pointers[static_cast<tir::NodeId>(address.root)], offset);
    } else if (address.alias != tir::NodeId::none) {
      visit(found_.pointers[address.alias], std::int64_t{0});
    }
  }

  HighestValue highest(Node access, std::size_t position) {
    const Node index = index_of(access);
    if (!index) return {};
    std::vector<Surrounding> around = code_.around(position);
    // A predicate is a condition for each lane; most are constants.
    if (is_masked(access)) {
      around.push_back({.kind = SurroundingKind::condition, .value = predicate_of(access)});
    }
    const bool is_ramp = index.is(Kind::Ramp);
    const SumTerm term(is_ramp ? index[f::Ramp::base] : index, 1);
    const auto nest = nest_around(around, {&term, 1});
    HighestValue found = nest ? highest_in_boxes(*nest, steps_) : HighestValue();
    if (!is_ramp) return found;
    // The last lane of the highest base.
    const auto stride = integer_of(index[f::Ramp::stride]);
    if (!stride || *stride < 0 || *stride > (1 << 30)) return {};
    if (found.value) *found.value += *stride * (index.dtype().lanes - 1);
    return found;
  }

  void add_element(const MemoryAccess& use) {
    const Node access = code_.order[use.position];
    const tir::DType type = counted_type(access);
    const HighestValue most = highest(access, use.position);
    // Conditions or loops around the access prevent it. TVM generates no store that is never made:
    // a user switched it off, and the tensor may be as large as before.
    if (most.is_known && !most.value && !use.is_written) return;
    // Negative lanes have an unknown size.
    const bool is_inside = most.value && *most.value >= 0 && type.lanes >= 0;
    const auto lanes = static_cast<std::size_t>(std::max<int>(type.lanes, 1));
    const auto element_bytes = type.element_bytes() * lanes;
    for_each_owner(use.address, [&](Reaches& reaches, std::int64_t offset) {
      Reach& reach = use.is_written ? reaches.stored : reaches.loaded;
      if (!is_inside || offset < 0) return reach.include(std::nullopt);
      const auto elements = static_cast<std::uint64_t>(*most.value) + 1;
      reach.include(sum_of(static_cast<std::uint64_t>(offset), elements * element_bytes));
    });
  }

  /// A layer of CMSIS-NN counts its whole context, even if it uses less. A call of the Ethos-U
  /// driver states the sizes of memory, but the sizes of operations follow from the numbers beside
  /// their addresses, which this does not compute. Any other call may access all memory after the
  /// address.
  void add_call(const MemoryAccess& use) {
    for_each_owner(use.address, [&](Reaches& reaches, std::int64_t offset) {
      const bool states_bytes = use.kind == AccessKind::layer || use.kind == AccessKind::npu;
      reaches.is_passed_on = reaches.is_passed_on || !states_bytes;
      if (!states_bytes) return;
      std::optional<std::uint64_t> end;
      if (use.bytes && offset >= 0) end = sum_of(static_cast<std::uint64_t>(offset), *use.bytes);
      const bool is_stored = use.is_written && !use.is_context;
      if (is_stored) reaches.stored.include(end);
      if (use.is_read || use.is_context) reaches.loaded.include(end);
    });
  }

  const KernelCode& code_;
  std::uint64_t steps_ = 20'000'000;  // of all searches
  FunctionReach found_;
};

}  // namespace

void Reach::include(std::optional<std::uint64_t> end) {
  end ? static_cast<void>(bytes = std::max(bytes, *end)) : static_cast<void>(is_exact = false);
}

FunctionReach reach_of(const KernelCode& code) {
  return Reading(code).run();
}

}  // namespace mlf::graph
