// The pools of a network as problems: who is alive when, and what is refused.
#include <gtest/gtest.h>

#include "mlf/tir/document.h"
#include "plan/network/network_problem.h"
#include "unit/graph/planned_networks.h"

namespace mlf::plan {
namespace {

using graph::place;
using graph::planned_call;
using graph::planned_main;
using graph::script;

/// A text with its network and the problem of its one workspace pool.
struct Read {
  explicit Read(const std::string& text, const std::vector<PoolAlignment>& alignments = {}) {
    auto read = tir::read({.file = "test", .member = "", .text = text});
    if (!read) throw std::runtime_error(to_string(read.error()));
    const tir::Document document = *std::move(read);
    const std::vector<graph::TirInput> inputs{{&document, "tir-1"}};
    topology = graph::reconstruct(inputs).at(0);
    network = network_problem(topology, inputs, alignments);
    order = order_problem(topology, inputs);
  }

  const PoolProblem& pool() const { return network.pools.at(0); }

  /// "sid_1_let 16@0 [1,3) /16": every buffer with bytes, offset, life and alignment.
  std::string buffers() const {
    std::string text;
    for (const Buffer& buffer : pool().problem.buffers) {
      const auto i = static_cast<std::size_t>(&buffer - pool().problem.buffers.data());
      text += buffer.id + " " + std::to_string(buffer.size) + "@" +
              std::to_string(pool().buffers[i].offset);
      for (const Interval& live : pool().buffers[i].live) {
        text += " [" + std::to_string(live.lower) + "," + std::to_string(live.upper) + ")";
      }
      text += " /" + std::to_string(buffer.alignment) + "\n";
    }
    return text;
  }

  graph::Topology topology;
  NetworkProblem network;
  OrderProblem order;
};

std::string three_calls() {
  return planned_main(
      place("sid_1_let", 0) + place("sid_2_let", 16) + planned_call("x_buffer.data, sid_1_let") +
      planned_call("sid_1_let, sid_2_let") + planned_call("sid_2_let, output_buffer.data"));
}

/// A kernel whose statements are these, over p0, T_add and the workspace "local".
std::string kernel_of(std::string_view body, std::size_t local = 32) {
  return graph::kernel(
      "tvmgen_default_a",
      "p0: T.Buffer((4,), \"float32\"), T_add: T.Buffer((4,), \"float32\"), "
      "global_const_workspace_2_var: T.handle(\"uint8\", \"global\"), "
      "global_workspace_3_var: T.handle(\"uint8\", \"global\")",
      "global_workspace_3_buffer_var = T.match_buffer(global_workspace_3_var, (48,), "
      "\"uint8\", strides=(1,), align=16)\n"
      "local_let: T.handle(\"float32\", \"global\") = "
      "T.address_of(global_workspace_3_buffer_var[" +
          std::to_string(local) +
          "])\n"
          "local = T.Buffer((4,), data=local_let)\n" +
          std::string(body));
}

const std::string kCopyThenStore =
    "for i in range(4):\n    local[i] = p0[i]\n"
    "for j in range(4):\n    T_add[j] = local[j]";

TEST(NetworkProblem, HasTensorsOfMainAndScratchOfKernels) {
  const Read read(script({three_calls(), graph::planned_unary("tvmgen_default_a")}));
  EXPECT_TRUE(read.pool().refused.empty()) << read.pool().refused.at(0);
  EXPECT_EQ(read.pool().declared, 48u);
  EXPECT_EQ(read.pool().used, 48u);
  EXPECT_EQ(read.network.first_tick, (std::vector<std::int64_t>{1, 2, 3, 4}));
  // The kernel's one loop is one tick.
  EXPECT_EQ(read.buffers(),
            "sid_1_let 16@0 [1,3) /16\n"
            "sid_2_let 16@16 [2,4) /16\n"
            "tvmgen_default_a.local_let 16@32 [1,2) [2,3) [3,4) /16\n");
}

TEST(NetworkProblem, SaysWhereEveryOffsetIsWritten) {
  const Read read(script({three_calls(), graph::planned_unary("tvmgen_default_a")}));
  const PlannedBuffer& tensor = read.pool().buffers.at(0);
  EXPECT_EQ(tensor.source, "tir-1");
  EXPECT_EQ(tensor.function, read.topology.provenance.function);
  EXPECT_EQ(tensor.variable, "sid_1_let");
  ASSERT_TRUE(tensor.storage);
  EXPECT_EQ(read.topology[*tensor.storage].name, "sid_1_let");
  EXPECT_FALSE(tensor.is_port);
  const PlannedBuffer& scratch = read.pool().buffers.at(2);
  EXPECT_EQ(scratch.source, "tir-1");
  EXPECT_EQ(scratch.function, "tvmgen_default_a");
  EXPECT_EQ(scratch.variable, "local_let");
  EXPECT_EQ(scratch.kernel, graph::KernelId{0});
  EXPECT_EQ(scratch.workspace, 0u);
}

TEST(NetworkProblem, LetsAnInputGoOnceAllOfItIsRead) {
  const Read read(script({three_calls(), kernel_of(kCopyThenStore)}));
  EXPECT_EQ(read.network.first_tick, (std::vector<std::int64_t>{1, 3, 5, 7}));
  EXPECT_EQ(read.buffers(),
            "sid_1_let 16@0 [2,4) /16\n"
            "sid_2_let 16@16 [4,6) /16\n"
            "tvmgen_default_a.local_let 16@32 [1,3) [3,5) [5,7) /16\n");
}

TEST(NetworkProblem, KeepsWhatAFunctionIsGivenToTheEndOfTheCall) {
  const Read read(
      script({three_calls(),
              kernel_of("T.evaluate(T.call_extern(\"int32\", \"use\", p0.data, local_let))\n"
                        "for j in range(4):\n    T_add[j] = local[j]")}));
  EXPECT_EQ(read.buffers(),
            "sid_1_let 16@0 [2,5) /16\n"
            "sid_2_let 16@16 [4,7) /16\n"
            "tvmgen_default_a.local_let 16@32 [1,3) [3,5) [5,7) /16\n");
}

TEST(NetworkProblem, AcceptsAPlanThatPutsScratchOverAnInputThatIsReadBefore) {
  // local is written after the last read of p0 is not so here: they are alive together.
  const Read overlapping(script({three_calls(), kernel_of(kCopyThenStore, 0)}));
  ASSERT_EQ(overlapping.pool().refused.size(), 1u);
  EXPECT_EQ(overlapping.pool().refused[0],
            "'sid_1_let' and 'tvmgen_default_a.local_let' share bytes, and the TIR does not show "
            "that they may");
  const Read apart(
      script({three_calls(), kernel_of("for i in range(4):\n    T_add[i] = p0[i]\n"
                                       "for j in range(4):\n    local[j] = T.float32(1)",
                                       32)}));
  EXPECT_TRUE(apart.pool().refused.empty());
}

TEST(NetworkProblem, RefusesKernelsWithoutTir) {
  const Read read(script({three_calls()}));
  ASSERT_FALSE(read.pool().refused.empty());
}

TEST(NetworkProblem, RefusesAKernelThatUsesThePoolWithoutALet) {
  const Read read(script(
      {three_calls(), kernel_of(kCopyThenStore + "\nT.evaluate(T.call_extern(\"int32\", \"use\", "
                                                 "global_workspace_3_buffer_var.data))")}));
  ASSERT_FALSE(read.pool().refused.empty());
  EXPECT_EQ(read.pool().refused.front(), "'tvmgen_default_a' uses a pool without a let");
}

TEST(NetworkProblem, RefusesAFunctionThatMayKeepWhatAKernelGivesIt) {
  const Read read(script(
      {three_calls(),
       kernel_of(kCopyThenStore + "\nT.evaluate(T.call_extern(\"int32\", \"use\", p0.data))")}));
  ASSERT_FALSE(read.pool().refused.empty());
  EXPECT_EQ(read.pool().refused.front(),
            "'use', which 'tvmgen_default_a' calls, may keep the pointers that it is given");
}

/// Whether calls of a kernel that has this statement keep their place.
bool keeps_place(const std::string& statement) {
  const Read read(script({three_calls(), kernel_of(kCopyThenStore + "\n" + statement)}));
  return read.order.calls.at(0).keeps_place;
}

TEST(NetworkProblem, KeepsAllBuffersLiveAcrossAnUnknownFunction) {
  EXPECT_FALSE(keeps_place("T.evaluate(T.call_pure_extern(\"int32\", \"use\", 1))"));
  EXPECT_FALSE(keeps_place("T.evaluate(T.call_extern(\"float32\", \"cosf\", T.float32(1)))"));
  EXPECT_FALSE(
      keeps_place("T.evaluate(T.call_extern(\"float32\", \"fmaf\", T.float32(1), "
                  "T.float32(1), T.float32(1)))"));
  EXPECT_TRUE(keeps_place("T.evaluate(T.call_extern(\"int32\", \"use\", 1))"));
  EXPECT_TRUE(keeps_place("T.evaluate(T.start_profile_intrinsic(1, dtype=\"handle\"))"));
}

TEST(NetworkProblem, DoesNotKnowHowFarBuffersReachWhereOneHasNoSize) {
  const Read read(
      script({planned_main(
                  place("sid_1_let", 0) +
                  "sid_2_let: T.handle(\"uint8\", \"global\") = "
                  "T.address_of(global_workspace_1_buffer_var[T.cast(x_buffer[0], \"int32\")])\n" +
                  planned_call("x_buffer.data, sid_1_let") + planned_call("sid_1_let, sid_2_let")),
              graph::planned_unary("tvmgen_default_a")}));
  EXPECT_FALSE(read.pool().refused.empty());
  EXPECT_FALSE(read.pool().used);
}

/// The reasons against moving buffers, where the kernel of three calls has this body.
std::string reason_against(std::string_view body) {
  const Read read(script({three_calls(), kernel_of(body)}));
  std::string reasons;
  for (const std::string& one : read.pool().refused) reasons += one + "\n";
  return reasons;
}

TEST(NetworkProblem, HasBuffersAsLongAsTheyAreTouched) {
  const Read read(
      script({three_calls(), kernel_of("for i in range(8):\n    T_add[i] = p0[i % 4]")}));
  EXPECT_EQ(read.pool().buffers.at(0).bytes, 32u);
  EXPECT_EQ(read.pool().buffers.at(1).bytes, 32u);
}

TEST(NetworkProblem, RefusesAReadOfWhatWasNotWritten) {
  EXPECT_NE(reason_against("for i in range(2):\n    T_add[i] = p0[i] + p0[i + 2]")
                .find("may read byte 8 of 'sid_1_let', which is not known to be written"),
            std::string::npos);
}

TEST(NetworkProblem, RefusesAReadInFrontOfATensor) {
  EXPECT_NE(reason_against("for i in range(4):\n    T_add[i] = p0[i - 1]")
                .find("may touch byte -4 of 'sid_1_let', which is before it"),
            std::string::npos);
}

TEST(NetworkProblem, RefusesAWorkspaceThatAnotherCallHasLeft) {
  EXPECT_NE(
      reason_against("for i in range(4):\n    T_add[i] = p0[i] + local[i]\n    local[i] = p0[i]")
          .find("may read byte 0 of 'local_let' before it has written that"),
      std::string::npos);
}

/// A kernel that calls a function of CMSIS-NN, whose tensors TVM declares without dimensions.
std::string cmsis_kernel(const std::string& call) {
  return graph::kernel("tvmgen_default_a",
                       "p0: T.Buffer((), \"int8\"), T_add: T.Buffer((), \"int8\"), "
                       "global_const_workspace_2_var: T.handle(\"uint8\", \"global\"), "
                       "global_workspace_3_var: T.handle(\"uint8\", \"global\")",
                       "T.evaluate(T.call_extern(\"int32\", " + call + "))");
}

TEST(NetworkProblem, HasTensorsOfCmsisNnAsLongAsTheirSizesSay) {
  const Read read(script({three_calls(), cmsis_kernel("\"arm_softmax_s8\", p0.data, 2, 8, 1, 1, "
                                                      "1, T_add.data")}));
  EXPECT_TRUE(read.pool().refused.empty()) << read.pool().refused.at(0);
  EXPECT_EQ(read.pool().buffers.at(0).bytes, 16u);
  EXPECT_EQ(read.pool().buffers.at(1).bytes, 16u);
}

TEST(NetworkProblem, RefusesTensorsOfCmsisNnWithoutSizes) {
  const Read read(script({three_calls(), cmsis_kernel("\"arm_softmax_s8\", p0.data, T_add.data")}));
  ASSERT_FALSE(read.pool().refused.empty());
  EXPECT_NE(read.pool().refused.back().find("which may access any part of it"), std::string::npos);
  EXPECT_FALSE(read.pool().used);
}

TEST(NetworkProblem, RefusesAnIndexWithoutBounds) {
  const Read read(script({three_calls(), kernel_of("for i in range(4):\n    T_add[i] = "
                                                   "p0[T.cast(p0[i], \"int64\")]")}));
  ASSERT_FALSE(read.pool().refused.empty());
  EXPECT_NE(read.pool().refused.front().find("'sid_1_let' is used at an index without a known"),
            std::string::npos);
  EXPECT_FALSE(read.pool().used);
}

TEST(NetworkProblem, TakesTheAlignmentOfAllOffsetsOrTheStatedOne) {
  const std::string text =
      script({planned_main(place("sid_1_let", 0) + planned_call("x_buffer.data, sid_1_let") +
                           planned_call("sid_1_let, output_buffer.data")),
              graph::planned_unary("tvmgen_default_a")});
  EXPECT_EQ(Read(text).pool().buffers.at(0).alignment, 32u);
  EXPECT_EQ(Read(text, {{"global_workspace", 16}}).pool().buffers.at(0).alignment, 16u);
}

}  // namespace
}  // namespace mlf::plan
