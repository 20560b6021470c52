#include "graph/formats/ranks.h"

#include <algorithm>
#include <cmath>

namespace mlf::graph {
namespace {

// As many ranks are on a screen or a page; more of them are wrapped.
constexpr std::uint64_t kRanksOfOneColumn = 20;

// A box with its edge is about 75 points high, and a column of them, where some stand side by side,
// 300 wide: columns times width are then about as much as ranks divided by columns times height.
constexpr double kHeightOfRank = 75;
constexpr double kWidthOfColumn = 300;

std::uint64_t column_count(std::uint64_t ranks) {
  if (ranks <= kRanksOfOneColumn) return 1;
  const double columns = std::sqrt(static_cast<double>(ranks) * kHeightOfRank / kWidthOfColumn);
  return std::max<std::uint64_t>(2, static_cast<std::uint64_t>(std::lround(columns)));
}

/// Of every step, by its place in the order of main: how many tensors that were there before it are
/// read by it or a later one. Constants are drawn where they are read.
std::vector<std::uint32_t> tensors_across(const Topology& topology,
                                          const std::vector<MakingStep>& steps) {
  ByStep<std::uint32_t> places(topology, 0);
  for (std::uint32_t i = 0; i < steps.size(); ++i) places.of(steps[i].kind, steps[i].step) = i;
  std::vector<std::int64_t> changes(steps.size() + 1);
  for (const Value& value : topology.values) {
    if (value.kind == ValueKind::constant || value.consumers.empty()) continue;
    std::uint32_t last = 0;
    for (const Endpoint& end : value.consumers) last = std::max(last, places.of(end));
    const std::uint32_t first = value.producer ? places.of(*value.producer) + 1 : 0;
    if (first > last) continue;
    ++changes[first];
    --changes[last + 1];
  }
  std::vector<std::uint32_t> across(steps.size());
  std::int64_t now = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    now += changes[i];
    across[i] = static_cast<std::uint32_t>(now);
  }
  return across;
}

}  // namespace

std::vector<MakingStep> steps_in_order(const Topology& topology) {
  std::vector<MakingStep> steps;
  for (std::uint32_t i = 0; i < topology.calls.size(); ++i) {
    steps.push_back({topology.calls[i].position, Endpoint::Kind::call, i});
  }
  for (std::uint32_t i = 0; i < topology.copies.size(); ++i) {
    steps.push_back({topology.copies[i].position, Endpoint::Kind::copy, i});
  }
  std::sort(steps.begin(), steps.end(),
            [](const MakingStep& a, const MakingStep& b) { return a.position < b.position; });
  return steps;
}

Ranks ranks_of(const Topology& topology) {
  Ranks ranks(topology, 1);
  // What a step reads was made before it, so one pass in order of main is enough.
  for (const MakingStep& step : steps_in_order(topology)) {
    const auto read = [&](std::optional<ValueId> id) {
      if (!id) return;
      const Value& value = topology[*id];
      if (!value.producer) return;
      std::uint64_t& rank = ranks.of(step.kind, step.step);
      rank = std::max(rank, ranks.of(*value.producer) + 1);
    };
    if (step.kind == Endpoint::Kind::copy) {
      read(topology.copies[step.step].reads);
      continue;
    }
    for (const Argument& argument : topology.calls[step.step].arguments) read(argument.reads);
  }
  return ranks;
}

PictureColumns picture_columns(const Topology& topology) {
  PictureColumns result{.count = 1, .columns = {topology, 0}};
  const std::vector<MakingStep> steps = steps_in_order(topology);
  const Ranks ranks = ranks_of(topology);
  const auto rank = [&](const MakingStep& step) { return ranks.of(step.kind, step.step); };
  std::uint64_t all = 0;
  for (const MakingStep& step : steps) all = std::max(all, rank(step));
  const std::uint64_t wanted = column_count(all);
  if (wanted == 1) return result;
  const std::vector<std::uint32_t> across = tensors_across(topology, steps);
  const std::uint64_t height = (all + wanted - 1) / wanted;
  std::uint64_t top = 1;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    // The rest of a network is not worth a column of its own where it is short.
    const bool is_full = rank(steps[i]) >= top + height && rank(steps[i]) + height / 3 <= all;
    if (is_full && across[i] == 1) {
      ++result.count;
      top = rank(steps[i]);
    }
    result.columns.of(steps[i].kind, steps[i].step) = result.count - 1;
  }
  return result;
}

}  // namespace mlf::graph
