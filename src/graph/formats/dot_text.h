// Text for Graphviz.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/export.h"
#include "mlf/graph/topology.h"

namespace mlf::graph {

/// A quoted string of the DOT language that shows `text`: newlines end lines, all other characters
/// appear unchanged. Bytes that are not UTF-8 and characters that are unsafe to show
/// (support/characters.h) become U+FFFD: Graphviz copies names into SVG, which is XML.
std::string dot_string(std::string_view text);

/// The text in lines of about `width` bytes, broken after separators.
std::string wrapped(std::string_view text, char separator, std::size_t width);

/// "12 B", "1.5 KiB": at most one decimal.
std::string byte_count(std::uint64_t bytes);

/// "float32[1, 8]"; "?" for an unknown part.
std::string type_text(const TensorType& type);
std::string shape_text(const TensorType& type);

/// For every symbol of a kernel, the name without `tvmgen_<module>_` and `fused_`, as far as all
/// names stay different.
MLF_API std::vector<std::string> short_names(const std::string& module,
                                             const std::vector<std::string>& symbols);
/// Those of the network's kernels.
MLF_API std::vector<std::string> short_names(const Topology& topology);

}  // namespace mlf::graph
