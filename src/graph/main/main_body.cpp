#include "graph/main/main_body.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "graph/node_queries.h"
#include "mlf/tir/visit.h"
#include "support/characters.h"
#include "support/error.h"

namespace mlf::graph {
namespace {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

/// Whether this is a call of a function that may do anything to the network. Operators only compute
/// values.
bool may_do_anything(Node node) {
  const std::string_view op = operator_of(node);
  const bool calls = op.starts_with("call_") || op.starts_with("tvm_call_") || is_kernel_call(node);
  // Lets of allocations are not evaluated, so no variable holds this one.
  if (is_workspace_allocation(node)) return true;
  if (!calls) return false;
  const std::string_view callee = callee_name(node);
  return callee != "TVMBackendFreeWorkspace" && callee != "TVMAPISetLastError";
}

using NodeSet = std::unordered_set<std::uint32_t>;

/// Whether `found` is true for a node or any node below it, except for nodes in `seen`. TIR shares
/// nodes, and hostile text may share them heavily, so this visits each node once.
template <class Found>
bool has_below(Node root, NodeSet& seen, Found found) {
  std::vector<Node> stack{root};
  while (!stack.empty()) {
    const Node node = stack.back();
    stack.pop_back();
    if (!seen.insert(tir::index(node.id())).second) continue;
    if (found(node)) return true;
    tir::for_each_child(node, [&](Node child, const tir::FieldInfo&) { stack.push_back(child); });
  }
  return false;
}

/// Whether a text has the name of what may be a macro before a parenthesis.
bool may_call_macro(std::string_view text) {
  for (std::size_t at = text.find('('); at != text.npos; at = text.find('(', at + 1)) {
    const std::size_t end = text.find_last_not_of(" \t", at - 1);
    if (at == 0 || end == text.npos) continue;
    std::size_t begin = end + 1;
    while (begin > 0 && support::is_word_character(text[begin - 1])) --begin;
    const std::string_view word = text.substr(begin, end + 1 - begin);
    if (!word.empty() && support::may_be_macro(word)) return true;
  }
  return false;
}

/// Whether code that is not understood may leave main without a failure, for which main returns a
/// negative number.
bool may_end_main(std::string_view text) {
  constexpr std::string_view kReturn = "return";
  for (std::size_t at = 0; (at = support::find_word(text, kReturn, at)) != text.npos;) {
    at += kReturn.size();
    const std::string_view value = support::trimmed(text.substr(at));
    const bool is_failure =
        value.size() > 1 && value[0] == '-' && value[1] >= '1' && value[1] <= '9';
    if (!is_failure) return true;
  }
  if (may_call_macro(text)) return true;
  constexpr std::array<std::string_view, 3> kLeave{"exit", "goto", "longjmp"};
  return std::ranges::any_of(
      kLeave, [&](std::string_view word) { return support::find_word(text, word) != text.npos; });
}

/// Whether the node is such an end of main.
bool is_end_of_main(Node node) {
  if (node.is(Kind::OpaqueStmt)) {
    return may_end_main(string_of(node.map(f::OpaqueStmt::fields).find("text")));
  }
  if (operator_of(node) != "ret") return false;
  const tir::NodeList args = node.list(f::Call::args);
  return args.size() != 1 || integer_of(args[0]).value_or(0) == 0;
}

/// Whether a branch of main has an effect and must not be skipped: stores, loops, allocations,
/// calls of functions, an early end, and code that is not understood.
bool has_effect(Node node) {
  // After a failure of the runtime, main returns a value other than 0.
  const bool succeeds = operator_of(node) == "ret" && node.list(f::Call::args).size() == 1 &&
                        integer_of(node.list(f::Call::args)[0]) == 0;
  return succeeds || node.is(Kind::OpaqueStmt) || is_store(node) || node.is(Kind::For) ||
         node.is(Kind::While) || node.is(Kind::Allocate) || is_workspace_allocation(node) ||
         is_kernel_call(node);
}

/// The declared type of an AllocateConst.
TensorType type_of_constant(Node node) {
  TensorType type =
      type_of(node.dtype(f::AllocateConst::dtype), node.list(f::AllocateConst::extents));
  // If there are too many bytes, the shape is useless.
  if (!type.bytes()) type.shape.reset();
  return type;
}

/// A store into tvm_stack_alloca memory fills the shape of a tensor struct. False for any other.
bool store_on_stack(Node node, Scope& scope) {
  const Address address = scope.address_of(data_of_access(node));
  if (address.kind != AddressKind::stack) return false;
  // One dimension only: TVM flattens buffers on the stack.
  const Node index = index_of(node);
  const auto element = index ? integer_of(index) : std::nullopt;
  if (element) scope.store(address, *element, stored_value(node));
  return true;
}

/// The parameters that main declares.
std::vector<MainParameter> parameters_of(Node function) {
  const tir::NodeList params = function.list(f::PrimFunc::params);
  std::vector<MainParameter> own(params.size());
  std::map<std::uint32_t, std::size_t> position;
  for (std::size_t i = 0; i < params.size(); ++i) {
    own[i].name = params[i].text(f::Var::name);
    own[i].is_own_data = true;
    position.emplace(tir::index(params[i].id()), i);
  }
  const tir::NodeMap buffers = function.map(f::PrimFunc::buffer_map);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const auto at = position.find(tir::index(buffers.key(i).id()));
    if (at == position.end()) continue;
    MainParameter& parameter = own[at->second];
    parameter.buffer = buffers.value(i);
    parameter.is_own_data = parameter.buffer[f::Buffer::data] == buffers.key(i);
  }
  return own;
}

/// The first line of a text, if it is not too long.
std::string beginning_of(std::string_view text) {
  constexpr std::size_t kShown = 60;
  std::string shown(text.substr(0, std::min(text.find('\n'), kShown)));
  if (shown.size() < text.size()) shown += "…";
  return shown;
}

// The parameters of main, or, after MakePackedAPI, those that main takes out of its TVMValues.
void set_parameters(Node function, std::map<std::uint32_t, MainParameter> arguments,
                    MainBody& body) {
  std::vector<MainParameter> own = parameters_of(function);
  // A function that takes tensors out of TVMValues has no other tensor parameters.
  body.is_packed = !arguments.empty();
  if (!body.is_packed) {
    body.parameters = std::move(own);
    return;
  }
  for (std::size_t i = 0; i < own.size(); ++i) {
    body.packed_api_parameters.emplace(static_cast<std::uint32_t>(i), std::move(own[i]));
  }
  // Main may not use some arguments, but their positions still count.
  body.parameters.resize(std::size_t{arguments.rbegin()->first} + 1);
  for (auto& [i, parameter] : arguments) body.parameters[i] = std::move(parameter);
}

/// The allocations that main has not freed.
class Heap {
 public:
  /// Returns the offset of an allocation. Its statements are read when `left` remain.
  std::uint64_t begin(std::size_t left, std::uint64_t bytes) {
    frees_early_ = frees_early_ || has_freed_;
    open_.push_back({left, allocated_});
    allocated_ = sum_of(allocated_, bytes);
    return open_.back().offset;
  }

  /// Ends the allocations whose statements have been read.
  void end(std::size_t left) {
    for (; !open_.empty() && left == open_.back().left; open_.pop_back()) {
      allocated_ = open_.back().offset;
      has_freed_ = true;
    }
  }

  /// Whether main allocates after it has freed memory.
  bool frees_early() const { return frees_early_; }

 private:
  struct Allocation {
    std::size_t left;
    std::uint64_t offset;
  };
  std::vector<Allocation> open_;
  std::uint64_t allocated_ = 0;
  bool has_freed_ = false;
  bool frees_early_ = false;
};

/// Walks over the statements of main in order (rule `statements` of schemas/topology.md). Main has
/// no control flow: AOTExecutorCodegen generates allocations around one sequence of calls. Any
/// other statement becomes an UnknownStatement, never an error.
class MainReader {
 public:
  explicit MainReader(tir::Node function) : function_(function), scope_(function) {}

  MainBody run() && {
    push(function_[f::PrimFunc::body]);
    // A stack of remaining statements instead of recursion: lets in the input may nest to any
    // depth.
    std::uint64_t statements = 0;
    while (!stack_.empty()) {
      if (++statements > kMostStatements) {
        throw support::Error(
            ErrorKind::invalid_input,
            "main has more than " + std::to_string(kMostStatements) + " statements");
      }
      const Node node = stack_.back();
      stack_.pop_back();
      if (node) statement(node);
      heap_.end(stack_.size());
    }
    if (!heap_.frees_early()) {
      for (auto& [var, local] : body_.locals) local.storage.offset.reset();
    }
    set_parameters(function_, std::move(arguments_), body_);
    return std::move(body_);
  }

 private:
  // Of one main, shared ones counted each time.
  static constexpr std::uint64_t kMostStatements = 50'000'000;

  void statement(Node node) {
    switch (node.kind()) {
      case Kind::SeqStmt: {
        const tir::NodeList seq = node.list(f::SeqStmt::seq);
        // Pushes the last one first, so that the first one is on top.
        for (std::size_t i = seq.size(); i-- > 0;) push(seq[i]);
        return;
      }
      case Kind::LetStmt:
        return let(node);
      // v0.8 wraps main in device_type and device_id, MakePackedAPI in compute_scope.
      case Kind::AttrStmt:
        return push(node[f::AttrStmt::body]);
      // MakePackedAPI generates checks of the arguments that it unpacks.
      case Kind::AssertStmt:
        return push(node[f::AssertStmt::body]);
      case Kind::DeclBuffer:
        declare(node[f::DeclBuffer::buffer]);
        return push(node[f::DeclBuffer::body]);
      case Kind::Allocate:
        return allocate(node);
      case Kind::AllocateConst:
        return allocate_constant(node);
      case Kind::IfThenElse:
        return branch(node);
      case Kind::For:
        return loop(node);
      case Kind::BufferStore:
      case Kind::Store:
        if (!store_on_stack(node, scope_)) unknown_statement("a store");
        return;
      case Kind::Evaluate:
        return evaluate(node[f::Evaluate::value]);
      case Kind::OpaqueStmt:
        return text(node);
      default:
        return unknown_statement("a statement of kind " + std::string(node.info().name), node);
    }
  }

  void add_local(Node var, MemoryKind memory, std::optional<std::uint64_t> bytes,
                 const TensorType& type = {}) {
    scope_.allocate(var);
    const bool is_constant = memory == MemoryKind::program;
    Storage storage{.name = std::string(var.text(f::Var::name)),
                    .kind = is_constant ? StorageKind::constant : StorageKind::workspace,
                    .memory = memory,
                    .bytes = bytes};
    if (memory == MemoryKind::heap) {
      storage.offset = heap_.begin(stack_.size(), allocated_bytes(memory, bytes.value_or(0)));
    }
    body_.locals.insert_or_assign(tir::index(var.id()), LocalMemory{std::move(storage), type});
  }

  // A let is an allocation (after LowerTVMBuiltin) or another name of an address.
  void bind(Node var, Node value) {
    if (is_workspace_allocation(value)) {
      return add_local(var, MemoryKind::heap, bytes_of_workspace(value));
    }
    scope_.bind(var, value);
    const Address address = scope_.address_of(var);
    // After USMP, "sid_3_let" is a place in a pool, and only its name distinguishes values.
    if (address.alias == var.id()) {
      body_.alias_addresses.insert_or_assign(
          tir::index(var.id()), NamedAddress{std::string(var.text(f::Var::name)), address});
    }
    note_lookup(address);
    if (address.kind == AddressKind::argument && !address.inside) take_argument(var, address);
  }

  void let(Node node) {
    // Edited code may keep the result of a kernel: `int32_t status = kernel(a, b);`.
    if (!is_workspace_allocation(node[f::LetStmt::value])) evaluate(node[f::LetStmt::value]);
    bind(node[f::LetStmt::var], node[f::LetStmt::value]);
    push(node[f::LetStmt::body]);
  }

  // "sid_<n>": int8, as many elements as bytes.
  void allocate(Node node) {
    add_local(node[f::Allocate::buffer_var], memory_of_allocate(node),
              bytes_of(node.dtype(f::Allocate::dtype), node.list(f::Allocate::extents)));
    push(node[f::Allocate::body]);
  }

  void allocate_constant(Node node) {
    const TensorType type = type_of_constant(node);
    add_local(node[f::AllocateConst::buffer_var], MemoryKind::program, type.bytes(), type);
    push(node[f::AllocateConst::body]);
  }

  // Null checks of allocations and checks of strides: branches that call nothing and write nothing.
  bool is_inert(Node statement) {
    const auto [known, is_new] = inert_.try_emplace(tir::index(statement.id()));
    NodeSet seen;
    if (is_new) known->second = !has_below(statement, seen, has_effect);
    return known->second;
  }

  void branch(Node node) {
    // In C, conditions contain calls: `if (kernel(a, b) != 0) return -1;`.
    evaluate(node[f::IfThenElse::condition]);
    for (const std::uint8_t field : {f::IfThenElse::then_case, f::IfThenElse::else_case}) {
      if (node[field] && !is_inert(node[field])) {
        return unknown_statement("a branch that is more than a check", node);
      }
    }
  }

  // If an input or constant is itself an output, AOTExecutorCodegen copies it in a loop over its
  // bytes.
  void loop(Node node) {
    if (const auto copy = copy_loop(node, scope_)) {
      note_lookup(copy->from);
      body_.steps.push_back(*copy);
    } else {
      unknown_statement("a loop that is not a copy", node);
    }
  }

  void evaluate(Node expr) {
    // Other expressions have no effect here: v0.9 to v0.12 print `Evaluate(0)` for an absent list
    // of hooks, and `ret` ends the function that MakeUnpackedAPI made.
    const Node kernel_call = call_inside(expr);
    if (kernel_call) return call(kernel_call);
    if (operator_of(expr) == "tvm_struct_set") return scope_.set_field(expr);
    look_for_calls(expr);
  }

  // Remembers harmless nodes, so that shared ones are not visited again.
  void look_for_calls(Node expr) {
    constexpr int kEnough = 100;
    if (calls_inside_ > kEnough || !has_below(expr, harmless_, may_do_anything)) return;
    ++calls_inside_;
    harmless_.clear();
    unknown_statement("a call inside of an expression");
  }

  // Code that users add to generated C: reading a counter, a hook, a check.
  void text(Node node) {
    const tir::NodeMap fields = node.map(f::OpaqueStmt::fields);
    std::string shown = beginning_of(string_of(fields.find("text")));
    if (is_inert_text(node)) return body_.steps.push_back(IgnoredStatement{std::move(shown)});
    // It gets no memory of main.
    const std::string_view callee = string_of(fields.find("calls"));
    if (!callee.empty()) return body_.steps.push_back(RawCall{.symbol = callee, .arguments = {}});
    const std::string_view why = string_of(fields.find("why"));
    const std::string reason = why.empty() ? "" : " (" + std::string(why) + ")";
    unknown_statement(quoted(shown) + reason, node);
  }

  void call(Node node) {
    if (const auto hook = device_hook(node, scope_)) {
      body_.steps.push_back(*hook);
      return;
    }
    auto raw = decode_call(node, scope_);
    // Also after a call that cannot be read: its arguments must not count as those of the next
    // call.
    scope_.end_call();
    if (!raw) return unknown_statement("a call of a function without a name");
    for (const RawArgument& argument : raw->arguments) note_lookup(argument.address);
    body_.steps.push_back(std::move(*raw));
  }

  // v0.8 with linked parameters: at run time, lookup_param("p0") finds a weight by its name.
  void note_lookup(const Address& address) {
    if (address.kind != AddressKind::lookup) return;
    const Node name = function_.module().node(static_cast<tir::NodeId>(address.root));
    body_.lookups.emplace(address.root, string_of(name));
  }

  // A Buffer of a packed argument states the type of the argument.
  void declare(Node buffer) {
    const Address address = scope_.address_of(buffer[f::Buffer::data]);
    if (address.kind == AddressKind::argument && !address.inside) {
      arguments_[address.root].buffer = buffer;
    }
  }

  // The first variable is the tensor ("arg.x" in old versions, "x" in new ones), then its data.
  void take_argument(Node var, const Address& address) {
    MainParameter& parameter = arguments_[address.root];
    if (!parameter.name.empty()) return;
    std::string_view name = var.text(f::Var::name);
    if (name.starts_with("arg.")) name.remove_prefix(4);
    parameter.name = name;
  }

  void push(tir::Node node) { stack_.push_back(node); }

  // Only the first end matters. Statements may share nodes: visits each once.
  void unknown_statement(std::string what, Node statement = {}) {
    const bool is_first_end =
        !may_have_ended_ && statement && has_below(statement, without_end_, is_end_of_main);
    may_have_ended_ = may_have_ended_ || is_first_end;
    body_.steps.push_back(UnknownStatement{std::move(what), is_first_end});
  }

  tir::Node function_;
  Scope scope_;
  MainBody body_;
  std::map<std::uint32_t, MainParameter> arguments_;  // of a packed main
  std::vector<tir::Node> stack_;
  std::unordered_map<std::uint32_t, bool> inert_;  // by branch
  NodeSet harmless_;                               // nodes without calls in or below them
  NodeSet without_end_;                            // nodes without an end of main in or below them
  bool may_have_ended_ = false;
  int calls_inside_ = 0;  // of expressions
  Heap heap_;
};

}  // namespace

MainBody read_main(Node function) {
  return MainReader(function).run();
}

namespace {

struct Operator {
  std::string_view name;
  CallForm form;
  bool is_lowered;  // the arguments are on the stack
};
// The call operators of AOTExecutorCodegen (kUnpacked, kCPacked and kPacked), and those that
// LowerTVMBuiltin makes from the packed ones.
constexpr std::array kCallOperators{
    Operator{"call_extern", CallForm::unpacked, false},
    Operator{"call_pure_extern", CallForm::unpacked, false},
    Operator{"tvm_call_cpacked", CallForm::c_packed, false},
    Operator{"tvm_call_packed", CallForm::packed, false},
    Operator{"tvm_call_cpacked_lowered", CallForm::c_packed, true},
    Operator{"tvm_call_packed_lowered", CallForm::packed, true},
};

const Operator* call_operator(Node call) {
  const std::string_view name = operator_of(call);
  const auto at = std::ranges::find(kCallOperators, name, &Operator::name);
  return at == kCallOperators.end() ? nullptr : &*at;
}

/// Functions of the C runtime are not kernels (rule `calls` of schemas/topology.md).
bool is_runtime(std::string_view symbol) {
  return symbol.starts_with("TVMBackend") || symbol.starts_with("TVMAPI") ||
         symbol.starts_with("TVMPlatform") || symbol == "memset";
}

// tvm_stack_make_array(data, shape, strides, ndim, dtype, elem_offset): LegalizePackedCalls wraps
// every tensor of a packed call in it.
TensorType type_of_array(Node array) {
  const tir::NodeList args = array.list(f::Call::args);
  // The element type is the dtype of a zero: cast(float32, 0).
  const tir::DType dtype = args[4].dtype();
  if (operator_of(args[1]) != "tvm_stack_make_shape") return {dtype, {}};
  const tir::NodeList extents = args[1].list(f::Call::args);
  TensorType type = type_of(dtype, extents);
  // For tensors of an unknown callee, TVM writes handles without dimensions.
  if (type.shape && dtype.is_handle()) return {};
  if (integer_of(args[3]) != static_cast<std::int64_t>(extents.size())) type.shape.reset();
  return type;
}

/// The type that struct_sets gave an element of stack_array.
TensorType type_of_item(const Address& item, const Scope& scope) {
  TensorType type;
  const auto number = [&](StructField field) { return scope.content(item, field).integer; };
  const auto code = number(StructField::type_code);
  const auto bits = number(StructField::type_bits);
  const auto lanes = number(StructField::type_lanes);
  // The numbers come from the input, so check that they fit into a DType.
  if (!code || !bits || *bits < 0 || *bits > 255) return type;
  type.dtype = {static_cast<tir::TypeCode>(*code), static_cast<std::uint8_t>(*bits),
                static_cast<std::int16_t>(lanes.value_or(1))};
  if (type.dtype.code == tir::TypeCode::Handle) return {};
  const auto ndim = number(StructField::ndim);
  const Address at = scope.content(item, StructField::shape).address;
  // 64 dimensions are more than any tensor has; the number comes from the input.
  if (!ndim || *ndim < 0 || *ndim > 64 || at.kind != AddressKind::stack) return type;
  std::vector<std::int64_t> shape;
  for (std::int64_t i = 0; i < *ndim; ++i) {
    const auto extent = scope.stored_integer(at.root, at.offset + i);
    if (!extent) return type;
    shape.push_back(*extent);
  }
  type.shape = std::move(shape);
  return type;
}

RawArgument argument_at(const Address& address, const Scope& scope) {
  // A tensor on the stack is a DLTensor: its data field points to the relevant memory.
  if (address.kind != AddressKind::stack) return {address, {}};
  return {scope.content(address, StructField::data).address, type_of_item(address, scope)};
}

RawArgument decode_argument(Node expr, const Scope& scope) {
  expr = without_casts(expr);
  if (operator_of(expr) == "tvm_stack_make_array" && expr.list(f::Call::args).size() == 6) {
    return {scope.address_of(expr.list(f::Call::args)[0]), type_of_array(expr)};
  }
  return argument_at(scope.address_of(expr), scope);
}

// call_lowered(name, stack_value, stack_tcode, begin, end[, context])
// TVM sets every value anew before each call. Uses these values instead of `end`: some versions
// include the context in it, some print one too few.
void decode_stack(Node call, const Scope& scope, RawCall& raw) {
  raw.argument_form = ArgumentForm::stack;
  const tir::NodeList args = call.list(f::Call::args);
  if (args.size() < 5) return;
  Address item = scope.address_of(args[1]);
  item.offset += integer_of(args[3]).value_or(0);
  for (;; ++item.offset) {
    const auto value = scope.content(item, StructField::value_content);
    if (!scope.is_for_this_call(value)) break;
    raw.arguments.push_back(argument_at(value.address, scope));
  }
  // A separate argument: TVM makes no TVMValue for the context.
  if (args.size() > 5) raw.arguments.push_back({scope.address_of(args[5]), {}});
}

/// Skips the lets of a copy loop's body: up to v0.12 they bind the pointers; from v0.13 on, TVM
/// declares buffers instead.
Node copy_store(Node statement, Scope& scope) {
  while (statement) {
    if (statement.is(Kind::LetStmt)) {
      scope.bind(statement[f::LetStmt::var], statement[f::LetStmt::value]);
      statement = statement[f::LetStmt::body];
    } else if (statement.is(Kind::DeclBuffer)) {
      statement = statement[f::DeclBuffer::body];
    } else if (statement.is(Kind::SeqStmt) && statement.list(f::SeqStmt::seq).size() == 1) {
      statement = statement.list(f::SeqStmt::seq)[0];
    } else {
      break;
    }
  }
  return statement && is_store(statement) ? statement : Node();
}

}  // namespace

bool is_kernel_call(Node node) {
  if (!node.is(Kind::Call)) return false;
  if (node[f::Call::op].is(Kind::GlobalVar)) return true;
  if (call_operator(node) == nullptr) return false;
  return !is_runtime(callee_name(node));
}

Node call_inside(Node expr) {
  if (is_kernel_call(expr)) return expr;
  // tvm_check_return(expected, otherwise, call): unpacked calls since v0.9. In C and after
  // lowering, it is a comparison of the result.
  if (operator_of(expr) == "tvm_check_return") {
    const tir::NodeList args = expr.list(f::Call::args);
    return args.size() == 3 && is_kernel_call(args[2]) ? args[2] : Node();
  }
  if (expr.is(Kind::NE) || expr.is(Kind::EQ)) {
    for (const std::uint8_t side : {f::NE::a, f::NE::b}) {
      if (is_kernel_call(without_casts(expr[side]))) return without_casts(expr[side]);
    }
  }
  return {};
}

// Hooks of the C device API (`--executor-aot-interface-api c`) are called like kernels.
std::optional<RawHook> device_hook(Node call, const Scope& scope) {
  const std::string_view symbol = callee_name(call);
  if (!symbol.starts_with("TVMDevice")) return std::nullopt;
  const tir::NodeList args = call.list(f::Call::args);
  RawHook hook{symbol, {}};
  // A hook only gets its name and the context.
  if (args.size() == 2) hook.context = scope.address_of(args[1]);
  return hook;
}

std::optional<RawCall> decode_call(Node call, const Scope& scope) {
  RawCall raw;
  raw.symbol = callee_name(call);
  if (raw.symbol.empty()) return std::nullopt;
  const Operator* op = call_operator(call);
  if (op != nullptr) raw.call_form = op->form;
  if (op != nullptr && op->is_lowered) {
    decode_stack(call, scope, raw);
    return raw;
  }
  const tir::NodeList args = call.list(f::Call::args);
  // The first argument of an operator is the name; a call of a GlobalVar has only the function's
  // arguments.
  for (std::size_t i = op != nullptr ? 1 : 0; i < args.size(); ++i) {
    const bool is_array = operator_of(args[i]) == "tvm_stack_make_array" ||
                          scope.address_of(args[i]).kind == AddressKind::stack;
    if (is_array) raw.argument_form = ArgumentForm::arrays;
    raw.arguments.push_back(decode_argument(args[i], scope));
  }
  return raw;
}

std::optional<RawCopy> copy_loop(Node loop, Scope& scope) {
  // One store of one load, each at the loop's own variable.
  const Node store = copy_store(loop[f::For::body], scope);
  if (!store) return std::nullopt;
  Node value = stored_value(store);
  while (value.is(Kind::Let)) {
    scope.bind(value[f::Let::var], value[f::Let::value]);
    value = value[f::Let::body];
  }
  const Node to = index_of(store);
  const Node from = is_load(value) ? index_of(value) : Node();
  // Both indices must be the loop variable; with another index, the loop does not copy the whole
  // tensor.
  if (!to || !from || to.id() != loop[f::For::loop_var].id() || from.id() != to.id()) {
    return std::nullopt;
  }
  RawCopy copy{scope.address_of(data_of_access(value)), scope.address_of(data_of_access(store)),
               std::nullopt};
  const auto count = integer_of(loop[f::For::extent]);
  if (count && *count >= 0)
    copy.bytes = static_cast<std::uint64_t>(*count) * counted_type(store).element_bytes();
  return copy;
}

}  // namespace mlf::graph
