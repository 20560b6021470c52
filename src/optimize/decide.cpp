#include "optimize/decide.h"

#include <algorithm>
#include <map>

#include "optimize/narrow_type.h"

namespace mlf::optimize {
namespace {

const CPoolOfConstants* pool_of(const CConstants& constants, const CConstant& constant) {
  const auto found = std::ranges::find(constants.pools, constant.pool, &CPoolOfConstants::name);
  return found == constants.pools.end() ? nullptr : &*found;
}

bool may_change(const CConstants& constants, const CConstant& constant) {
  if (!constant.kept.empty()) return false;
  const CPoolOfConstants* const pool = pool_of(constants, constant);
  return pool == nullptr || pool->kept.empty();
}

void reset(CConstant& constant) {
  constant.equal.reset();
  constant.new_dtype = constant.dtype;
  constant.new_offset = constant.offset;
}

}  // namespace

void narrow(CConstants& constants) {
  for (CConstant& constant : constants.all) {
    const auto narrower = narrowest_type(constant.dtype, constant.data);
    constant.could_be_narrower = narrower.has_value();
    if (narrower && may_change(constants, constant)) constant.new_dtype = *narrower;
  }
}

void share(CConstants& constants) {
  // By their bytes as they will be: constants of several types may be equal then.
  using Key = std::pair<std::uint32_t, std::vector<std::byte>>;
  for (const CPoolOfConstants& pool : constants.pools) {
    std::map<Key, std::size_t> first;
    for (const std::size_t index : pool.constants) {
      CConstant& constant = constants.all[index];
      if (!may_change(constants, constant)) continue;
      Key key{constant.new_dtype.packed(),
              converted(constant.dtype, constant.data, constant.new_dtype)};
      const auto [known, is_new] = first.try_emplace(std::move(key), index);
      if (!is_new) constant.equal = known->second;
    }
  }
}

void lay_out_pools(CConstants& constants) {
  for (CPoolOfConstants& pool : constants.pools) {
    if (!pool.kept.empty()) continue;
    std::uint64_t end = 0;
    for (const std::size_t index : pool.constants) {
      CConstant& constant = constants.all[index];
      if (constant.equal) continue;
      const auto alignment = static_cast<std::uint64_t>(constant.place.alignment);
      constant.new_offset = (end + alignment - 1) / alignment * alignment;
      end = constant.new_offset + constant.new_bytes();
    }
    for (const std::size_t index : pool.constants) {
      CConstant& constant = constants.all[index];
      if (constant.equal) constant.new_offset = constants.all[*constant.equal].new_offset;
    }
    pool.new_bytes = end;
    if (end < pool.bytes) continue;
    pool.new_bytes = pool.bytes;
    for (const std::size_t index : pool.constants) reset(constants.all[index]);
  }
}

}  // namespace mlf::optimize
