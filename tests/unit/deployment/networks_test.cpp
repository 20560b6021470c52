// Which network an archive has, and where it is read off.
#include "mlf/deployment.h"

#include <gtest/gtest.h>

#include "unit/archive/archive_fixture.h"
#include "unit/archive/tar_builder.h"
#include "unit/graph/networks.h"

namespace mlf {
namespace {

std::string module_entry(const std::string& name, const std::string& executors,
                         const std::string& main = "") {
  return "\"" + name + R"(": {"model_name": ")" + name +
         R"(", "style": "full-model", "export_datetime": "2024-01-01 00:00:00Z", "executors": [)" +
         executors + R"(], "target": ["c"], "memory": {"functions": {"main": [)" + main +
         R"(], "operator_functions": []}}})";
}

std::string metadata(const std::string& modules) {
  return R"({"version": 7, "modules": {)" + modules + "}}";
}

/// A main of one call, and its kernel.
std::string one_call(const std::string& input = "x") {
  return graph::script(
      {graph::main_of({input, "output"},
                      graph::call("tvmgen_default_a", input + "_buffer.data, output_buffer.data")),
       graph::unary("tvmgen_default_a")});
}

constexpr std::string_view kGraphOfOneCall = R"({
  "nodes": [{"op": "null", "name": "x", "inputs": []},
            {"op": "null", "name": "p0", "inputs": []},
            {"op": "tvm_op", "name": "tvmgen_default_add", "attrs": {"num_outputs": "1",
             "num_inputs": "2", "flatten_data": "0", "func_name": "tvmgen_default_add"},
             "inputs": [[0, 0, 0], [1, 0, 0]]}],
  "arg_nodes": [0, 1], "heads": [[2, 0, 0]],
  "attrs": {"dltype": ["list_str", ["float32", "float32", "float32"]],
            "device_index": ["list_int", [1, 1, 1]], "storage_id": ["list_int", [0, 1, 2]],
            "shape": ["list_shape", [[4], [4], [4]]]},
  "node_row_ptr": [0, 1, 2, 3]})";

class NetworksTest : public test::ArchiveTest {
 protected:
  using Members = std::vector<std::pair<std::string, std::string>>;

  void open(const std::string& metadata, const Members& members) {
    test::TarBuilder tar;
    tar.file("./metadata.json", metadata);
    for (const auto& [name, text] : members) tar.file("./" + name, text);
    deployment_.emplace(*Deployment::open(write("a.tar", tar.finish())));
  }

  Networks networks() const {
    auto found = deployment_->networks();
    if (!found) throw std::runtime_error(to_string(found.error()));
    return *std::move(found);
  }

  std::optional<Deployment> deployment_;
};

TEST_F(NetworksTest, MainInTheTirIsTheNetworkOfItsModule) {
  open(metadata(module_entry("default", "\"aot\"")), {{"src/tir-1.txt", one_call()}});
  const Networks found = networks();
  ASSERT_EQ(found.found.size(), 1U);
  EXPECT_EQ(found.found[0].module, 0U);
  EXPECT_EQ(found.found[0].topology.module, "default");
  EXPECT_EQ(found.found[0].topology.provenance.source, "tir-1");
  EXPECT_TRUE(found.missing.empty());
}

TEST_F(NetworksTest, MetadataAndHeaderNameInputsAndOutputs) {
  const std::string memory =
      R"({"device": 1, "workspace_size_bytes": 0, "constants_size_bytes": 0, "io_size_bytes": 32,
          "inputs": {"in:0": {"dtype": "float32", "size": 16}},
          "outputs": {"output": {"dtype": "float32", "size": 16}}})";
  open(metadata(module_entry("default", "\"aot\"", memory)),
       {{"src/tir-1.txt", one_call("in_0")},
        {"codegen/host/include/tvmgen_default.h",
         "struct tvmgen_default_inputs {\n  void* in_0;\n};\n"
         "struct tvmgen_default_outputs {\n  void* result;\n};\n"}});
  const graph::Topology topology = networks().found.at(0).topology;
  EXPECT_EQ(topology.inputs.at(0).name, "in:0");
  EXPECT_EQ(topology.outputs.at(0).name, "result");
}

/// An unpacked main of one call and its kernel, as TVM's C code generator prints them.
constexpr std::string_view kGeneratedC = R"(// tvm target: c -keys=cpu 
#define TVM_EXPORTS
#include "tvm/runtime/c_runtime_api.h"
#include <math.h>
#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_default_a(float* p0, float* T_add) {
  for (int32_t i = 0; i < 4; ++i) {
    T_add[i] = (p0[i] + 1.000000e+00f);
  }
  return 0;
}

#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_default___tvm_main__(void* x_buffer_var, void* output_buffer_var) {
  if (tvmgen_default_a(x_buffer_var, output_buffer_var) != 0 ) return -1;
  return 0;
}
)";

TEST_F(NetworksTest, GeneratedCShowsTheNetworkOfAStockArchive) {
  open(metadata(module_entry("default", "\"aot\"")),
       {{"codegen/host/src/default_lib1.c", std::string(kGeneratedC)},
        {"src/default.relay", "def @main(%x: Tensor[(2, 2), float32]) {\n}\n"}});
  const Networks found = networks();
  ASSERT_EQ(found.found.size(), 1U);
  const graph::Topology& topology = found.found[0].topology;
  EXPECT_TRUE(topology.is_sound());
  EXPECT_EQ(topology.provenance.dialect, tir::Dialect::c);
  EXPECT_EQ(topology.inputs.at(0).type.shape, (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(topology.outputs.at(0).type.shape, (std::vector<std::int64_t>{4}));
}

TEST_F(NetworksTest, GeneratedCDecidesWhereItIsNotTheCapturedTir) {
  open(metadata(module_entry("default", "\"aot\"")),
       {{"codegen/host/src/default_lib1.c", std::string(kGeneratedC)},
        {"src/tir-1.txt", one_call()}});
  EXPECT_EQ(deployment_->tir_sources().size(), 1U);
  const Networks found = networks();
  EXPECT_EQ(found.found.at(0).topology.provenance.dialect, tir::Dialect::c);
  EXPECT_EQ(found.found.at(0).topology.provenance.source, "tir-1-c");
  const auto& checks = found.found.at(0).topology.checks;
  EXPECT_EQ(std::ranges::count(checks, graph::CheckCode::decided_by_c, &graph::Check::code), 1);
  EXPECT_NE(deployment_->find_tir("tir-1-c"), nullptr);
}

TEST_F(NetworksTest, MainComesFromGeneratedCWhereOnlyKernelsWereCaptured) {
  open(metadata(module_entry("default", "\"aot\"")),
       {{"codegen/host/src/default_lib1.c", std::string(kGeneratedC)},
        {"src/tir-1.txt", graph::script({graph::unary("tvmgen_default_a")})}});
  const auto& sources = deployment_->tir_sources();
  ASSERT_EQ(sources.size(), 2U);
  EXPECT_EQ(sources[1].stem, "tir-1-c");
  EXPECT_EQ(sources[1].stage, "codegen");
  EXPECT_EQ(networks().found.at(0).topology.provenance.source, "tir-1-c");
}

TEST_F(NetworksTest, TheDefaultStageIsPreferred) {
  open(metadata(module_entry("default", "\"aot\"")),
       {{"src/tir-1.codegen.txt", one_call("other")}, {"src/tir-1.txt", one_call()}});
  EXPECT_EQ(networks().found.at(0).topology.inputs.at(0).name, "x");
}

TEST_F(NetworksTest, AStageWithoutMainLeavesItToTheNext) {
  open(metadata(module_entry("default", "\"aot\"")),
       {{"src/tir-1.codegen.txt", one_call()},
        {"src/tir-1.txt", graph::script({graph::unary("tvmgen_default_a")})}});
  EXPECT_EQ(networks().found.at(0).topology.provenance.stage, "codegen");
}

TEST_F(NetworksTest, KernelsOfAnotherTargetAreFoundInItsTir) {
  open(metadata(module_entry("default", "\"aot\"")),
       {{"src/tir-1.txt", graph::script({graph::main_of(
                              {"x", "output"}, graph::call("tvmgen_default_a",
                                                           "x_buffer.data, output_buffer.data"))})},
        {"src/tir-1-cmsis-nn.txt", graph::script({graph::unary("tvmgen_default_a")})}});
  EXPECT_EQ(networks().found.at(0).topology.kernels.at(0).source, "tir-1-cmsis-nn");
}

TEST_F(NetworksTest, TwoMainsOfOneModuleAreNoSoundNetwork) {
  open(metadata(module_entry("default", "\"aot\"")),
       {{"src/tir-1.txt", one_call()}, {"src/tir-2.txt", one_call("y")}});
  const Networks found = networks();
  ASSERT_EQ(found.found.size(), 1U);
  EXPECT_FALSE(found.found[0].topology.is_sound());
}

TEST_F(NetworksTest, TheGraphOfTheExecutorNeedsNoTir) {
  open(metadata(module_entry("default", "\"graph\"")),
       {{"executor-config/graph/default.graph", std::string(kGraphOfOneCall)}});
  const graph::Topology topology = networks().found.at(0).topology;
  EXPECT_EQ(topology.provenance.source, "executor-config/graph/default.graph");
  EXPECT_EQ(topology.module, "default");
  EXPECT_EQ(topology.calls.size(), 1U);
  EXPECT_EQ(topology.inputs.size(), 2U);
}

TEST_F(NetworksTest, TheGraphOfTheExecutorIsLinkedToItsKernels) {
  open(metadata(module_entry("default", "\"graph\"")),
       {{"executor-config/graph/default.graph", std::string(kGraphOfOneCall)},
        {"src/tir-1.txt", graph::script({graph::binary("tvmgen_default_add")})}});
  EXPECT_EQ(networks().found.at(0).topology.kernels.at(0).source, "tir-1");
}

TEST_F(NetworksTest, EveryModuleHasItsOwn) {
  open(metadata(module_entry("a", "\"graph\"") + ", " + module_entry("default", "\"aot\"")),
       {{"executor-config/graph/a.graph", std::string(kGraphOfOneCall)},
        {"src/tir-1.txt", one_call()}});
  const Networks found = networks();
  ASSERT_EQ(found.found.size(), 2U);
  EXPECT_EQ(found.found[0].topology.provenance.kind, graph::ProvenanceKind::graph_json);
  EXPECT_EQ(found.found[1].topology.provenance.kind, graph::ProvenanceKind::main_function);
}

TEST_F(NetworksTest, WithoutANetworkThereIsAReason) {
  open(metadata(module_entry("default", "\"aot\"")), {});
  EXPECT_EQ(networks().missing.at(0).reason, NoNetwork::no_tir);
  open(metadata(module_entry("default", "\"aot\"")),
       {{"src/tir-1.txt", graph::script({graph::unary("tvmgen_default_a")})}});
  EXPECT_EQ(networks().missing.at(0).reason, NoNetwork::no_main);
  open(R"({"version": 7, "model_name": "add", "style": "operator", "executors": [], "memory": {},
           "export_datetime": "2024-01-01 00:00:00Z", "target": ["c"]})",
       {});
  EXPECT_EQ(networks().missing.at(0).reason, NoNetwork::operators);
}

TEST_F(NetworksTest, AMalformedGraphNamesItsMember) {
  open(metadata(module_entry("default", "\"graph\"")),
       {{"executor-config/graph/default.graph", "{}"}});
  const auto found = deployment_->networks();
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().where.member, "executor-config/graph/default.graph");
}

TEST_F(NetworksTest, OnlyMembersThatCountAreListed) {
  open(metadata(module_entry("a", "\"graph\"") + ", " + module_entry("b", "\"aot\"")),
       {{"codegen/host/include/tvmgen_b.h", ""},
        {"codegen/host/src/b_lib0.c", ""},
        {"executor-config/graph/a.graph", std::string(kGraphOfOneCall)},
        {"parameters/a.params", ""},
        {"parameters/b.params", ""},
        {"src/b.relay", ""}});
  std::vector<std::string> names;
  for (const archive::Member* member : deployment_->network_members()) {
    names.push_back(member->name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"codegen/host/include/tvmgen_b.h",
                                             "executor-config/graph/a.graph", "parameters/a.params",
                                             "src/b.relay"}));
}

}  // namespace
}  // namespace mlf
