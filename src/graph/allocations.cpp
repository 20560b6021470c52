#include "graph/allocations.h"

#include "graph/node_queries.h"
#include "support/numbers.h"

namespace mlf::graph {
namespace {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

constexpr std::string_view kAllocate = "TVMBackendAllocWorkspace";
constexpr std::size_t kArguments = 5;  // device type, device id, bytes, type code, type bits

// runtime::kMaxStackAlloca (include/tvm/runtime/device_api.h).
constexpr std::uint64_t kFirstOnHeap = 1024;

/// AOT tags its own allocations "global.workspace"; those of kernels are in the plain scope.
bool is_in_plain_scope(Node var) {
  const Node type = var[f::Var::type_annotation];
  if (!type.is(Kind::PointerType)) return true;
  const std::string_view scope = type.text(f::PointerType::storage_scope);
  return scope.empty() || scope == "global";
}

}  // namespace

// LowerTVMBuiltin (src/tir/transforms/lower_tvm_builtin.cc) leaves small allocations of known size
// to the C compiler and asks the runtime for all others.
MemoryKind memory_of_allocate(Node allocate) {
  const auto bytes =
      bytes_of(allocate.dtype(f::Allocate::dtype), allocate.list(f::Allocate::extents));
  const bool is_small = bytes && *bytes > 0 && *bytes < kFirstOnHeap;
  const bool is_array = is_small && is_in_plain_scope(allocate[f::Allocate::buffer_var]);
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
