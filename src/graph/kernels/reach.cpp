#include "graph/kernels/reach.h"

#include <algorithm>
#include <memory_resource>
#include <unordered_set>
#include <utility>
#include <vector>

#include "graph/allocations.h"
#include "graph/kernels/callees.h"
#include "graph/kernels/index_search.h"
#include "graph/node_queries.h"
#include "mlf/tir/visit.h"
#include "tir/cmsis_nn.h"
#include "tir/ethos_u.h"

namespace mlf::graph {
namespace {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

/// Position in the list of surroundings, plus one; 0 is the function itself.
using Level = std::size_t;

/// Walks a body and tracks the loops, bindings and conditions around each access.
class Accesses {
 public:
  explicit Accesses(Node function) : function_(function), scope_(function) {}

  FunctionReach run() && {
    push(function_[f::PrimFunc::body], 0);
    while (!steps_.empty()) {
      const PendingNode step = steps_.back();
      steps_.pop_back();
      const tir::Category category = step.node.category();
      if (category != tir::Category::stmt && category != tir::Category::expr) continue;
      // Visits shared nodes once: the number of paths to them may be exponential.
      if (seen_.insert(tir::index(step.node.id())).second) visit(step.node, step.around);
    }
    return std::move(found_);
  }

 private:
  struct PendingNode {
    Node node;
    Level around;
  };
  struct OpenLevel {
    Surrounding what;
    Level outer;
  };

  Level inside(Surrounding what, Level outer) {
    levels_.push_back({what, outer});
    return levels_.size();
  }

  HighestIndex highest(Node index, Level around) {
    std::vector<Surrounding> list;
    for (Level at = around; at != 0; at = levels_[at - 1].outer) {
      list.push_back(levels_[at - 1].what);
    }
    std::ranges::reverse(list);
    if (!index.is(Kind::Ramp)) return highest_index(index, list, budget_);
    // The last lane of the highest base.
    const auto stride = integer_of(index[f::Ramp::stride]);
    const auto lanes = index.dtype().lanes;
    HighestIndex found = highest_index(index[f::Ramp::base], list, budget_);
    if (!stride || *stride < 0 || *stride > (1 << 30)) return {};
    if (found.value) *found.value += *stride * (lanes - 1);
    return found;
  }

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

  void access(Node data, Node index, tir::DType element, bool is_store, Level around) {
    const HighestIndex most = index ? highest(index, around) : HighestIndex{};
    // Conditions or loops around the access prevent it.
    if (most.is_known && !most.value) return;
    // Negative lanes have an unknown size.
    const bool is_inside = most.value && *most.value >= 0 && element.lanes >= 0;
    const auto lanes = static_cast<std::size_t>(std::max<int>(element.lanes, 1));
    const auto element_bytes = element.element_bytes() * lanes;
    for_each_owner(scope_.address_of(data), [&](Reaches& reaches, std::int64_t offset) {
      Reach& reach = is_store ? reaches.stored : reaches.loaded;
      if (!is_inside || offset < 0) return reach.include(std::nullopt);
      const auto elements = static_cast<std::uint64_t>(*most.value) + 1;
      reach.include(sum_of(static_cast<std::uint64_t>(offset), elements * element_bytes));
    });
  }

  /// Code that receives an address may access all memory after it.
  void escape(Node pointer) {
    for_each_owner(scope_.address_of(pointer),
                   [](Reaches& reaches, std::int64_t) { reaches.is_passed_on = true; });
  }

  void bind(Node var, Node value) {
    if (is_workspace_allocation(value)) return scope_.allocate(var);
    scope_.bind(var, value);
  }

  void visit_children(Node node, Level around) {
    std::vector<Node> children;
    tir::for_each_child(node,
                        [&](Node child, const tir::FieldInfo&) { children.push_back(child); });
    // Puts the first child on top of the stack: bindings come before their uses.
    for (std::size_t i = children.size(); i > 0; --i) push(children[i - 1], around);
  }

  void visit_choice(Node condition, Node yes, Node no, Level around) {
    if (no) push(no, inside({.kind = SurroundingKind::otherwise, .value = condition}, around));
    push(yes, inside({.kind = SurroundingKind::condition, .value = condition}, around));
    push(condition, around);
  }

  void visit_loop(Node loop, Level around) {
    const auto min = integer_of(loop[f::For::min]);
    const auto extent = integer_of(loop[f::For::extent]);
    Surrounding what{.kind = SurroundingKind::condition};
    if (min && extent) {
      what = {.kind = SurroundingKind::loop,
              .var = loop[f::For::loop_var],
              .min = *min,
              .extent = *extent};
    }
    push(loop[f::For::body], inside(what, around));
    push(loop[f::For::extent], around);
    push(loop[f::For::min], around);
  }

  /// A layer of CMSIS-NN states the extent of its accesses. Counts its whole context, which the
  /// call states, even if the layer uses less.
  void visit_layer(const tir::CmsisCall& layer, Node call, Level around) {
    using tir::CmsisArgument;
    for (const CmsisArgument what : layer.arguments()) {
      if (!is_memory(what) || !layer.has(what)) continue;
      const auto memory = layer.memory(what);
      for_each_owner(scope_.address_of(without_casts(layer.argument(what))),
                     [&](Reaches& reaches, std::int64_t offset) {
                       Reach& reach =
                           what == CmsisArgument::output ? reaches.stored : reaches.loaded;
                       if (!memory || offset < 0) return reach.include(std::nullopt);
                       reach.include(sum_of(static_cast<std::uint64_t>(offset), memory->bytes()));
                     });
    }
    for (const Node arg : call.list(f::Call::args)) push(arg, around);
  }

  /// A call of the Ethos-U driver states the sizes of memory. The sizes of operations follow from
  /// the numbers beside their addresses, but this reader does not compute them.
  void visit_ethos_u(Node call, std::span<const tir::EthosUAccess> accesses, Level around) {
    const tir::NodeList args = call.list(f::Call::args);
    for (const tir::EthosUAccess& access : accesses) {
      const Address address =
          scope_.address_of(without_casts(tir::ethos_u_pointer(args[access.argument])));
      for_each_owner(address, [&](Reaches& reaches, std::int64_t offset) {
        std::optional<std::uint64_t> end;
        if (access.bytes && offset >= 0)
          end = sum_of(static_cast<std::uint64_t>(offset), *access.bytes);
        if (access.is_written) reaches.stored.include(end);
        if (access.is_read) reaches.loaded.include(end);
      });
    }
    for (const Node arg : args) {
      if (arg.is(Kind::BufferLoad)) {
        for (const Node index : arg.list(f::BufferLoad::indices)) push(index, around);
      } else if (arg.is(Kind::Load)) {
        push(arg[f::Load::index], around);
      } else {
        push(arg, around);
      }
    }
  }

  /// `&x[i]` is not an access; a pointer argument may be used for any access.
  void visit_call(Node call, Level around) {
    if (const auto layer = tir::CmsisCall::of(call)) return visit_layer(*layer, call, around);
    if (const auto npu = tir::ethos_u_accesses(call)) return visit_ethos_u(call, *npu, around);
    const std::string_view op = operator_of(call);
    const tir::NodeList args = call.list(f::Call::args);
    if (op == "if_then_else" && args.size() == 3) {
      return visit_choice(args[0], args[1], args[2], around);
    }
    if (op == "address_of" && args.size() == 1) {
      if (args[0].is(Kind::BufferLoad)) {
        for (const Node index : args[0].list(f::BufferLoad::indices)) push(index, around);
      }
      return;
    }
    // What an access pointer is for, only its user shows.
    const bool keeps_inside = pointer_use(op) == PointerUse::none && op != "tvm_access_ptr";
    for (const Node arg : args) {
      if (!keeps_inside) escape(without_casts(arg));
      push(arg, around);
    }
  }

  void visit_let(Node node, Level around) {
    const bool is_stmt = node.is(Kind::LetStmt);
    const Node var = is_stmt ? node[f::LetStmt::var] : node[f::Let::var];
    const Node value = is_stmt ? node[f::LetStmt::value] : node[f::Let::value];
    bind(var, value);
    const Surrounding what{.kind = SurroundingKind::binding, .var = var, .value = value};
    push(is_stmt ? node[f::LetStmt::body] : node[f::Let::body], inside(what, around));
    push(value, around);
  }

  void visit_block(Node block, Level around) {
    for (const Node match : block.list(f::Block::match_buffers)) {
      const Node source = match[f::MatchBufferRegion::source][f::BufferRegion::buffer];
      scope_.bind(match[f::MatchBufferRegion::buffer][f::Buffer::data],
                  scope_.address_of(source[f::Buffer::data]));
    }
    push(block[f::Block::body], around);
  }

  /// A predicate is a condition for each lane; most are constants.
  Level under(Node predicate, Level around) {
    if (predicate.is(Kind::Broadcast)) predicate = predicate[f::Broadcast::value];
    if (!predicate || integer_of(predicate) == 1) return around;
    return inside({.kind = SurroundingKind::condition, .value = predicate}, around);
  }

  void visit_buffer_access(Node access_of, Node buffer, tir::NodeList indices, Node predicate,
                           Level around) {
    access(buffer[f::Buffer::data], indices.size() == 1 ? indices[0] : Node(),
           buffer.dtype(f::Buffer::dtype), access_of.is(Kind::BufferStore),
           under(predicate, around));
    for (const Node index : indices) push(index, around);
  }

  /// An extern call that is a statement receives the tensor of an element, not its value.
  void visit_evaluate(Node value, Level around) {
    if (value.is(Kind::Call) && !tir::ethos_u_accesses(value)) {
      for (const Node arg : value.list(f::Call::args)) {
        if (arg.is(Kind::BufferLoad)) escape(arg[f::BufferLoad::buffer][f::Buffer::data]);
      }
    }
    push(value, around);
  }

  /// False for a node of another kind.
  bool visit_access(Node node, Level around) {
    switch (node.kind()) {
      case Kind::BufferStore:
        visit_buffer_access(node, node[f::BufferStore::buffer], node.list(f::BufferStore::indices),
                            node[f::BufferStore::predicate], around);
        push(node[f::BufferStore::value], around);
        return true;
      case Kind::BufferLoad:
        visit_buffer_access(node, node[f::BufferLoad::buffer], node.list(f::BufferLoad::indices),
                            node[f::BufferLoad::predicate], around);
        return true;
      case Kind::Store:
        access(node[f::Store::buffer_var], node[f::Store::index],
               node[f::Store::value].dtype().element(), true,
               under(node[f::Store::predicate], around));
        push(node[f::Store::index], around);
        push(node[f::Store::value], around);
        return true;
      case Kind::Load:
        access(node[f::Load::buffer_var], node[f::Load::index], node.dtype().element(), false,
               under(node[f::Load::predicate], around));
        push(node[f::Load::index], around);
        return true;
      default:
        return false;
    }
  }

  /// False for a node that is evaluated whenever its parent is.
  bool visit_condition(Node node, Level around) {
    switch (node.kind()) {
      case Kind::IfThenElse:
        visit_choice(node[f::IfThenElse::condition], node[f::IfThenElse::then_case],
                     node[f::IfThenElse::else_case], around);
        return true;
      case Kind::Select:
        visit_choice(node[f::Select::condition], node[f::Select::true_value],
                     node[f::Select::false_value], around);
        return true;
      // The second operand is evaluated only if the first one does not determine the result.
      case Kind::And:
        visit_choice(node[f::And::a], node[f::And::b], {}, around);
        return true;
      case Kind::Or:
        push(node[f::Or::b],
             inside({.kind = SurroundingKind::otherwise, .value = node[f::Or::a]}, around));
        push(node[f::Or::a], around);
        return true;
      case Kind::For:
        visit_loop(node, around);
        return true;
      case Kind::While:
        push(node[f::While::body], inside({.kind = SurroundingKind::condition}, around));
        push(node[f::While::condition], around);
        return true;
      default:
        return false;
    }
  }

  void visit(Node node, Level around) {
    if (visit_access(node, around) || visit_condition(node, around)) return;
    switch (node.kind()) {
      case Kind::LetStmt:
      case Kind::Let:
        return visit_let(node, around);
      case Kind::Allocate:
        scope_.allocate(node[f::Allocate::buffer_var]);
        return push(node[f::Allocate::body], around);
      case Kind::AllocateConst:
        scope_.allocate(node[f::AllocateConst::buffer_var]);
        return push(node[f::AllocateConst::body], around);
      case Kind::Block:
        return visit_block(node, around);
      case Kind::Evaluate:
        return visit_evaluate(node[f::Evaluate::value], around);
      case Kind::Call:
        return visit_call(node, around);
      case Kind::OpaqueStmt:
      case Kind::OpaqueExpr:
        found_.is_complete = found_.is_complete && is_inert_text(node);
        return;
      default:
        return visit_children(node, around);
    }
  }

  void push(Node node, Level around) {
    if (node) steps_.push_back({node, around});
  }

  Node function_;
  Scope scope_;
  std::vector<PendingNode> steps_;
  std::vector<OpenLevel> levels_;
  std::pmr::monotonic_buffer_resource memory_;
  std::pmr::unordered_set<std::uint32_t> seen_{&memory_};
  SearchBudget budget_;
  FunctionReach found_;
};

}  // namespace

void Reach::include(std::optional<std::uint64_t> end) {
  end ? static_cast<void>(bytes = std::max(bytes, *end)) : static_cast<void>(is_exact = false);
}

FunctionReach reach_of(Node function) {
  return Accesses(function).run();
}

}  // namespace mlf::graph
