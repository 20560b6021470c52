#include "mlf/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/cost/accumulation.h"
#include "analysis/cost/regions.h"
#include "analysis/packed_arguments.h"
#include "deployment/contradictions.h"
#include "deployment/entry_point.h"
#include "deployment/member_text.h"
#include "deployment/network_search.h"
#include "graph/formats/dot_text.h"
#include "graph/kernels/kernel_code.h"
#include "graph/network/memory_use.h"
#include "plan/network/network_problem.h"
#include "report/constants.h"
#include "report/findings.h"
#include "report/kernel_text.h"
#include "report/layers.h"
#include "report/memory.h"
#include "report/relay_text.h"
#include "report/shared_numbers.h"
#include "support/c_files.h"
#include "support/error.h"
#include "support/lookup.h"
#include "support/name_map.h"
#include "tir/c/c.h"

namespace mlf {
namespace report {
namespace {

using analysis::Count;
using support::get_or_throw;
namespace f = tir::f;

/// The PrimFuncs of one TIR, and their lines in its text.
struct TirFunctions {
  std::shared_ptr<const tir::Document> document;
  std::shared_ptr<const graph::DocumentCode> code;
  std::map<std::string, CodeLines, std::less<>> lines;  ///< of functions that a text contains
};

/// The lines of the functions in a text with TIR.
std::map<std::string, CodeLines, std::less<>> lines_in(const tir::Document& document,
                                                       std::string_view text,
                                                       const std::string& file) {
  std::map<std::string, CodeLines, std::less<>> lines;
  const LineTable table(text);
  for (const tir::NamedFunction& one : tir::prim_functions_of(document.module)) {
    const auto range = document.module.source_range(one.function.id());
    if (!range) continue;
    lines.emplace(one.name, CodeLines{file, table.line_of(range->begin),
                                      table.line_of(range->end > 0 ? range->end - 1 : 0)});
  }
  return lines;
}

/// The lines of functions in the text beside a lossless twin. An unreadable text gives none.
std::map<std::string, CodeLines, std::less<>> lines_of_text(const Deployment& deployment,
                                                            const TirSource& twin) {
  const TirSource text = text_beside(deployment.archive(), twin);
  const auto document = support::value_if_valid(deployment.read_tir(text));
  if (!document) return {};
  return lines_in(*document, text.text, text.name);
}

/// The file of C that defines a pool of constants, as TVM prints it.
std::string file_with_pool(const archive::Archive& archive, const TirSource& c,
                           const graph::Topology& network) {
  const auto pool = std::ranges::find(network.pools, graph::PoolKind::constant, &graph::Pool::kind);
  for (const archive::Member* member : c.c_members) {
    const std::string_view text = get_or_throw(archive.read(*member));
    if (text.find("struct " + pool->name + " {") != text.npos) return member->name;
  }
  return c.name;
}

/// Files that are not compiled define functions too.
void add_defined(const Deployment& deployment, const Module& module, ModuleReport& report) {
  if (report.code && report.code->uncompiled.empty()) return;
  for (const FileRef& file : module.files.sources) {
    const std::string_view text = deployment::member_text(deployment.archive(), file);
    tir::CReferences names = tir::references_of(text, deployment.macros());
    report.defined.merge(names.exported);
    if (!report.code) continue;
    std::erase_if(report.code->missing,
                  [&](const std::string& name) { return names.defined.contains(name); });
  }
}

/// Other modules do not share them.
void add_own_pools(const Deployment& deployment, const Module& module, ModuleReport& report) {
  std::set<std::string, std::less<>> pools;
  for (const graph::Pool& pool : report.network->pools) {
    if (pool.kind == graph::PoolKind::workspace) pools.insert(pool.name);
  }
  if (pools.empty()) return;
  for (const FileRef& file : module.files.sources) {
    const std::string_view text = deployment::member_text(deployment.archive(), file);
    for (const tir::CArray& array : tir::describe_c(text, deployment.macros()).arrays) {
      if (pools.contains(array.name)) report.own_pools.insert(array.name);
    }
  }
}

/// An object file that is not ELF gives no numbers; the report states that it exists.
void add_objects(const archive::Archive& archive, const Module& module, ModuleReport& report) {
  const auto objects = object_code(archive, module);
  if (objects) {
    report.objects = *objects;
  } else {
    support::throw_unless_invalid(objects.error());
    report.uncertain.push_back(objects.error().where.member + ": " + objects.error().message);
  }
}

/// The first tensor that a call writes, with the kernel's type: main has bytes, not shapes.
graph::TensorType output_of(const graph::Call& call) {
  const auto written = std::ranges::find_if(
      call.arguments, [](const graph::Argument& argument) { return argument.writes.has_value(); });
  return written == call.arguments.end() ? graph::TensorType{} : written->type;
}

void add_calls(ModuleReport& module, const graph::Topology& network) {
  const std::vector<analysis::CallMemory> memory = analysis::call_memory(network);
  for (std::size_t i = 0; i < network.calls.size(); ++i) {
    const graph::Call& call = network.calls[i];
    const KernelReport& kernel = module.kernels[index(call.kernel)];
    module.calls.push_back(
        {.call = static_cast<graph::CallId>(i),
         .kernel = index(call.kernel),
         .output = output_of(call),
         .numbers = call_numbers(kernel.cost ? *kernel.cost : unknown_cost(), memory[i], {})});
  }
  module.mac = total(module.calls, CallMeasure::mac);
  // Parts of main that are not understood may call kernels too, or end main.
  if (network.gaps.empty()) return;
  module.mac += Count::unknown();
  if (!network.may_end_at) return;
  const auto ended = std::ranges::find_if(
      network.calls, [&](const graph::Call& call) { return call.position >= *network.may_end_at; });
  const auto certain = static_cast<std::size_t>(ended - network.calls.begin());
  module.mac.min = total(std::span(module.calls).first(certain), CallMeasure::mac).min;
}

/// A constant without known data may equal others.
void widen_findings(ModuleReport& module) {
  constexpr CostFindingCode kTwice = CostFindingCode::constants_twice;
  if (std::ranges::find(module.unsearched, kTwice, &UnsearchedFinding::code) ==
      module.unsearched.end()) {
    return;
  }
  for (CostFinding& finding : module.findings) {
    if (finding.code == kTwice) finding.bytes.max.reset();
  }
}

/// Nothing if anchors that cannot be told apart need different numbers.
std::optional<std::uint64_t> common_macs(const std::vector<RelayAnchor>& anchors,
                                         const std::vector<std::size_t>& group) {
  const std::optional<std::uint64_t> first = anchors[group.front()].macs;
  const bool is_common =
      std::ranges::all_of(group, [&](std::size_t anchor) { return anchors[anchor].macs == first; });
  return is_common ? first : std::nullopt;
}

void note_missing(const Networks& networks, std::size_t position, ModuleReport& module) {
  const MissingNetwork* missing = networks.missing_of(position);
  if (missing == nullptr) return;
  module.no_network = missing->reason;
  module.uncertain.insert(module.uncertain.begin(), std::string(to_string(missing->reason)));
}

/// Names of constants that the C has in its declarations alone.
support::NameSet<std::string> unread_constants(const Deployment& deployment, std::size_t position,
                                               const ModuleReport& module) {
  tir::c::WordCounts counts;
  if (!module.network) return {};
  for (const tir::OtherMemory& one : module.network->other_memory) {
    if (one.kind == tir::OtherKind::constant_in_kernel) counts.emplace(one.name, 0);
  }
  if (counts.empty()) return {};
  const std::vector<Module>& modules = deployment.library().modules;
  const ModuleFiles& own = modules[position].files;
  for (const archive::Member& member : deployment.archive().members()) {
    // Of thousands of modules, each has its own files.
    const auto is_own = [&](const FileRef& file) { return file.name == member.name; };
    const bool is_file =
        modules.size() == 1
            ? support::is_c_source(member.name) || support::is_c_header(member.name)
            : std::ranges::any_of(own.sources, is_own) || std::ranges::any_of(own.headers, is_own);
    if (!is_file) continue;
    const std::string_view text = get_or_throw(deployment.archive().read(member));
    if (tir::c::joins_words(text)) return {};
    tir::c::count_words(text, counts);
  }
  support::NameSet<std::string> unread;
  for (const auto& [name, count] : counts) {
    if (count == 1) unread.insert(name);
  }
  return unread;
}

/// Makes the report of one archive.
class Reporter {
 public:
  Reporter(const Deployment& deployment, const ReportOptions& options)
      : deployment_(deployment), options_(options) {
    for (const archive::Member& member : deployment.archive().members()) {
      const bool is_code = member.name.starts_with("codegen/");
      if (is_code && support::is_assembler(member.name)) assembler_ = member.name;
    }
  }

  Report run() {
    const Networks networks = get_or_throw(deployment_.networks());
    if (options_.searches_findings) {
      smaller_ = support::value_if_valid(smaller_constants(deployment_, networks))
                     .value_or(OptimizeReport{});
    }
    Report report;
    for (std::size_t i = 0; i < deployment_.library().modules.size(); ++i) {
      const graph::Topology* network = networks.of(i);
      ModuleReport& module = report.modules.emplace_back(module_report(i, network));
      const Module& told = deployment_.library().modules[i];
      module.exported = told.export_datetime;
      module.targets = target_kinds(told, network);
      if (network == nullptr) note_missing(networks, i, module);
      const tir::Node main = add_constants(module, i);
      if (options_.searches_findings) add_findings(module, i, main);
    }
    return report;
  }

 private:
  ModuleReport module_report(std::size_t position, const graph::Topology* network) {
    const Module& module = deployment_.library().modules[position];
    ModuleReport report;
    report.name = module.name;
    if (network != nullptr) {
      add_kernels_of_network(report, *network);
      add_calls(report, *network);
      add_memory(report, *network);
      add_executor_files(report, module.files, *network);
      const auto sources = deployment::network_sources(deployment_, *network);
      report.ram.arguments = analysis::packed_arguments(main_of(network));
      if (report.ram.arguments != Count()) add_passed_arguments(report, module);
      // Parts of main that are not understood may pass more.
      if (!network->gaps.empty()) report.ram.arguments += Count::unknown();
      add_entry_point(report, module);
      report.lower_bound = plan::least_memory(*network, sources).all;
      report.network = *network;
      add_own_pools(deployment_, module, report);
    } else {
      const Count unknown = Count::unknown();
      report.mac = unknown;
      report.ram = {unknown, unknown, unknown, unknown, unknown, unknown};
      report.flash.constants = unknown;
      add_bare_functions(report, position);
      report.peak.bytes = report.peak.used = report.lower_bound = unknown;
    }
    if (network != nullptr && module.files.relay) add_layers(report, *module.files.relay);
    // Also without a network: the C of one operator can contain constants twice.
    report.flash.copies = copied_constants(deployment_.archive(), module);
    report::CLines c = report::c_lines(deployment_.archive(), module);
    for (KernelReport& kernel : report.kernels) {
      const auto found = c.functions.find(kernel.symbol);
      if (found != c.functions.end()) kernel.c = found->second;
    }
    report.constants.c = std::move(c.constants);
    if (options_.compiler && !module.files.sources.empty()) {
      report.code = get_or_throw(compile_module(deployment_.archive(), module, *options_.compiler));
    }
    add_defined(deployment_, module, report);
    add_objects(deployment_.archive(), module, report);
    // Without C, no compiler adds anything to them.
    if (report.objects && module.files.sources.empty()) report.code = report.objects->code;
    add_writable_pools(report);
    if (!assembler_.empty() && (report.network || report.code)) {
      report.ram.pools += Count::unknown();
      report.flash.constants += Count::unknown();
      note(report, "the memory of '" + assembler_ + "' is not read");
    }
    collect_reasons(report);
    report.contradictions = contradictions_of(deployment_, position, network);
    return report;
  }

  /// A run of the module may run main several times, and do more.
  void add_entry_point(ModuleReport& report, const Module& module) const {
    const auto call = deployment::call_of_main(deployment_.archive(), module, deployment_.macros());
    if (!call) return;
    if (!call->is_single) note(report, "the entry point may run main more than once");
    const bool calls_others = !call->other_call.empty();
    if (calls_others) {
      note(report,
           fmt::format("the entry point calls '{}', which may take memory", call->other_call));
      report.ram.heap.max.reset();
    }
    if (!call->is_single || calls_others || call->multiplies) report.mac.max.reset();
    if (calls_others || call->has_arrays) report.ram.stack.max.reset();
    if (call->has_arrays)
      note(report, "the entry point has arrays on the stack, which are not counted");
    if (call->multiplies)
      note(report, "the entry point has loops and products, which are not counted");
    if (!call->has_texts) return;
    report.flash.constants.max.reset();
    note(report, "the entry point has texts, which are not counted");
  }

  /// Whether a file of C may define a function that is no kernel of the module. Main calls one.
  bool defines_others(const ModuleReport& module, std::size_t position) const {
    const support::NameIndex kernels(module.kernels, &KernelReport::symbol);
    const auto is_other = [&](const std::string& name) {
      const bool is_main = std::ranges::find(tir::kMainNames, name) != tir::kMainNames.end();
      return !is_main && kernels.find(name) == nullptr;
    };
    return std::ranges::any_of(
        deployment_.library().modules[position].files.sources, [&](const FileRef& file) {
          const std::string_view text = deployment::member_text(deployment_.archive(), file);
          return std::ranges::any_of(tir::references_of(text, deployment_.macros()).defined,
                                     is_other);
        });
  }

  /// Those of a packed main. Objects may have the entry point where there is no C.
  void add_passed_arguments(ModuleReport& report, const Module& module) const {
    if (module.files.sources.empty()) return;
    const auto passed =
        deployment::passed_arguments(deployment_.archive(), module, deployment_.macros());
    report.ram.arguments += analysis::to_count(passed);
    if (!passed) note(report, "the C does not show which arguments the entry point passes on");
  }

  void add_kernels_of_network(ModuleReport& module, const graph::Topology& network) {
    const std::vector<std::string> names = graph::short_names(network);
    for (std::size_t i = 0; i < network.kernels.size(); ++i) {
      const graph::Kernel& kernel = network.kernels[i];
      KernelReport& report = module.kernels.emplace_back();
      report.symbol = kernel.symbol;
      report.short_name = names[i];
      report.target = kernel.target;
      if (kernel.has_tir()) add_function(report, kernel.source, kernel.function);
    }
  }

  /// The sources of one stage that have functions of a module, in their order.
  std::span<const TirSource* const> sources_of_module(std::size_t position) {
    if (!sources_of_modules_) {
      sources_of_modules_.emplace(deployment_.library().modules.size());
      for (const TirSource& source : deployment_.tir_sources()) {
        // Stages before and after show the same functions once more.
        if (source.stage != "lowered" && source.stage != "codegen") continue;
        for (const std::size_t module : get_or_throw(deployment_.owners_of(source)).modules) {
          sources_of_modules_->at(module).push_back(&source);
        }
      }
    }
    return sources_of_modules_->at(position);
  }

  /// Functions of a module that has no main: those whose symbols carry its name, and in an archive
  /// of one module all.
  void add_bare_functions(ModuleReport& module, std::size_t position) {
    std::vector<graph::TirInput> inputs;
    for (const TirSource* source : sources_of_module(position)) {
      inputs.emplace_back(functions_of(source->stem).code, source->stem);
      for (const auto& [name, function] : functions_of(source->stem).code->functions()) {
        KernelReport& kernel = module.kernels.emplace_back();
        kernel.symbol = name;
        kernel.short_name = name;
        add_function(kernel, source->stem, name);
      }
    }
    const bool is_operators = deployment_.library().modules[position].style == Style::operator_only;
    if (!is_operators || inputs.empty()) return;
    // Of each function once.
    module.mac = 0;
    for (const KernelReport& kernel : module.kernels) {
      module.mac += kernel.cost ? kernel.cost->mac : Count::unknown();
    }
    const auto lacks_functions = [](const graph::TirInput& one) {
      return std::ranges::any_of(one.document->losses, [](const tir::Loss& loss) {
        return loss.code == tir::LossCode::foreign_function ||
               loss.code == tir::LossCode::undefined_name;
      });
    };
    if (std::ranges::any_of(inputs, lacks_functions) || defines_others(module, position)) {
      module.mac.max.reset();
    }
    const graph::MemoryTotals totals = graph::memory_in_turn(inputs);
    module.ram.heap = analysis::to_count(totals.heap);
    module.ram.stack = analysis::to_count(totals.stack);
    std::vector<tir::OtherMemory> memory;
    for (const graph::TirInput& input : inputs) {
      std::ranges::copy(input.document->other_memory, std::back_inserter(memory));
    }
    module.flash.constants = constants_in_sections(memory, totals);
    note_other_memory(module, memory);
  }

  /// Adds the facts from a kernel's TIR: its cost and its lines.
  void add_function(KernelReport& kernel, std::string_view stem, std::string_view name) {
    const TirFunctions& functions = functions_of(stem);
    const tir::Node function = functions.code == nullptr ? tir::Node() : functions.code->find(name);
    if (!function) return;
    kernel.source = stem;
    kernel.document = functions.document;
    kernel.function = function.id();
    kernel.cost = analysis::kernel_cost(functions.code->code_of(function));
    const auto lines = functions.lines.find(name);
    if (lines != functions.lines.end()) kernel.tir = lines->second;
  }

  const TirFunctions& functions_of(std::string_view stem) {
    if (const auto known = tir_.find(stem); known != tir_.end()) return known->second;
    TirFunctions& functions = tir_[std::string(stem)];
    const TirSource* source = deployment_.find_tir(stem);
    if (source == nullptr) return functions;
    functions.document = get_or_throw(deployment_.document(*source));
    functions.code = get_or_throw(deployment_.code(*source));
    // Generated C has its own places, file by file; save_json has none.
    if (source->twin_of != nullptr) {
      functions.lines = lines_of_text(deployment_, *source);
    } else if (!source->c) {
      functions.lines = lines_in(*functions.document, source->text, source->name);
    }
    return functions;
  }

  /// Relay's text is the model before fusion.
  void add_layers(ModuleReport& module, const FileRef& relay) {
    const std::string_view text = deployment::member_text(deployment_.archive(), relay);
    const std::vector<RelayAnchor> anchors = relay_anchors(text);
    const RelayQuantization quantization = quantization_in(text);
    ReducedArguments reduced;
    for (const KernelReport& kernel : module.kernels) {
      auto& of_kernel = reduced.emplace_back();
      if (!kernel.document) continue;
      const graph::DocumentCode& code = *functions_of(kernel.source).code;
      of_kernel = analysis::accumulated_parameters(
          code.code_of(code.document().module.node(kernel.function)));
    }
    const LayerMatches matches = match_layers(*module.network, reduced, anchors);
    std::vector<std::optional<std::uint64_t>> macs;
    for (const auto& group : matches.groups) macs.push_back(common_macs(anchors, group));
    for (CallReport& call : module.calls) {
      const auto& group = matches.group_of_call[index(call.call)];
      if (!group) continue;
      call.relay_macs = macs[*group];
      // Anchors that cannot be told apart give no name.
      if (matches.groups[*group].size() > 1) continue;
      const RelayAnchor& anchor = anchors[matches.groups[*group].front()];
      call.layer = anchor.layer;
      call.relay = CodeLines{relay.name, anchor.line, anchor.line};
      call.result = support::value_at(quantization.results, anchor.line).value_or(CallLayer());
    }
  }

  /// Main of an AOT network, if TIR contains it; otherwise undefined. Graph executors have no main:
  /// their C runtime executes the graph JSON.
  tir::Node main_of(const graph::Topology* network) {
    if (network == nullptr) return {};
    const graph::Provenance& provenance = network->provenance;
    if (provenance.kind != graph::ProvenanceKind::main_function) return {};
    const auto& code = functions_of(provenance.source).code;
    return code == nullptr ? tir::Node() : code->find(provenance.function);
  }

  /// Sets the sources of constants. Returns the main whose attributes list those of pools with
  /// their data. Most texts omit them; the C of the same main has them.
  tir::Node add_constants(ModuleReport& module, std::size_t position) {
    if (!module.network) return {};
    ConstantSources& sources = module.constants;
    const graph::Topology& network = *module.network;
    if (network.provenance.kind == graph::ProvenanceKind::graph_json) {
      if (const auto& file = deployment_.library().modules[position].files.parameters) {
        sources.member = file->name;
        sources.file = std::make_shared<const std::string>(
            deployment::member_text(deployment_.archive(), *file));
        sources.parameters = support::value_if_valid(
                                 read_params(std::as_bytes(std::span(*sources.file)), file->name))
                                 .value_or(std::vector<Param>());
      }
    }
    const tir::Node main = main_of(&network);
    if (main) sources.main = functions_of(network.provenance.source).document;
    if (!main ||
        !std::ranges::count(network.pools, graph::PoolKind::constant, &graph::Pool::kind)) {
      return main;
    }
    sources.pools = sources.main;
    if (!report::offsets_with_data(main).empty()) return main;
    for (const TirSource& c : get_or_throw(deployment_.generated_c(position))) {
      const auto document = support::value_if_valid(deployment_.document(c));
      if (!document) continue;
      for (const tir::NamedFunction& one : tir::prim_functions_of((*document)->module)) {
        if (!tir::is_main_symbol(one.symbol)) continue;
        sources.pools = *document;
        sources.member = file_with_pool(deployment_.archive(), c, network);
        return one.function;
      }
    }
    return main;
  }

  std::vector<NamedFunction> functions_of_module(const ModuleReport& module) {
    std::vector<NamedFunction> functions;
    for (const KernelReport& kernel : module.kernels) {
      if (!kernel.document) continue;
      functions.push_back({kernel.symbol, kernel.document->module.node(kernel.function)});
    }
    const tir::Node main = module.network ? main_of(&*module.network) : tir::Node();
    if (main) functions.push_back({module.network->provenance.function, main});
    return functions;
  }

  /// The functions in the checks of the network, with their TIR if main's source has it.
  std::vector<NamedFunction> uncalled_functions(const ModuleReport& module) {
    std::vector<NamedFunction> functions;
    if (!module.network) return functions;
    const auto& code = functions_of(module.network->provenance.source).code;
    for (const graph::Check& check : module.network->checks) {
      if (check.code != graph::CheckCode::unused_kernel) continue;
      functions.push_back({check.symbol, code == nullptr ? tir::Node() : code->find(check.symbol)});
    }
    return functions;
  }

  /// With what of the module could not be searched for them.
  void add_findings(ModuleReport& module, std::size_t position, tir::Node main) {
    const OptimizedModule* const smaller = smaller_constants_of(position);
    if (smaller != nullptr) {
      for (const OptimizedConstant& one : smaller->constants)
        module.saved_by_optimize += one.bytes_saved;
    }
    const SearchedCode code{functions_of_module(module), main,
                            unread_constants(deployment_, position, module), smaller};
    module.findings = findings_of(module, code, uncalled_functions(module));
    module.unsearched = unsearched_findings(module, code);
    widen_findings(module);
  }

  /// Null if `mlf optimize` reads no constants of the module.
  const OptimizedModule* smaller_constants_of(std::size_t position) const {
    if (position >= smaller_.modules.size()) return nullptr;
    const OptimizedModule& module = smaller_.modules[position];
    return module.constants.empty() ? nullptr : &module;
  }

  const Deployment& deployment_;
  const ReportOptions& options_;
  OptimizeReport smaller_{};                              // constants that could be
  std::string assembler_;                                 // a member; its data are not read
  std::map<std::string, TirFunctions, std::less<>> tir_;  // by stem
  /// By module, if needed: an archive may have thousands of modules and sources.
  std::optional<std::vector<std::vector<const TirSource*>>> sources_of_modules_;
};

}  // namespace
}  // namespace report

using analysis::Count;

std::string report::about_kernel(const KernelReport& kernel, const std::string& why) {
  return "'" + kernel.symbol + "': " + why;
}

Result<Report> report_of(const Deployment& deployment, const ReportOptions& options) {
  return support::to_result([&] { return report::Reporter(deployment, options).run(); });
}

std::vector<ModuleContradiction> contradictions_of(const Report& report) {
  std::vector<ModuleContradiction> list;
  for (const ModuleReport& module : report.modules) {
    for (const Contradiction& one : module.contradictions) list.push_back({module.name, one});
  }
  return list;
}

}  // namespace mlf
