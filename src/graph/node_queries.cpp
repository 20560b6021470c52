#include "graph/node_queries.h"

#include "support/numbers.h"

namespace mlf::graph {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

Node without_casts(Node expr) {
  while (expr.is(Kind::Cast)) expr = expr[f::Cast::value];
  return expr;
}

// Attributes contain integers as IntImm in older versions and as runtime boxes in newer ones.
std::optional<std::int64_t> integer_of(Node expr) {
  expr = without_casts(expr);
  if (expr.is(Kind::IntImm)) return expr.integer(f::IntImm::value);
  if (expr.is(Kind::BoxInt)) return expr.integer(f::BoxInt::value);
  if (expr.is(Kind::BoxBool)) return expr.integer(f::BoxBool::value);
  return std::nullopt;
}

// Without "tir.": the code here uses the names of operators in texts.
std::string_view operator_of(Node expr) {
  if (!expr.is(Kind::Call)) return {};
  const Node op = expr[f::Call::op];
  if (!op.is(Kind::Op)) return {};
  std::string_view name = op.text(f::Op::name);
  if (name.starts_with("tir.")) name.remove_prefix(4);
  return name;
}

// Since v0.13, the operator of a call may be a GlobalVar; older versions name the function in a
// string.
std::string_view callee_name(Node call) {
  const Node op = call[f::Call::op];
  if (op.is(Kind::GlobalVar)) return op.text(f::GlobalVar::name_hint);
  const tir::NodeList args = call.list(f::Call::args);
  return args.empty() ? std::string_view() : string_of(args[0]);
}

/// Omits a shape with an unknown extent, because no caller can use it.
TensorType type_of(tir::DType dtype, tir::NodeList extents) {
  TensorType type{dtype, {}};
  std::vector<std::int64_t> shape;
  for (const Node extent : extents) {
    const auto value = integer_of(extent);
    if (!value) return type;
    shape.push_back(*value);
  }
  type.shape = std::move(shape);
  return type;
}

TensorType type_of_buffer(Node buffer) {
  return type_of(buffer.dtype(f::Buffer::dtype), buffer.list(f::Buffer::shape));
}

bool is_inert_text(Node statement) {
  if (!statement.is(Kind::OpaqueStmt) || statement.text(f::OpaqueStmt::type_key) != "c") {
    return false;
  }
  return integer_of(statement.map(f::OpaqueStmt::fields).find("is_inert")).value_or(0) != 0;
}

std::optional<std::uint64_t> bytes_of(tir::DType dtype, tir::NodeList extents) {
  return type_of(dtype, extents).bytes();
}

std::optional<LetParts> let_of(Node node) {
  if (node.is(Kind::LetStmt)) {
    return LetParts{node[f::LetStmt::var], node[f::LetStmt::value], node[f::LetStmt::body]};
  }
  if (!node.is(Kind::Let)) return std::nullopt;
  return LetParts{node[f::Let::var], node[f::Let::value], node[f::Let::body]};
}

Node data_of_access(Node access) {
  switch (access.kind()) {
    case Kind::Load:
      return access[f::Load::buffer_var];
    case Kind::Store:
      return access[f::Store::buffer_var];
    case Kind::BufferLoad:
      return access[f::BufferLoad::buffer][f::Buffer::data];
    case Kind::BufferStore:
      return access[f::BufferStore::buffer][f::Buffer::data];
    default:
      return {};
  }
}

bool is_load(Node node) {
  return node.is(Kind::Load) || node.is(Kind::BufferLoad);
}

bool is_store(Node node) {
  return node.is(Kind::Store) || node.is(Kind::BufferStore);
}

Node stored_value(Node store) {
  return store.is(Kind::Store) ? store[f::Store::value] : store[f::BufferStore::value];
}

tir::DType dtype_of(Node node) {
  return is_store(node) ? stored_value(node).dtype() : node.dtype();
}

Node buffer_of(Node access) {
  if (access.is(Kind::BufferStore)) return access[f::BufferStore::buffer];
  return access.is(Kind::BufferLoad) ? access[f::BufferLoad::buffer] : Node();
}

Node index_of(Node access) {
  if (access.is(Kind::Store)) return access[f::Store::index];
  if (access.is(Kind::Load)) return access[f::Load::index];
  const tir::NodeList indices = access.is(Kind::BufferStore) ? access.list(f::BufferStore::indices)
                                                             : access.list(f::BufferLoad::indices);
  return indices.size() == 1 ? indices[0] : Node();
}

std::vector<Node> indices_of(Node access) {
  if (access.is(Kind::Store) || access.is(Kind::Load)) return {index_of(access)};
  std::vector<Node> indices;
  for (const Node index :
       access.list(access.is(Kind::BufferLoad) ? tir::FieldRef(f::BufferLoad::indices)
                                               : tir::FieldRef(f::BufferStore::indices))) {
    indices.push_back(index);
  }
  return indices;
}

tir::DType counted_type(Node access) {
  const Node buffer = buffer_of(access);
  return buffer ? buffer.dtype(f::Buffer::dtype) : dtype_of(access).element();
}

Node predicate_of(Node access) {
  Node predicate = access.is(Kind::Load)         ? access[f::Load::predicate]
                   : access.is(Kind::Store)      ? access[f::Store::predicate]
                   : access.is(Kind::BufferLoad) ? access[f::BufferLoad::predicate]
                                                 : access[f::BufferStore::predicate];
  return predicate.is(Kind::Broadcast) ? predicate[f::Broadcast::value] : predicate;
}

bool is_masked(Node access) {
  const Node predicate = predicate_of(access);
  return predicate && integer_of(predicate) != 1;
}

// --- Allocations ---------------------------------------------------------------------------------

namespace {

constexpr std::string_view kAllocate = "TVMBackendAllocWorkspace";
constexpr std::size_t kArguments = 5;  // device type, device id, bytes, type code, type bits

// runtime::kMaxStackAlloca (include/tvm/runtime/device_api.h).
constexpr std::uint64_t kFirstOnHeap = 1024;

std::string_view scope_of(Node var) {
  const Node type = var[f::Var::type_annotation];
  return type.is(Kind::PointerType) ? type.text(f::PointerType::storage_scope) : "";
}

/// AOT tags its own allocations "global.workspace"; those of kernels are in the plain scope.
bool is_in_plain_scope(Node var) {
  const std::string_view scope = scope_of(var);
  return scope.empty() || scope == "global";
}

}  // namespace

// LowerTVMBuiltin (src/tir/transforms/lower_tvm_builtin.cc) leaves small allocations of known size
// to the C compiler and asks the runtime for all others.
MemoryKind memory_of_allocate(Node allocate) {
  const auto bytes =
      bytes_of(allocate.dtype(f::Allocate::dtype), allocate.list(f::Allocate::extents));
  const bool is_small = bytes && *bytes > 0 && *bytes < kFirstOnHeap;
  const Node var = allocate[f::Allocate::buffer_var];
  const bool is_array = scope_of(var) == tir::kStackScope || (is_small && is_in_plain_scope(var));
  return is_array ? MemoryKind::stack : MemoryKind::heap;
}

// Before code generation, a call of an operator; in texts of some stages, a call of the C function.
bool is_workspace_allocation(Node expr) {
  expr = without_casts(expr);
  if (!expr.is(Kind::Call)) return false;
  const tir::NodeList args = expr.list(f::Call::args);
  if (operator_of(expr) == kAllocate) return args.size() == kArguments;
  return operator_of(expr) == "call_extern" && args.size() == kArguments + 1 &&
         string_of(args[0]) == kAllocate;
}

std::optional<std::uint64_t> bytes_of_workspace(Node allocation) {
  const tir::NodeList args = without_casts(allocation).list(f::Call::args);
  const auto bytes = integer_of(args[args.size() - 3]);
  if (!bytes || *bytes < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*bytes);
}

// TVM_RUNTIME_ALLOC_ALIGNMENT_BYTES of the stack allocator, in
// include/tvm/runtime/crt/stack_allocator.h.
std::uint64_t allocated_bytes(MemoryKind memory, std::uint64_t bytes) {
  constexpr std::uint64_t kAlignment = 16;
  if (memory != MemoryKind::heap || bytes > kMostBytes - kAlignment) return bytes;
  return support::round_up(bytes, kAlignment);
}

}  // namespace mlf::graph
