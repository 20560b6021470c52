// Every way to change one field of one node.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/tir/builder.h"

namespace mlf::tir::mutation {

struct Mutation {
  NodeId node;
  std::uint8_t field;
  std::string what;                     ///< "drop", "swap", …
  std::function<void(Builder&)> apply;  ///< to a copy in which ids are the same
};

/// All changes to one field that make it say something else.
std::vector<Mutation> mutations_of(Node node, std::uint8_t field);

}  // namespace mlf::tir::mutation
