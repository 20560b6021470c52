// What each call costs that TVM makes of CMSIS-NN, against numbers made by hand, in the texts of
// captured TIR: legacy and TVMScript.
#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "unit/analysis/cost_of.h"

namespace mlf::analysis {
namespace {

struct Tensor {
  std::string_view name;
  std::string_view dtype;
};

/// A call as TVM makes it: `@name` is a tensor.
struct LayerCall {
  std::string_view function;
  std::vector<Tensor> tensors;
  std::string_view arguments;
  std::uint64_t mac;
  std::uint64_t loaded;  ///< bytes that are read at least once
  std::uint64_t stored;
};

/// The arguments with `@name` as the text of a dialect has a tensor's pointer.
std::string with_pointers(std::string_view arguments, std::string_view behind_name) {
  std::string text;
  bool is_name = false;
  for (const char c : std::string(arguments) + ',') {
    if (is_name && (c == ',' || c == ' ')) text += behind_name;
    is_name = c == '@' || (is_name && c != ',' && c != ' ');
    if (c != '@') text += c;
  }
  text.pop_back();
  return text;
}

std::string in_legacy(const LayerCall& layer) {
  std::string parameters;
  std::string buffers;
  std::string map;
  for (const auto& [name, dtype] : layer.tensors) {
    const std::string_view comma = parameters.empty() ? "" : ", ";
    parameters += fmt::format("{}{}: handle", comma, name);
    buffers += fmt::format("{0}{1}_: Buffer({1}_p: Pointer({2}), {2}, [], [])", comma, name, dtype);
    map += fmt::format("{0}{1}: {1}_", comma, name);
  }
  return fmt::format(
      "@f = primfn({}) -> ()\n"
      "  attr = {{\"global_symbol\": \"f\", \"target\": Target(kind='cmsis-nn'), \"tir.noalias\": "
      "True}}\n  buffers = {{{}}}\n  buffer_map = {{{}}} {{\n"
      "  @tir.call_extern(\"{}\", {}, dtype=int8)\n}}\n",
      parameters, buffers, map, layer.function, with_pointers(layer.arguments, "_p"));
}

std::string in_script(const LayerCall& layer) {
  std::string parameters;
  for (const auto& [name, dtype] : layer.tensors) {
    parameters +=
        fmt::format("{}{}: T.Buffer((), \"{}\")", parameters.empty() ? "" : ", ", name, dtype);
  }
  return fmt::format(
      "# from tvm.script import tir as T\n\n@T.prim_func\ndef f({}):\n"
      "    T.evaluate(T.call_extern(\"int8\", \"{}\", {}))\n",
      parameters, layer.function, with_pointers(layer.arguments, ".data"));
}

const std::vector<Tensor> kWeighted{{"i", "int8"}, {"w", "int8"}, {"b", "int32"}, {"o", "int8"}};
const std::vector<Tensor> kWeighted16{
    {"i", "int16"}, {"w", "int8"}, {"b", "int64"}, {"o", "int16"}};
const std::vector<Tensor> kConvolved{{"i", "int8"},  {"w", "int8"},  {"m", "int32"},
                                     {"b", "int32"}, {"s", "int32"}, {"o", "int8"}};
const std::vector<Tensor> kConvolved16{{"i", "int16"}, {"w", "int8"},  {"m", "int32"},
                                       {"b", "int64"}, {"s", "int32"}, {"o", "int16"}};
const std::vector<Tensor> kPooled{{"i", "int8"}, {"o", "int8"}};
const std::vector<Tensor> kPooled16{{"i", "int16"}, {"o", "int16"}};
const std::vector<Tensor> kTwo{{"i", "int8"}, {"j", "int8"}, {"o", "int8"}};
const std::vector<Tensor> kTwo16{{"i", "int16"}, {"j", "int16"}, {"o", "int16"}};

// Windows of 3 rows and 2 columns with strides of 1 over 8 x 9 of 4 channels.
constexpr std::string_view kConvolution =
    "@i, @w, @m, @b, @s, @o, \"NULL\", 0, -3, -5, 1, 1, 0, 0, 1, 1, -128, 127, -1, "
    "1, 8, 9, 4, 6, 3, 2, 4, 1, 1, 1, 6, 1, 6, 8, 6";
constexpr std::string_view kDepthwise =
    "@i, @w, @m, @b, @s, @o, \"NULL\", 0, -3, -5, 1, 1, 0, 0, 1, 1, -128, 127, 2, "
    "1, 8, 9, 4, 1, 3, 2, 8, 1, 1, 1, 8, 1, 6, 8, 8";
constexpr std::string_view kFullyConnected =
    "@i, @w, @b, @o, \"NULL\", 0, 5, 0, -3, -128, 127, 1234567890, -7, "
    "3, 1, 1, 8, 8, 1, 1, 4, 1, 1, 1, 4, 3, 1, 1, 4";
constexpr std::string_view kFullyConnectedAlone =
    "@i, @w, @o, \"NULL\", 0, 5, 0, -3, -128, 127, 1234567890, -7, "
    "3, 1, 1, 8, 8, 1, 1, 4, 1, 1, 1, 4, 3, 1, 1, 4";
constexpr std::string_view kPooling =
    "@i, @o, \"NULL\", 0, 2, 2, 0, 0, -128, 127, 1, 8, 8, 4, 1, 2, 2, 1, 1, 4, 4, 4";
constexpr std::string_view kAddition =
    "@i, @j, 128, 1623821475, -2, -4, 1073741824, 0, 20, @o, -128, 1098017566, -17, -128, 127, 50";
constexpr std::string_view kMultiplication = "@i, @j, 1, -2, @o, 3, 1073741824, -5, -128, 127, 50";

const std::vector<LayerCall> kLayers{
    {"arm_convolve_wrapper_s8", kConvolved, kConvolution, 6 * 8 * 6 * 3 * 2 * 4,
     8 * 9 * 4 + 6 * 3 * 2 * 4 + 6 * (4 + 4 + 4), 6 * 8 * 6},
    {"arm_convolve_wrapper_s16", kConvolved16, kConvolution, 6 * 8 * 6 * 3 * 2 * 4,
     2 * 8 * 9 * 4 + 6 * 3 * 2 * 4 + 6 * (4 + 8 + 4), 2 * 6 * 8 * 6},
    {"arm_depthwise_conv_wrapper_s8", kConvolved, kDepthwise, 6 * 8 * 8 * 3 * 2,
     8 * 9 * 4 + 3 * 2 * 8 + 8 * (4 + 4 + 4), 6 * 8 * 8},
    {"arm_depthwise_conv_wrapper_s16", kConvolved16, kDepthwise, 6 * 8 * 8 * 3 * 2,
     2 * 8 * 9 * 4 + 3 * 2 * 8 + 8 * (4 + 8 + 4), 2 * 6 * 8 * 8},
    {"arm_fully_connected_s8", kWeighted, kFullyConnected, 3 * 8 * 4, 3 * 8 + 8 * 4 + 4 * 4, 3 * 4},
    {"arm_fully_connected_s16", kWeighted16, kFullyConnected, 3 * 8 * 4, 2 * 3 * 8 + 8 * 4 + 4 * 8,
     2 * 3 * 4},
    {"arm_fully_connected_s8",
     {{"i", "int8"}, {"w", "int8"}, {"o", "int8"}},
     kFullyConnectedAlone,
     3 * 8 * 4,
     3 * 8 + 8 * 4,
     3 * 4},
    {"arm_max_pool_s8", kPooled, kPooling, 0, 8 * 8 * 4, 4 * 4 * 4},
    {"arm_max_pool_s16", kPooled16, kPooling, 0, 2 * 8 * 8 * 4, 2 * 4 * 4 * 4},
    {"arm_avgpool_s8", kPooled, kPooling, 0, 8 * 8 * 4, 4 * 4 * 4},
    {"arm_avgpool_s16", kPooled16, kPooling, 0, 2 * 8 * 8 * 4, 2 * 4 * 4 * 4},
    {"arm_elementwise_add_s8", kTwo, kAddition, 0, 2 * 50, 50},
    {"arm_elementwise_add_s16", kTwo16, kAddition, 0, 2 * 2 * 50, 2 * 50},
    {"arm_elementwise_mul_s8", kTwo, kMultiplication, 0, 2 * 50, 50},
    {"arm_elementwise_mul_s16", kTwo16, kMultiplication, 0, 2 * 2 * 50, 2 * 50},
    {"arm_softmax_s8", kPooled, "@i, 2, 25, 1242899200, 24, -124, @o", 0, 50, 50},
    // Which entries of its tables are read depends on the input.
    {"arm_softmax_s16",
     {{"i", "int16"}, {"e", "int16"}, {"r", "int16"}, {"o", "int16"}},
     "@i, 2, 25, 1242899200, 24, @e, @r, @o",
     0,
     2 * 50,
     2 * 50},
};

TEST(LayerCost, IsThatOfTheFormulasInEachDialect) {
  for (const LayerCall& layer : kLayers) {
    for (const std::string& text : {in_legacy(layer), in_script(layer)}) {
      SCOPED_TRACE(text);
      const KernelCost cost = cost_of_text(text);
      EXPECT_EQ(cost.mac, Count(layer.mac));
      // How often it reads the same element again is not known.
      EXPECT_EQ(cost.loaded, Count(layer.loaded, std::nullopt));
      EXPECT_EQ(cost.stored, Count(layer.stored, std::nullopt));
      EXPECT_EQ(buffer(cost, cost.buffers.front().name).role, BufferRole::input);
      EXPECT_EQ(buffer(cost, cost.buffers.back().name).role, BufferRole::output);
    }
  }
}

/// "fixed_point int32 at least 12" for each class of arithmetic.
std::vector<std::string> arithmetic_of(std::string_view function) {
  const auto layer = std::ranges::find(kLayers, function, &LayerCall::function);
  std::vector<std::string> words;
  for (const auto& [operation, dtype, count] : cost_of_text(in_script(*layer)).operations) {
    EXPECT_EQ(count.max, std::nullopt);
    words.push_back(
        fmt::format("{} {} at least {}", to_string(operation), tir::to_string(dtype), count.min));
  }
  return words;
}

TEST(LayerCost, HasTheArithmeticThatIsCertain) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(arithmetic_of("arm_fully_connected_s8"), (Words{"fixed_point int32 at least 12"}));
  EXPECT_EQ(arithmetic_of("arm_elementwise_add_s8"),
            (Words{"add_subtract int32 at least 50", "fixed_point int32 at least 150"}));
  EXPECT_EQ(arithmetic_of("arm_elementwise_mul_s16"),
            (Words{"multiply int32 at least 50", "fixed_point int32 at least 50"}));
  EXPECT_EQ(arithmetic_of("arm_softmax_s8"), (Words{"transcendental int32 at least 2"}));
  EXPECT_EQ(arithmetic_of("arm_max_pool_s8"), Words());
}

}  // namespace
}  // namespace mlf::analysis
