// One archive with less flash and less RAM: decide, edit, read again, write.
#include "mlf/optimize.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "archive/output_file.h"
#include "deployment/contradictions.h"
#include "deployment/member_text.h"
#include "edit/edited_archive.h"
#include "json/document.h"
#include "json/write_document.h"
#include "optimize/c_constants.h"
#include "optimize/steps.h"
#include "support/error.h"
#include "support/lookup.h"
#include "support/numbers.h"

namespace mlf::optimize {
namespace {

using support::get_or_throw;

/// Options to read the result like the input.
DeploymentOptions reading_of(const Deployment& deployment, const OptimizeOptions& options) {
  return {.tir_files = {},
          .archive_limits = options.archive_limits,
          .tir_limits = options.tir_limits,
          .pool_sizes = deployment.pool_sizes(),
          .macros = deployment.macros()};
}

/// Of the functions that read the constant.
std::int64_t growth_of(const CConstant& constant, const CompiledCode& before,
                       const CompiledCode& after) {
  std::set<std::string> functions;
  for (const ConstantUse* const use : constant.uses) functions.insert(use->function);
  std::int64_t growth = 0;
  for (const std::string& function : functions) {
    const CompiledFunction* const was = before.find(function);
    const CompiledFunction* const is = after.find(function);
    if (was == nullptr || is == nullptr) continue;
    growth += static_cast<std::int64_t>(is->bytes) - static_cast<std::int64_t>(was->bytes);
  }
  return growth;
}

CompiledCode code_of(std::size_t module, const CConstants& constants,
                     const edit::EditedMembers& members, const Compiler& compiler) {
  const NewConstants wanted = new_constants_of(constants);
  edit::FileEdits edits = declaration_edits(constants, members);
  for (const CReading& reading : constants.readings) {
    changes_of(reading.constants, wanted).add_edits(reading.tir, members, edits);
  }
  edit::EditedMembers edited = members.fork();
  edited.edit(std::move(edits));
  const Deployment changed = edited.open();
  return get_or_throw(
      compile_module(changed.archive(), changed.library().modules[module], compiler));
}

/// Compares the code of both forms by function. Leaves the constants undecided.
void keep_costly_singles(std::size_t module, CConstants& constants,
                         const edit::EditedMembers& members, const OptimizeOptions& options) {
  make_smaller(constants, options.what);
  std::vector<std::pair<CConstant*, std::uint64_t>> singles;
  for (CConstant& one : constants.all) {
    if (one.after.is_single()) singles.emplace_back(&one, one.pool.empty() ? 0 : one.new_bytes());
  }
  if (singles.empty()) return reset(constants);
  const CompiledCode with = code_of(module, constants, members, *options.compiler);
  reset(constants);
  Optimizations what = options.what;
  what.collapse = false;
  make_smaller(constants, what);
  const CompiledCode without = code_of(module, constants, members, *options.compiler);
  for (const auto& [constant, bytes] : singles) {
    const std::int64_t growth = growth_of(*constant, without, with);
    if (growth <= static_cast<std::int64_t>(constant->new_bytes() - bytes)) continue;
    keep(constant->all_kept, fmt::format("one element of it would cost {} bytes of code", growth));
  }
  reset(constants);
}

/// Changes the C of a module, and returns what becomes of its constants. A file belongs to one
/// module: the places of the others stay.
NewConstants change_c(CConstants& constants, edit::EditedMembers& edited) {
  NewConstants wanted = new_constants_of(constants);
  edit::EditedMembers of_module = edited.fork();
  edit::FileEdits edits = declaration_edits(constants, edited);
  std::vector<ChangedTir> all;
  for (CReading& reading : constants.readings) {
    all.push_back({std::move(reading.tir), changes_of(reading.constants, wanted)});
  }
  change_all(std::move(all), std::move(edits), of_module);
  edited.take_all(std::move(of_module));
  return wanted;
}

/// Bytes saved in arrays, which TVM does not count as it counts pools.
struct ArraySavings {
  std::uint64_t of_kernels = 0;
  std::uint64_t dropped = 0;  ///< metadata.json does not count them
};

ArraySavings saved_in_arrays(const graph::Topology* network, const CConstants& constants) {
  const std::string main = network == nullptr ? std::string() : network->provenance.symbol;
  ArraySavings saved;
  for (const CConstant& one : constants.all) {
    if (!one.pool.empty()) continue;
    const std::uint64_t bytes = one.bytes() - one.new_bytes();
    const bool is_of_kernel = std::ranges::any_of(
        one.uses, [&](const ConstantUse* use) { return use->function != main; });
    if (is_of_kernel) saved.of_kernels += bytes;
    if (one.after.is_removed) saved.dropped += bytes;
  }
  return saved;
}

/// For all constants, or for those of Relay's main only.
std::vector<edit::NumberChange> possible_changes(const ArraySavings& arrays, std::uint64_t saved,
                                                 const graph::Topology& network) {
  const std::uint64_t all = graph::memory_totals(network).constants.bytes;
  const std::uint64_t of_kernels = bytes_of_kernel_constants(network);
  if (saved > all || of_kernels > all || arrays.of_kernels > of_kernels) return {};
  return {{all, all - saved}, {all - of_kernels, all - of_kernels - (saved - arrays.of_kernels)}};
}

void note(const CConstants& constants, OptimizedModule& module) {
  for (const CConstant& one : constants.all) {
    OptimizedConstant constant{.name = one.name,
                               .pool = one.pool,
                               .before = one.dtype,
                               .after = one.after.dtype,
                               .bytes_before = one.bytes(),
                               .bytes_after = one.new_bytes(),
                               .is_collapsed = one.after.is_single(),
                               .is_dropped = one.after.is_removed && !one.equal,
                               .kernel = one.uses.empty() ? "" : one.uses.front()->function,
                               .bytes_saved = bytes_saved(one),
                               .kept = why_kept(constants, one)};
    if (one.equal) constant.equal = constants.all[*one.equal].name;
    module.constants.push_back(std::move(constant));
  }
  for (const CPoolOfConstants& pool : constants.pools) {
    if (!pool.constants.empty() || !module.constants_kept.empty()) continue;
    module.constants_kept = "pool '" + pool.name + "': " + pool.kept;
  }
  if (module.constants_kept.empty()) module.constants_kept = constants.incomplete;
  if (!module.constants_kept.empty()) return;
  module.constants_before = total_before(constants);
  module.constants_after = total_after(constants);
}

std::uint64_t bytes_with(const ArchivePlan& plan, RamPlan way) {
  std::uint64_t bytes = 0;
  for (const ModulePlan& module : plan.modules) {
    for (std::size_t i = 0; i < module.pools.size(); ++i) {
      bytes += chosen_plan(module, i, way).size;
    }
  }
  return bytes;
}

/// The requested ways, smallest result first. Among equal results, the way with fewer changes
/// comes first.
std::vector<RamPlan> ways_by_size(const ArchivePlan& plan, const Optimizations& what) {
  std::vector ways{RamPlan::offsets};
  if (what.in_place) ways.push_back(RamPlan::in_place);
  if (what.reorder) ways.push_back(RamPlan::order);
  std::ranges::stable_sort(ways, {}, [&](RamPlan way) { return bytes_with(plan, way); });
  return ways;
}

class Optimizing {
 public:
  /// `edited` may have members of the archive that are already other ones than those of the input.
  Optimizing(edit::EditedMembers edited, const OptimizeOptions& options)
      : options_(options), edited_(std::move(edited)), deployment_(edited_.deployment()) {
    for (const Module& module : deployment_.library().modules) {
      report_.modules.push_back({.name = module.name, .constants = {}, .pools = {}});
    }
  }

  /// Constants first: their changes do not affect lifetimes or sizes of tensors.
  OptimizeReport run() && {
    read_networks();
    if (options_.what.any_of_constants()) change_constants();
    if (options_.what.ram) change_offsets();
    report_.changed = edited_.names();
    if (edited_.empty() && refused_) throw support::Error(*refused_);
    if (!options_.output.empty()) report_.lost = edited_.write(options_.output);
    return std::move(report_);
  }

  /// The constants as `run` has them if all edits can be made.
  OptimizeReport decide_constants(const Networks& networks) && {
    makes_edits_ = false;
    for (const Network& one : networks.found) networks_.emplace(one.module, &one.topology);
    change_constants();
    return std::move(report_);
  }

 private:
  /// No change of a constant affects what a plan is made from.
  void read_networks() {
    if (options_.what.ram) {
      plan_ = get_or_throw(plan_archive(deployment_, options_.search));
      for (const ModulePlan& module : plan_.modules) {
        if (module.network) networks_.emplace(module.module, &*module.network);
      }
      return;
    }
    found_ = get_or_throw(deployment_.networks());
    for (const Network& network : found_.found)
      networks_.emplace(network.module, &network.topology);
  }

  void change_constants() {
    const std::string contradiction = contradiction_in(deployment_);
    if (!contradiction.empty()) {
      for (OptimizedModule& module : report_.modules) module.constants_kept = contradiction;
    } else {
      change_constants_of(support::positions(report_.modules.size()));
    }
    if (makes_edits_ && !edited_.empty()) change_bytes_of_main();
  }

  /// Changes these modules together, or one by one if that is not possible.
  void change_constants_of(std::span<const std::size_t> modules) {
    ConstantsByModule constants;
    for (const std::size_t module : modules) {
      attempt(module, [&] { read_constants_of(module, constants); });
    }
    if (constants.empty()) return;
    const auto changed = support::to_result([&] { change_together(constants); });
    if (changed) return;
    support::throw_unless_invalid(changed.error());
    if (modules.size() == 1) return keep_constants(modules.front(), changed.error());
    constants.clear();
    for (const std::size_t module : modules) change_constants_of({&module, 1});
  }

  /// If one module cannot change, the others still do.
  template <class Change>
  void attempt(std::size_t module, Change&& change) {
    const auto changed = support::to_result(change);
    if (!changed) keep_constants(module, changed.error());
  }

  void keep_constants(std::size_t module, const Diagnostic& why) {
    refuse_later(why);
    report_.modules[module].constants_kept = why.message;
  }

  /// Adds nothing for a module without C.
  void read_constants_of(std::size_t module, ConstantsByModule& constants) {
    report_.modules[module].constants_kept.clear();
    const Module& named = deployment_.library().modules[module];
    if (!named.files.objects.empty())
      edit::refuse("its code is in objects, which mlf does not change");
    if (!others_) others_.emplace(edited_);
    CConstants read = read_constants(module, *others_, edited_);
    if (read.readings.empty()) {
      report_.modules[module].constants_kept = "mlf reads no C of it";
      return;
    }
    constants.emplace(module, std::move(read));
  }

  /// Throws `Error` if captured TIR cannot change, or for other reasons that may concern several
  /// modules. Nothing changed then.
  void change_together(ConstantsByModule& constants) {
    std::vector<CapturedReading> captured = read_captured(constants, edited_);
    edit::EditedMembers edited = edited_.fork();
    std::map<std::size_t, NewConstants> wanted;
    std::map<std::size_t, ConstantSavings> saved;
    for (auto& one : constants) {
      keep_by_captured(captured, one.first, edited_, one.second);
      attempt(one.first, [&] {
        if (options_.compiler) keep_costly_singles(one.first, one.second, edited_, options_);
        const ConstantSavings savings = make_smaller(one.second, options_.what);
        if (makes_edits_ && savings.total() > 0) {
          wanted.emplace(one.first, change_c(one.second, edited));
        } else {
          keep_c(one.second);
        }
        saved.emplace(one.first, savings);
      });
    }
    if (makes_edits_) change_all(changed(std::move(captured), wanted), {}, edited);
    edited_.take_all(std::move(edited));
    for (const auto& [module, savings] : saved) take_result(module, savings, constants.at(module));
  }

  /// For the plan's step.
  void keep_c(CConstants& constants) {
    for (CReading& one : constants.readings) {
      edited_.keep_tir(std::move(one.tir));
    }
  }

  void take_result(std::size_t module, const ConstantSavings& saved, const CConstants& constants) {
    if (saved.total() > 0) {
      saved_in_arrays_[module] = saved_in_arrays(network_of(module), constants);
    }
    report_.modules[module].saved = saved;
    note(constants, report_.modules[module]);
    if (options_.what.narrow) attempt(module, [&] { change_parameters(module); });
  }

  /// Constants that the graph executor loads and passes to kernels.
  void change_parameters(std::size_t module) {
    std::ranges::move(narrow_parameters(module, network_of(module), edited_),
                      std::back_inserter(report_.modules[module].constants));
  }

  /// Null if the module has none.
  const graph::Topology* network_of(std::size_t module) const {
    return support::value_at(networks_, module).value_or(nullptr);
  }

  /// Changes `constants_size_bytes` of main, if it is the number that TVM counts.
  void change_bytes_of_main() {
    edited_.edit(edits_of_metadata(edited_, [&](const json::Document& metadata, auto& edits) {
      for (const auto& [module, network] : networks_) {
        const ArraySavings arrays =
            support::value_at(saved_in_arrays_, module).value_or(ArraySavings{});
        const std::uint64_t saved = report_.modules[module].saved.total() - arrays.dropped;
        change_metadata(metadata, report_.modules[module].name, "constants_size_bytes",
                        possible_changes(arrays, saved, *network), edits);
      }
    }));
  }

  /// Records a refusal. Parts that cannot change provably stay, and the rest changes. If nothing
  /// changes, the first refusal is the error. Throws if the diagnostic is not about the archive.
  void refuse_later(const Diagnostic& diagnostic) {
    support::throw_unless_invalid(diagnostic);
    if (!refused_) refused_ = diagnostic;
  }

  void change_offsets() {
    ArchivePlan possible;
    // If the user requested nothing else, missing pools are an error.
    const bool has_pools = std::ranges::any_of(
        plan_.modules, [](const ModulePlan& module) { return !module.pools.empty(); });
    if (!has_pools && !options_.what.any_of_constants()) refuse_without_pools(plan_);
    const PoolChanges changes{.drop_unused = options_.what.drop_unused};
    for (const ModulePlan& module : plan_.modules) {
      OptimizedModule& report = report_.modules[module.module];
      if (module.pools.empty()) {
        report.pools_kept = module.missing ? std::string(to_string(*module.missing))
                                           : "its buffers are in no memory pool";
        continue;
      }
      for (const ModulePoolPlan& pool : module.pools) {
        const std::uint64_t bytes = pool.plan.now.declared.value_or(0);
        report.pools.push_back({(*module.network)[pool.plan.now.pool].name, bytes, bytes});
      }
      const auto moves = support::to_result([&] { return moves_of(module, changes); });
      if (moves) {
        possible.modules.push_back(module);
      } else {
        refuse_later(moves.error());
        report.pools_kept = moves.error().message;
      }
    }
    if (possible.modules.empty()) return;
    for (const RamPlan way : ways_by_size(possible, options_.what)) {
      const auto changed = support::to_result([&] { change_ram(possible, way); });
      if (changed) return;
      refuse_later(changed.error());
      for (const ModulePlan& module : possible.modules) {
        report_.modules[module.module].pools_kept = changed.error().message;
      }
    }
  }

  void change_ram(const ArchivePlan& plan, RamPlan way) {
    std::vector<PoolMove> moves;
    if (way == RamPlan::order) {
      moves = move_calls(edited_, networks_, plan);
    } else {
      for (const ModulePlan& module : plan.modules) {
        std::ranges::move(moves_of(module, {way, options_.what.drop_unused}),
                          std::back_inserter(moves));
      }
      move_buffers(edited_, networks_, moves);
    }
    if (!moves.empty()) report_.ram_plan = way;
    for (const ModulePlan& module : plan.modules) {
      report_.modules[module.module].pools_kept.clear();
    }
    for (const PoolMove& move : moves) {
      std::vector<OptimizedPool>& pools = report_.modules[move.module].pools;
      OptimizedPool& pool = *std::ranges::find(pools, move.pool, &OptimizedPool::name);
      pool.bytes_after = std::min(pool.bytes_before, move.after.size);
    }
  }

  const OptimizeOptions& options_;
  bool makes_edits_ = true;
  edit::EditedMembers edited_;
  const Deployment& deployment_;
  ArchivePlan plan_;  // of workspace pools, if they may change
  Networks found_;    // without a plan
  NetworkOfModule networks_;
  std::optional<OtherCode> others_;
  OptimizeReport report_;
  std::map<std::size_t, ArraySavings> saved_in_arrays_;  // by module
  std::optional<Diagnostic> refused_;                    // the first one
};

OptimizeReport optimize(const Deployment& deployment, const OptimizeOptions& options) {
  // The user can compare the new archive with the old one.
  if (!options.output.empty())
    check_output(options.output, std::array{deployment.archive().path()});
  edit::EditedMembers edited(deployment, reading_of(deployment, options));
  if (!options.what.drop_unused) return Optimizing(std::move(edited), options).run();
  const auto functions = drop_functions(edited);
  // Lifetimes and constants are those of the functions that are left.
  const auto run = [&] {
    if (edited.empty()) return Optimizing(std::move(edited), options).run();
    const Deployment left = edited.open();
    edit::EditedMembers changed(left, edited.reading());
    changed.take_all(std::move(edited));
    return Optimizing(std::move(changed), options).run();
  };
  OptimizeReport report = run();
  for (std::size_t i = 0; i < functions.size(); ++i) report.modules[i].functions = functions[i];
  return report;
}

}  // namespace
}  // namespace mlf::optimize

namespace mlf {

std::span<const OptimizationName> optimization_names() {
  static constexpr std::array<OptimizationName, 5> kNames{
      {{"narrow", {.collapse = false, .share = false, .ram = false}},
       {"collapse", {.narrow = false, .share = false, .ram = false}},
       {"share", {.narrow = false, .collapse = false, .ram = false}},
       {"flash", {.ram = false}},
       {"ram", {.narrow = false, .collapse = false, .share = false}}}};
  return kNames;
}

Result<Optimizations> optimizations_named(std::span<const std::string> names) {
  Optimizations what{.narrow = false, .collapse = false, .share = false, .ram = false};
  for (const std::string& name : names) {
    const auto known = std::ranges::find(optimization_names(), name, &OptimizationName::name);
    if (known == optimization_names().end()) {
      return tl::make_unexpected(
          Diagnostic{ErrorKind::usage, "there is no optimization '" + name + "'", {}});
    }
    what.narrow |= known->what.narrow;
    what.collapse |= known->what.collapse;
    what.share |= known->what.share;
    what.ram |= known->what.ram;
  }
  return what;
}

std::string_view to_string(RamPlan plan) {
  return support::name_in({"offsets", "in-place", "order"}, plan);
}

Result<OptimizeReport> write_optimized(const Deployment& deployment,
                                       const OptimizeOptions& options) {
  return support::to_result_in(deployment.archive().path(),
                               [&] { return optimize::optimize(deployment, options); });
}

Result<OptimizeReport> smaller_constants(const Deployment& deployment, const Networks& networks) {
  return support::to_result_in(deployment.archive().path(), [&] {
    const OptimizeOptions options{.what = {.ram = false}};
    edit::EditedMembers members(deployment, optimize::reading_of(deployment, options));
    return optimize::Optimizing(std::move(members), options).decide_constants(networks);
  });
}

namespace {

using json::Writer;

void write_constant(Writer& out, const OptimizedConstant& constant) {
  out.member("name", constant.name);
  out.text_or_null("pool", constant.pool);
  out.member("dtype", to_string(constant.before));
  out.member("new_dtype", to_string(constant.after));
  out.member("bytes", constant.bytes_before);
  out.member("new_bytes", constant.bytes_after);
  out.member("collapsed", constant.is_collapsed);
  out.member("dropped", constant.is_dropped);
  out.member("parameter", constant.is_parameter);
  out.text_or_null("equal", constant.equal);
  out.text_or_null("kept", constant.kept);
}

void write_function(Writer& out, const OptimizedFunction& function) {
  out.member("name", function.symbol);
  out.member("dropped", function.is_dropped);
  out.text_or_null("kept", function.kept);
}

void write_pool(Writer& out, const OptimizedPool& pool) {
  out.member("name", pool.name);
  out.member("bytes", pool.bytes_before);
  out.member("new_bytes", pool.bytes_after);
}

void write_module(Writer& out, const OptimizedModule& module) {
  out.member("name", module.name);
  out.member("constants_bytes", module.constants_before);
  out.member("new_constants_bytes", module.constants_after);
  out.member("saved_by_narrowing", module.saved.narrowing);
  out.member("saved_by_collapsing", module.saved.collapsing);
  out.member("saved_by_sharing", module.saved.sharing);
  out.member("saved_by_dropping", module.saved.dropping);
  out.text_or_null("constants_kept", module.constants_kept);
  out.objects("constants", module.constants, write_constant);
  out.objects("unused_functions", module.functions, write_function);
  out.text_or_null("pools_kept", module.pools_kept);
  out.objects("pools", module.pools, write_pool);
}

}  // namespace

std::string to_json(const OptimizeReport& report, const DocumentForm& form) {
  return json::document_text(form, "mlf-optimize", kOptimizeVersion, [&](Writer& out) {
    out.objects("modules", report.modules, write_module);
    out.text_or_null("ram_plan",
                     report.ram_plan ? to_string(*report.ram_plan) : std::string_view());
    out.array("changed", [&] {
      for (const std::string& name : report.changed) out.value(name);
    });
  });
}

}  // namespace mlf
