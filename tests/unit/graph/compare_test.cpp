// Whether two topologies are one network, and how kernels of one name are told apart.
#include "graph/compare.h"

#include <gtest/gtest.h>

#include "unit/graph/networks.h"

namespace mlf::graph {
namespace {

using Lines = std::vector<std::string>;

std::string with_hash(std::string kernel, const std::string& hash) {
  if (hash.empty()) return kernel;
  const std::string attrs = "T.func_attr({";
  return kernel.insert(kernel.find(attrs) + attrs.size(), "\"hash\": \"" + hash + "\", ");
}

/// x goes through `first` and `second`; the third kernel takes their results in this order. All are
/// called alike but for a number.
Topology diamond(const std::string& first, const std::string& second, const std::string& hash,
                 const std::string& other_hash) {
  const std::string stem = "tvmgen_default_fused_a";
  return network(
      script({main_of({"x", "output"},
                      sid("sid_1") + sid("sid_2") + call(stem + first, "x_buffer.data, sid_1") +
                          call(stem + second, "x_buffer.data, sid_2") +
                          call("tvmgen_default_fused_b", "sid_1, sid_2, output_buffer.data")),
              with_hash(unary(stem + "_1"), hash), with_hash(unary(stem + "_2"), other_hash),
              binary("tvmgen_default_fused_b")}));
}

TEST(Comparison, OfANetworkWithItselfFindsNothing) {
  const Topology topology = diamond("_1", "_2", "aa", "bb");
  EXPECT_EQ(differences_between(topology, topology), Lines{});
}

TEST(Comparison, ANumberThatMakesTheNameOfAnInputUniqueIsNoDifference) {
  const auto of = [](const std::string& first, const std::string& second) {
    return network(
        script({main_of({first, second, "output"},
                        call("tvmgen_default_fused_b", first + "_buffer.data, " + second +
                                                           "_buffer.data, output_buffer.data")),
                binary("tvmgen_default_fused_b")}));
  };
  EXPECT_EQ(differences_between(of("x", "z"), of("x_0", "z")), Lines{});
  EXPECT_NE(differences_between(of("x", "z"), of("z", "x")), Lines{});
  EXPECT_NE(differences_between(of("x_0", "x_1"), of("x_1", "x_0")), Lines{});
}

TEST(Comparison, HashesDistinguishKernelsWithOneName) {
  EXPECT_NE(differences_of_builds(diamond("_1", "_2", "aa", "bb"), diamond("_2", "_1", "aa", "bb")),
            Lines{});
}

TEST(Comparison, HashesCountMoreThanNumbers) {
  // The other build numbered its kernels the other way round.
  EXPECT_EQ(differences_of_builds(diamond("_1", "_2", "aa", "bb"), diamond("_2", "_1", "bb", "aa")),
            Lines{});
}

TEST(Comparison, InOneBuildNamesDistinguishThem) {
  const Topology left = diamond("_1", "_2", "", "");
  const Topology right = diamond("_2", "_1", "", "");
  EXPECT_EQ(differences_of_builds(left, right), Lines{});
  EXPECT_NE(differences_between(left, right), Lines{});
}

TEST(Comparison, AHashThatOnlyOneSideHasIsNotUsed) {
  EXPECT_EQ(differences_of_builds(diamond("_1", "_2", "aa", "bb"), diamond("_1", "_2", "cc", "bb")),
            Lines{});
}

}  // namespace
}  // namespace mlf::graph
