#include "graph/formats/picture.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace mlf::graph {
namespace {

constexpr std::uint32_t kLongestPart = 64;

/// The properties of calls that the comparison uses.
class CallSequence {
 public:
  CallSequence(const Topology& topology, std::span<const std::uint64_t> shapes)
      : topology_(topology), shapes_(shapes), may_fold_(topology.calls.size(), true) {
    for (const Check& check : topology.checks) {
      const bool is_error = info(check.code).severity == Severity::error;
      if (is_error && check.call) may_fold_[index(*check.call)] = false;
    }
    // If main copies between two calls, a box around both would not contain the copy.
    std::vector<Position> copies;
    for (const Copy& copy : topology.copies) copies.push_back(copy.position);
    std::sort(copies.begin(), copies.end());
    for (const Call& call : topology.calls) {
      const auto before = std::lower_bound(copies.begin(), copies.end(), call.position);
      copies_before_.push_back(static_cast<std::uint32_t>(before - copies.begin()));
    }
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(may_fold_.size()); }

  /// How often the `part` calls from `first` on repeat in a row.
  std::uint32_t times(std::uint32_t first, std::uint32_t part) const {
    std::uint32_t end = first + part;
    while (end < size() && is_alike(first, part, end)) ++end;
    return (end - first) / part;
  }

 private:
  /// Whether call `at` of a later repetition equals the call one part before it.
  bool is_alike(std::uint32_t first, std::uint32_t part, std::uint32_t at) const {
    if (!may_fold_[at - part] || !may_fold_[at]) return false;
    if (copies_before_[at] != copies_before_[first]) return false;
    const Call& call = topology_.calls[at];
    const Call& before = topology_.calls[at - part];
    if (shapes_[index(call.kernel)] != shapes_[index(before.kernel)]) return false;
    if (call.arguments.size() != before.arguments.size()) return false;
    const std::uint32_t start = at - (at - first) % part;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const Argument& argument = call.arguments[i];
      const Argument& other = before.arguments[i];
      if (argument.direction != other.direction) return false;
      if (place(argument, start) != place(other, start - part)) return false;
    }
    return true;
  }

  /// The call of this repetition that wrote the argument, counted from the first call of the
  /// repetition.
  std::optional<std::uint32_t> place(const Argument& argument, std::uint32_t start) const {
    if (!argument.reads) return std::nullopt;
    const std::optional<Endpoint>& producer = topology_[*argument.reads].producer;
    const bool is_within =
        producer && producer->kind == EndpointKind::call && producer->step >= start;
    return is_within ? std::optional(producer->step - start) : std::nullopt;
  }

  const Topology& topology_;
  std::span<const std::uint64_t> shapes_;  // by kernel
  std::vector<bool> may_fold_;             // by call
  std::vector<std::uint32_t> copies_before_;
};

/// The largest block that begins with each call, found once per call.
class LargestBlocks {
 public:
  explicit LargestBlocks(const CallSequence& calls) : calls_(calls), known_(calls.size()) {}

  const CallBlock& at(std::uint32_t first) {
    if (!known_[first]) known_[first] = find(first);
    return *known_[first];
  }

  /// Whether a larger block begins inside this one, which would cut the larger one into pieces.
  /// Does not compare blocks larger than any part, so it visits a long chain once.
  bool is_cut_by(const CallBlock& block) {
    if (block.size() > kLongestPart) return false;
    for (std::uint32_t i = 1; i < block.size(); ++i) {
      if (at(index(block.first) + i).size() > block.size()) return true;
    }
    return false;
  }

 private:
  CallBlock find(std::uint32_t first) const {
    CallBlock best{.first = CallId{first}};
    const std::uint32_t longest = std::min(kLongestPart, (calls_.size() - first) / 2);
    for (std::uint32_t part = 1; part <= longest; ++part) {
      const CallBlock block{CallId{first}, part, calls_.times(first, part)};
      if (block.times > 1 && block.size() > best.size()) best = block;
    }
    return best;
  }

  const CallSequence& calls_;
  std::vector<std::optional<CallBlock>> known_;
};

void add(FoldedNetwork& network, const CallBlock& block) {
  network.block_of.insert(network.block_of.end(), block.size(),
                          static_cast<std::uint32_t>(network.blocks.size()));
  network.blocks.push_back(block);
}

}  // namespace

FoldedNetwork whole_network(const Topology& topology) {
  FoldedNetwork network;
  for (std::uint32_t i = 0; i < topology.calls.size(); ++i) add(network, {.first = CallId{i}});
  return network;
}

FoldedNetwork fold_repeats(const Topology& topology, std::span<const std::uint64_t> shapes) {
  const CallSequence calls(topology, shapes);
  LargestBlocks largest(calls);
  FoldedNetwork network;
  for (std::uint32_t at = 0; at < calls.size();) {
    const CallBlock& block = largest.at(at);
    add(network, largest.is_cut_by(block) ? CallBlock{.first = CallId{at}} : block);
    at += network.blocks.back().size();
  }
  return network;
}

namespace {

/// Calls `read` with every value that a box reads, including its own.
template <class Read>
void for_each_read(const Topology& topology, const FoldedNetwork& folded, const Box& box,
                   const Read& read) {
  if (box.kind == EndpointKind::copy) {
    if (const auto& value = topology.copies[box.at].reads) read(*value);
    return;
  }
  const CallBlock& block = folded.blocks[box.at];
  for (std::uint32_t i = index(block.first); i <= index(block.last()); ++i) {
    for (const Argument& argument : topology.calls[i].arguments) {
      if (argument.reads) read(*argument.reads);
    }
  }
}

/// In the order of main.
std::vector<Box> boxes_in_order(const Topology& topology, const FoldedNetwork& folded) {
  std::vector<std::pair<Position, Box>> boxes;
  for (std::uint32_t i = 0; i < folded.blocks.size(); ++i) {
    boxes.push_back({topology[folded.blocks[i].first].position, {EndpointKind::call, i}});
  }
  for (std::uint32_t i = 0; i < topology.copies.size(); ++i) {
    boxes.push_back({topology.copies[i].position, {EndpointKind::copy, i}});
  }
  std::sort(boxes.begin(), boxes.end());
  std::vector<Box> ordered;
  for (const auto& [position, box] : boxes) ordered.push_back(box);
  return ordered;
}

}  // namespace

Ranks ranks_of(const Topology& topology, const FoldedNetwork& folded) {
  const std::vector<Box> boxes = boxes_in_order(topology, folded);
  Ranks ranks;
  for (const Box& box : boxes) ranks[box] = 1;
  // Earlier boxes make all values that a box reads, so one pass in the order of main is enough.
  for (const Box& box : boxes) {
    std::uint64_t rank = 1;
    for_each_read(topology, folded, box, [&](ValueId id) {
      const Value& value = topology[id];
      if (!value.producer) return;
      const Box producer = box_of(folded, *value.producer);
      if (producer != box) rank = std::max(rank, ranks[producer] + 1);
    });
    ranks[box] = rank;
  }
  return ranks;
}

}  // namespace mlf::graph
