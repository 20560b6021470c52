#include "optimize/c_constants.h"

#include <algorithm>
#include <map>

#include "optimize/narrow_type.h"
#include "support/numbers.h"

namespace mlf::optimize {
namespace {

/// The pool that has the constant; null for an array.
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
  constant.after = {.dtype = constant.dtype, .offset = constant.offset};
}

bool has_one_value(const CConstant& constant) {
  const std::size_t element = constant.dtype.element_bytes();
  return constant.data.size() > element &&
         std::ranges::equal(constant.data.subspan(element),
                            constant.data.first(constant.data.size() - element));
}

/// The constant with what becomes of it, up to the place where the next one may begin. Compilers
/// put the only element of an array into the code.
std::uint64_t bytes_in_memory(const CConstant& constant, const NewConstant& after) {
  if (after.is_single() && constant.pool.empty()) return 0;
  const std::uint64_t elements = after.is_single() ? 1 : constant.elements();
  const std::uint64_t bytes = elements * after.dtype.element_bytes();
  const auto alignment = static_cast<std::uint64_t>(constant.place.alignment);
  return support::round_up(bytes, alignment);
}

/// Makes the change if the constant then takes less memory. Otherwise the code for it would be the
/// only effect.
void change_if_smaller(const CConstants& constants, CConstant& constant, NewConstant after,
                       const std::string& kept) {
  if (constant.after.is_removed) return;
  if (bytes_in_memory(constant, after) >= bytes_in_memory(constant, constant.after)) return;
  constant.could_be_smaller = true;
  if (kept.empty() && may_change(constants, constant)) constant.after = std::move(after);
}

/// Removes constants that nothing reads. A pool of nothing else keeps one element.
void drop_unused(CConstants& constants) {
  for (CConstant& one : constants.all) {
    if (one.pool.empty() && one.is_unused) one.after.is_removed = true;
  }
  for (const CPoolOfConstants& pool : constants.pools) {
    if (!pool.kept.empty()) continue;
    for (const std::size_t index : pool.constants) {
      CConstant& one = constants.all[index];
      one.after.is_removed = one.is_unused;
    }
    const auto is_removed = [&](std::size_t i) { return constants.all[i].after.is_removed; };
    if (pool.constants.empty() || !std::ranges::all_of(pool.constants, is_removed)) continue;
    // C has no struct without members, and functions receive its address.
    CConstant& last = constants.all[pool.constants.front()];
    const auto first = last.data.first(last.dtype.element_bytes());
    last.after.is_removed = false;
    last.after.single.assign(first.begin(), first.end());
  }
}

/// Leaves one element of each constant whose elements are equal and whose every use is a load, if
/// it then takes less memory with its alignment.
void collapse(CConstants& constants) {
  for (CConstant& constant : constants.all) {
    if (!has_one_value(constant)) continue;
    NewConstant after = constant.after;
    const auto first = constant.data.first(constant.dtype.element_bytes());
    after.single.assign(first.begin(), first.end());
    change_if_smaller(constants, constant, std::move(after), constant.all_kept);
  }
}

/// Gives each constant whose every use is a load the smallest type that holds its values, if it
/// then takes less memory with its alignment.
void narrow(CConstants& constants) {
  for (CConstant& constant : constants.all) {
    const auto narrower = narrowest_type(constant.after.dtype, constant.new_data());
    if (!narrower) continue;
    NewConstant after = constant.after;
    after.dtype = *narrower;
    after.single = converted(constant.after.dtype, after.single, *narrower);
    change_if_smaller(constants, constant, std::move(after), constant.type_kept);
  }
}

/// Stores equal constants of a pool once.
void share(CConstants& constants) {
  // Compares the new bytes: constants of different types may become equal.
  using Key = std::pair<std::uint32_t, std::vector<std::byte>>;
  for (const CPoolOfConstants& pool : constants.pools) {
    std::map<Key, std::size_t> first;
    for (const std::size_t index : pool.constants) {
      CConstant& constant = constants.all[index];
      if (!may_change(constants, constant)) continue;
      Key key{constant.after.dtype.packed(), constant.new_data()};
      const auto [known, is_new] = first.try_emplace(std::move(key), index);
      if (is_new) continue;
      constant.equal = known->second;
      constant.after.is_removed = true;
    }
    // The others could be stored once as well.
    for (const std::size_t index : pool.constants) {
      CConstant& constant = constants.all[index];
      if (may_change(constants, constant)) continue;
      Key key{constant.after.dtype.packed(), constant.new_data()};
      if (!first.try_emplace(std::move(key), index).second) constant.could_be_smaller = true;
    }
  }
}

/// Assigns the remaining constants of each pool the offsets that the compiler will give them. Keeps
/// a pool that would not become smaller.
void lay_out_pools(CConstants& constants) {
  for (CPoolOfConstants& pool : constants.pools) {
    if (!pool.kept.empty()) continue;
    std::uint64_t end = 0;
    for (const std::size_t index : pool.constants) {
      CConstant& constant = constants.all[index];
      if (constant.after.is_removed) continue;
      const auto alignment = static_cast<std::uint64_t>(constant.place.alignment);
      constant.after.offset = support::round_up(end, alignment);
      end = constant.after.offset + constant.new_bytes();
    }
    for (const std::size_t index : pool.constants) {
      CConstant& constant = constants.all[index];
      if (constant.equal) constant.after.offset = constants.all[*constant.equal].after.offset;
    }
    pool.new_bytes = end;
    if (end < pool.bytes) continue;
    pool.new_bytes = pool.bytes;
    for (const std::size_t index : pool.constants) reset(constants.all[index]);
  }
}

std::uint64_t bytes_of(const CConstants& constants, std::uint64_t CPoolOfConstants::*pool_bytes,
                       std::uint64_t (CConstant::*array_bytes)() const) {
  std::uint64_t bytes = 0;
  for (const CPoolOfConstants& pool : constants.pools) {
    std::int64_t alignment = 1;
    for (const std::size_t index : pool.constants) {
      alignment = std::max(alignment, constants.all[index].place.alignment);
    }
    bytes += support::round_up(pool.*pool_bytes, static_cast<std::uint64_t>(alignment));
  }
  for (const CConstant& constant : constants.all) {
    if (constant.pool.empty()) bytes += (constant.*array_bytes)();
  }
  return bytes;
}

}  // namespace

void reset(CConstants& constants) {
  for (CConstant& one : constants.all) reset(one);
  for (CPoolOfConstants& pool : constants.pools) pool.new_bytes = pool.bytes;
}

std::uint64_t total_before(const CConstants& constants) {
  return bytes_of(constants, &CPoolOfConstants::bytes, &CConstant::bytes);
}
std::uint64_t total_after(const CConstants& constants) {
  return bytes_of(constants, &CPoolOfConstants::new_bytes, &CConstant::new_bytes);
}

ConstantSavings make_smaller(CConstants& constants, const Optimizations& what) {
  ConstantSavings saved;
  const auto step = [&](bool is_wanted, void (&change)(CConstants&), std::uint64_t& bytes) {
    if (!is_wanted) return;
    const std::uint64_t before = total_after(constants);
    change(constants);
    lay_out_pools(constants);
    bytes = before - total_after(constants);
  };
  step(what.drop_unused, drop_unused, saved.dropping);
  step(what.collapse, collapse, saved.collapsing);
  step(what.narrow, narrow, saved.narrowing);
  step(what.share, share, saved.sharing);
  return saved;
}

std::uint64_t bytes_saved(const CConstant& constant) {
  const auto alignment = static_cast<std::uint64_t>(constant.place.alignment);
  const std::uint64_t saved = constant.bytes() - constant.new_bytes();
  if (constant.pool.empty() || saved == 0) return saved;
  return support::round_up(constant.bytes(), alignment) -
         support::round_up(constant.new_bytes(), alignment);
}

std::string why_kept(const CConstants& constants, const CConstant& constant) {
  if (!constant.could_be_smaller || constant.new_bytes() < constant.bytes()) return {};
  if (!constant.kept.empty()) return constant.kept;
  const CPoolOfConstants* const pool = pool_of(constants, constant);
  if (pool != nullptr && !pool->kept.empty()) return pool->kept;
  return constant.type_kept.empty() ? constant.all_kept : constant.type_kept;
}

}  // namespace mlf::optimize
