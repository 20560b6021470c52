#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mlf/run.h"

namespace mlf {
namespace {

template <class Number>
Tensor tensor_of(tir::DType dtype, const std::vector<Number>& values, std::string name = "y") {
  Tensor tensor{.name = std::move(name), .dtype = dtype};
  tensor.shape = {static_cast<std::int64_t>(values.size())};
  tensor.bytes.assign(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Number));
  return tensor;
}

template <class Number>
TensorDifference difference(tir::DType dtype, const std::vector<Number>& before,
                            const std::vector<Number>& after) {
  return compare_tensors(tensor_of(dtype, before), tensor_of(dtype, after));
}

TEST(CompareTensors, CountsElementsAndFindsTheLargestDifference) {
  const auto found = difference<std::int8_t>(tir::DType::Int(8), {1, -128, 3, 4}, {1, 127, 3, 5});
  EXPECT_EQ(found.elements, 4U);
  EXPECT_EQ(found.differing, 2U);
  EXPECT_EQ(found.first, 1U);
  EXPECT_EQ(found.largest, 255);
  EXPECT_TRUE(found.exceeds(254));
  EXPECT_FALSE(found.exceeds(255));
  EXPECT_FALSE(difference<std::int8_t>(tir::DType::Int(8), {1}, {1}).exceeds(0));
}

TEST(CompareTensors, KnowsNumbersOfEveryType) {
  EXPECT_EQ(difference<std::uint8_t>(tir::DType::UInt(8), {0}, {255}).largest, 255);
  EXPECT_EQ(difference<std::int32_t>(tir::DType::Int(32), {-5}, {7}).largest, 12);
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(difference<std::int64_t>(tir::DType::Int(64), {least}, {most}).largest,
            std::ldexp(1.0, 64));
  EXPECT_EQ(difference<float>(tir::DType::Float(32), {1.5F}, {-1}).largest, 2.5);
  EXPECT_EQ(difference<double>(tir::DType::Float(64), {1}, {1 + 1e-9}).largest, 1 + 1e-9 - 1);
  // 1 and 1.5 of float16, and of bfloat16.
  EXPECT_EQ(difference<std::uint16_t>(tir::DType::Float(16), {0x3c00}, {0x3e00}).largest, 0.5);
  EXPECT_EQ(difference<std::uint16_t>({tir::TypeCode::BFloat, 16, 1}, {0x3f80}, {0x3fc0}).largest,
            0.5);
}

TEST(CompareTensors, TakesNoNumberAsFarAway) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto found = difference<float>(tir::DType::Float(32), {nan, nan}, {nan, 1});
  EXPECT_EQ(found.differing, 1U);
  EXPECT_TRUE(found.exceeds(1e30));
  // Equal numbers of other bytes.
  const auto zeros = difference<float>(tir::DType::Float(32), {0.0F}, {-0.0F});
  EXPECT_TRUE(zeros.exceeds(0));
  EXPECT_FALSE(zeros.exceeds(1e-9));
}

TEST(CompareTensors, SaysWhyTwoCannotBeCompared) {
  const Tensor before = tensor_of<std::int8_t>(tir::DType::Int(8), {1, 2});
  for (const Tensor& after : {tensor_of<std::int8_t>(tir::DType::Int(8), {1}),
                              tensor_of<std::int8_t>(tir::DType::UInt(8), {1, 2})}) {
    const auto found = compare_tensors(before, after);
    EXPECT_FALSE(found.reason.empty());
    EXPECT_TRUE(found.exceeds(1e30));
  }
  // bfloat16 in a file.
  const Tensor brain = tensor_of<std::uint16_t>({tir::TypeCode::BFloat, 16, 1}, {0x3f80});
  EXPECT_FALSE(
      compare_tensors(brain, tensor_of<std::uint16_t>(tir::DType::UInt(16), {0x3f80})).exceeds(0));
}

TEST(CompareOutputs, PairsByNameElseByPosition) {
  const tir::DType dtype = tir::DType::Int(8);
  const Tensor a = tensor_of<std::int8_t>(dtype, {1}, "a");
  const Tensor b = tensor_of<std::int8_t>(dtype, {2}, "b");
  const auto exceeding = [](const std::vector<Tensor>& before, const std::vector<Tensor>& after) {
    int count = 0;
    for (const TensorDifference& one : compare_outputs(before, after)) count += one.exceeds(0);
    return count;
  };
  EXPECT_EQ(exceeding({a, b}, {b, a}), 0);
  EXPECT_EQ(exceeding({a, b}, {a}), 1);
  Tensor c = a;
  c.name = "c";
  EXPECT_EQ(exceeding({a}, {c}), 0);
  EXPECT_EQ(exceeding({a, b}, {c}), 1);
}

TEST(CompareOutputs, ReportsOutputsOfOneSideOnly) {
  const Tensor a = tensor_of<std::int8_t>(tir::DType::Int(8), {1}, "a");
  const Tensor b = tensor_of<std::int8_t>(tir::DType::Int(8), {2, 3}, "b");
  const auto named = compare_outputs(std::vector{a}, std::vector{b, a});
  ASSERT_EQ(named.size(), 2U);
  EXPECT_FALSE(named[0].exceeds(0));
  EXPECT_EQ(named[1].name, "b");
  EXPECT_EQ(named[1].elements, 2U);
  EXPECT_TRUE(named[1].exceeds(1e30));
  Tensor c = a;
  c.name = "c";
  const auto by_position = compare_outputs(std::vector{c}, std::vector{a, b});
  ASSERT_EQ(by_position.size(), 2U);
  EXPECT_FALSE(by_position[0].exceeds(0));
  EXPECT_TRUE(by_position[1].exceeds(0));
}

/// Calls of kernels "k0", "k1", …: call i reads what call i-1 wrote.
graph::Topology chain(const std::vector<std::string>& kernels) {
  graph::Topology network;
  for (std::uint32_t i = 0; i < kernels.size(); ++i) {
    network.kernels.push_back({.symbol = kernels[i]});
    graph::Call call{.kernel = graph::KernelId{i}, .position = i};
    call.arguments.resize(2);
    call.arguments[0].reads = graph::ValueId{i};
    call.arguments[1].writes = graph::ValueId{i + 1};
    network.calls.push_back(call);
    if (i == 0) network.values.push_back({.kind = graph::ValueKind::input});
    network.values.push_back({.producer = graph::Endpoint{graph::EndpointKind::call, i, 1}});
    network.storages.push_back({});
  }
  return network;
}

void add(RunResult& run, std::uint32_t call, std::int8_t input, std::int8_t result) {
  const tir::DType dtype = tir::DType::Int(8);
  run.calls.push_back({graph::CallId{call}, 0, false, tensor_of<std::int8_t>(dtype, {input})});
  run.calls.push_back({graph::CallId{call}, 1, true, tensor_of<std::int8_t>(dtype, {result})});
}

std::optional<CallDifference> first_difference(const graph::Topology& network_before,
                                               const RunResult& before,
                                               const graph::Topology& network_after,
                                               const RunResult& after, double tolerance) {
  return compare_calls(network_before, {&before, 1}, network_after, {&after, 1}, tolerance).first;
}

TEST(FirstDifference, IsTheFirstCallWhoseResultDiffers) {
  const graph::Topology network = chain({"a", "b", "c"});
  RunResult before;
  RunResult after;
  for (std::uint32_t i = 0; i < 3; ++i) {
    const auto value = static_cast<std::int8_t>(i);
    add(before, i, value, static_cast<std::int8_t>(i + 1));
    add(after, i, static_cast<std::int8_t>(i == 2 ? 9 : i),
        static_cast<std::int8_t>(i == 0 ? 1 : 9));
  }
  const auto found = first_difference(network, before, network, after, 0);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->before.call, graph::CallId{1});
  EXPECT_EQ(found->result.largest, 7);
  EXPECT_FALSE(found->overwritten);
  EXPECT_FALSE(first_difference(network, before, network, after, 7));
}

TEST(FirstDifference, TellsThatAnInputWasOverwritten) {
  const graph::Topology network = chain({"a", "b"});
  RunResult before;
  RunResult after;
  add(before, 0, 0, 1);
  add(before, 1, 1, 2);
  add(after, 0, 0, 1);
  add(after, 1, 8, 9);
  const auto found = first_difference(network, before, network, after, 0);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->before.call, graph::CallId{1});
  EXPECT_EQ(found->overwritten, 0U);
}

TEST(FirstDifference, DoesNotSayThatWhatWasNotComparedIsTheSame) {
  RunResult before;
  RunResult after;
  add(before, 1, 1, 2);
  add(after, 1, 8, 9);
  const graph::Topology network = chain({"a", "b"});
  const auto found = first_difference(network, before, network, after, 0);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->overwritten);
}

TEST(FirstDifference, PairsKernelsOfOtherNamesByPosition) {
  RunResult before;
  RunResult after;
  add(before, 1, 1, 2);
  add(after, 1, 1, 3);
  const auto found =
      first_difference(chain({"a", "b", "c"}), before, chain({"a", "x", "c"}), after, 0);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->after.call, graph::CallId{1});
}

TEST(FirstDifference, PairsCallsInAnotherOrder) {
  RunResult before;
  RunResult after;
  add(before, 0, 0, 1);
  add(before, 1, 0, 2);
  add(after, 0, 0, 2);
  add(after, 1, 0, 3);
  const auto found = first_difference(chain({"a", "b"}), before, chain({"b", "a"}), after, 0);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->before.call, graph::CallId{0});
  EXPECT_EQ(found->after.call, graph::CallId{1});
}

TEST(CompareCalls, CountsThoseThatBothHave) {
  const graph::Topology network = chain({"a", "b", "c"});
  RunResult run;
  add(run, 0, 0, 1);
  add(run, 2, 2, 3);
  const CallDifferences found = compare_calls(network, {&run, 1}, network, {&run, 1}, 0);
  EXPECT_EQ(found.compared, 2U);
  EXPECT_EQ(found.uncompared, std::vector{graph::CallId{1}});
  EXPECT_TRUE(found.differing.empty());
}

TEST(CompareCalls, FindsTheFirstDifferenceOfAllRuns) {
  const graph::Topology network = chain({"a", "b", "c"});
  std::vector<RunResult> before(2);
  std::vector<RunResult> after(2);
  for (std::uint32_t i = 0; i < 3; ++i) {
    for (std::uint32_t r = 0; r < 2; ++r) {
      add(before[r], i, 0, 1);
      add(after[r], i, 0, i + r > 1 ? 2 : 1);  // call 2 in the first run, call 1 in the second
    }
  }
  const CallDifferences found = compare_calls(network, before, network, after, 0);
  ASSERT_TRUE(found.first);
  EXPECT_EQ(found.first->before.call, graph::CallId{1});
  EXPECT_EQ(found.differing.size(), 2U);
  EXPECT_TRUE(found.same_kernel_differs);
  const graph::Topology others = chain({"a", "x", "y"});
  EXPECT_FALSE(compare_calls(network, before, others, after, 0).same_kernel_differs);
}

// --- Arrays of a framework ----------------------------------------------------------------------

/// A run of `chain`, whose calls write these tensors; the last one is the output "y".
struct Computed {
  explicit Computed(std::vector<Tensor> results)
      : network(chain(std::vector<std::string>(results.size(), "k"))) {
    for (std::uint32_t i = 0; i < results.size(); ++i) {
      results[i].name = fmt::format("call {} k/out0", i);
      run.calls.push_back({graph::CallId{i}, 1, true, results[i]});
    }
    network.outputs.push_back(
        {.name = "y", .value = graph::ValueId{static_cast<std::uint32_t>(results.size())}});
    run.outputs.push_back(results.back());
    run.outputs.back().name = "y";
  }

  RunComparison with(const std::vector<Tensor>& arrays, const std::vector<CallLayer>& layers = {},
                     double tolerance = 0) const {
    return compare_with_arrays(network, run, arrays, layers, tolerance);
  }

  graph::Topology network;
  RunResult run;
};

Tensor int8s(const std::vector<std::int8_t>& values, std::string name) {
  return tensor_of(tir::DType::Int(8), values, std::move(name));
}

Tensor int16s(const std::vector<std::int16_t>& values) {
  return tensor_of(tir::DType::Int(16), values);
}

TEST(CompareArrays, PairsByLayerBeforeShapeAndOrder) {
  const Computed run({int8s({1, 2}, ""), int8s({3, 4}, ""), int8s({5, 6}, "")});
  // In another order than the calls: the names decide.
  const auto found = run.with({int8s({9, 9}, "weights"), int8s({5, 6}, "dense"),
                               int8s({1, 2}, "conv_PART"), int8s({3, 4}, "relu")},
                              {{"conv_PART"}, {"relu"}, {"dense"}});
  EXPECT_FALSE(found.differs());
  ASSERT_EQ(found.arrays.size(), 4U);
  for (const PairedArray& one : found.arrays) EXPECT_EQ(one.by, ArrayPairing::layer) << one.array;
  EXPECT_EQ(found.arrays[3].tensor, "y");
  EXPECT_EQ(found.unpaired, std::vector<std::string>{"weights"});
  EXPECT_EQ(found.calls->compared, 3U);
}

TEST(CompareArrays, TakeTheLastCallOfALayer) {
  const Computed run({int8s({1, 2}, ""), int8s({3, 4}, "")});
  const auto found = run.with({int8s({3, 4}, "conv"), int8s({0}, "other")}, {{"conv"}, {"conv"}});
  EXPECT_FALSE(found.differs());
  EXPECT_EQ(found.calls->uncompared, std::vector{graph::CallId{0}});
}

TEST(CompareArrays, OfOneShapeAreNoEvidenceOfADifferenceOfACall) {
  const Computed run({int8s({1, 2}, ""), int8s({3}, "")});
  const auto found = run.with({int8s({7, 7}, "a"), int8s({3}, "y"), int8s({0, 0, 0}, "b")});
  EXPECT_EQ(found.arrays.front().by, ArrayPairing::shape);
  EXPECT_EQ(found.calls->differing.size(), 1U);
  EXPECT_FALSE(found.differs());
  EXPECT_TRUE(run.with({int8s({7, 7}, "a"), int8s({3}, "y")}, {{"a"}}).differs());
}

TEST(CompareArrays, IsDifferentIfAnOutputHasNoArray) {
  const Computed run({int8s({1, 2}, "")});
  const auto found = run.with({int8s({1, 2, 3}, "a"), int8s({4}, "b")});
  EXPECT_TRUE(found.differs());
  EXPECT_FALSE(found.outputs.front().reason.empty());
  EXPECT_EQ(found.unpaired.size(), 2U);
}

TEST(CompareArrays, KnowsZeroPointsThatKernelsSubtract) {
  const CallLayer quantized{"conv", Quantization{0.5, -128}};
  const Computed subtracted({int16s({128, 130}), int8s({1}, "")});
  const std::vector<Tensor> arrays{int8s({0, 2}, "conv"), int8s({1}, "y")};
  const auto found = subtracted.with(arrays, {quantized});
  EXPECT_FALSE(found.differs());
  EXPECT_EQ(found.arrays.front().conversion, "zero point -128");
  // A call that writes wider integers, but does not subtract.
  EXPECT_FALSE(Computed({int16s({0, 2}), int8s({1}, "")}).with(arrays, {quantized}).differs());
  // Neither 0 nor the zero point.
  EXPECT_TRUE(Computed({int16s({127, 129}), int8s({1}, "")}).with(arrays, {quantized}).differs());
  // It may be subtracted, and is not known.
  const auto unknown = subtracted.with(arrays, {{"conv"}});
  EXPECT_FALSE(unknown.differs());
  EXPECT_EQ(unknown.calls->uncompared, std::vector{graph::CallId{0}});
  EXPECT_EQ(unknown.unpaired, std::vector<std::string>{"conv"});
}

TEST(CompareArrays, OfOutputsWithOtherIntegersHaveTheirValues) {
  const Computed computed({int16s({9})});
  const Tensor other = int8s({0, 0}, "other");
  EXPECT_FALSE(computed.with({int8s({9}, "y"), other}).differs());
  EXPECT_TRUE(computed.with({int8s({7}, "y"), other}).differs());
}

TEST(CompareArrays, DoNotHideADifferenceBehindAGuess) {
  // Two results of one call: one is paired by the name of an output, the other one by shape.
  Computed computed({int8s({1, 2}, "")});
  RecordedTensor second = computed.run.calls.front();
  second.argument = 2;
  second.tensor = int8s({5, 6, 7}, "call 0 k/out1");
  computed.run.calls.push_back(second);
  const auto found = computed.with({int8s({1, 3}, "call 0 k/out0"), int8s({5, 6, 7}, "guess")});
  EXPECT_TRUE(found.differs());
  EXPECT_EQ(found.arrays.back().by, ArrayPairing::name);
}

TEST(CompareArrays, OfFloatingPointAreComparedInStepsOfTheScale) {
  const std::vector<CallLayer> layers{{"dense", Quantization{0.5, 3}}};
  const Computed run({int8s({3, 5, 9}, "")});
  const auto floats = [](std::vector<float> values) {
    return tensor_of(tir::DType::Float(32), values, "dense");
  };
  const std::vector<Tensor> equal{floats({0, 1, 3}), int8s({0}, "other")};
  EXPECT_FALSE(run.with(equal, layers).differs());
  const std::vector<Tensor> other{floats({0, 1, 4}), int8s({0}, "other")};
  const auto found = run.with(other, layers, 1.5);
  EXPECT_TRUE(found.differs());
  EXPECT_EQ(found.outputs.front().largest, 2);
  EXPECT_FALSE(run.with(other, layers, 2).differs());
  // Without a scale there is no relation.
  EXPECT_FALSE(run.with(equal, {{"dense"}}).outputs.front().reason.empty());
}

}  // namespace
}  // namespace mlf
