// What a function is for.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "mlf/tir/module.h"

namespace mlf::tir::tir_json {

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
