// Calls, hooks and copies of main, whatever their form.
#include <algorithm>
#include <array>

#include "graph/main/main_body.h"
#include "graph/node_queries.h"

namespace mlf::graph {
namespace {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

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
  const auto at = std::find_if(kCallOperators.begin(), kCallOperators.end(),
                               [&](const Operator& op) { return op.name == name; });
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
  TensorType type;
  const auto ndim = integer_of(args[3]);
  // The element type is the dtype of a zero: cast(float32, 0).
  type.dtype = args[4].dtype();
  if (operator_of(args[1]) != "tvm_stack_make_shape") return type;
  std::vector<std::int64_t> shape;
  for (const Node extent : args[1].list(f::Call::args)) {
    const auto value = integer_of(extent);
    if (!value) return type;
    shape.push_back(*value);
  }
  // For tensors of an unknown callee, TVM writes handles without dimensions.
  if (type.dtype.is_handle()) return {};
  if (ndim == static_cast<std::int64_t>(shape.size())) type.shape = std::move(shape);
  return type;
}

/// The type that struct_sets gave an element of stack_array.
TensorType type_of_item(const Address& item, const Scope& scope) {
  TensorType type;
  const auto code = scope.field_integer(item, StructField::type_code);
  const auto bits = scope.field_integer(item, StructField::type_bits);
  const auto lanes = scope.field_integer(item, StructField::type_lanes);
  // The numbers come from the input, so check that they fit into a DType.
  if (!code || !bits || *bits < 0 || *bits > 255) return type;
  type.dtype = {static_cast<tir::TypeCode>(*code), static_cast<std::uint8_t>(*bits),
                static_cast<std::int16_t>(lanes.value_or(1))};
  if (type.dtype.code == tir::TypeCode::Handle) return {};
  const auto ndim = scope.field_integer(item, StructField::ndim);
  const Address at = scope.field_address(item, StructField::shape);
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
  return {scope.field_address(address, StructField::data), type_of_item(address, scope)};
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
  for (; scope.is_set_for_this_call(item, StructField::value_content); ++item.offset) {
    const Address content = scope.field_address(item, StructField::value_content);
    raw.arguments.push_back(argument_at(content, scope));
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

std::string_view callee_name(Node call) {
  // Since v0.13, the operator of a call may be a GlobalVar; older versions name the function in a
  // string.
  const Node op = call[f::Call::op];
  if (op.is(Kind::GlobalVar)) return op.text(f::GlobalVar::name_hint);
  const tir::NodeList args = call.list(f::Call::args);
  return args.empty() ? std::string_view() : string_of(args[0]);
}

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
