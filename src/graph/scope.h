// Resolves pointers: to parameters, allocations, places in pools, and the tensor structs that
// packed calls build on the stack (rules `pointers`, `arguments` of schemas/topology.md).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "mlf/tir/module.h"
#include "support/lookup.h"

namespace mlf::graph {

/// The memory that an address is in.
enum class AddressKind : std::uint8_t {
  unknown,
  null_handle,
  parameter,  ///< memory of the function's parameter `root`
  argument,   ///< memory of the packed argument `root`: MakePackedAPI ran on the function
  local,      ///< memory allocated or held by the variable with the id `root`
  lookup,     ///< the linked parameter whose name is the StringImm with the id `root`
  stack,      ///< element `offset` of what tvm_stack_alloca gave the variable with the id `root`
};

/// Where a pointer points.
struct Address {
  AddressKind kind = AddressKind::unknown;
  std::uint32_t root = 0;
  std::int64_t offset = 0;   ///< bytes, elements for `stack`
  bool offset_known = true;  ///< whether `offset` is a constant
  bool inside = false;       ///< whether it came from an address_of, even that of offset 0
  tir::NodeId alias = tir::NodeId::none;  ///< the variable that a let gave the address to

  /// Whether it is memory that the caller of the function gave it.
  bool is_of_caller() const {
    return kind == AddressKind::parameter || kind == AddressKind::argument;
  }
  bool same_memory(const Address& other) const { return kind == other.kind && root == other.root; }
};

/// Fields of DLTensor and TVMValue by TVM's number, as tvm_struct_get and tvm_struct_set name them.
enum class StructField : std::int64_t {
  address = 0,
  data = 1,
  shape = 2,
  ndim = 4,
  type_code = 5,
  type_bits = 6,
  type_lanes = 7,
  value_content = 12,
};

/// Variables of one function, bound in the order of the code. Besides pointers, follows the
/// DLTensors and TVMValues that packed calls build on the stack with tvm_struct_set: after
/// LowerTVMBuiltin, only these show which memory a call gets.
class Scope {
 public:
  explicit Scope(tir::Node function);

  Address address_of(tir::Node expr) const { return address_of(expr, kMaxNesting); }
  /// A let: the variable points where the value points.
  void bind(tir::Node var, tir::Node value);
  void bind(tir::Node var, Address address);
  /// The variable holds memory of its own.
  void allocate(tir::Node var);
  /// A tvm_struct_set.
  void set_field(tir::Node call);
  /// What is set from here on belongs to the next call.
  void end_call() { ++calls_; }
  /// A store of an integer into memory on the stack.
  void store(const Address& at, std::int64_t element, tir::Node value);

  /// What a struct_set put into a field: a pointer or a number; the caller knows which.
  struct FieldContent {
    Address address{};
    std::optional<std::int64_t> integer{};
    std::uint64_t call = UINT64_MAX;  ///< how many calls came before; none: nothing set it
  };
  FieldContent content(const Address& item, StructField field) const {
    const FieldKey key{item.root, item.offset, static_cast<std::int64_t>(field)};
    return support::value_at(fields_, key).value_or(FieldContent{});
  }
  /// Whether it was set since the last call. Main uses the same stack for all its calls: values
  /// that an earlier call set are not arguments of this one.
  bool is_for_this_call(const FieldContent& content) const { return content.call == calls_; }
  std::optional<std::int64_t> stored_integer(std::uint32_t root, std::int64_t element) const {
    return support::value_at(integers_, {root, element});
  }

 private:
  using FieldKey = std::tuple<std::uint32_t, std::int64_t, std::int64_t>;

  // Address expressions inside one another; TVM nests two or three.
  static constexpr int kMaxNesting = 16;

  Address address_of(tir::Node expr, int nesting) const;
  Address address_of_call(tir::Node call, int nesting) const;
  Address address_of_struct_get(tir::Node call, int nesting) const;
  static Address address_in(Address base, std::optional<std::int64_t> bytes);
  Address address_of_access(tir::Node access, int nesting) const;

  std::unordered_map<std::uint32_t, Address> vars_;
  std::uint64_t calls_ = 0;
  std::map<FieldKey, FieldContent> fields_;
  std::map<std::pair<std::uint32_t, std::int64_t>, std::int64_t> integers_;
};

}  // namespace mlf::graph
