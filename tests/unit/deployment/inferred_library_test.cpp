// Archives without metadata.json, as people publish them.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "mlf/deployment.h"
#include "unit/archive/archive_fixture.h"

namespace mlf {
namespace {

constexpr std::string_view kMyNetKernels =
    "// tvm target: c -keys=cpu\n#define TVM_EXPORTS\n"
    "#include \"tvm/runtime/c_runtime_api.h\"\n#include <math.h>\n"
    "TVM_DLL int32_t tvmgen_my_net_fused_a(int8_t* p0, int8_t* T_a) {\n"
    "  for (int32_t i = 0; i < 8; ++i) {\n    T_a[i] = p0[i];\n  }\n  return 0;\n}\n"
    "TVM_DLL int32_t tvmgen_my_net___tvm_main__(int8_t* x_buffer_var, int8_t* output_buffer_var) "
    "{\n  if (tvmgen_my_net_fused_a(x_buffer_var, output_buffer_var) != 0 ) return -1;\n"
    "  return 0;\n}\n";
constexpr std::string_view kMyNetHeader =
    "#define TVMGEN_MY_NET_X_SIZE 8\n#define TVMGEN_MY_NET_OUTPUT_SIZE 8\n"
    "struct tvmgen_my_net_inputs {\n  void* x;\n};\n"
    "struct tvmgen_my_net_outputs {\n  void* output;\n};\n";

class InferredLibrary : public test::ArchiveTest {
 protected:
  using Members = std::vector<std::pair<std::string_view, std::string_view>>;

  Result<Deployment> open(const Members& members) { return Deployment::open(write_tar(members)); }

  ModelLibrary library(const Members& members) {
    auto deployment = open(members);
    EXPECT_TRUE(deployment) << to_string(deployment.error());
    return deployment ? deployment->library() : ModelLibrary();
  }

  std::vector<std::string> names(const Members& members) {
    std::vector<std::string> names;
    for (const Module& module : library(members).modules) names.push_back(module.name);
    return names;
  }
};

TEST_F(InferredLibrary, AStaticLibraryIsCodeOfAModuleWithoutName) {
  const ModelLibrary found = library({{"mod.a", "!<arch>\n"}});
  ASSERT_EQ(found.modules.size(), 1u);
  EXPECT_EQ(found.modules[0].files.objects.size(), 1u);
}

TEST_F(InferredLibrary, SaysWhatGeneratedCodeSays) {
  const ModelLibrary found = library({{"codegen/host/src/my.net_lib1.c", kMyNetKernels},
                                      {"codegen/host/include/tvmgen_my_net.h", kMyNetHeader}});
  EXPECT_FALSE(found.has_metadata());
  ASSERT_EQ(found.modules.size(), 1u);
  const Module& module = found.modules[0];
  EXPECT_EQ(module.name, "my.net");  // the file has the characters of the name
  EXPECT_EQ(module.style, Style::full_model);
  EXPECT_EQ(module.executors, std::vector{Executor::aot});
  ASSERT_EQ(module.targets.size(), 1u);
  EXPECT_EQ(module.targets[0].target.kind, "c");
  EXPECT_EQ(module.files.sources.size(), 1u);
  EXPECT_EQ(module.files.headers.size(), 1u);
  // What only metadata.json declares.
  EXPECT_TRUE(module.memory.main.empty());
  EXPECT_FALSE(module.export_datetime);
}

TEST_F(InferredLibrary, NamesComeFromLibrariesThenMainsThenHeaders) {
  EXPECT_EQ(names({{"codegen/host/src/a_lib0.c", ";"}, {"codegen/host/src/b_lib0.c", ";"}}),
            (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(names({{"codegen/host/lib/a_lib0.o", "ELF"}}), std::vector<std::string>{"a"});
  EXPECT_EQ(names({{"codegen/host/src/model.c", kMyNetKernels}}),
            std::vector<std::string>{"my_net"});
  EXPECT_EQ(names({{"codegen/host/src/lib0.c", kMyNetKernels}}),
            std::vector<std::string>{"my_net"});
  EXPECT_EQ(names({{"codegen/host/include/tvmgen_a.h", ""}}), std::vector<std::string>{"a"});
  // A library that was added, beside one that has a main.
  EXPECT_EQ(names({{"codegen/host/src/board_lib0.c", "int x;"},
                   {"codegen/host/src/my_net_lib1.c", kMyNetKernels}}),
            std::vector<std::string>{"my_net"});
}

TEST_F(InferredLibrary, AGraphMeansTheGraphExecutor) {
  const Members old = {{"codegen/host/src/default_lib0.c", ";"},
                       {"executor-config/graph/graph.json", "{}"}};
  EXPECT_EQ(library(old).modules.at(0).executors, std::vector{Executor::graph});
  const Members release = {{"codegen/host/src/default_lib0.c", ";"},
                           {"executor-config/graph/default.graph", "{}"}};
  EXPECT_EQ(library(release).modules.at(0).executors, std::vector{Executor::graph});
}

TEST_F(InferredLibrary, NamelessCodeIsOfAnOperator) {
  const ModelLibrary found = library({{"codegen/host/src/lib0.c", "// tvm target: c\n"}});
  ASSERT_EQ(found.modules.size(), 1u);
  EXPECT_EQ(found.modules[0].name, "");
  EXPECT_EQ(found.modules[0].style, Style::operator_only);
}

TEST_F(InferredLibrary, KernelsWithoutAMainAreOfTheGraphExecutor) {
  const std::string kernels(
      kMyNetKernels.substr(0, kMyNetKernels.find("TVM_DLL int32_t tvmgen_my_net__")));
  const ModelLibrary found = library({{"lib0.c", kernels}, {"lib1.c", "// tvm target: c\n"}});
  ASSERT_EQ(found.modules.size(), 1u);
  EXPECT_EQ(found.modules[0].name, "my_net");
  EXPECT_EQ(found.modules[0].style, Style::full_model);
  EXPECT_EQ(found.modules[0].executors, std::vector{Executor::graph});
  EXPECT_EQ(found.modules[0].files.sources.size(), 2u);
}

TEST_F(InferredLibrary, WithoutGeneratedCodeItIsNoModelLibrary) {
  const auto deployment = open({{"codegen/host/src/main.c", "int main(void) { return 0; }\n"}});
  ASSERT_FALSE(deployment);
  EXPECT_EQ(deployment.error().message,
            "no metadata.json: this is not a Model Library Format archive");
}

TEST_F(InferredLibrary, NetworksHaveTheSizesOfTheHeader) {
  const auto deployment = open({{"codegen/host/src/my_net_lib1.c", kMyNetKernels},
                                {"codegen/host/include/tvmgen_my_net.h", kMyNetHeader}});
  ASSERT_TRUE(deployment) << to_string(deployment.error());
  const auto networks = deployment->networks();
  ASSERT_TRUE(networks) << to_string(networks.error());
  ASSERT_EQ(networks->found.size(), 1u);
  const graph::Topology& network = networks->found[0].topology;
  EXPECT_EQ(network.calls.size(), 1u);
  ASSERT_EQ(network.inputs.size(), 1u);
  EXPECT_EQ(network.inputs[0].name, "x");
  EXPECT_EQ(network.inputs[0].type.bytes(), 8u);
}

// People publish codegen/host, under this name or another, and the files of it in one directory.
TEST_F(InferredLibrary, DirectoriesOfOtherNamesAreTheSameLibrary) {
  const std::pair<std::string_view, std::string_view> places[] = {
      {"host/src/my.net_lib1.c", "host/include/tvmgen_my_net.h"},
      {"src/my.net_lib1.c", "include/tvmgen_my_net.h"},
      {"a/codegen/host/src/my.net_lib1.c", "a/codegen/host/include/tvmgen_my_net.h"},
      {"network/src/my.net_lib1.c", "network/include/tvmgen_my_net.h"},
      {"my.net_lib1.c", "tvmgen_my_net.h"},
      {"./a/b/my.net_lib1.c", "./a/b/tvmgen_my_net.h"}};
  for (const auto& [source, header] : places) {
    const auto deployment = open({{source, kMyNetKernels}, {header, kMyNetHeader}});
    ASSERT_TRUE(deployment) << to_string(deployment.error());
    ASSERT_EQ(deployment->library().modules.size(), 1u);
    const Module& module = deployment->library().modules[0];
    EXPECT_EQ(module.name, "my.net");
    ASSERT_EQ(module.files.sources.size(), 1u);
    EXPECT_EQ(module.files.sources[0].name, "codegen/host/src/my.net_lib1.c");
    ASSERT_EQ(module.files.headers.size(), 1u);
    EXPECT_EQ(module.files.headers[0].name, "codegen/host/include/tvmgen_my_net.h");
    const auto networks = deployment->networks();
    ASSERT_TRUE(networks) << to_string(networks.error());
    ASSERT_EQ(networks->found.size(), 1u);
    EXPECT_EQ(networks->found[0].topology.inputs.at(0).type.bytes(), 8u);
  }
}

}  // namespace
}  // namespace mlf
