#include "run/call_pairs.h"

#include <algorithm>
#include <map>
#include <utility>

namespace mlf::run {
namespace {

using graph::Topology;

std::vector<std::string_view> kernels_of(const Topology& network) {
  std::vector<std::string_view> kernels;
  for (const graph::Call& call : network.calls) {
    kernels.emplace_back(network.kernel_of(call).symbol);
  }
  return kernels;
}

/// Bytes from a value on that a program may read.
std::uint64_t room_of(const Topology& network, const graph::Storage& storage) {
  if (!storage.pool || !storage.offset) return storage.bytes.value_or(0);
  const std::uint64_t pool = network[*storage.pool].bytes.value_or(0);
  return pool - std::min(pool, *storage.offset);
}

}  // namespace

std::vector<std::optional<std::size_t>> paired_calls(std::span<const std::string_view> calls,
                                                     std::span<const std::string_view> others) {
  std::map<std::pair<std::string_view, std::size_t>, std::size_t> places;
  std::map<std::string_view, std::size_t> counts;
  for (std::size_t i = 0; i < others.size(); ++i) {
    places.emplace(std::pair(others[i], counts[others[i]]++), i);
  }
  counts.clear();
  std::vector<bool> taken(others.size());
  std::vector<std::optional<std::size_t>> pairs;
  for (const std::string_view kernel : calls) {
    const auto found = places.find(std::pair(kernel, counts[kernel]++));
    pairs.push_back(found == places.end() ? std::nullopt : std::optional(found->second));
    if (pairs.back()) taken[*pairs.back()] = true;
  }
  if (calls.size() != others.size()) return pairs;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!pairs[i] && !taken[i]) pairs[i] = i;
  }
  return pairs;
}

std::vector<std::optional<std::size_t>> paired_calls(const Topology& network,
                                                     const Topology& other) {
  return paired_calls(kernels_of(network), kernels_of(other));
}

void take_sizes(Topology& network, const Topology& other) {
  const auto pairs = paired_calls(network, other);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!pairs[i]) continue;
    const std::vector<graph::Argument>& arguments = network.calls[i].arguments;
    const std::vector<graph::Argument>& others = other.calls[*pairs[i]].arguments;
    for (std::size_t k = 0; k < std::min(arguments.size(), others.size()); ++k) {
      if (!arguments[k].writes || !others[k].writes) continue;
      graph::Value& value = network.values[index(*arguments[k].writes)];
      const std::optional<std::uint64_t> bytes = other[*others[k].writes].bytes;
      if (value.bytes || !bytes || *bytes > room_of(network, network[value.storage])) continue;
      value.bytes = bytes;
    }
  }
}

}  // namespace mlf::run
