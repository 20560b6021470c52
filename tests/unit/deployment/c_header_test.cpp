// The header of the C interface names inputs and outputs in the order of main's parameters.
#include "deployment/c_header.h"

#include <gtest/gtest.h>

namespace mlf::deployment {
namespace {

using Names = std::vector<std::string>;

TEST(CHeader, FieldsOfTheStructsOfInputsAndOutputsAreRead) {
  const HeaderFields fields = read_header(
      "#include <stdint.h>\n\n"
      "/*!\n * \\brief Input tensor pointers\n */\n"
      "struct tvmgen_default_inputs {\n  void* b;\n  void* a_0;\n};\n"
      "struct tvmgen_default_outputs {\n  void* output;\n};\n"
      "struct tvmgen_default_devices {\n  void* ethos_u;\n};\n"
      "int32_t tvmgen_default_run(\n  struct tvmgen_default_inputs* inputs,\n"
      "  struct tvmgen_default_outputs* outputs\n);\n");
  EXPECT_EQ(fields.inputs, (Names{"b", "a_0"}));
  EXPECT_EQ(fields.outputs, (Names{"output"}));
}

TEST(CHeader, PoolsOfTheApplicationHaveTheSizeThatIsDefined) {
  const HeaderFields fields = read_header(
      "struct tvmgen_my_net_workspace_pools {\n  void* sram;\n  void* dtcm_1;\n  void* unsized;\n"
      "};\n"
      "#define TVMGEN_MY_NET_WORKSPACE_SIZE 7424\n"
      "#define TVMGEN_MY_NET_SRAM_WORKSPACE_POOL_SIZE 7168\n"
      "#define TVMGEN_MY_NET_DTCM_1_WORKSPACE_POOL_SIZE 256\n"
      "#define TVMGEN_OTHER_UNSIZED_WORKSPACE_POOL_SIZE 256\n");
  ASSERT_EQ(fields.pools.size(), 2u);
  EXPECT_EQ(fields.pools[0].name, "sram");
  EXPECT_EQ(fields.pools[0].bytes, 7168);
  EXPECT_EQ(fields.pools[1].name, "dtcm_1");
  EXPECT_EQ(fields.pools[1].bytes, 256);
}

TEST(CHeader, OtherTextHasNoFields) {
  for (const char* text : {"", "struct", "struct tvmgen_m_inputs;\n  void* x;\n",
                           "struct tvmgen_m_workspace_pools {\n  void* pool;\n};\n"}) {
    const HeaderFields fields = read_header(text);
    EXPECT_TRUE(fields.inputs.empty() && fields.outputs.empty()) << text;
  }
}

TEST(CHeader, LinesMayEndInTheOtherWay) {
  EXPECT_EQ(read_header("struct tvmgen_m_inputs {\r\n  void* x;\r\n};\r\n").inputs, Names{"x"});
}

TEST(CHeader, AStructThatIsCutOffKeepsWhatItHas) {
  EXPECT_EQ(read_header("struct tvmgen_m_inputs {\n  void* x;\n  void* y").inputs, Names{"x"});
}

}  // namespace
}  // namespace mlf::deployment
