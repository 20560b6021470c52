#include "graph/kernels/body_scan.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "graph/allocations.h"
#include "graph/kernels/callees.h"
#include "graph/node_queries.h"
#include "mlf/tir/module.h"
#include "mlf/tir/visit.h"
#include "tir/cmsis_nn.h"
#include "tir/ethos_u.h"

namespace mlf::graph {
namespace {

using tir::Descend;
using tir::Kind;
using tir::Node;
namespace f = tir::f;

// --- Functions that kernels call -----------------------------------------------------------------

/// The called function, if its code is missing: empty for operators of TIR, and for operators and
/// functions in callees.def. A function that this returns may do anything with memory.
// LLVM instructions have no memory of their own.
std::string unknown_callee(Node call) {
  const Node op = call[f::Call::op];
  if (op.is(Kind::GlobalVar)) return std::string(op.text(f::GlobalVar::name_hint));
  const std::string_view name = operator_of(call);
  const auto is_known = [](std::string_view one) {
    return is_arithmetic(one) || is_free_callee(one);
  };
  if (!is_calling(name)) return is_known(name) ? std::string() : std::string(name);
  if (name.starts_with("call_llvm_")) return {};
  const tir::NodeList args = call.list(f::Call::args);
  const std::string_view symbol = args.empty() ? std::string_view() : string_of(args[0]);
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

bool is_loop(Node node) {
  return node.is(Kind::For) || node.is(Kind::While);
}

/// The beginning of code that is not understood, short enough for a sentence.
std::string describe_opaque(std::string_view kind, tir::NodeMap fields) {
  const std::string text = kind == "c" ? one_line(string_of(fields.find("text"))) : std::string();
  if (!text.empty()) return quoted(text) + " is not understood";
  return "code of kind " + quoted(kind) + " is not understood";
}

/// Follows one body in the order of its text and notes the accesses to each parameter's memory.
/// A Scope resolves pointers, so lets, casts, access pointers and match_buffers all lead back to
/// their parameter. Loads and stores are then reads and writes of that parameter; the first one in
/// the text determines whether old content matters. A pointer argument of an extern function is an
/// escape: the body does not show what happens to its memory.
class Scanner {
 public:
  explicit Scanner(Node function) : function_(function), scope_(function) {}

  BodyScan run() && {
    tir::NodeSet seen(function_.module());
    tir::walk(
        function_[f::PrimFunc::body], seen, [this](Node node) { return enter(node); },
        [this](Node node) { leave(node); });
    // A packed function reads the types of its own parameters only to check them.
    const bool is_packed = !arguments_.effects.empty() || !arguments_.vars.empty();
    PerParameter& found = is_packed ? arguments_ : parameters_;
    std::vector<StatedShape> shapes;
    for (Stated& stated : found.stated) {
      shapes.push_back(stated.is_contradictory ? StatedShape() : std::move(stated.shape));
    }
    if (!gaps_.empty()) {
      leave_open(found);
      shapes.clear();
    }
    return {is_packed,
            std::move(found.effects),
            std::move(found.buffers),
            std::move(found.vars),
            std::move(shapes),
            std::move(memory_),
            std::move(gaps_),
            may_end_early_};
  }

 private:
  /// The facts that a call passes to a library function about a tensor.
  struct Stated {
    StatedShape shape;
    bool is_contradictory = false;
  };
  // Keeps both numberings, by parameter and by packed argument: the end of the body shows which one
  // applies.
  struct PerParameter {
    std::vector<Effect> effects;
    std::vector<Node> buffers;
    std::vector<Node> vars;
    std::vector<Stated> stated;
  };

  static bool is_guard(Node node) {
    return node.is(Kind::IfThenElse) || node.is(Kind::Select) ||
           operator_of(node) == "if_then_else";
  }

  static bool is_extern(Node call) {
    const std::string_view op = operator_of(call);
    return op.starts_with("call_") || op.starts_with("tvm_call_") ||
           call[f::Call::op].is(Kind::GlobalVar);
  }

  PerParameter* per_parameter(const Address& address) {
    if (address.kind == AddressKind::parameter) return &parameters_;
    if (address.kind == AddressKind::argument) return &arguments_;
    return nullptr;
  }

  Effect* effect_of(const Address& address) {
    PerParameter* found = per_parameter(address);
    return found == nullptr ? nullptr : &element(found->effects, address.root);
  }

  void read(Node data) {
    Effect* effect = effect_of(scope_.address_of(data));
    if (effect == nullptr) return;
    effect->read = true;
    if (effect->first == Effect::First::none) {
      effect->first = guards_ > 0 ? Effect::First::guarded_read : Effect::First::read;
    }
  }

  void write(Node data) {
    Effect* effect = effect_of(scope_.address_of(data));
    if (effect == nullptr) return;
    effect->written = true;
    if (effect->first == Effect::First::none) effect->first = Effect::First::write;
  }

  void escape(Node pointer) {
    Effect* effect = effect_of(scope_.address_of(pointer));
    if (effect != nullptr) effect->escaped = true;
  }

  // tvm_access_ptr(type, data, offset, extent, rw_mask): 1 reads, 2 writes, 3 does both.
  void access_by_mask(Node call) {
    const tir::NodeList args = call.list(f::Call::args);
    if (args.size() != 5) return;
    const auto mask = integer_of(args[4]).value_or(3);
    if ((mask & 1) != 0) read(args[1]);
    if ((mask & 2) != 0) write(args[1]);
  }

  // As a statement, `call_extern("ethosu_conv2d", …, input[0], …)` passes the tensor at that place.
  void escape_loads(Node call) {
    if (tir::ethos_u_accesses(call)) return;
    for (const Node arg : call.list(f::Call::args)) {
      if (arg.is(Kind::BufferLoad)) escape(arg[f::BufferLoad::buffer][f::Buffer::data]);
    }
  }

  // Keeps equal sentences once: a statement in a macro may occur a hundred times.
  void note_gap(std::string what) {
    may_end_early_ = true;
    if (std::find(gaps_.begin(), gaps_.end(), what) == gaps_.end())
      gaps_.push_back(std::move(what));
  }

  // A return after the last statement of a body has no effect.
  void note_return(Node call) {
    const tir::NodeList args = call.list(f::Call::args);
    const bool is_failure = args.size() == 1 && integer_of(args[0]).value_or(0) < 0;
    if (!is_failure && (guards_ > 0 || loops_ > 0)) may_end_early_ = true;
  }

  /// A layer of CMSIS-NN reads its inputs and weights, and writes all of its output. It writes its
  /// context before it reads it.
  void enter_layer(const tir::CmsisCall& layer) {
    using tir::CmsisArgument;
    for (const CmsisArgument what : layer.arguments()) {
      if (!is_memory(what) || !layer.has(what)) continue;
      const Node pointer = without_casts(layer.argument(what));
      const bool is_written = what == CmsisArgument::output || what == CmsisArgument::context;
      is_written ? write(pointer) : read(pointer);
      const auto memory = layer.memory(what);
      if (memory && what != CmsisArgument::context) state_shape(pointer, *memory);
    }
  }

  void state_shape(Node pointer, const tir::CmsisMemory& memory) {
    const Address address = scope_.address_of(pointer);
    PerParameter* const found = per_parameter(address);
    const bool is_whole = address.offset_known && address.offset == 0 && !address.inside;
    if (found == nullptr || !is_whole || address.alias != tir::NodeId::none) return;
    std::vector<std::int64_t> shape(memory.shape.begin(), memory.shape.end());
    Stated& stated = element(found->stated, address.root);
    stated.is_contradictory |= stated.shape && *stated.shape != shape;
    stated.shape = std::move(shape);
  }

  /// A load here is the address of its element. Only the commands determine which places of a pool
  /// they access.
  void enter_ethos_u(Node call, std::span<const tir::EthosUAccess> accesses) {
    for (const tir::EthosUAccess& access : accesses) {
      const Node argument = call.list(f::Call::args)[access.argument];
      const Node pointer = without_casts(tir::ethos_u_pointer(argument));
      if (pointer != argument) addresses_.insert(tir::index(argument.id()));
      if (access.is_written) write(pointer);
      if (access.is_read) read(pointer);
      const Address address = scope_.address_of(pointer);
      const bool is_work = access.is_read && access.is_written;
      if (!is_work || per_parameter(address) == nullptr) continue;
      memory_.push_back({MemoryKind::pool, std::string(argument.text(f::Var::name)), std::nullopt,
                         argument.id(), address});
    }
  }

  void enter_call(Node call) {
    if (const auto accesses = tir::ethos_u_accesses(call)) return enter_ethos_u(call, *accesses);
    if (const auto layer = tir::CmsisCall::of(call)) return enter_layer(*layer);
    const std::string_view op = operator_of(call);
    if (op == "ret") note_return(call);
    if (const std::string callee = unknown_callee(call); !callee.empty()) {
      note_gap("the effect of " + quoted(callee) + " is unknown");
    }
    if (op == "tvm_access_ptr") return access_by_mask(call);
    if (touches_nothing(op)) return;
    for (const Node arg : call.list(f::Call::args)) {
      const Node pointer = without_casts(arg);
      // tvm_access_ptr states the access to its memory itself.
      if (operator_of(pointer) != "tvm_access_ptr") escape(pointer);
    }
  }

  void bind(Node let, Node var, Node value) {
    if (is_workspace_allocation(value)) {
      return allocate(let, var, MemoryKind::heap, bytes_of_workspace(value));
    }
    scope_.bind(var, value);
    const Address address = scope_.address_of(var);
    PerParameter* found = per_parameter(address);
    if (found == nullptr) return;
    if (address.alias == var.id()) {
      memory_of_var_.emplace(tir::index(var.id()), memory_.size());
      memory_.push_back(
          {MemoryKind::pool, std::string(var.text(f::Var::name)), std::nullopt, var.id(), address});
    } else if (!address.inside && address.kind == AddressKind::argument) {
      element(found->vars, address.root) = var;
    }
    bound_value_ = value.id();
  }

  std::uint64_t allocated_around(MemoryKind memory) const {
    std::uint64_t bytes = 0;
    for (const OpenAllocation& around : open_) {
      const BodyMemory& one = memory_[around.memory];
      if (one.memory == memory) {
        bytes = sum_of(bytes, allocated_bytes(memory, one.bytes.value_or(0)));
      }
    }
    return bytes;
  }

  // Heap and stack memory is allocated at the beginning of its statement and freed at its end, so
  // allocations of consecutive statements do not exist at the same time.
  void allocate(Node statement, Node var, MemoryKind memory, std::optional<std::uint64_t> bytes) {
    scope_.allocate(var);
    BodyMemory made{memory, std::string(var.text(f::Var::name)), bytes, var.id(), {}};
    if (memory != MemoryKind::program) {
      made.below = allocated_around(memory);
      made.is_conditional = guards_ > 0;
      open_.push_back({statement.id(), memory_.size()});
    }
    memory_.push_back(std::move(made));
  }

  void match_buffers(Node block) {
    for (const Node match : block.list(f::Block::match_buffers)) {
      const Node source = match[f::MatchBufferRegion::source][f::BufferRegion::buffer];
      scope_.bind(match[f::MatchBufferRegion::buffer][f::Buffer::data],
                  scope_.address_of(source[f::Buffer::data]));
    }
  }

  void declare(Node buffer) {
    const Address address = scope_.address_of(buffer[f::Buffer::data]);
    PerParameter* found = per_parameter(address);
    if (found == nullptr || address.inside) return;
    Node& known = element(found->buffers, address.root);
    if (!known) known = buffer;
  }

  // A place in a pool states no size; the Buffers at it do, if all of them state one.
  void note_size(Node buffer) {
    const auto at = memory_of_var_.find(tir::index(buffer[f::Buffer::data].id()));
    if (at == memory_of_var_.end()) return;
    const auto bytes = type_of_buffer(buffer).bytes();
    const auto [known, is_first] = sizes_.try_emplace(at->second, bytes);
    if (!is_first)
      known->second = known->second && bytes ? std::max(known->second, bytes) : std::nullopt;
    memory_[at->second].bytes = known->second;
  }

  Descend enter(Node node) {
    if (is_guard(node)) ++guards_;
    if (is_loop(node)) ++loops_;
    // A let of an address is not an access yet.
    if (node.id() == bound_value_) return Descend::past_children;
    switch (node.kind()) {
      case Kind::LetStmt:
        bind(node, node[f::LetStmt::var], node[f::LetStmt::value]);
        break;
      case Kind::Let:
        bind(node, node[f::Let::var], node[f::Let::value]);
        break;
      case Kind::Allocate:
        allocate(node, node[f::Allocate::buffer_var], memory_of_allocate(node),
                 bytes_of(node.dtype(f::Allocate::dtype), node.list(f::Allocate::extents)));
        break;
      case Kind::AllocateConst:
        allocate(
            node, node[f::AllocateConst::buffer_var], MemoryKind::program,
            bytes_of(node.dtype(f::AllocateConst::dtype), node.list(f::AllocateConst::extents)));
        break;
      case Kind::Block:
        match_buffers(node);
        break;
      case Kind::BufferLoad:
        if (addresses_.contains(tir::index(node.id()))) break;
        read(node[f::BufferLoad::buffer][f::Buffer::data]);
        break;
      case Kind::Load:
        if (addresses_.contains(tir::index(node.id()))) break;
        read(node[f::Load::buffer_var]);
        break;
      case Kind::Buffer:
        declare(node);
        note_size(node);
        break;
      case Kind::Evaluate:
        if (node[f::Evaluate::value].is(Kind::Call) && is_extern(node[f::Evaluate::value])) {
          escape_loads(node[f::Evaluate::value]);
        }
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
      case Kind::Call:
        enter_call(node);
        // The argument of address_of is an address, not a read.
        if (operator_of(node) == "address_of") return Descend::past_children;
        break;
      default:
        break;
    }
    return Descend::into_children;
  }

  // A store comes after the reads of its value and its indices.
  void leave(Node node) {
    if (!open_.empty() && open_.back().statement == node.id()) open_.pop_back();
    if (is_guard(node)) --guards_;
    if (is_loop(node)) --loops_;
    if (node.is(Kind::BufferStore)) write(node[f::BufferStore::buffer][f::Buffer::data]);
    if (node.is(Kind::Store)) write(node[f::Store::buffer_var]);
  }

  /// Code that is not understood can access every parameter and the function's own memory.
  void leave_open(PerParameter& parameters) const {
    const std::size_t count = function_.list(f::PrimFunc::params).size();
    if (parameters.effects.size() < count) parameters.effects.resize(count);
    for (Effect& effect : parameters.effects) effect.escaped = effect.is_open = true;
  }

  Node function_;
  Scope scope_;
  PerParameter parameters_;
  PerParameter arguments_;
  std::vector<BodyMemory> memory_;
  /// A heap or stack allocation whose body contains the current node.
  struct OpenAllocation {
    tir::NodeId statement;
    std::size_t memory;  // position in memory_
  };
  std::vector<OpenAllocation> open_;
  std::unordered_map<std::uint32_t, std::size_t> memory_of_var_;
  std::vector<std::string> gaps_;
  std::unordered_set<std::uint32_t> addresses_;  ///< loads whose address an Ethos-U operation uses
  bool may_end_early_ = false;
  // Sizes of the Buffers at a place, by position in memory_; nullopt if one of them does not state
  // its size.
  std::unordered_map<std::size_t, std::optional<std::uint64_t>> sizes_;
  int guards_ = 0;
  int loops_ = 0;
  tir::NodeId bound_value_ = tir::NodeId::none;
};

}  // namespace

BodyScan scan_body(Node function) {
  return Scanner(function).run();
}

}  // namespace mlf::graph
