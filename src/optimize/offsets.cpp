// Gives an archive another plan: finds the plan's numbers in every member, replaces them, reads the
// result, and only then writes it.
#include "optimize/moves.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "archive/rewrite.h"
#include "deployment/agreement.h"
#include "deployment/contradictions.h"
#include "deployment/tir_name.h"
#include "edit/edit.h"
#include "edit/edited_archive.h"
#include "json/document.h"
#include "mlf/inspection.h"
#include "mlf/tir/module.h"
#include "optimize/assignment.h"
#include "optimize/metadata_numbers.h"
#include "optimize/pool_names.h"
#include "optimize/tir_changes.h"
#include "support/characters.h"
#include "support/error.h"
#include "support/lookup.h"
#include "support/source_text.h"
#include "tir/c/c.h"
#include "tir/c/read/directives.h"

namespace mlf::optimize {
namespace {

using archive::Member;
using support::get_or_throw;
using support::SourceText;

// --- Sizes outside of TIR ------------------------------------------------------------------------

/// Edits `#define NAME 104192`; false if the text does not contain it.
// Applications use the header's macros as sizes of their own memory, such as a pool that they
// provide.
bool add_macro_edit(const support::SourceText& source, std::string_view name,
                    const edit::NumberChange& size, std::vector<edit::Edit>& edits) {
  const auto active = tir::c::active_text(source.text);
  const std::string_view text = active ? std::string_view(*active) : source.text;
  const tir::c::Directives directives = tir::c::directives_of(text);
  const auto macro = directives.macros.find(name);
  if (macro == directives.macros.end()) return false;
  const std::string_view value = macro->second.value;
  if (!macro->second.is_certain || value.empty())
    edit::refuse(std::string(name) + " may have other values", source.member);
  const auto begin = static_cast<std::size_t>(value.data() - text.data());
  edits.push_back(edit::number_edit(source, edit::at(begin, begin + value.size()), size, name));
  return true;
}

/// Edits main's workspace in metadata.json: the bytes of the pools, possibly plus one of `beside`,
/// the bytes that TVM may add to them. Returns the number before and after, if there is one.
// For the device of main, TVM adds up the pools of the network and the largest workspace that a
// kernel has elsewhere. Other devices get almost nothing (`_build_function_memory_map`,
// model_library_format.py).
std::optional<edit::NumberChange> add_metadata_edit(const json::Document& metadata,
                                                    std::string_view module,
                                                    const ModuleAssignment& assignment,
                                                    std::span<const std::uint64_t> beside,
                                                    std::vector<edit::Edit>& edits) {
  std::vector<edit::NumberChange> possible;
  for (const std::uint64_t more : beside) {
    const std::uint64_t before = assignment.old_total() + more;
    possible.push_back({before, static_cast<std::uint64_t>(static_cast<std::int64_t>(before) -
                                                           assignment.saved())});
  }
  if (auto change = metadata_change(metadata, module, "workspace_size_bytes", possible)) {
    edits.push_back(std::move(change->edit));
    return change->number;
  }
  if (assignment.saved() != 0) {
    edit::refuse("workspace_size_bytes of main is not " + std::to_string(assignment.old_total()) +
                     ", the sum of its pools",
                 "metadata.json");
  }
  return std::nullopt;
}

class Replanning {
 public:
  Replanning(const Replanned& replanned, std::span<const PoolMove> moves,
             const tir::ReadLimits& limits)
      : replanned_(replanned),
        deployment_(replanned.deployment),
        archive_(deployment_.archive()),
        moves_(moves),
        limits_(limits),
        edited_(replanned.edited) {}

  /// Checks all results before the first write.
  std::vector<archive::EditedMember> run() {
    refuse_dialects();
    refuse_disagreement();
    for (std::size_t module = 0; module < modules().size(); ++module) assign_module(module);
    check_callees();
    edit::EditedMembers after = edited_.fork();
    for (const Member& member : archive_.members()) change_text(member, after);
    for (const ModuleAssignment& assignment : assignments_) {
      arrays_.clear();
      const std::vector<FunctionSites> with_pools = generated_c(assignment);
      declarations(assignment);
      refuse_other_uses(assignment, with_pools);
    }
    apply_edits(after, std::move(edits_));
    for (ChangedC& one : changed_c_) check(one, after);
    return std::move(after).take();
  }

 private:
  const std::vector<Module>& modules() const { return deployment_.library().modules; }

  SourceText text_of(const Member& member) const {
    return {archive_.path(), member.name, edited_.text_of(member)};
  }
  const Member& member_named(std::string_view name) const {
    const Member* const member = archive_.find(name);
    if (member == nullptr) edit::refuse("it is not in the archive", name);
    return *member;
  }

  /// Old TVMScript does not contain a whole plan: TVM cannot print `pool_args` in it
  /// (src/printer/tvmscript_printer.cc).
  static bool can_change(tir::Dialect dialect) {
    return dialect == tir::Dialect::tvmscript || dialect == tir::Dialect::legacy_text ||
           dialect == tir::Dialect::save_json;
  }

  /// Runs first: such a text usually also differs from the generated C, and the dialect is the
  /// reason.
  void refuse_dialects() {
    PoolSet pools;
    for (const PoolMove& move : moves_) pools.insert(move.pool);
    for (const Member& member : archive_.members()) {
      if (!edited_.captured_form(member)) continue;
      const tir::Document& document = captured_document(member).document;
      const tir::Dialect dialect = document.source.dialect;
      if (can_change(dialect)) continue;
      if (sites_of(tir::prim_functions_of(document.module), pools).empty()) continue;
      edit::refuse(
          "a text in this dialect, " + std::string(to_string(dialect)) +
              ", does not show a whole plan, so it cannot be changed; TIR that is captured as "
              "save_json can",
          member.name);
    }
  }

  /// Both get new numbers, so they must be the same program before.
  void refuse_disagreement() const {
    if (!replanned_.contradiction.empty()) edit::refuse(replanned_.contradiction);
  }

  /// The TIR that the moves refer to: captured, or generated C.
  const TirSource& source_named(std::size_t module, const std::string& stem) const {
    if (const TirSource* const found = deployment_.find_tir(stem)) return *found;
    for (const TirSource& c : get_or_throw(deployment_.generated_c(module))) {
      if (c.stem == stem) return c;
    }
    edit::refuse("the archive has no TIR '" + stem + "'");
  }

  /// A TIR that moves name, read once. It may have functions of several modules whose pools have
  /// equal names.
  struct NamedTir {
    std::shared_ptr<const tir::Document> document;
    edit::FunctionsByModule functions;
  };
  const NamedTir& tir_of(const TirSource& source) {
    const auto known = named_.find(&source);
    if (known != named_.end()) return known->second;
    auto document = get_or_throw(deployment_.document(source));
    take_functions(document->module);
    edit::FunctionsByModule functions = edit::functions_by_module(document->module, deployment_);
    return named_.emplace(&source, NamedTir{std::move(document), std::move(functions)})
        .first->second;
  }

  /// The TIR of main and of kernels, which state the sizes of pools without buffers.
  std::set<std::string> stems_of_kernels(std::size_t module) const {
    std::set<std::string> stems;
    const auto network = replanned_.networks.find(module);
    if (network == replanned_.networks.end()) return stems;
    stems.insert(network->second->provenance.source);
    for (const graph::Kernel& kernel : network->second->kernels) {
      if (kernel.has_tir()) stems.insert(kernel.source);
    }
    return stems;
  }

  /// Finds the moves of one module in the TIR that the plan was made from. Refuses objects, whose
  /// machine code also contains offsets.
  void assign_module(std::size_t module) {
    std::vector<PoolMove> moves;
    PoolSet pools;
    std::set<std::string> stems;
    for (const PoolMove& move : moves_) {
      if (move.module != module) continue;
      moves.push_back(move);
      pools.insert(move.pool);
      for (const BufferMove& buffer : move.buffers) stems.insert(buffer.source);
    }
    if (moves.empty()) return;
    if (stems.empty()) stems = stems_of_kernels(module);
    if (!modules()[module].files.objects.empty()) {
      edit::refuse(
          "module '" + modules()[module].name + "' has code in objects, which cannot be changed",
          modules()[module].files.objects.front().name);
    }
    std::vector<FunctionSites> functions;
    for (const std::string& stem : stems) {
      const auto* const here =
          support::find_value(tir_of(source_named(module, stem)).functions, module);
      if (here == nullptr) continue;
      for (FunctionSites& one : sites_of(*here, pools)) {
        callees_.insert(one.callees.begin(), one.callees.end());
        functions.push_back(std::move(one));
      }
    }
    assignments_.push_back(assign(module, moves, functions));
    for (const FunctionSites& one : functions) assignments_.back().symbols.insert(one.symbol);
  }

  /// Collects the names of all functions with TIR that other functions may call.
  void take_functions(const tir::Module& tir) {
    for (const tir::NamedFunction& one : tir::functions_of(tir)) {
      known_.emplace(one.name);
      known_.emplace(one.symbol);
    }
  }

  /// A function without TIR may keep the pointer, or use any bytes of the pool.
  void check_callees() const {
    for (const std::string& callee : callees_) {
      const bool known = known_.contains(callee) ||
                         std::any_of(assignments_.begin(), assignments_.end(),
                                     [&](const auto& one) { return one.has_function(callee); });
      if (!known)
        edit::refuse("'" + callee + "' is given a pool, and its TIR is not in the archive");
    }
  }

  /// The captured TIR before the change; read once.
  const edit::PlacedTir& captured_document(const Member& member) {
    const auto known = documents_.find(&member);
    if (known != documents_.end()) return known->second;
    return documents_.emplace(&member, edited_.take_tir(member, limits_)).first->second;
  }

  /// Null for a module that does not change.
  const ModuleAssignment* assignment_of(std::size_t module) const {
    const auto one = std::ranges::lower_bound(assignments_, module, {}, &ModuleAssignment::module);
    return one != assignments_.end() && one->module == module ? &*one : nullptr;
  }

  static void add_numbers(const ModuleAssignment& assignment, const FunctionSites& function,
                          TirChanges& changes) {
    for (StatedNumber& number : site_values(assignment, function)) {
      changes.set_number(std::move(number));
    }
  }

  /// Both the text and the lossless twin of captured TIR contain the plan.
  void change_text(const Member& member, edit::EditedMembers& after) {
    if (!edited_.captured_form(member)) return;
    TirChanges changes;
    const tir::Module& tir = captured_document(member).document.module;
    for (const auto& [module, functions] : edit::functions_by_module(tir, deployment_)) {
      const ModuleAssignment* const assignment = assignment_of(module);
      if (assignment == nullptr) continue;
      for (const FunctionSites& function : sites_of(functions, assignment->pools)) {
        add_numbers(*assignment, function, changes);
      }
    }
    change_captured(std::move(documents_.extract(&member).mapped()), changes, after, limits_);
  }

  /// Generated C of a module, before its changes.
  struct ChangedC {
    const ModuleAssignment* assignment;
    edit::PlacedTir before;
    TirChanges changes{};
  };

  /// Every function with buffers in a pool must be in the C, which is the code that runs. Returns
  /// the functions of the C that have pools.
  std::vector<FunctionSites> generated_c(const ModuleAssignment& assignment) {
    std::set<std::string> found;
    std::vector<FunctionSites> with_pools;
    for (const TirSource& c : get_or_throw(deployment_.generated_c(assignment.module))) {
      ChangedC changed{&assignment, edited_.take_tir(c, limits_)};
      const edit::FunctionsByModule functions =
          edit::functions_by_module(changed.before.document.module, deployment_);
      const auto* const here = support::find_value(functions, assignment.module);
      if (here != nullptr) {
        for (FunctionSites& function : sites_of(*here, assignment.pools)) {
          found.insert(function.symbol);
          add_numbers(assignment, function, changed.changes);
          take_arrays(function, changed.before.places);
          with_pools.push_back(std::move(function));
        }
      }
      add_edits(edits_, changed.changes.edits(changed.before, edited_));
      changed_c_.push_back(std::move(changed));
    }
    for (const auto& [symbol, lets] : assignment.lets) {
      if (!lets.empty() && !found.contains(symbol)) {
        edit::refuse("the archive has no C of function '" + symbol + "'");
      }
    }
    return with_pools;
  }

  /// Code that uses a pool other than by the offsets in functions depends on its size and contents.
  void refuse_other_uses(const ModuleAssignment& assignment,
                         const std::vector<FunctionSites>& with_pools) {
    if (!others_) others_.emplace(deployment_, edited_);
    const Module& module = modules()[assignment.module];
    const ModuleCode code(deployment_, assignment.module, *others_, edited_);
    const auto refuse_use = [](const std::string& what, const std::string& place) {
      if (!place.empty()) edit::refuse("other code may use " + what + ": " + place);
    };
    const std::string joined = code.joined(assignment.pools);
    if (!joined.empty()) edit::refuse(joined + " may join parts of names");
    for (const std::string& pool : assignment.pools) {
      const auto takes = [&](std::string_view function, std::size_t parameter) {
        return std::ranges::any_of(with_pools, [&](const FunctionSites& one) {
          return one.symbol == function && one.takes(pool, parameter);
        });
      };
      refuse_use("pool '" + pool + "'", code.names_of_pool(pool, takes).other_use);
      refuse_use("the size of pool '" + pool + "'",
                 code.use_of_macro(macro_of(module, pool_size(pool))));
    }
    refuse_use("the size of the workspace", code.use_of_macro(macro_of(module, kWorkspaceSize)));
    refuse_use("a section of the C", code.use_of_sections());
  }

  /// Collects the pools whose sizes the text states where it defines their memory.
  void take_arrays(const FunctionSites& function, const tir::Places& places) {
    for (const SizeSite& size : function.sizes) {
      if (size.is_listed && places.find(size.size) != nullptr) arrays_.insert(size.pool);
    }
  }

  /// The bytes that metadata.json may count together with the pools of a module.
  std::vector<std::uint64_t> beside_pools(std::size_t module) const {
    const auto network = replanned_.networks.find(module);
    if (network == replanned_.networks.end()) return {0};
    return workspaces_beside_pools(*network->second);
  }

  /// Edits the sizes of pools that the archive states outside of functions.
  void declarations(const ModuleAssignment& assignment) {
    const Module& module = modules()[assignment.module];
    for (const auto& [pool, size] : assignment.sizes) {
      // A pool of the application: the header states its required size.
      const bool has_macro = edit_macro(module, pool_size(pool), size);
      if (has_macro != arrays_.contains(pool)) continue;
      edit::refuse(
          "the generated C has " +
          std::string(has_macro ? "both an array and a macro" : "neither an array nor a macro") +
          " of the size of pool '" + pool + "'");
    }
    if (!deployment_.library().has_metadata()) {
      edit::refuse("no metadata.json: nothing says that these are all files of module '" +
                   module.name + "'");
    }
    const Member& metadata = member_named("metadata.json");
    if (!metadata_) metadata_.emplace(text_of(metadata), json::ReadOptions{});
    const auto claim = add_metadata_edit(*metadata_, module.name, assignment,
                                         beside_pools(assignment.module), edits_[&metadata]);
    if (claim) edit_macro(module, kWorkspaceSize, *claim);
  }

  static constexpr std::string_view kWorkspaceSize = "_WORKSPACE_SIZE";
  static std::string pool_size(const std::string& pool) {
    return "_" + pool + "_WORKSPACE_POOL_SIZE";
  }
  /// `TVMGEN_<MODULE><SUFFIX>` in the module's headers, in capitals.
  static std::string macro_of(const Module& module, std::string_view suffix) {
    return support::in_capitals("tvmgen_" + module.name + std::string(suffix));
  }

  bool edit_macro(const Module& module, std::string_view suffix, const edit::NumberChange& size) {
    const std::string name = macro_of(module, suffix);
    bool found = false;
    for (const FileRef& file : module.files.headers) {
      const Member& member = member_named(file.name);
      found |= add_macro_edit(text_of(member), name, size, edits_[&member]);
    }
    return found;
  }

  /// Reads the C with the new files and pool sizes, like a deployment.
  void check(ChangedC& changed, const edit::EditedMembers& now) const {
    tir::CSources sources = now.files_of(*changed.before.c);
    for (tir::CPool& pool : sources.pools) {
      const auto size = changed.assignment->sizes.find(pool.name);
      if (size == changed.assignment->sizes.end()) continue;
      pool.bytes = static_cast<std::int64_t>(size->second.after);
    }
    edit::require_equal(changed.changes.made_in(std::move(changed.before.document.module)),
                        tir::read_c(sources, limits_).module, changed.before.name());
  }

  const Replanned& replanned_;
  const Deployment& deployment_;
  const archive::Archive& archive_;
  std::span<const PoolMove> moves_;
  const tir::ReadLimits& limits_;
  std::vector<ModuleAssignment> assignments_;  // in the order of the modules
  std::set<std::string> callees_;
  std::set<std::string, std::less<>> known_;
  std::optional<OtherCode> others_;
  std::set<std::string, std::less<>> arrays_;  // pools of one module that the C defines
  std::optional<json::Document> metadata_;
  TirChanges::FileEdits edits_;
  std::map<const TirSource*, NamedTir> named_;
  std::map<const Member*, edit::PlacedTir> documents_;
  std::vector<ChangedC> changed_c_;
  edit::EditedMembers& edited_;
};

/// The plan to write: the best one, or the one with results in place if it is smaller.
plan::PlannerResult chosen_plan(const plan::PoolPlan& plan, Sharing sharing) {
  if (sharing == Sharing::in_place && plan.in_place) return *plan.in_place;
  return {plan.best.offsets, plan.best.size};
}

/// The new offsets of all buffers; the present ones if there is no gain.
PoolMove move_of(const ModulePlan& module, const plan::PoolPlan& plan, const PoolChanges& changes) {
  const plan::PoolProblem& now = plan.now;
  const std::string& name = (*module.network)[now.pool].name;
  const std::string place = "module '" + module.name + "': pool '" + name + "' ";
  if (plan.is_refused()) edit::refuse(place + "cannot be planned: " + now.refused.front());
  if (!now.declared) edit::refuse(place + "has no size in the archive");
  plan::PlannerResult chosen = chosen_plan(plan, changes.sharing);
  if (changes.drop_unused && now.buffers.empty()) chosen.size = 1;
  const bool is_smaller = chosen.size > 0 && chosen.size < *now.declared;
  PoolMove move{.module = module.module,
                .pool = name,
                .old_size = *now.declared,
                .new_size = is_smaller ? chosen.size : *now.declared,
                .buffers = {}};
  for (std::size_t i = 0; i < now.buffers.size(); ++i) {
    const plan::PlannedBuffer& buffer = now.buffers[i];
    move.buffers.push_back({.source = buffer.source,
                            .function = buffer.function,
                            .variable = buffer.variable,
                            .old_offset = buffer.offset,
                            .new_offset = is_smaller ? chosen.offsets[i] : buffer.offset});
  }
  return move;
}

/// Adds all pools of a module if one of them gets smaller, including unchanged ones: metadata.json
/// contains the sum of all.
void add_moves(const ModulePlan& module, const PoolChanges& changes, std::vector<PoolMove>& moves) {
  std::vector<PoolMove> of_module;
  for (const ModulePoolPlan& pool : module.pools) {
    of_module.push_back(move_of(module, pool.plan, changes));
  }
  const bool any_smaller = std::ranges::any_of(
      of_module, [](const PoolMove& move) { return move.new_size < move.old_size; });
  if (any_smaller) std::ranges::move(of_module, std::back_inserter(moves));
}

[[noreturn]] void refuse_without_pools(const ArchivePlan& plan) {
  for (const ModulePlan& module : plan.modules) {
    if (!module.missing) continue;
    edit::refuse("module '" + module.name +
                 "' has no plan: " + std::string(to_string(*module.missing)));
  }
  edit::refuse("no network of this archive has a memory pool, so there is no plan");
}

}  // namespace

std::string contradiction_in(const Deployment& deployment) {
  for (const auto& compared : get_or_throw(deployment.agreement())->comparisons) {
    if (!compared.is_comparable()) continue;
    if (!compared.differences.empty()) {
      return deployment::sentence_of(compared, compared.differences.front());
    }
    if (compared.unread.empty()) continue;
    const auto& [function, why] = *compared.unread.begin();
    return "function '" + function + "' of " + compared.c->name + " was not compared with " +
           compared.captured->name + ": " + why;
  }
  return {};
}

std::vector<PoolMove> moves_of(const ArchivePlan& plan, const PoolChanges& changes) {
  std::vector<PoolMove> moves;
  bool any = false;
  for (const ModulePlan& module : plan.modules) {
    any = any || !module.pools.empty();
    add_moves(module, changes, moves);
  }
  if (!any) refuse_without_pools(plan);
  return moves;
}

std::vector<archive::EditedMember> with_offsets(const Replanned& replanned,
                                                std::span<const PoolMove> moves,
                                                const tir::ReadLimits& limits) {
  return Replanning(replanned, moves, limits).run();
}

}  // namespace mlf::optimize
