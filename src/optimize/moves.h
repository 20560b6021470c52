// Workspace pools with other offsets: the moves of a plan, and the members that say them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "archive/rewrite.h"
#include "mlf/deployment.h"
#include "mlf/plan.h"

namespace mlf::optimize {

/// A buffer of a pool, `variable = address_of(pool[old_offset])`, and where it goes. Offsets are
/// bytes from the beginning of the pool.
struct BufferMove {
  std::string source;    ///< stem of the TIR with the let, which names it ("tir-1")
  std::string function;  ///< name or global symbol of the PrimFunc with the let
  std::string variable;  ///< the let, as that TIR names it
  std::uint64_t old_offset = 0;
  std::uint64_t new_offset = 0;
};

/// All buffers of one workspace pool, those that stay included: a buffer that is missing in this
/// list is an error.
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

// All of these throw `Error` (check_failed) for an archive that cannot be changed with certainty,
// with the place.

/// The moves that make the archive's pools as small as its plan says. Pools that cannot be smaller
/// have none. Throws also where no network has a workspace pool.
std::vector<PoolMove> moves_of(const ArchivePlan& plan, Sharing sharing = Sharing::none);

/// The members of the archive with new offsets and sizes of pools: generated C, headers,
/// metadata.json, and captured TIR as text and save_json.
///
/// That they say what they should is checked by reading them: between the old TIR and the new one,
/// nothing differs but offsets and sizes of these pools, and every one of them is as the moves say.
/// Whether the moves are a good plan is the caller's business.
std::vector<archive::EditedMember> with_offsets(const Deployment& deployment,
                                                std::span<const PoolMove> moves,
                                                const tir::ReadLimits& limits);

/// The same with the calls of each network in the order of `plan` (ModulePlan::order), and offsets
/// for that order. The statements of main change places in generated C and captured TIR; no other
/// token moves. Where no order is better than the archive's, it is `with_offsets`.
///
/// What came out is read again: every representation of main has the same calls with the same
/// memory in the new order, and the offsets are compared with the lives that the new TIR shows.
std::vector<archive::EditedMember> with_order(const Deployment& deployment, const ArchivePlan& plan,
                                              const DeploymentOptions& options);

}  // namespace mlf::optimize
