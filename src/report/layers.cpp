#include "report/layers.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

namespace mlf::report {
namespace {

/// Operators that TVM does not fuse with one another, as names of kernels have them. Longer ones
/// come before those that are part of them.
constexpr std::array<std::string_view, 19> kAnchors{"conv2d_transpose",
                                                    "conv1d_transpose",
                                                    "conv3d_transpose",
                                                    "conv2d",
                                                    "conv1d",
                                                    "conv3d",
                                                    "batch_matmul",
                                                    "matmul",
                                                    "dense",
                                                    "global_avg_pool2d",
                                                    "global_max_pool2d",
                                                    "adaptive_avg_pool2d",
                                                    "avg_pool2d",
                                                    "max_pool2d",
                                                    "avg_pool1d",
                                                    "max_pool1d",
                                                    "log_softmax",
                                                    "softmax",
                                                    "resize2d"};

/// Whether `word` is in `name` between underscores.
bool has_word(std::string_view name, std::string_view word) {
  for (std::size_t at = name.find(word); at != name.npos; at = name.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || name[at - 1] == '_' || name[at - 1] == '.';
    if (begins && (end == name.size() || name[end] == '_')) return true;
  }
  return false;
}

/// What a call reads data from.
struct CallSources {
  std::set<std::size_t> reduced;  ///< by its operator
  std::set<std::size_t> others;   ///< by operators that are fused behind it
};

CallSources sources_of(const graph::Call& call, const std::optional<std::set<std::size_t>>& reduced,
                       const std::vector<std::set<std::size_t>>& of_values) {
  CallSources sources;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    if (!call.arguments[i].reads) continue;
    const auto& more = of_values[index(*call.arguments[i].reads)];
    const bool is_reduced = !reduced || reduced->contains(i);
    (is_reduced ? sources.reduced : sources.others).insert(more.begin(), more.end());
  }
  return sources;
}

/// The calls of kernels with an anchor in their names, as anchors, and which calls these are.
std::pair<std::vector<RelayAnchor>, std::vector<std::size_t>> anchors_of(
    const graph::Topology& network, const ReducedArguments& reduced) {
  std::vector<RelayAnchor> anchors;
  std::vector<std::size_t> calls;
  std::vector<std::set<std::size_t>> sources(network.values.size());
  std::size_t copy = 0;
  const auto copies_until = [&](std::uint32_t position) {
    for (; copy < network.copies.size() && network.copies[copy].position < position; ++copy) {
      const graph::Copy& one = network.copies[copy];
      if (one.reads) sources[index(one.writes)] = sources[index(*one.reads)];
    }
  };
  for (std::size_t i = 0; i < network.calls.size(); ++i) {
    const graph::Call& call = network.calls[i];
    copies_until(call.position);
    auto [read, others] = sources_of(call, reduced[index(call.kernel)], sources);
    if (read.size() + others.size() > kMostSources) return {};
    const std::string_view anchor = anchor_in(network.kernel_of(call).symbol);
    if (!anchor.empty()) {
      anchors.push_back({.operation = std::string(anchor), .reads = {read.begin(), read.end()}});
      read = {calls.size()};
      calls.push_back(i);
    }
    read.merge(others);
    for (const graph::Argument& argument : call.arguments) {
      if (argument.writes) sources[index(*argument.writes)] = read;
    }
  }
  return {std::move(anchors), std::move(calls)};
}

/// Equal keys of both graphs get equal numbers.
using Numbers = std::map<std::vector<std::size_t>, std::size_t>;

std::size_t number_of(Numbers& numbers, std::string_view operation,
                      std::vector<std::size_t> neighbours) {
  std::ranges::sort(neighbours);
  const auto at = std::ranges::find(kAnchors, operation) - kAnchors.begin();
  neighbours.push_back(static_cast<std::size_t>(at));
  return numbers.try_emplace(std::move(neighbours), numbers.size()).first->second;
}

/// A pair of numbers for each anchor: one for the anchor and everything before it, one for the
/// anchor and everything after it.
std::vector<std::pair<std::size_t, std::size_t>> keys_of(const std::vector<RelayAnchor>& anchors,
                                                         Numbers& before, Numbers& behind) {
  const std::size_t count = anchors.size();
  std::vector<std::pair<std::size_t, std::size_t>> keys(count);
  std::vector<std::vector<std::size_t>> readers(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::size_t> read;
    for (const std::size_t source : anchors[i].reads) {
      read.push_back(keys[source].first);
      readers[source].push_back(i);
    }
    keys[i].first = number_of(before, anchors[i].operation, std::move(read));
  }
  for (std::size_t i = count; i-- > 0;) {
    std::vector<std::size_t> read_by;
    for (const std::size_t reader : readers[i]) read_by.push_back(keys[reader].second);
    keys[i].second = number_of(behind, anchors[i].operation, std::move(read_by));
  }
  return keys;
}

}  // namespace

std::string_view anchor_in(std::string_view name) {
  const auto found = std::ranges::find_if(
      kAnchors, [&](std::string_view anchor) { return has_word(name, anchor); });
  return found == kAnchors.end() ? std::string_view() : *found;
}

LayerMatches match_layers(const graph::Topology& network, const ReducedArguments& reduced,
                          const std::vector<RelayAnchor>& anchors) {
  Numbers before;
  Numbers behind;
  const auto [calls, positions] = anchors_of(network, reduced);
  const auto call_keys = keys_of(calls, before, behind);
  const auto anchor_keys = keys_of(anchors, before, behind);
  // By key, the calls and the anchors that have it.
  std::map<std::pair<std::size_t, std::size_t>, std::array<std::vector<std::size_t>, 2>> by_key;
  for (std::size_t i = 0; i < call_keys.size(); ++i) by_key[call_keys[i]][0].push_back(i);
  for (std::size_t i = 0; i < anchor_keys.size(); ++i) by_key[anchor_keys[i]][1].push_back(i);
  LayerMatches matches{
      .groups = {}, .group_of_call = std::vector<std::optional<std::size_t>>(network.calls.size())};
  for (auto& [key, alike] : by_key) {
    if (alike[0].size() != alike[1].size()) continue;
    for (const std::size_t call : alike[0]) {
      matches.group_of_call[positions[call]] = matches.groups.size();
    }
    matches.groups.push_back(std::move(alike[1]));
  }
  return matches;
}

}  // namespace mlf::report
