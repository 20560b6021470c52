// Operators of Relay's text that give kernels their names.
#include "report/layers.h"

#include <gtest/gtest.h>

#include <string>

#include "mlf/deployment.h"
#include "mlf/report.h"
#include "report/relay_text.h"
#include "unit/graph/networks.h"

namespace mlf::report {
namespace {

using Sources = std::vector<std::size_t>;

TEST(RelayAnchors, AreTheOperatorsThatAreNotFusedAway) {
  const auto anchors = relay_anchors(
      "def @main(%x: Tensor[(1, 4), int8]) {\n"
      "  %0 = qnn.conv2d(%x, meta[relay.Constant][0], 0) /* span=a/conv2d:0:0 */;\n"
      "  %1 = nn.bias_add(%0, meta[relay.Constant][1]) /* span=b:0:0 */;\n"
      "  nn.softmax(%1) /* span=c:0:0 */\n"
      "}\n");
  ASSERT_EQ(anchors.size(), 2u);
  EXPECT_EQ(anchors[0].operation, "conv2d");
  EXPECT_EQ(anchors[0].layer, "a/conv2d");
  EXPECT_EQ(anchors[0].line, 2u);
  EXPECT_EQ(anchors[1].operation, "softmax");
  EXPECT_EQ(anchors[1].reads, Sources{0});
}

TEST(RelayAnchors, HaveTheNameOfTheirWeightsWithoutSpans) {
  const auto anchors = relay_anchors(
      "def @main(%x: Tensor[(1, 4), int8], %fire1.w: Tensor[(4, 4), int8]) {\n"
      "  %0 = nn.dense(%x, %fire1.w /* ty=Tensor[(4, 4), int8] */, units=4) /* ty=int8 */;\n"
      "  %1 = nn.dense(%0, %fire1.w, units=4) /* span=a:0:0 */;\n"
      "  %2 = nn.batch_matmul(%1, %0);\n"
      "  nn.softmax(%2)\n"
      "}\n");
  ASSERT_EQ(anchors.size(), 4u);
  EXPECT_EQ(anchors[0].layer, "fire1.w");
  EXPECT_EQ(anchors[1].layer, "a");
  EXPECT_EQ(anchors[2].layer, "");
  EXPECT_EQ(anchors[3].layer, "");
}

TEST(RelayQuantization, IsThatOfTheOperatorsThatReadOrComputeATensor) {
  const RelayQuantization read = quantization_in(
      "def @main(%x: Tensor[(1, 4), int8], %y: Tensor[(1, 4), int8], %z: Tensor[(1, 4), int8]) {\n"
      "  %0 = qnn.conv2d(%x, meta[relay.Constant][0], -3 /* ty=int32 */, 0, 0.02f, 0.01f);\n"
      "  %1 = qnn.requantize(%0, 0.0002f, 0, 0.05f /* span=a:0:0 */, -5, out_dtype=\"int8\");\n"
      "  %2 = clip(%1, a_min=-128f, a_max=127f);\n"
      "  %3 = qnn.add(%y, %z, 0.5f, 1, 0.25f, 2, 1f, 3);\n"
      "  %4 = qnn.dequantize(%z, 0.5f, 2);\n"
      "  %5 = nn.relu(%3);\n"
      "  (%2, %3, %5)\n"
      "}\n");
  ASSERT_EQ(read.inputs.size(), 2u);  // the operators contradict each other about z
  EXPECT_EQ(read.inputs.at("x"), (Quantization{0.02, -3}));
  EXPECT_EQ(read.inputs.at("y"), (Quantization{0.5, 1}));
  ASSERT_EQ(read.outputs.size(), 3u);
  EXPECT_EQ(read.outputs[0], (Quantization{0.05, -5}));
  EXPECT_EQ(read.outputs[1], (Quantization{1, 3}));
  EXPECT_FALSE(read.outputs[2]);
}

TEST(RelayQuantization, IsUnknownIfTheTextDoesNotStateNumbers) {
  const RelayQuantization read = quantization_in(
      "def @main(%x: Tensor[(1, 4), int8], %y: Tensor[(1, 4), float32]) {\n"
      "  %0 = qnn.requantize(%x, meta[relay.Constant][0], 0, 1f, 0);\n"
      "  qnn.quantize(%y, 0.5f, 7, out_dtype=\"int8\")\n"
      "}\n");
  EXPECT_TRUE(read.inputs.empty());
  EXPECT_EQ(read.outputs, (std::vector<std::optional<Quantization>>{Quantization{0.5, 7}}));
  // One of several branches has the result.
  EXPECT_TRUE(quantization_in("def @main(%x) {\n  if (%c) {\n    qnn.quantize(%x, 1f, 0)\n"
                              "  } else {\n    qnn.quantize(%x, 2f, 0)\n  }\n}\n")
                  .outputs.empty());
}

TEST(RelayQuantization, FollowsCallsOfFunctions) {
  const std::string text =
      "def @main(%x: Tensor[(1, 4), int8], %y: Tensor[(1, 4), int8]) -> Tensor[(1, 4), int8] {\n"
      "  %0 = fn (%a, %b, Composite=\"cmsis-nn.qnn_add\") {\n"
      "    %1 = qnn.add(%a, %b, 0.5f, 1, 0.25f, 2, 1f, 3);\n    clip(%1, a_min=0f)\n"
      "  } /* ty=fn (int8) -> int8 */;\n"
      "  %2 = %0(%y, %z);\n  %3 = @first(%x, meta[relay.Constant][0]);\n"
      "  %4 = @pool(%3) /* ty=Tensor[(1, 4), int8] */;\n  (%4, %2)\n}\n\n"
      "def @first(%i: Tensor[(1, 4), int8], %w, Compiler=\"cmsis-nn\") -> Tensor[(1, 4), int8] {\n"
      "  %5 = fn (%f, %g) {\n    %6 = qnn.conv2d(%f, %g, 3, %s, 0.02f, 0.01f);\n"
      "    qnn.requantize(%6, 0.1f, 0, 0.05f, -5)\n  };\n  %5(%i, %w)\n}\n\n"
      "def @pool(%p) {\n  %7 = cast(%p, dtype=\"int32\");\n  nn.avg_pool2d(%7)\n}\n";
  const RelayQuantization read = quantization_in(text);
  EXPECT_EQ(read.inputs.at("x"), (Quantization{0.02, 3}));
  EXPECT_EQ(read.inputs.at("y"), (Quantization{0.5, 1}));
  EXPECT_EQ(read.outputs,
            (std::vector<std::optional<Quantization>>{Quantization{0.05, -5}, Quantization{1, 3}}));
  // Functions that call each other, or without an end, have no known result.
  const auto unknown = std::vector<std::optional<Quantization>>{std::nullopt};
  EXPECT_EQ(quantization_in("def @f(%x) {\n  @g(%x)\n}\ndef @g(%x) {\n  @f(%x)\n}\n"
                            "def @main(%x) {\n  @f(%x)\n}\n")
                .outputs,
            unknown);
  std::string nested = "def @main(%x) {\n";
  for (int i = 0; i < 100'000; ++i) nested += "%0 = fn (%y) {\n";
  EXPECT_TRUE(quantization_in(nested).outputs.empty());
}

TEST(RelayQuantization, FollowsInputsWhoseElementsAreMoved) {
  const RelayQuantization read = quantization_in(
      "def @main(%x: Tensor[(1, 5), int8], %y: Tensor[(4), uint8], %z: Tensor[(4), int8]) {\n"
      "  %0 = reshape(%x, newshape=[-1, 5]);\n  %1 = @moved(%0);\n"
      "  %2 = qnn.dense(%1, %w, -1, 0, 0.996078f, 0.01f, units=16);\n"
      "  %3 = cast(%y, dtype=\"int8\");\n  %4 = qnn.dequantize(%3, 0.5f, 1);\n"
      "  %5 = transpose(%z);\n  %6 = qnn.dequantize(%5, 0.5f, 1);\n"
      "  %7 = qnn.dequantize(%z, 0.25f, 1);\n  (%2, %4, %6, %7)\n}\n"
      "def @moved(%p) {\n  %8 = copy(%p);\n  expand_dims(%8, axis=0)\n}\n");
  ASSERT_EQ(read.inputs.size(), 1u);
  EXPECT_EQ(read.inputs.at("x"), (Quantization{0.996078, -1}));
}

TEST(RelayText, HasMainUpToItsBrace) {
  EXPECT_EQ(main_of_relay("#[version = \"0.0.5\"]\ndef @main(%x) {\n  %x\n}\n\ndef @f() {\n}\n"),
            "def @main(%x) {\n  %x\n}\n");
  EXPECT_EQ(main_of_relay("def @main(%x) {\n  %x\n}\n"), "def @main(%x) {\n  %x\n}\n");
  EXPECT_EQ(main_of_relay("def @main(%x) {\n  %x"), "def @main(%x) {\n  %x");
  EXPECT_EQ(main_of_relay("def @other(%x) {\n}\n"), "");
  EXPECT_EQ(main_of_relay(""), "");
}

TEST(RelayText, CommentsAreLeftOut) {
  EXPECT_EQ(without_comments("a /* b */ c /* d"), "a  c ");
}

TEST(RelayAnchors, HaveTheNamesOfOlderSpans) {
  const auto anchors = relay_anchors(
      "def @main(%x) {\n"
      "  nn.dense(%x, %w) /* span=location: 3, output_name: model/dense/BiasAdd:0:0 */\n"
      "}\n");
  ASSERT_EQ(anchors.size(), 1u);
  EXPECT_EQ(anchors[0].layer, "model/dense/BiasAdd");
}

TEST(RelayAnchors, AreThoseOfMain) {
  EXPECT_TRUE(relay_anchors("def @other(%x) {\n  nn.dense(%x, %w);\n}\n").empty());
}

TEST(RelayAnchors, AreNotTakenFromCommentsAndNames) {
  const auto anchors = relay_anchors(
      "def @main(%x) {\n"
      "  %0 = add(%x, %dense) /* span=nn.dense(%x):0:0 */;\n"
      "  %1 = nn.conv2d_transpose(%0, %w);\n"
      "}\n");
  ASSERT_EQ(anchors.size(), 1u);
  EXPECT_EQ(anchors[0].operation, "conv2d_transpose");
}

TEST(RelayAnchors, OfDamagedTextAreThoseThatCanBeRead) {
  for (const char* text : {"", "def @main(", "def @main(%x) {\n  %", "def @main(%x) {\n  %0 = \n",
                           "def @main(%x) {\n  nn.dense(%x /* span="}) {
    EXPECT_LE(relay_anchors(text).size(), 1u) << text;
  }
}

/// The multiply-accumulates of the last operator of main.
std::optional<std::uint64_t> macs_of(const std::string& parameters, const std::string& calls) {
  const auto anchors = relay_anchors("def @main(" + parameters + ") {\n" + calls + "}\n");
  return anchors.empty() ? std::nullopt : anchors.back().macs;
}

TEST(RelayMacs, OfConvolutionsFollowFromShapesAndAttributes) {
  const std::string image = "%x: Tensor[(1, 49, 10, 1), int8], %w";
  EXPECT_EQ(macs_of(image,
                    "  %0 = qnn.conv2d(%x, %w, 87 /* span=a,(b:0:0 */, 0, strides=[2, 2], "
                    "padding=[4, 1, 5, 1], channels=64, kernel_size=[10, 4], "
                    "data_layout=\"NHWC\", kernel_layout=\"HWIO\");\n"),
            25U * 5 * 64 * 10 * 4);
  // Depthwise.
  EXPECT_EQ(macs_of("%x: Tensor[(1, 16, 8, 8), float32], %w",
                    "  %0 = nn.conv2d(%x, %w, padding=[1, 1], groups=16, channels=16, "
                    "kernel_size=[3, 3]);\n"),
            8U * 8 * 16 * 9);
  EXPECT_EQ(macs_of("%x: Tensor[(2, 4, 10), float32], %w",
                    "  %0 = nn.conv1d(%x, %w, dilation=[2], channels=6, kernel_size=[3]);\n"),
            2U * 6 * 6 * 3 * 4);
}

TEST(RelayMacs, OfDenseLayersFollowFromTheWeights) {
  EXPECT_EQ(macs_of("%x: Tensor[(3, 8), int8], %w: Tensor[(5, 8), int8]",
                    "  %0 = nn.dense(%x, %w, units=None);\n"),
            3U * 5 * 8);
  EXPECT_EQ(
      macs_of("%x: Tensor[(3, 8), int8]",
              "  %0 = nn.dense(%x, meta[relay.Constant][0] /* ty=Tensor[(5, 8), int8] */);\n"),
      3U * 5 * 8);
  EXPECT_EQ(macs_of("%x: Tensor[(3, 8), int8]", "  %0 = nn.dense(%x, meta[relay.Constant][0]);\n"),
            std::nullopt);
}

TEST(RelayMacs, NeedShapesThroughOtherOperators) {
  const std::string conv = "nn.conv2d(%5, %w, channels=2, kernel_size=[1, 1]);\n";
  const std::string image = "%x: Tensor[(1, 4, 6, 6), float32], %b: Tensor[(4, 1, 1), float32]";
  const auto macs = [&](const std::string& calls) { return macs_of(image, calls + "  " + conv); };
  EXPECT_EQ(macs("  %5 = nn.max_pool2d(%x, pool_size=[2, 2], strides=[2, 2]);\n"), 9U * 2 * 4);
  EXPECT_EQ(macs("  %5 = add(%b, %x);\n"), 36U * 2 * 4);
  EXPECT_EQ(macs("  %5 = multiply(%x, 2f);\n"), 36U * 2 * 4);
  EXPECT_EQ(macs("  %4 = nn.batch_norm(%x, %b);\n  %5 = %4.0;\n"), 36U * 2 * 4);
  EXPECT_EQ(macs("  %5 = reshape(%x, newshape=[1, -1, 3, 3]);\n"), 9U * 2 * 16);
  EXPECT_EQ(macs("  %5 = unknown(%x) /* ty=Tensor[(1, 3, 2, 2), float32] */;\n"), 4U * 2 * 3);
  // What is not certain is not known.
  for (const char* calls :
       {"  %5 = unknown(%x);\n", "  %5 = add(%x, %y);\n", "  %5 = reshape(%x, newshape=[0, -1]);\n",
        "  %5 = nn.max_pool2d(%x, pool_size=[2, 2], ceil_mode=True);\n",
        "  %5 = unknown(%x) /* ty=Tensor[(?, 3, 2, 2), float32] */;\n",
        "  %5 = unknown(%x) /* span=/* ty=Tensor[(1, 3, 2, 2), float32] */;\n",
        "  %5 = nn.conv2d(%x, %w, channels=2, kernel_size=[1, 1], out_layout=\"NHWC\");\n",
        "  %5 = reshape(%x, newshape=[9223372036854775807, 9223372036854775807, 3, 3]);\n"}) {
    EXPECT_EQ(macs(calls), std::nullopt) << calls;
  }
}

/// Kernels execute what Relay needs, where nothing is computed again.
TEST(RelayMacs, AreThoseOfKernelsOfRealArchives) {
  for (const char* name :
       {"archives/tvm-0.9-qnn_conv-aot-c.tar", "archives/tvm-0.18-qnn_conv-aot-c.tar",
        "corpus/tvm-0.18/two-modules/module.tar",
        "corpus/tvm-0.9/dense-aot-packed-usmp/module.tar"}) {
    const auto deployment = Deployment::open(std::string(MLF_SOURCE_DIR "/tests/data/") + name);
    ASSERT_TRUE(deployment) << name;
    const auto report = report_of(*deployment);
    ASSERT_TRUE(report) << name;
    int known = 0;
    for (const ModuleReport& module : report->modules) {
      for (const CallReport& call : module.calls) {
        if (!call.relay_macs) continue;
        ++known;
        EXPECT_EQ(call[CallMeasure::mac].min, *call.relay_macs) << name;
      }
    }
    EXPECT_GT(known, 0) << name;
  }
}

// --- Matching ----------------------------------------------------------------------------------

constexpr const char* kResidual =
    "def @main(%x) {\n"
    "  %0 = nn.conv2d(%x, %a);\n"
    "  %1 = nn.conv2d(%0, %b);\n"
    "  %2 = nn.conv2d(%x, %c);\n"
    "  %3 = add(%1, %2);\n"
    "  nn.softmax(%3)\n"
    "}\n";

/// The same after fusion: the second convolution adds the third one's result, which it reads
/// second.
graph::Topology residual_network() {
  const std::string conv = "tvmgen_default_fused_nn_conv2d";
  const std::string sum = "tvmgen_default_fused_nn_conv2d_add";
  const std::string softmax = "tvmgen_default_fused_nn_softmax";
  return graph::network(graph::script(
      {graph::main_of({"x", "output"}, graph::sid("sid_1") + graph::sid("sid_2") +
                                           graph::sid("sid_3") +
                                           graph::call(conv, "x_buffer.data, sid_1") +
                                           graph::call(conv, "x_buffer.data, sid_2") +
                                           graph::call(sum, "sid_1, sid_2, sid_3") +
                                           graph::call(softmax, "sid_3, output_buffer.data")),
       graph::unary(conv), graph::binary(sum), graph::unary(softmax)}));
}

TEST(RelayResults, AreThoseOfTheLastOperatorThatIsFused) {
  const RelayQuantization read = quantization_in(
      "def @main(%x, %w) {\n"
      "  %0 = qnn.conv2d(%x, %w, 0, 0, 0.5f, 0.1f) /* span=a:0:0 */;\n"
      "  %1 = qnn.requantize(%0, 0.05f, 0, 0.25f, 3) /* span=a:0:0 */;\n"
      "  %2 = qnn.conv2d(%1, %w, 3, 0, 0.25f, 0.1f) /* span=b:0:0 */;\n"
      "  %3 = qnn.requantize(%2, 0.05f, 0, 0.125f, 7) /* span=b:0:0 */;\n"
      "  %4 = qnn.add(%3, %1, 0.125f, 7, 0.25f, 3, 0.5f, 9) /* span=sum:0:0 */;\n"
      "  %5 = cast(%4, dtype=\"int32\") /* span=pool:0:0 */;\n"
      "  %6 = nn.avg_pool2d(%5) /* span=pool:0:0 */;\n"
      "  cast(%6, dtype=\"int8\") /* span=pool:0:0 */\n}\n");
  // Two operators read %1, so that its kernel ends there.
  ASSERT_TRUE(read.results.contains(2));
  EXPECT_EQ(read.results.at(2).name, "a");
  EXPECT_EQ(read.results.at(2).quantization, (Quantization{0.25, 3}));
  EXPECT_EQ(read.results.at(4).name, "sum");
  EXPECT_EQ(read.results.at(4).quantization, (Quantization{0.5, 9}));
  EXPECT_EQ(read.results.at(8).name, "pool");
}

// As its kernels in TVM do: otherwise a text could make the time quadratic.
TEST(RelayResults, OfASumAreThoseOfTheFirstOperatorThatItReads) {
  const RelayQuantization read = quantization_in(
      "def @main(%x, %w) {\n"
      "  %0 = qnn.conv2d(%x, %w, 0, 0, 0.5f, 0.1f);\n"
      "  %1 = qnn.requantize(%0, 0.05f, 0, 0.25f, 3);\n"
      "  %2 = qnn.conv2d(%x, %w, 0, 0, 0.5f, 0.1f);\n"
      "  %3 = qnn.requantize(%2, 0.05f, 0, 0.125f, 7);\n"
      "  qnn.add(%1, %3, 0.25f, 3, 0.125f, 7, 0.5f, 9)\n}\n");
  EXPECT_EQ(read.results.at(2).quantization, (Quantization{0.5, 9}));
  EXPECT_EQ(read.results.at(4).quantization, (Quantization{0.125, 7}));
}

// Relay of an application may have no names of layers.
TEST(RelayResults, NeedNoNames) {
  const RelayQuantization read = quantization_in(
      "def @f(%y) {\n  %y\n}\ndef @main(%x, %w) {\n  %0 = qnn.conv2d(%x, %w, 0, 0, 0.5f, 0.1f);\n"
      "  qnn.requantize(%0, 0.05f, 0, 0.25f, 3)\n}\n");
  ASSERT_TRUE(read.results.contains(5));
  EXPECT_EQ(read.results.at(5).quantization, (Quantization{0.25, 3}));
}

TEST(RelayResults, HaveTheNamesOfTheModel) {
  for (const std::string name : {"a_PART_0", "a"}) {
    const RelayQuantization read = quantization_in(
        "def @main(%x, %w) {\n  %0 = nn.dense(%x, %w) /* span=" + name + ":0:0 */;\n  %0\n}\n");
    ASSERT_TRUE(read.results.contains(2));
    EXPECT_EQ(read.results.at(2).name, "a");
  }
}

/// For each call, the number of the anchor that it comes from, or -1.
std::vector<int> anchors_of_calls(const ReducedArguments& reduced) {
  const LayerMatches matches = match_layers(residual_network(), reduced, relay_anchors(kResidual));
  std::vector<int> anchors;
  for (const auto& group : matches.group_of_call) {
    const bool is_one = group && matches.groups[*group].size() == 1;
    anchors.push_back(is_one ? static_cast<int>(matches.groups[*group].front()) : -1);
  }
  return anchors;
}

TEST(LayerMatches, TellWhatIsAddedToAConvolutionFromWhatItReads) {
  const std::optional<std::set<std::size_t>> first({0});
  EXPECT_EQ(anchors_of_calls({first, first, first}), (std::vector{0, 2, 1, 3}));
}

TEST(LayerMatches, AreNotKnownWhereThatIsNotKnown) {
  EXPECT_EQ(anchors_of_calls({std::nullopt, std::nullopt, std::nullopt}),
            (std::vector{-1, -1, -1, -1}));
}

}  // namespace
}  // namespace mlf::report
