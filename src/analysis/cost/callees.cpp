#include "analysis/cost/callees.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/kernels/callees.h"
#include "graph/node_queries.h"
#include "mlf/tir/module.h"
#include "support/lookup.h"
#include "support/numbers.h"
#include "tir/cmsis_nn.h"

namespace mlf::analysis {
namespace {

using support::is_among;
using tir::Kind;
using tir::Node;
namespace f = tir::f;
using tir::CmsisArgument;
using tir::CmsisCall;
using tir::CmsisDims;
using tir::CmsisLayer;
using tir::CmsisMemory;

// --- CMSIS-NN ------------------------------------------------------------------------------------

constexpr std::size_t kBatch = 0;
constexpr std::size_t kHeight = 1;
constexpr std::size_t kWidth = 2;
constexpr std::size_t kChannels = 3;

// --- Windows -------------------------------------------------------------------------------------

/// A filter that slides over one axis of a tensor.
struct Sliding {
  std::uint64_t input = 0;
  std::uint64_t filter = 0;
  std::uint64_t output = 0;
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  std::int64_t dilation = 1;
};

/// The numbers of positions of the input and of the filter that are ever used together. Positions
/// that a stride skips, or that only meet padding, need not be read.
struct Met {
  std::uint64_t inputs = 0;
  std::uint64_t taps = 0;
};

Met met_by(const Sliding& axis) {
  // More steps than any layer has. Beyond that nothing counts as certain, which is correct.
  constexpr std::uint64_t kMostSteps = 1u << 20u;
  if (axis.output * axis.filter > kMostSteps) return {};
  Met met;
  std::vector<bool> is_met(axis.input);
  for (std::uint64_t tap = 0; tap < axis.filter; ++tap) {
    bool meets = false;
    for (std::uint64_t out = 0; out < axis.output; ++out) {
      const std::int64_t at = static_cast<std::int64_t>(out) * axis.stride - axis.padding +
                              static_cast<std::int64_t>(tap) * axis.dilation;
      if (at < 0 || at >= static_cast<std::int64_t>(axis.input)) continue;
      meets = true;
      if (!is_met[static_cast<std::size_t>(at)]) ++met.inputs;
      is_met[static_cast<std::size_t>(at)] = true;
    }
    if (meets) ++met.taps;
  }
  return met;
}

/// The parameters that move a window along one axis.
struct Steps {
  CmsisArgument stride;
  CmsisArgument padding;
  CmsisArgument dilation;
};
constexpr Steps kVertical{CmsisArgument::stride_height, CmsisArgument::padding_height,
                          CmsisArgument::dilation_height};
constexpr Steps kHorizontal{CmsisArgument::stride_width, CmsisArgument::padding_width,
                            CmsisArgument::dilation_width};

/// Strides, paddings and dilations are small; other numbers are not valid arguments of these
/// functions. Poolings have no dilation.
std::optional<std::int64_t> step_of(const CmsisCall& call, CmsisArgument what) {
  if (!call.has(what)) return 1;
  const auto number = call.number(what);
  return number && *number >= 0 && *number <= 0xffff ? number : std::nullopt;
}

std::optional<Met> met_along(const CmsisCall& call, std::size_t axis, const Steps& steps) {
  const auto input = call.dims(CmsisArgument::input_dims);
  const auto filter = call.dims(CmsisArgument::filter_dims);
  const auto output = call.dims(CmsisArgument::output_dims);
  const auto stride = step_of(call, steps.stride);
  const auto padding = step_of(call, steps.padding);
  const auto dilation = step_of(call, steps.dilation);
  if (!input || !filter || !output || !stride || !padding || !dilation) return std::nullopt;
  return met_by({.input = (*input)[axis],
                 .filter = (*filter)[axis],
                 .output = (*output)[axis],
                 .stride = *stride,
                 .padding = *padding,
                 .dilation = *dilation});
}

// --- Uses ----------------------------------------------------------------------------------------

/// Elements of inputs and filters that a layer needs at least once. nullopt if unknown.
struct Needed {
  Count input;
  Count filter;
};

std::optional<Needed> needed_by_window(const CmsisCall& call) {
  const auto rows = met_along(call, kHeight, kVertical);
  const auto columns = met_along(call, kWidth, kHorizontal);
  if (!rows || !columns) return std::nullopt;
  const CmsisDims input = *call.dims(CmsisArgument::input_dims);
  const CmsisDims filter = *call.dims(CmsisArgument::filter_dims);
  return Needed{Count(input[kBatch]) * rows->inputs * columns->inputs * input[kChannels],
                Count(filter[kBatch]) * rows->taps * columns->taps * filter[kChannels]};
}

bool has_window(CmsisLayer layer) {
  return layer == CmsisLayer::convolution || layer == CmsisLayer::depthwise_convolution ||
         layer == CmsisLayer::pooling;
}

/// The number of elements that the layer needs from this input.
Count needed_of(CmsisArgument what, const CmsisMemory& memory,
                const std::optional<Needed>& window) {
  switch (what) {
    case CmsisArgument::input:
      return window ? window->input : Count(memory.elements());
    case CmsisArgument::filter:
      return window ? window->filter : Count(memory.elements());
    // The used entries of a table depend on data.
    case CmsisArgument::exponentials:
    case CmsisArgument::reciprocals:
      return 0;
    default:
      return memory.elements();
  }
}

/// All memory arguments of the layer except its context. Empty if one of them is unknown.
std::vector<ArgumentUse> uses_of(const CmsisCall& call) {
  std::optional<Needed> window;
  if (has_window(call.function().layer)) {
    window = needed_by_window(call);
    if (!window) return {};
  }
  std::vector<ArgumentUse> uses;
  for (const CmsisArgument what : call.arguments()) {
    if (!is_memory(what) || what == CmsisArgument::context || !call.has(what)) continue;
    const auto memory = call.memory(what);
    if (!memory) return {};
    // A tensor added to itself need not be read twice.
    const bool is_again = what == CmsisArgument::other_input &&
                          call.argument(what).id() == call.argument(CmsisArgument::input).id();
    if (is_again) continue;
    ArgumentUse use{.argument = call.position(what), .element_bytes = memory->element_bytes};
    const Count least(needed_of(what, *memory, window).min, std::nullopt);
    (what == CmsisArgument::output ? use.stores : use.loads) = least;
    uses.push_back(use);
  }
  return uses;
}

// --- Arithmetic ----------------------------------------------------------------------------------

/// Each output of a layer with weights is a sum over the filter of its channel, padding included:
/// dense, grouped and depthwise alike.
std::optional<Count> mac_of(const CmsisCall& call) {
  if (!call.has(CmsisArgument::filter)) return 0;
  const auto filter = call.memory(CmsisArgument::filter);
  const auto output = call.memory(CmsisArgument::output);
  if (!filter || !output) return std::nullopt;
  return Count(output->elements()) * Count(filter->elements() / output->shape[kChannels]);
}

/// The 32-bit operations that every version of a layer computes besides its products: it scales
/// sums to the output, and both operands of an addition to one scale. For a softmax, only the
/// exponential of the largest element of a row is certain; the others may be too small to be
/// computed.
std::vector<OperationCount> arithmetic_of(const CmsisCall& call) {
  const auto output = call.memory(CmsisArgument::output);
  if (!output) return {};
  const auto at_least = [](Operation operation, std::uint64_t times) {
    return OperationCount{operation, tir::DType::Int(32), Count(times, std::nullopt)};
  };
  const std::uint64_t elements = output->elements();
  switch (call.function().layer) {
    case CmsisLayer::convolution:
    case CmsisLayer::depthwise_convolution:
    case CmsisLayer::fully_connected:
      // Some versions scale sums of int16_t products in 64 bits.
      if (call.function().element_bytes > 1) return {};
      return {at_least(Operation::fixed_point, elements)};
    case CmsisLayer::addition:
      return {at_least(Operation::add_subtract, elements),
              at_least(Operation::fixed_point, 3 * elements)};
    case CmsisLayer::multiplication:
      return {at_least(Operation::multiply, elements), at_least(Operation::fixed_point, elements)};
    case CmsisLayer::softmax:
      return {at_least(Operation::transcendental, output->shape[0])};
    case CmsisLayer::pooling:
    case CmsisLayer::table_softmax:
      return {};
  }
  return {};
}

/// Takes the cost of a call of a layer. False for a function that TVM does not call, or for a
/// multiplying layer without known sizes.
bool take_layer(tir::Node call, Callee& callee) {
  const auto layer = CmsisCall::of(call);
  const auto mac = layer ? mac_of(*layer) : std::nullopt;
  if (!mac) return false;
  callee.mac = *mac;
  callee.arithmetic = arithmetic_of(*layer);
  callee.uses = uses_of(*layer);
  return true;
}

using OperationRow = std::pair<std::string_view, Operation>;

constexpr std::array kOperations{
#define MLF_CALLEE(name, operation) OperationRow{name, Operation::operation},
#define MLF_OPERATOR_CALLEE(name, operation) OperationRow{name, Operation::operation},
#include "graph/kernels/callees.def"
};
constexpr std::array kFused{
#define MLF_FUSED_CALLEE(name) std::string_view(name),
#include "graph/kernels/callees.def"
};

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

/// The multiply-accumulates of a fused function or operator; nullopt for others.
std::optional<Count> mac_of_fused(std::string_view name, tir::DType result) {
  if (!is_among(kFused, name)) name = name.substr(0, name.ends_with('f') ? name.size() - 1 : 0);
  if (!is_among(kFused, name)) return std::nullopt;
  return Count(static_cast<std::uint64_t>(std::max<std::int16_t>(result.lanes, 1)));
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
    const auto number = support::take_number<std::uint64_t>(name);
    // Kernels are far smaller; products of four such numbers do not overflow.
    if (!number || *number > 0xffff) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

// The names of micro kernels of topi/arm_cpu/mprofile/dsp/micro_kernel contain their sizes.
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
  const std::string_view name = graph::callee_name(call);
  const tir::NodeList args = call.list(f::Call::args);
  if (!name.empty() || args.empty()) return std::string(name);
  const auto number = graph::integer_of(args[0]);
  return number ? fmt::format("{} {}", graph::operator_of(call), *number) : std::string();
}

Callee external(Node call) {
  Callee callee{.symbol = symbol_of(call)};
  const std::string_view name = callee.symbol;
  if (graph::is_free_callee(name)) return callee;
  callee.operation = operation_of_libm(name);
  if (callee.operation) return callee;
  if (const auto mac = mac_of_fused(name, call.dtype())) {
    callee.mac = *mac;
    return callee;
  }
  if (take_layer(call, callee)) return callee;
  auto mac = mac_of_micro_kernel(name);
  if (!mac) mac = mac_of_instruction(name, call.dtype());
  callee.is_known = mac.has_value();
  callee.mac = mac ? Count(*mac) : Count(0, std::nullopt);
  return callee;
}

}  // namespace

Callee callee_of(Node call) {
  const std::string_view op = graph::operator_of(call);
  if (call[f::Call::op].is(Kind::GlobalVar) || graph::is_calling(op)) return external(call);
  if (const auto operation = operation_named(op)) return {.operation = operation};
  if (const auto mac = mac_of_fused(op, call.dtype())) return {.mac = *mac};
  if (graph::is_free_callee(op)) return {};
  return {.symbol = std::string(op), .mac = Count(0, std::nullopt), .is_known = false};
}

}  // namespace mlf::analysis
