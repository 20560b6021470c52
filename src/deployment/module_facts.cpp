#include "deployment/module_facts.h"

#include <span>

#include "deployment/c_header.h"
#include "deployment/member_text.h"
#include "deployment/owners.h"
#include "deployment/relay_signature.h"
#include "mlf/model_library.h"
#include "support/error.h"

namespace mlf::deployment {
namespace {

using NamedTensors = std::optional<std::vector<graph::NamedTensor>>;

/// Adds what one device has; metadata lists each tensor once, on the device that holds it.
void add_tensors(const std::optional<std::vector<IoTensor>>& tensors, NamedTensors& facts) {
  if (!tensors) return;
  if (!facts) facts.emplace();
  for (const IoTensor& tensor : *tensors) {
    const auto dtype = tir::parse_dtype(tensor.dtype);
    facts->push_back(
        {tensor.name, tensor.size_bytes, {dtype.value_or(tir::DType()), std::nullopt}});
  }
}

/// A file that cannot be read says nothing here: v0.9 and later have constants in TIR.
void add_parameters(const archive::Archive& archive, const Module& module,
                    graph::ModuleFacts& facts) {
  if (!module.files.parameters) return;
  const std::string_view bytes = member_text(archive, *module.files.parameters);
  const auto params = support::value_if_valid(read_params(
      std::as_bytes(std::span(bytes.data(), bytes.size())), module.files.parameters->name));
  if (!params) return;
  for (const Param& param : *params) {
    const auto dtype = tir::parse_dtype(to_string(param.type));
    if (dtype) facts.parameters.push_back({param.name, param.data.size(), {*dtype, param.shape}});
  }
}

}  // namespace

graph::ModuleFacts facts_of(const archive::Archive& archive, const Module& module) {
  graph::ModuleFacts facts;
  // As it is in symbols: that is what mains are recognised by.
  facts.module = symbol_part(module.name);
  for (const MainMemory& main : module.memory.main) {
    add_tensors(main.inputs, facts.inputs);
    add_tensors(main.outputs, facts.outputs);
    facts.workspace_bytes = facts.workspace_bytes.value_or(0) + main.workspace_size_bytes;
  }
  std::vector<HeaderTensor> sizes;
  for (const FileRef& header : module.files.headers) {
    HeaderFields fields = read_header(member_text(archive, header));
    if (!facts.workspace_bytes) facts.workspace_bytes = fields.workspace_bytes;
    // runtime headers and those of other tools have no such structs.
    if (fields.inputs.empty() && fields.outputs.empty()) continue;
    sizes = std::move(fields.sizes);
    facts.input_fields = std::move(fields.inputs);
    facts.output_fields = std::move(fields.outputs);
  }
  add_parameters(archive, module, facts);
  // The Relay text is from before optimisation: kernels have other names there, inputs the same.
  if (module.files.relay) {
    facts.declared = read_relay_signature(member_text(archive, *module.files.relay));
  }
  // metadata.json has dtypes as well.
  if (facts.inputs) return facts;
  for (HeaderTensor& tensor : sizes) {
    facts.declared.push_back({std::move(tensor.name), tensor.bytes, {}});
  }
  return facts;
}

}  // namespace mlf::deployment
