// Gives an archive another plan: finds the plan's numbers in every member, replaces them, reads the
// result, and only then writes it.
#include "optimize/steps.h"

#include <algorithm>
#include <cstdint>
#include <deque>
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
#include "edit/edited_archive.h"
#include "graph/node_queries.h"
#include "json/document.h"
#include "mlf/inspection.h"
#include "mlf/tir/module.h"
#include "optimize/other_code.h"
#include "optimize/pool_sites.h"
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
using graph::quoted;
using support::get_or_throw;

// Representations of one function use different variable names (`compute.global_let`,
// `compute_global_let_2`), but the same order.

/// Names of pools.
using PoolSet = std::set<std::string, std::less<>>;

/// A buffer, and the pool that it is in.
struct PlannedLet {
  const PoolMove* pool;
  std::size_t index;  ///< of the buffer

  const plan::PlannedBuffer& buffer() const { return pool->buffers[index]; }
};

/// One module's moves, found in the TIR that they name.
struct ModuleAssignment {
  std::size_t module = 0;
  PoolSet pools;
  std::map<std::string, edit::NumberChange, std::less<>> sizes;
  /// By symbol. Other modules in the same TIR may have pools with the same names.
  std::map<std::string, std::vector<PlannedLet>, std::less<>> lets;
  std::vector<FunctionSites> in_c;  ///< the functions of its C that have pools
  PoolSet arrays;                   ///< pools that the C defines

  /// The bytes of all pools, before or after. metadata.json has the sum as one number.
  std::uint64_t total(std::uint64_t edit::NumberChange::*when) const {
    std::uint64_t bytes = 0;
    for (const auto& [name, size] : sizes) bytes += size.*when;
    return bytes;
  }
};

[[noreturn]] void refuse_in(const FunctionSites& function, const std::string& message) {
  edit::refuse("function " + quoted(function.name) + ": " + message);
}

/// " at 64 of pool 'global_workspace'".
std::string place_of(std::uint64_t offset, const std::string& pool) {
  return " at " + std::to_string(offset) + " of pool " + quoted(pool);
}

/// Takes the first move of the let from those that are left: a second let with the same name,
/// offset and function is another buffer.
PlannedLet take(std::vector<PlannedLet>& left, const FunctionSites& function, const LetSite& let) {
  const auto found = std::ranges::find_if(left, [&](const PlannedLet& one) {
    const plan::PlannedBuffer& buffer = one.buffer();
    const bool is_here = buffer.function == function.name || buffer.function == function.symbol;
    return is_here && one.pool->pool == let.pool && buffer.variable == let.variable &&
           buffer.offset == let.value;
  });
  if (found == left.end()) {
    refuse_in(function,
              quoted(let.variable) + place_of(let.value, let.pool) + " is not in the plan");
  }
  const PlannedLet taken = *found;
  left.erase(found);
  return taken;
}

/// Every number of a function that belongs to the plan, in any representation. It must contain
/// exactly the old plan; otherwise nothing in it is changed.
void add_numbers(const ModuleAssignment& assignment, const FunctionSites& function,
                 TirChanges& changes) {
  const auto* const lets = support::find_value(assignment.lets, function.symbol);
  // A function that is not in the plan's TIR may still receive a pool and pass it on.
  const std::size_t expected = lets == nullptr ? 0 : lets->size();
  if (function.lets.size() != expected) {
    refuse_in(function, "it has " + std::to_string(function.lets.size()) +
                            " buffers in pools here, and " + std::to_string(expected) +
                            " in the TIR of the plan");
  }
  for (std::size_t i = 0; i < expected; ++i) {
    const LetSite& let = function.lets[i];
    const auto& [pool, index] = (*lets)[i];
    const plan::PlannedBuffer& buffer = pool->buffers[index];
    if (let.pool != pool->pool || let.value != buffer.offset) {
      refuse_in(function, quoted(let.variable) + " is" + place_of(let.value, let.pool) +
                              " here, and " + quoted(buffer.variable) +
                              place_of(buffer.offset, pool->pool) + " in the TIR of the plan");
    }
    changes.set_number({let.offset,
                        {buffer.offset, pool->after.offsets[index]},
                        "the offset of " + quoted(let.variable)});
  }
  for (const SizeSite& site : function.sizes) {
    const edit::NumberChange& size = assignment.sizes.find(site.pool)->second;
    if (site.value != size.before) {
      refuse_in(function, "pool " + quoted(site.pool) + " has " + std::to_string(site.value) +
                              " bytes here, and " + std::to_string(size.before) + " in the plan");
    }
    changes.set_number({site.size, size, "the size of pool " + quoted(site.pool)});
  }
}

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
  const std::uint64_t before = assignment.total(&edit::NumberChange::before);
  const std::uint64_t after = assignment.total(&edit::NumberChange::after);
  std::vector<edit::NumberChange> possible;
  for (const std::uint64_t more : beside) possible.push_back({before + more, after + more});
  const auto change = change_metadata(metadata, module, "workspace_size_bytes", possible, edits);
  if (!change && before != after) {
    edit::refuse(
        "workspace_size_bytes of main is not " + std::to_string(before) + ", the sum of its pools",
        kMetadata);
  }
  return change;
}

/// Old TVMScript does not contain a whole plan: TVM cannot print `pool_args` in it
/// (src/printer/tvmscript_printer.cc).
bool can_change(tir::Dialect dialect) {
  return dialect == tir::Dialect::tvmscript || dialect == tir::Dialect::legacy_text ||
         dialect == tir::Dialect::save_json;
}

/// The TIR of main and of kernels, which state the sizes of pools without buffers.
std::set<std::string> stems_of_kernels(const graph::Topology* network) {
  std::set<std::string> stems;
  if (network == nullptr) return stems;
  stems.insert(network->provenance.source);
  for (const graph::Kernel& kernel : network->kernels) {
    if (kernel.has_tir()) stems.insert(kernel.source);
  }
  return stems;
}

/// The same C where the application defines pools of the new sizes, which headers state.
TirSource resized(TirSource c, const ModuleAssignment& assignment) {
  tir::CSources sources = *c.c;
  for (tir::CPool& pool : sources.pools) {
    const auto* const size = support::find_value(assignment.sizes, pool.name);
    if (size != nullptr) pool.bytes = static_cast<std::int64_t>(size->after);
  }
  c.c = std::make_shared<const tir::CSources>(std::move(sources));
  return c;
}

constexpr std::string_view kWorkspaceSize = "_WORKSPACE_SIZE";

std::string pool_size(const std::string& pool) {
  return "_" + pool + "_WORKSPACE_POOL_SIZE";
}

/// `TVMGEN_<MODULE><SUFFIX>` in the module's headers, in capitals.
std::string macro_of(const Module& module, std::string_view suffix) {
  return support::in_capitals("tvmgen_" + module.name + std::string(suffix));
}

class Replanning {
 public:
  Replanning(edit::EditedMembers& edited, const NetworkOfModule& networks,
             std::span<const PoolMove> moves)
      : edited_(edited), deployment_(edited.deployment()), networks_(networks), moves_(moves) {}

  /// Checks all results before the first write.
  void run() {
    refuse_dialects();
    // Both get new numbers, so they must be the same program before.
    const std::string contradiction = contradiction_in(deployment_);
    if (!contradiction.empty()) edit::refuse(contradiction);
    for (std::size_t module = 0; module < modules().size(); ++module) assign_module(module);
    check_callees();
    for (const Member* const member : edited_.captured()) change_captured(*member);
    for (ModuleAssignment& assignment : assignments_) {
      change_c(assignment);
      declarations(assignment);
      refuse_other_uses(assignment);
    }
    edit::EditedMembers after = edited_.fork();
    change_all(std::move(changed_), std::move(edits_), after);
    // Without the TIR, which refers to `resized_`.
    for (archive::EditedMember& one : std::move(after).take()) edited_.replace(std::move(one));
  }

 private:
  const std::vector<Module>& modules() const { return deployment_.library().modules; }

  const Member& member_named(std::string_view name) const {
    const Member* const member = edited_.archive().find(name);
    if (member == nullptr) edit::refuse("it is not in the archive", name);
    return *member;
  }

  /// Runs first: such a text usually also differs from the generated C, and the dialect is the
  /// reason.
  void refuse_dialects() {
    PoolSet pools;
    for (const PoolMove& move : moves_) pools.insert(move.pool);
    for (const Member* const member : edited_.captured()) {
      edit::PlacedTir tir = edited_.take_tir(*member);
      const tir::Dialect dialect = tir.document.source.dialect;
      if (can_change(dialect) ||
          sites_of(tir::prim_functions_of(tir.document.module), pools).empty()) {
        edited_.keep_tir(std::move(tir));
        continue;
      }
      edit::refuse(
          "a text in this dialect, " + std::string(to_string(dialect)) +
              ", does not show a whole plan, so it cannot be changed; TIR that is captured as "
              "save_json can",
          member->name);
    }
  }

  /// The TIR that the moves refer to: captured, or generated C.
  const TirSource& source_named(std::size_t module, const std::string& stem) const {
    if (const TirSource* const found = deployment_.find_tir(stem)) return *found;
    for (const TirSource& c : get_or_throw(deployment_.generated_c(module))) {
      if (c.stem == stem) return c;
    }
    edit::refuse("the archive has no TIR '" + stem + "'");
  }

  /// The functions of a TIR that moves name. It may have those of several modules whose pools have
  /// equal names.
  const edit::FunctionsByModule& functions_of(const TirSource& source) {
    const auto [known, is_new] = functions_.try_emplace(&source);
    if (!is_new) return known->second;
    // The deployment keeps it.
    const tir::Module& tir = get_or_throw(deployment_.document(source))->module;
    for (const tir::NamedFunction& one : tir::functions_of(tir)) {
      known_.emplace(one.name);
      known_.emplace(one.symbol);
    }
    return known->second = edit::functions_by_module(tir, deployment_);
  }

  /// Finds every buffer of the moves of one module in the TIR that the plan was made from: the
  /// moves use its names. Refuses objects, whose machine code also contains offsets.
  void assign_module(std::size_t module) {
    ModuleAssignment found{
        .module = module, .pools = {}, .sizes = {}, .lets = {}, .in_c = {}, .arrays = {}};
    std::vector<PlannedLet> left;
    std::set<std::string> stems;
    for (const PoolMove& pool : moves_) {
      if (pool.module != module) continue;
      found.pools.insert(pool.pool);
      found.sizes[pool.pool] = {pool.old_size, pool.after.size};
      for (std::size_t i = 0; i < pool.buffers.size(); ++i) {
        left.push_back({&pool, i});
        stems.insert(pool.buffers[i].source);
      }
    }
    if (found.pools.empty()) return;
    if (stems.empty())
      stems = stems_of_kernels(support::value_at(networks_, module).value_or(nullptr));
    refuse_objects(modules()[module]);
    for (const std::string& stem : stems) {
      const auto* const here =
          support::find_value(functions_of(source_named(module, stem)), module);
      if (here == nullptr) continue;
      for (const FunctionSites& function : sites_of(*here, found.pools)) {
        callees_.insert(function.callees.begin(), function.callees.end());
        std::vector<PlannedLet> lets;
        for (const LetSite& let : function.lets) lets.push_back(take(left, function, let));
        found.lets.emplace(function.symbol, std::move(lets));
      }
    }
    // A buffer that no function has would keep its place while others move over it.
    for (const PlannedLet& one : left) {
      edit::refuse("the archive has no " + quoted(one.buffer().variable) +
                   place_of(one.buffer().offset, one.pool->pool) + " in function " +
                   quoted(one.buffer().function));
    }
    assignments_.push_back(std::move(found));
  }

  /// A function without TIR may keep the pointer, or use any bytes of the pool.
  void check_callees() const {
    for (const std::string& callee : callees_) {
      if (known_.contains(callee)) continue;
      edit::refuse("'" + callee + "' is given a pool, and its TIR is not in the archive");
    }
  }

  /// Both the text and the lossless twin of captured TIR contain the plan.
  void change_captured(const Member& member) {
    ChangedTir& changed = changed_.emplace_back(ChangedTir{edited_.take_tir(member)});
    const auto functions = edit::functions_by_module(changed.before.document.module, deployment_);
    for (const ModuleAssignment& assignment : assignments_) {
      const auto* const here = support::find_value(functions, assignment.module);
      if (here == nullptr) continue;
      for (const FunctionSites& function : sites_of(*here, assignment.pools)) {
        add_numbers(assignment, function, changed.changes);
      }
    }
  }

  /// Every function with buffers in a pool must be in the C, which is the code that runs.
  void change_c(ModuleAssignment& assignment) {
    std::set<std::string> found;
    for (const TirSource& c : get_or_throw(deployment_.generated_c(assignment.module))) {
      ChangedTir& changed = changed_.emplace_back(ChangedTir{edited_.take_tir(c)});
      const auto functions = edit::functions_by_module(changed.before.document.module, deployment_);
      changed.before.c = &resized_.emplace_back(resized(c, assignment));
      const auto* const here = support::find_value(functions, assignment.module);
      if (here == nullptr) continue;
      for (FunctionSites& function : sites_of(*here, assignment.pools)) {
        found.insert(function.symbol);
        add_numbers(assignment, function, changed.changes);
        for (const SizeSite& size : function.sizes) {
          const bool is_spelled = changed.before.places.find(size.size) != nullptr;
          if (size.is_listed && is_spelled) assignment.arrays.insert(size.pool);
        }
        assignment.in_c.push_back(std::move(function));
      }
    }
    for (const auto& [symbol, lets] : assignment.lets) {
      if (!lets.empty() && !found.contains(symbol)) {
        edit::refuse("the archive has no C of function '" + symbol + "'");
      }
    }
  }

  /// Code that uses a pool other than by the offsets in functions depends on its size and contents.
  void refuse_other_uses(const ModuleAssignment& assignment) {
    if (!others_) others_.emplace(edited_);
    const Module& module = modules()[assignment.module];
    const ModuleCode code(assignment.module, *others_, edited_);
    const auto refuse_use = [](const std::string& what, const std::string& place) {
      if (!place.empty()) edit::refuse("other code may use " + what + ": " + place);
    };
    const std::string joined = code.joined(assignment.pools);
    if (!joined.empty()) edit::refuse(joined + " may join parts of names");
    for (const std::string& pool : assignment.pools) {
      const auto takes = [&](std::string_view function, std::size_t parameter) {
        return std::ranges::any_of(assignment.in_c, [&](const FunctionSites& one) {
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

  /// Edits the sizes of pools that the archive states outside of functions.
  void declarations(const ModuleAssignment& assignment) {
    const Module& module = modules()[assignment.module];
    for (const auto& [pool, size] : assignment.sizes) {
      // A pool of the application: the header states its required size.
      const bool has_macro = edit_macro(module, pool_size(pool), size);
      if (has_macro != assignment.arrays.contains(pool)) continue;
      edit::refuse(
          "the generated C has " +
          std::string(has_macro ? "both an array and a macro" : "neither an array nor a macro") +
          " of the size of pool '" + pool + "'");
    }
    if (!deployment_.library().has_metadata()) {
      edit::refuse("no metadata.json: nothing says that these are all files of module '" +
                   module.name + "'");
    }
    const Member& metadata = member_named(kMetadata);
    if (!metadata_) metadata_.emplace(edited_.source_of(metadata));
    const auto* const network = support::value_at(networks_, assignment.module).value_or(nullptr);
    const auto beside =
        network == nullptr ? std::vector<std::uint64_t>{0} : workspaces_beside_pools(*network);
    const auto claim =
        add_metadata_edit(*metadata_, module.name, assignment, beside, edits_[&metadata]);
    if (claim) edit_macro(module, kWorkspaceSize, *claim);
  }

  bool edit_macro(const Module& module, std::string_view suffix, const edit::NumberChange& size) {
    const std::string name = macro_of(module, suffix);
    bool found = false;
    for (const FileRef& file : module.files.headers) {
      const Member& member = member_named(file.name);
      found |= add_macro_edit(edited_.source_of(member), name, size, edits_[&member]);
    }
    return found;
  }

  edit::EditedMembers& edited_;
  const Deployment& deployment_;
  const NetworkOfModule& networks_;
  std::span<const PoolMove> moves_;
  std::vector<ModuleAssignment> assignments_;  // in the order of the modules
  std::set<std::string> callees_;
  std::set<std::string, std::less<>> known_;
  std::optional<OtherCode> others_;
  std::optional<json::Document> metadata_;
  edit::FileEdits edits_;
  std::map<const TirSource*, edit::FunctionsByModule> functions_;
  std::vector<ChangedTir> changed_;
  std::deque<TirSource> resized_;  // C with other sizes of pools, of `changed_`
};

}  // namespace

void refuse_objects(const Module& module) {
  if (module.files.objects.empty()) return;
  edit::refuse("module '" + module.name + "' has code in objects, which cannot be changed",
               module.files.objects.front().name);
}

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

void move_buffers(edit::EditedMembers& edited, const NetworkOfModule& networks,
                  std::span<const PoolMove> moves) {
  Replanning(edited, networks, moves).run();
}

}  // namespace mlf::optimize
