// Which calls of two networks belong together.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "mlf/export.h"
#include "mlf/graph/topology.h"

namespace mlf::run {

/// Returns for each call the index of its pair among `others`. Calls are given by their kernels.
/// The n-th call of a kernel belongs to the n-th call of that kernel. Calls that are left belong to
/// the call at the same position, if both have the same number of calls.
std::vector<std::optional<std::size_t>> paired_calls(std::span<const std::string_view> calls,
                                                     std::span<const std::string_view> others);

std::vector<std::optional<std::size_t>> paired_calls(const graph::Topology& network,
                                                     const graph::Topology& other);

/// Gives values of `network` whose size is not known the size that the pair of their call writes,
/// if their memory has as many bytes, so that they can be recorded.
MLF_API void take_sizes(graph::Topology& network, const graph::Topology& other);

}  // namespace mlf::run
