// metadata.json as TVM 0.9, 0.16 and 0.18 wrote it.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "mlf/model_library.h"

namespace mlf {
namespace {

ModelLibrary real_library(const std::string& name) {
  std::ifstream file(std::string(MLF_TEST_DATA) + "/metadata/" + name + ".json");
  EXPECT_TRUE(file.is_open()) << name;
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto library = read_model_library(text, {});
  if (library) return *library;
  ADD_FAILURE() << to_string(library.error());
  return {0, {Module{}}, {}, {}};
}

TEST(RealMetadata, OfTvm09WithCmsisNnIsRead) {
  const Module module = real_library("tvm-0.9-cmsis-nn").modules.front();
  ASSERT_EQ(module.targets.size(), 1u);
  EXPECT_EQ(module.targets.front().target.text, "c -keys=cpu -link-params=0");
  EXPECT_EQ(module.memory.operator_functions.size(), 3u);
  EXPECT_EQ(module.memory.main.front().workspace_size_bytes, 784u);
  EXPECT_EQ(module.memory.main.front().constants_size_bytes, 384u);
  EXPECT_EQ(module.memory.main.front().io_size_bytes, 1288u);
  EXPECT_FALSE(module.memory.main.front().inputs.has_value());
  EXPECT_EQ(module.external_dependencies.front().version_spec, "0.9.0");
}

TEST(RealMetadata, OfTvm09WithTheGraphExecutorIsRead) {
  const Module module = real_library("tvm-0.9-graph").modules.front();
  EXPECT_EQ(module.executors, std::vector{Executor::graph});
  ASSERT_EQ(module.memory.storage_ids.size(), 4u);
  EXPECT_EQ(module.memory.storage_ids[0].input_binding, "x");
  EXPECT_EQ(module.memory.storage_ids[3].size_bytes, 64u);
  EXPECT_EQ(module.memory.operator_functions.size(), 5u);
}

TEST(RealMetadata, OfTvm09OperatorsHasFlattenedShapesAndBindings) {
  const Module module = real_library("tvm-0.9-operator").modules.front();
  EXPECT_EQ(module.name, "matmul");
  const OperatorFunction& function = module.memory.operators.front();
  ASSERT_EQ(function.buffers.size(), 3u);
  EXPECT_EQ(function.buffers[1].shape, std::vector<std::int64_t>{1536});
  EXPECT_EQ(function.buffers[1].input_binding, "B_1");
}

TEST(RealMetadata, OfTvm018OperatorsHasNoBindings) {
  const Module module = real_library("tvm-0.18-operator").modules.front();
  EXPECT_EQ(module.style, Style::operator_only);
  EXPECT_FALSE(module.memory.operators.front().buffers.front().input_binding.has_value());
  EXPECT_EQ(module.targets.front().target.text, "c -keys=cpu ");
}

TEST(RealMetadata, OfTvm018HasTwoModules) {
  const ModelLibrary library = real_library("tvm-0.18-two-modules");
  ASSERT_EQ(library.modules.size(), 2u);
  EXPECT_EQ(library.modules[0].name, "first");
  EXPECT_EQ(library.modules[1].name, "second");
  EXPECT_EQ(library.modules[1].memory.main.front().inputs->front().size_bytes, 256u);
}

TEST(RealMetadata, OfTvm018HasSeveralInputsAndOutputs) {
  const MainMemory main = real_library("tvm-0.18-control-ops").modules.front().memory.main.front();
  ASSERT_EQ(main.inputs->size(), 2u);
  EXPECT_EQ(main.inputs->front().name, "i");
  ASSERT_EQ(main.outputs->size(), 3u);
  EXPECT_EQ(main.outputs->front().dtype, "float16");
}

TEST(RealMetadata, OfAVendorsTvmIsRead) {
  const Module module = real_library("tvm-0.16-aww-usmp").modules.front();
  const MainMemory& main = module.memory.main.front();
  EXPECT_EQ(main.inputs->front().name, "input_1");
  EXPECT_EQ(main.outputs->front().name, "Identity");
  EXPECT_EQ(main.workspace_size_bytes, 104192u);
  EXPECT_EQ(module.external_dependencies.front().version_spec, "0.16.dev0");
}

}  // namespace
}  // namespace mlf
