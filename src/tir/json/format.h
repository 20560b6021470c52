// What writer, reader and schema of tir-N.json agree on, beyond nodes.def.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "mlf/tir/kind.h"
#include "mlf/tir/module.h"

namespace mlf::tir::tir_json {

constexpr std::string_view kFormat = "mlf-tir";
constexpr std::int64_t kVersion = 1;

/// An expression used more than once goes into the table if it would take more nodes than this.
constexpr std::uint32_t kSmallSize = 32;
/// The same for a type.
constexpr std::uint32_t kSmallTypeSize = 4;
/// Nothing that is written in one place is higher than this; what reaches it goes into a table.
constexpr std::uint8_t kMaxHeight = 32;

/// The key of a field: its name in nodes.def, but for the few that collide with a key of ours.
std::string_view key_of(Kind kind, const FieldInfo& field);

/// Fields that not every TVM version has are left out where they are undefined.
bool may_be_absent(Kind kind, const FieldInfo& field);

/// The field that holds the statements which `scope` counts instead; nullopt for a statement that
/// governs no others.
std::optional<std::uint8_t> scoped_field(Kind kind);

/// Whether an element of a list or map of such nodes may be null.
constexpr bool may_be_null(Expects slot) {
  return slot == Expects::any || slot == Expects::attr_value || slot == Expects::object;
}

/// Whether a node of this kind is a variable, whose fields are in a table of its own.
constexpr bool is_var(Kind kind) {
  return kind == Kind::Var || kind == Kind::SizeVar;
}

/// How an integer of a field without dtype is spelled: 64-bit values are strings.
enum class IntegerForm : std::uint8_t { number, string };
IntegerForm integer_form(Kind kind);
/// The same for the value of an IntImm of this dtype.
IntegerForm integer_form(DType dtype);

/// What a function is for.
enum class Role : std::uint8_t {
  main,       ///< runs the network
  operator_,  ///< a kernel of the network, or a function of an operator library
  host,       ///< lowered to TVM's packed calling convention
  device,     ///< launched by a host function
};

std::string_view to_string(Role role);

/// The role of a PrimFunc called `name`; the first that fits:
/// - main: attribute `runner_function` is true; without that attribute, `global_symbol` or the
///   name ends in `__tvm_main__` or `run_model`
/// - device: attribute `calling_conv` is 2 (kDeviceKernelLaunch)
/// - host: attribute `calling_conv` is 1 (kCPackedFunc)
/// - operator: everything else
Role role_of(std::string_view name, Node function);

/// The attribute `global_symbol`, where it is a string.
std::optional<std::string_view> global_symbol_of(Node function);

}  // namespace mlf::tir::tir_json
