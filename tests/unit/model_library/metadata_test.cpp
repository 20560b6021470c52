// Every version and style of metadata.json, by small texts of the shape TVM wrote at that time.
#include <gtest/gtest.h>

#include "mlf/model_library.h"

namespace mlf {
namespace {

ModelLibrary library_of(std::string_view metadata) {
  const auto library = read_model_library(metadata, {});
  if (library) return *library;
  ADD_FAILURE() << to_string(library.error());
  return {0, {Module{}}, {}, {}};
}

TEST(Metadata, OfVersion1HasAStorageListAndRuntimes) {
  const ModelLibrary library = library_of(R"({
    "version": 1, "model_name": "net", "export_datetime": "2021-03-11 10:00:00Z",
    "memory": [{"storage_id": 0, "size_bytes": 16, "input_binding": "x"},
               {"storage_id": 2, "size_bytes": 8}],
    "target": {"1": "c -keys=cpu -link-params=1"}, "runtimes": ["graph"]})");
  EXPECT_EQ(library.version, 1);
  ASSERT_EQ(library.modules.size(), 1u);
  const Module& module = library.modules.front();
  EXPECT_EQ(module.name, "net");
  EXPECT_EQ(module.export_datetime, "2021-03-11 10:00:00Z");
  EXPECT_EQ(module.style, Style::full_model);
  EXPECT_EQ(module.executors, std::vector{Executor::graph});
  ASSERT_EQ(module.targets.size(), 1u);
  EXPECT_EQ(module.targets.front().device_type_key, 1);
  EXPECT_EQ(module.targets.front().target.kind, "c");
  ASSERT_EQ(module.memory.storage_ids.size(), 2u);
  EXPECT_EQ(module.memory.storage_ids[0].input_binding, "x");
  EXPECT_EQ(module.memory.storage_ids[1].storage_id, 2);
  EXPECT_EQ(module.memory.storage_ids[1].size_bytes, 8u);
  EXPECT_FALSE(module.memory.storage_ids[1].input_binding.has_value());
}

TEST(Metadata, OfVersion1AndAotHasAnEmptyStorageList) {
  const ModelLibrary library = library_of(R"({"version": 1, "model_name": "net", "memory": [],
    "target": {"1": "c"}, "runtimes": ["aot"]})");
  EXPECT_EQ(library.modules.front().executors, std::vector{Executor::aot});
  EXPECT_TRUE(library.modules.front().memory.storage_ids.empty());
}

constexpr std::string_view kFunctions = R"({"functions": {
  "operator_functions": [{"function_name": "tvmgen_net_fused_add",
                          "workspace": [{"device": 1, "workspace_size_bytes": 32}]}],
  "main": [{"device": 1, "workspace_size_bytes": 64, "constants_size_bytes": 4,
            "io_size_bytes": 48}]}})";

std::string old_version(int version, std::string_view rest) {
  return R"({"model_name": "net", "version": )" + std::to_string(version) + R"(, "memory": )" +
         std::string(kFunctions) + ", " + std::string(rest) + '}';
}

void expect_functions(const ModuleMemory& memory) {
  ASSERT_EQ(memory.operator_functions.size(), 1u);
  const FunctionWorkspace& kernel = memory.operator_functions.front();
  EXPECT_EQ(kernel.function_name, "tvmgen_net_fused_add");
  ASSERT_EQ(kernel.workspace.size(), 1u);
  EXPECT_EQ(kernel.workspace.front().device, 1);
  EXPECT_EQ(kernel.workspace.front().workspace_size_bytes, 32u);
  ASSERT_EQ(memory.main.size(), 1u);
  EXPECT_EQ(memory.main.front().workspace_size_bytes, 64u);
  EXPECT_EQ(memory.main.front().constants_size_bytes, 4u);
  EXPECT_EQ(memory.main.front().io_size_bytes, 48u);
  EXPECT_FALSE(memory.main.front().inputs.has_value());
}

TEST(Metadata, OfVersions2And3HasFunctionsAndNoStyle) {
  for (const int version : {2, 3}) {
    const ModelLibrary library =
        library_of(old_version(version, R"("target": {"1": "c"}, "runtimes": ["aot"])"));
    EXPECT_EQ(library.version, version);
    EXPECT_EQ(library.modules.front().style, Style::full_model);
    expect_functions(library.modules.front().memory);
  }
}

TEST(Metadata, OfVersion4HasAStyleAndStillRuntimes) {
  const ModelLibrary library = library_of(
      old_version(4, R"("target": {"1": "c"}, "runtimes": ["graph"], "style": "full-model")"));
  EXPECT_EQ(library.modules.front().executors, std::vector{Executor::graph});
  expect_functions(library.modules.front().memory);
}

TEST(Metadata, OfVersion5KeysTargetsByDeviceType) {
  const ModelLibrary library = library_of(
      old_version(5, R"("target": {"1": "c -keys=cpu", "14": "hexagon"}, "executors": ["aot"],
            "style": "full-model")"));
  const Module& module = library.modules.front();
  expect_functions(module.memory);
  ASSERT_EQ(module.targets.size(), 2u);
  EXPECT_EQ(module.targets[1].device_type_key, 14);
  EXPECT_EQ(module.targets[1].target.kind, "hexagon");
}

TEST(Metadata, OfVersion6ListsTargets) {
  const ModelLibrary library = library_of(
      old_version(6, R"("target": ["ethos-u -accelerator_config=ethos-u55-256", "c -keys=cpu"],
            "executors": ["aot"], "style": "full-model")"));
  const Module& module = library.modules.front();
  expect_functions(module.memory);
  ASSERT_EQ(module.targets.size(), 2u);
  EXPECT_EQ(module.targets[0].device_type_key, 0);
  EXPECT_EQ(module.targets[0].target.device_type, 1);
  EXPECT_EQ(module.targets[1].target.text, "c -keys=cpu");
}

TEST(Metadata, OfVersion7HasModulesWithInputsOutputsAndDependencies) {
  const ModelLibrary library = library_of(R"({"version": 7, "modules": {
    "first": {"model_name": "first", "export_datetime": "t", "style": "full-model",
      "executors": ["aot"], "target": ["c"],
      "external_dependencies": [{"short_name": "tvm_standalone_crt", "url": "./runtime",
                                 "url_type": "mlf_path", "version_spec": "0.12.0"}],
      "memory": {"functions": {"operator_functions": [], "main": [{
        "device": 1, "workspace_size_bytes": 0, "constants_size_bytes": 0, "io_size_bytes": 24,
        "inputs": {"conv:0": {"size": 16, "dtype": "float32"}, "b": {"size": 4, "dtype": "int8"}},
        "outputs": {"output": {"size": 4, "dtype": "bool"}}}]}}},
    "second": {"model_name": "second", "export_datetime": "t", "style": "full-model",
      "executors": ["graph"], "target": ["llvm"],
      "memory": {"sids": [{"storage_id": 1, "size_bytes": 3}],
                 "functions": {"operator_functions": [], "main": []}}}}})");
  ASSERT_EQ(library.modules.size(), 2u);
  const Module& first = library.modules[0];
  EXPECT_EQ(first.name, "first");
  ASSERT_EQ(first.external_dependencies.size(), 1u);
  EXPECT_EQ(first.external_dependencies[0].url, "./runtime");
  EXPECT_EQ(first.external_dependencies[0].version_spec, "0.12.0");
  const MainMemory& main = first.memory.main.front();
  ASSERT_TRUE(main.inputs && main.outputs);
  ASSERT_EQ(main.inputs->size(), 2u);
  EXPECT_EQ((*main.inputs)[0].name, "conv:0");
  EXPECT_EQ((*main.inputs)[0].size_bytes, 16u);
  EXPECT_EQ((*main.inputs)[0].dtype, "float32");
  EXPECT_EQ(main.outputs->front().dtype, "bool");
  const Module& second = library.modules[1];
  EXPECT_EQ(second.executors, std::vector{Executor::graph});
  EXPECT_EQ(second.memory.storage_ids.size(), 1u);
}

TEST(Metadata, OfOperatorStyleListsTheBuffersOfEachFunction) {
  for (const int version : {4, 5, 6, 7}) {
    const std::string executors = version < 5 ? "runtimes" : "executors";
    const ModelLibrary library = library_of(
        R"({"version": )" + std::to_string(version) +
        R"(, "model_name": null, "export_datetime": "t", "style": "operator", ")" + executors +
        R"(": [], "target": )" + (version < 6 ? R"({"1": "c"})" : R"(["c"])") +
        R"(, "memory": {"add": [
             {"size_bytes": 8, "shape": [2, 1], "dtype": "float32", "input_binding": "A"},
             {"size_bytes": 8, "shape": [], "dtype": "float64", "input_binding": null}]}})");
    const Module& module = library.modules.front();
    EXPECT_EQ(module.style, Style::operator_only);
    EXPECT_FALSE(module.model_name.has_value());
    EXPECT_EQ(module.name, "");
    EXPECT_TRUE(module.executors.empty());
    ASSERT_EQ(module.memory.operators.size(), 1u);
    const OperatorFunction& add = module.memory.operators.front();
    EXPECT_EQ(add.name, "add");
    ASSERT_EQ(add.buffers.size(), 2u);
    EXPECT_EQ(add.buffers[0].shape, (std::vector<std::int64_t>{2, 1}));
    EXPECT_EQ(add.buffers[0].input_binding, "A");
    EXPECT_TRUE(add.buffers[1].shape.empty());
    EXPECT_FALSE(add.buffers[1].input_binding.has_value());
  }
}

TEST(Metadata, IgnoresUnknownKeysOfEveryObject) {
  const ModelLibrary library = library_of(R"({"zz": [1, {"a":  2}], "version": 7, "modules": {"m": {
    "vendor": {"k": "v"}, "model_name": "m", "style": "full-model", "executors": [],
    "target": [], "note": null,
    "external_dependencies": [{"short_name": "", "url": "", "url_type": "", "version_spec": "",
                               "hash": "0x1"}],
    "memory": {"pools": [], "sids": [{"storage_id": 0, "size_bytes": 0, "dev": 1}], "functions": {
      "init": 5, "operator_functions": [{"function_name": "f", "flops": 1.50, "workspace":
        [{"device": 1, "workspace_size_bytes": 0, "pool": "p"}]}],
      "main": [{"device": 1, "workspace_size_bytes": 0, "stack": 9,
                "inputs": {"x": {"size": 1, "dtype": "int8", "shape": [1]}}}]}}}},
    "aa": true})");
  const Module& module = library.modules.front();
  EXPECT_EQ(module.external_dependencies.size(), 1u);
  EXPECT_EQ(module.memory.storage_ids.size(), 1u);
  EXPECT_EQ(module.memory.operator_functions.front().workspace.size(), 1u);
  EXPECT_EQ(module.memory.main.front().inputs->front().name, "x");
}

}  // namespace
}  // namespace mlf
