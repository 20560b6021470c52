// Finds the call of Relay that a kernel came from.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/graph/topology.h"

namespace mlf::report {

/// An operator that identifies its kernel after fusion: it gives the kernel its name, and each
/// kernel has at most one.
struct RelayAnchor {
  std::string operation;   ///< "conv2d", as it is in names of kernels
  std::string layer{};     ///< of its span, else the name of its weights; empty if Relay has none
  std::uint32_t line = 0;  ///< counted from 1
  std::vector<std::size_t> reads;  ///< anchors that it reads data from, through any other calls
  /// Multiply-accumulates that it needs; nothing: the text does not state all shapes.
  std::optional<std::uint64_t> macs{};
};

/// No network has an operator with more direct predecessors; larger sets would make the time
/// quadratic in the text.
inline constexpr std::size_t kMostSources = 256;

/// The operators that calls may come from.
struct LayerMatches {
  std::vector<std::vector<std::size_t>> groups;  ///< anchors that cannot be told apart
  std::vector<std::optional<std::size_t>> group_of_call;
};

/// Positions of the arguments that the operator of a kernel reduces, by KernelId; nothing where
/// these are not known.
using ReducedArguments = std::vector<std::optional<std::set<std::size_t>>>;

/// A call may come from the anchors with the same operator and the same operators before and behind
/// them, and so on up to inputs and outputs. It has no group if there are more or fewer such calls
/// than anchors. In Relay's text, an addition behind an operator is not a part of it: arguments
/// that are not reduced come before what reads the call, not before its operator.
LayerMatches match_layers(const graph::Topology& network, const ReducedArguments& reduced,
                          const std::vector<RelayAnchor>& anchors);

/// The operator that a kernel or a Relay operator is named after: "conv2d" of
/// "tvmgen_default_fused_nn_contrib_conv2d_NCHWc_add". Empty if TVM would fuse all of them with
/// others.
std::string_view anchor_in(std::string_view name);

}  // namespace mlf::report
