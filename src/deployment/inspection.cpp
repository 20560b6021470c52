#include "mlf/inspection.h"

#include "deployment/contradictions.h"
#include "deployment/entry_point.h"
#include "deployment/files_json.h"
#include "deployment/tir_name.h"
#include "graph/formats/type_json.h"
#include "json/text.h"
#include "json/write_document.h"
#include "support/error.h"
#include "support/lookup.h"
#include "support/numbers.h"

namespace mlf {
namespace deployment {
namespace {

TirFacts describe(const TirSource& source, const Deployment& deployment,
                  const StatedOwners& stated_owners) {
  TirFacts facts{.source = source};
  const archive::Archive& archive = deployment.archive();
  const std::vector<Module>& modules = deployment.library().modules;
  const std::string json = std::string(source_directory(archive)) + source.stem + ".json";
  if (archive.find(json) != nullptr) facts.json_member = json;
  const auto document = deployment.document(source);
  if (!document) {
    facts.failure = document.error();
    return facts;
  }
  facts.origin = (*document)->source;
  facts.losses = (*document)->losses;
  const auto stated = stated_owners.of(source.stem);
  for (const tir::NamedFunction& one : tir::functions_of((*document)->module)) {
    FunctionFacts& function = facts.functions.emplace_back();
    function.name = one.name;
    function.symbol = one.symbol;
    if (!one.function.is(tir::Kind::PrimFunc)) continue;
    function.parameters = one.function.list(tir::f::PrimFunc::params).size();
    const auto owner =
        stated ? std::optional(stated->modules.front()) : deployment.module_of_function(one.symbol);
    if (owner) function.module = modules[*owner].name;
  }
  // A readable source has owners.
  const TirOwners owners = deployment.owners_of(source).value();
  for (const std::size_t i : owners.modules) facts.modules.push_back(modules[i].name);
  if (owners.target != nullptr) facts.target = *owners.target;
  return facts;
}

}  // namespace
}  // namespace deployment

std::vector<std::string> target_kinds(const Module& module, const graph::Topology* network) {
  std::vector<std::string> kinds;
  for (const ModuleTarget& target : module.targets) {
    support::add_once(kinds, target.target.kind);
  }
  const std::vector<graph::Kernel> none;
  for (const graph::Kernel& kernel : network != nullptr ? network->kernels : none) {
    if (!kernel.target.empty()) support::add_once(kinds, kernel.target);
  }
  return kinds;
}

Inspection inspect(const Deployment& deployment) {
  Inspection inspection;
  if (auto networks = deployment.networks()) {
    inspection.networks = *std::move(networks);
  } else {
    inspection.networks_failure = std::move(networks.error());
  }
  const auto& modules = deployment.library().modules;
  for (std::size_t i = 0; i < modules.size(); ++i) {
    // The networks already report a member that cannot be read.
    const auto entry = support::to_result([&] {
      return deployment::called_function(deployment.archive(), modules[i],
                                         inspection.network_of(i));
    });
    inspection.entry_points.push_back(entry.value_or(std::nullopt));
  }
  const deployment::StatedOwners stated(deployment.library());
  for (const TirSource& source : deployment.tir_sources()) {
    inspection.tir.push_back(deployment::describe(source, deployment, stated));
  }
  return inspection;
}

const graph::Topology* Inspection::network_of(std::size_t module) const {
  return networks.of(module);
}

namespace deployment {
namespace {

using json::Writer;

void write_target(Writer& out, const Target& target) {
  out.member("kind", target.kind);
  out.member("device_type", target.device_type);
  out.member("keys", target.keys);
  out.member("text", target.text);
}

// --- metadata.json -------------------------------------------------------------------------------

void write_tensor(Writer& out, const IoTensor& tensor) {
  out.member("name", tensor.name);
  out.member("dtype", tensor.dtype);
  out.member("bytes", tensor.size_bytes);
}

void write_main(Writer& out, const MainMemory& main) {
  out.member("device_type", main.device);
  out.member("workspace_bytes", main.workspace_size_bytes);
  out.member("constants_bytes", main.constants_size_bytes);
  out.member("io_bytes", main.io_size_bytes);
  out.objects("inputs", main.inputs, write_tensor);
  out.objects("outputs", main.outputs, write_tensor);
}

void write_workspace(Writer& out, const DeviceWorkspace& workspace) {
  out.member("device_type", workspace.device);
  out.member("bytes", workspace.workspace_size_bytes);
}

void write_function_workspace(Writer& out, const FunctionWorkspace& function) {
  out.member("function", function.function_name);
  out.objects("workspace", function.workspace, write_workspace);
}

void write_storage(Writer& out, const StorageId& storage) {
  out.member("id", storage.storage_id);
  out.member("bytes", storage.size_bytes);
  out.member("binding", storage.input_binding);
}

void write_buffer(Writer& out, const OperatorBuffer& buffer) {
  out.member("dtype", buffer.dtype);
  out.member("shape", buffer.shape);
  out.member("bytes", buffer.size_bytes);
  out.member("binding", buffer.input_binding);
}

void write_operator(Writer& out, const OperatorFunction& function) {
  out.member("function", function.name);
  out.objects("buffers", function.buffers, write_buffer);
}

// --- Memory -------------------------------------------------------------------------------------

void write_count(Writer& out, const graph::ByteCount& count) {
  out.member("bytes", count.bytes);
  out.member("exactness", graph::to_string(count.exactness));
}

void write_totals(Writer& out, const graph::MemoryTotals& totals) {
  out.object("inputs_and_outputs", totals.inputs_and_outputs, write_count);
  out.object("constants", totals.constants, write_count);
  out.object("workspace", totals.workspace(), write_count);
  out.object("pools", totals.pools, write_count);
  out.object("executor", totals.executor, write_count);
  out.object("heap", totals.heap, write_count);
  out.object("stack", totals.stack, write_count);
}

void write_network(Writer& out, const graph::Topology& network) {
  write_totals(out, linked_totals(network));
  // Most networks have one device and no such key.
  if (network.devices.size() < 2) return;
  out.objects("devices", network.devices, [&](Writer&, std::optional<graph::Device> device) {
    out.member("device", device);
    write_totals(out, graph::memory_totals(network, device));
  });
}

void write_claim(Writer& out, const MemoryClaim& claim) {
  out.member("what", to_string(claim.kind));
  out.member("claimed_bytes", claim.claimed);
  out.member("agrees", claim.agrees());
  out.text_or_null("reason_code",
                   claim.reason_code ? to_string(*claim.reason_code) : std::string_view());
  out.text_or_null("reason", claim.reason);
}

/// `network`: null if the module has none.
void write_memory(Writer& out, const Module& module, const graph::Topology* network) {
  const ModuleMemory& memory = module.memory;
  const auto claims =
      network != nullptr ? memory_claims(module, *network) : std::vector<MemoryClaim>();
  out.object("network", network, write_network);
  out.objects("claims", claims, write_claim);
  out.objects("main", memory.main, write_main);
  out.objects("functions", memory.operator_functions, write_function_workspace);
  out.objects("storage", memory.storage_ids, write_storage);
  out.objects("operators", memory.operators, write_operator);
}

// --- Modules and members ------------------------------------------------------------------------

void write_file_names(Writer& out, std::string_view key, const std::vector<FileRef>& files) {
  out.array(key, [&] {
    for (const FileRef& file : files) out.string(file.name);
  });
}

void write_file_name(Writer& out, std::string_view key, const std::optional<FileRef>& file) {
  out.text_or_null(key, file ? file->name : std::string_view());
}

void write_entry_point(Writer& out, const EntryPoint& entry) {
  out.member("function", entry.function);
  out.member("interface", to_string(entry.interface));
  out.member("member", entry.member);
  out.member("inputs", entry.inputs);
  out.member("outputs", entry.outputs);
}

void write_module(Writer& out, const Module& module, const std::optional<EntryPoint>& entry,
                  const graph::Topology* network) {
  out.member("name", module.name);
  out.member("model_name", module.model_name);
  out.member("style", to_string(module.style));
  out.array("executors", [&] {
    for (const Executor executor : module.executors) out.string(to_string(executor));
  });
  out.member("export_datetime", module.export_datetime);
  out.object("entry_point", entry, write_entry_point);
  out.objects("targets", module.targets,
              [](Writer& o, const ModuleTarget& one) { write_target(o, one.target); });
  out.object("memory", [&] { write_memory(out, module, network); });
  out.object("files", module.files, write_files);
}

void write_member(Writer& out, const archive::Member& member) {
  out.member("name", member.name);
  out.member("type", to_string(member.type));
  out.member("bytes", member.size);
  out.member("mode", member.mode);
  out.member("mtime", member.mtime);
}

// --- TIR ----------------------------------------------------------------------------------------

void write_function(Writer& out, const FunctionFacts& function) {
  out.member("name", function.name);
  out.member("symbol", function.symbol);
  out.text_or_null("module", function.module);
  out.member("parameters", function.parameters);
}

void write_loss(Writer& out, const tir::Loss& loss) {
  const tir::LossInfo& row = info(loss.code);
  out.member("code", row.code);
  out.member("severity", to_string(row.severity));
  out.member("scope", to_string(loss.scope));
  out.member("where", loss.where);
  out.text_or_null("name", loss.name);
  out.member("count", loss.count);
}

void write_reading(Writer& out, const TirFacts& facts) {
  out.member("dialect", to_string(facts.origin.dialect));
  out.object("tvm_version", facts.origin.tvm_version, graph::write_version);
  out.member("modules", facts.modules);
  out.object("target", facts.target, write_target);
  out.objects("functions", facts.functions, write_function);
  out.objects("losses", facts.losses, write_loss);
}

void write_failure(Writer& out, const Diagnostic& failure) {
  out.member("message", failure.message);
  out.member("line", failure.where.line);
  out.member("column", failure.where.column);
}

void write_tir(Writer& out, const TirFacts& facts) {
  std::vector<Diagnostic> failures;
  if (facts.failure) failures.push_back(*facts.failure);
  out.member("stem", facts.source.stem);
  out.member("stage", facts.source.stage);
  out.member("source", facts.source.name);
  out.member("bytes", facts.source.text.size());
  out.text_or_null("json", facts.json_member);
  out.object("reading", facts.failure ? nullptr : &facts, write_reading);
  out.objects("failures", failures, write_failure);
}

void write_archive(Writer& out, const archive::Archive& archive) {
  out.member("path", json::valid_utf8(archive.path()));  // the name of a file may be any bytes
  out.member("storage", to_string(archive.storage()));
}

}  // namespace

void write_files(json::Writer& out, const ModuleFiles& files) {
  write_file_names(out, "sources", files.sources);
  write_file_names(out, "objects", files.objects);
  write_file_names(out, "headers", files.headers);
  write_file_name(out, "parameters", files.parameters);
  write_file_name(out, "relay", files.relay);
  write_file_name(out, "graph", files.graph);
}

}  // namespace deployment

std::string to_json(const Deployment& deployment, const Inspection& inspection,
                    const DocumentForm& form) {
  return json::document_text(form, "mlf-inspect", kInspectVersion, [&](json::Writer& out) {
    const ModelLibrary& library = deployment.library();
    out.object("archive", deployment.archive(), deployment::write_archive);
    out.member("model_library_version",
               library.has_metadata() ? std::optional(library.version) : std::nullopt);
    out.objects("modules", support::positions(library.modules.size()),
                [&](json::Writer&, std::size_t i) {
                  deployment::write_module(out, library.modules[i], inspection.entry_points[i],
                                           inspection.network_of(i));
                });
    out.objects("tir", inspection.tir, deployment::write_tir);
    out.objects("members", deployment.archive().members(), deployment::write_member);
  });
}

}  // namespace mlf
