#include "plan/kernel_ticks.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "analysis/cost/callees.h"
#include "graph/allocations.h"
#include "graph/kernels/callees.h"
#include "graph/node_queries.h"
#include "graph/scope.h"
#include "mlf/tir/module.h"
#include "mlf/tir/visit.h"
#include "plan/in_place.h"
#include "tir/ethos_u.h"

namespace mlf::plan {
namespace {

using graph::Address;
using graph::AddressKind;
using tir::Descend;
using tir::Kind;
using tir::Node;
namespace f = tir::f;

// --- Functions that are not known ----------------------------------------------------------------

/// The function that a call runs, if its behaviour is unknown: it may keep its pointer arguments
/// after it returns, and may have other effects, so no other call may be moved across it. nullopt
/// for operators of TIR, functions of math.h, workspaces of TVM's runtime, TVM's micro kernels,
/// those of CMSIS-NN and calls for an Ethos-U: these compute, and do not use their pointers after
/// they return.
std::optional<std::string> unknown_callee(Node call) {
  if (tir::ethos_u_accesses(call)) return std::nullopt;
  analysis::Callee callee = analysis::callee_of(call);
  const std::string_view op = graph::operator_of(call);
  const auto is_shared = [](std::string_view name) {
    return graph::pointer_use(name) == graph::PointerUse::shared;
  };
  if (callee.is_known && !is_shared(callee.symbol) && !is_shared(op)) return std::nullopt;
  return callee.symbol.empty() ? std::string(op) : std::move(callee.symbol);
}

/// Whether TIR states that the call has no effects, for any callee (call_pure_extern). It might
/// still return one of its pointer arguments.
bool is_pure(Node call) {
  return graph::operator_of(call).find("pure") != std::string_view::npos;
}

/// Looks below casts too: a pointer that is cast to an integer has an integer type.
bool is_pointer(Node expr) {
  return expr.dtype().is_handle() || graph::without_casts(expr).dtype().is_handle();
}

// The most nodes and statements to visit in one kernel. A shared statement counts at each
// occurrence, and occurrences can grow exponentially.
constexpr std::size_t kMaxWork = 50'000'000;

bool is_memory_of_caller(const Address& address) {
  return address.kind == AddressKind::parameter || address.kind == AddressKind::argument;
}

/// Follows the pointers of one body in the order of its text.
/// Every variable that points into memory of a parameter belongs to one `Memory`: that of the
/// parameter, or that of a let with an address inside it. A statement that mentions such a variable
/// touches the memory, for any use. A chain of lets shares one memory, so a second name of a
/// pointer hides no access.
class TickScanner {
 public:
  explicit TickScanner(Node function) : function_(function), scope_(function) {}

  KernelTicks run() && {
    std::vector<Node> next{function_[f::PrimFunc::body]};
    while (!next.empty() && ++work_ < kMaxWork) {
      const Node stmt = next.back();
      next.pop_back();
      statement(stmt, next);
    }
    KernelTicks result;
    result.count = std::max<std::int64_t>(now_ + 1, 1);
    // After MakePackedAPI a function has six parameters, which are not the arguments of a call.
    result.is_packed = is_packed();
    const AddressKind counted = result.is_packed ? AddressKind::argument : AddressKind::parameter;
    std::vector<std::optional<TickMemory>> finished;  // by memory
    for (const Memory& memory : memories_) {
      finished.emplace_back();
      if (memory.kind == counted) {
        finished.back() = finish(memory, result);
        // Memory of the other kind of parameter, which calls do not state.
      } else if (memory.is_kept || memory.let) {
        is_followed_ = false;
      }
    }
    for (auto& [var, allocation] : allocations_)
      result.allocations.push_back(std::move(allocation));
    for (const auto& [tick, pair] : in_place_) {
      const auto& from = finished[pair.from];
      const auto& to = finished[pair.to];
      if (from && to && is_in_place(pair, tick)) result.in_place.push_back({tick, *from, *to});
    }
    result.is_followed = is_followed_ && work_ < kMaxWork;
    for (const auto& [symbol, takes_memory] : unknown_callees_) {
      result.unknown_callees.push_back({symbol, takes_memory});
    }
    return result;
  }

 private:
  using MemoryId = std::size_t;

  struct Memory {
    AddressKind kind = AddressKind::parameter;  // or `argument`, of a packed function
    std::uint32_t root = 0;
    std::optional<LetTicks> let{};
    std::optional<TickRange> touched{};
    bool is_kept = false;          // a pointer to it exists
    bool has_other_names = false;  // other pointers point into it, possibly not to its first byte
  };

  /// The memory of a parameter, made on first use.
  MemoryId memory_of_root(const Address& address) {
    const auto [at, is_new] = by_root_.try_emplace({address.kind, address.root}, memories_.size());
    if (is_new) memories_.push_back({.kind = address.kind, .root = address.root});
    return at->second;
  }

  /// Returns nullopt for the kernel's own memory, which a plan cannot move.
  std::optional<MemoryId> memory_of(Node var) {
    const auto known = by_var_.find(tir::index(var.id()));
    if (known != by_var_.end()) return known->second;
    const Address address = scope_.address_of(var);
    if (!is_memory_of_caller(address)) return std::nullopt;
    return by_var_.emplace(tir::index(var.id()), memory_of_root(address)).first->second;
  }

  /// The memories of all variables that an expression mentions, each once.
  std::vector<MemoryId> memories_in(Node expr) {
    std::vector<MemoryId> found;
    std::unordered_set<std::uint32_t> seen;
    tir::walk_once(
        expr, [&](Node node) { return seen.insert(tir::index(node.id())).second; },
        [&](Node node, auto&& push) {
          tir::for_each_child(node, [&](Node child, const tir::FieldInfo&) { push(child); });
        },
        [&](Node node) {
          if (!node.is(Kind::Var) && !node.is(Kind::SizeVar)) return;
          const auto memory = memory_of(node);
          if (memory && std::ranges::find(found, *memory) == found.end()) found.push_back(*memory);
        });
    work_ += seen.size();
    return found;
  }

  /// A workspace or a constant: an address inside a pool. TVM's ConvertPoolAllocationsToOffsets
  /// turns each allocation into one let.
  MemoryId add_let(Node var, const Address& address) {
    Memory memory{.kind = address.kind, .root = address.root};
    memory.let =
        LetTicks{std::string(var.text(f::Var::name)), address.root, std::nullopt, std::nullopt};
    if (address.offset_known && address.offset >= 0) {
      memory.let->offset = static_cast<std::uint64_t>(address.offset);
    }
    memories_.push_back(std::move(memory));
    return memories_.size() - 1;
  }

  /// Binds a let. Returns whether its value is only an address, which touches nothing yet.
  bool bind(Node var, Node value) {
    // Only pointers need the memories of their value: values of numbers may be nested lets, each of
    // which would be searched again and again.
    const std::vector<MemoryId> in_value =
        is_pointer(var) ? memories_in(value) : std::vector<MemoryId>();
    scope_.bind(var, value);
    if (graph::is_workspace_allocation(value)) add_allocation(var);
    if (in_value.empty()) return false;
    if (in_value.size() > 1) {
      // A pointer to one of several memories: code may use each of them through it from here on.
      keep_all_in(value);
      return false;
    }
    const Address address = scope_.address_of(var);
    const bool is_address = is_memory_of_caller(address);
    MemoryId memory = in_value.front();
    Memory& source = memories_[memory];
    const bool had_let = source.let.has_value();
    if (!is_address) {
      // A pointer that is loaded from the packed arguments, or from memory, may be any of them.
      if (source.kind == AddressKind::parameter && !source.let) source.is_kept = true;
    } else if (!source.let) {
      const bool is_new_address = address.inside && address.alias == var.id();
      memory = is_new_address ? add_let(var, address) : memory_of_root(address);
    }
    by_var_[tir::index(var.id())] = memory;
    const bool is_new_let = memory + 1 == memories_.size() && memories_[memory].let && !had_let;
    if (!is_new_let && (address.inside || !is_address || had_let)) {
      memories_[memory].has_other_names = true;
    }
    return is_address;
  }

  /// A match in a block is a second name of the same memory and may begin anywhere inside it.
  void match_buffers(Node block) {
    for (const Node match : block.list(f::Block::match_buffers)) {
      const Node source = match[f::MatchBufferRegion::source][f::BufferRegion::buffer];
      const auto memory = memory_of(source[f::Buffer::data]);
      const Node data = match[f::MatchBufferRegion::buffer][f::Buffer::data];
      if (!memory) continue;
      by_var_[tir::index(data.id())] = *memory;
      memories_[*memory].has_other_names = true;
    }
  }

  /// Treats reads and writes alike: both need the memory.
  void touch(Node var) {
    const auto memory = memory_of(var);
    if (!memory) return touch_allocation(var);
    include(memories_[*memory].touched, TickRange{now_, now_});
  }

  void add_allocation(Node var) {
    scope_.allocate(var);
    allocations_.try_emplace(tir::index(var.id()),
                             AllocationTicks{std::string(var.text(f::Var::name)), std::nullopt});
  }

  void touch_allocation(Node var) {
    const Address address = scope_.address_of(var);
    if (address.kind != AddressKind::local || unused_.contains(tir::index(var.id()))) return;
    const auto found = allocations_.find(address.root);
    if (found != allocations_.end()) include(found->second.touched, TickRange{now_, now_});
  }

  void keep_all_in(Node expr) {
    for (const MemoryId memory : memories_in(expr)) memories_[memory].is_kept = true;
  }

  /// A function may keep a pointer argument, and so may a struct that stores it.
  void enter_call(Node call) {
    const std::string_view op = graph::operator_of(call);
    if (op == "isnullptr" || op == "TVMBackendFreeWorkspace") {
      for (const Node arg : call.list(f::Call::args)) {
        unused_.insert(tir::index(graph::without_casts(arg).id()));
      }
    }
    if (graph::pointer_use(op) == graph::PointerUse::none) return;
    bool takes_memory = false;
    for (const Node arg : call.list(f::Call::args)) {
      if (!is_pointer(arg)) continue;
      keep_all_in(arg);
      takes_memory = takes_memory || !memories_in(arg).empty();
    }
    if (takes_memory || !is_pure(call)) add_unknown_callee(call, takes_memory);
  }

  void add_unknown_callee(Node call, bool takes_memory) {
    const auto symbol = unknown_callee(call);
    if (!symbol) return;
    bool& takes_any = unknown_callees_[*symbol];
    takes_any = takes_any || takes_memory;
  }

  /// Handles one node of a tick, before its children.
  Descend enter(Node node) {
    if (node.id() == bound_value_) return Descend::past_children;
    switch (node.kind()) {
      case Kind::LetStmt:
        if (bind(node[f::LetStmt::var], node[f::LetStmt::value])) {
          bound_value_ = node[f::LetStmt::value].id();
        }
        break;
      case Kind::Let:
        if (bind(node[f::Let::var], node[f::Let::value])) bound_value_ = node[f::Let::value].id();
        break;
      case Kind::Allocate:
        add_allocation(node[f::Allocate::buffer_var]);
        break;
      case Kind::Block:
        match_buffers(node);
        break;
      case Kind::Call:
        enter_call(node);
        break;
      case Kind::Evaluate:
        // `call_extern("ethosu_conv2d", …, input[0], …)` as a statement passes the tensor there.
        if (node[f::Evaluate::value].is(Kind::Call)) {
          for (const Node arg : node[f::Evaluate::value].list(f::Call::args)) {
            if (!arg.is(Kind::BufferLoad)) continue;
            keep_all_in(arg[f::BufferLoad::buffer]);
            if (!memories_in(arg[f::BufferLoad::buffer]).empty()) {
              add_unknown_callee(node[f::Evaluate::value], true);
            }
          }
        }
        break;
      case Kind::Store:
        if (is_pointer(node[f::Store::value])) keep_all_in(node[f::Store::value]);
        break;
      case Kind::BufferStore:
        if (is_pointer(node[f::BufferStore::value])) keep_all_in(node[f::BufferStore::value]);
        break;
      case Kind::AttrStmt:
        // Gives memory a new name; TVM removes it before it plans memory.
        if (node.text(f::AttrStmt::attr_key) == "buffer_bind_scope") is_followed_ = false;
        break;
      case Kind::OpaqueStmt:
      case Kind::OpaqueExpr:
        // Code that is not understood may do anything with the memory that it can reach.
        is_followed_ = false;
        break;
      case Kind::Var:
      case Kind::SizeVar:
        touch(node);
        break;
      default:
        break;
    }
    return Descend::into_children;
  }

  /// Reads everything below `part` as one tick. Meets a node that several ticks share in each of
  /// them.
  void tick(Node part) {
    if (!part) return;
    ++now_;
    seen_.clear();
    unused_.clear();
    Descend descend{};
    tir::walk_once(
        part,
        [&](Node node) {
          if (work_ >= kMaxWork || !seen_.insert(tir::index(node.id())).second) return false;
          ++work_;
          descend = enter(node);
          return true;
        },
        [&](Node node, auto&& push) {
          if (descend == Descend::past_children) return;
          tir::for_each_child(node, [&](Node child, const tir::FieldInfo&) { push(child); });
        },
        [](Node) {});
  }

  /// Reads an expression beside a statement as a tick, unless it is a number, which touches
  /// nothing.
  void tick_if_computed(Node expr) {
    if (expr && !expr.is(Kind::IntImm) && !expr.is(Kind::StringImm)) tick(expr);
  }

  /// Splits a statement that runs its parts in sequence; any other statement is one tick.
  void statement(Node stmt, std::vector<Node>& next) {
    switch (stmt.kind()) {
      case Kind::SeqStmt: {
        const tir::NodeList parts = stmt.list(f::SeqStmt::seq);
        for (std::size_t i = parts.size(); i > 0; --i) next.push_back(parts[i - 1]);
        return;
      }
      case Kind::LetStmt: {
        const Node value = stmt[f::LetStmt::value];
        if (!bind(stmt[f::LetStmt::var], value)) tick(value);
        next.push_back(stmt[f::LetStmt::body]);
        return;
      }
      case Kind::AttrStmt:
        if (stmt.text(f::AttrStmt::attr_key) == "buffer_bind_scope") is_followed_ = false;
        tick_if_computed(stmt[f::AttrStmt::value]);
        next.push_back(stmt[f::AttrStmt::body]);
        return;
      case Kind::AssertStmt:
        tick(stmt[f::AssertStmt::condition]);
        next.push_back(stmt[f::AssertStmt::body]);
        return;
      case Kind::Allocate:
        add_allocation(stmt[f::Allocate::buffer_var]);
        for (const Node extent : stmt.list(f::Allocate::extents)) tick_if_computed(extent);
        tick_if_computed(stmt[f::Allocate::condition]);
        next.push_back(stmt[f::Allocate::body]);
        return;
      case Kind::AllocateConst:
        scope_.allocate(stmt[f::AllocateConst::buffer_var]);
        next.push_back(stmt[f::AllocateConst::body]);
        return;
      case Kind::DeclBuffer:
        next.push_back(stmt[f::DeclBuffer::body]);
        return;
      case Kind::IfThenElse:
        // One of the branches runs; nothing happens in the ticks of the other one.
        tick(stmt[f::IfThenElse::condition]);
        if (stmt[f::IfThenElse::else_case]) next.push_back(stmt[f::IfThenElse::else_case]);
        next.push_back(stmt[f::IfThenElse::then_case]);
        return;
      default:
        tick(stmt);
        if (stmt.is(Kind::For)) find_in_place(stmt);
    }
  }

  /// Finds pairs now, while the lets still point to their memories at this place.
  void find_in_place(Node loop) {
    for (const InPlacePair& pair : in_place_pairs(loop, [&](Node var) { return memory_of(var); })) {
      in_place_.emplace_back(now_, pair);
    }
  }

  bool is_packed() const {
    return std::ranges::any_of(
        memories_, [](const Memory& memory) { return memory.kind == AddressKind::argument; });
  }

  /// Adds a memory to the result. If a pointer to it exists, it is in use until the last tick,
  /// because the time of its use is unknown.
  TickMemory finish(const Memory& memory, KernelTicks& result) const {
    std::optional<TickRange> touched = memory.touched;
    if (memory.is_kept) {
      if (!touched) touched = TickRange{0, 0};
      touched->last = result.count - 1;
    }
    if (memory.let) {
      result.lets.push_back(*memory.let);
      result.lets.back().touched = touched;
      return {memory.root, result.lets.size() - 1};
    }
    if (result.arguments.size() <= memory.root) result.arguments.resize(memory.root + 1);
    result.arguments[memory.root] = touched;
    return {memory.root, std::nullopt};
  }

  /// Whether the rest of the kernel permits a pair that one statement permits.
  bool is_in_place(const InPlacePair& pair, std::int64_t tick) const {
    const Memory& from = memories_[pair.from];
    const Memory& to = memories_[pair.to];
    for (const Memory* memory : {&from, &to}) {
      if (memory->is_kept || memory->has_other_names || !memory->touched) return false;
    }
    return from.touched->last == tick && to.touched->first == tick;
  }

  Node function_;
  graph::Scope scope_;
  std::vector<Memory> memories_;
  std::unordered_map<std::uint32_t, MemoryId> by_var_;
  std::map<std::pair<AddressKind, std::uint32_t>, MemoryId> by_root_;
  std::map<std::uint32_t, AllocationTicks> allocations_;  // by variable
  std::unordered_set<std::uint32_t> seen_;                // nodes of this tick
  std::unordered_set<std::uint32_t> unused_;  // pointers that the code only compares or frees
  tir::NodeId bound_value_ = tir::NodeId::none;
  std::vector<std::pair<std::int64_t, InPlacePair>> in_place_;
  std::size_t work_ = 0;
  std::int64_t now_ = -1;
  bool is_followed_ = true;
  std::map<std::string, bool> unknown_callees_;  // by name: whether it receives memory
};

}  // namespace

void TickRange::include(TickRange other) {
  first = std::min(first, other.first);
  last = std::max(last, other.last);
}

void include(std::optional<TickRange>& touched, const std::optional<TickRange>& range) {
  if (!range) return;
  if (!touched) touched = range;
  touched->include(*range);
}

std::optional<TickRange> KernelTicks::touched(std::size_t argument) const {
  std::optional<TickRange> result;
  if (argument < arguments.size()) result = arguments[argument];
  for (const LetTicks& let : lets) {
    if (let.argument == argument) include(result, let.touched);
  }
  return result;
}

KernelTicks::FoundLet KernelTicks::find_let(std::string_view name,
                                            std::optional<std::uint64_t> offset) const {
  FoundLet found;
  for (const LetTicks& let : lets) {
    if (let.name != name || let.offset != offset) continue;
    found.is_found = true;
    include(found.touched, let.touched);
  }
  return found;
}

KernelTicks kernel_ticks(Node function) {
  return TickScanner(function).run();
}

}  // namespace mlf::plan
