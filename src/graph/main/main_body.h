// The steps of main, before directions and values are decided; and the forms of its statements
// (rules `statements`, `calls`, `arguments`, `copies` of schemas/topology.md).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "graph/reconstruct.h"
#include "graph/scope.h"

namespace mlf::graph {

/// An argument in the form in which main passes it.
struct RawArgument {
  Address address;
  TensorType type;  ///< as the call says; unknown for bare pointers
};

struct RawCall {
  std::string_view symbol;
  std::vector<RawArgument> arguments;
  CallForm call_form = CallForm::unpacked;
  ArgumentForm argument_form = ArgumentForm::pointers;
};

struct RawCopy {
  Address from;
  Address to;
  std::optional<std::uint64_t> bytes;
};

struct RawHook {
  std::string_view symbol;
  Address context;
};

/// A statement that main functions do not have, with an unknown effect.
struct UnknownStatement {
  std::string what;           ///< "a store"
  bool may_end_main = false;  ///< stated for the first that may
};

/// An added statement that touches nothing of the network.
struct IgnoredStatement {
  std::string text;
};

using MainStatement = std::variant<RawCall, RawCopy, RawHook, UnknownStatement, IgnoredStatement>;

/// Memory that main allocates, or a constant of main.
struct LocalMemory {
  Storage storage;
  TensorType type;  ///< of constants
};

/// A let over an address: "sid_3_let".
struct NamedAddress {
  std::string name;
  Address address;
};

/// A parameter of main, or a packed argument if MakePackedAPI ran on main.
struct MainParameter {
  std::string name;  ///< as the parameter, or the variable that takes the argument, is called
  tir::Node buffer;  ///< declared over it; undefined if none is
  bool is_own_data = false;  ///< lowered: the parameter is the data pointer, "x_buffer_var"
};

struct MainBody {
  std::vector<MainStatement> steps;
  std::map<std::uint32_t, LocalMemory> locals;            ///< by variable
  std::map<std::uint32_t, NamedAddress> alias_addresses;  ///< lets over addresses, by variable
  std::vector<MainParameter> parameters;
  Device device = kCpu;  ///< that main runs on and has its tensors on
  bool is_packed = false;
  std::map<std::uint32_t, MainParameter>
      packed_api_parameters;                     ///< of a packed main: its six, by position
  std::map<std::uint32_t, std::string> lookups;  ///< names of linked parameters
  std::map<std::string, TensorType, std::less<>> linked;  ///< their types, as far as known
};

/// Reads main. Throws `Error` if it has more statements than the limit.
MainBody read_main(tir::Node function);

/// Whether the node is a call of a function, not of an operator or of the runtime.
bool is_kernel_call(tir::Node node);

/// The call of a function in an expression: the expression itself, or the call in tvm_check_return
/// or in a comparison of its result. Undefined if there is none.
tir::Node call_inside(tir::Node expr);

/// A call into the device API: "TVMDevice<Kind><Phase>".
std::optional<RawHook> device_hook(tir::Node call, const Scope& scope);

/// Reads a call of a function with its arguments as tensors; nullopt if it calls no function.
std::optional<RawCall> decode_call(tir::Node call, const Scope& scope);

/// Recognises a loop that copies bytes or elements in order, from one tensor to another. Binds its
/// lets.
std::optional<RawCopy> copy_loop(tir::Node loop, Scope& scope);

}  // namespace mlf::graph
