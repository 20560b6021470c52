// Functions for Arm's Ethos-U: the addresses that TVM puts into arrays are arguments of one call,
// and are printed again; what is not just so keeps its text.
#include <fmt/core.h>

#include "reading.h"
#include "tokens_of.h"

namespace mlf::tir::c {
namespace {

constexpr std::string_view kArrays =
    "__attribute__((section(\".rodata.tvm\"), aligned(16))) static int8_t npu_weights[3] = "
    "\"\\x01\\x02\\xff\";\n"
    "__attribute__((section(\".rodata.tvm\"), aligned(16))) static int8_t npu_cms_data_data[4] = "
    "\"\\x43\\x4f\\x50\\x31\";\n";

constexpr std::string_view kHead =
    "  void* cms_data = (void*)(npu_cms_data_data);\n"
    "  const size_t cms_data_size = sizeof(npu_cms_data_data);\n"
    "  size_t base_addrs_size[6] = {0};\n"
    "  uint64_t base_addrs[6] = {0};\n\n";

constexpr std::string_view kTensorAddresses =
    "  base_addrs[3] = (uintptr_t)(in);\n  base_addrs_size[3] = 64;\n"
    "  base_addrs[4] = (uintptr_t)(out);\n  base_addrs_size[4] = 32;\n";

std::string weights(std::string_view name, int bytes) {
  return fmt::format("  base_addrs[0] = (uintptr_t)({});\n  base_addrs_size[0] = {};\n", name,
                     bytes);
}

constexpr std::string_view kLaunch =
    "\n  int32_t result = TVMEthosULaunch(resource_handle, cms_data, cms_data_size, base_addrs, "
    "base_addrs_size, 6);\n";
constexpr std::string_view kReturn = "  return result;\n";

std::string file_of(std::string_view body, std::string_view pool = "") {
  return kernel_file(fmt::format(
      "{}TVM_DLL int32_t tvmgen_default_npu(void* in,void* out,{}void* resource_handle) {{\n{}}}\n",
      kArrays, pool, body));
}

std::string launch(std::string_view tensors) {
  return fmt::format("{}{}{}{}{}", kHead, weights("npu_weights", 3), tensors, kLaunch, kReturn);
}

TEST(EthosUInC, ALaunchIsOneCall) {
  const std::string file = file_of(launch(kTensorAddresses));
  const Document document = read_files({file});
  EXPECT_FALSE(lost(document, LossCode::unknown_construct));
  EXPECT_TRUE(lost(document, LossCode::npu_commands));
  EXPECT_NE(body_of(document).find(
                "ret(call_extern(\"TVMEthosULaunch\", resource_handle, npu_cms_data_data, 4:int64, "
                "0, npu_weights, 3:int64, 3, in, 64:int64, 4, out, 32:int64):int32)"),
            std::string::npos)
      << body_of(document);
  EXPECT_EQ(functions_of(written(document)), functions_of(file));
}

TEST(EthosUInC, TheBytesOfATextAreThoseOfAConstant) {
  const Document document = read_files({file_of(launch(kTensorAddresses))});
  const Node weights = function(document)[f::PrimFunc::body];
  ASSERT_TRUE(weights.is(Kind::AllocateConst));
  const auto data = weights[f::AllocateConst::data].bytes(f::NDArray::data);
  ASSERT_TRUE(data);
  const std::vector<std::byte> expected{std::byte{1}, std::byte{2}, std::byte{0xff}};
  EXPECT_EQ(std::vector<std::byte>(data->begin(), data->end()), expected);
}

TEST(EthosUInC, PoolsHaveNoSizeAndWorkspacesHaveOne) {
  const std::string pool =
      "  base_addrs[5] = (uintptr_t)(global_workspace_1_var);\n  base_addrs_size[5] = 0;\n";
  const std::string workspace =
      "  int8_t* dynamic_allocation = (int8_t*) TVMBackendAllocWorkspace(kDLCPU, 0, "
      "(uint64_t)2048, 0, 16);\n"
      "  base_addrs[1] = (uintptr_t)(dynamic_allocation);\n  base_addrs_size[1] = 2048;\n";
  const std::string file = file_of(
      fmt::format("{}{}{}{}{}{}  TVMBackendFreeWorkspace(kDLCPU, 0, dynamic_allocation);\n{}",
                  kHead, weights("npu_weights", 3), kTensorAddresses, pool, workspace, kLaunch,
                  kReturn),
      "void* global_workspace_1_var,");
  const Document document = read_files({file});
  EXPECT_FALSE(lost(document, LossCode::unknown_construct))
      << details(document, LossCode::unknown_construct);
  const std::string body = body_of(document);
  EXPECT_NE(body.find("5, global_workspace_1_var, 0:int64, 1, dynamic_allocation, 2048:int64"),
            std::string::npos)
      << body;
  EXPECT_EQ(functions_of(written(document)), functions_of(file));
}

// Where a function has no weights, TVM declares a null pointer of their name.
TEST(EthosUInC, WeightsMayBeMissing) {
  const std::string file = file_of(fmt::format("{}{}{}{}{}", kHead, weights("npu_2_weights", 0),
                                               kTensorAddresses, kLaunch, kReturn));
  const Document document = read_files({file});
  EXPECT_FALSE(lost(document, LossCode::unknown_construct));
  EXPECT_NE(body_of(document).find("0, \"NULL\", 0:int64"), std::string::npos);
  EXPECT_NE(written(document).find("base_addrs[0] = (uintptr_t)(NULL);"), std::string::npos);
}

// As boards' kits have it: sections of their own, and a choice of alignments.
TEST(EthosUInC, ArraysMayBeInAnySection) {
  std::string file = file_of(launch(kTensorAddresses));
  const std::string_view declared =
      "__attribute__((section(\".rodata.tvm\"), aligned(16))) static int8_t npu_weights[3] = ";
  ASSERT_NE(file.find(declared), std::string::npos);
  file.replace(file.find(declared), declared.size(),
               "#if defined(PROTECTED)\n"
               "__attribute__((section(\"weights\"), aligned(2048))) const static int8_t "
               "npu_weights[3] =\n#else\n"
               "__attribute__((section(\"weights\"), aligned(16))) const static int8_t "
               "npu_weights[3] =\n#endif\n");
  const Document document = read_files({file});
  EXPECT_FALSE(lost(document, LossCode::unknown_construct))
      << details(document, LossCode::unknown_construct);
  EXPECT_NE(body_of(document).find("0, npu_weights, 3:int64"), std::string::npos);
}

TEST(EthosUInC, BytesThatAreNoConstantAreALoss) {
  const std::string other = "static const uint8_t banner[9] = \"\\x68i\";\n";
  const Document document = read_files({kernel_file(
      other + "TVM_DLL int32_t tvmgen_default_f(float* p) {\n  p[0] = 1.0f;\n  return 0;\n}\n")});
  EXPECT_TRUE(lost(document, LossCode::unknown_construct));
  EXPECT_NE(body_of(document).find("p[0]"), std::string::npos);
}

TEST(EthosUInC, OtherCodeKeepsItsText) {
  const auto keeps_text = [](std::string body, std::string_view from, std::string_view to) {
    const std::size_t at = body.find(from);
    if (at == body.npos) throw std::logic_error("the change does not fit");
    return lost(read_files({file_of(body.replace(at, from.size(), to))}),
                LossCode::unknown_construct);
  };
  const std::string body = launch(kTensorAddresses);
  EXPECT_TRUE(keeps_text(body, "sizeof(npu_cms_data_data)", "sizeof(npu_weights)"));
  EXPECT_TRUE(keeps_text(body, "base_addrs_size[3] = 64", "base_addrs_size[2] = 64"));
  EXPECT_TRUE(keeps_text(body, "base_addrs[6]", "base_addrs[7]"));
  EXPECT_TRUE(keeps_text(body, "(uintptr_t)(in)", "(uintptr_t)(other)"));
  EXPECT_TRUE(keeps_text(body, "base_addrs_size, 6)", "base_addrs_size, 5)"));
  EXPECT_TRUE(keeps_text(body, "  return result;\n", "  log(result);\n  return result;\n"));
}

TEST(EthosUInC, ATextOfAnotherLengthIsNoConstant) {
  for (const std::string_view text :
       {"\\x01\\x02", "\\x01\\x02\\x0g", "abc", "\\x01\\x02\\x03\\x04"}) {
    std::string file = file_of(launch(kTensorAddresses));
    const std::string good = "\\x01\\x02\\xff";
    const auto document = try_read({file.replace(file.find(good), good.size(), text)});
    EXPECT_TRUE(!document || lost(*document, LossCode::unknown_construct)) << text;
  }
}

}  // namespace
}  // namespace mlf::tir::c
