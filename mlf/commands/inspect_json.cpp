// The machine's view of an archive: schemas/inspect.schema.json.
#include <nlohmann/json.hpp>

#include "commands/inspection.h"
#include "mlf/version.h"

namespace mlf::program {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json optional(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

template <class List, class Convert>
Json array(const List& list, Convert&& convert) {
  Json result = Json::array();
  for (const auto& item : list) result.push_back(convert(item));
  return result;
}

Json target_json(const Target& target) {
  return {{"kind", target.kind},
          {"device_type", optional(target.device_type)},
          {"keys", target.keys},
          {"text", target.text}};
}

Json tensor_json(const IoTensor& tensor) {
  return {{"name", tensor.name}, {"dtype", tensor.dtype}, {"bytes", tensor.size_bytes}};
}

Json tensors_json(const std::optional<std::vector<IoTensor>>& tensors) {
  return tensors ? array(*tensors, tensor_json) : Json(nullptr);
}

Json main_json(const MainMemory& main) {
  return {{"device_type", main.device},
          {"workspace_bytes", main.workspace_size_bytes},
          {"constants_bytes", optional(main.constants_size_bytes)},
          {"io_bytes", optional(main.io_size_bytes)},
          {"inputs", tensors_json(main.inputs)},
          {"outputs", tensors_json(main.outputs)}};
}

Json workspace_json(const FunctionWorkspace& function) {
  return {
      {"function", function.function_name},
      {"workspace", array(function.workspace, [](const DeviceWorkspace& workspace) {
         return Json{{"device_type", workspace.device}, {"bytes", workspace.workspace_size_bytes}};
       })}};
}

Json buffer_json(const OperatorBuffer& buffer) {
  return {{"dtype", buffer.dtype},
          {"shape", buffer.shape},
          {"bytes", buffer.size_bytes},
          {"binding", optional(buffer.input_binding)}};
}

Json count_json(const graph::ByteCount& count) {
  return {{"bytes", count.bytes}, {"exactness", graph::to_string(count.exactness)}};
}

Json network_json(const graph::Topology& network) {
  const graph::MemoryTotals totals = graph::memory_totals(network);
  return {{"inputs_and_outputs", count_json(totals.inputs_and_outputs)},
          {"constants", count_json(totals.constants)},
          {"workspace", count_json(totals.workspace())},
          {"pools", count_json(totals.pools)},
          {"executor", count_json(totals.executor)},
          {"heap", count_json(totals.heap)},
          {"stack", count_json(totals.stack)}};
}

Json claim_json(const MemoryClaim& claim) {
  return {{"what", to_string(claim.kind)},
          {"claimed_bytes", claim.claimed},
          {"agrees", claim.agrees()},
          {"reason_code", claim.reason_code ? Json(to_string(*claim.reason_code)) : Json(nullptr)},
          {"reason", claim.reason.empty() ? Json(nullptr) : Json(claim.reason)}};
}

Json memory_json(const ModuleMemory& memory, const Module& module, const graph::Topology* network) {
  return {{"network", network != nullptr ? network_json(*network) : Json(nullptr)},
          {"claims",
           array(network != nullptr ? memory_claims(module, *network) : std::vector<MemoryClaim>{},
                 claim_json)},
          {"main", array(memory.main, main_json)},
          {"functions", array(memory.operator_functions, workspace_json)},
          {"storage", array(memory.storage_ids,
                            [](const StorageId& storage) {
                              return Json{{"id", storage.storage_id},
                                          {"bytes", storage.size_bytes},
                                          {"binding", optional(storage.input_binding)}};
                            })},
          {"operators", array(memory.operators, [](const OperatorFunction& function) {
             return Json{{"function", function.name},
                         {"buffers", array(function.buffers, buffer_json)}};
           })}};
}

Json files_json(const ModuleFiles& files) {
  const auto name = [](const FileRef& file) { return Json(file.name); };
  const auto maybe = [](const std::optional<FileRef>& file) {
    return file ? Json(file->name) : Json(nullptr);
  };
  return {{"sources", array(files.sources, name)}, {"objects", array(files.objects, name)},
          {"headers", array(files.headers, name)}, {"parameters", maybe(files.parameters)},
          {"relay", maybe(files.relay)},           {"graph", maybe(files.graph)}};
}

Json module_json(const Module& module, const graph::Topology* network) {
  return {{"name", module.name},
          {"model_name", optional(module.model_name)},
          {"style", name_of(module.style)},
          {"executors", array(module.executors, [](Executor e) { return Json(name_of(e)); })},
          {"export_datetime", optional(module.export_datetime)},
          {"targets", array(module.targets,
                            [](const ModuleTarget& target) { return target_json(target.target); })},
          {"memory", memory_json(module.memory, module, network)},
          {"files", files_json(module.files)}};
}

Json failure_json(const Diagnostic& failure) {
  return {
      {"message", failure.message}, {"line", failure.where.line}, {"column", failure.where.column}};
}

Json reading_json(const TirFacts& facts) {
  const tir::VersionRange& version = facts.origin.tvm_version;
  return {{"dialect", to_string(facts.origin.dialect)},
          {"tvm_version",
           {{"first", "0." + std::to_string(version.first)},
            {"last", "0." + std::to_string(version.last)},
            {"exact", version.exact.empty() ? Json(nullptr) : Json(version.exact)}}},
          {"modules", facts.modules},
          {"target", facts.target ? target_json(*facts.target) : Json(nullptr)},
          {"functions",
           array(facts.functions,
                 [](const FunctionFacts& function) {
                   return Json{
                       {"name", function.name},
                       {"symbol", function.symbol},
                       {"module", function.module.empty() ? Json(nullptr) : Json(function.module)},
                       {"parameters", function.parameters}};
                 })},
          {"losses", array(facts.losses, [](const tir::Loss& loss) {
             const tir::LossInfo& row = info(loss.code);
             return Json{{"code", row.code},
                         {"severity", to_string(row.severity)},
                         {"scope", to_string(loss.scope)},
                         {"where", loss.where},
                         {"name", loss.name.empty() ? Json(nullptr) : Json(loss.name)},
                         {"count", loss.count}};
           })}};
}

Json tir_json(const TirFacts& facts) {
  const bool read = !facts.failure;
  return {{"stem", facts.source.stem},
          {"stage", facts.source.stage},
          {"source", facts.source.name},
          {"bytes", facts.source.text.size()},
          {"json", facts.json_member.empty() ? Json(nullptr) : Json(facts.json_member)},
          {"reading", read ? reading_json(facts) : Json(nullptr)},
          {"failures", read ? Json::array() : Json::array({failure_json(*facts.failure)})}};
}

Json member_json(const archive::Member& member) {
  return {{"name", member.name},
          {"type", name_of(member.type)},
          {"bytes", member.size},
          {"mode", member.mode},
          {"mtime", member.mtime}};
}

}  // namespace

std::string to_json(const Inspection& inspection) {
  const auto& library = inspection.deployment.library();
  Json modules = Json::array();
  for (std::size_t i = 0; i < library.modules.size(); ++i) {
    modules.push_back(module_json(library.modules[i], inspection.network_of(i)));
  }
  const Json json = {
      {"format", "mlf-inspect"},
      {"version", kInspectVersion},
      {"generator", "mlf " + std::string(version())},
      {"archive",
       {{"path", inspection.deployment.archive().path()},
        {"storage", name_of(inspection.deployment.archive().storage())}}},
      {"model_library_version", library.version},
      {"modules", std::move(modules)},
      {"tir", array(inspection.tir, tir_json)},
      {"members", array(inspection.deployment.archive().members(), member_json)},
  };
  return json.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace mlf::program
