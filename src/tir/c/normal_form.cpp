// What two modules have in common where one is captured before the host passes and the other was
// read from their output.
#include "tir/c/normal_form.h"

#include <algorithm>

#include "mlf/tir/c.h"
#include "mlf/tir/visit.h"

namespace mlf::tir {
namespace c {

Module NormalForm::make() && {
  const Node root = module_.root();
  NodeId function = NodeId::none;
  for_each_pre_order(root, [&](Node node) {
    if (node.is(Kind::Let)) lets_[index(node[f::Let::var].id())] = node[f::Let::value];
    if (node.is(Kind::PrimFunc)) function = node.id();
    if (node.is(Kind::AllocateConst)) constants_[index(function)].push_back(node);
  });
  for_each_post_order(root, [&](Node node) { leave(node); });
  return std::move(builder_).finish(of(root));
}

/// What a node of the original became.
NodeId NormalForm::of(Node node) {
  if (!node) return NodeId::none;
  auto let = lets_.find(index(node.id()));
  while (let != lets_.end()) {
    node = let->second;
    let = lets_.find(index(node.id()));
  }
  return map_[index(node.id())];
}

NodeId NormalForm::body_of(Node statement) {
  const NodeId body = of(statement);
  return body == NodeId::none ? nothing() : body;
}

ListId NormalForm::mapped(NodeList list) {
  if (!list.defined()) return ListId::none;
  std::vector<NodeId> ids;
  for (const Node node : list) ids.push_back(of(node));
  return builder_.list(ids);
}

FieldValue NormalForm::field(Node node, std::uint8_t i) {
  const FieldInfo& info = node.info().fields[i];
  switch (info.type) {
    case FieldType::node:
      return info.expects == Expects::stmt && node.node(i) ? body_of(node.node(i))
                                                           : of(node.node(i));
    case FieldType::list:
      return mapped(node.list(i));
    case FieldType::string_map: {
      const NodeMap map = node.map(i);
      std::vector<NamedNode> entries;
      for (std::size_t k = 0; k < map.size(); ++k) {
        entries.push_back({builder_.string(map.name(k)), of(map.value(k))});
      }
      return map.defined() ? builder_.map(entries) : ListId::none;
    }
    case FieldType::node_map: {
      const NodeMap map = node.map(i);
      std::vector<NodePair> entries;
      for (std::size_t k = 0; k < map.size(); ++k) {
        entries.push_back({of(map.key(k)), of(map.value(k))});
      }
      return map.defined() ? builder_.map(entries) : ListId::none;
    }
    case FieldType::string:
      return node.has_text(i) ? builder_.string(node.text(i)) : StringId::none;
    case FieldType::real:
      return node.real(i);
    case FieldType::dtype:
      return node.dtype(i);
    case FieldType::integers:
      return builder_.integers(node.integers(i));
    case FieldType::bytes: {
      const auto data = node.bytes(i);
      if (!data) return BytesId::none;
      return builder_.bytes(std::vector<std::byte>(data->begin(), data->end()));
    }
    default:
      return node.integer(i);
  }
}

NodeId NormalForm::copy(Node node) {
  std::vector<FieldValue> fields;
  for (std::uint8_t i = 0; i < node.info().fields.size(); ++i) fields.push_back(field(node, i));
  return builder_.make(node.kind(), fields);
}

NodeId NormalForm::rebuilt(Node node) {
  switch (node.category()) {
    case Category::expr:
      return rebuilt_expr(node);
    case Category::stmt:
      return rebuilt_statement(node);
    case Category::buffer:
      return buffer(node);
    case Category::constant:
      return array(node);
    case Category::function:
      return function(node);
    case Category::module:
      return root(node);
    default:
      return node.is(Kind::GlobalVar) ? make_.global_var(node.text(f::GlobalVar::name_hint))
                                      : copy(node);
  }
}

// --- Functions ---------------------------------------------------------------------------------

/// Of a pool: its name, its size and the constants in it.
NodeId NormalForm::pool(Node allocated) {
  const Node info = allocated[f::AllocatedPoolInfo::pool_info];
  std::vector<NodeId> constants;
  if (info.is(Kind::ConstantPoolInfo)) {
    for (const Node constant : info.list(f::ConstantPoolInfo::constant_info_array)) {
      constants.push_back(of(constant));
    }
    const auto offset = [&](NodeId id) {
      const Node at = builder_.node(id)[f::ConstantInfo::byte_offset];
      return at.is(Kind::IntImm) ? at.integer(f::IntImm::value) : 0;
    };
    std::ranges::sort(constants, {}, offset);
  }
  const std::array fields = {
      NamedNode{builder_.string("name"), make_.string(info.text(f::PoolInfo::pool_name))},
      NamedNode{builder_.string("size"), of(allocated[f::AllocatedPoolInfo::allocated_size])},
      NamedNode{builder_.string("parameter"), of(allocated[f::AllocatedPoolInfo::pool_var_idx])},
      NamedNode{builder_.string("constants"),
                builder_.make(Kind::Array, {builder_.list(constants)})}};
  return builder_.make(Kind::StringMap, {builder_.map(std::span(fields))});
}

NodeId NormalForm::pool_args(Node attrs) {
  const Node pools = attrs ? attrs.map(f::DictAttrs::dict).find("pool_args") : Node();
  if (!pools || !pools.is(Kind::Array)) return NodeId::none;
  if (pools.list(f::Array::elements).empty()) return NodeId::none;
  std::vector<NodeId> made;
  for (const Node allocated : pools.list(f::Array::elements)) {
    if (allocated.is(Kind::AllocatedPoolInfo)) made.push_back(pool(allocated));
  }
  const std::array entries = {
      NamedNode{builder_.string("pool_args"), builder_.make(Kind::Array, {builder_.list(made)})}};
  return builder_.make(Kind::DictAttrs, {builder_.map(std::span(entries))});
}

/// In the order of the parameters.
ListId NormalForm::buffer_map(Node function) {
  const NodeMap map = function.map(f::PrimFunc::buffer_map);
  std::vector<NodePair> entries;
  for (const Node param : function.list(f::PrimFunc::params)) {
    for (std::size_t i = 0; i < map.size(); ++i) {
      if (map.key(i) == param) entries.push_back({of(param), of(map.value(i))});
    }
  }
  return builder_.map(entries);
}

NodeId NormalForm::function(Node node) {
  NodeId body = body_of(node[f::PrimFunc::body]);
  const std::vector<Node>& constants = constants_[index(node.id())];
  for (std::size_t i = constants.size(); i > 0; --i) {
    const Node constant = constants[i - 1];
    const NodeId data = of(constant[f::AllocateConst::data]);
    std::int64_t count = 1;
    for (const Node extent : constant.list(f::AllocateConst::extents)) {
      count *= extent.integer(f::IntImm::value);
    }
    const ListId none = builder_.map(std::span<const NamedNode>());
    body =
        builder_.make(Kind::AllocateConst, {of(constant[f::AllocateConst::buffer_var]), data,
                                            NodeId::none, constant.dtype(f::AllocateConst::dtype),
                                            builder_.list({make_.int32(count)}), body, none});
  }
  return builder_.make(Kind::PrimFunc,
                       {mapped(node.list(f::PrimFunc::params)), make_.void_type(), buffer_map(node),
                        ListId::none, pool_args(node[f::PrimFunc::attrs]), body});
}

NodeId NormalForm::root(Node node) {
  const NodeMap functions = node.map(f::IRModule::functions);
  std::vector<std::pair<std::string_view, NodePair>> named;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    if (!functions.value(i).is(Kind::PrimFunc)) continue;
    named.emplace_back(functions.key(i).text(f::GlobalVar::name_hint),
                       NodePair{of(functions.key(i)), of(functions.value(i))});
  }
  std::ranges::sort(named, {}, &std::pair<std::string_view, NodePair>::first);
  std::vector<NodePair> entries;
  for (const auto& [name, entry] : named) entries.push_back(entry);
  return builder_.make(Kind::IRModule, {builder_.map(entries), NodeId::none, NodeId::none,
                                        NodeId::none, NodeId::none, NodeId::none});
}

}  // namespace c

Module c_normal_form(const Module& module, const VersionRange& version) {
  return c::NormalForm(module, version).make();
}

}  // namespace mlf::tir
