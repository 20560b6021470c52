// The order of arguments is that of TVM's src/relay/backend/contrib/cmsisnn/relay_to_tir.cc, v0.8
// to v0.18: name, pointers, context buffer or "NULL", its size, numbers, sizes of tensors (NHWC).
#include "analysis/cost/cmsis_nn.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "graph/node_queries.h"

namespace mlf::analysis {
namespace {

using tir::NodeList;

/// What holds four numbers: batch, height, width, channels.
using Dims = std::array<std::uint64_t, 4>;

constexpr std::size_t kHeight = 1;
constexpr std::size_t kWidth = 2;

Count product(const Dims& dims) {
  return Count(dims[0]) * dims[1] * dims[2] * dims[3];
}

std::optional<std::uint64_t> size_at(NodeList args, std::size_t position) {
  const auto size = graph::integer_of(args[position]);
  if (!size || *size < 1 || *size > 0xffff) return std::nullopt;
  return static_cast<std::uint64_t>(*size);
}

/// The four sizes that are the `back`th of such groups from the end, 1 being the last.
std::optional<Dims> dims_at(NodeList args, std::size_t back) {
  if (args.size() < back * 4) return std::nullopt;
  Dims dims{};
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const auto size = size_at(args, args.size() - back * 4 + i);
    if (!size) return std::nullopt;
    dims[i] = *size;
  }
  return dims;
}

/// Pointers behind the name, the context buffer, which is a pointer as well, not among them.
std::size_t pointers_before_context(NodeList args) {
  std::size_t end = 1;
  while (end < args.size() && args[end].dtype().is_handle()) ++end;
  return end < 2 ? 0 : end - 2;
}

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

/// The numbers between the size of the context buffer and the sizes of tensors.
struct Numbers {
  NodeList args;
  std::size_t first = 0;

  /// Strides, paddings and dilations are small; anything else is no argument of these functions.
  std::optional<std::int64_t> small(std::size_t position) const {
    const auto number = graph::integer_of(args[first + position]);
    return number && *number >= 0 && *number <= 0xffff ? number : std::nullopt;
  }
};

/// Where strides, paddings and dilations of height and width stand among the numbers.
struct WindowPlaces {
  std::array<std::size_t, 2> stride;
  std::array<std::size_t, 2> padding;
  std::optional<std::array<std::size_t, 2>> dilation;
};

// A convolution's numbers are offsets of input and output, stride w and h, padding w and h,
// dilation w and h, clip range, depth multiplier; a pooling's are stride h and w, padding h and w,
// clip range.
constexpr WindowPlaces kConvolution{{3, 2}, {5, 4}, {{7, 6}}};
constexpr WindowPlaces kPooling{{0, 1}, {2, 3}, std::nullopt};

std::optional<Met> met_along(std::size_t axis, const WindowPlaces& places, const Numbers& numbers,
                             const Dims& input, const Dims& filter, const Dims& output) {
  const std::size_t side = axis - kHeight;
  const auto stride = numbers.small(places.stride[side]);
  const auto padding = numbers.small(places.padding[side]);
  const auto dilation =
      places.dilation ? numbers.small((*places.dilation)[side]) : std::optional<std::int64_t>(1);
  if (!stride || !padding || !dilation) return std::nullopt;
  return met_by({.input = input[axis],
                 .filter = filter[axis],
                 .output = output[axis],
                 .stride = *stride,
                 .padding = *padding,
                 .dilation = *dilation});
}

// --- Uses ----------------------------------------------------------------------------------------

/// At least `elements` of a tensor that has `all`.
ArgumentUse loads(std::size_t argument, Count elements, Count all, std::uint64_t element_bytes) {
  return {.argument = argument,
          .element_bytes = element_bytes,
          .loads = {elements.min, {}},
          .reach = all.max};
}

ArgumentUse loads(std::size_t argument, Count elements, std::uint64_t element_bytes) {
  return loads(argument, elements, elements, element_bytes);
}

ArgumentUse stores(std::size_t argument, Count elements, std::uint64_t element_bytes) {
  return {.argument = argument,
          .element_bytes = element_bytes,
          .stores = {elements.min, {}},
          .reach = elements.max};
}

/// Tensors of type int8_t end functions in _s8, those of int16_t in _s16. Filters are int8_t in
/// both, and sums are as wide as no sum can overflow.
struct Widths {
  std::uint64_t tensor = 1;
  std::uint64_t bias = 4;
};

Widths widths_of(std::string_view name) {
  return name.ends_with("_s16") ? Widths{2, 8} : Widths{1, 4};
}

constexpr std::uint64_t kRequantization = 4;  // bytes of a multiplier and of a shift, int32_t

/// arm_convolve_wrapper_* and arm_depthwise_conv_wrapper_*: input, filter, multiplier, bias or not,
/// shift, output.
std::vector<ArgumentUse> uses_of_convolution(std::string_view name, NodeList args) {
  const std::size_t pointers = pointers_before_context(args);
  constexpr std::size_t kNumbers = 11;
  if (pointers < 5 || pointers > 6 || args.size() != 1 + pointers + 2 + kNumbers + 16) return {};
  const Dims input = *dims_at(args, 4);
  const Dims filter = *dims_at(args, 3);
  const Dims output = *dims_at(args, 1);
  const Numbers numbers{args, 1 + pointers + 2};
  const auto rows = met_along(kHeight, kConvolution, numbers, input, filter, output);
  const auto columns = met_along(kWidth, kConvolution, numbers, input, filter, output);
  if (!rows || !columns) return {};

  const Widths widths = widths_of(name);
  const std::uint64_t channels = output[3];
  const bool has_bias = pointers == 6;
  std::vector<ArgumentUse> uses{
      loads(1, Count(input[0]) * rows->inputs * columns->inputs * input[3], product(input),
            widths.tensor),
      loads(2, Count(filter[0]) * rows->taps * columns->taps * filter[3], product(filter), 1),
      loads(3, channels, kRequantization)};
  if (has_bias) uses.push_back(loads(4, channels, widths.bias));
  uses.push_back(loads(pointers - 1, channels, kRequantization));
  uses.push_back(stores(pointers, product(output), widths.tensor));
  return uses;
}

/// arm_fully_connected_s8: input, filter, bias or not, output.
std::vector<ArgumentUse> uses_of_fully_connected(std::string_view name, NodeList args) {
  const std::size_t pointers = pointers_before_context(args);
  if (pointers < 3 || pointers > 4) return {};
  const Widths widths = widths_of(name);
  const Dims output = *dims_at(args, 1);
  std::vector<ArgumentUse> uses{loads(1, product(*dims_at(args, 4)), widths.tensor),
                                loads(2, product(*dims_at(args, 3)), 1)};
  if (pointers == 4) uses.push_back(loads(3, output[3], widths.bias));
  uses.push_back(stores(pointers, product(output), widths.tensor));
  return uses;
}

/// arm_max_pool_s8 and arm_avgpool_s8: input, output.
std::vector<ArgumentUse> uses_of_pooling(std::string_view name, NodeList args) {
  constexpr std::size_t kNumbers = 6;
  const std::size_t pointers = pointers_before_context(args);
  if (pointers != 2 || args.size() != 1 + pointers + 2 + kNumbers + 12) return {};
  const auto input = dims_at(args, 3);
  const auto filter = dims_at(args, 2);
  const auto output = dims_at(args, 1);
  if (!input || !filter || !output) return {};
  const Numbers numbers{args, 1 + pointers + 2};
  const auto rows = met_along(kHeight, kPooling, numbers, *input, *filter, *output);
  const auto columns = met_along(kWidth, kPooling, numbers, *input, *filter, *output);
  if (!rows || !columns) return {};
  const Widths widths = widths_of(name);
  return {
      loads(1, Count((*input)[0]) * rows->inputs * columns->inputs * (*input)[3], product(*input),
            widths.tensor),
      stores(2, product(*output), widths.tensor)};
}

/// arm_softmax_s8: input, rows, elements of a row, multiplier, shift, smallest difference, output.
std::vector<ArgumentUse> uses_of_softmax(std::string_view name, NodeList args) {
  if (args.size() != 8) return {};
  const auto rows = size_at(args, 2);
  const auto row = size_at(args, 3);
  if (!rows || !row) return {};
  const Widths widths = widths_of(name);
  const Count elements = Count(*rows) * *row;
  return {loads(1, elements, widths.tensor), stores(7, elements, widths.tensor)};
}

/// arm_elementwise_add_s8 and arm_elementwise_mul_s8: two inputs, which may be one, and behind
/// their numbers the output; the number of elements comes last.
std::vector<ArgumentUse> uses_of_elementwise(std::string_view name, NodeList args) {
  if (args.size() < 5) return {};
  const auto elements = graph::integer_of(args[args.size() - 1]);
  std::size_t output = 3;
  while (output < args.size() && !args[output].dtype().is_handle()) ++output;
  if (output == args.size() || !elements || *elements < 1) return {};
  const Count count(static_cast<std::uint64_t>(*elements));
  const Widths widths = widths_of(name);
  std::vector<ArgumentUse> uses{loads(1, count, widths.tensor)};
  if (args[2].id() != args[1].id()) uses.push_back(loads(2, count, widths.tensor));
  uses.push_back(stores(output, count, widths.tensor));
  return uses;
}

/// The context buffer, which comes behind the other pointers, and its size behind it. All sizes are
/// TVM's own (src/relay/backend/contrib/cmsisnn/buffer_size.cc).
std::vector<ArgumentUse> scratch_of(NodeList args) {
  const std::size_t context = pointers_before_context(args) + 1;
  if (context < 2 || context + 1 >= args.size()) return {};
  const auto bytes = graph::integer_of(args[context + 1]);
  if (!bytes || *bytes < 0) return {};
  return {{.argument = context, .reach = static_cast<std::uint64_t>(*bytes)}};
}

/// Arguments of a convolution or a fully connected layer end with sizes of input, filter, bias and
/// output.
std::optional<Count> mac_of_layer(NodeList args) {
  for (std::size_t back = 1; back <= 4; ++back) {
    if (!dims_at(args, back)) return std::nullopt;
  }
  const Dims output = *dims_at(args, 1);
  const std::uint64_t channels = output[3];
  const std::uint64_t filter = product(*dims_at(args, 3)).min;
  if (filter % channels != 0) return std::nullopt;
  // Each output is a sum over the filter of its channel: dense, grouped and depthwise alike.
  return product(output) * Count(filter / channels);
}

}  // namespace

std::optional<CmsisNnCall> cmsis_nn_call(std::string_view name, NodeList args) {
  if (!name.starts_with("arm_")) return std::nullopt;
  const auto is_a = [&](std::string_view what) {
    return name.find(what) != std::string_view::npos;
  };
  const bool is_convolution = is_a("conv");
  if (is_convolution || is_a("fully_connected")) {
    const auto mac = mac_of_layer(args);
    if (!mac) return std::nullopt;
    const auto uses_of_layer = is_convolution ? uses_of_convolution : uses_of_fully_connected;
    return CmsisNnCall{*mac, uses_of_layer(name, args), scratch_of(args)};
  }
  if (is_a("pool")) return CmsisNnCall{0, uses_of_pooling(name, args), scratch_of(args)};
  if (is_a("softmax")) return CmsisNnCall{0, uses_of_softmax(name, args), {}};
  if (is_a("elementwise")) return CmsisNnCall{0, uses_of_elementwise(name, args), {}};
  return std::nullopt;
}

}  // namespace mlf::analysis
