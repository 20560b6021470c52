#include "graph/scope.h"

#include "graph/node_queries.h"
#include "tir/linear_sum.h"

namespace mlf::graph {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

namespace {

// An edited number must not make mlf allocate as many parameters.
constexpr std::int64_t kMostArguments = 65'535;

/// The value of sums and products of numbers, unless they may wrap around.
std::optional<std::int64_t> number_of(Node index) {
  constexpr std::size_t kMostParts = 16;
  tir::LinearSum<tir::NodeId> sum;
  const bool is_number = tir::add_parts(
      index, 1, kMostParts, sum,
      [](Node part) { return tir::is_plain_integer(part.dtype()) ? part : Node(); },
      [](Node, std::int64_t) { return false; });
  return is_number ? std::optional(sum.constant) : std::nullopt;
}

}  // namespace

// Binds parameters, and the data of their Buffers in the function's maps: v0.9 and v0.10 have two
// maps, before and after flattening.
Scope::Scope(Node function) {
  const tir::NodeList params = function.list(f::PrimFunc::params);
  std::unordered_map<std::uint32_t, std::uint32_t> position;
  for (std::uint32_t i = 0; i < params.size(); ++i) {
    position.emplace(tir::index(params[i].id()), i);
    bind(params[i], Address{AddressKind::parameter, i});
  }
  for (const std::uint8_t field : {f::PrimFunc::buffer_map, f::PrimFunc::preflattened_buffer_map}) {
    const tir::NodeMap buffers = function.map(field);
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      const auto at = position.find(tir::index(buffers.key(i).id()));
      if (at == position.end()) continue;
      bind(buffers.value(i)[f::Buffer::data], Address{AddressKind::parameter, at->second});
    }
  }
}

void Scope::bind(Node var, Address address) {
  vars_.insert_or_assign(tir::index(var.id()), address);
}

void Scope::bind(Node var, Node value) {
  // The variable of the stack identifies it; the offset counts its elements.
  const std::string_view op = operator_of(value);
  if (op == "tvm_stack_alloca") {
    bind(var, Address{AddressKind::stack, tir::index(var.id())});
    return;
  }
  Address address = address_of(value);
  if (address.inside && address.alias == tir::NodeId::none) address.alias = var.id();
  bind(var, address);
}

void Scope::allocate(Node var) {
  bind(var, Address{AddressKind::local, tir::index(var.id())});
}

Address Scope::address_of(Node expr, int nesting) const {
  // C casts pointers when it passes them; the memory is the same.
  expr = without_casts(expr);
  if (tir::is_var(expr)) {
    const auto at = vars_.find(tir::index(expr.id()));
    return at == vars_.end() ? Address{} : at->second;
  }
  // C's other spelling of NULL.
  if (tir::int_imm_of(expr) == 0) return Address{AddressKind::null_handle};
  return expr.is(Kind::Call) && nesting > 0 ? address_of_call(expr, nesting - 1) : Address{};
}

// Handles the operators that make a pointer from another one; any other call is an unknown address.
Address Scope::address_of_call(Node call, int nesting) const {
  const std::string_view op = operator_of(call);
  const tir::NodeList args = call.list(f::Call::args);
  if (op == "reinterpret" && args.size() == 1) {
    // reinterpret(handle, 0u64) is the null handle that AOT passes for a missing context (v0.9+).
    const auto value = integer_of(args[0]);
    if (!value) return address_of(args[0], nesting);
    return *value == 0 ? Address{AddressKind::null_handle} : Address{};
  }
  if (op == "address_of" && args.size() == 1) return address_of_access(args[0], nesting);
  if (op == "tvm_access_ptr" && args.size() == 5) {
    // Its offset counts elements of the type that the first argument annotates.
    const auto offset = integer_of(args[2]);
    const auto element = static_cast<std::int64_t>(args[0].dtype().element_bytes());
    return address_in(address_of(args[1], nesting),
                      offset ? std::optional(*offset * element) : std::nullopt);
  }
  if (op == "lookup_param" && args.size() == 1) {
    return Address{AddressKind::lookup, tir::index(args[0].id())};
  }
  return op == "tvm_struct_get" ? address_of_struct_get(call, nesting) : Address{};
}

// USMP turns an allocation into `address_of(pool[offset])`; the let around it keeps the name.
Address Scope::address_in(Address base, std::optional<std::int64_t> bytes) {
  // The name of the base is not the name of another address in the same root.
  if (bytes != 0) base.alias = tir::NodeId::none;
  base.inside = true;
  base.offset_known = base.offset_known && bytes.has_value();
  base.offset += bytes.value_or(0);
  return base;
}

// Offsets are bytes in memory and elements on the stack, whose elements are structs.
Address Scope::address_of_access(Node access, int nesting) const {
  if (!is_load(access)) return {};
  const Node index = index_of(access);
  const auto element = index ? number_of(without_casts(index)) : std::nullopt;
  const Address base = address_of(data_of_access(access), nesting);
  const bool counts_elements = base.kind == AddressKind::stack;
  const auto unit = counts_elements ? 1 : static_cast<std::int64_t>(access.dtype().element_bytes());
  return address_in(base, element ? std::optional(*element * unit) : std::nullopt);
}

/// tvm_struct_get(struct, element, field): lowered code reads a DLTensor or a TVMValue with it.
Address Scope::address_of_struct_get(Node call, int nesting) const {
  const tir::NodeList args = call.list(f::Call::args);
  if (args.size() != 3) return {};
  const Address base = address_of(args[0], nesting);
  const auto element = integer_of(args[1]);
  const auto field = integer_of(args[2]);
  if (!element || !field) return {};
  const auto which = static_cast<StructField>(*field);
  // MakePackedAPI: the first parameter points to the arguments, which are TVMValues.
  if (base.kind == AddressKind::parameter && which == StructField::value_content) {
    if (*element < 0 || *element > kMostArguments) return {};
    return Address{AddressKind::argument, static_cast<std::uint32_t>(*element)};
  }
  if (base.kind == AddressKind::stack) {
    Address item = base;
    item.offset += *element;
    return which == StructField::address ? item : content(item, which).address;
  }
  // For memory, a tensor and its data have the same address. Behind it is another one, or none.
  const bool is_tensor =
      *element == 0 && (base.kind == AddressKind::parameter || base.kind == AddressKind::argument);
  return is_tensor && which == StructField::data ? base : Address{};
}

// tvm_struct_set(struct, element, field, value). Does not follow memory that a parameter points to.
void Scope::set_field(Node call) {
  const tir::NodeList args = call.list(f::Call::args);
  if (args.size() != 4) return;
  const Address base = address_of(args[0]);
  const auto element = integer_of(args[1]);
  const auto field = integer_of(args[2]);
  if (base.kind != AddressKind::stack || !element || !field) return;
  fields_.insert_or_assign(FieldKey{base.root, base.offset + *element, *field},
                           FieldContent{address_of(args[3]), integer_of(args[3]), calls_});
}

/// Shapes of tensors are stores into `stack_shape`, one extent each.
void Scope::store(const Address& at, std::int64_t element, Node value) {
  const auto number = integer_of(value);
  if (number) integers_.insert_or_assign({at.root, at.offset + element}, *number);
}

}  // namespace mlf::graph
