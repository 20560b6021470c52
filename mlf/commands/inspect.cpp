// mlf inspect: the contents of an archive.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "arguments.h"
#include "commands/command.h"
#include "deployment/contradictions.h"
#include "mlf/inspection.h"
#include "options.h"
#include "report/integration_tables.h"
#include "support/characters.h"
#include "support/error.h"
#include "support/lookup.h"
#include "table.h"

namespace mlf::program {
namespace {

using report::or_dash;

struct InspectArguments {
  std::string archive;
  bool json = false;
  bool integration = false;
  bool loops = false;
  CompilerArguments compiler{};
};

void declare_inspect_options(CLI::App& app, InspectArguments& options) {
  app.add_option("ARCHIVE", options.archive, kArchiveHelp)->required();
  auto* integration =
      add_flag(app, "--integration", options.integration, "Output",
               "Show what an application needs to run the modules: functions, memory, what the "
               "archive does not define, headers, state");
  add_flag(app, "--loops", options.loops, "Output",
           "With --integration, also show the loops of the C: lines, extents, iterations")
      ->needs(integration);
  add_compiler_options(app, options.compiler,
                       "Find with this compiler which functions the archive does not define");
  app.get_option("--cc")->needs(integration);
  add_flag(app, "--json", options.json, "Output",
           "Print JSON (schemas/inspect.md, integration.md)");
}

std::string executors_of(const Module& module) {
  std::vector<std::string_view> names;
  for (const Executor executor : module.executors) names.push_back(to_string(executor));
  return or_dash(fmt::format("{}", fmt::join(names, ", ")));
}

std::string format_of(const ModelLibrary& library) {
  if (library.has_metadata()) return fmt::format("Model Library Format {}", library.version);
  return library.is_build ? "build without an archive"
                          : "no metadata.json, modules are those that files name";
}

std::string headline(const Deployment& deployment, const Screen& screen) {
  const std::string line = fmt::format(
      "{}: {}, {}, {} members", deployment.archive().path(), format_of(deployment.library()),
      to_string(deployment.archive().storage()), deployment.archive().members().size());
  return folded(printable(line), screen, 2) + "\n";
}

Table modules_table(const ModelLibrary& library, const Inspection& inspection) {
  Table table({"MODULE", "STYLE", "EXECUTOR", "TARGETS", "EXPORTED", "TVM"});
  for (std::size_t i = 0; i < library.modules.size(); ++i) {
    const Module& module = library.modules[i];
    // TVM states its version as that of its C runtime.
    const auto runtime = std::ranges::find(module.external_dependencies, "tvm_standalone_crt",
                                           &ExternalDependency::short_name);
    const bool is_stated = runtime != module.external_dependencies.end();
    table.add({or_dash(module.name), std::string(to_string(module.style)), executors_of(module),
               or_dash(fmt::format(
                   "{}", fmt::join(target_kinds(module, inspection.network_of(i)), ", "))),
               module.export_datetime.value_or("-"),
               is_stated ? runtime->version_spec : "not stated"});
  }
  return table;
}

Table entry_points_table(const ModelLibrary& library, const Inspection& inspection) {
  Table table({"=MODULE", "ENTRY POINT", "INTERFACE", "IN"});
  for (std::size_t i = 0; i < library.modules.size(); ++i) {
    const std::optional<EntryPoint>& entry = inspection.entry_points[i];
    if (!entry) continue;
    table.add({or_dash(library.modules[i].name), entry->function,
               std::string(to_string(entry->interface)), entry->member});
  }
  return table;
}

// --- Memory ------------------------------------------------------------------------------------

std::string in_bytes(const graph::ByteCount& count) {
  return to_string(analysis::to_count(count));
}

std::string_view label_of(ClaimKind kind) {
  constexpr std::string_view kLabels[] = {"inputs and outputs", "constants", "workspace"};
  return kLabels[static_cast<std::size_t>(kind)];
}

/// The inputs and outputs that metadata.json lists.
graph::ByteCount listed_tensors(const Module& module) {
  graph::ByteCount sum;
  for (const MainMemory& main : module.memory.main) {
    for (const auto* tensors : {&main.inputs, &main.outputs}) {
      if (!*tensors) sum += {0, graph::Exactness::at_least};
      for (const IoTensor& one : tensors->value_or(std::vector<IoTensor>())) {
        sum += {one.size_bytes};
      }
    }
  }
  return sum;
}

/// The claims of metadata.json, if the network is unknown.
void add_claims_alone(Table& table, const std::string& module, const Module& of) {
  for (const MemoryClaim& claim : memory_claims(of)) {
    const bool is_known = claim.kind == ClaimKind::inputs_and_outputs;
    table.add({module, std::string(label_of(claim.kind)),
               is_known ? in_bytes(listed_tensors(of)) : "?", std::to_string(claim.claimed), ""});
  }
}

/// The memory of a network on one device, or on all. `of` names the device behind each row.
void add_totals(Table& table, const std::string& module, const graph::MemoryTotals& totals,
                std::span<const MemoryClaim> claims, const graph::Topology& network,
                const std::string& of) {
  const auto add = [&](ClaimKind kind, const graph::ByteCount& count) {
    const auto claim = std::ranges::find(claims, kind, &MemoryClaim::kind);
    const bool is_claimed = claim != claims.end();
    const bool differs = is_claimed && !claim->agrees();
    const bool has_padding = kind == ClaimKind::constants && is_claimed && !differs &&
                             count.exactness == graph::Exactness::exact &&
                             count.bytes > claim->claimed;
    table.add({module, std::string(label_of(kind)) + of, in_bytes(count),
               is_claimed ? std::to_string(claim->claimed) : "-",
               has_padding             ? "TVM leaves out the padding behind the constants"
               : !differs              ? ""
               : claim->reason.empty() ? "mlf knows no reason for this difference"
                                       : claim->reason});
  };
  add(ClaimKind::inputs_and_outputs, totals.inputs_and_outputs);
  add(ClaimKind::constants, totals.constants);
  add(ClaimKind::workspace, totals.workspace());
  // The parts of the workspace that are not empty.
  const auto add_part = [&](std::string what, const graph::ByteCount& count) {
    if (count != graph::ByteCount{}) {
      table.add({module, "  " + std::move(what), in_bytes(count), "", ""});
    }
  };
  const bool has_pools = totals.pools != graph::ByteCount{};
  for (const graph::Pool& pool : network.pools) {
    if (has_pools && pool.kind == graph::PoolKind::workspace && pool.bytes)
      add_part(pool.name, {*pool.bytes});
  }
  add_part("graph executor", totals.executor);
  add_part("heap", totals.heap);
  add_part("stack arrays", totals.stack);
}

/// metadata.json counts all devices together.
void add_memory(Table& table, const Module& module, const graph::Topology& network) {
  const std::string name = or_dash(module.name);
  const std::vector<MemoryClaim> claims = memory_claims(module, network);
  const bool is_one = network.devices.size() < 2;
  if (is_one || !claims.empty())
    add_totals(table, name, linked_totals(network), claims, network, "");
  if (is_one) return;
  for (const std::optional<graph::Device> device : network.devices) {
    add_totals(table, name, graph::memory_totals(network, device), {}, network,
               fmt::format(" of device {}", *device));
  }
}

Table memory_table(const Deployment& deployment, const Inspection& inspection) {
  Table table({"=MODULE", "MEMORY", "#BYTES", "#METADATA.JSON", "~WHY METADATA.JSON DIFFERS"});
  const auto& modules = deployment.library().modules;
  for (std::size_t i = 0; i < modules.size(); ++i) {
    if (const graph::Topology* network = inspection.network_of(i)) {
      add_memory(table, modules[i], *network);
    } else {
      add_claims_alone(table, or_dash(modules[i].name), modules[i]);
    }
  }
  return table;
}

/// Inputs and outputs as main declares them. Without a network, those of metadata.json, which lacks
/// shapes.
Table tensors_table(const Deployment& deployment, const Inspection& inspection) {
  Table table({"=MODULE", "TENSOR", "?IN C", "DIRECTION", "DTYPE", "SHAPE", "#BYTES"});
  const auto& modules = deployment.library().modules;
  for (std::size_t i = 0; i < modules.size(); ++i) {
    const std::string name = or_dash(modules[i].name);
    if (const graph::Topology* network = inspection.network_of(i)) {
      const EntryPoint entry = inspection.entry_points[i].value_or(EntryPoint{});
      const auto add = [&](const std::vector<graph::Port>& ports, const std::string& direction,
                           const std::vector<std::string>& fields) {
        for (std::size_t at = 0; at < ports.size(); ++at) {
          const graph::Port& port = ports[at];
          // Both have the order of main's parameters.
          const std::string field =
              fields.size() == ports.size() ? fmt::format("{}s.{}", direction, fields[at]) : "";
          table.add({name, port.name, field, direction, report::dtype_text(port.type),
                     report::shape_text(port.type), in_bytes(graph::bytes_of(*network, port))});
        }
      };
      add(network->inputs, "input", entry.inputs);
      add(network->outputs, "output", entry.outputs);
      continue;
    }
    const auto add = [&](const std::optional<std::vector<IoTensor>>& tensors,
                         const std::string& direction) {
      if (!tensors) return;
      for (const IoTensor& tensor : *tensors) {
        table.add({name, tensor.name, "", direction, tensor.dtype, "?",
                   std::to_string(tensor.size_bytes)});
      }
    };
    for (const MainMemory& main : modules[i].memory.main) {
      add(main.inputs, "input");
      add(main.outputs, "output");
    }
  }
  return table;
}

Table other_sizes_table(const Inspection& inspection) {
  Table table({"~OTHER SIZES IN THE C HEADER"});
  for (const Network& network : inspection.networks.found) {
    for (const graph::Check& check : network.topology.checks) {
      if (check.code == graph::CheckCode::header_size) table.add({printable(check.detail)});
    }
  }
  return table;
}

/// "0.16.0", or the range of versions that may have written a text: "0.8 to 0.11".
std::string text_of(const tir::VersionRange& range) {
  if (!range.exact.empty()) return range.exact;
  if (range.first == range.last) return fmt::format("0.{}", range.first);
  return fmt::format("0.{} to 0.{}", range.first, range.last);
}

Table tir_table(const Inspection& inspection) {
  Table table({"TIR", "SOURCE", "DIALECT", "STAGE", "TVM", "#FUNCTIONS", "#LOSSES", "JSON"});
  for (const TirFacts& facts : inspection.tir) {
    const bool read = !facts.failure;
    table.add({facts.source.stem, facts.source.name,
               read ? std::string(to_string(facts.origin.dialect)) : "not readable",
               facts.source.stage, read ? text_of(facts.origin.tvm_version) : "-",
               read ? std::to_string(facts.functions.size()) : "-",
               read ? std::to_string(facts.losses.size()) : "-", or_dash(facts.json_member)});
  }
  return table;
}

Table functions_table(const Inspection& inspection) {
  Table table({"FUNCTION", "=TIR", "=MODULE", "#PARAMETERS"});
  for (const TirFacts& facts : inspection.tir) {
    for (const FunctionFacts& function : facts.functions) {
      table.add({function.name, facts.source.stem, or_dash(function.module),
                 std::to_string(function.parameters)});
    }
  }
  return table;
}

Table members_table(const archive::Archive& archive) {
  Table table({"MEMBER", "TYPE", "#BYTES"});
  for (const archive::Member& member : archive.members()) {
    table.add({member.name, std::string(to_string(member.type)), std::to_string(member.size)});
  }
  return table;
}

std::string to_tables(const Deployment& deployment, const Inspection& inspection,
                      const Screen& screen) {
  std::string text = headline(deployment, screen);
  for (const Table& table :
       {modules_table(deployment.library(), inspection),
        entry_points_table(deployment.library(), inspection), memory_table(deployment, inspection),
        tensors_table(deployment, inspection), other_sizes_table(inspection), tir_table(inspection),
        functions_table(inspection), members_table(deployment.archive())}) {
    if (!table.empty()) text += "\n" + table.text(screen);
  }
  return text;
}

/// Prints all tables; unreadable TIR is an error after them.
int report_failures(const Inspection& inspection, const Console& console) {
  int exit = 0;
  for (const TirFacts& facts : inspection.tir) {
    if (facts.failure) exit = console.fail(*facts.failure);
  }
  // Unreadable TIR also leaves no network: reports only one error.
  if (exit == 0 && inspection.networks_failure) {
    exit = console.fail(*inspection.networks_failure);
  }
  return exit;
}

/// Heads of terminals are in capitals. The last column may have several lines.
Table table_of(const report::TextTable& table) {
  std::vector<std::string> heads;
  for (const std::string& head : table.heads) heads.push_back(support::in_capitals(head));
  if (!heads.back().starts_with('#')) heads.back().insert(0, "~");
  Table result(std::move(heads));
  for (const auto& row : table.rows) result.add(row);
  return result;
}

std::string to_tables(const Integration& integration, const Screen& screen) {
  std::string text;
  for (const ModuleIntegration& module : integration.modules) {
    if (!text.empty()) text += "\n";
    text += printable(fmt::format("module {}, interface {}", module.name,
                                  module.interface ? to_string(*module.interface) : "unknown")) +
            "\n";
    for (const std::string& line : report::declarations_of(module)) {
      text += folded("  " + printable(line), screen, 4) + "\n";
    }
    for (const report::TextTable& table : report::tables_of(module)) {
      text += "\n" + table_of(table).text(screen);
    }
  }
  return text;
}

/// Kernels by their short names, as in mlf report.
std::string loops_table(const Integration& integration, const Screen& screen) {
  std::string text;
  for (std::size_t i = 0; i < integration.modules.size(); ++i) {
    report::TextTable loops = report::loops_of(integration.modules[i]);
    std::map<std::string_view, std::string_view> short_names;
    for (const KernelReport& one : integration.report.modules[i].kernels) {
      short_names.emplace(one.symbol, one.short_name);
    }
    for (auto& row : loops.rows) {
      if (const auto* name = support::find_value(short_names, row[0])) row[0] = *name;
    }
    const Table table = table_of(loops);
    if (!table.empty()) text += "\n" + table.text(screen);
  }
  return text;
}

int show_integration(const Deployment& deployment, const InspectArguments& options,
                     const Context& context) {
  const Integration list = support::get_or_throw(integration_of(
      deployment,
      {.compiler = compiler_of(options.compiler, context.limits), .searches_findings = false}));
  const Screen screen = screen_of_standard_output();
  print(options.json    ? to_json(deployment, list, form_of(context, {&deployment}))
        : options.loops ? to_tables(list, screen) + loops_table(list, screen)
                        : to_tables(list, screen));
  return 0;
}

int run_inspect(const InspectArguments& options, const Context& context) {
  const DeploymentOptions limits = with_macros_of(options.compiler, context.limits);
  const Deployment deployment = support::get_or_throw(Deployment::open(options.archive, limits));
  if (options.integration) return show_integration(deployment, options, context);
  const Inspection inspection = inspect(deployment);
  print(options.json ? to_json(deployment, inspection, form_of(context, {&deployment}))
                     : to_tables(deployment, inspection, screen_of_standard_output()));
  return report_failures(inspection, context.console);
}

}  // namespace

Command inspect_command(CLI::App& parent) {
  return make_command(
      parent, "inspect",
      "Show what an archive contains: modules, targets, memory, TIR, functions, members",
      declare_inspect_options, run_inspect);
}

}  // namespace mlf::program
