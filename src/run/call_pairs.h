// Which calls of two networks belong together.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace mlf::run {

/// Returns for each call the index of its pair among `others`. Calls are given by their kernels.
/// The n-th call of a kernel belongs to the n-th call of that kernel. Calls that are left belong to
/// the call at the same position, if both have the same number of calls.
std::vector<std::optional<std::size_t>> paired_calls(std::span<const std::string_view> calls,
                                                     std::span<const std::string_view> others);

}  // namespace mlf::run
