// Faults put into a sound network: each gives its check, and none a wrong graph.
#include <gtest/gtest.h>

#include "unit/graph/networks.h"

namespace mlf::graph {
namespace {

using Codes = std::vector<std::string>;

const std::string kKernels = unary("tvmgen_default_a") + "\n" + binary("tvmgen_default_b");

std::string sound_statements() {
  return sid("sid_1") + sid("sid_2") + call("tvmgen_default_a", "x_buffer.data, sid_1") +
         call("tvmgen_default_a", "sid_1, sid_2") +
         call("tvmgen_default_b", "sid_1, sid_2, output_buffer.data");
}

Topology with(std::string_view what, std::string_view instead) {
  std::string statements = sound_statements();
  const std::size_t at = statements.find(what);
  if (at == statements.npos) throw std::logic_error("the fault does not fit");
  statements.replace(at, what.size(), instead);
  return network(script({main_of({"x", "output"}, statements), kKernels}));
}

TEST(Faults, ThereAreNoneInTheSoundNetwork) {
  const Topology topology =
      network(script({main_of({"x", "output"}, sound_statements()), kKernels}));
  EXPECT_EQ(checks_of(topology), Codes{});
  EXPECT_TRUE(has_graph(topology));
}

TEST(Faults, ADroppedCallLeavesAReadBeforeAnyWrite) {
  const Topology topology = with(call("tvmgen_default_a", "sid_1, sid_2"), "");
  EXPECT_EQ(checks_of(topology), Codes{"read-before-write"});
  EXPECT_EQ(topology.checks[0].call, CallId{1});
  EXPECT_FALSE(has_graph(topology));
}

TEST(Faults, ADroppedLastCallLeavesTheOutputUnwritten) {
  const Topology topology = with(call("tvmgen_default_b", "sid_1, sid_2, output_buffer.data"), "");
  const Codes codes = checks_of(topology);
  EXPECT_NE(std::find(codes.begin(), codes.end(), "output-unwritten"), codes.end());
  EXPECT_FALSE(has_graph(topology));
}

TEST(Faults, SwappedArgumentsReadWhatNothingWrote) {
  const Topology topology = with("sid_1, sid_2))", "sid_2, sid_1))");
  EXPECT_EQ(checks_of(topology), (Codes{"read-before-write", "read-before-write", "unread-value"}));
  EXPECT_FALSE(has_graph(topology));
}

TEST(Faults, AnUnknownCalleeIsNamed) {
  const auto calling = [](const std::string& name) {
    return with("\"tvmgen_default_a\", sid_1", "\"" + name + "\", sid_1");
  };
  EXPECT_EQ(checks_of(calling("tvmgen_default_unknown")), Codes{"unknown-callee"});
  // Perhaps the application's.
  EXPECT_EQ(checks_of(calling("driver")), Codes{"unknown-statement"});
}

TEST(Faults, TheNumberOfArgumentsMustFit) {
  const Topology topology = with("x_buffer.data, sid_1))", "x_buffer.data, x_buffer.data, sid_1))");
  EXPECT_EQ(checks_of(topology), Codes{"arity"});
}

TEST(Faults, NothingWritesConstantsOrInputs) {
  const Topology topology = with("sid_1, sid_2))", "sid_1, x_buffer.data))");
  const Codes codes = checks_of(topology);
  EXPECT_NE(std::find(codes.begin(), codes.end(), "input-overwritten"), codes.end());
}

TEST(Faults, ANumberIsNoTensor) {
  const Topology topology = with("sid_1, sid_2))", "7, sid_2))");
  EXPECT_EQ(checks_of(topology), Codes{"unknown-argument"});
}

TEST(Faults, AnUnknownStatementIsNotPassedOverInSilence) {
  const Topology topology = with(sid("sid_2"), sid("sid_2") + "while True:\n    T.evaluate(0)\n");
  EXPECT_EQ(checks_of(topology), Codes{"unknown-statement"});
}

TEST(Faults, AResultThatNothingReadsIsRemarked) {
  const Topology topology =
      with("sid_1, sid_2, output_buffer.data", "sid_1, sid_1, output_buffer.data");
  EXPECT_EQ(checks_of(topology), Codes{"unread-value"});
  EXPECT_TRUE(has_graph(topology));
}

TEST(Faults, AKernelThatIsNeverCalledIsRemarked) {
  const Topology topology = network(
      script({main_of({"x", "output"}, sound_statements()), kKernels, unary("tvmgen_default_z")}));
  EXPECT_EQ(checks_of(topology), Codes{"unused-kernel"});
}

TEST(Faults, SizesAtBothEndsMustAgree) {
  const Topology topology = network(script(
      {main_of({"x", "output"}, sid("sid_1") + call("tvmgen_default_s", "x_buffer.data, sid_1") +
                                    call("tvmgen_default_a", "sid_1, output_buffer.data")),
       unary("tvmgen_default_a"),
       kernel("tvmgen_default_s",
              "p0: T.Buffer((4,), \"float32\"), out: T.Buffer((2,), \"float32\")",
              "for i in range(2):\n    out[i] = p0[i] + p0[i]")}));
  EXPECT_EQ(checks_of(topology), Codes{"size-mismatch"});
}

TEST(Faults, TwoMainsOfOneModuleContradictEachOther) {
  const std::string text = script({main_of({"x", "output"}, sound_statements()), kKernels});
  const auto topologies = topologies_of({text, text});
  ASSERT_EQ(topologies.size(), 2u);
  EXPECT_EQ(checks_of(topologies[0]), Codes{"several-mains"});
  EXPECT_EQ(checks_of(topologies[1]), Codes{"several-mains"});
}

TEST(Faults, MetadataMustNameAsManyTensors) {
  ModuleFacts facts;
  facts.module = "default";
  facts.inputs = {{"x", 16}, {"y", 16}};
  facts.outputs = {{"output", 16}};
  const Topology topology =
      network(script({main_of({"x", "output"}, sound_statements()), kKernels}), {facts});
  EXPECT_EQ(checks_of(topology), Codes{"io-mismatch"});
}

}  // namespace
}  // namespace mlf::graph
