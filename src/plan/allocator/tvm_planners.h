// TVM's planners, with TVM's rules, for buffers with known lifetimes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/network/network_problem.h"

namespace mlf::plan {

/// The default of `workspace-byte-alignment`.
inline constexpr std::uint64_t kDefaultAlignment = 16;

/// A BufferInfo (include/tvm/tir/usmp/utils.h).
struct TvmBuffer {
  std::string name_hint;  ///< unique
  std::uint64_t bytes = 0;
  std::vector<std::size_t> conflicts{};  ///< may contain duplicates
};

/// The workspaces of a pool as ExtractBufferInfo makes them: the name hints without the `_let` of
/// the planned code, with TVM's numbers where several have one name, and the conflicts with one
/// entry for every time that one begins while the other is live. Returns nullopt for pools with
/// more conflicts than a network has.
std::optional<std::vector<TvmBuffer>> tvm_buffers(const PoolProblem& pool);

/// `tir.usmp.algo.greedy_by_size` and `greedy_by_conflicts` of an unrestricted pool
/// (src/tir/usmp/algo/greedy.cc, the same rule in v0.9 and v0.16).
PlannerResult greedy_by_size(const std::vector<TvmBuffer>& buffers, std::uint64_t alignment);
PlannerResult greedy_by_conflicts(const std::vector<TvmBuffer>& buffers, std::uint64_t alignment);

/// Returns the most bytes live at once in a pool and in constants: TVM's memory pressure, at which
/// hill_climb stops. Returns nullopt if the size of a constant is unknown.
std::optional<std::uint64_t> memory_pressure(const PoolProblem& pool,
                                             const std::vector<KernelConstant>& constants);

/// `tir.usmp.algo.hill_climb` of v0.10 and later: deterministic, since TVM seeds `rand_r` with 0.
/// Returns nullopt for pools with more conflicts than a network has.
std::optional<PlannerResult> hill_climb(const std::vector<TvmBuffer>& buffers,
                                        std::uint64_t alignment, std::uint64_t pressure);

}  // namespace mlf::plan
