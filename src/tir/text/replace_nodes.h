// Other nodes in the place of some, wherever a module refers to them.
#pragma once

#include <unordered_map>

#include "mlf/tir/builder.h"

namespace mlf::tir::text {

/// By the index of what is replaced.
using Replacements = std::unordered_map<std::uint32_t, NodeId>;

/// Spans and source ranges stay with the nodes that they were given to.
void replace_nodes(Builder& builder, const Replacements& replacements);

}  // namespace mlf::tir::text
