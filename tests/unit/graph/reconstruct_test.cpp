// The forms of main that TVM writes, and the network each of them shows.
#include <gtest/gtest.h>

#include "unit/graph/networks.h"

namespace mlf::graph {
namespace {

using Codes = std::vector<std::string>;

const std::string kChain = sid("sid_1") + sid("sid_2") +
                           call("tvmgen_default_a", "x_buffer.data, sid_1") +
                           call("tvmgen_default_b", "sid_1, sid_2") +
                           call("tvmgen_default_c", "sid_1, sid_2, output_buffer.data");

std::string chain_kernels() {
  return unary("tvmgen_default_a") + "\n" + unary("tvmgen_default_b") + "\n" +
         binary("tvmgen_default_c");
}

TEST(Reconstruction, FollowsCallsThroughStorage) {
  const Topology topology = network(script({main_of({"x", "output"}, kChain), chain_kernels()}));
  EXPECT_EQ(calls_of(topology),
            "tvmgen_default_a(x -> sid_1)\n"
            "tvmgen_default_b(sid_1 -> sid_2)\n"
            "tvmgen_default_c(sid_1, sid_2 -> output)\n");
  EXPECT_EQ(topology.module, "default");
  EXPECT_EQ(topology.provenance.function, "__tvm_main__");
  EXPECT_EQ(topology.provenance.symbol, "tvmgen_default___tvm_main__");
  EXPECT_EQ(topology.provenance.call_form, CallForm::unpacked);
  EXPECT_EQ(topology.provenance.argument_form, ArgumentForm::pointers);
  EXPECT_EQ(checks_of(topology), Codes{});
  EXPECT_TRUE(topology.is_sound());
}

TEST(Reconstruction, EveryValueKnowsItsLifeAndItsMemory) {
  const Topology topology = network(script({main_of({"x", "output"}, kChain), chain_kernels()}));
  ASSERT_EQ(topology.values.size(), 4u);
  const Value& first = topology.values[1];
  EXPECT_EQ(first.name, "sid_1");
  EXPECT_EQ(first.kind, ValueKind::computed);
  EXPECT_EQ(first.producer, (Endpoint{EndpointKind::call, 0, 1}));
  EXPECT_EQ(first.consumers,
            (std::vector<Endpoint>{{EndpointKind::call, 1, 0}, {EndpointKind::call, 2, 0}}));
  EXPECT_EQ(first.first_definition, 0u);
  EXPECT_EQ(first.last_use, 2u);
  EXPECT_EQ(first.bytes, 16u);
  EXPECT_EQ(topology[first.storage].kind, StorageKind::workspace);
  EXPECT_EQ(topology[first.storage].bytes, 16u);
  EXPECT_EQ(topology.values[0].first_definition, std::nullopt);
  EXPECT_EQ(topology.values[3].last_use, std::nullopt);
}

TEST(Reconstruction, MergedStorageHoldsOneValueAfterTheOther) {
  const Topology topology = network(merged_storage());
  EXPECT_EQ(calls_of(topology),
            "tvmgen_default_a(x -> sid_1)\n"
            "tvmgen_default_a(sid_1 -> sid_2)\n"
            "tvmgen_default_a(sid_2 -> sid_1.1)\n"
            "tvmgen_default_a(sid_1.1 -> output)\n");
  EXPECT_EQ(topology.kernels.size(), 1u);
  EXPECT_EQ(topology.calls[3].name, "tvmgen_default_a_3");
}

TEST(Reconstruction, AnOutputMayBeReadInTheMiddle) {
  const Topology topology = network(
      script({main_of({"x", "output", "output2"},
                      call("tvmgen_default_a", "x_buffer.data, output2_buffer.data") +
                          call("tvmgen_default_a", "output2_buffer.data, output_buffer.data")),
              unary("tvmgen_default_a")}));
  EXPECT_EQ(calls_of(topology),
            "tvmgen_default_a(x -> output2)\n"
            "tvmgen_default_a(output2 -> output)\n");
  ASSERT_EQ(topology.inputs.size(), 1u);
  ASSERT_EQ(topology.outputs.size(), 2u);
  EXPECT_EQ(checks_of(topology), Codes{});
}

TEST(Reconstruction, AnInputMayBeUnused) {
  const Topology topology =
      network(script({main_of({"x", "unused", "output"},
                              call("tvmgen_default_a", "x_buffer.data, output_buffer.data")),
                      unary("tvmgen_default_a")}));
  ASSERT_EQ(topology.inputs.size(), 2u);
  EXPECT_EQ(topology.inputs[1].name, "unused");
  EXPECT_EQ(checks_of(topology), Codes{"unused-input"});
}

TEST(Reconstruction, AKernelMayHaveSeveralOutputs) {
  const Topology topology = network(script(
      {main_of({"x", "output", "output2"},
               call("tvmgen_default_s", "x_buffer.data, output_buffer.data, output2_buffer.data")),
       split("tvmgen_default_s")}));
  EXPECT_EQ(calls_of(topology), "tvmgen_default_s(x -> output, output2)\n");
}

TEST(Reconstruction, AnInputReturnedDirectlyIsACopy) {
  const Topology topology = network(script(
      {main_of({"x", "output"},
               "for i in range(16):\n"
               "    tmp_write = T.Buffer((T.uint64(16),), \"uint8\", data=output_buffer.data)\n"
               "    tmp_read = T.Buffer((T.uint64(16),), \"uint8\", data=x_buffer.data)\n"
               "    tmp_write[i] = tmp_read[i]\n")}));
  ASSERT_EQ(topology.copies.size(), 1u);
  EXPECT_EQ(topology[*topology.copies[0].reads].name, "x");
  EXPECT_EQ(topology[topology.copies[0].writes].name, "output");
  EXPECT_EQ(topology.copies[0].bytes, 16u);
  EXPECT_EQ(checks_of(topology), Codes{});
}

TEST(Reconstruction, ConstantsOfMainAreValuesWithoutProducer) {
  const Topology topology = network(script(
      {main_of({"x", "output"},
               "constant_0 = T.allocate_const([1.0, 2.0, 3.0, 4.0], \"float32\", [4])\n" +
                   call("tvmgen_default_c", "x_buffer.data, constant_0, output_buffer.data")),
       binary("tvmgen_default_c")}));
  EXPECT_EQ(calls_of(topology), "tvmgen_default_c(x, constant_0 -> output)\n");
  const Value& constant = topology[*topology.calls[0].arguments[1].reads];
  EXPECT_EQ(constant.kind, ValueKind::constant);
  EXPECT_EQ(constant.bytes, 16u);
  EXPECT_EQ(constant.producer, std::nullopt);
}

TEST(Reconstruction, PackedCallsStateTheTypesOfTheirTensors) {
  const std::string array_of =
      ", T.tvm_stack_make_shape(2, 2), T.reinterpret(\"handle\", T.uint64(0)), T.uint32(2), "
      "T.Cast(\"float32\", 0), 0)";
  const Topology topology = network(script(
      {main_of({"x", "output"},
               "T.call_cpacked(\"tvmgen_default_cc_main_0\", T.tvm_stack_make_array(x_buffer.data" +
                   array_of + ", T.tvm_stack_make_array(output_buffer.data" + array_of +
                   ", T.reinterpret(\"handle\", T.uint64(0)))\n")}));
  EXPECT_EQ(calls_of(topology), "tvmgen_default_cc_main_0(x -> output)\n");
  EXPECT_EQ(topology.provenance.call_form, CallForm::c_packed);
  EXPECT_EQ(topology.provenance.argument_form, ArgumentForm::arrays);
  const Call& call = topology.calls[0];
  ASSERT_EQ(call.arguments.size(), 3u);
  EXPECT_EQ(call.arguments[0].type.shape, (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(call.arguments[2].direction, Direction::context);
}

TEST(Reconstruction, DeviceHooksAreNoCalls) {
  const Topology topology = network(
      script({main_of({"x", "output", "device_context_ethos_u"},
                      call("TVMDeviceEthosUActivate", "device_context_ethos_u") +
                          call("TVMDeviceEthosUOpen", "device_context_ethos_u") +
                          call("tvmgen_default_a",
                               "x_buffer.data, output_buffer.data, device_context_ethos_u") +
                          call("TVMDeviceEthosUClose", "device_context_ethos_u") +
                          call("TVMDeviceEthosUDeactivate", "device_context_ethos_u")),
              unary("tvmgen_default_a")}));
  EXPECT_EQ(calls_of(topology), "tvmgen_default_a(x -> output)\n");
  EXPECT_EQ(topology.calls[0].position, 2u);
  ASSERT_EQ(topology.hooks.size(), 4u);
  EXPECT_EQ(topology.hooks[0].phase, HookPhase::activate);
  EXPECT_EQ(topology.hooks[1].phase, HookPhase::open);
  EXPECT_EQ(topology.hooks[1].context, "device_context_ethos_u");
  EXPECT_EQ(topology.hooks[3].position, 4u);
  EXPECT_EQ(topology.inputs.size(), 1u);
  EXPECT_EQ(topology.outputs.size(), 1u);
}

TEST(Reconstruction, EachMainIsANetworkOfItsOwn) {
  std::string second =
      main_of({"x", "output"}, call("tvmgen_other_a", "x_buffer.data, output_buffer.data"));
  second.replace(second.find("tvmgen_default"), 14, "tvmgen_other");
  const auto topologies =
      topologies_of({script({main_of({"x", "output"}, kChain), chain_kernels()}),
                     script({second, unary("tvmgen_other_a")})});
  ASSERT_EQ(topologies.size(), 2u);
  EXPECT_EQ(topologies[0].module, "default");
  EXPECT_EQ(topologies[1].module, "other");
  EXPECT_EQ(calls_of(topologies[1]), "tvmgen_other_a(x -> output)\n");
  EXPECT_EQ(checks_of(topologies[0]), Codes{});
  EXPECT_EQ(checks_of(topologies[1]), Codes{});
}

TEST(Reconstruction, KernelsMayBeInTheTirOfAnotherTarget) {
  const auto topologies =
      topologies_of({script({main_of({"x", "output"}, kChain)}), script({chain_kernels()})});
  ASSERT_EQ(topologies.size(), 1u);
  EXPECT_EQ(topologies[0].kernels[0].source, "tir-2");
  EXPECT_EQ(checks_of(topologies[0]), Codes{});
}

TEST(Reconstruction, BareOperatorsAreNoNetwork) {
  EXPECT_TRUE(topologies_of({script({unary("add")})}).empty());
}

TEST(Reconstruction, MetadataNamesInputsAndOutputs) {
  ModuleFacts facts;
  facts.module = "default";
  facts.inputs = {{"in:0", 16}};
  facts.outputs = {{"conv/relu", 16}};
  const Topology topology =
      network(script({main_of({"in_0", "conv_relu"},
                              call("tvmgen_default_a", "in_0_buffer.data, conv_relu_buffer.data")),
                      unary("tvmgen_default_a")}),
              {facts});
  EXPECT_EQ(topology.inputs[0].name, "in:0");
  EXPECT_EQ(topology.inputs[0].parameter, "in_0");
  EXPECT_EQ(topology.outputs[0].name, "conv/relu");
}

std::vector<std::string> output_names(const Topology& topology) {
  std::vector<std::string> names;
  for (const Port& port : topology.outputs) names.push_back(port.name);
  return names;
}

/// One input; two outputs of different sizes, which main calls `output` and `output2`.
std::string two_outputs() {
  return script({main_of({"x", "output", "output2"},
                         call("tvmgen_default_a", "x_buffer.data, output_buffer.data") +
                             call("tvmgen_default_a", "x_buffer.data, output2_buffer.data")),
                 unary("tvmgen_default_a")});
}

TEST(Reconstruction, TvmsOwnOutputNamesCountPositions) {
  ModuleFacts facts;
  facts.module = "default";
  facts.inputs = {{"x", 16}};
  facts.outputs = {{"output1", 16}, {"output0", 16}};
  const Topology topology = network(two_outputs(), {facts});
  EXPECT_EQ(output_names(topology), (std::vector<std::string>{"output0", "output1"}));
  EXPECT_EQ(topology.outputs[1].parameter, "output2");
  EXPECT_EQ(checks_of(topology), Codes{});
}

TEST(Reconstruction, TvmsOwnOutputNamesCountPositionsWithoutMetadataToo) {
  ModuleFacts facts;
  facts.module = "default";
  const Topology topology = network(two_outputs(), {facts});
  EXPECT_EQ(output_names(topology), (std::vector<std::string>{"output0", "output1"}));
  EXPECT_EQ(topology.outputs[1].parameter, "output2");
}

TEST(Reconstruction, SizesInMetadataAreComparedByPositionToo) {
  ModuleFacts facts;
  facts.module = "default";
  facts.inputs = {{"x", 16}};
  facts.outputs = {{"output0", 16}, {"output1", 20}};
  EXPECT_EQ(checks_of(network(two_outputs(), {facts})), Codes{"io-mismatch"});
}

TEST(Reconstruction, TheHeaderNamesParametersInTheirOrder) {
  ModuleFacts facts;
  facts.module = "default";
  facts.input_fields = {"image"};
  facts.output_fields = {"output0", "output1"};
  const Topology topology = network(two_outputs(), {facts});
  EXPECT_EQ(topology.inputs[0].name, "image");
  EXPECT_EQ(output_names(topology), (std::vector<std::string>{"output0", "output1"}));
}

TEST(Reconstruction, MetadataUnsanitisesWhatTheHeaderNames) {
  ModuleFacts facts;
  facts.module = "default";
  facts.inputs = {{"image:0", 16}};
  facts.outputs = {{"output0", 16}, {"output1", 16}};
  facts.input_fields = {"image_0"};
  facts.output_fields = {"output0", "output1"};
  EXPECT_EQ(network(two_outputs(), {facts}).inputs[0].name, "image:0");
}

TEST(Reconstruction, TenThousandCallsAreOneChain) {
  std::string statements = sid("sid_1") + sid("sid_2");
  for (int i = 0; i < 10'000; ++i) {
    const std::string from = i == 0 ? "x_buffer.data" : i % 2 == 1 ? "sid_1" : "sid_2";
    const std::string to = i == 9'999 ? "output_buffer.data" : i % 2 == 0 ? "sid_1" : "sid_2";
    statements += call("tvmgen_default_a", from + ", " + to);
  }
  const Topology topology =
      network(script({main_of({"x", "output"}, statements), unary("tvmgen_default_a")}));
  EXPECT_EQ(topology.calls.size(), 10'000u);
  EXPECT_EQ(topology.values.size(), 10'001u);
  EXPECT_EQ(checks_of(topology), Codes{});
}

}  // namespace
}  // namespace mlf::graph
