// Writes reports, checks and differences as JSON: keys in the order of their schemas.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include "analysis/count_json.h"
#include "deployment/files_json.h"
#include "deployment/member_text.h"
#include "graph/formats/type_json.h"
#include "json/text.h"
#include "json/write_document.h"
#include "mlf/budget.h"
#include "mlf/diff.h"
#include "mlf/formats.h"
#include "mlf/integration.h"
#include "mlf/report.h"
#include "report/shared_numbers.h"
#include "support/error.h"
#include "support/numbers.h"

namespace mlf {
namespace report {
namespace {

using json::Writer;

void write_quantization(Writer& out, const Quantization& quantization) {
  out.member("scale", quantization.scale);
  out.member("zero_point", quantization.zero_point);
}

void write_integration_tensor(Writer& out, const IntegrationTensor& tensor) {
  out.member("name", tensor.name);
  out.text_or_null("field", tensor.field);
  graph::write_type(out, tensor.type);
  out.member("bytes", tensor.bytes);
  out.member("alignment", tensor.alignment);
  out.object("quantization", tensor.quantization, write_quantization);
}

void write_integration_function(Writer& out, const IntegrationFunction& function) {
  out.member("symbol", function.symbol);
  out.text_or_null("prototype", function.prototype);
  out.text_or_null("member", function.member);
  out.objects("arguments", function.arguments, write_integration_tensor);
}

void write_integration_memory(Writer& out, const IntegrationMemory& memory) {
  out.text_or_null("name", memory.name);
  out.member("kind", to_string(memory.kind));
  out.member("in_archive", memory.is_in_archive);
  out.member("bytes", memory.bytes);
  out.member("alignment", memory.alignment);
  out.text_or_null("section", memory.section);
  out.text_or_null("data", memory.data);
}

void write_external(Writer& out, const ExternalName& external) {
  out.member("name", external.name);
  out.member("origin", external.origin);
}

void write_integration_loop(Writer& out, const IntegrationLoop& loop) {
  out.member("function", loop.function);
  out.text_or_null("member", loop.member);
  out.member("line", loop.line);
  out.member("variable", loop.cost.variable);
  out.member("depth", loop.cost.depth);
  out.member("extent", loop.cost.extent);
  out.member("iterations", loop.cost.iterations);
}

/// With the names that a build needs.
ModuleFiles stored_files(const archive::Archive& archive, ModuleFiles files) {
  const auto rename = [&](FileRef& file) {
    file.name = deployment::stored_name(*archive.find(file.name));
  };
  for (auto* const list : {&files.sources, &files.objects, &files.headers}) {
    for (FileRef& file : *list) rename(file);
  }
  for (auto* const file : {&files.parameters, &files.relay, &files.graph}) {
    if (*file) rename(**file);
  }
  return files;
}

void write_integration(Writer& out, const ModuleIntegration& list, const ModuleFiles& files,
                       const ModuleReport& report) {
  out.member("name", list.name);
  out.text_or_null("interface", list.interface ? to_string(*list.interface) : std::string_view());
  out.objects("functions", list.functions, write_integration_function);
  out.objects("structs", list.structs, [&](Writer&, const CStruct& one) {
    out.member("name", one.name);
    out.member("fields", one.fields);
  });
  out.member("type_codes", list.type_codes);
  out.objects("inputs", list.inputs, write_integration_tensor);
  out.objects("outputs", list.outputs, write_integration_tensor);
  out.member("other_sizes", list.other_sizes);
  out.objects("memory", list.memory, write_integration_memory);
  out.objects("external", list.external, [&](Writer&, const ExternalName& one) {
    write_external(out, one);
    out.member("kind", one.is_variable ? "variable" : "function");
  });
  out.member("external_from", list.is_linked ? "objects" : "c");
  out.member("defined", list.defined);
  out.objects("headers", list.headers, write_external);
  out.member("include_directories", list.include_directories);
  out.member("definitions", list.definitions);
  out.member("flags", list.flags);
  out.objects("state", list.state, [&](Writer&, const KeptState& state) {
    out.member("name", state.name);
    out.member("bytes", state.bytes);
    out.member("why", state.why);
  });
  out.objects("loops", list.loops, write_integration_loop);
  out.object("files", files, deployment::write_files);
  out.member("uncertain", report.uncertain);
}

void write_lines(Writer& out, const CodeLines& lines) {
  out.member("file", lines.file);
  out.member("first_line", lines.first);
  out.member("last_line", lines.last);
}

/// The numbers of one group, in the order of measures.def.
void write_numbers(Writer& out, const ModuleReport& module, std::string_view group) {
  for (const ModuleMeasureInfo& one : module_measures()) {
    if (one.group() == group && one.is_in_documents()) out.member(one.name(), one.value(module));
  }
}

void write_ram(Writer& out, const ModuleReport& module) {
  write_numbers(out, module, "ram");
  out.member("uncertain", module.peak.uncertain);
}

void write_device(Writer& out, const DeviceReport& device) {
  out.member("device", device.device);
  for (const ModuleMeasureInfo& one : module_measures()) {
    if (const auto number = number_of(device, one)) out.member(one.name(), *number);
  }
  out.member("uncertain", device.uncertain);
}

void write_flash(Writer& out, const ModuleReport& module) {
  std::vector<std::string_view> uncertain;
  if (!module.code) uncertain.emplace_back("code: only a compiler knows its size");
  write_numbers(out, module, "flash");
  out.member("uncertain", uncertain);
}

void write_live(Writer& out, const analysis::LiveTensor& tensor) {
  out.member("name", tensor.name);
  out.member("role", analysis::to_string(tensor.role));
  out.member("memory", graph::to_string(tensor.memory));
  out.member("bytes", tensor.bytes);
}

void write_peak(Writer& out, const ModuleReport& module) {
  out.member("call", module.peak.call);
  write_numbers(out, module, "peak");
  std::vector<analysis::LiveTensor> live;
  if (module.network && module.peak.call) {
    live = analysis::live_tensors(*module.network, *module.peak.call);
  }
  out.objects("live", live, write_live);
}

void write_call(Writer& out, const ModuleReport& module, const CallReport& call) {
  const KernelReport& kernel = module.kernels[call.kernel];
  out.member("kernel", kernel.symbol);
  out.text_or_null("layer", call.layer);
  graph::write_type(out, call.output);
  for (const CallMeasureInfo& one : call_measures()) {
    if (module.times || !is_of_profile(one.measure)) out.member(one.name, call[one.measure]);
  }
  out.object("c", kernel.c, write_lines);
  out.object("tir", kernel.tir, write_lines);
  out.object("relay", call.relay, write_lines);
  out.member("uncertain", (kernel.cost ? *kernel.cost : unknown_cost()).uncertain);
}

void write_operation(Writer& out, const analysis::OperationCount& operation) {
  out.member("operation", analysis::to_string(operation.operation));
  out.member("dtype", tir::to_string(operation.dtype));
  out.member("count", operation.count);
}

void write_buffer(Writer& out, const analysis::BufferCost& buffer) {
  out.member("name", buffer.name);
  out.member("role", analysis::to_string(buffer.role));
  out.member("loads", buffer.loads);
  out.member("stores", buffer.stores);
  out.member("bytes_loaded", buffer.bytes_loaded);
  out.member("bytes_stored", buffer.bytes_stored);
}

void write_loop(Writer& out, const analysis::LoopCost& loop) {
  out.member("variable", loop.variable);
  out.member("depth", loop.depth);
  out.member("extent", loop.extent);
  out.member("iterations", loop.iterations);
  out.member("mac", loop.mac);
}

void write_extern_call(Writer& out, const analysis::ExternCall& callee) {
  out.member("symbol", callee.symbol);
  out.member("count", callee.count);
}

/// Bytes by section, and functions by name.
void write_compiled(Writer& out, const CompiledCode& code) {
  out.member("text", compiled_bytes(code, code.text));
  out.member("rodata", compiled_bytes(code, code.rodata));
  out.member("data", compiled_bytes(code, code.data));
  out.member("bss", compiled_bytes(code, code.bss));
  out.objects("functions", code.functions, [](Writer& of, const auto& function) {
    of.member("symbol", function.first);
    of.member("bytes", function.second.bytes);
    of.member("frame", function.second.frame);
  });
}

void write_objects(Writer& out, const ObjectCode& objects) {
  write_compiled(out, objects.code);
  out.text_or_null("main", objects.main);
  out.member("main_calls", objects.main_calls);
}

void write_kernel(Writer& out, const ModuleReport& module, const KernelReport& kernel) {
  out.member("symbol", kernel.symbol);
  out.text_or_null("source", kernel.source);
  out.text_or_null("target", kernel.target);
  out.object("c", kernel.c, write_lines);
  out.object("tir", kernel.tir, write_lines);
  const CompiledFunction* function = module.code ? module.code->find(kernel.symbol) : nullptr;
  out.member("code", function != nullptr ? std::optional(function->bytes) : std::nullopt);
  out.member("frame", function != nullptr ? function->frame : std::nullopt);
  const analysis::KernelCost& cost = kernel.cost ? *kernel.cost : unknown_cost();
  out.member("mac", cost.mac);
  out.member("loaded", cost.loaded);
  out.member("stored", cost.stored);
  out.member("index_operations", cost.index_operations);
  out.member("index_divisions", cost.index_divisions);
  out.member("float_operations", cost.float_operations);
  out.objects("operations", cost.operations, write_operation);
  out.objects("buffers", cost.buffers, write_buffer);
  out.objects("loops", cost.loops, write_loop);
  out.objects("extern_calls", cost.extern_calls, write_extern_call);
  out.member("uncertain", cost.uncertain);
}

void write_ratio(Writer& out, const Ratio& ratio) {
  out.member("min", ratio.min);
  out.member("max", ratio.max);
}

/// Without its code.
void write_found(Writer& out, const CostFinding& finding) {
  out.member("where", finding.where);
  out.member("bytes", finding.bytes);
  out.member("evidence", finding.evidence);
  if (finding.share) out.object("share", *finding.share, write_ratio);
}

void write_finding(Writer& out, const CostFinding& finding) {
  out.member("code", info(finding.code).code);
  write_found(out, finding);
}

void write_contradiction(Writer& out, const Contradiction& one) {
  out.member("code", one.code);
  out.member("detail", one.detail);
}

void write_time(Writer& out, const ModuleReport& module) {
  write_numbers(out, module, "time");
  out.member("origin", module.times->origin);
  out.member("assumed", module.times->are_assumed);
}

void write_module(Writer& out, const ModuleReport& module) {
  out.member("name", module.name);
  out.text_or_null("no_network",
                   module.no_network ? to_string(*module.no_network) : std::string_view());
  write_numbers(out, module, "");
  out.object("ram", module, write_ram);
  // Most networks have one device and no such key.
  if (!module.devices.empty()) out.objects("devices", module.devices, write_device);
  out.object("flash", module, write_flash);
  out.object("compiled", module.code, write_compiled);
  if (module.objects) out.object("objects", *module.objects, write_objects);
  out.object("peak", module, write_peak);
  if (module.times) out.object("time", module, write_time);
  out.objects("calls", module.calls,
              [&](Writer&, const CallReport& one) { write_call(out, module, one); });
  out.objects("kernels", module.kernels,
              [&](Writer&, const KernelReport& one) { write_kernel(out, module, one); });
  out.objects("findings", module.findings, write_finding);
  out.member("uncertain", module.uncertain);
  out.objects("contradictions", module.contradictions, write_contradiction);
}

void write_total(Writer& out, const Total& total) {
  out.member("module", total.module);
  out.member("resource", to_string(total.resource));
  out.member("needed", total.needed);
  out.member("missing", total.missing);
}

// --- Checks --------------------------------------------------------------------------------------

void write_limit(Writer& out, const BudgetResult& result) {
  out.member("module", result.module);
  out.member(result.limit.memory ? "memory" : "resource", to_string(result.limit));
  out.member("limit", result.limit.most);
  out.member("needed", result.needed);
  out.member("verdict", to_string(result.verdict));
  out.member("remarks", result.remarks);
}

void write_unwanted(Writer& out, const FindingResult& result) {
  out.member("module", result.module);
  out.member("code", info(result.code).code);
  out.member("presence", to_string(result.presence()));
  out.objects("found", result.found, write_found);
  out.member("unsearched", result.unsearched);
}

void write_part(Writer& out, const BoardPart& part) {
  out.member("archive", part.archive);
  out.member("name", part.name);
  out.member("memory", part.memory);
  out.member("bytes", part.bytes);
}

void write_clash(Writer& out, const SymbolClash& clash) {
  out.member("symbol", clash.symbol);
  out.member("archives", clash.archives);
}

void write_module_contradiction(Writer& out, const ModuleContradiction& one) {
  out.member("module", one.module);
  write_contradiction(out, one.what);
}

// --- Differences ---------------------------------------------------------------------------------

void write_change(Writer& out, const NumberChange& number) {
  out.member("what", number.what);
  out.member("before", number.before);
  out.member("after", number.after);
}

void write_storage_changes(Writer& out, const StorageChanges& changes) {
  out.member("types", changes.types);
  out.member("counts", changes.counts);
  out.member("shared", changes.shared);
}

std::optional<StorageChanges> stored_differently(const KernelDifference& kernel) {
  if (kernel.change != KernelChange::constants) return std::nullopt;
  return kernel.constants;
}

void write_changed_kernel(Writer& out, const KernelDifference& kernel) {
  out.member("change", to_string(kernel.change));
  out.text_or_null("before", kernel.before);
  out.text_or_null("after", kernel.after);
  out.object("constants", stored_differently(kernel), write_storage_changes);
  out.objects("numbers", kernel.numbers, write_change);
}

void write_changed_module(Writer& out, const ModuleDifference& module) {
  out.member("name", module.name);
  out.member("change", !module.before ? "added" : !module.after ? "removed" : "changed");
  out.objects("numbers", module.numbers, write_change);
  out.objects("kernels", module.kernels, write_changed_kernel);
  out.member("graph", module.graph);
  out.member("uncertain", module.uncertain);
}

void write_changed_constant(Writer& out, const ConstantDifference& one) {
  out.member("name", one.name);
  out.text_or_null("kernel", one.kernel);
  out.text_or_null("layer", one.layer);
  out.member("bytes", one.bytes);
  out.member("bytes_before", one.bytes_before);
  out.member("elements", one.elements);
  out.member("differing", one.differing);
  out.member("reordered", one.is_reordered);
  out.member("largest", one.largest);
}

void write_moved_kernel(Writer& out, const MovedKernel& one) {
  out.member("before", one.before);
  out.member("after", one.after);
}

void write_changed_member(Writer& out, const MemberDifference& one) {
  out.member("name", one.name);
  out.member("change", to_string(one.change));
  out.text_or_null("same_as", one.same_as);
  out.member("functions", one.functions);
}

void write_contradictions_of(Writer& out, std::string_view build,
                             const std::vector<ModuleContradiction>& contradictions) {
  for (const ModuleContradiction& one : contradictions) {
    out.begin_object();
    out.member("build", build);
    write_module_contradiction(out, one);
    out.end_object();
  }
}

// --- Node data of Model Explorer -----------------------------------------------------------------

// Its names for the fields are in the package ai-edge-model-explorer of PyPI, node_data_builder.py.

/// From zero to the maximum: white to amber, which keeps black text legible.
constexpr std::string_view kGradient =
    R"([{"stop":0,"bgColor":"#ffffff"},{"stop":1,"bgColor":"#fabd5c"}])";

void write_node_costs(json::Writer& out, const ModuleReport& module,
                      const CallMeasureInfo& measure) {
  out.text_key(module.network->module);
  out.begin_object();
  out.member("name", measure.words);
  out.object("results", [&] {
    for (std::size_t i = 0; i < module.calls.size(); ++i) {
      const analysis::Count count = module.calls[i][measure.measure];
      if (!count.is_exact()) continue;
      out.object("call" + std::to_string(i), [&] { out.member("value", count.min); });
    }
  });
  out.key("gradient");
  out.raw(kGradient);
  out.end_object();
}

// --- SARIF ---------------------------------------------------------------------------------------

void write_text(Writer& out, std::string_view key, std::string_view text) {
  out.object(key, [&] { out.member("text", text); });
}

void write_rule(Writer& out, std::string_view id, std::string_view meaning) {
  out.begin_object();
  out.member("id", id);
  write_text(out, "shortDescription", meaning);
  out.end_object();
}

void write_tool(Writer& out) {
  out.object("driver", [&] {
    out.member("name", "mlf");
    out.member("version", version());
    out.array("rules", [&] {
      for (const ResourceInfo& one : resource_infos()) {
        write_rule(out, fmt::format("over-{}", one.name),
                   fmt::format("The network needs more {} than the budget allows", one.name));
      }
      write_rule(out, "over-memory", "The networks need more of a memory than it has");
      write_rule(out, "symbol-clash", "Two archives define a symbol that a program can have once");
      for (const CostFindingInfo& finding : all_cost_findings()) {
        write_rule(out, finding.code, finding.meaning);
      }
    });
  });
}

struct SarifResult {
  std::string rule;
  std::string_view level;
  std::string text;
};

void write_result(Writer& out, const SarifResult& result, std::string_view archive) {
  out.member("ruleId", result.rule);
  out.member("level", result.level);
  write_text(out, "message", result.text);
  out.array("locations", [&] {
    out.begin_object();
    out.object("physicalLocation", [&] {
      // A file name may contain any bytes.
      out.object("artifactLocation", [&] { out.member("uri", json::valid_utf8(archive)); });
    });
    out.end_object();
  });
}

void write_artifact(Writer& out, const FileDigest& file) {
  out.object("location", [&] { out.member("uri", json::valid_utf8(file.name)); });
  if (file.sha256.empty()) return;
  out.object("hashes", [&] { out.member("sha-256", file.sha256); });
}

void add_limit(std::vector<SarifResult>& list, const BudgetResult& one) {
  if (one.verdict == Verdict::fits) return;
  list.push_back({fmt::format("over-{}", one.limit.memory ? "memory" : to_string(one.limit)),
                  one.verdict == Verdict::exceeds ? "error" : "warning",
                  fmt::format("{}: {} needs {}, the limit is {}: {}", printable(one.module),
                              printable(to_string(one.limit)), to_string(one.needed),
                              one.limit.most, fmt::join(one.remarks, "; "))});
}

void add_finding(std::vector<SarifResult>& list, const FindingResult& unwanted) {
  const std::string rule(info(unwanted.code).code);
  const std::string module = printable(unwanted.module);
  for (const CostFinding& one : unwanted.found) {
    list.push_back({rule, "error",
                    fmt::format("{}: {}: {} bytes: {}", module, printable(one.where),
                                to_string(one.bytes), printable(one.evidence))});
  }
  if (unwanted.presence() == Presence::undecided) {
    const std::string why = fmt::format("{}", fmt::join(unwanted.unsearched, "; "));
    list.push_back({rule, "warning", fmt::format("{}: undecided: {}", module, printable(why))});
  }
}

}  // namespace
}  // namespace report

std::string to_json(const Deployment& deployment, const Integration& integration,
                    const DocumentForm& form) {
  return json::document_text(form, "mlf-integration", kIntegrationVersion, [&](json::Writer& out) {
    out.member("archive", json::valid_utf8(deployment.archive().path()));
    out.objects("modules", support::positions(integration.modules.size()),
                [&](json::Writer&, std::size_t i) {
                  const ModuleFiles& files = deployment.library().modules[i].files;
                  report::write_integration(out, integration.modules[i],
                                            report::stored_files(deployment.archive(), files),
                                            integration.report.modules[i]);
                });
  });
}

Result<void> write_report_json(const Report& report, const DocumentForm& form, const Sink& sink) {
  return support::to_result([&] {
    support::FunctionSink bytes(sink);
    json::write_document(bytes, form, "mlf-report", kReportVersion, [&](json::Writer& out) {
      out.objects("modules", report.modules, report::write_module);
      out.objects("totals", totals(report), report::write_total);
    });
  });
}

std::string to_json(const CheckResults& results, const DocumentForm& form) {
  return json::document_text(form, "mlf-check", kCheckVersion, [&](json::Writer& out) {
    out.objects("results", results.limits, report::write_limit);
    out.objects("findings", results.findings, report::write_unwanted);
    out.objects("contradictions", results.contradictions, report::write_module_contradiction);
    out.objects("parts", results.parts, report::write_part);
    out.objects("clashes", results.clashes, report::write_clash);
  });
}

std::string to_json(const BuildDifference& difference, const DocumentForm& form) {
  return json::document_text(form, "mlf-diff", kDiffVersion, [&](json::Writer& out) {
    out.objects("modules", difference.modules, report::write_changed_module);
    out.objects("constants", difference.constants, report::write_changed_constant);
    out.objects("members", difference.members, report::write_changed_member);
    out.objects("moved", difference.moved, report::write_moved_kernel);
    out.array("contradictions", [&] {
      report::write_contradictions_of(out, "before", difference.contradictions_before);
      report::write_contradictions_of(out, "after", difference.contradictions_after);
    });
  });
}

Result<void> write_node_data(const Report& report, CallMeasure measure, JsonLayout layout,
                             const Sink& sink) {
  return support::to_result([&] {
    support::FunctionSink bytes(sink);
    json::write_object(bytes, layout, [&](json::Writer& out) {
      for (const ModuleReport& module : report.modules) {
        if (!module.network) continue;
        report::write_node_costs(out, module, call_measures()[static_cast<std::size_t>(measure)]);
      }
    });
  });
}

std::string to_sarif(const CheckResults& results, std::string_view archive,
                     const DocumentForm& form) {
  std::vector<report::SarifResult> list;
  for (const BudgetResult& one : results.limits) report::add_limit(list, one);
  for (const FindingResult& one : results.findings) report::add_finding(list, one);
  for (const SymbolClash& one : results.clashes) {
    list.push_back({"symbol-clash", "error",
                    fmt::format("{} is defined by {}", printable(one.symbol),
                                printable(fmt::format("{}", fmt::join(one.archives, ", "))))});
  }
  std::vector<FileDigest> read;
  for (const ArchiveOrigin& one : form.origin.archives) {
    read.push_back(one.archive);
    for (const auto* const files : {&one.members, &one.files}) {
      read.insert(read.end(), files->begin(), files->end());
    }
  }
  return json::object_text(form.layout, [&](json::Writer& out) {
    out.member("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    out.member("version", "2.1.0");
    out.array("runs", [&] {
      out.begin_object();
      out.object("tool", [&] { report::write_tool(out); });
      out.array("invocations", [&] {
        out.begin_object();
        out.member("commandLine", json::valid_utf8(form.origin.command));
        out.member("executionSuccessful", true);
        out.end_object();
      });
      out.objects("artifacts", read, report::write_artifact);
      out.objects("results", list, [&](json::Writer&, const report::SarifResult& one) {
        report::write_result(out, one, archive);
      });
      out.end_object();
    });
  });
}

}  // namespace mlf
