#include "replan/assignment.h"

#include <algorithm>

#include "replan/edit.h"

namespace mlf::replan {
namespace {

std::string quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

[[noreturn]] void refuse_in(const FunctionSites& function, const std::string& message) {
  refuse("function " + quoted(function.name) + ": " + message);
}

/// The moves of one pool that are left to be found.
class Unfound {
 public:
  explicit Unfound(std::span<const PoolMove> moves) : moves_(moves) {
    for (const PoolMove& move : moves) found_.emplace_back(move.buffers.size());
  }

  /// Each buffer of a move is found once: a second let of the same name, place and function is
  /// another buffer, and takes the next move that fits.
  AssignedLet take(const FunctionSites& function, const LetSite& let) {
    for (std::size_t pool = 0; pool < moves_.size(); ++pool) {
      if (moves_[pool].pool != let.pool) continue;
      for (std::size_t i = 0; i < moves_[pool].buffers.size(); ++i) {
        const BufferMove& move = moves_[pool].buffers[i];
        const bool here = move.function == function.name || move.function == function.symbol;
        if (found_[pool][i] || !here || move.variable != let.variable ||
            move.old_offset != let.value) {
          continue;
        }
        found_[pool][i] = true;
        return {let.variable, let.pool, move.old_offset, move.new_offset};
      }
    }
    refuse_in(function, quoted(let.variable) + " at " + std::to_string(let.value) + " of pool " +
                            quoted(let.pool) + " is not in the plan");
  }

  /// A buffer that no function has would stay where it is while others move over it.
  void check_all_found() const {
    for (std::size_t pool = 0; pool < moves_.size(); ++pool) {
      for (std::size_t i = 0; i < found_[pool].size(); ++i) {
        if (found_[pool][i]) continue;
        const BufferMove& move = moves_[pool].buffers[i];
        refuse("the archive has no " + quoted(move.variable) + " at " +
               std::to_string(move.old_offset) + " of pool " + quoted(moves_[pool].pool) +
               " in function " + quoted(move.function));
      }
    }
  }

 private:
  std::span<const PoolMove> moves_;
  std::vector<std::vector<bool>> found_;
};

}  // namespace

// metadata.json has the sum of all pools as one number, so that it changes by this difference.
std::int64_t ModuleAssignment::saved() const {
  std::int64_t bytes = 0;
  for (const auto& [name, size] : sizes) {
    bytes += static_cast<std::int64_t>(size.old_size) - static_cast<std::int64_t>(size.new_size);
  }
  return bytes;
}

std::uint64_t ModuleAssignment::old_total() const {
  std::uint64_t bytes = 0;
  for (const auto& [name, size] : sizes) bytes += size.old_size;
  return bytes;
}

/// The moves say where each buffer goes by the names of one TIR; from here on lets are known by
/// function and order, which all representations share.
ModuleAssignment assign(std::size_t module, std::span<const PoolMove> moves,
                        const std::vector<FunctionSites>& functions) {
  ModuleAssignment result{.module = module, .pools = {}, .sizes = {}, .lets = {}, .symbols = {}};
  for (const PoolMove& move : moves) {
    result.pools.insert(move.pool);
    result.sizes[move.pool] = {move.old_size, move.new_size};
  }
  Unfound unfound(moves);
  for (const FunctionSites& function : functions) {
    std::vector<AssignedLet> lets;
    for (const LetSite& let : function.lets) {
      if (!let.pool.empty()) lets.push_back(unfound.take(function, let));
    }
    result.lets.emplace(function.symbol, std::move(lets));
  }
  unfound.check_all_found();
  return result;
}

/// Held against the old offsets one by one: the representation has to say the very plan that is
/// replaced, or nothing in it is changed.
std::vector<std::optional<std::uint64_t>> new_offsets(const ModuleAssignment& assignment,
                                                      const FunctionSites& function) {
  const auto found = assignment.lets.find(function.symbol);
  const auto count = std::count_if(function.lets.begin(), function.lets.end(),
                                   [](const LetSite& let) { return !let.pool.empty(); });
  // A function that the plan's TIR does not have may still get a pool and pass it on.
  const std::size_t expected = found == assignment.lets.end() ? 0 : found->second.size();
  if (static_cast<std::size_t>(count) != expected) {
    refuse_in(function, "it has " + std::to_string(count) + " buffers in pools here, and " +
                            std::to_string(expected) + " in the TIR of the plan");
  }
  std::vector<std::optional<std::uint64_t>> result;
  std::size_t next = 0;
  for (const LetSite& let : function.lets) {
    if (let.pool.empty()) {
      result.emplace_back();
      continue;
    }
    const AssignedLet& wanted = found->second[next++];
    if (let.pool != wanted.pool || let.value != wanted.old_offset) {
      refuse_in(function, quoted(let.variable) + " is at " + std::to_string(let.value) +
                              " of pool " + quoted(let.pool) + " here, and " +
                              quoted(wanted.variable) + " at " + std::to_string(wanted.old_offset) +
                              " of " + quoted(wanted.pool) + " in the TIR of the plan");
    }
    result.emplace_back(wanted.new_offset);
  }
  return result;
}

/// As with offsets, the old size has to be the one of the plan.
std::uint64_t new_size(const ModuleAssignment& assignment, const FunctionSites& function,
                       const SizeSite& site) {
  const PoolSize& size = assignment.sizes.find(site.pool)->second;
  if (site.value != size.old_size) {
    refuse_in(function, "pool " + quoted(site.pool) + " has " + std::to_string(site.value) +
                            " bytes here, and " + std::to_string(size.old_size) + " in the plan");
  }
  return size.new_size;
}

std::vector<SiteValue> site_values(const ModuleAssignment& assignment,
                                   const FunctionSites& function) {
  std::vector<SiteValue> values;
  const auto offsets = new_offsets(assignment, function);
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    // A let of constants, or of a pool that stays.
    if (!offsets[i]) continue;
    values.push_back({function.lets[i].offset, function.lets[i].value, *offsets[i]});
  }
  for (const SizeSite& site : function.sizes) {
    values.push_back({site.size, site.value, new_size(assignment, function, site)});
  }
  return values;
}

}  // namespace mlf::replan
