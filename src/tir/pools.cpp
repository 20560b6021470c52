#include "tir/pools.h"
#include "support/characters.h"
#include "tir/node_queries.h"

namespace mlf::tir {

std::string_view pool_name(std::string_view parameter) {
  constexpr std::string_view kSuffix = "_var";
  if (!parameter.ends_with(kSuffix)) return {};
  parameter.remove_suffix(kSuffix.size());
  const std::string_view name = support::without_number(parameter);
  return name == parameter ? std::string_view() : name;
}

/// USMP appends the parameters in the order of its list of pools, so they correspond by position if
/// their numbers are equal.
std::vector<PoolUse> pool_uses(Node function) {
  std::vector<PoolUse> pools;
  const Node list = attribute_of(function, "pool_args");
  if (!list.is(Kind::Array)) return pools;
  for (const Node allocated : list.list(f::Array::elements)) {
    if (allocated.is(Kind::AllocatedPoolInfo)) pools.push_back({allocated, {}});
  }
  std::vector<std::string_view> names;
  for (const Node param : function.list(f::PrimFunc::params)) {
    const std::string_view name = pool_name(param.text(f::Var::name));
    if (!name.empty()) names.push_back(name);
  }
  for (std::size_t i = 0; i < pools.size(); ++i) {
    // A pool of unknown size is a parameter that the list does not have.
    const Node info = pools[i].allocated[f::AllocatedPoolInfo::pool_info];
    const bool is_in_order = names.size() == pools.size();
    if (is_in_order) {
      pools[i].name = names[i];
    } else if (info && !info.is(Kind::MissingObject)) {
      pools[i].name = info.text(f::PoolInfo::pool_name);
    }
  }
  return pools;
}

std::optional<std::uint64_t> pool_offset(Node constant) {
  const auto offset = int_imm_of(constant[f::ConstantInfo::byte_offset]);
  return offset && *offset >= 0 ? std::optional(static_cast<std::uint64_t>(*offset)) : std::nullopt;
}

}  // namespace mlf::tir
