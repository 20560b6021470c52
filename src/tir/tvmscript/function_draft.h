// A function between its text and its node: what it lacks may follow from the rest of the module.
#pragma once

#include <string_view>
#include <vector>

#include "mlf/tir/builder.h"

namespace mlf::tir::tvmscript {

enum class Visibility : std::uint8_t { exported, hidden };

struct FunctionDraft {
  std::string_view name;
  Visibility visibility = Visibility::exported;
  std::uint32_t name_offset = 0;
  SourceRange range;
  std::vector<NodeId> params;
  std::vector<NodePair> buffer_map;
  std::vector<NodePair> preflattened_buffer_map;
  std::vector<NamedNode> attrs;
  bool states_attrs = false;  ///< has a T.func_attr, be it empty
  NodeId ret_type = NodeId::none;
  NodeId body = NodeId::none;
};

}  // namespace mlf::tir::tvmscript
