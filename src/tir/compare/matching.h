// Which entries of two maps correspond.
#pragma once

#include <cstdint>
#include <vector>

#include "mlf/tir/module.h"
#include "tir/compare/pairing.h"

namespace mlf::tir::compare_detail {

constexpr std::uint32_t kUnmatched = UINT32_MAX;

/// For each entry on the left its position on the right, or kUnmatched.
using Matching = std::vector<std::uint32_t>;

/// By the names of a string_map.
Matching match_names(const NodeMap& left, const NodeMap& right);

/// By the keys of a node_map: GlobalVars by name, constants by value, other keys that are known to
/// correspond by that, the rest by position. No position is matched twice.
Matching match_keys(const NodeMap& left, const NodeMap& right, const Pairing& pairing);

/// Positions on the right that nothing on the left corresponds to.
std::vector<std::uint32_t> unmatched_on_right(const Matching& matching, std::size_t right_size);

/// Whether matched entries stand in the same order on both sides.
bool is_in_order(const Matching& matching);

}  // namespace mlf::tir::compare_detail
