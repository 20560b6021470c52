#include "optimize/assignment.h"

#include <algorithm>

#include "edit/edit.h"

namespace mlf::optimize {
namespace {

std::string quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

[[noreturn]] void refuse_in(const FunctionSites& function, const std::string& message) {
  edit::refuse("function " + quoted(function.name) + ": " + message);
}

/// The moves of one pool whose buffers are not found yet.
class Unfound {
 public:
  explicit Unfound(std::span<const PoolMove> moves) : moves_(moves) {
    for (const PoolMove& move : moves) found_.emplace_back(move.buffers.size());
  }

  /// Takes each move once: a second let with the same name, offset and function is another buffer,
  /// and takes the next matching move.
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

  /// A buffer that no function has would keep its place while others move over it.
  void check_all_found() const {
    for (std::size_t pool = 0; pool < moves_.size(); ++pool) {
      for (std::size_t i = 0; i < found_[pool].size(); ++i) {
        if (found_[pool][i]) continue;
        const BufferMove& move = moves_[pool].buffers[i];
        edit::refuse("the archive has no " + quoted(move.variable) + " at " +
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

// metadata.json contains the sum of all pools as one number, which changes by this difference.
std::int64_t ModuleAssignment::saved() const {
  std::int64_t bytes = 0;
  for (const auto& [name, size] : sizes) {
    bytes += static_cast<std::int64_t>(size.before) - static_cast<std::int64_t>(size.after);
  }
  return bytes;
}

std::uint64_t ModuleAssignment::old_total() const {
  std::uint64_t bytes = 0;
  for (const auto& [name, size] : sizes) bytes += size.before;
  return bytes;
}

/// The moves use the names of one TIR. After this function, function and order identify lets,
/// because all representations share these.
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
      lets.push_back(unfound.take(function, let));
    }
    result.lets.emplace(function.symbol, std::move(lets));
  }
  unfound.check_all_found();
  return result;
}

namespace {

/// Checks that the function has as many buffers in pools as in the plan's TIR.
void check_count(const ModuleAssignment& assignment, const FunctionSites& function) {
  const auto found = assignment.lets.find(function.symbol);
  // A function that is not in the plan's TIR may still receive a pool and pass it on.
  const std::size_t expected = found == assignment.lets.end() ? 0 : found->second.size();
  if (function.lets.size() == expected) return;
  refuse_in(function, "it has " + std::to_string(function.lets.size()) +
                          " buffers in pools here, and " + std::to_string(expected) +
                          " in the TIR of the plan");
}

/// The representation must contain exactly the old plan; otherwise nothing in it is changed.
void check_offset(const FunctionSites& function, const LetSite& let, const AssignedLet& wanted) {
  if (let.pool == wanted.pool && let.value == wanted.old_offset) return;
  refuse_in(function, quoted(let.variable) + " is at " + std::to_string(let.value) + " of pool " +
                          quoted(let.pool) + " here, and " + quoted(wanted.variable) + " at " +
                          std::to_string(wanted.old_offset) + " of " + quoted(wanted.pool) +
                          " in the TIR of the plan");
}

}  // namespace

std::vector<StatedNumber> site_values(const ModuleAssignment& assignment,
                                      const FunctionSites& function) {
  check_count(assignment, function);
  std::vector<StatedNumber> values;
  for (const LetSite& let : function.lets) {
    const AssignedLet& wanted = assignment.lets.find(function.symbol)->second[values.size()];
    check_offset(function, let, wanted);
    values.push_back({let.offset,
                      {wanted.old_offset, wanted.new_offset},
                      "the offset of " + quoted(let.variable)});
  }
  for (const SizeSite& site : function.sizes) {
    const edit::NumberChange& size = assignment.sizes.find(site.pool)->second;
    if (site.value != size.before) {
      refuse_in(function, "pool " + quoted(site.pool) + " has " + std::to_string(site.value) +
                              " bytes here, and " + std::to_string(size.before) + " in the plan");
    }
    values.push_back({site.size, size, "the size of pool " + quoted(site.pool)});
  }
  return values;
}

}  // namespace mlf::optimize
