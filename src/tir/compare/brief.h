// Nodes and values in a few words, for messages.
#pragma once

#include <string>

#include "mlf/tir/module.h"

namespace mlf::tir::compare_detail {

/// Kind and scalar fields: `IntImm int32 5`, `Var int32 "i"`; `undefined` for no node.
std::string brief(Node node);

/// The value of one field that is not a node; lists and maps as their size.
std::string brief_field(Node node, std::uint8_t field);

/// What tells this node from others of its kind without looking at its children: like `brief`, but
/// nothing is clipped or left out.
std::string scalar_fields(Node node);

}  // namespace mlf::tir::compare_detail
