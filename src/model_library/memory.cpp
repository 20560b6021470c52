#include "model_library/memory.h"

#include "model_library/fields.h"

namespace mlf::model_library {
namespace {

StorageId read_storage_id(json::Value value) {
  Fields fields(value);
  StorageId entry;
  entry.storage_id = static_cast<std::int64_t>(size_of(fields.at("storage_id")));
  entry.size_bytes = size_of(fields.at("size_bytes"));
  if (const auto binding = fields.find("input_binding")) {
    entry.input_binding = string_or_null(*binding);
  }
  entry.extra = fields.rest();
  return entry;
}

DeviceWorkspace read_workspace(json::Value value) {
  Fields fields(value);
  DeviceWorkspace entry;
  entry.device = device_type_of(fields.at("device"));
  entry.workspace_size_bytes = size_of(fields.at("workspace_size_bytes"));
  entry.extra = fields.rest();
  return entry;
}

FunctionWorkspace read_operator_function(json::Value value) {
  Fields fields(value);
  FunctionWorkspace entry;
  entry.function_name = string_of(fields.at("function_name"));
  entry.workspace = list_of(fields.at("workspace"), read_workspace);
  entry.extra = fields.rest();
  return entry;
}

std::vector<IoTensor> read_io(json::Value value) {
  value.expect(json::Type::object);
  std::vector<IoTensor> tensors;
  for (const json::Member member : value.members()) {
    Fields fields(member.value);
    IoTensor tensor;
    tensor.name = member.key.text();
    tensor.size_bytes = size_of(fields.at("size"));
    tensor.dtype = string_of(fields.at("dtype"));
    tensor.extra = fields.rest();
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

MainMemory read_main(json::Value value) {
  Fields fields(value);
  MainMemory entry;
  entry.device = device_type_of(fields.at("device"));
  entry.workspace_size_bytes = size_of(fields.at("workspace_size_bytes"));
  if (const auto size = fields.find("constants_size_bytes")) {
    entry.constants_size_bytes = size_of(*size);
  }
  if (const auto size = fields.find("io_size_bytes")) entry.io_size_bytes = size_of(*size);
  if (const auto inputs = fields.find("inputs")) entry.inputs = read_io(*inputs);
  if (const auto outputs = fields.find("outputs")) entry.outputs = read_io(*outputs);
  entry.extra = fields.rest();
  return entry;
}

OperatorBuffer read_operator_buffer(json::Value value) {
  Fields fields(value);
  OperatorBuffer buffer;
  buffer.size_bytes = size_of(fields.at("size_bytes"));
  buffer.shape = list_of(fields.at("shape"), [](json::Value extent) {
    return static_cast<std::int64_t>(size_of(extent));
  });
  buffer.dtype = string_of(fields.at("dtype"));
  if (const auto binding = fields.find("input_binding")) {
    buffer.input_binding = string_or_null(*binding);
  }
  buffer.extra = fields.rest();
  return buffer;
}

ModuleMemory read_operators(json::Value value) {
  value.expect(json::Type::object);
  ModuleMemory memory;
  for (const json::Member function : value.members()) {
    memory.operators.push_back(
        {std::string(function.key.text()), list_of(function.value, read_operator_buffer)});
  }
  return memory;
}

}  // namespace

ModuleMemory read_memory(json::Value value, Style style) {
  if (style == Style::operator_only) return read_operators(value);
  ModuleMemory memory;
  if (value.is(json::Type::array)) {
    memory.storage_ids = list_of(value, read_storage_id);
    return memory;
  }
  Fields fields(value);
  if (const auto ids = fields.find("sids")) memory.storage_ids = list_of(*ids, read_storage_id);
  Fields functions(fields.at("functions"));
  memory.operator_functions = list_of(functions.at("operator_functions"), read_operator_function);
  memory.main = list_of(functions.at("main"), read_main);
  memory.functions_extra = functions.rest();
  memory.extra = fields.rest();
  return memory;
}

}  // namespace mlf::model_library
