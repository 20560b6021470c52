// Plans for the memory of every network of an archive, and the archive with another plan of its
// pools: the numbers of the plan change in every representation that it has, and nothing else does.
//
//     const auto plan = mlf::plan_archive(deployment);
//     if (!plan) return fail(plan.error());
//     const auto moves = mlf::moves_of(*plan);
//     if (!moves) return fail(moves.error());
//     const auto written = mlf::write_with_plan(deployment, *moves, {.output = "smaller.tar"});
//
// Threads: plain values; functions have no shared state and may be called from any number of
// threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mlf/deployment.h"
#include "mlf/diagnostics.h"
#include "mlf/export.h"
#include "mlf/formats.h"
#include "mlf/plan/network_plan.h"
#include "mlf/plan/problem.h"

namespace mlf {

/// The plan of one pool, and what kernels' workspaces cost in it.
struct ModulePoolPlan {
  plan::PoolPlan plan;
  std::vector<plan::ScratchCost> scratch;
};

/// The buffers of all pools of one module in memories with limits.
struct ModuleSplit {
  std::vector<plan::AccessedBuffer> buffers;
  plan::PoolSplit split;
};

/// One module of the archive.
struct ModulePlan {
  std::string name;
  std::size_t module = 0;              ///< index into ModelLibrary::modules
  std::optional<NoNetwork> missing{};  ///< why it has no network; then nothing else is there
  std::optional<graph::Topology> network{};
  std::vector<std::int64_t> first_tick{};  ///< by step; then the end of the last one
  /// No placement needs less of pools, executor, heap and stack.
  analysis::Count lower_bound{0, std::nullopt};
  std::vector<ModulePoolPlan> pools{};  ///< its workspace pools
  /// Why nothing is known of pools that its TIR names; `pools` is empty then. Nothing: all are
  /// there.
  std::optional<std::string> unread_pools{};
  std::optional<plan::NetworkOrder> order{};      ///< nothing where a pool is refused
  std::optional<plan::StaticPlan> allocations{};  ///< of what it allocates while it runs
  /// Where memories were given, and it has pools of which none is refused.
  std::optional<ModuleSplit> split{};
};

struct ArchivePlan {
  std::vector<ModulePlan> modules;  ///< in the order of the archive's
};

/// Plans the networks of an archive. The alignment of pools is what the generated C says of their
/// arrays. `memories` are those of the board, the fastest first; none: there is no split. Errors:
/// those of `Deployment::networks`, `Deployment::document` and `plan::solve`.
MLF_API Result<ArchivePlan> plan_archive(const Deployment& deployment,
                                         const plan::SearchLimits& limits = {},
                                         std::span<const plan::MemoryLimit> memories = {});

/// The text of `mlf plan --json` (schemas/plan.schema.json).
MLF_API std::string to_json(const ArchivePlan& plan, JsonLayout layout);

/// A buffer of a pool, `variable = address_of(pool[old_offset])`, and where it goes. Offsets are
/// bytes from the beginning of the pool.
struct BufferMove {
  std::string source;    ///< stem of the TIR with the let, which names it ("tir-1")
  std::string function;  ///< name or global symbol of the PrimFunc with the let
  std::string variable;  ///< the let, as that TIR names it
  std::uint64_t old_offset = 0;
  std::uint64_t new_offset = 0;
};

/// All buffers of one workspace pool, those that stay included: a buffer that is missing in this list
/// is an error.
struct PoolMove {
  std::size_t module = 0;  ///< index into ModelLibrary::modules
  std::string pool;        ///< "global_workspace"
  std::uint64_t old_size = 0;
  std::uint64_t new_size = 0;
  std::vector<BufferMove> buffers;
};

/// Which plan of a pool is taken.
enum class Sharing : std::uint8_t {
  none,      ///< no two buffers that are alive at once share bytes
  in_place,  ///< results over what they are computed from, where that is proven and makes it
             ///< smaller
};

/// The moves that make the archive's pools as small as its plan says. Pools that cannot be smaller
/// have none: an archive whose pools are all so stays as it is.
///
/// Errors: `check_failed` where no network has a workspace pool, and for a pool whose buffers
/// mlf does not move, with the reason.
MLF_API Result<std::vector<PoolMove>> moves_of(const ArchivePlan& plan,
                                               Sharing sharing = Sharing::none);

struct ReplanOptions {
  std::string output{};  ///< "-": standard output
  archive::Limits archive_limits{};
  tir::ReadLimits tir_limits{};
};

struct ReplanReport {
  std::vector<std::string> changed{};  ///< members with other numbers, in the archive's order
  std::vector<std::string> lost{};     ///< as in ProcessReport
};

/// Writes the archive of `deployment` to `options.output` with new offsets and sizes of pools: in
/// generated C, headers, metadata.json, and captured TIR as text and save_json. Members that
/// `mlf process` wrote are made anew from those. Of every other byte nothing changes: a member that
/// changes keeps its place and its headers but for its size.
///
/// That the new members say what they should is checked by reading them: between the old TIR and
/// the new one, nothing differs but offsets and sizes of these pools, and every one of them is as
/// the moves say. Whether the moves are a good plan is the caller's business.
///
/// The archive itself is never written over, whatever path leads to it.
///
/// Errors: `check_failed` for an archive that cannot be changed with certainty, with the place: a
/// buffer that is not in `moves` or not in a representation, a use of a pool that is none of those
/// that TVM generates, a callee without TIR that is given the pool; `usage` for a directory, and
/// where the output is the archive itself; `io`.
MLF_API Result<ReplanReport> write_with_plan(const Deployment& deployment,
                                             std::span<const PoolMove> moves,
                                             const ReplanOptions& options);

/// The same with the calls of each network in the order of `plan` (ModulePlan::order), and offsets
/// for that order. The statements of main change places in generated C and captured TIR; no other
/// token moves. Where no order is better than the archive's, it is `write_with_plan`.
///
/// What came out is read again: every representation of main has the same calls with the same
/// memory in the new order, and the offsets are compared with the lives that the new TIR shows.
///
/// Errors: as above, with the place; also `check_failed` where main has other statements between
/// calls that would change places, or steps that are not calls.
MLF_API Result<ReplanReport> write_reordered(const Deployment& deployment, const ArchivePlan& plan,
                                             const ReplanOptions& options);

}  // namespace mlf
