// The steps of `write_optimized` beside that on constants of the C: functions that nothing calls,
// parameters of the graph executor, and workspace pools with new offsets; numbers of metadata.json.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "edit/edited_archive.h"
#include "json/document.h"
#include "mlf/deployment.h"
#include "mlf/optimize.h"
#include "mlf/plan.h"
#include "model_library/files.h"

namespace mlf::optimize {

// --- Numbers of metadata.json that depend on memory pools and constants --------------------------

using model_library::kMetadata;

/// Returns the edits that `add` wants in metadata.json as it is now; none if there is no such
/// member.
edit::FileEdits edits_of_metadata(
    const edit::EditedMembers& edited,
    const std::function<void(const json::Document&, std::vector<edit::Edit>&)>& add);

/// The object with the memory of a module: from version 7 on, it is in `modules`. Throws `Error`
/// (check_failed) if it is missing.
json::Value metadata_of(const json::Value& root, std::string_view module);

/// Adds the edit of one number of metadata.json, `field` of one of main's devices: takes the first
/// of `possible` whose number before a device has, and returns it; nullopt if there is none. Throws
/// `Error` (check_failed) if the member lacks TVM's numbers, or if two devices have this number.
std::optional<edit::NumberChange> change_metadata(const json::Document& metadata,
                                                  std::string_view module, std::string_view field,
                                                  std::span<const edit::NumberChange> possible,
                                                  std::vector<edit::Edit>& edits);

// --- Functions -----------------------------------------------------------------------------------

/// Removes the functions of each module that its main does not reach. Returns them by module, with
/// the reason for each that stays.
///
/// A function goes only if each of its names in the archive's code is its prototype, its
/// definition, or inside of such a function, and if a header states the module's interface without
/// it. Reads C and captured TIR again: they must equal the old TIR without these functions.
std::vector<std::vector<OptimizedFunction>> drop_functions(edit::EditedMembers& edited);

// --- Parameters ----------------------------------------------------------------------------------

/// Gives parameters of a module, in parameters/<m>.params, smaller types: in their file, in the
/// executor's graph, in the loads of the kernels that receive them, and in metadata.json. Returns
/// those that fit a smaller type.
///
/// A type changes if the network uses the parameter only as an argument of kernels, and each kernel
/// receives only parameters of that type as this argument and loads single elements from it. Reads
/// the result again: C, network and parameters must be the old ones with these changes. Otherwise
/// throws `Error` (check_failed) and leaves `edited` unchanged.
std::vector<OptimizedConstant> narrow_parameters(std::size_t module, const graph::Topology* network,
                                                 edit::EditedMembers& edited);

// --- Workspace pools: the moves of a plan, and the members that contain the offsets --------------

/// All buffers of one workspace pool, including those that stay: a missing buffer is an error.
struct PoolMove {
  std::size_t module = 0;  ///< index into ModelLibrary::modules
  std::string pool;        ///< "global_workspace"
  std::uint64_t old_size = 0;
  std::vector<plan::PlannedBuffer> buffers;  ///< as they are
  plan::PlannerResult after;                 ///< their new offsets, and the new size
};

/// What becomes of workspace pools.
struct PoolChanges {
  RamPlan way = RamPlan::offsets;
  /// Whether a pool without buffers gets one byte: C has no empty arrays, and functions receive its
  /// address.
  bool drop_unused = false;
};

/// By module.
using NetworkOfModule = std::map<std::size_t, const graph::Topology*>;

/// Returns the first contradiction between generated C and captured TIR; empty if there is none.
std::string contradiction_in(const Deployment& deployment);

// All of these throw `Error` (check_failed) with the place if a change cannot be proven correct.

/// Throws for a module with code in objects.
void refuse_objects(const Module& module);

/// Returns the plan of a pool: the best one, or the one of `way` if the module has that.
plan::PlannerResult chosen_plan(const ModulePlan& module, std::size_t pool, RamPlan way);

/// Returns the moves of all pools of a module if one of them gets smaller, including unchanged
/// ones: metadata.json contains the sum of all.
std::vector<PoolMove> moves_of(const ModulePlan& plan, const PoolChanges& changes);

/// Throws because no network has a workspace pool.
[[noreturn]] void refuse_without_pools(const ArchivePlan& plan);

/// Writes new offsets and sizes of pools into generated C, headers, metadata.json, and captured TIR
/// as text and save_json.
///
/// Reads the new members to check them: the old TIR and the new one differ only in offsets and
/// sizes of these pools, and each of these equals that of the moves. Does not check that the moves
/// are a valid plan; that is up to the caller.
void move_buffers(edit::EditedMembers& edited, const NetworkOfModule& networks,
                  std::span<const PoolMove> moves);

/// The same with the calls of each network in the order of `plan` (ModulePlan::order), and offsets
/// for that order, which it returns. Moves the statements of main in generated C and captured TIR,
/// and no other token. If no order is better than the archive's, this equals `move_buffers`.
///
/// Reads the result again to check that every representation of main has the same calls with the
/// same memory in the new order, and that the offsets fit the lifetimes in the new TIR.
std::vector<PoolMove> move_calls(edit::EditedMembers& edited, const NetworkOfModule& networks,
                                 const ArchivePlan& plan);

}  // namespace mlf::optimize
