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
