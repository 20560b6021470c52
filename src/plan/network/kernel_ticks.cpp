#include "plan/network/kernel_ticks.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "analysis/cost/callees.h"
#include "graph/kernels/callees.h"
#include "graph/kernels/iteration_domain.h"
#include "graph/node_queries.h"
#include "mlf/tir/module.h"
#include "mlf/tir/visit.h"
#include "tir/ethos_u.h"
#include "tir/linear_sum.h"

namespace mlf::plan {
namespace {

using graph::AccessKind;
using graph::Address;
using graph::AddressKind;
using graph::KernelCode;
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
  if (tir::is_ethos_u_call(call)) return std::nullopt;
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

// The limit for factors, extents and offsets: sums and products of two stay within 64 bits.
constexpr std::int64_t kMostOfIndex = std::int64_t{1} << 30;

bool is_small(std::int64_t number) {
  return number > -kMostOfIndex && number < kMostOfIndex;
}

/// Whether a statement of one tick keeps every access of its parts in place: in loops of constant
/// bounds, conditions, lets and stores, and nowhere else.
bool is_plain(Node statement) {
  switch (statement.kind()) {
    case Kind::For: {
      const auto min = graph::integer_of(statement[f::For::min]);
      const auto extent = graph::integer_of(statement[f::For::extent]);
      return min && extent && *extent >= 1 && is_small(*extent) && is_small(*min);
    }
    case Kind::AttrStmt:
      return !graph::is_thread_loop(statement);
    case Kind::SeqStmt:
    case Kind::IfThenElse:
    case Kind::LetStmt:
    case Kind::DeclBuffer:
    case Kind::BufferStore:
    case Kind::Store:
    case Kind::Evaluate:
      return true;
    default:
      return false;
  }
}

/// Whether a statement runs its parts one after the other, each in ticks of its own.
bool runs_in_sequence(Node statement) {
  switch (statement.kind()) {
    case Kind::SeqStmt:
    case Kind::LetStmt:
    case Kind::AssertStmt:
    case Kind::Allocate:
    case Kind::AllocateConst:
    case Kind::DeclBuffer:
    case Kind::IfThenElse:  // nothing happens in the ticks of the branch that does not run
      return true;
    case Kind::AttrStmt:
      return !graph::is_thread_loop(statement);
    default:
      return false;
  }
}

// --- Results over their inputs -------------------------------------------------------------------

/// Memory `to` may begin at the same byte as `from`.
struct InPlacePair {
  std::size_t from = 0;
  std::size_t to = 0;
};

/// A load or store of an element of a memory.
struct ElementUse {
  const graph::MemoryAccess* use = nullptr;
  std::size_t memory = 0;
};

using Index = tir::LinearSum<tir::NodeId>;

/// An index as TVM writes it after flattening: a sum of loop variables times numbers, all of them
/// small. Nothing for the division and modulo of fused loops: such loops give no pairs.
std::optional<Index> affine(Node expression) {
  constexpr std::size_t kMostParts = 4096;
  Index index;
  const auto look = [](Node part) {
    const Node value = graph::without_casts(part);
    return tir::is_plain_integer(value.dtype()) ? value : Node();
  };
  const auto add_term = [&](Node term, std::int64_t factor) {
    return tir::is_var(term) && index.add_term(term.id(), factor);
  };
  const bool is_all_small =
      tir::add_parts(expression, 1, kMostParts, index, look, add_term) &&
      is_small(index.constant) &&
      std::ranges::all_of(index.factors, [](const auto& one) { return is_small(one.second); });
  return is_all_small ? std::optional(std::move(index)) : std::nullopt;
}

/// Whether no two iterations have the same index: each factor exceeds the largest sum of all
/// smaller terms.
bool is_injective(const Index& index, const graph::IterationDomain& around) {
  std::vector<std::pair<std::int64_t, std::int64_t>> terms;  // factor, extent
  for (const graph::IterationDomain::Loop& loop : around.loops) {
    const auto extent = graph::constant_extent(loop.node);
    if (!extent) return false;
    if (*extent == 1) continue;
    const auto at = index.factors.find(graph::loop_variable(loop.node).id());
    // A loop whose variable is not in the index writes one element repeatedly.
    if (at == index.factors.end() || at->second < 0) return false;
    terms.emplace_back(at->second, static_cast<std::int64_t>(*extent));
  }
  // Variables of no loop here are constant.
  const bool has_others = std::ranges::any_of(
      index.factors, [&](const auto& one) { return !around.loop_of(one.first); });
  if (has_others) return false;
  // Like the digits of a number: the sum of all smaller digits is less than the next factor.
  std::ranges::sort(terms);
  std::int64_t reach = 0;
  for (const auto& [factor, extent] : terms) {
    if (factor <= reach || !is_small(factor * (extent - 1) + reach)) return false;
    reach += factor * (extent - 1);
  }
  return true;
}

/// The index of an access, counted from the beginning of its memory; undefined if there is none.
Node place_of(Node access) {
  const Node buffer = graph::buffer_of(access);
  const Node begin = buffer ? buffer[f::Buffer::elem_offset] : Node();
  const bool begins_with_memory = !begin || graph::integer_of(begin) == 0;
  return begins_with_memory ? graph::index_of(access) : Node();
}

/// 0 for a vector.
std::size_t bytes_of_one(Node access) {
  const tir::DType dtype = graph::dtype_of(access);
  return dtype.lanes == 1 ? static_cast<std::size_t>(dtype.element_bytes()) : 0;
}

/// Returns, for one statement that runs in a kernel, the pairs of memories of which it reads one
/// and writes the other, element by element. A pair is proven if
///   - one store writes `to`, and nothing else in the statement touches `to`;
///   - the only accesses to `from` are loads in the value of that store, of elements of the same
///     size and at the index of the store: an element is read before its place is written;
///   - no two iterations of the loops around it have the same index: it is never read again.
/// The caller must know that `from` is not needed later and `to` not earlier, and that all loops of
/// the statement have constant bounds. `uses` are those of the statement; `opaque` has the memories
/// that it uses in other ways.
/// Leaves out a result that the statement also reads or stores elsewhere, such as a sum: it may
/// still need the element that it overwrote.
std::vector<InPlacePair> in_place_pairs(const KernelCode& code, std::span<const ElementUse> uses,
                                        const std::unordered_set<std::size_t>& opaque) {
  std::vector<InPlacePair> found;
  for (const ElementUse& to : uses) {
    const auto same = [&](const ElementUse& one) { return one.memory == to.memory; };
    const bool is_only_use = std::ranges::count_if(uses, same) == 1;
    if (!to.use->is_written || !is_only_use || opaque.contains(to.memory)) continue;
    const Node store = code.order[to.use->position];
    const std::size_t bytes = bytes_of_one(store);
    const Node place = place_of(store);
    const auto index = place && bytes != 0 ? affine(place) : std::nullopt;
    // Each iteration writes a different element, so no later iteration reads what this one wrote.
    if (!index || code.is_shared(to.use->position) ||
        !is_injective(*index, code.around(to.use->position))) {
      continue;
    }
    // Each element is read in the value of the store to the same element, and therefore before the
    // store. Elements of another size would have other bounds. An index with a load is not affine.
    const auto permits = [&](const ElementUse& one) {
      const std::size_t at = one.use->position;
      const bool is_part = one.use->is_read && one.use->statement == to.use->position;
      if (!is_part || code.is_in_several(at) || bytes_of_one(code.order[at]) != bytes) return false;
      const Node from = place_of(code.order[at]);
      const auto loaded = from ? affine(from) : std::nullopt;
      return loaded == index;
    };
    std::unordered_set<std::size_t> tried;
    for (const ElementUse& from : uses) {
      const std::size_t memory = from.memory;
      if (memory == to.memory || opaque.contains(memory) || !tried.insert(memory).second) continue;
      const bool is_proven = std::ranges::all_of(
          uses, [&](const ElementUse& one) { return one.memory != memory || permits(one); });
      if (is_proven) found.push_back({memory, to.memory});
    }
  }
  return found;
}

// --- Ticks ---------------------------------------------------------------------------------------

using MemoryId = std::size_t;

struct Memory {
  AddressKind kind = AddressKind::parameter;  // or `argument`, of a packed function
  std::uint32_t root = 0;
  std::optional<LetTicks> let{};
  std::optional<Interval> touched{};
  bool is_kept = false;          // a pointer to it exists
  bool has_other_names = false;  // other pointers point into it, possibly not to its first byte
};

/// The memory of the function's caller, and what the function allocates.
/// Every variable that points into memory of a parameter belongs to one `Memory`: that of the
/// parameter, or that of a let with an address inside it. A chain of lets shares one memory, so a
/// second name of a pointer hides no access.
class TickMemories {
 public:
  explicit TickMemories(const KernelCode& code) : code_(code) {}

  Memory& operator[](MemoryId memory) { return all[memory]; }
  const Memory& operator[](MemoryId memory) const { return all[memory]; }

  /// Returns nullopt for the kernel's own memory, which a plan cannot move.
  std::optional<MemoryId> memory_of(Node var) {
    const auto known = by_var_.find(tir::index(var.id()));
    if (known != by_var_.end()) return known->second;
    const Address address = code_.address_of(var);
    if (!address.is_of_caller()) return std::nullopt;
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
          if (!tir::is_var(node)) return;
          const auto memory = memory_of(node);
          if (memory && std::ranges::find(found, *memory) == found.end()) found.push_back(*memory);
        });
    return found;
  }

  /// Binds a let. Returns whether its value is only an address, which touches nothing yet.
  bool bind(Node var, Node value) {
    // Only pointers need the memories of their value: values of numbers may be nested lets, each of
    // which would be searched again and again.
    const std::vector<MemoryId> in_value =
        is_pointer(var) ? memories_in(value) : std::vector<MemoryId>();
    if (graph::is_workspace_allocation(value)) add_allocation(var);
    if (in_value.empty()) return false;
    if (in_value.size() > 1) {
      // A pointer to one of several memories: code may use each of them through it from here on.
      keep_all_in(value);
      return false;
    }
    const Address address = code_.address_of(var);
    const bool is_address = address.is_of_caller();
    MemoryId memory = in_value.front();
    Memory& source = all[memory];
    const bool had_let = source.let.has_value();
    if (!is_address) {
      // A pointer that is loaded from the packed arguments, or from memory, may be any of them.
      if (source.kind == AddressKind::parameter && !source.let) source.is_kept = true;
    } else if (!source.let) {
      const bool is_new_address = address.inside && address.alias == var.id();
      memory = is_new_address ? add_let(var, address) : memory_of_root(address);
    }
    by_var_[tir::index(var.id())] = memory;
    const bool is_new_let = memory + 1 == all.size() && all[memory].let && !had_let;
    if (!is_new_let && (address.inside || !is_address || had_let)) {
      all[memory].has_other_names = true;
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
      all[*memory].has_other_names = true;
    }
  }

  void keep_all_in(Node expr) {
    for (const MemoryId memory : memories_in(expr)) all[memory].is_kept = true;
  }

  void add_allocation(Node var) {
    allocations.try_emplace(tir::index(var.id()),
                            AllocationTicks{std::string(var.text(f::Var::name)), std::nullopt});
  }

  std::vector<Memory> all{};
  std::map<std::uint32_t, AllocationTicks> allocations{};  ///< by variable

 private:
  /// The memory of a parameter, made on first use.
  MemoryId memory_of_root(const Address& address) {
    const auto [at, is_new] = by_root_.try_emplace({address.kind, address.root}, all.size());
    if (is_new) all.push_back({.kind = address.kind, .root = address.root});
    return at->second;
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
    all.push_back(std::move(memory));
    return all.size() - 1;
  }

  const KernelCode& code_;
  std::unordered_map<std::uint32_t, MemoryId> by_var_;
  std::map<std::pair<AddressKind, std::uint32_t>, MemoryId> by_root_;
};

/// Gives every node its ticks, in the order of the code, and every memory those of its uses.
class TickReader {
 public:
  explicit TickReader(const KernelCode& code) : code_(code), ticks_(code.order.size()) {}

  KernelTicks run() && {
    is_followed_ = code_.rebound.empty();
    is_sequence_.resize(ticks_.size());
    is_sequence_[0] = true;
    for (std::size_t i = 0; i < code_.order.size(); ++i) read(i);
    for (const graph::MemoryAccess& use : code_.accesses) {
      if (use.kind == AccessKind::element) add_element(use);
      if (use.kind == AccessKind::tensor) add_tensor(use);
    }
    KernelTicks result;
    result.count = std::max<std::int64_t>(now_ + 1, 1);
    // After MakePackedAPI a function has six parameters, which are not the arguments of a call.
    result.is_packed = code_.is_packed();
    std::vector<std::optional<TickMemory>> finished;  // by memory
    for (const Memory& memory : memories_.all) {
      finished.emplace_back();
      if (memory.kind == code_.kind_of_arguments()) {
        finished.back() = finish(memory, result);
        // Memory of the other kind of parameter, which calls do not state.
      } else if (memory.is_kept || memory.let) {
        is_followed_ = false;
      }
    }
    for (auto& [var, allocation] : memories_.allocations)
      result.allocations.push_back(std::move(allocation));
    for (const auto& [tick, one] : loops_) {
      for (const InPlacePair& pair : in_place_pairs(code_, one.uses, one.opaque)) {
        if (!is_in_place(pair, tick)) continue;
        const auto& from = finished[pair.from];
        const auto& to = finished[pair.to];
        if (from && to) result.in_place.push_back({tick, *from, *to});
      }
    }
    result.is_followed = is_followed_;
    result.unknown_callees = unknown_callees_;
    return result;
  }

 private:
  /// A loop that is one tick.
  struct TickLoop {
    std::vector<ElementUse> uses;
    std::unordered_set<std::size_t> opaque;  // memories with other uses
  };

  /// Treats reads and writes alike: both need the memory.
  void touch(Node var, const std::optional<Interval>& ticks) {
    if (const auto memory = memories_.memory_of(var))
      return include(memories_[*memory].touched, ticks);
    const Address address = code_.address_of(var);
    if (address.kind != AddressKind::local) return;
    const auto found = memories_.allocations.find(address.root);
    if (found != memories_.allocations.end()) include(found->second.touched, ticks);
  }

  /// Code gets the pointer: it may use any element.
  void mention(Node var, const std::optional<Interval>& ticks) {
    touch(var, ticks);
    const auto memory = memories_.memory_of(var);
    if (!memory || !ticks) return;
    const auto loop = loop_at(*ticks, *memory);
    if (loop != loops_.end()) loop->second.opaque.insert(*memory);
  }

  /// The loop that is one tick. A use in several ticks can be in none of them in place.
  std::map<std::int64_t, TickLoop>::iterator loop_at(const Interval& ticks, MemoryId memory) {
    if (ticks.upper == ticks.lower + 1) return loops_.find(ticks.lower);
    memories_[memory].has_other_names = true;
    return loops_.end();
  }

  void add_unknown_callee(Node call, bool takes_memory) {
    const auto symbol = unknown_callee(call);
    if (!symbol) return;
    bool& takes_any = unknown_callees_[*symbol];
    takes_any = takes_any || takes_memory;
  }

  /// A function may keep a pointer argument, and so may a struct that stores it.
  void read_call(Node call, const std::optional<Interval>& ticks) {
    const std::string_view op = graph::operator_of(call);
    if (op == "address_of") {
      const tir::NodeList args = call.list(f::Call::args);
      if (const Node data = args.size() == 1 ? graph::data_of_access(args[0]) : Node()) {
        mention(data, ticks);
      }
    }
    for (const Node arg : call.list(f::Call::args)) {
      const Node pointer = tir::passed_pointer(call, arg);
      if (pointer != arg) mention(pointer, ticks);
    }
    if (graph::pointer_use(op) == graph::PointerUse::none) return;
    bool takes_memory = false;
    for (const Node arg : call.list(f::Call::args)) {
      if (!is_pointer(arg)) continue;
      const std::vector<MemoryId> passed = memories_.memories_in(arg);
      for (const MemoryId memory : passed) memories_[memory].is_kept = true;
      takes_memory = takes_memory || !passed.empty();
    }
    if (takes_memory || !is_pure(call)) add_unknown_callee(call, takes_memory);
  }

  /// Gives the parts of a node their ticks.
  void pass_on(std::size_t position, Node skipped) {
    const Node whole = code_.order[position];
    const std::string_view op = graph::operator_of(whole);
    // Comparing or freeing memory does not use it.
    const bool is_unused = op == "isnullptr" || op == "TVMBackendFreeWorkspace";
    for (const graph::Part& part : code_.order.parts(position)) {
      if (part.node == skipped) continue;
      const std::size_t at = part.position;
      std::optional<Interval> ticks = ticks_[position];
      if (is_sequence_[position]) {
        if (!tir::is_expr(part.node.category())) {
          // A statement that runs at several places has no ticks of its own.
          is_followed_ = is_followed_ && !code_.is_shared(at);
          is_sequence_[at] = true;
          continue;
        }
        if (part.node.is(Kind::IntImm) || part.node.is(Kind::StringImm)) continue;
        ++now_;
        ticks = Interval{now_, now_ + 1};
      }
      const Node pointer = is_unused ? graph::without_casts(part.node) : part.node;
      const bool is_own = is_unused && tir::is_var(pointer) && !memories_.memory_of(pointer);
      if (is_own) continue;
      include(ticks_[at], ticks);
      if (tir::is_var(part.node)) mention(part.node, ticks);
    }
  }

  void begin_tick(std::size_t position) {
    ++now_;
    ticks_[position] = Interval{now_, now_ + 1};
    is_sequence_[position] = false;
    if (code_.order[position].is(Kind::For)) loops_.try_emplace(now_);
  }

  void read(std::size_t position) {
    const Node node = code_.order[position];
    if (is_sequence_[position] && !runs_in_sequence(node)) begin_tick(position);
    const std::optional<Interval> ticks = ticks_[position];
    const bool is_statement = !tir::is_expr(node.category());
    if (is_statement && ticks && !is_plain(node)) loops_.erase(ticks->lower);
    Node address;
    if (const auto let = graph::let_of(node); let && memories_.bind(let->var, let->value)) {
      address = let->value;
    }
    switch (node.kind()) {
      case Kind::Allocate:
        memories_.add_allocation(node[f::Allocate::buffer_var]);
        break;
      case Kind::Block:
        memories_.match_buffers(node);
        break;
      case Kind::Call:
        read_call(node, ticks);
        break;
      case Kind::Store:
      case Kind::BufferStore:
        if (is_pointer(graph::stored_value(node))) memories_.keep_all_in(graph::stored_value(node));
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
      default:
        break;
    }
    pass_on(position, address);
  }

  void add_element(const graph::MemoryAccess& use) {
    const std::optional<Interval>& ticks = ticks_[use.position];
    touch(use.pointer, ticks);
    const auto memory = memories_.memory_of(use.pointer);
    if (!memory || !ticks) return;
    const auto loop = loop_at(*ticks, *memory);
    if (loop != loops_.end()) loop->second.uses.push_back({&use, *memory});
  }

  void add_tensor(const graph::MemoryAccess& use) {
    const auto memory = memories_.memory_of(use.pointer);
    if (!memory) return;
    memories_[*memory].is_kept = true;
    add_unknown_callee(code_.order[use.position][f::Evaluate::value], true);
  }

  /// Adds a memory to the result. If a pointer to it exists, it is in use until the last tick,
  /// because the time of its use is unknown.
  TickMemory finish(const Memory& memory, KernelTicks& result) const {
    std::optional<Interval> touched = memory.touched;
    if (memory.is_kept) {
      if (!touched) touched = Interval{0, 1};
      touched->upper = result.count;
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
    return from.touched->upper == tick + 1 && to.touched->lower == tick;
  }

  const KernelCode& code_;
  std::vector<std::optional<Interval>> ticks_;  // by position; nothing: it touches nothing
  std::vector<bool> is_sequence_;               // by position: its parts have ticks of their own
  TickMemories memories_{code_};
  std::map<std::int64_t, TickLoop> loops_;  // by tick
  std::int64_t now_ = -1;
  bool is_followed_ = true;
  std::map<std::string, bool> unknown_callees_;
};

}  // namespace

void include(Interval& all, const Interval& ticks) {
  all.lower = std::min(all.lower, ticks.lower);
  all.upper = std::max(all.upper, ticks.upper);
}

void include(std::optional<Interval>& touched, const std::optional<Interval>& ticks) {
  if (!ticks) return;
  if (!touched) touched = ticks;
  include(*touched, *ticks);
}

std::optional<Interval> KernelTicks::touched(std::size_t argument) const {
  std::optional<Interval> result;
  if (argument < arguments.size()) result = arguments[argument];
  for (const LetTicks& let : lets) {
    if (let.argument == argument) include(result, let.touched);
  }
  return result;
}

KernelTicks::FoundBuffer KernelTicks::find(const graph::KernelBuffer& buffer) const {
  FoundBuffer found;
  const auto add = [&](const std::optional<Interval>& ticks) {
    found.is_found = true;
    include(found.touched, ticks);
  };
  for (const LetTicks& let : lets) {
    if (buffer.pool && let.name == buffer.name && let.offset == buffer.offset) add(let.touched);
  }
  for (const AllocationTicks& own : allocations) {
    if (!buffer.pool && own.name == buffer.name) add(own.touched);
  }
  return found;
}

KernelTicks kernel_ticks(const KernelCode& code) {
  return TickReader(code).run();
}

}  // namespace mlf::plan
