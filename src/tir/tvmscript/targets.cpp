// `T.target({"keys": ["cpu"], "kind": "c", "tag": ""})`
#include <fmt/core.h>

#include "tir/tvmscript/expressions.h"

namespace mlf::tir::tvmscript {

/// Only the name of a kind is printed, not what TVM knows about it.
NodeId Expressions::target_kind(std::string_view name) {
  return c_.builder.make(Kind::TargetKind,
                         {c_.builder.string(name), kAbsentInteger, kAbsentInteger, ListId::none});
}

NodeId Expressions::form_target(const Arguments& args) {
  args.expect(1, 2);
  args.expect_keywords({"host"});
  c_.lose(LossCode::target_details, "Target");
  return target_of(args[0]);
}

/// The target in a dictionary. A host may have a host in turn: the innermost one is made first.
NodeId Expressions::target_of(const Value& dict) {
  std::vector<Value> chain;
  NodeId target = NodeId::none;
  for (std::optional<Value> next = dict; next;) {
    // Before v0.12 the host is a call of T.target, and done.
    const bool is_done = next->kind == ValueKind::node && c_.node(next->node).is(Kind::Target);
    if (is_done && !chain.empty()) {
      target = next->node;
      break;
    }
    if (next->kind != ValueKind::dict) fail_expected(*next, "a dictionary that describes a target");
    chain.push_back(*next);
    next.reset();
    for (std::size_t i = 0; i < chain.back().count; i += 2) {
      if (string(item(chain.back(), i)) == "host") next = item(chain.back(), i + 1);
    }
  }
  Builder& b = c_.builder;
  for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
    NodeId kind = NodeId::none;
    std::string_view tag;
    std::vector<NodeId> keys;
    std::vector<NamedNode> attrs;
    for (std::size_t i = 0; i < it->count; i += 2) {
      const std::string_view key = string(item(*it, i));
      const Value& value = item(*it, i + 1);
      if (key == "kind") {
        kind = target_kind(string(value));
      } else if (key == "tag") {
        tag = string(value);
      } else if (key == "keys") {
        for (const Value& element : elements(value)) keys.push_back(attribute(element));
      } else if (key != "host") {
        attrs.push_back({b.string(key), attribute(value)});
      }
    }
    if (kind == NodeId::none) fail(*it, "a target needs a 'kind'");
    target = b.make(Kind::Target,
                    {kind, b.string(tag), b.list(keys), b.map(attrs), NodeId::none, target});
  }
  return target;
}

}  // namespace mlf::tir::tvmscript
