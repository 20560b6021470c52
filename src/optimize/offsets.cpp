// Gives an archive another plan: finds the plan's numbers in every member, replaces them, reads the
// result, and only then writes it.
#include "optimize/steps.h"

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
#include "edit/edited_archive.h"
#include "graph/node_queries.h"
#include "json/document.h"
#include "mlf/inspection.h"
#include "mlf/tir/module.h"
#include "optimize/metadata_numbers.h"
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

// --- The new plan by function and by order of lets ----------------------------------------------

// Representations of one function use different variable names (`compute.global_let`,
// `compute_global_let_2`), but the same order.

/// Names of the pools of one module.
using PoolSet = std::set<std::string, std::less<>>;

/// A let of a pool, and its old and new offset.
struct AssignedLet {
  std::string variable;  ///< in the TIR that the moves name
  std::string pool;
  std::uint64_t old_offset = 0;
  std::uint64_t new_offset = 0;
};

/// One module's moves, found in the TIR that they name.
struct ModuleAssignment {
  std::size_t module = 0;
  PoolSet pools;
  std::map<std::string, edit::NumberChange, std::less<>> sizes;
  std::map<std::string, std::vector<AssignedLet>, std::less<>> lets;  ///< by symbol

  /// Whether a function belongs to this module: other modules in the same TIR may have pools with
  /// the same names.
  std::set<std::string, std::less<>> symbols;
  bool has_function(std::string_view symbol) const { return symbols.contains(symbol); }

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

/// Finds every buffer of the moves of one module in the functions of its TIR. Throws `Error`
/// (check_failed) if a buffer is missing in the TIR or in the moves, or has another offset.
// The moves use the names of one TIR. After this function, function and order identify lets,
// because all representations share these.
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

/// Returns every number of a function that belongs to the plan, in any representation. Throws as
/// above if they differ from the assignment.
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
  const std::uint64_t before = assignment.total(&edit::NumberChange::before);
  const std::uint64_t after = assignment.total(&edit::NumberChange::after);
  std::vector<edit::NumberChange> possible;
  for (const std::uint64_t more : beside) possible.push_back({before + more, after + more});
  if (auto change = metadata_change(metadata, module, "workspace_size_bytes", possible)) {
    edits.push_back(std::move(change->edit));
    return change->number;
  }
  if (before != after) {
    edit::refuse(
        "workspace_size_bytes of main is not " + std::to_string(before) + ", the sum of its pools",
        "metadata.json");
  }
  return std::nullopt;
}

class Replanning {
 public:
  Replanning(edit::EditedMembers& edited, const NetworkOfModule& networks,
             std::span<const PoolMove> moves)
      : edited_(edited),
        deployment_(edited.deployment()),
        archive_(edited.archive()),
        networks_(networks),
        moves_(moves) {}

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
    const std::string contradiction = contradiction_in(deployment_);
    if (!contradiction.empty()) edit::refuse(contradiction);
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
    const auto network = networks_.find(module);
    if (network == networks_.end()) return stems;
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
    refuse_objects(modules()[module]);
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
    return documents_.emplace(&member, edited_.take_tir(member)).first->second;
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
    change_tir(std::move(documents_.extract(&member).mapped()), changes, after);
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
      ChangedC changed{&assignment, edited_.take_tir(c)};
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
    const auto network = networks_.find(module);
    if (network == networks_.end()) return {0};
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
    if (!metadata_) metadata_.emplace(edited_.source_of(metadata));
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
      found |= add_macro_edit(edited_.source_of(member), name, size, edits_[&member]);
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
                        tir::read_c(sources, edited_.reading().tir_limits).module,
                        changed.before.name());
  }

  edit::EditedMembers& edited_;
  const Deployment& deployment_;
  const archive::Archive& archive_;
  const NetworkOfModule& networks_;
  std::span<const PoolMove> moves_;
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

std::vector<archive::EditedMember> with_offsets(edit::EditedMembers& edited,
                                                const NetworkOfModule& networks,
                                                std::span<const PoolMove> moves) {
  return Replanning(edited, networks, moves).run();
}

}  // namespace mlf::optimize
