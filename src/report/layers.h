// Which call of Relay a kernel came from, and what it was called in the model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/export.h"
#include "mlf/graph/topology.h"

namespace mlf::report {

/// An operator that no fusion hides: it gives the kernel its name, and there is one in each.
struct RelayAnchor {
  std::string operation;           ///< "conv2d", as it is in names of kernels
  std::string layer;               ///< of its span; empty where Relay has none
  std::uint32_t line = 0;          ///< counted from 1
  std::vector<std::size_t> reads;  ///< anchors that it gets data from, through any other calls
};

/// The anchors of main in the text of `src/<m>.relay`, in the order of the text. Lines that are not
/// of the form `%3 = op(…);` are passed over.
std::vector<RelayAnchor> relay_anchors(std::string_view text);

/// `line` without its comments, in which anything may be.
MLF_API std::string without_comments(std::string_view line);

/// The lines of main in Relay's text, up to its closing brace. Empty where it has no main.
MLF_API std::string_view main_of_relay(std::string_view text);

/// For each call of the network its anchor, where exactly one call and one anchor have the same
/// operator and the same operators before and behind them, and so on up to inputs and outputs.
std::vector<std::optional<std::size_t>> match_layers(const graph::Topology& network,
                                                     const std::vector<RelayAnchor>& anchors);

/// The operator that a kernel or a Relay operator is named after: "conv2d" of
/// "tvmgen_default_fused_nn_contrib_conv2d_NCHWc_add". Empty where TVM would fuse all of them with
/// others.
std::string_view anchor_in(std::string_view name);

}  // namespace mlf::report
