#include "optimize/new_constants.h"

namespace mlf::optimize {
namespace {

/// The offsets of constants in lets and the sizes of constant pools for which `wanted` has a
/// change.
void add_numbers(const FunctionSites& function, const NewConstants& wanted, TirChanges& changes) {
  for (const LetSite& let : function.lets) {
    const auto found = wanted.in_pools.find({let.pool, let.value});
    if (found == wanted.in_pools.end()) continue;
    changes.set_number(
        {let.offset, {let.value, found->second.offset}, "the offset of '" + let.variable + "'"});
  }
  for (const SizeSite& size : function.sizes) {
    const auto found = wanted.pool_sizes.find(size.pool);
    if (found == wanted.pool_sizes.end()) continue;
    changes.set_number({size.size, found->second, "the size of pool '" + size.pool + "'"});
  }
}

}  // namespace

const NewConstant* NewConstants::of(const ConstantUse& use) const {
  if (use.parameter) {
    const auto found = parameters.find({use.function, *use.parameter});
    return found == parameters.end() ? nullptr : &found->second;
  }
  if (!use.pool.empty()) {
    const auto found = in_pools.find({use.pool, use.offset});
    return found == in_pools.end() ? nullptr : &found->second;
  }
  const auto found = arrays.find(use.function);
  if (found == arrays.end() || use.ordinal >= found->second.size()) return nullptr;
  return &found->second[use.ordinal];
}

const NewConstant* NewConstants::of(const ConstantPool& pool, const PoolConstant& constant) const {
  const auto found = in_pools.find({pool.name, constant.offset});
  return found == in_pools.end() ? nullptr : &found->second;
}

void add_changes(const ModuleConstants& constants, const NewConstants& wanted,
                 TirChanges& changes) {
  for (const ConstantUse& use : constants.uses) {
    if (const NewConstant* const after = wanted.of(use)) changes.set_constant(use, *after);
  }
  for (const ConstantPool& pool : constants.pools) {
    std::vector<const NewConstant*> of_pool;
    for (const PoolConstant& one : pool.constants) of_pool.push_back(wanted.of(pool, one));
    changes.set_pool(pool, std::move(of_pool));
  }
  for (const FunctionSites& function : constants.sites) add_numbers(function, wanted, changes);
}

}  // namespace mlf::optimize
