// Parameters of the graph executor in smaller types, and those that keep theirs.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "mlf/model_library.h"
#include "mlf/optimize.h"
#include "mlf/verify.h"
#include "unit/archive/archive_fixture.h"
#include "unit/optimize/bundled.h"

namespace mlf::test::parameters {
namespace {

const std::string kKernel =
    "// tvm target: c -keys=cpu \n#define TVM_EXPORTS\n"
    "#include \"tvm/runtime/c_runtime_api.h\"\n"
    "TVM_DLL int32_t tvmgen_default_fused_multiply(void* args, int32_t* arg_type_ids, int32_t "
    "num_args, void* out_ret_value, int32_t* out_ret_tcode, void* resource_handle) {\n"
    "  int32_t p0_code = arg_type_ids[0];\n"
    "  int32_t p1_code = arg_type_ids[1];\n"
    "  int32_t T_multiply_code = arg_type_ids[2];\n"
    "  void* p0 = (((TVMValue*)args)[0].v_handle);\n"
    "  void* p1 = (((TVMValue*)args)[1].v_handle);\n"
    "  void* T_multiply = (((TVMValue*)args)[2].v_handle);\n"
    "  void* p0_1 = (((DLTensor*)p0)[0].data);\n"
    "  int32_t dev_id = (((DLTensor*)p0)[0].device.device_id);\n"
    "  void* p1_1 = (((DLTensor*)p1)[0].data);\n"
    "  void* T_multiply_1 = (((DLTensor*)T_multiply)[0].data);\n"
    "  for (int32_t ax0 = 0; ax0 < 4; ++ax0) {\n"
    "    ((int16_t*)T_multiply_1)[ax0] = (((int16_t*)p0_1)[ax0] * ((int16_t*)p1_1)[ax0]);\n"
    "  }\n"
    "  return 0;\n"
    "}\n";

std::string node_of_call(const std::string& inputs) {
  return R"({"op": "tvm_op", "name": "tvmgen_default_fused_multiply", "inputs": [)" + inputs +
         R"(], "attrs": {"func_name": "tvmgen_default_fused_multiply", "num_inputs": "2", )"
         R"("num_outputs": "1", "flatten_data": "0"}})";
}

/// The product of the input and a parameter.
std::string graph_json() {
  return R"({"nodes": [{"op": "null", "name": "x", "inputs": []}, )"
         R"({"op": "null", "name": "weights", "inputs": []}, )" +
         node_of_call("[0, 0, 0], [1, 0, 0]") +
         R"(], "arg_nodes": [0, 1], "heads": [[2, 0, 0]], "attrs": {)"
         R"("dltype": ["list_str", ["int16", "int16", "int16"]], )"
         R"("device_index": ["list_int", [1, 1, 1]], "storage_id": ["list_int", [0, 1, 2]], )"
         R"("shape": ["list_shape", [[4], [4], [4]]]}, "node_row_ptr": [0, 1, 2, 3]})";
}

constexpr std::string_view kMetadata =
    R"({"version": 7, "modules": {"default": {"model_name": "default", "style": "full-model", )"
    R"("executors": ["graph"], "export_datetime": "2026-01-01 00:00:00Z", "target": ["c -keys=cpu "], )"
    R"("memory": {"functions": {"main": [{"device": 1, "workspace_size_bytes": 0, )"
    R"("constants_size_bytes": 8, "io_size_bytes": 16}], "operator_functions": []}, )"
    R"("sids": [{"storage_id": 0, "size_bytes": 8}, {"storage_id": 1, "size_bytes": 8}, )"
    R"({"storage_id": 2, "size_bytes": 8}]}}}})";

template <class T>
void put(std::string& bytes, T value) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof value);
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

void put_array(std::string& bytes, const std::vector<std::int16_t>& values) {
  put<std::uint64_t>(bytes, 0xDD5E40F096B4A13F);
  put<std::uint64_t>(bytes, 0);
  put<std::int32_t>(bytes, 1);
  put<std::int32_t>(bytes, 0);
  put<std::int32_t>(bytes, 1);
  put<std::uint8_t>(bytes, 0);
  put<std::uint8_t>(bytes, 16);
  put<std::uint16_t>(bytes, 1);
  put<std::int64_t>(bytes, static_cast<std::int64_t>(values.size()));
  put<std::int64_t>(bytes, static_cast<std::int64_t>(2 * values.size()));
  for (const std::int16_t value : values) put(bytes, value);
}

using Arrays = std::vector<std::pair<std::string, std::vector<std::int16_t>>>;

/// Arrays of int16 as TVM writes them (src/runtime/file_utils.cc).
std::string params(const Arrays& arrays) {
  std::string bytes;
  put<std::uint64_t>(bytes, 0xF7E58D4F05049CB7);
  put<std::uint64_t>(bytes, 0);
  put<std::uint64_t>(bytes, arrays.size());
  for (const auto& [name, values] : arrays) {
    put<std::uint64_t>(bytes, name.size());
    bytes += name;
  }
  put<std::uint64_t>(bytes, arrays.size());
  for (const auto& [name, values] : arrays) put_array(bytes, values);
  return bytes;
}

class Parameters : public ArchiveTest {
 protected:
  struct Contents {
    std::string c = kKernel;
    std::string graph = graph_json();
    std::vector<std::int16_t> values{-128, 1, 2, 127};
    std::string captured{};
    Arrays others{};  ///< more parameters
  };

  OptimizeReport optimize(const Contents& contents) const {
    Arrays arrays = contents.others;
    arrays.insert(arrays.begin(), {"weights", contents.values});
    const std::string file = params(arrays);
    std::vector<std::pair<std::string_view, std::string_view>> members{
        {"metadata.json", kMetadata},
        {"codegen/host/src/default_lib1.c", contents.c},
        {"executor-config/graph/default.graph", contents.graph},
        {"parameters/default.params", file}};
    if (!contents.captured.empty()) members.emplace_back("src/tir-1.txt", contents.captured);
    const auto report =
        write_optimized(open_deployment(write_tar(members)), {.output = path("out.tar")});
    EXPECT_TRUE(report) << to_string(report.error());
    return report.value_or(OptimizeReport{});
  }

  /// Why the parameter keeps its type.
  std::string why_kept(const Contents& contents) const {
    for (const OptimizedModule& module : optimize(contents).modules) {
      for (const OptimizedConstant& one : module.constants) {
        if (one.is_parameter) return one.before == one.after ? one.kept : "it is smaller";
      }
    }
    return "there is no such parameter";
  }

  std::string member(std::string_view name) const {
    const archive::Archive archive = open_good(path("out.tar"));
    return std::string(archive.read(*archive.find(name)).value());
  }
};

std::string with(std::string text, std::string_view from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST_F(Parameters, GetASmallerTypeInEveryMemberThatStatesIt) {
  EXPECT_EQ(why_kept({}), "it is smaller");
  EXPECT_NE(member("codegen/host/src/default_lib1.c").find("((int16_t)((int8_t*)p1_1)[ax0])"),
            std::string::npos);
  EXPECT_NE(member("executor-config/graph/default.graph").find(R"(["int16", "int8", "int16"])"),
            std::string::npos);
  EXPECT_NE(member("metadata.json").find(R"({"storage_id": 1, "size_bytes": 4})"),
            std::string::npos);
  EXPECT_NE(member("metadata.json").find(R"("constants_size_bytes": 4)"), std::string::npos);
  const std::string file = member("parameters/default.params");
  const auto read =
      read_params(std::as_bytes(std::span(file)), "parameters/default.params").value();
  EXPECT_EQ(to_string(read.at(0).type), "int8");
  EXPECT_EQ(static_cast<std::int8_t>(read[0].data[0]), -128);
  EXPECT_EQ(static_cast<std::int8_t>(read[0].data[3]), 127);
  const auto verified = verify_archive(path("out.tar"));
  for (const VerifyFinding& finding : verified.value().findings) {
    EXPECT_NE(finding.severity, graph::Severity::error) << finding.detail;
  }
}

TEST_F(Parameters, KeepTheTypeThatTheirValuesNeed) {
  EXPECT_EQ(why_kept({.values = {-129, 1, 2, 127}}), "there is no such parameter");
}

TEST_F(Parameters, KeepTheirTypeWhereAKernelDoesMoreThanLoad) {
  const std::string kForm =
      "the C of 'tvmgen_default_fused_multiply' has a form that mlf cannot edit";
  const std::string kBegin = "  for (int32_t ax0 = 0;";
  // A check of the type, another use of the tensor, and another use of its data.
  for (const std::string code : {"  if (!((((DLTensor*)p1)[0].dtype.bits) == 16)) {\n  }\n",
                                 "  (void)p1;\n", "  (void)p1_1;\n"}) {
    EXPECT_NE(why_kept({.c = with(kKernel, kBegin, code + kBegin)}), "it is smaller") << code;
  }
  EXPECT_EQ(why_kept({.c = with(kKernel, kBegin, "  /* p1_1 */\n" + kBegin)}), kForm);
  EXPECT_EQ(why_kept({.c = with(kKernel, "((int16_t*)T_multiply_1)",
                                "((int16_t*)p1_1)[0] = 1;\n    "
                                "((int16_t*)T_multiply_1)")}),
            "'tvmgen_default_fused_multiply' has a statement that mlf cannot read");
}

/// Multiplies by each of two parameters: the kernel receives both as the same argument.
std::string graph_of_two() {
  return R"({"nodes": [{"op": "null", "name": "x", "inputs": []}, )"
         R"({"op": "null", "name": "weights", "inputs": []}, )"
         R"({"op": "null", "name": "scales", "inputs": []}, )" +
         node_of_call("[0, 0, 0], [1, 0, 0]") + ", " + node_of_call("[3, 0, 0], [2, 0, 0]") +
         R"(], "arg_nodes": [0, 1, 2], "heads": [[4, 0, 0]], "attrs": {)"
         R"("dltype": ["list_str", ["int16", "int16", "int16", "int16", "int16"]], )"
         R"("device_index": ["list_int", [1, 1, 1, 1, 1]], )"
         R"("storage_id": ["list_int", [0, 1, 2, 3, 4]], )"
         R"("shape": ["list_shape", [[4], [4], [4], [4], [4]]]}, )"
         R"("node_row_ptr": [0, 1, 2, 3, 4, 5]})";
}

TEST_F(Parameters, OfOneArgumentOfAKernelHaveOneType) {
  const Arrays small{{"scales", {4, 5, 6, -7}}, {"unused", {300, 8, 9, 10}}};
  EXPECT_EQ(why_kept({.graph = graph_of_two(), .others = small}), "it is smaller");
  const std::string file = member("parameters/default.params");
  const auto read =
      read_params(std::as_bytes(std::span(file)), "parameters/default.params").value();
  ASSERT_EQ(read.size(), 3U);
  EXPECT_EQ(to_string(read[0].type), "int8");
  EXPECT_EQ(to_string(read[1].type), "int8");
  EXPECT_EQ(to_string(read[2].type), "int16");
  EXPECT_EQ(static_cast<std::int8_t>(read[1].data[3]), -7);
  EXPECT_EQ(read[2].data.size(), 8U);
  EXPECT_EQ(static_cast<std::uint8_t>(read[2].data[1]), 1U);  // of 300

  const Arrays large{{"scales", {4, 5, 6, 700}}};
  EXPECT_EQ(why_kept({.graph = graph_of_two(), .others = large}),
            "an argument of a kernel also receives a parameter that needs this type");
}

TEST_F(Parameters, KeepTheirTypeWhereAKernelReceivesOtherTensorsInTheirPlace) {
  std::string graph = with(graph_json(), R"(], "arg_nodes")",
                           ", " + node_of_call("[0, 0, 0], [2, 0, 0]") + R"(], "arg_nodes")");
  graph = with(graph, R"(["int16", "int16", "int16"])", R"(["int16", "int16", "int16", "int16"])");
  graph = with(graph, "[1, 1, 1]", "[1, 1, 1, 1]");
  graph = with(graph, "[0, 1, 2]]", "[0, 1, 2, 3]]");
  graph = with(graph, "[[4], [4], [4]]", "[[4], [4], [4], [4]]");
  graph = with(graph, "[0, 1, 2, 3]}", "[0, 1, 2, 3, 4]}");
  graph = with(graph, "[[2, 0, 0]]", "[[3, 0, 0]]");
  EXPECT_EQ(why_kept({.graph = graph}),
            "'tvmgen_default_fused_multiply' also receives other tensors as this argument");
}

}  // namespace
}  // namespace mlf::test::parameters
