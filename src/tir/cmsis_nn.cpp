#include "tir/cmsis_nn.h"

#include <algorithm>
#include <numeric>

#include "tir/node_queries.h"

namespace mlf::tir {
namespace {

using enum CmsisArgument;

constexpr DType kInt8 = DType::Int(8);
constexpr DType kInt16 = DType::Int(16);

// Functions with an int16_t result. Other functions may also have int16_t tensors.
constexpr std::array kFunctions{
    CmsisFunction{"arm_avgpool_s16", CmsisLayer::pooling, 2, kInt8},
    CmsisFunction{"arm_avgpool_s8", CmsisLayer::pooling, 1, kInt8},
    CmsisFunction{"arm_convolve_wrapper_s16", CmsisLayer::convolution, 2, kInt16},
    CmsisFunction{"arm_convolve_wrapper_s8", CmsisLayer::convolution, 1, kInt8},
    CmsisFunction{"arm_depthwise_conv_wrapper_s16", CmsisLayer::depthwise_convolution, 2, kInt16},
    CmsisFunction{"arm_depthwise_conv_wrapper_s8", CmsisLayer::depthwise_convolution, 1, kInt8},
    CmsisFunction{"arm_elementwise_add_s16", CmsisLayer::addition, 2, kInt8},
    CmsisFunction{"arm_elementwise_add_s8", CmsisLayer::addition, 1, kInt8},
    CmsisFunction{"arm_elementwise_mul_s16", CmsisLayer::multiplication, 2, kInt8},
    CmsisFunction{"arm_elementwise_mul_s8", CmsisLayer::multiplication, 1, kInt8},
    CmsisFunction{"arm_fully_connected_s16", CmsisLayer::fully_connected, 2, kInt8},
    CmsisFunction{"arm_fully_connected_s8", CmsisLayer::fully_connected, 1, kInt8},
    CmsisFunction{"arm_max_pool_s16", CmsisLayer::pooling, 2, kInt8},
    CmsisFunction{"arm_max_pool_s8", CmsisLayer::pooling, 1, kInt8},
    CmsisFunction{"arm_softmax_s16", CmsisLayer::table_softmax, 2, kInt16},
    CmsisFunction{"arm_softmax_s8", CmsisLayer::softmax, 1, kInt8},
};

constexpr std::array kConvolution{input,         filter,         multipliers,      bias,
                                  shifts,        output,         context,          context_bytes,
                                  input_offset,  output_offset,  stride_width,     stride_height,
                                  padding_width, padding_height, dilation_width,   dilation_height,
                                  least,         most,           depth_multiplier, input_dims,
                                  filter_dims,   bias_dims,      output_dims};

constexpr std::array kFullyConnected{
    input,        filter,        bias,          output,    context,    context_bytes,
    input_offset, filter_offset, output_offset, least,     most,       multiplier,
    shift,        input_dims,    filter_dims,   bias_dims, output_dims};

// Heights come first, unlike in a convolution.
constexpr std::array kPooling{
    input,         output, context, context_bytes, stride_height, stride_width, padding_height,
    padding_width, least,  most,    input_dims,    filter_dims,   output_dims};

constexpr std::array kSoftmax{input, rows, row_size, multiplier, shift, least_difference, output};

constexpr std::array kTableSoftmax{input, rows,         row_size,    multiplier,
                                   shift, exponentials, reciprocals, output};

constexpr std::array kAddition{input,
                               other_input,
                               input_offset,
                               input_multiplier,
                               input_shift,
                               other_input_offset,
                               other_input_multiplier,
                               other_input_shift,
                               left_shift,
                               output,
                               output_offset,
                               multiplier,
                               shift,
                               least,
                               most,
                               size};

constexpr std::array kMultiplication{input,  other_input,   input_offset, other_input_offset,
                                     output, output_offset, multiplier,   shift,
                                     least,  most,          size};

// More than any layer has along one axis; products of the four sizes do not overflow.
constexpr std::uint64_t kMostAlongAxis = 0xffff;
constexpr std::uint64_t kMostElements = 0x7fffffff;
// More than any tensor has; its bytes do not overflow for any type.
constexpr std::uint64_t kMostInMemory = std::uint64_t{1} << 48u;

// Entries of the tables of exponentials and of reciprocals (TVM's compute_luts.cc).
constexpr std::uint64_t kTableEntries = 513;

/// nullopt if a size is unknown.
std::optional<CmsisMemory> memory_of(const std::vector<std::optional<std::uint64_t>>& sizes,
                                     std::uint64_t element_bytes) {
  CmsisMemory memory{{}, element_bytes};
  for (const auto& size : sizes) {
    if (!size) return std::nullopt;
    memory.shape.push_back(*size);
  }
  return memory.elements() <= kMostInMemory ? std::optional(memory) : std::nullopt;
}

}  // namespace

const CmsisFunction* find_cmsis_function(std::string_view name) {
  const auto* const found = std::ranges::find(kFunctions, name, &CmsisFunction::name);
  return found == kFunctions.end() ? nullptr : found;
}

std::span<const CmsisArgument> arguments_of(CmsisLayer layer) {
  constexpr std::span<const CmsisArgument> kByLayer[] = {
      kConvolution, kConvolution,  kFullyConnected, kPooling,
      kSoftmax,     kTableSoftmax, kAddition,       kMultiplication};
  return kByLayer[static_cast<std::size_t>(layer)];
}

std::uint64_t CmsisMemory::elements() const {
  return std::accumulate(shape.begin(), shape.end(), std::uint64_t{1}, std::multiplies<>());
}

std::optional<CmsisCall> CmsisCall::of(Node call) {
  if (!is_call_of(call, "tir.call_extern")) return std::nullopt;
  const NodeList args = call.list(f::Call::args);
  if (args.empty() || !args[0].is(Kind::StringImm)) return std::nullopt;
  const CmsisFunction* const function = find_cmsis_function(args[0].text(f::StringImm::value));
  if (function == nullptr) return std::nullopt;
  CmsisCall read(call, *function);
  return read.place_arguments() ? std::optional(read) : std::nullopt;
}

/// False if the number of arguments differs, or if an argument for memory is not a pointer.
bool CmsisCall::place_arguments() {
  const NodeList args = call_.list(f::Call::args);
  std::size_t all = 1;
  for (const CmsisArgument what : arguments()) all += width_of(what);
  const bool has_bias = args.size() == all;
  std::size_t at = 1;
  for (const CmsisArgument what : arguments()) {
    if (what == bias && !has_bias) continue;
    if (at + width_of(what) > args.size()) return false;
    const bool is_none = what == context && args[at].is(Kind::StringImm) &&
                         args[at].text(f::StringImm::value) == kNoCmsisContext;
    if (is_memory(what) && !is_none && !args[at].dtype().is_handle()) return false;
    if (!is_memory(what) && args[at].dtype().is_handle()) return false;
    positions_[static_cast<std::size_t>(what)] = static_cast<std::uint8_t>(at);
    at += width_of(what);
  }
  return at == args.size();
}

Node CmsisCall::argument(CmsisArgument what) const {
  return has(what) ? call_.list(f::Call::args)[position(what)] : Node();
}

std::optional<std::int64_t> CmsisCall::number(CmsisArgument what) const {
  return int_imm_of(argument(what));
}

std::optional<CmsisDims> CmsisCall::dims(CmsisArgument what) const {
  if (!has(what)) return std::nullopt;
  const NodeList args = call_.list(f::Call::args);
  CmsisDims dims{};
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const auto value = int_imm_of(args[position(what) + i]);
    if (!value || *value < 1 || static_cast<std::uint64_t>(*value) > kMostAlongAxis) {
      return std::nullopt;
    }
    dims[i] = static_cast<std::uint64_t>(*value);
  }
  return dims;
}

/// A number of elements or bytes.
std::optional<std::uint64_t> CmsisCall::count(CmsisArgument what) const {
  const auto value = number(what);
  if (!value || *value < 1 || static_cast<std::uint64_t>(*value) > kMostElements) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(*value);
}

/// Whether the sizes of a layer's tensors are consistent; true for a layer without dims.
bool CmsisCall::is_consistent() const {
  if (!has(input_dims)) return true;
  const auto in = dims(input_dims);
  const auto window = dims(filter_dims);
  const auto out = dims(output_dims);
  if (!in || !window || !out || (*in)[0] != (*out)[0]) return false;
  const std::uint64_t channels = (*out)[3];
  switch (function_->layer) {
    case CmsisLayer::convolution:
      return (*window)[0] == channels && (*in)[3] % (*window)[3] == 0;
    case CmsisLayer::depthwise_convolution:
      return (*window)[0] == 1 && (*window)[3] == channels;
    case CmsisLayer::fully_connected:
      return (*window)[0] == (*in)[1] * (*in)[2] * (*in)[3] && (*window)[3] == channels &&
             (*out)[1] == 1 && (*out)[2] == 1;
    default:
      return (*in)[3] == channels;
  }
}

std::optional<CmsisMemory> CmsisCall::memory(CmsisArgument what) const {
  if (!has(what) || !is_consistent()) return std::nullopt;
  const auto of_dims = [&](CmsisArgument sizes, std::uint64_t element_bytes) {
    const auto found = dims(sizes);
    return found ? memory_of({found->begin(), found->end()}, element_bytes) : std::nullopt;
  };
  const std::uint64_t element_bytes = function_->element_bytes;
  const auto out = dims(output_dims);
  const auto channels = out ? std::optional((*out)[3]) : std::nullopt;
  switch (what) {
    case input:
    case other_input:
    case output:
      if (has(input_dims)) return of_dims(what == input ? input_dims : output_dims, element_bytes);
      if (has(rows)) return memory_of({count(rows), count(row_size)}, element_bytes);
      return memory_of({count(size)}, element_bytes);
    case filter:
      return of_dims(filter_dims, 1);
    case multipliers:
    case shifts:
      return memory_of({channels}, 4);
    case bias:
      // A sum over products with int16_t needs more than 32 bits.
      return memory_of({channels}, element_bytes == 1 ? 4 : 8);
    case exponentials:
    case reciprocals:
      return memory_of({kTableEntries}, 2);
    case context:
      return memory_of({count(context_bytes)}, 1);
    default:
      return std::nullopt;
  }
}

}  // namespace mlf::tir
