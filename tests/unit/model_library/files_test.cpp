#include <gtest/gtest.h>

#include <ostream>
#include <tuple>

#include "mlf/model_library.h"

namespace mlf {
namespace {

std::string model(const std::string& name) {
  return R"({"model_name": ")" + name +
         R"(", "style": "full-model", "executors": ["aot"], "target": ["c"],
         "memory": {"functions": {"main": [], "operator_functions": []}}})";
}

std::string version_7(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "\"" : ", \"") + name + "\": " + model(name);
  }
  return R"({"version": 7, "modules": {)" + text + "}}";
}

std::string old_version(int version) {
  return R"({"version": )" + std::to_string(version) +
         R"(, "model_name": "net", "style": "full-model", "runtimes": ["graph"],
            "executors": ["graph"], "target": {"1": "c"},
            "memory": {"functions": {"main": [], "operator_functions": []}}})";
}

ModelLibrary library_of(const std::string& metadata, const std::vector<std::string>& names) {
  std::vector<FileRef> members;
  for (const std::string& name : names) members.push_back({name, name.size()});
  const auto library = read_model_library(metadata, members);
  if (library) return *library;
  ADD_FAILURE() << to_string(library.error());
  return {};
}

std::string names_of(const std::vector<FileRef>& files) {
  std::string result;
  for (const FileRef& file : files) result += (result.empty() ? "" : " ") + file.name;
  return result;
}

TEST(ModuleFiles, OfAModuleThatMetadataDoesNotHaveBelongToNone) {
  const ModelLibrary library =
      library_of(version_7({"second"}),
                 {"metadata.json", "codegen/host/src/first_lib0.c",
                  "codegen/host/src/second_lib0.c", "codegen/host/src/mine.c",
                  "codegen/host/include/tvmgen_first.h", "codegen/host/include/tvmgen_second.h"});
  const ModuleFiles& files = library.modules.front().files;
  EXPECT_EQ(names_of(files.sources), "codegen/host/src/second_lib0.c codegen/host/src/mine.c");
  EXPECT_EQ(names_of(files.headers), "codegen/host/include/tvmgen_second.h");
}

TEST(ModuleFiles, BelongToTheOnlyModuleWhereNoneHasItsName) {
  const ModelLibrary library =
      library_of(version_7({"renamed"}), {"metadata.json", "codegen/host/src/first_lib0.c"});
  EXPECT_EQ(names_of(library.modules.front().files.sources), "codegen/host/src/first_lib0.c");
}

TEST(ModuleFiles, AreFoundByTheNameOfTheModule) {
  const ModelLibrary library =
      library_of(version_7({"net"}),
                 {"metadata.json", "codegen/host/src/net_lib0.c", "codegen/host/lib/net_lib0.o",
                  "codegen/host/include/tvmgen_net.h", "parameters/net.params", "src/net.relay",
                  "executor-config/graph/net.graph", "src/tir-1.txt", "src/tir-1-cmsis-nn.txt",
                  "runtime/include/tvm/runtime/crt/crt.h", "templates/crt_config.h.template",
                  "src/mlf.json", "boot.elf"});
  const ModuleFiles& files = library.modules.front().files;
  EXPECT_EQ(files.sources, (std::vector<FileRef>{{"codegen/host/src/net_lib0.c", 27}}));
  EXPECT_EQ(names_of(files.objects), "codegen/host/lib/net_lib0.o");
  EXPECT_EQ(names_of(files.headers), "codegen/host/include/tvmgen_net.h");
  EXPECT_EQ(files.parameters, (FileRef{"parameters/net.params", 21}));
  EXPECT_EQ(files.relay, (FileRef{"src/net.relay", 13}));
  EXPECT_EQ(files.graph, (FileRef{"executor-config/graph/net.graph", 31}));
  EXPECT_EQ(names_of(library.shared.tir), "src/tir-1.txt src/tir-1-cmsis-nn.txt");
  EXPECT_EQ(names_of(library.shared.runtime), "runtime/include/tvm/runtime/crt/crt.h");
  EXPECT_EQ(names_of(library.shared.templates), "templates/crt_config.h.template");
  EXPECT_EQ(names_of(library.shared.other), "src/mlf.json boot.elf");
}

TEST(ModuleFiles, AreInTheOrderOfTheirNumbers) {
  const ModelLibrary library =
      library_of(version_7({"m"}), {"codegen/host/src/extra.c", "codegen/host/src/m_lib10.c",
                                    "codegen/host/src/m_lib9.cc", "codegen/host/src/m_lib0.c"});
  EXPECT_EQ(names_of(library.modules.front().files.sources),
            "codegen/host/src/m_lib0.c codegen/host/src/m_lib9.cc codegen/host/src/m_lib10.c "
            "codegen/host/src/extra.c");
}

TEST(ModuleFiles, OfModulesWhoseNamesBeginAlikeAreKeptApart) {
  const ModelLibrary library = library_of(
      version_7({"a", "a_b", "a_lib0"}),
      {"codegen/host/src/a_lib0.c", "codegen/host/src/a_b_lib0.c", "codegen/host/src/a_lib0_lib0.c",
       "codegen/host/src/a_b_tables.c", "codegen/host/src/a_tables.c", "codegen/host/src/ab_lib0.c",
       "parameters/a.params", "parameters/a_b.params", "src/a_b.relay",
       "codegen/host/include/tvmgen_a_b.h", "codegen/host/include/tvmgen_a.h"});
  const auto& [a, a_b, a_lib0] =
      std::tie(library.modules[0], library.modules[1], library.modules[2]);
  EXPECT_EQ(names_of(a.files.sources), "codegen/host/src/a_lib0.c codegen/host/src/a_tables.c");
  EXPECT_EQ(names_of(a_b.files.sources),
            "codegen/host/src/a_b_lib0.c codegen/host/src/a_b_tables.c");
  EXPECT_EQ(names_of(a_lib0.files.sources), "codegen/host/src/a_lib0_lib0.c");
  EXPECT_EQ(a.files.parameters->name, "parameters/a.params");
  EXPECT_EQ(a_b.files.parameters->name, "parameters/a_b.params");
  EXPECT_FALSE(a.files.relay.has_value());
  EXPECT_EQ(a_b.files.relay->name, "src/a_b.relay");
  EXPECT_EQ(names_of(a.files.headers), "codegen/host/include/tvmgen_a.h");
  EXPECT_EQ(names_of(a_b.files.headers), "codegen/host/include/tvmgen_a_b.h");
  EXPECT_EQ(names_of(library.shared.other), "codegen/host/src/ab_lib0.c");
}

TEST(ModuleFiles, IncludeTheHeaderWhoseNameTvmMakesLowerCase) {
  const ModelLibrary library =
      library_of(version_7({"First", "Net"}), {"codegen/host/include/tvmgen_net.h"});
  EXPECT_EQ(names_of(library.modules[1].files.headers), "codegen/host/include/tvmgen_net.h");
}

TEST(ModuleFiles, OfAParameterFileOfNoModuleStayShared) {
  const ModelLibrary library = library_of(version_7({"m"}), {"parameters/default.params"});
  EXPECT_EQ(names_of(library.shared.other), "parameters/default.params");
}

struct Layout {
  int version;
  std::string_view relay;
  std::string_view graph;
  std::string_view source;
};

std::ostream& operator<<(std::ostream& out, const Layout& layout) {
  return out << "version " << layout.version;
}

class OldLayout : public testing::TestWithParam<Layout> {};

TEST_P(OldLayout, HasRelayGraphAndSourcesAtTheirOldPlaces) {
  const auto& [version, relay, graph, source] = GetParam();
  std::string metadata = old_version(version);
  if (version == 1) {
    const std::size_t begin = metadata.find("{\"functions");
    metadata.replace(begin, metadata.rfind('}') - begin, "[]");
  }
  const ModelLibrary library =
      library_of(metadata, {"relay.txt", "src/relay.txt", "runtime-config/graph/graph.json",
                            "executor-config/graph/graph.json", std::string(source)});
  const ModuleFiles& files = library.modules.front().files;
  ASSERT_TRUE(files.relay && files.graph);
  EXPECT_EQ(files.relay->name, relay);
  EXPECT_EQ(files.graph->name, graph);
  EXPECT_EQ(names_of(files.sources), source);
}

INSTANTIATE_TEST_SUITE_P(
    Versions, OldLayout,
    testing::Values(
        Layout{1, "relay.txt", "runtime-config/graph/graph.json", "codegen/host/src/lib0.c"},
        Layout{2, "relay.txt", "runtime-config/graph/graph.json", "codegen/host/src/lib0.c"},
        Layout{3, "relay.txt", "runtime-config/graph/graph.json", "codegen/host/src/net_lib1.c"},
        Layout{4, "src/relay.txt", "runtime-config/graph/graph.json",
               "codegen/host/src/net_lib1.c"},
        Layout{5, "src/relay.txt", "executor-config/graph/graph.json",
               "codegen/host/src/net_lib1.c"},
        Layout{6, "src/relay.txt", "executor-config/graph/graph.json",
               "codegen/host/src/net_lib1.c"}));

}  // namespace
}  // namespace mlf
