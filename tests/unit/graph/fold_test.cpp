// Parts of a network that repeat are boxes of several calls.
#include "graph/formats/picture.h"

#include <gtest/gtest.h>

#include <random>

#include "unit/all_rows.h"

namespace mlf::graph {
namespace {

/// A call of a kernel that reads what other calls made.
struct Made {
  std::uint32_t kernel = 0;
  std::vector<std::uint32_t> reads{};
};

Topology network_of(const std::vector<Made>& calls) {
  Topology topology;
  topology.kernels.resize(10);
  topology.storages.resize(calls.size());
  for (std::uint32_t i = 0; i < calls.size(); ++i) {
    Call call{.kernel = KernelId{calls[i].kernel}, .position = i};
    for (const std::uint32_t from : calls[i].reads) {
      topology.values[from].consumers.push_back({.step = i});
      call.arguments.push_back({.reads = ValueId{from}});
    }
    topology.calls.push_back(std::move(call));
    topology.values.push_back({.storage = StorageId{i}, .producer = Endpoint{.step = i}});
  }
  return topology;
}

/// A chain of kernels, each named by a digit. The first has an argument as well, which no call
/// made.
Topology chain(std::string_view kernels) {
  std::vector<Made> calls;
  for (std::uint32_t i = 0; i < kernels.size(); ++i) {
    calls.push_back({static_cast<std::uint32_t>(kernels[i] - '0'), {}});
    if (i > 0) calls.back().reads = {i - 1};
  }
  Topology topology = network_of(calls);
  if (!calls.empty()) topology.calls.front().arguments.emplace_back();
  return topology;
}

const std::vector<std::uint64_t> kOwnShapes{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

/// "0 (1 2)x3 4": calls of single boxes, and blocks of the calls of their first time.
std::string folds(const Topology& topology) {
  std::string text;
  for (const CallBlock& block : fold_repeats(topology, kOwnShapes).blocks) {
    std::string part;
    for (std::uint32_t i = 0; i < block.calls; ++i) {
      const KernelId kernel = topology.calls[index(block.first) + i].kernel;
      part += (part.empty() ? "" : " ") + std::to_string(index(kernel));
    }
    if (block.size() > 1) part = "(" + part + ")x" + std::to_string(block.times);
    text += (text.empty() ? "" : " ") + part;
  }
  return text;
}

TEST(Fold, CallsOfKernelsOfOneShapeInARowAreOneBlock) {
  EXPECT_EQ(folds(chain("0111")), "0 (1)x3");
  EXPECT_EQ(folds(chain("0121234")), "0 (1 2)x2 3 4");
  EXPECT_EQ(folds(chain("0123")), "0 1 2 3");
  EXPECT_EQ(folds(chain("")), "");
}

TEST(Fold, TheShortestPartIsTheOneThatRepeats) {
  EXPECT_EQ(folds(chain("1212121212")), "(1 2)x5");
}

TEST(Fold, ALargerBlockIsNotCutByOneBeforeIt) {
  EXPECT_EQ(folds(chain("1121212")), "1 (1 2)x3");
  EXPECT_EQ(folds(chain("112112112")), "(1 1 2)x3");
}

TEST(Fold, EveryTimeReadsFromTheSamePlacesWithinIt) {
  // A skip connection over a call: in both times, then in the second alone.
  EXPECT_EQ(
      folds(network_of({{0}, {1, {0}}, {2, {1}}, {3, {1, 2}}, {1, {3}}, {2, {4}}, {3, {4, 5}}})),
      "0 (1 2 3)x2");
  EXPECT_EQ(
      folds(network_of({{0}, {1, {0}}, {2, {1}}, {3, {1, 2}}, {1, {3}}, {2, {4}}, {3, {5, 4}}})),
      "0 1 2 3 1 2 3");
}

TEST(Fold, WhatComesFromBeforeMayComeFromAnywhere) {
  // All read call 0, as in a network that joins what its parts made.
  EXPECT_EQ(folds(network_of({{0}, {1, {0}}, {2, {1}}, {1, {0}}, {2, {3}}})), "0 (1 2)x2");
}

TEST(Fold, CallsWithAFaultAreSeen) {
  Topology topology = chain("01111");
  topology.checks.push_back({.detail = "wrong", .call = CallId{2}});
  for (const CheckInfo& check : all_checks()) {
    if (check.severity == Severity::error) topology.checks.back().code = check.check;
  }
  EXPECT_EQ(folds(topology), "0 1 1 (1)x2");
}

TEST(Fold, NoBlockGoesAcrossACopy) {
  Topology topology = chain("0111");
  for (Call& call : topology.calls) call.position *= 2;
  topology.copies.push_back({.position = 3});
  EXPECT_EQ(folds(topology), "0 1 (1)x2");
}

TEST(Fold, EveryCallIsInOneBlock) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    std::string kernels(random() % 40, '0');
    for (char& kernel : kernels) kernel = static_cast<char>('0' + random() % 3);
    const Topology topology = chain(kernels);
    const FoldedNetwork folded = fold_repeats(topology, kOwnShapes);
    ASSERT_EQ(folded.block_of.size(), kernels.size());
    std::uint32_t next = 0;
    for (std::uint32_t i = 0; i < folded.blocks.size(); ++i) {
      const CallBlock& block = folded.blocks[i];
      EXPECT_EQ(index(block.first), next);
      for (std::uint32_t k = 0; k < block.size(); ++k) {
        EXPECT_EQ(folded.block_of[next + k], i);
        EXPECT_EQ(kernels[next + k], kernels[next + k % block.calls]);
      }
      next += block.size();
    }
    EXPECT_EQ(next, kernels.size());
    EXPECT_EQ(whole_network(topology).blocks.size(), kernels.size());
  }
}

TEST(Fold, LongNetworksAreFolded) {
  EXPECT_EQ(fold_repeats(chain(std::string(100'000, '1')), kOwnShapes).blocks.size(), 1U);
}

}  // namespace
}  // namespace mlf::graph
