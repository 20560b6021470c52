#include "analysis/cost/callees.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "analysis/cost/cmsis_nn.h"
#include "graph/node_queries.h"

namespace mlf::analysis {
namespace {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

using OperationRow = std::pair<std::string_view, Operation>;

constexpr std::array kOperations{
#define MLF_CALLEE(name, operation) OperationRow{name, Operation::operation},
#include "graph/kernels/callees.def"
};
constexpr std::array kFree{
#define MLF_FREE_CALLEE(name) std::string_view(name),
#include "graph/kernels/callees.def"
};
constexpr std::array kCalling{
#define MLF_CALLING_CALLEE(name) std::string_view(name),
#include "graph/kernels/callees.def"
};

bool is_among(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::optional<Operation> operation_named(std::string_view name) {
  const auto* const row =
      std::find_if(kOperations.begin(), kOperations.end(),
                   [&](const OperationRow& known) { return known.first == name; });
  return row == kOperations.end() ? std::nullopt : std::optional(row->second);
}

/// libm has a function for double and one with an `f` for float.
std::optional<Operation> operation_of_libm(std::string_view name) {
  const auto operation = operation_named(name);
  if (operation || !name.ends_with('f')) return operation;
  return operation_named(name.substr(0, name.size() - 1));
}

/// Numbers of a name after a pattern in which each `#` is one: "gemm_#x#x#_" of "gemm_4x8x2_body".
std::optional<std::vector<std::uint64_t>> numbers_in(std::string_view name,
                                                     std::string_view pattern) {
  std::vector<std::uint64_t> numbers;
  for (const char wanted : pattern) {
    if (wanted != '#') {
      if (!name.starts_with(wanted)) return std::nullopt;
      name.remove_prefix(1);
      continue;
    }
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    // No kernel is near that size: products of four such numbers fit.
    if (error != std::errc() || number > 0xffff) return std::nullopt;
    numbers.push_back(number);
    name.remove_prefix(static_cast<std::size_t>(end - name.data()));
  }
  return numbers;
}

// Micro kernels of topi/arm_cpu/mprofile/dsp/micro_kernel say their sizes in their names.
std::optional<std::uint64_t> mac_of_micro_kernel(std::string_view name) {
  // gemm.py: {prefix}_{M}x{K}x{N}_{body|update|reset}_{id}; a reset sets sums to zero.
  const std::size_t prefix = name.find('_');
  if (name.starts_with("gemm") && prefix != std::string_view::npos) {
    const std::string_view rest = name.substr(prefix);
    const auto sizes = numbers_in(rest, "_#x#x#_");
    if (!sizes) return std::nullopt;
    return rest.find("_reset") != std::string_view::npos ? 0
                                                         : (*sizes)[0] * (*sizes)[1] * (*sizes)[2];
  }
  // tensordot.py: tensordot_opt_x{outputs}_int16_w{width}_{kernel_h}x{kernel_w}_…
  if (const auto sizes = numbers_in(name, "tensordot_opt_x#_int16_w#_#x#_")) {
    return (*sizes)[0] * (*sizes)[2] * (*sizes)[3];
  }
  // multi_channel_convolve.py: kernel_convolve_{dtype}_w…_c…_kh{h}_kw{w}_…, one word of channels.
  for (const auto& [pattern, lanes] : {std::pair("kernel_convolve_int8_w#_c#_kh#_kw#_", 4u),
                                       std::pair("kernel_convolve_int16_w#_c#_kh#_kw#_", 2u)}) {
    if (const auto sizes = numbers_in(name, pattern)) return lanes * (*sizes)[2] * (*sizes)[3];
  }
  // avg_pool.py and max_pool.py.
  if (name.starts_with("sum16_") || name.starts_with("max8_")) return 0;
  return std::nullopt;
}

/// Instructions that multiply pairs and add the products to a sum, by each element of the result.
std::optional<std::uint64_t> mac_of_instruction(std::string_view name, tir::DType result) {
  const auto lanes = static_cast<std::uint64_t>(std::max<std::int16_t>(result.lanes, 1));
  const auto is_a = [&](std::string_view what) {
    return name.find(what) != std::string_view::npos;
  };
  // Four products of bytes for each 32-bit sum.
  if (is_a(".sdot.") || is_a(".udot.") || is_a(".usdot.")) return 4 * lanes;
  if (is_a("smlald") || is_a("smlad")) return 2;
  return std::nullopt;
}

std::string symbol_of(Node call) {
  const Node op = call[f::Call::op];
  if (op.is(Kind::GlobalVar)) return std::string(op.text(f::GlobalVar::name_hint));
  const tir::NodeList args = call.list(f::Call::args);
  if (args.empty()) return {};
  const std::string_view name = graph::string_of(args[0]);
  if (!name.empty()) return std::string(name);
  const auto number = graph::integer_of(args[0]);
  return number ? fmt::format("{} {}", graph::operator_of(call), *number) : std::string();
}

Callee external(Node call) {
  Callee callee{.symbol = symbol_of(call)};
  const std::string_view name = callee.symbol;
  if (is_among(kFree, name)) return callee;
  callee.operation = operation_of_libm(name);
  if (callee.operation) return callee;
  if (auto cmsis = cmsis_nn_cost(call)) {
    callee.mac = cmsis->mac;
    callee.arithmetic = std::move(cmsis->arithmetic);
    callee.uses = std::move(cmsis->uses);
    callee.scratch = std::move(cmsis->scratch);
    return callee;
  }
  auto mac = mac_of_micro_kernel(name);
  if (!mac) mac = mac_of_instruction(name, call.dtype());
  callee.is_known = mac.has_value();
  callee.mac = mac ? Count(*mac) : Count(0, std::nullopt);
  return callee;
}

}  // namespace

Callee callee_of(Node call) {
  const std::string_view op = graph::operator_of(call);
  if (call[f::Call::op].is(Kind::GlobalVar) || is_among(kCalling, op)) return external(call);
  if (const auto operation = operation_named(op)) return {.operation = operation};
  if (is_among(kFree, op)) return {};
  return {.symbol = std::string(op), .mac = Count(0, std::nullopt), .is_known = false};
}

}  // namespace mlf::analysis
