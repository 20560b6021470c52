// Directories of captured TIR without an archive: with a build.json and without.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "mlf/deployment.h"
#include "unit/archive/archive_fixture.h"

namespace mlf {
namespace {

constexpr std::string_view kKernel =
    "@I.ir_module\nclass Module:\n    @T.prim_func\n"
    "    def fused_add(A: T.Buffer((8,), \"float32\")):\n"
    "        T.func_attr({\"global_symbol\": \"tvmgen_net_fused_add\"})\n        T.evaluate(0)\n";
constexpr std::string_view kMain =
    "@I.ir_module\nclass Module:\n    @T.prim_func\n"
    "    def __tvm_main__(A: T.Buffer((8,), \"float32\")):\n"
    "        T.func_attr({\"global_symbol\": \"tvmgen_net___tvm_main__\"})\n"
    "        T.evaluate(0)\n";
constexpr std::string_view kGraph =
    R"({"nodes": [{"op": "null", "name": "x", "inputs": []}], "arg_nodes": [0],
        "heads": [[0, 0, 0]], "attrs": {"dltype": ["list_str", ["float32"]],
        "shape": ["list_shape", [[8]]], "storage_id": ["list_int", [0]]}, "node_row_ptr": [0, 1]})";

std::string module_json(std::string_view name, std::string_view stem) {
  return R"({"name": ")" + std::string(name) +
         R"(", "style": "full-model", "executor": "aot", "runtime": "cpp",
             "targets": ["c -keys=cpu", "opencl -keys=opencl,gpu"], "tir": [{"stem": ")" +
         std::string(stem) +
         R"(", "stage": "lowered", "target": 1}], "graph": null, "parameters": []})";
}

std::string build_json(const std::string& modules) {
  return R"({"format": "mlf-build", "version": 1, "tvm_version": "0.16.0", "modules": [)" +
         modules + "]}";
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

class Build : public test::ArchiveTest {
 protected:
  using Members = std::vector<std::pair<std::string_view, std::string_view>>;

  Result<Deployment> open(const Members& members) { return Deployment::open(write_tar(members)); }

  std::string error_of(const std::string& json) {
    const auto opened = open({{"build.json", json}, {"tir-4.txt", kKernel}});
    EXPECT_FALSE(opened) << json;
    return opened ? "" : to_string(opened.error());
  }
};

TEST_F(Build, StatesModulesTargetsAndExecutors) {
  const std::string json = build_json(module_json("net", "tir-4"));
  const auto opened = open({{"build.json", json}, {"tir-4.txt", kKernel}});
  ASSERT_TRUE(opened) << to_string(opened.error());
  const ModelLibrary& library = opened->library();
  EXPECT_TRUE(library.is_build);
  EXPECT_FALSE(library.has_metadata());
  ASSERT_EQ(library.modules.size(), 1u);
  EXPECT_EQ(library.modules[0].name, "net");
  EXPECT_EQ(library.modules[0].executors, std::vector{Executor::aot});
  ASSERT_EQ(opened->tir_sources().size(), 1u);
  const TirSource& source = opened->tir_sources()[0];
  EXPECT_EQ(source.stem, "tir-4");
  EXPECT_EQ(source.name, "tir-4.txt");
  const auto owners = opened->owners_of(source);
  ASSERT_TRUE(owners);
  EXPECT_EQ(owners->modules, std::vector<std::size_t>{0});
  ASSERT_NE(owners->target, nullptr);
  EXPECT_EQ(owners->target->kind, "opencl");
  EXPECT_EQ(opened->document(source).value()->target.value_or(""), "opencl -keys=opencl,gpu");
}

TEST_F(Build, ModulesMayHaveFunctionsOfEqualNames) {
  const std::string json = build_json(module_json("a", "tir-1") + ", " + module_json("b", "tir-4"));
  const auto opened = open({{"build.json", json}, {"tir-1.txt", kMain}, {"tir-4.txt", kMain}});
  ASSERT_TRUE(opened) << to_string(opened.error());
  for (std::size_t i = 0; i < 2; ++i) {
    const auto owners = opened->owners_of(opened->tir_sources()[i]);
    ASSERT_TRUE(owners);
    EXPECT_EQ(owners->modules, std::vector{i});
  }
  const auto networks = opened->networks();
  ASSERT_TRUE(networks) << to_string(networks.error());
  ASSERT_EQ(networks->found.size(), 2u);
  EXPECT_EQ(networks->found[0].topology.provenance.source, "tir-1");
  EXPECT_EQ(networks->found[0].topology.module, "a");
  EXPECT_EQ(networks->found[1].topology.provenance.source, "tir-4");
  EXPECT_EQ(networks->found[1].topology.module, "b");
}

TEST_F(Build, KeepsTheGraphOfTheGraphExecutor) {
  const std::string json = replaced(replaced(build_json(module_json("net", "tir-4")),
                                             R"("graph": null)", R"("graph": "net.graph")"),
                                    R"("aot")", R"("graph")");
  const auto opened = open({{"build.json", json}, {"net.graph", kGraph}, {"tir-4.txt", kKernel}});
  ASSERT_TRUE(opened) << to_string(opened.error());
  const auto networks = opened->networks();
  ASSERT_TRUE(networks) << to_string(networks.error());
  ASSERT_EQ(networks->found.size(), 1u);
  EXPECT_EQ(networks->found[0].topology.inputs.size(), 1u);
}

TEST_F(Build, AFileThatIsNotOneIsRefusedWithThePlace) {
  const std::string good = build_json(module_json("net", "tir-4"));
  const auto refused = [&](std::string_view from, std::string_view to, std::string_view message) {
    const std::string error = error_of(replaced(good, from, to));
    EXPECT_NE(error.find(message), std::string::npos) << error;
    EXPECT_NE(error.find("build.json:"), std::string::npos) << error;
  };
  refused("mlf-build", "mlf-other", "/format: expected \"mlf-build\"");
  refused("\"version\": 1", "\"version\": 2", "/version: unsupported version");
  refused("\"target\": 1", "\"target\": 2", "/modules/0/tir/0/target: the module has 2 targets");
  refused("\"graph\": null", "\"graph\": \"no.graph\"", "/modules/0/graph: there is no such file");
  refused("\"aot\"", "\"vm\"", "unknown executor \"vm\"");
  refused("\"style\": \"full-model\", ", "", "missing key \"style\"");
}

TEST_F(Build, NamesBelongToOneModule) {
  const std::string first = module_json("a", "tir-4");
  const std::string same_name = error_of(build_json(first + "," + module_json("a", "tir-1")));
  EXPECT_NE(same_name.find("two modules have the name \"a\""), std::string::npos);
  const std::string same_tir = error_of(build_json(first + "," + module_json("b", "tir-4")));
  EXPECT_NE(same_tir.find("two modules have the TIR \"tir-4\""), std::string::npos);
  EXPECT_NE(error_of(build_json("")).find("at least one module"), std::string::npos);
}

TEST_F(Build, CapturesAloneNameTheirModulesByMain) {
  const auto opened = open({{"tir-1.txt", kMain}, {"tir-4.txt", kKernel}});
  ASSERT_TRUE(opened) << to_string(opened.error());
  EXPECT_FALSE(opened->library().is_build);
  ASSERT_EQ(opened->library().modules.size(), 1u);
  EXPECT_EQ(opened->library().modules[0].name, "net");
  EXPECT_EQ(opened->library().modules[0].executors, std::vector{Executor::aot});
  EXPECT_EQ(opened->tir_sources().size(), 2u);
}

TEST_F(Build, MetadataCountsBeforeBuildJson) {
  // A member of that name in an archive is a file like others.
  const auto opened = open({{"metadata.json", "{}"}, {"build.json", "{}"}});
  ASSERT_FALSE(opened);
  EXPECT_NE(to_string(opened.error()).find("metadata.json"), std::string::npos);
}

}  // namespace
}  // namespace mlf
