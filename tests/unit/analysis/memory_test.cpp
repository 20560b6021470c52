// What is in memory that can be written, call by call.
#include "mlf/analysis/cost.h"

#include <gtest/gtest.h>

#include "unit/graph/planned_networks.h"

namespace mlf::analysis {
namespace {

using graph::network;

/// Three calls over a planned pool: at the second, 16 bytes of input, 16 of output and 16 of the
/// kernel's scratch are there.
graph::Topology planned() {
  using namespace graph;
  return network(script({planned_main(place("sid_1_let", 0) + place("sid_2_let", 16) +
                                      planned_call("x_buffer.data, sid_1_let") +
                                      planned_call("sid_1_let, sid_2_let") +
                                      planned_call("sid_2_let, output_buffer.data")),
                         planned_unary("tvmgen_default_a")}));
}

std::string described(const std::vector<LiveTensor>& tensors) {
  std::string text;
  for (const LiveTensor& tensor : tensors) {
    text += tensor.name + " " + std::string(to_string(tensor.role)) + " " +
            (tensor.bytes ? std::to_string(*tensor.bytes) : "?") + "\n";
  }
  return text;
}

TEST(LiveTensors, AreWhatTheCallReadsAndWritesAndItsScratch) {
  EXPECT_EQ(described(live_tensors(planned(), graph::CallId{1})),
            "sid_1_let input 16\nsid_2_let output 16\nlocal_let scratch 16\n");
}

TEST(LiveTensors, LeaveOutMemoryOfTheCaller) {
  EXPECT_EQ(described(live_tensors(planned(), graph::CallId{0})),
            "sid_1_let output 16\nlocal_let scratch 16\n");
}

TEST(CallMemory, HasBytesThatAreLiveAndThoseOfScratchAndConstants) {
  const std::vector<CallMemory> memory = call_memory(planned());
  ASSERT_EQ(memory.size(), 3u);
  EXPECT_EQ(memory[0].live, Count(32));
  EXPECT_EQ(memory[1].live, Count(48));
  EXPECT_EQ(memory[1].scratch, Count(16));
  EXPECT_EQ(memory[1].parameters, Count(16));
}

TEST(RamPeak, IsTheCallWithTheMostBytes) {
  const RamPeak peak = ram_peak(planned());
  EXPECT_EQ(peak.call, graph::CallId{1});
  EXPECT_EQ(peak.bytes, Count(48));
  EXPECT_EQ(peak.used, Count(48));
}

TEST(RamPeak, OfKernelsWithoutTirIsAtLeastWhatIsKnown) {
  graph::Topology topology = planned();
  for (graph::MemoryUse& use : topology.memory) use.exactness = graph::Exactness::at_least;
  const RamPeak peak = ram_peak(topology);
  EXPECT_EQ(peak.bytes, Count(48, std::nullopt));
}

TEST(RamPeak, OfANetworkWithoutCallsHasNoCall) {
  EXPECT_EQ(ram_peak({}).call, std::nullopt);
  EXPECT_EQ(ram_peak({}).bytes, Count(0));
}

}  // namespace
}  // namespace mlf::analysis
