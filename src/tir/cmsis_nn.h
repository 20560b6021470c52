// Calls of Arm's CMSIS-NN library by TVM's target cmsis-nn: the meaning of each argument of
// call_extern. Source: src/relay/backend/contrib/cmsisnn/relay_to_tir.cc of TVM v0.8 to v0.18.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "mlf/tir/module.h"

namespace mlf::tir {

enum class CmsisLayer : std::uint8_t {
  convolution,
  depthwise_convolution,
  fully_connected,
  pooling,
  softmax,
  table_softmax,  ///< of int16_t: exponentials and reciprocals are looked up
  addition,
  multiplication,
};

enum class CmsisArgument : std::uint8_t {
  // Memory.
  input,
  other_input,
  filter,
  multipliers,
  bias,
  shifts,
  exponentials,
  reciprocals,
  context,  ///< a buffer to work in, or "NULL"
  output,
  // Sizes of a tensor, each four arguments: batch, height, width, channels.
  input_dims,
  filter_dims,
  bias_dims,
  output_dims,
  // Numbers.
  context_bytes,
  input_offset,
  other_input_offset,
  filter_offset,
  output_offset,
  input_multiplier,
  other_input_multiplier,
  multiplier,
  input_shift,
  other_input_shift,
  left_shift,
  shift,
  stride_width,
  stride_height,
  padding_width,
  padding_height,
  dilation_width,
  dilation_height,
  least,
  most,
  depth_multiplier,  ///< -1 where the convolution is not depthwise
  rows,
  row_size,
  least_difference,
  size,  ///< elements of each tensor
};

constexpr std::size_t kCmsisArguments = static_cast<std::size_t>(CmsisArgument::size) + 1;

constexpr bool is_memory(CmsisArgument argument) {
  return argument <= CmsisArgument::output;
}

/// The number of arguments of call_extern that it takes.
constexpr std::size_t width_of(CmsisArgument argument) {
  return argument >= CmsisArgument::input_dims && argument <= CmsisArgument::output_dims ? 4 : 1;
}

/// TVM's `context` argument for a layer that needs none.
constexpr std::string_view kNoCmsisContext = "NULL";
/// TVM's `depth_multiplier` argument if there is none.
constexpr std::int64_t kNoDepthMultiplier = -1;

struct CmsisFunction {
  std::string_view name;
  CmsisLayer layer;
  std::uint8_t element_bytes;  ///< of inputs and outputs; filters are int8_t always
  DType result;                ///< of call_extern
};

/// Null for a function that TVM does not call.
const CmsisFunction* find_cmsis_function(std::string_view name);

/// The arguments after the function's name, in order. A bias may be missing.
std::span<const CmsisArgument> arguments_of(CmsisLayer layer);

using CmsisDims = std::array<std::uint64_t, 4>;

/// The memory of a pointer argument of a layer.
struct CmsisMemory {
  std::vector<std::uint64_t> shape;  ///< along each axis, none of them 0; products fit
  std::uint64_t element_bytes = 1;

  std::uint64_t elements() const;
  std::uint64_t bytes() const { return elements() * element_bytes; }
};

/// A call_extern of a function of CMSIS-NN with TVM's arguments.
class CmsisCall {
 public:
  /// nullopt for other nodes, including calls of other functions or with other arguments.
  static std::optional<CmsisCall> of(Node call);

  const CmsisFunction& function() const { return *function_; }
  std::span<const CmsisArgument> arguments() const { return arguments_of(function_->layer); }
  bool has(CmsisArgument what) const { return position(what) != 0; }
  /// Its position among the arguments of the Call, or that of the first of the four; 0 if it is
  /// missing.
  std::size_t position(CmsisArgument what) const {
    return positions_[static_cast<std::size_t>(what)];
  }
  /// The argument, or the first of the four; undefined if it is missing.
  Node argument(CmsisArgument what) const;
  /// nullopt if it is not a literal.
  std::optional<std::int64_t> number(CmsisArgument what) const;
  /// nullopt if one of the four is not a literal, or not a possible size of a tensor.
  std::optional<CmsisDims> dims(CmsisArgument what) const;
  /// All memory that the layer reads or writes through a pointer. nullopt if the arguments do not
  /// state it, or if sizes of its tensors contradict each other.
  std::optional<CmsisMemory> memory(CmsisArgument what) const;

 private:
  CmsisCall(Node call, const CmsisFunction& function) : call_(call), function_(&function) {}
  bool place_arguments();
  bool is_consistent() const;
  std::optional<std::uint64_t> count(CmsisArgument what) const;

  Node call_;
  const CmsisFunction* function_;
  std::array<std::uint8_t, kCmsisArguments> positions_{};
};

}  // namespace mlf::tir
