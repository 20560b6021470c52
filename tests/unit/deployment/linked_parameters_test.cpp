// Parameters that TVM v0.8 links as constants, in networks of both executors.
#include <gtest/gtest.h>

#include <string>

#include "graph/formats/graph_json.h"
#include "mlf/deployment.h"
#include "mlf/graph/topology.h"
#include "mlf/graph/write.h"
#include "unit/archive/archive_fixture.h"
#include "unit/archive/tar_builder.h"

namespace mlf {
namespace {

constexpr std::string_view kLinkedHead =
    "// tvm target: c -keys=cpu -link-params=1\n#define TVM_EXPORTS\n"
    "#include \"tvm/runtime/c_runtime_api.h\"\n#include <math.h>\n";
// 16 and 4 * 4 bytes.
constexpr std::string_view kLinkedArrays =
    "static const int8_t __tvm_param__p0[16] = {\n    +0x01, -0x02, +0x03, +0x04, +0x01, -0x02, "
    "+0x03, +0x04, +0x01, -0x02, +0x03, +0x04, +0x01, -0x02, +0x03, +0x04};\n"
    "static const int32_t __tvm_param__p1[4] = {\n    +0x00000001, -0x00000002, +0x00000003, "
    "+0x00000004\n};\n";
constexpr std::string_view kLinkedKernels =
    "TVM_DLL int32_t tvmgen_default_fused_nn_dense(void* arg0, void* arg1, void* arg2) {\n"
    "  void* placeholder = arg0;\n  void* placeholder1 = arg1;\n  void* T_dense = arg2;\n"
    "  for (int32_t j = 0; j < 4; ++j) {\n    ((int32_t*)T_dense)[(j)] = 0;\n"
    "    for (int32_t k = 0; k < 4; ++k) {\n"
    "      ((int32_t*)T_dense)[(j)] = (((int32_t*)T_dense)[(j)] + "
    "(((int32_t)((int8_t*)placeholder)[(k)]) * ((int32_t)((int8_t*)placeholder1)[(((j * 4) + "
    "k))])));\n    }\n  }\n  return 0;\n}\n"
    "TVM_DLL int32_t tvmgen_default_fused_add(void* arg0, void* arg1, void* arg2) {\n"
    "  void* placeholder = arg0;\n  void* placeholder1 = arg1;\n  void* T_add = arg2;\n"
    "  for (int32_t i = 0; i < 4; ++i) {\n    ((int32_t*)T_add)[(i)] = "
    "(((int32_t*)placeholder)[(i)] + ((int32_t*)placeholder1)[(i)]);\n  }\n  return 0;\n}\n";
constexpr std::string_view kLinkedMain =
    "TVM_DLL int32_t tvmgen_default_run_model(void* arg0, void* arg1) {\n"
    "  void* input = arg0;\n  void* output = arg1;\n"
    "  void* sid_2 = TVMBackendAllocWorkspace(1, 0, (uint64_t)16, 0, 8);\n"
    "  if (sid_2 == NULL) {\n    return -1;\n  }\n"
    "  (void)tvmgen_default_fused_nn_dense(input, __tvm_param__p0, sid_2);\n"
    "  (void)tvmgen_default_fused_add(sid_2, __tvm_param__p1, output);\n"
    "  if (TVMBackendFreeWorkspace(1, 0, sid_2) != 0) {\n    return -1;\n  }\n  return 0;\n}\n";
constexpr std::string_view kLinkedGraph = R"({"nodes": [
  {"op": "null", "name": "x", "inputs": []}, {"op": "null", "name": "p0", "inputs": []},
  {"op": "tvm_op", "name": "d", "attrs": {"num_outputs": "1", "num_inputs": "2",
   "flatten_data": "0", "func_name": "tvmgen_default_fused_nn_dense"},
   "inputs": [[0, 0, 0], [1, 0, 0]]}], "arg_nodes": [0, 1], "heads": [[2, 0, 0]],
 "attrs": {"dltype": ["list_str", ["int8", "int8", "int32"]],
  "storage_id": ["list_int", [0, 1, 2]], "shape": ["list_shape", [[1, 4], [4, 4], [1, 4]]]},
 "node_row_ptr": [0, 1, 2, 3]})";

class LinkedParameters : public test::ArchiveTest {
 protected:
  graph::Topology network(std::string_view executor, const std::string& c) {
    test::TarBuilder tar;
    tar.file("./metadata.json",
             R"({"version": 5, "model_name": "default", "style": "full-model",
 "export_datetime": "2022-01-01 00:00:00Z", "executors": [")" +
                 std::string(executor) +
                 R"("], "target": {"1": "c"},
 "memory": {"functions": {"main": [], "operator_functions": []}}})");
    tar.file("./codegen/host/src/default_lib1.c", c);
    if (executor == "graph") tar.file("./executor-config/graph/graph.json", kLinkedGraph);
    const auto deployment = Deployment::open(write("a.tar", tar.finish()));
    EXPECT_TRUE(deployment) << to_string(deployment.error());
    auto networks = deployment->networks();
    EXPECT_TRUE(networks) << to_string(networks.error());
    return std::move(networks->found.at(0).topology);
  }
};

std::string linked_c(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return text;
}

TEST_F(LinkedParameters, OfMainAreConstantsOfTheirSize) {
  const graph::Topology found =
      network("aot", linked_c({kLinkedHead, kLinkedArrays, kLinkedKernels, kLinkedMain}));
  const graph::ByteCount constants = graph::memory_totals(found).constants;
  EXPECT_EQ(constants.bytes, 32u);
  EXPECT_EQ(constants.exactness, graph::Exactness::exact);
}

TEST_F(LinkedParameters, WithoutTheirArraysHaveAnUnknownSize) {
  const graph::Topology found =
      network("aot", linked_c({kLinkedHead, kLinkedKernels, kLinkedMain}));
  EXPECT_NE(graph::memory_totals(found).constants.exactness, graph::Exactness::exact);
}

TEST_F(LinkedParameters, AreNoInputsOfTheGraphExecutor) {
  const graph::Topology found =
      network("graph", linked_c({kLinkedHead, kLinkedArrays, kLinkedKernels}));
  ASSERT_EQ(found.inputs.size(), 1u);
  EXPECT_EQ(found.inputs[0].name, "x");
  EXPECT_EQ(graph::memory_totals(found).constants, (graph::ByteCount{16}));
}

TEST_F(LinkedParameters, AnInputOfUnknownSizeIsShownAsThat) {
  const graph::Topology found =
      network("aot", linked_c({kLinkedHead, kLinkedArrays, kLinkedKernels, kLinkedMain}));
  std::string text;
  ASSERT_TRUE(graph::write_graph_json(found, JsonLayout::compact,
                                      [&](std::string_view part) { text += part; }));
  EXPECT_NE(text.find(R"("shape":["list_shape",[[-1],[16],[4],[4],[4]]])"), text.npos) << text;
  const auto again = graph::read_graph_json({.file = "", .member = "g.json", .text = text});
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_FALSE(again->inputs.at(0).type.shape);
  EXPECT_FALSE(again->storages.at(0).bytes);
  std::string twice;
  ASSERT_TRUE(graph::write_graph_json(*again, JsonLayout::compact,
                                      [&](std::string_view part) { twice += part; }));
  EXPECT_EQ(twice, text);
}

}  // namespace
}  // namespace mlf
