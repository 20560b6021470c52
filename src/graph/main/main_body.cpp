#include "graph/main/main_body.h"

#include <unordered_map>
#include <unordered_set>

#include "graph/allocations.h"
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
/// values; `bind` reads allocations.
bool may_do_anything(Node node) {
  const std::string_view op = operator_of(node);
  const bool calls = op.starts_with("call_") || op.starts_with("tvm_call_") || is_kernel_call(node);
  if (!calls || is_workspace_allocation(node)) return false;
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

/// Whether a branch of main has an effect and must not be skipped: stores, loops, calls of
/// functions, an early end, and code that is not understood.
bool has_effect(Node node) {
  // After a failure of the runtime, main returns a value other than 0.
  const bool succeeds = operator_of(node) == "ret" && node.list(f::Call::args).size() == 1 &&
                        integer_of(node.list(f::Call::args)[0]) == 0;
  return succeeds || node.is(Kind::OpaqueStmt) || is_store(node) || node.is(Kind::For) ||
         node.is(Kind::While) || is_kernel_call(node);
}

/// The declared type of an AllocateConst.
TensorType type_of_constant(Node node) {
  TensorType type;
  type.dtype = node.dtype(f::AllocateConst::dtype);
  type.shape.emplace();
  for (const Node extent : node.list(f::AllocateConst::extents)) {
    type.shape->push_back(integer_of(extent).value_or(-1));
  }
  // If an extent is not constant or there are too many bytes, the shape is useless.
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

/// `printf("%d\n", x[0])`, also with values of the network. Its text must be there: a format may
/// store.
bool only_prints(std::string_view symbol, Node call) {
  if (!support::is_printer(symbol)) return false;
  const tir::NodeList arguments = call.list(f::Call::args);
  const bool has_text = arguments.size() > 1 && arguments[1].is(Kind::StringImm);
  if (symbol != "putchar" && !has_text) return false;
  if (has_text && support::format_stores(string_of(arguments[1]))) return false;
  NodeSet seen;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (has_below(arguments[i], seen, may_do_anything)) return false;
  }
  return true;
}

/// The first line of a text, if it is not too long.
std::string beginning_of(std::string_view text) {
  constexpr std::size_t kShown = 60;
  std::string shown(text.substr(0, std::min(text.find('\n'), kShown)));
  if (shown.size() < text.size()) shown += "…";
  return shown;
}

/// Walks over the statements of main in order (rule `statements` of schemas/topology.md). Main has
/// no control flow: AOTExecutorCodegen generates allocations around one sequence of calls. Any
/// other statement becomes an UnknownStatement, never an error.
class MainReader {
 public:
  MainReader(tir::Node function, const ReconstructLimits& limits)
      : function_(function), scope_(function), limits_(limits) {}

  MainBody run() && {
    push(function_[f::PrimFunc::body]);
    // A stack of remaining statements instead of recursion: lets in the input may nest to any
    // depth.
    std::uint64_t statements = 0;
    while (!stack_.empty()) {
      if (++statements > limits_.max_statements) {
        throw support::Error(
            ErrorKind::invalid_input,
            "main has more than " + std::to_string(limits_.max_statements) + " statements");
      }
      const Node node = stack_.back();
      stack_.pop_back();
      if (node) statement(node);
    }
    collect_parameters();
    return std::move(body_);
  }

 private:
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
        return store(node);
      case Kind::Evaluate:
        return evaluate(node[f::Evaluate::value]);
      case Kind::OpaqueStmt:
        return text(node);
      default:
        return unknown_statement("a statement of kind " + std::string(node.info().name));
    }
  }

  void add_local(Node var, MemoryKind memory, std::optional<std::uint64_t> bytes,
                 const TensorType& type = {}) {
    scope_.allocate(var);
    body_.locals.insert_or_assign(
        tir::index(var.id()),
        LocalMemory{std::string(var.text(f::Var::name)), memory, bytes, type});
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
    const auto known = inert_.find(tir::index(statement.id()));
    if (known != inert_.end()) return known->second;
    NodeSet seen;
    const bool inert = !has_below(statement, seen, has_effect);
    inert_.emplace(tir::index(statement.id()), inert);
    return inert;
  }

  void branch(Node node) {
    // In C, conditions contain calls: `if (kernel(a, b) != 0) return -1;`.
    evaluate(node[f::IfThenElse::condition]);
    for (const std::uint8_t field : {f::IfThenElse::then_case, f::IfThenElse::else_case}) {
      if (node[field] && !is_inert(node[field])) {
        return unknown_statement("a branch that is more than a check");
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
      unknown_statement("a loop that is not a copy");
    }
  }

  void store(Node node) {
    if (!store_on_stack(node, scope_)) unknown_statement("a store");
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
    std::string shown = beginning_of(string_of(node.map(f::OpaqueStmt::fields).find("text")));
    if (is_inert_text(node)) return body_.steps.push_back(IgnoredStatement{std::move(shown)});
    // It gets no memory of main.
    const std::string_view callee = string_of(node.map(f::OpaqueStmt::fields).find("calls"));
    if (!callee.empty()) return body_.steps.push_back(RawCall{.symbol = callee, .arguments = {}});
    unknown_statement(quoted(shown));
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
    if (only_prints(raw->symbol, node)) {
      return body_.steps.push_back(IgnoredStatement{std::string(raw->symbol)});
    }
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
      packed_argument(address).buffer = buffer;
    }
  }

  MainParameter& packed_argument(const Address& address) { return arguments_[address.root]; }

  // The first variable is the tensor ("arg.x" in old versions, "x" in new ones), then its data.
  void take_argument(Node var, const Address& address) {
    MainParameter& parameter = packed_argument(address);
    if (!parameter.name.empty()) return;
    std::string_view name = var.text(f::Var::name);
    if (name.starts_with("arg.")) name.remove_prefix(4);
    parameter.name = name;
  }

  // The parameters of main, or, after MakePackedAPI, those that main takes out of its TVMValues.
  void collect_parameters() {
    std::vector<MainParameter> own = parameters_of(function_);
    // A function that takes tensors out of TVMValues has no other tensor parameters.
    body_.is_packed = !arguments_.empty();
    if (!body_.is_packed) {
      body_.parameters = std::move(own);
      return;
    }
    for (std::size_t i = 0; i < own.size(); ++i) {
      body_.packed_api_parameters.emplace(static_cast<std::uint32_t>(i), std::move(own[i]));
    }
    // Main may not use some arguments, but their positions still count.
    body_.parameters.resize(std::size_t{arguments_.rbegin()->first} + 1);
    for (auto& [i, parameter] : arguments_) body_.parameters[i] = std::move(parameter);
  }

  void push(tir::Node node) { stack_.push_back(node); }

  void unknown_statement(std::string what) {
    body_.steps.push_back(UnknownStatement{std::move(what)});
  }

  tir::Node function_;
  Scope scope_;
  ReconstructLimits limits_;
  MainBody body_;
  std::map<std::uint32_t, MainParameter> arguments_;  // of a packed main
  std::vector<tir::Node> stack_;
  std::unordered_map<std::uint32_t, bool> inert_;  // by branch
  NodeSet harmless_;                               // nodes without calls in or below them
  int calls_inside_ = 0;                           // of expressions
};

}  // namespace

MainBody read_main(Node function, const ReconstructLimits& limits) {
  return MainReader(function, limits).run();
}

}  // namespace mlf::graph
