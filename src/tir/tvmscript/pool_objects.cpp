#include "tir/tvmscript/pool_objects.h"

#include <utility>

#include "tir/pools.h"

namespace mlf::tir::tvmscript {

NodeId PoolObjects::constant(std::string_view name, NodeId offset, NodeId data) {
  const auto make = [&] {
    return builder_.make(Kind::ConstantInfo, {builder_.string(name), offset, data});
  };
  // Always a number where TVM printed it.
  const Node number = builder_.node(offset);
  if (!number.is(Kind::IntImm)) return make();
  NodeId& known = constants_[{std::string(name), number.integer(f::IntImm::value), data}];
  if (known == NodeId::none) known = make();
  return known;
}

NodeId PoolObjects::pool(std::vector<NodeId> constants) {
  NodeId& known = pools_[constants];
  if (known != NodeId::none) return known;
  const NodeId none = NodeId::none;
  known =
      builder_.make(Kind::ConstantPoolInfo, {StringId::none, ListId::none, none, none, none, none,
                                             none, none, none, false, builder_.list(constants)});
  return known;
}

void PoolObjects::name_pools(NodeId root, LossLog& losses) {
  if (pools_.empty()) return;
  std::map<NodeId, std::string> names;
  const NodeMap functions = builder_.node(root).map(f::IRModule::functions);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    for (const PoolUse& use : pool_uses(functions.value(i))) {
      const Node info = use.allocated[f::AllocatedPoolInfo::pool_info];
      if (info && !use.name.empty()) names.try_emplace(info.id(), use.name);
    }
  }
  for (const auto& [constants, pool] : pools_) {
    const auto name = names.find(pool);
    if (name == names.end()) {
      losses.add(LossCode::pool_name, "");
    } else {
      builder_.set(pool, f::ConstantPoolInfo::pool_name, builder_.string(name->second));
    }
  }
}

}  // namespace mlf::tir::tvmscript
