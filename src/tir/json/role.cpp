#include "tir/json/role.h"

namespace mlf::tir::tir_json {
namespace {

Node attr_of(Node function, std::string_view name) {
  const Node attrs = function[f::PrimFunc::attrs];
  if (!attrs || !attrs.is(Kind::DictAttrs)) return {function.module(), NodeId::none};
  return attrs.map(f::DictAttrs::dict).find(name);
}

std::optional<std::int64_t> number_of(Node value) {
  if (!value) return std::nullopt;
  switch (value.kind()) {
    case Kind::IntImm:
      return value.integer(f::IntImm::value);
    case Kind::BoxInt:
      return value.integer(f::BoxInt::value);
    case Kind::BoxBool:
      return value.integer(f::BoxBool::value);
    default:
      return std::nullopt;
  }
}

bool names_main(std::string_view name) {
  return name.ends_with("__tvm_main__") || name.ends_with("run_model");
}

bool is_main(std::string_view name, Node function) {
  if (const auto runner = number_of(attr_of(function, "runner_function"))) return *runner != 0;
  return names_main(name) || names_main(global_symbol_of(function).value_or(""));
}

}  // namespace

std::string_view to_string(Role role) {
  switch (role) {
    case Role::main:
      return "main";
    case Role::operator_:
      return "operator";
    case Role::host:
      return "host";
    case Role::device:
      return "device";
  }
  return {};
}

Role role_of(std::string_view name, Node function) {
  constexpr std::int64_t kCPackedFunc = 1;
  constexpr std::int64_t kDeviceKernelLaunch = 2;
  if (is_main(name, function)) return Role::main;
  const auto convention = number_of(attr_of(function, "calling_conv"));
  if (convention == kDeviceKernelLaunch) return Role::device;
  if (convention == kCPackedFunc) return Role::host;
  return Role::operator_;
}

std::optional<std::string_view> global_symbol_of(Node function) {
  const Node symbol = attr_of(function, "global_symbol");
  if (!symbol) return std::nullopt;
  if (symbol.is(Kind::String)) return symbol.text(f::String::value);
  if (symbol.is(Kind::StringImm)) return symbol.text(f::StringImm::value);
  return std::nullopt;
}

}  // namespace mlf::tir::tir_json
