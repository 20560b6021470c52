// How many changes to a module are noticed, by the kind of the node that was changed.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "mlf/tir/module.h"

namespace mlf::tir::mutation {

struct Score {
  std::size_t made = 0;
  std::size_t noticed = 0;
  std::size_t listed = 0;  // unnoticed ones that a row is about
};

using Scores = std::map<std::string_view, Score>;

/// The nodes that are compared: those not below a field for which `is_hidden` holds.
std::vector<Node> visible_nodes(const Module& module,
                                const std::function<bool(Node, const FieldInfo&)>& is_hidden);

/// At most `count` nodes of each kind, spread over all.
std::vector<Node> sample(const std::vector<Node>& nodes, std::size_t count);

void print(std::string_view title, const Scores& scores);

}  // namespace mlf::tir::mutation
