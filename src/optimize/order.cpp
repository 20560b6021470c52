// Gives an archive another order of calls in two steps. First, moves the calls in every
// representation of main and reads it again. Then writes the offsets for that order, as for any
// plan. The intermediate archive exists only in memory: its buffers would overwrite each other.
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "edit/call_slots.h"
#include "edit/edit.h"
#include "edit/edited_archive.h"
#include "optimize/moves.h"
#include "optimize/tir_changes.h"
#include "support/error.h"

namespace mlf::optimize {
namespace {

using archive::Member;
using support::get_or_throw;

/// One module's main, with its present and its new order of calls.
struct Reordering {
  std::size_t module = 0;
  const graph::Topology* network = nullptr;
  std::vector<std::size_t> order;  // positions among the calls, in the new order
};

/// Unchanged modules have none. Throws for copies and device hooks, statements of main without a
/// slot.
std::vector<Reordering> reorderings_of(const ArchivePlan& plan) {
  std::vector<Reordering> result;
  for (const ModulePlan& module : plan.modules) {
    if (!module.order || !module.order->changes()) continue;
    const graph::Topology& network = *module.network;
    if (!network.copies.empty() || !network.hooks.empty()) {
      edit::refuse("module '" + module.name + "': main has steps that are not calls");
    }
    Reordering one{.module = module.module, .network = &network, .order = {}};
    for (const graph::CallId call : module.order->calls) one.order.push_back(graph::index(call));
    result.push_back(std::move(one));
  }
  return result;
}

class CallMover {
 public:
  CallMover(const Deployment& deployment, std::span<const Reordering> reorderings,
            const tir::ReadLimits& limits)
      : deployment_(deployment),
        archive_(deployment.archive()),
        reorderings_(reorderings),
        limits_(limits),
        edited_(archive_) {}

  std::vector<archive::EditedMember> run() {
    for (const Reordering& one : reorderings_) {
      refuse_objects(one);
      generated_c(one);
    }
    for (const Member& member : archive_.members()) captured(member);
    return std::move(edited_).take();
  }

 private:
  /// Throws for objects: their machine code also contains the order of calls.
  void refuse_objects(const Reordering& one) const {
    const Module& module = deployment_.library().modules[one.module];
    if (module.files.objects.empty()) return;
    edit::refuse("module '" + module.name + "' has code in objects, which cannot be changed",
                 module.files.objects.front().name);
  }

  void generated_c(const Reordering& one) {
    bool is_there = false;
    for (const TirSource& c : get_or_throw(deployment_.generated_c(one.module))) {
      edit::PlacedTir tir = edited_.take_tir(c, limits_);
      TirChanges changes;
      move_calls(one, tir, changes);
      is_there = is_there || !changes.empty();
      apply_edits(edited_, changes.edits(tir, edited_));
      check_texts(std::move(tir), changes, edited_, limits_);
    }
    if (!is_there)
      edit::refuse("the archive has no C of function '" + one.network->provenance.symbol + "'");
  }

  /// TIR of other targets and of earlier stages has no main, or the mains of these networks. TIR
  /// without main stays unchanged.
  void captured(const Member& member) {
    if (!edited_.captured_form(member)) return;
    edit::PlacedTir tir = edited_.take_tir(member, limits_);
    TirChanges changes;
    for (const Reordering& one : reorderings_) move_calls(one, tir, changes);
    change_captured(std::move(tir), changes, edited_, limits_);
  }

  /// Nothing in a TIR without main.
  static void move_calls(const Reordering& one, const edit::PlacedTir& tir, TirChanges& changes) {
    const tir::Node main =
        edit::function_with_symbol(tir.document.module, one.network->provenance.symbol);
    if (!main) return;
    const bool is_text = tir.document.source.dialect != tir::Dialect::save_json;
    changes.set_order(
        edit::slots_of_network(main, is_text ? &tir.places : nullptr, *one.network, tir.files),
        one.order);
  }

  const Deployment& deployment_;
  const archive::Archive& archive_;
  std::span<const Reordering> reorderings_;
  const tir::ReadLimits& limits_;
  edit::EditedMembers edited_;
};

/// Identifies a buffer independently of the order of calls.
using BufferKey = std::tuple<std::string, std::string, std::uint64_t>;

BufferKey key_of(const plan::PlannedBuffer& buffer) {
  return {buffer.function, buffer.variable, buffer.offset};
}

/// The offsets of the plan for the pool in the new archive. Checks them against the lifetimes in
/// the new TIR.
PoolMove move_of(const ModulePlan& planned, std::size_t index, const plan::PoolProblem& now) {
  const plan::PoolProblem& old = planned.pools[index].plan.now;
  const plan::Solution& solution = planned.order->pools[index];
  std::map<BufferKey, std::uint64_t> offsets;
  for (std::size_t i = 0; i < old.buffers.size(); ++i) {
    offsets.emplace(key_of(old.buffers[i]), solution.offsets[i]);
  }
  const std::string& name = (*planned.network)[old.pool].name;
  if (!now.declared || offsets.size() != now.buffers.size()) {
    edit::refuse("pool '" + name + "' has other buffers in the new order");
  }
  PoolMove move{.module = planned.module,
                .pool = name,
                .old_size = *now.declared,
                .new_size = solution.size > 0 ? solution.size : *now.declared,
                .buffers = {}};
  std::vector<std::uint64_t> by_buffer;
  for (const plan::PlannedBuffer& buffer : now.buffers) {
    const auto found = offsets.find(key_of(buffer));
    if (found == offsets.end())
      edit::refuse("'" + buffer.variable + "' has no place in the new order");
    by_buffer.push_back(found->second);
    move.buffers.push_back(
        {buffer.source, buffer.function, buffer.variable, buffer.offset, found->second});
  }
  get_or_throw(plan::check_offsets(now.problem, by_buffer));
  return move;
}

/// Offsets for all modules: for the new order, or the best plan of a module that keeps its order.
std::vector<PoolMove> moves_in_order(const ArchivePlan& plan, const ArchivePlan& reordered) {
  std::vector<PoolMove> moves;
  for (std::size_t i = 0; i < plan.modules.size(); ++i) {
    const ModulePlan& planned = plan.modules[i];
    const ModulePlan& now = reordered.modules[i];
    if (!planned.order || !planned.order->changes()) {
      ArchivePlan rest;
      rest.modules.push_back(planned);
      if (planned.pools.empty()) continue;
      for (PoolMove& move : moves_of(rest)) moves.push_back(std::move(move));
      continue;
    }
    if (planned.pools.size() != now.pools.size())
      edit::refuse("a pool is missing in the new order");
    for (std::size_t pool = 0; pool < planned.pools.size(); ++pool) {
      moves.push_back(move_of(planned, pool, now.pools[pool].plan.now));
    }
  }
  return moves;
}

}  // namespace

std::vector<archive::EditedMember> with_order(const Replanned& replanned, const ArchivePlan& plan,
                                              const DeploymentOptions& options) {
  const std::vector<Reordering> reorderings = reorderings_of(plan);
  const tir::ReadLimits& limits = options.tir_limits;
  if (reorderings.empty()) return with_offsets(replanned, moves_of(plan), limits);
  const Deployment deployment = replanned.edited.open(options);
  edit::EditedMembers edited(deployment.archive());
  for (archive::EditedMember& one : CallMover(deployment, reorderings, limits).run()) {
    edited.replace(std::move(one));
  }
  const Deployment reordered = edited.open(options);
  const ArchivePlan lives = get_or_throw(plan_archive(reordered, {.steps = 0}));
  const std::vector<PoolMove> moves = moves_in_order(plan, lives);
  edit::EditedMembers unchanged(reordered.archive());
  const Replanned in_order{.deployment = reordered,
                           .edited = unchanged,
                           .networks = replanned.networks,
                           .contradiction = replanned.contradiction};
  for (archive::EditedMember& one : with_offsets(in_order, moves, limits)) {
    edited.replace(std::move(one));
  }
  return std::move(edited).take();
}

}  // namespace mlf::optimize
