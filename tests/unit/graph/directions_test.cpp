// How arguments are told to be inputs or outputs, and how sure that is.
#include <gtest/gtest.h>

#include "unit/graph/networks.h"

namespace mlf::graph {
namespace {

using Lines = std::vector<std::string>;

constexpr std::string_view kTensors =
    "p0: T.Buffer((4,), \"float32\"), out: T.Buffer((4,), \"float32\")";

/// A network of one call of a kernel with this body, from x to output.
Topology one_call(std::string_view body, std::string_view parameters = kTensors) {
  return network(script(
      {main_of({"x", "output"}, call("tvmgen_default_a", "x_buffer.data, output_buffer.data")),
       kernel("tvmgen_default_a", parameters, body)}));
}

TEST(Directions, LoadsAndStoresDecide) {
  const Topology topology = one_call("for i in range(4):\n    out[i] = p0[i]");
  EXPECT_EQ(decisions_of(topology, 0), (Lines{"input body certain", "output body certain"}));
}

TEST(Directions, ASumIsAnOutputAlthoughItIsReadBack) {
  const Topology topology =
      one_call("for i in range(4):\n    out[i] = T.float32(0)\n    out[i] = out[i] + p0[i]");
  EXPECT_EQ(decisions_of(topology, 0), (Lines{"input body certain", "output body certain"}));
}

TEST(Directions, AReadUnderAConditionIsNoInput) {
  const Topology topology = one_call(
      "for i in range(4):\n"
      "    out[i] = T.if_then_else(i == 0, T.float32(0), out[i]) + p0[i]");
  EXPECT_EQ(decisions_of(topology, 0), (Lines{"input body certain", "output body likely"}));
}

TEST(Directions, WhatIsReadAndThenWrittenIsBoth) {
  const Topology topology = network(script(
      {main_of({"x", "output"}, sid("sid_1") + call("tvmgen_default_a", "x_buffer.data, sid_1") +
                                    call("tvmgen_default_b", "x_buffer.data, sid_1") +
                                    call("tvmgen_default_a", "sid_1, output_buffer.data")),
       unary("tvmgen_default_a"),
       kernel("tvmgen_default_b", kTensors, "for i in range(4):\n    out[i] = out[i] + p0[i]")}));
  EXPECT_EQ(decisions_of(topology, 1), (Lines{"input body certain", "in-out body likely"}));
  EXPECT_EQ(calls_of(topology),
            "tvmgen_default_a(x -> sid_1)\n"
            "tvmgen_default_b(x, sid_1 -> sid_1.1)\n"
            "tvmgen_default_a(sid_1.1 -> output)\n");
}

TEST(Directions, AliasesAreFollowed) {
  const Topology topology = one_call(
      "alias: T.handle(\"float32\") = out.data\n"
      "other = T.Buffer((4,), data=alias)\n"
      "for i in range(4):\n    other[i] = p0[i]");
  EXPECT_EQ(decisions_of(topology, 0), (Lines{"input body certain", "output body certain"}));
}

TEST(Directions, AccessPointersStateTheirDirection) {
  const Topology topology = one_call(
      "T.call_extern(\"int32\", \"memcpy\", "
      "T.tvm_access_ptr(T.type_annotation(\"float32\"), out.data, 0, 4, 2), "
      "T.tvm_access_ptr(T.type_annotation(\"float32\"), p0.data, 0, 4, 1), 16)");
  EXPECT_EQ(decisions_of(topology, 0), (Lines{"input body certain", "output body certain"}));
}

TEST(Directions, AnInputMayGoUntouched) {
  const Topology topology = one_call("for i in range(4):\n    out[i] = T.float32(0)");
  EXPECT_EQ(decisions_of(topology, 0), (Lines{"input untouched likely", "output body certain"}));
  EXPECT_EQ(topology.values[0].consumers.size(), 1u);
  EXPECT_EQ(topology.values[0].last_use, std::nullopt);
}

TEST(Directions, ArgumentsOfExternalCodeGetTheirDirectionFromMain) {
  const Topology topology = network(script(
      {main_of({"x", "output"},
               sid("sid_1") +
                   "constant_0 = T.allocate_const([1.0, 2.0, 3.0, 4.0], \"float32\", [4])\n" +
                   call("tvmgen_default_a", "x_buffer.data, constant_0, sid_1") +
                   call("tvmgen_default_b", "sid_1, output_buffer.data")),
       kernel("tvmgen_default_a",
              "p0: T.Buffer((), \"float32\"), w: T.Buffer((), \"float32\"), "
              "out: T.Buffer((), \"float32\")",
              "T.call_extern(\"int32\", \"arm_add\", p0.data, w.data, out.data)"),
       unary("tvmgen_default_b")}));
  EXPECT_EQ(decisions_of(topology, 0), (Lines{"input graph-input likely", "input constant certain",
                                              "output never-written likely"}));
  // `()` is not the shape of a storage of sixteen bytes: the reader's counts.
  EXPECT_EQ(topology.values[2].type.shape, (std::vector<std::int64_t>{4}));
}

TEST(Directions, WithoutABodyTheUnwrittenAndAllBehindItAreOutputs) {
  const Topology topology = network(script(
      {main_of({"x", "output"}, sid("sid_1") + sid("sid_2") +
                                    call("tvmgen_default_a", "x_buffer.data, sid_2") +
                                    call("tvmgen_default_cc_main_0", "sid_2, sid_1, sid_2") +
                                    call("tvmgen_default_c", "sid_1, sid_2, output_buffer.data")),
       unary("tvmgen_default_a"), binary("tvmgen_default_c")}));
  EXPECT_EQ(calls_of(topology),
            "tvmgen_default_a(x -> sid_2)\n"
            "tvmgen_default_cc_main_0(sid_2 -> sid_1, sid_2.1)\n"
            "tvmgen_default_c(sid_1, sid_2.1 -> output)\n");
  EXPECT_EQ(decisions_of(topology, 1),
            (Lines{"input written-before likely", "output never-written likely",
                   "output after-output likely"}));
}

TEST(Directions, WithoutABodyTheLastTensorIsAnOutput) {
  const Topology topology = network(merged_storage("tvmgen_default_cc_main_0"));
  EXPECT_EQ(decisions_of(topology, 2),
            (Lines{"input written-before likely", "output last-argument likely"}));
  EXPECT_EQ(checks_of(topology), Lines{"external-callee"});
}

TEST(Directions, ADirectionFollowsFromAnotherCallOfTheFunction) {
  const Topology topology = network(script(
      {main_of(
           {"x", "output", "output2", "output3"},
           sid("sid_1") + sid("sid_2") + call("tvmgen_default_a", "x_buffer.data, sid_1") +
               call("tvmgen_default_a", "sid_1, sid_2") + call("tvmgen_default_a", "sid_2, sid_1") +
               call("tvmgen_default_cc_main_0", "sid_1, sid_2, output_buffer.data") +
               call("tvmgen_default_cc_main_0", "sid_2, output2_buffer.data, output3_buffer.data")),
       unary("tvmgen_default_a")}));
  EXPECT_EQ(decisions_of(topology, 3),
            (Lines{"input written-before likely", "output other-call likely",
                   "output graph-output likely"}));
}

}  // namespace
}  // namespace mlf::graph
