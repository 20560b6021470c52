// Gives an archive another order of calls in two steps. First, moves the calls in every
// representation of main and reads it again. Then writes the offsets for that order, as for any
// plan. The intermediate archive exists only in memory: its buffers would overwrite each other.
#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "edit/call_slots.h"
#include "edit/edited_archive.h"
#include "optimize/steps.h"
#include "optimize/tir_changes.h"
#include "support/error.h"

namespace mlf::optimize {
namespace {

using archive::Member;
using support::get_or_throw;

// --- The moves of a plan ------------------------------------------------------------------------

/// The new offsets of all buffers; the present ones if there is no gain.
PoolMove move_of(const ModulePlan& module, std::size_t index, const PoolChanges& changes) {
  const plan::PoolPlan& plan = module.pools[index].plan;
  const plan::PoolProblem& now = plan.now;
  const std::string& name = (*module.network)[now.pool].name;
  const std::string place = "module '" + module.name + "': pool '" + name + "' ";
  if (plan.is_refused()) edit::refuse(place + "cannot be planned: " + now.refused.front());
  if (!now.declared) edit::refuse(place + "has no size in the archive");
  plan::PlannerResult chosen = chosen_plan(module, index, changes.way);
  if (changes.drop_unused && now.buffers.empty()) chosen.size = 1;
  const bool is_smaller = chosen.size > 0 && chosen.size < *now.declared;
  if (is_smaller) return {module.module, name, *now.declared, now.buffers, std::move(chosen)};
  plan::PlannerResult present{.size = *now.declared};
  for (const plan::PlannedBuffer& buffer : now.buffers) present.offsets.push_back(buffer.offset);
  return {module.module, name, *now.declared, now.buffers, std::move(present)};
}

// --- Another order of calls ---------------------------------------------------------------------

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

/// A TIR without main does not change.
ChangedTir in_new_order(edit::PlacedTir tir, std::span<const Reordering> reorderings) {
  TirChanges changes;
  const bool is_text = tir.document.source.dialect != tir::Dialect::save_json;
  for (const Reordering& one : reorderings) {
    const tir::Node main =
        edit::function_with_symbol(tir.document.module, one.network->provenance.symbol);
    if (!main) continue;
    changes.set_order(
        edit::slots_of_network(main, is_text ? &tir.places : nullptr, *one.network, tir.files),
        one.order);
  }
  return {std::move(tir), std::move(changes)};
}

/// Moves the calls in every representation of main.
void move_calls(std::span<const Reordering> reorderings, edit::EditedMembers& edited) {
  const Deployment& deployment = edited.deployment();
  std::vector<ChangedTir> all;
  for (const Reordering& one : reorderings) {
    // Machine code also contains the order of calls.
    refuse_objects(deployment.library().modules[one.module]);
    bool is_there = false;
    for (const TirSource& c : get_or_throw(deployment.generated_c(one.module))) {
      all.push_back(in_new_order(edited.take_tir(c), {&one, 1}));
      is_there = is_there || !all.back().changes.empty();
    }
    if (!is_there)
      edit::refuse("the archive has no C of function '" + one.network->provenance.symbol + "'");
  }
  // TIR of other targets and of earlier stages has no main, or the mains of these networks.
  for (const Member* const member : edited.captured()) {
    all.push_back(in_new_order(edited.take_tir(*member), reorderings));
  }
  change_all(std::move(all), {}, edited);
}

/// The offsets of the plan for the pool in the new archive. Checks them against the lifetimes in
/// the new TIR.
PoolMove move_of(const ModulePlan& planned, std::size_t index, const plan::PoolProblem& now) {
  const plan::PoolProblem& old = planned.pools[index].plan.now;
  const plan::Solution& solution = planned.order->pools[index];
  // What identifies a buffer independently of the order of calls.
  const auto key_of = [](const plan::PlannedBuffer& buffer) {
    return std::tuple(buffer.function, buffer.variable, buffer.offset);
  };
  std::map<std::tuple<std::string, std::string, std::uint64_t>, std::uint64_t> offsets;
  for (std::size_t i = 0; i < old.buffers.size(); ++i) {
    offsets.emplace(key_of(old.buffers[i]), solution.offsets[i]);
  }
  const std::string& name = (*planned.network)[old.pool].name;
  if (!now.declared || offsets.size() != now.buffers.size()) {
    edit::refuse("pool '" + name + "' has other buffers in the new order");
  }
  plan::PlannerResult result{.size = solution.size > 0 ? solution.size : *now.declared};
  for (const plan::PlannedBuffer& buffer : now.buffers) {
    const auto found = offsets.find(key_of(buffer));
    if (found == offsets.end())
      edit::refuse("'" + buffer.variable + "' has no place in the new order");
    result.offsets.push_back(found->second);
  }
  get_or_throw(plan::check_offsets(now.problem, result.offsets));
  return {planned.module, name, *now.declared, now.buffers, std::move(result)};
}

/// Offsets for all modules: for the new order, or the best plan of a module that keeps its order.
std::vector<PoolMove> moves_in_order(const ArchivePlan& plan, const ArchivePlan& reordered) {
  std::vector<PoolMove> moves;
  for (std::size_t i = 0; i < plan.modules.size(); ++i) {
    const ModulePlan& planned = plan.modules[i];
    const ModulePlan& now = reordered.modules[i];
    if (!planned.order || !planned.order->changes()) {
      std::ranges::move(moves_of(planned, {}), std::back_inserter(moves));
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

plan::PlannerResult chosen_plan(const ModulePlan& module, std::size_t pool, RamPlan way) {
  const plan::PoolPlan& plan = module.pools[pool].plan;
  if (way == RamPlan::in_place && plan.in_place) return *plan.in_place;
  const bool is_ordered = way == RamPlan::order && module.order && module.order->changes();
  const plan::Solution& solution = is_ordered ? module.order->pools[pool] : plan.best;
  return {solution.offsets, solution.size};
}

std::vector<PoolMove> moves_of(const ModulePlan& plan, const PoolChanges& changes) {
  std::vector<PoolMove> moves;
  for (std::size_t i = 0; i < plan.pools.size(); ++i) moves.push_back(move_of(plan, i, changes));
  const bool any_smaller = std::ranges::any_of(
      moves, [](const PoolMove& move) { return move.after.size < move.old_size; });
  return any_smaller ? moves : std::vector<PoolMove>();
}

void refuse_without_pools(const ArchivePlan& plan) {
  for (const ModulePlan& module : plan.modules) {
    if (!module.missing) continue;
    edit::refuse("module '" + module.name +
                 "' has no plan: " + std::string(to_string(*module.missing)));
  }
  edit::refuse("no network of this archive has a memory pool, so there is no plan");
}

std::vector<PoolMove> move_calls(edit::EditedMembers& edited, const NetworkOfModule& networks,
                                 const ArchivePlan& plan) {
  const std::vector<Reordering> reorderings = reorderings_of(plan);
  std::vector<PoolMove> moves;
  if (reorderings.empty()) {
    moves = moves_in_order(plan, plan);
    move_buffers(edited, networks, moves);
    return moves;
  }
  const Deployment deployment = edited.open();
  edit::EditedMembers in_order(deployment, edited.reading());
  move_calls(reorderings, in_order);
  const Deployment reordered = in_order.open();
  moves = moves_in_order(plan, get_or_throw(plan_archive(reordered, {.steps = 0})));
  edit::EditedMembers moved(reordered, edited.reading());
  move_buffers(moved, networks, moves);
  edited.take_all(std::move(in_order));
  edited.take_all(std::move(moved));
  return moves;
}

}  // namespace mlf::optimize
