#include "graph/kernels/body_scan.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/kernels/callees.h"
#include "graph/node_queries.h"
#include "mlf/tir/module.h"
#include "support/lookup.h"
#include "tir/cmsis_nn.h"
#include "tir/ethos_u.h"

namespace mlf::graph {
namespace {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

// --- Functions that kernels call -----------------------------------------------------------------

/// The called function, if its code is missing: empty for operators of TIR, and for operators and
/// functions in callees.def. A function that this returns may do anything with memory.
// LLVM instructions have no memory of their own.
std::string unknown_callee(Node call) {
  const std::string_view symbol = callee_name(call);
  if (call[f::Call::op].is(Kind::GlobalVar)) return std::string(symbol);
  const std::string_view name = operator_of(call);
  const auto is_known = [](std::string_view one) {
    return is_arithmetic(one) || is_free_callee(one);
  };
  if (!is_calling(name)) return is_known(name) ? std::string() : std::string(name);
  if (name.starts_with("call_llvm_")) return {};
  if (symbol.empty()) return std::string(name);
  return is_known(symbol) || is_of_library(symbol) ? std::string() : std::string(symbol);
}

/// The first words of a text, on one line.
std::string one_line(std::string_view text) {
  constexpr std::size_t kMost = 60;
  std::string line;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (is_blank && (line.empty() || line.back() == ' ')) continue;
    if (line.size() >= kMost) return line + "...";
    line += is_blank ? ' ' : c;
  }
  return line;
}

/// The element at `i` of a list that grows on demand.
template <class T>
T& element(std::vector<T>& list, std::size_t i) {
  if (list.size() <= i) list.resize(i + 1);
  return list[i];
}

/// The beginning of code that is not understood, short enough for a sentence.
std::string describe_opaque(std::string_view kind, tir::NodeMap fields) {
  const std::string text = kind == "c" ? one_line(string_of(fields.find("text"))) : std::string();
  const std::string_view why = string_of(fields.find("why"));
  const std::string reason = why.empty() ? "" : ": " + std::string(why);
  if (!text.empty()) return quoted(text) + " is not understood" + reason;
  return "code of kind " + quoted(kind) + " is not understood";
}

/// Collects the facts of one body.
class Scanner {
 public:
  explicit Scanner(const KernelCode& code) : code_(code), inside_(code.order.size(), kNone) {}

  BodyScan run() && {
    for (const Node var : code_.rebound) {
      // The scope has only the last target, which may be unknown.
      const bool is_pointer =
          var.dtype().is_handle() || code_.address_of(var).kind != AddressKind::unknown;
      if (is_pointer) note_gap(quoted(var.text(f::Var::name)) + " points to several places");
    }
    for (const MemoryAccess& use : code_.accesses) note_use(use);
    for (std::size_t i = 0; i < code_.order.size(); ++i) note(i);
    if (!std::ranges::includes(held_, workspaces_)) {
      note_gap("a workspace that no variable holds is not understood");
    }
    for (const auto& [memory, bytes] : sizes_) scan_.memory[memory].buffer.bytes = bytes;
    for (const std::uint32_t parameter : contradicted_) scan_.shapes[parameter].reset();
    if (!scan_.gaps.empty()) leave_open();
    return std::move(scan_);
  }

 private:
  static constexpr std::size_t kNone = SIZE_MAX;

  void note_use(const MemoryAccess& use) {
    if (!code_.is_of_call(use.address)) return;
    Effect& effect = element(scan_.effects, use.address.root);
    if (use.kind >= AccessKind::tensor) effect.escaped |= use.kind != AccessKind::kept;
    using enum Effect::First;
    const bool is_guarded = code_.control(use.position).is_guarded;
    if (use.is_read && effect.first == none) effect.first = is_guarded ? guarded_read : read;
    if (use.is_written && effect.first == none) effect.first = write;
    effect.read |= use.is_read;
    effect.written |= use.is_written;
  }

  // Keeps equal sentences once: a statement in a macro may occur a hundred times.
  void note_gap(std::string what) {
    scan_.may_end_early = true;
    support::add_once(scan_.gaps, std::move(what));
  }

  // A return after the last statement of a body has no effect.
  void note_return(Node call, std::size_t position) {
    const tir::NodeList args = call.list(f::Call::args);
    const bool is_failure = args.size() == 1 && integer_of(args[0]).value_or(0) < 0;
    scan_.may_end_early |= !is_failure && code_.control(position).may_be_inside;
  }

  void note_shapes(const tir::CmsisCall& layer) {
    using tir::CmsisArgument;
    for (const CmsisArgument what : layer.arguments()) {
      if (!is_memory(what) || !layer.has(what) || what == CmsisArgument::context) continue;
      if (const auto memory = layer.memory(what)) state_shape(layer.argument(what), *memory);
    }
  }

  void state_shape(Node pointer, const tir::CmsisMemory& memory) {
    const Address address = code_.address_of(pointer);
    const bool is_whole = address.offset_known && address.offset == 0 && !address.inside;
    if (!code_.is_of_call(address) || !is_whole || address.alias != tir::NodeId::none) return;
    std::vector<std::int64_t> shape(memory.shape.begin(), memory.shape.end());
    StatedShape& known = element(scan_.shapes, address.root);
    if (known && *known != shape) contradicted_.insert(address.root);
    known = std::move(shape);
  }

  /// Only the commands determine which places of a pool an Ethos-U accesses.
  void note_work(const std::vector<tir::EthosUAccess>& accesses, Node call) {
    for (const tir::EthosUAccess& access : accesses) {
      const Node argument = call.list(f::Call::args)[access.argument];
      const Address address = code_.address_of(tir::ethos_u_pointer(argument));
      if (access.is_read && access.is_written && code_.is_of_call(address)) {
        add_place(argument, address);
      }
    }
  }

  /// A place in a parameter, which may be a pool.
  void add_place(Node var, const Address& address) {
    scan_.memory.push_back(
        {{.name = std::string(var.text(f::Var::name)), .memory = MemoryKind::pool},
         var.id(),
         address});
  }

  void note_call(std::size_t position, Node call) {
    if (const auto accesses = tir::ethos_u_accesses(call)) return note_work(*accesses, call);
    if (const auto layer = tir::CmsisCall::of(call)) return note_shapes(*layer);
    if (operator_of(call) == "ret") note_return(call, position);
    if (is_workspace_allocation(call)) workspaces_.insert(call.id());
    if (const std::string callee = unknown_callee(call); !callee.empty()) {
      note_gap("the effect of " + quoted(callee) + " is unknown");
    }
  }

  void note_let(std::size_t position, Node var, Node value) {
    if (is_workspace_allocation(value)) {
      held_.insert(without_casts(value).id());
      return allocate(position, var, MemoryKind::heap, bytes_of_workspace(value));
    }
    const Address address = code_.address_of(var);
    if (!code_.is_of_call(address)) return;
    if (address.alias == var.id()) {
      memory_of_var_.emplace(tir::index(var.id()), scan_.memory.size());
      add_place(var, address);
    } else if (!address.inside && address.kind == AddressKind::argument) {
      element(scan_.variables, address.root) = var;
    }
  }

  // Heap and stack memory is allocated at the beginning of its statement and freed at its end, so
  // allocations of consecutive statements do not exist at the same time.
  void allocate(std::size_t position, Node var, MemoryKind memory,
                std::optional<std::uint64_t> bytes) {
    KernelBuffer made{.name = std::string(var.text(f::Var::name)),
                      .memory = memory,
                      .bytes = bytes,
                      .at_least = bytes.value_or(0)};
    if (memory != MemoryKind::program) {
      made.is_conditional = code_.control(position).is_guarded;
      made.offset = 0;
      for (std::size_t at = inside_[position]; at != kNone; at = around_[at]) {
        const KernelBuffer& one = scan_.memory[at].buffer;
        if (one.memory != memory) continue;
        made.offset = sum_of(*made.offset, allocated_bytes(memory, one.at_least));
      }
      around_.emplace(scan_.memory.size(), inside_[position]);
      inside_[position] = scan_.memory.size();
    }
    scan_.memory.push_back({std::move(made), var.id()});
  }

  void note_buffer(Node buffer) {
    const Address address = code_.address_of(buffer[f::Buffer::data]);
    if (code_.is_of_call(address) && !address.inside) {
      Node& known = element(scan_.buffers, address.root);
      if (!known) known = buffer;
    }
    note_size(buffer);
  }

  // A place in a pool states no size; the Buffers at it do, if all of them state one.
  void note_size(Node buffer) {
    const auto at = memory_of_var_.find(tir::index(buffer[f::Buffer::data].id()));
    if (at == memory_of_var_.end()) return;
    const auto bytes = type_of_buffer(buffer).bytes();
    const auto [known, is_first] = sizes_.try_emplace(at->second, bytes);
    if (is_first) return;
    known->second = known->second && bytes ? std::max(known->second, bytes) : std::nullopt;
  }

  void note(std::size_t position) {
    const Node node = code_.order[position];
    if (const auto let = let_of(node)) note_let(position, let->var, let->value);
    if (const Node buffer = buffer_of(node)) note_buffer(buffer);
    switch (node.kind()) {
      case Kind::Allocate:
        allocate(position, node[f::Allocate::buffer_var], memory_of_allocate(node),
                 bytes_of(node.dtype(f::Allocate::dtype), node.list(f::Allocate::extents)));
        break;
      case Kind::AllocateConst:
        allocate(
            position, node[f::AllocateConst::buffer_var], MemoryKind::program,
            bytes_of(node.dtype(f::AllocateConst::dtype), node.list(f::AllocateConst::extents)));
        break;
      case Kind::DeclBuffer:
        note_buffer(node[f::DeclBuffer::buffer]);
        break;
      case Kind::OpaqueStmt:
        if (is_inert_text(node)) break;
        note_gap(
            describe_opaque(node.text(f::OpaqueStmt::type_key), node.map(f::OpaqueStmt::fields)));
        break;
      case Kind::OpaqueExpr:
        note_gap(
            describe_opaque(node.text(f::OpaqueExpr::type_key), node.map(f::OpaqueExpr::fields)));
        break;
      case Kind::Reduce:
        note_gap("a reduction of TE is not lowered");
        break;
      case Kind::Call:
        note_call(position, node);
        break;
      default:
        break;
    }
    // What is below an allocation is inside of it.
    for (const Part& part : code_.order.parts(position)) {
      std::size_t& inside = inside_[part.position];
      if (inside == kNone) inside = inside_[position];
    }
  }

  /// Code that is not understood can access every parameter and the function's own memory.
  void leave_open() {
    const std::size_t count = code_.function.list(f::PrimFunc::params).size();
    if (scan_.effects.size() < count) scan_.effects.resize(count);
    for (Effect& effect : scan_.effects) effect.escaped = effect.is_open = true;
    scan_.shapes.clear();
  }

  const KernelCode& code_;
  BodyScan scan_;
  std::set<std::uint32_t> contradicted_;                 // parameters with several shapes
  std::vector<std::size_t> inside_;                      // by position: the allocation around it
  std::unordered_map<std::size_t, std::size_t> around_;  // by allocation: the one around it
  std::unordered_map<std::uint32_t, std::size_t> memory_of_var_;
  std::set<tir::NodeId> workspaces_;  // calls that allocate
  std::set<tir::NodeId> held_;        // those whose address a let has
  // Sizes of the Buffers at a place, by position in memory; nullopt if one of them states none.
  std::unordered_map<std::size_t, std::optional<std::uint64_t>> sizes_;
};

}  // namespace

BodyScan scan_body(const KernelCode& code) {
  return Scanner(code).run();
}

// --- Copies --------------------------------------------------------------------------------------

namespace {

// With more iterations, the result is not worth the time.
constexpr std::uint64_t kMaxIterations = 1 << 20;
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
bool has_few_iterations(const IterationDomain& around) {
  std::uint64_t iterations = 1;
  for (const IterationDomain::Loop& loop : around.loops) {
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
bool agree_everywhere(IterationDomain around, const Bindings& bindings, Node to, Node from) {
  if (!has_few_iterations(around)) return false;
  around.compile(bindings);
  if (!around.add_term(to, 1, bindings) || !around.add_term(from, -1, bindings)) return false;
  auto nest = around.nest();
  if (!nest) return false;
  std::uint64_t steps = kMaxSteps;
  const auto values = values_in(*std::move(nest), steps);
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
  return to == from || agree_everywhere(code.around(*at), code.bindings, to, from);
}

}  // namespace mlf::graph
