// What a network needs wherever its tensors are.
#include "plan/network/network_problem.h"

#include <gtest/gtest.h>

#include <functional>

#include "mlf/analysis/cost.h"
#include "mlf/tir/document.h"
#include "unit/graph/planned_networks.h"

namespace mlf::plan {
namespace {

using analysis::Count;
using graph::call;
using graph::kernel;
using graph::main_of;
using graph::place;
using graph::sid;

LeastMemory least_of(
    std::initializer_list<std::string> functions,
    const std::function<void(graph::Topology&)>& change = [](graph::Topology&) {}) {
  const std::string text = graph::script(functions);
  const auto read = tir::read({.file = "test", .member = "", .text = text});
  if (!read) throw std::runtime_error(to_string(read.error()) + "\n" + text);
  const std::vector<graph::TirInput> inputs{{&*read, "tir-1"}};
  graph::Topology topology = graph::reconstruct(inputs).at(0);
  change(topology);
  const LeastMemory least = least_memory(topology, inputs);
  const Count peak = analysis::ram_peak(topology).bytes;
  EXPECT_LE(least.all.min, peak.max.value_or(UINT64_MAX));
  return least;
}

const std::string kTwoTensors = "p0: T.Buffer((4,), \"float32\"), out: T.Buffer((4,), \"float32\")";

/// Reads all of the input before it writes the output: they are not needed in one tick.
std::string by_way_of_scratch(std::string_view name, std::size_t floats) {
  const std::string size = std::to_string(floats);
  return kernel(name, kTwoTensors,
                "with T.allocate([" + size +
                    "], \"float32\", \"global\") as local:\n"
                    "    local_1 = T.Buffer((" +
                    size +
                    ",), data=local)\n"
                    "    for i in range(4):\n        local_1[i] = p0[3 - i]\n"
                    "    for i in range(4):\n        out[i] = local_1[3 - i]");
}

/// Needs input and output in one tick, as it reads elements that it has written over in place.
std::string reverse(std::string_view name) {
  return kernel(name, kTwoTensors, "for i in range(4):\n    out[i] = p0[3 - i]");
}

std::string two_sids(const std::string& second) {
  return main_of({"x", "output"}, sid("sid_1") + sid("sid_2") +
                                      call("tvmgen_default_a", "x_buffer.data, sid_1") +
                                      call(second, "sid_1, sid_2") +
                                      call("tvmgen_default_a", "sid_2, output_buffer.data"));
}

TEST(LeastMemory, IsWhatIsAliveInTheFullestTick) {
  EXPECT_EQ(least_of({two_sids("tvmgen_default_a"), reverse("tvmgen_default_a")}).all, Count(32));
}

TEST(LeastMemory, DoesNotCountWhatIsNotNeededAtTheSameTick) {
  EXPECT_EQ(least_of({two_sids("tvmgen_default_b"), reverse("tvmgen_default_a"),
                      by_way_of_scratch("tvmgen_default_b", 8)})
                .all,
            Count(48));  // 32 of scratch, and either the input or the output
}

TEST(LeastMemory, CountsAResultThatMayGoOverItsInputOnce) {
  EXPECT_EQ(least_of({two_sids("tvmgen_default_b"), reverse("tvmgen_default_a"),
                      graph::unary("tvmgen_default_b")})
                .all,
            Count(16));
}

TEST(LeastMemory, IsOfTheOrderOfCallsInTheArchive) {
  const auto needs = [](const std::string& statements) {
    return least_of({main_of({"x", "output"}, sid("sid_1") + sid("sid_2") + sid("sid_3") +
                                                  sid("sid_4") + statements),
                     reverse("tvmgen_default_a"), graph::binary("tvmgen_default_c")})
        .all;
  };
  const std::string first = call("tvmgen_default_a", "x_buffer.data, sid_1");
  const std::string second = call("tvmgen_default_a", "x_buffer.data, sid_2");
  const std::string join = call("tvmgen_default_c", "sid_1, sid_2, sid_3");
  const std::string third = call("tvmgen_default_a", "x_buffer.data, sid_4");
  const std::string last = call("tvmgen_default_c", "sid_3, sid_4, output_buffer.data");
  EXPECT_EQ(needs(third + first + second + join + last), Count(48));
  EXPECT_EQ(needs(first + second + join + third + last), Count(32));
}

// A kernel with 1,020 bytes on the stack, and another one with 1,024 on the heap.
TEST(LeastMemory, OfSeveralRegionsIsThatOfOneTick) {
  EXPECT_EQ(least_of({main_of({"x", "output"},
                              sid("sid_1") + call("tvmgen_default_a", "x_buffer.data, sid_1") +
                                  call("tvmgen_default_b", "sid_1, output_buffer.data")),
                      by_way_of_scratch("tvmgen_default_a", 255),
                      by_way_of_scratch("tvmgen_default_b", 256)})
                .all,
            Count(1040));
}

TEST(LeastMemory, OfAPoolIsThatOfItsTensorsAndWorkspaces) {
  const LeastMemory least =
      least_of({graph::planned_main(place("sid_1_let", 0) + place("sid_2_let", 16) +
                                    graph::planned_call("x_buffer.data, sid_1_let") +
                                    graph::planned_call("sid_1_let, sid_2_let") +
                                    graph::planned_call("sid_2_let, output_buffer.data")),
                graph::planned_unary("tvmgen_default_a")});
  ASSERT_EQ(least.pools.size(), 2u);
  EXPECT_EQ(least.pools[0], Count(0));  // of constants
  EXPECT_EQ(least.pools[1], least.all);
  EXPECT_EQ(least.all, Count(48));
}

/// Has two lets of one name; the second one may go over the input, and the output over it.
std::string two_lets_of_one_name() {
  const std::string pool = "global_workspace_3_var: T.handle(\"uint8\", \"global\")";
  return kernel("tvmgen_default_b", kTwoTensors + ", " + pool,
                "pool = T.match_buffer(global_workspace_3_var, (48,), \"uint8\", strides=(1,), "
                "align=16)\n"
                "sum_let: T.handle(\"float32\", \"global\") = T.address_of(pool[32])\n"
                "first = T.Buffer((1,), data=sum_let)\n"
                "sum_let: T.handle(\"float32\", \"global\") = T.address_of(pool[16])\n"
                "second = T.Buffer((4,), data=sum_let)\n"
                "first[0] = T.float32(0)\n"
                "for i in range(4):\n    first[0] = first[0] + p0[i]\n"
                "for i in range(4):\n    second[i] = p0[i] - first[0]\n"
                "for i in range(4):\n    out[i] = second[i]");
}

TEST(LeastMemory, TellsLetsOfOneNameApart) {
  const std::string middle =
      call("tvmgen_default_b", "sid_1_let, sid_2_let, global_workspace_1_buffer_var.data");
  EXPECT_EQ(
      least_of({graph::planned_main(place("sid_1_let", 0) + place("sid_2_let", 16) +
                                    call("tvmgen_default_a", "x_buffer.data, sid_1_let") + middle +
                                    call("tvmgen_default_a", "sid_2_let, output_buffer.data")),
                reverse("tvmgen_default_a"), two_lets_of_one_name()})
          .all,
      Count(20));
}

TEST(LeastMemory, OfAWorkspaceInABranchIsBetweenNoneAndAllOfIt) {
  const Count all = least_of({two_sids("tvmgen_default_b"), reverse("tvmgen_default_a"),
                              kernel("tvmgen_default_b", kTwoTensors,
                                     "for i in range(4):\n    out[i] = p0[3 - i]\n"
                                     "if p0[0] > T.float32(0):\n"
                                     "    with T.allocate([8], \"float32\", \"global\") as local:\n"
                                     "        local_1 = T.Buffer((8,), data=local)\n"
                                     "        for i in range(4):\n"
                                     "            local_1[i] = p0[i] + out[i]")})
                        .all;
  EXPECT_EQ(all, Count(32, 64));
}

TEST(LeastMemory, OfAKernelThatIsNotKnownHasNoMaximum) {
  const Count all = least_of({two_sids("tvmgen_default_unknown"), reverse("tvmgen_default_a")}).all;
  EXPECT_FALSE(all.is_known());
  EXPECT_LE(all.min, 16u);
}

TEST(LeastMemory, IsUnknownWhereMainIsNotUnderstood) {
  const LeastMemory least =
      least_of({two_sids("tvmgen_default_a"), reverse("tvmgen_default_a")},
               [](graph::Topology& topology) { topology.gaps = {"main does something else"}; });
  EXPECT_EQ(least.all.min, 0u);
}

TEST(LeastMemory, OfAKernelThatIsNotUnderstoodHasNoMaximum) {
  const Count all = least_of({two_sids("tvmgen_default_b"), reverse("tvmgen_default_a"),
                              by_way_of_scratch("tvmgen_default_b", 8)},
                             [](graph::Topology& topology) {
                               topology.kernels[1].gaps = {"it does something else"};
                             })
                        .all;
  EXPECT_EQ(all.min, 16u);
  EXPECT_FALSE(all.is_exact());
}

}  // namespace
}  // namespace mlf::plan
