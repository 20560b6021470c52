// Which results may be written over what they are computed from.
#include <gtest/gtest.h>

#include "mlf/tir/document.h"
#include "plan/network/network_problem.h"
#include "unit/graph/planned_networks.h"

namespace mlf::plan {
namespace {

/// The pairs "from -> to" of a chain of three calls of one kernel with this body, over tensors of
/// 16 bytes. The kernel has a workspace "local" of 16 bytes.
std::string pairs(const std::string& body) {
  const std::string text = graph::script(
      {graph::planned_main(graph::place("sid_1_let", 0) + graph::place("sid_2_let", 16) +
                           graph::planned_call("x_buffer.data, sid_1_let") +
                           graph::planned_call("sid_1_let, sid_2_let") +
                           graph::planned_call("sid_2_let, output_buffer.data")),
       graph::kernel("tvmgen_default_a",
                     "p0: T.Buffer((4,), \"float32\"), T_add: T.Buffer((4,), \"float32\"), "
                     "global_const_workspace_2_var: T.handle(\"uint8\", \"global\"), "
                     "global_workspace_3_var: T.handle(\"uint8\", \"global\")",
                     body)});
  auto read = tir::read({.file = "test", .member = "", .text = text});
  if (!read) throw std::runtime_error(to_string(read.error()) + "\n" + text);
  const tir::Document document = *std::move(read);
  const std::vector<graph::TirInput> inputs{{&document, "tir-1"}};
  const graph::Topology topology = graph::reconstruct(inputs).at(0);
  const NetworkProblem network = network_problem(topology, inputs);
  const PoolProblem& pool = network.pools.at(0);
  std::string found;
  for (const InPlaceBuffers& pair : pool.in_place) {
    found += name_of(topology, pool.buffers[pair.from]) + " -> " +
             name_of(topology, pool.buffers[pair.to]) + "\n";
  }
  return found;
}

const std::string kProven = "sid_1_let -> sid_2_let\n";

TEST(InPlace, IsAResultOfTheSameElement) {
  EXPECT_EQ(pairs("for i in range(4):\n    T_add[i] = p0[i] + p0[i] * T.float32(2)"), kProven);
}

TEST(InPlace, MayHaveLoopsAroundLoopsAndConditions) {
  EXPECT_EQ(pairs("for i in range(2):\n    for j in range(2):\n"
                  "        if i < 1:\n"
                  "            T_add[i * 2 + j] = p0[j + i * 2]"),
            kProven);
}

TEST(InPlace, IsNotAResultOfAnotherElement) {
  EXPECT_EQ(pairs("for i in range(4):\n    T_add[i] = p0[3 - i]"), "");
  EXPECT_EQ(pairs("for i in range(4):\n    T_add[i] = p0[i] + p0[0]"), "");
}

TEST(InPlace, IsNotAResultThatIsWrittenTwice) {
  EXPECT_EQ(pairs("for i in range(2):\n    for j in range(4):\n        T_add[j] = p0[j]"), "");
  EXPECT_EQ(pairs("for i in range(2):\n    for j in range(3):\n        T_add[i + j] = p0[i + j]"),
            "");
}

TEST(InPlace, IsNotAResultThatIsReadAgain) {
  EXPECT_EQ(pairs("for i in range(4):\n    T_add[i] = p0[i] + T_add[i]"), "");
}

TEST(InPlace, IsNotAResultBesideAnotherStore) {
  EXPECT_EQ(pairs("for i in range(4):\n    T_add[i] = T.float32(0)\n"
                  "    T_add[i] = p0[i]"),
            "");
}

TEST(InPlace, IsNotAnInputThatIsReadInAnotherStatement) {
  EXPECT_EQ(pairs("for i in range(4):\n    if p0[0] > T.float32(1):\n        T_add[i] = p0[i]"),
            "");
  EXPECT_EQ(pairs("for i in range(4):\n    T_add[i] = p0[i]\n"
                  "for j in range(1):\n    T.evaluate(p0[j])"),
            "");
}

TEST(InPlace, IsNotAnInputThatAFunctionIsGiven) {
  EXPECT_EQ(pairs("T.evaluate(T.call_extern(\"int32\", \"use\", p0.data))\n"
                  "for i in range(4):\n    T_add[i] = p0[i]"),
            "");
}

TEST(InPlace, IsNotAResultWithAnIndexThatIsComputed) {
  EXPECT_EQ(pairs("for i in range(4):\n    T_add[i * i % 4] = p0[i * i % 4]"), "");
}

}  // namespace
}  // namespace mlf::plan
