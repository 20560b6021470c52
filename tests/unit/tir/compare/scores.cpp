#include "scores.h"

#include <algorithm>
#include <cstdio>

#include "mlf/tir/visit.h"

namespace mlf::tir::mutation {

std::vector<Node> visible_nodes(const Module& module,
                                const std::function<bool(Node, const FieldInfo&)>& is_hidden) {
  NodeSet seen(module);
  std::vector<Node> found;
  std::vector<Node> stack{module.root()};
  while (!stack.empty()) {
    const Node node = stack.back();
    stack.pop_back();
    if (!seen.insert(node.id())) continue;
    found.push_back(node);
    for_each_child(node, [&](Node child, const FieldInfo& field) {
      if (!is_hidden(node, field)) stack.push_back(child);
    });
  }
  return found;
}

std::vector<Node> sample(const std::vector<Node>& nodes, std::size_t count) {
  std::map<Kind, std::vector<Node>> by_kind;
  for (const Node node : nodes) by_kind[node.kind()].push_back(node);
  std::vector<Node> chosen;
  for (const auto& [kind, all] : by_kind) {
    const std::size_t wanted = std::min(all.size(), count);
    for (std::size_t i = 0; i < wanted; ++i) chosen.push_back(all[i * all.size() / wanted]);
  }
  return chosen;
}

void print(std::string_view title, const Scores& scores) {
  Score total;
  std::printf("%.*s\n  %-24s %8s %8s %8s\n", static_cast<int>(title.size()), title.data(), "kind",
              "changes", "noticed", "listed");
  const auto line = [](std::string_view name, const Score& score) {
    std::printf("  %-24.*s %8zu %8zu %8zu\n", static_cast<int>(name.size()), name.data(),
                score.made, score.noticed, score.listed);
  };
  for (const auto& [kind, score] : scores) {
    line(kind, score);
    total.made += score.made;
    total.noticed += score.noticed;
    total.listed += score.listed;
  }
  line("all", total);
}

}  // namespace mlf::tir::mutation
