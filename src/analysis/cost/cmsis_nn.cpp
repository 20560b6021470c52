#include "analysis/cost/cmsis_nn.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "tir/cmsis_nn.h"

namespace mlf::analysis {
namespace {

using tir::CmsisArgument;
using tir::CmsisCall;
using tir::CmsisDims;
using tir::CmsisLayer;
using tir::CmsisMemory;

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

/// How many positions of the input and of the filter meet at all: what a stride jumps over and what
/// only ever lies on padding need not be read.
struct Met {
  std::uint64_t inputs = 0;
  std::uint64_t taps = 0;
};

Met met_by(const Sliding& axis) {
  // More steps than any layer has: nothing is certain then, and that is a correct answer.
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

/// What moves a window along one axis.
struct Steps {
  CmsisArgument stride;
  CmsisArgument padding;
  CmsisArgument dilation;
};
constexpr Steps kVertical{CmsisArgument::stride_height, CmsisArgument::padding_height,
                          CmsisArgument::dilation_height};
constexpr Steps kHorizontal{CmsisArgument::stride_width, CmsisArgument::padding_width,
                            CmsisArgument::dilation_width};

/// Strides, paddings and dilations are small; anything else is no argument of these functions.
/// Poolings have no dilation.
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

/// Elements of inputs and filters that a layer needs at least once. Nothing: not known.
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

/// How many elements the layer needs of what it reads there.
Count needed_of(CmsisArgument what, const CmsisMemory& memory,
                const std::optional<Needed>& window) {
  switch (what) {
    case CmsisArgument::input:
      return window ? window->input : Count(memory.elements());
    case CmsisArgument::filter:
      return window ? window->filter : Count(memory.elements());
    // Which entries of a table it takes depends on data.
    case CmsisArgument::exponentials:
    case CmsisArgument::reciprocals:
      return 0;
    default:
      return memory.elements();
  }
}

/// Everything that the layer is given but its context. Empty where anything of it is not known.
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
    // A tensor that is added to itself need not be read twice.
    const bool is_again = what == CmsisArgument::other_input &&
                          call.argument(what).id() == call.argument(CmsisArgument::input).id();
    if (is_again) continue;
    ArgumentUse use{.argument = call.position(what),
                    .element_bytes = memory->element_bytes,
                    .reach = memory->elements()};
    const Count least(needed_of(what, *memory, window).min, std::nullopt);
    (what == CmsisArgument::output ? use.stores : use.loads) = least;
    uses.push_back(use);
  }
  return uses;
}

/// All sizes are TVM's own (src/relay/backend/contrib/cmsisnn/buffer_size.cc).
std::vector<ArgumentUse> scratch_of(const CmsisCall& call) {
  const auto memory = call.memory(CmsisArgument::context);
  if (!memory) return {};
  return {{.argument = call.position(CmsisArgument::context), .reach = memory->elements()}};
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

/// What each version of a layer computes beside its products, in 32 bits: sums are scaled to the
/// output, and both operands of an addition to one scale. Of a softmax the exponential of the
/// greatest element of a row is certain: others may be too small to matter.
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
      // Sums of products of int16_t are scaled in 64 bits by some versions.
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

}  // namespace

std::optional<CmsisNnCost> cmsis_nn_cost(tir::Node call) {
  const auto layer = CmsisCall::of(call);
  if (!layer) return std::nullopt;
  const auto mac = mac_of(*layer);
  if (!mac) return std::nullopt;
  return CmsisNnCost{*mac, arithmetic_of(*layer), uses_of(*layer), scratch_of(*layer)};
}

}  // namespace mlf::analysis
