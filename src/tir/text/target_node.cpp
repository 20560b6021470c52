#include "tir/text/target_node.h"

#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "support/error.h"

namespace mlf::tir::text {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

NodeId make_integer(ExprFactory& make, std::int64_t value) {
  const bool is_small = value >= std::numeric_limits<std::int32_t>::min() &&
                        value <= std::numeric_limits<std::int32_t>::max();
  return make.int_imm(DType::Int(is_small ? 32 : 64), value);
}

NodeId make_scalar(ExprFactory& make, const TargetValue& value) {
  return std::visit(Overloaded{
                        [&](bool flag) { return make.boolean(flag ? 1 : 0); },
                        [&](std::int64_t number) { return make_integer(make, number); },
                        [&](const std::string& text) { return make.string(text); },
                        [&](const JsonText& json) { return make.string(json.text); },
                        [&](const std::vector<TargetValue>&) -> NodeId {
                          throw support::Error(ErrorKind::invalid_input,
                                               "a list inside a list in a target");
                        },
                    },
                    value.value);
}

NodeId make_value(ExprFactory& make, const TargetValue& value) {
  const auto* const list = std::get_if<std::vector<TargetValue>>(&value.value);
  if (list == nullptr) return make_scalar(make, value);
  std::vector<NodeId> elements;
  for (const TargetValue& element : *list) elements.push_back(make_scalar(make, element));
  return make.builder().make(Kind::Array, {make.builder().list(elements)});
}

NodeId make_one(ExprFactory& make, const mlf::Target& target, NodeId host) {
  Builder& builder = make.builder();
  const NodeId kind = builder.make(Kind::TargetKind, {builder.string(target.kind), kAbsentInteger,
                                                      kAbsentInteger, ListId::none});
  std::vector<NodeId> keys;
  for (const std::string& key : target.keys) keys.push_back(make.string(key));
  std::vector<NamedNode> attrs;
  for (const TargetAttr& attr : target.attrs) {
    attrs.push_back({builder.string(attr.name), make_value(make, attr.value)});
  }
  return builder.make(Kind::Target, {kind, builder.string(target.tag), builder.list(keys),
                                     builder.map(attrs), NodeId::none, host});
}

}  // namespace

NodeId make_target(ExprFactory& make, const mlf::Target& target) {
  std::vector<const mlf::Target*> around;
  for (const mlf::Target* at = &target; at != nullptr; at = at->host.get()) around.push_back(at);
  NodeId node = NodeId::none;
  for (auto at = around.rbegin(); at != around.rend(); ++at) node = make_one(make, **at, node);
  return node;
}

}  // namespace mlf::tir::text
