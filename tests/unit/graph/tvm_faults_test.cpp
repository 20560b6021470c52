// Faults of TVM itself, in mains that it made: a check says what is wrong, and there is no graph.
#include <gtest/gtest.h>

#include "unit/graph/networks.h"
#include "unit/graph/planned_networks.h"

namespace mlf::graph {
namespace {

using Codes = std::vector<std::string>;

Topology bundled(const std::string& name) {
  return network(read_file(std::string(MLF_TEST_DATA) + "/graph/" + name));
}

// relay.Function([x], relay.Tuple([y, y])): nothing ever writes the second output.
TEST(TvmsFaults, ATensorThatIsReturnedTwiceIsWrittenOnce) {
  const Topology topology = bundled("tvm-0.16-output-twice.txt");
  EXPECT_EQ(checks_of(topology), Codes{"output-unwritten"});
  ASSERT_EQ(topology.outputs.size(), 2u);
  EXPECT_TRUE(topology.outputs[0].value);
  EXPECT_FALSE(topology.outputs[1].value);
  EXPECT_FALSE(has_graph(topology));
}

// The parameters that the tuple became are not what the kernel is given.
TEST(TvmsFaults, ATupleAsInputIsNeverRead) {
  const Topology topology = bundled("tvm-0.16-tuple-input.txt");
  EXPECT_EQ(checks_of(topology),
            (Codes{"read-before-write", "read-before-write", "output-unwritten"}));
  EXPECT_FALSE(has_graph(topology));
}

TEST(ArgumentKinds, APoolIsNoTensor) {
  const Topology topology = network(
      script({planned_main(planned_call("global_workspace_1_buffer_var.data, output_buffer.data")),
              planned_unary("tvmgen_default_a")}));
  EXPECT_EQ(checks_of(topology), Codes{"argument-kind"});
  EXPECT_EQ(topology.checks[0].call, CallId{0});
}

TEST(ArgumentKinds, ATensorIsNoPool) {
  const Topology topology =
      network(script({planned_main(call("tvmgen_default_a",
                                        "x_buffer.data, output_buffer.data, x_buffer.data, "
                                        "global_workspace_1_buffer_var.data")),
                      planned_unary("tvmgen_default_a")}));
  EXPECT_EQ(checks_of(topology).front(), "argument-kind");
}

TEST(ArgumentKinds, ANullHandleIsNoTensor) {
  const Topology topology = network(script(
      {main_of({"x", "output"}, call("tvmgen_default_a",
                                     "T.reinterpret(\"handle\", T.uint64(0)), output_buffer.data")),
       unary("tvmgen_default_a")}));
  EXPECT_EQ(checks_of(topology), Codes{"argument-kind"});
}

TEST(OutputNames, ThatTvmCountsHoldForOutputsThatAreOnlyRead) {
  const Topology topology =
      network(script({main_of({"x", "output", "output2"},
                              call("tvmgen_default_a", "output_buffer.data, output2_buffer.data")),
                      unary("tvmgen_default_a")}));
  EXPECT_EQ(checks_of(topology), (Codes{"read-before-write", "output-unwritten"}));
}

TEST(OutputNames, AnInputMayHaveTheNameOfAnOutput) {
  const Topology topology =
      network(script({main_of({"output", "scores"},
                              call("tvmgen_default_a", "output_buffer.data, scores_buffer.data")),
                      unary("tvmgen_default_a")}));
  EXPECT_EQ(checks_of(topology), Codes{});
  EXPECT_EQ(topology.inputs.at(0).name, "output");
}

}  // namespace
}  // namespace mlf::graph
