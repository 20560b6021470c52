// What an archive says about main beside its TIR.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "deployment/network_search.h"
#include "mlf/inspection.h"
#include "tir/c/c.h"

namespace mlf::deployment {
namespace {

// --- The C header --------------------------------------------------------------------------------

using Names = std::vector<std::string>;
using tir::c::HeaderFields;
using tir::c::read_header;

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
  EXPECT_EQ(fields.run, "tvmgen_default_run");
  ASSERT_EQ(fields.structs.size(), 3u);
  EXPECT_EQ(fields.structs[2].name, "tvmgen_default_devices");
  EXPECT_EQ(fields.structs[2].fields, Names{"ethos_u"});
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

TEST(CHeader, InputsAndOutputsHaveTheSizeThatIsDefined) {
  const HeaderFields fields = read_header(
      "#define TVMGEN_MY_NET_INPUT_1_SIZE 490\n#define TVMGEN_MY_NET_OUT_SIZE 12\n"
      "#define TVMGEN_MY_NET_TWICE_SIZE 8\n#define TVMGEN_MY_NET_WORKSPACE_SIZE 4096\n"
      "struct tvmgen_my_net_inputs {\n  void* input_1;\n  void* twice;\n  void* workspace;\n};\n"
      "struct tvmgen_my_net_outputs {\n  void* out;\n  void* Twice;\n  void* unsized;\n};\n");
  ASSERT_EQ(fields.sizes.size(), 2u);
  EXPECT_EQ(fields.sizes[0].name, "input_1");
  EXPECT_EQ(fields.sizes[0].bytes, 490u);
  EXPECT_EQ(fields.sizes[1].name, "out");
  EXPECT_EQ(fields.sizes[1].bytes, 12u);
}

TEST(EntryPoints, OfPackedFunctionsAreInTheSources) {
  const std::string archive =
      std::string(MLF_TEST_DATA) + "/corpus/tvm-0.18/qnn_conv-aot-packed-usmp/module.tar";
  const Inspection inspection = inspect(Deployment::open(archive).value());
  const auto& entry = inspection.entry_points.at(0);
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->function, "tvmgen_default_run");
  EXPECT_EQ(entry->interface, CInterface::packed);
  EXPECT_EQ(entry->member, "codegen/host/src/default_lib0.c");
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
  // By a formatter.
  EXPECT_EQ(read_header("struct tvmgen_m_inputs\n{\n\tvoid *x;\n    void * y;\n};\n").inputs,
            (Names{"x", "y"}));
}

TEST(CHeader, FieldsArePointersOfOneName) {
  const auto read = [](const std::string& member) {
    return read_header("struct tvmgen_m_inputs {\n  void* x;\n  " + member + "\n};\n")
        .structs.at(0);
  };
  for (const char* const member : {"const void* y;", "void * const y;", "uint8_t const *y;",
                                   "struct image* y;", "void* __restrict y;"}) {
    EXPECT_EQ(read(member).fields, (Names{"x", "y"})) << member;
    EXPECT_TRUE(read(member).is_whole) << member;
  }
  for (const char* const member : {"void *y, *z;", "tensor_t y;", "void* y[1];", "float (*y)[3];",
                                   "FIELD(y)", "void** y;", "_Alignas(8) void* y;"}) {
    EXPECT_EQ(read(member).fields, Names{"x"}) << member;
    EXPECT_FALSE(read(member).is_whole) << member;
  }
}

TEST(CHeader, AStructThatIsCutOffKeepsWhatItHas) {
  EXPECT_EQ(read_header("struct tvmgen_m_inputs {\n  void* x;\n  void* y").inputs, Names{"x"});
}

// --- The Relay text ------------------------------------------------------------------------------

std::string parts_of(std::string_view text) {
  std::string result;
  for (const graph::NamedTensor& tensor : read_relay_signature(text).parameters) {
    result += tensor.name + " " + tir::to_string(tensor.type.dtype);
    for (const std::int64_t extent : *tensor.type.shape) result += " " + std::to_string(extent);
    result += ";";
  }
  return result;
}

TEST(RelaySignature, ParametersHaveTheirTypes) {
  EXPECT_EQ(parts_of("def @main(%x: Tensor[(1, 8), float32], %w: Tensor[(64), int8]) {\n  %0\n}\n"),
            "x float32 1 8;w int8 64;");
}

TEST(RelaySignature, AnnotationsAndReturnTypesArePassedOver) {
  EXPECT_EQ(parts_of("type T {}\n\ndef @main(%x: Tensor[(1, 8), float32] /* ty=Tensor[(1, 8), "
                     "float32] span=a.b:0:0 */, %y: Tensor[(), bool]) -> Tensor[(1), float32] {\n"),
            "x float32 1 8;y bool;");
}

std::string results_of(std::string_view text) {
  std::string result;
  for (const graph::TensorType& type : read_relay_signature(text).results) {
    result += tir::to_string(type.dtype);
    for (const std::int64_t extent : *type.shape) result += " " + std::to_string(extent);
    result += ";";
  }
  return result;
}

TEST(RelaySignature, ResultsHaveTheirTypes) {
  const std::string head = "def @main(%x: Tensor[(1, 8), float32])";
  EXPECT_EQ(results_of(head + " -> Tensor[(1, 2), uint8] {\n"), "uint8 1 2;");
  EXPECT_EQ(results_of(head + " -> (Tensor[(1, 2), uint8], float32) {\n"), "uint8 1 2;float32;");
  for (const char* rest : {"", " {\n", " -> ", " -> (Tensor[(1), int8], Tensor[(?), int8]) {\n"}) {
    EXPECT_EQ(results_of(head + rest), "") << rest;
  }
}

TEST(RelaySignature, WhatIsNotAStaticTensorIsPassedOver) {
  EXPECT_EQ(parts_of("def @main(%t: (Tensor[(1), int8], Tensor[(2), int8]), %d: Tensor[(?, 2), "
                     "int8], %n, %x: Tensor[(3), int8]) {\n"),
            "x int8 3;");
}

TEST(RelaySignature, ScalarsHaveATypeWithoutDimensions) {
  EXPECT_EQ(parts_of("def @main(%a: float32 /* ty=float32 */, %b: int64, %c: Tensor[(3), int8]) -> "
                     "Tensor[(3), float32] {\n"),
            "a float32;b int64;c int8 3;");
}

TEST(RelaySignature, DimensionsOf64BitsAreDimensions) {
  EXPECT_EQ(parts_of("def @main(%x: Tensor[(2i64, 3i64), float32] /* ty=Tensor[(2i64, 3i64), "
                     "float32] */) {\n"),
            "x float32 2 3;");
}

TEST(RelaySignature, NamesMayHaveColons) {
  EXPECT_EQ(parts_of("def @main(%x:0: Tensor[(3), int8], %a:b, %y::1: Tensor[(4), int8]) {\n"),
            "x:0 int8 3;y::1 int8 4;");
}

TEST(RelaySignature, OtherTextHasNone) {
  for (const char* text : {"", "def @other(%x: Tensor[(1), int8]) {}", "def @main(", "def @main(%",
                           "def @main(%x: Tensor[(", "def @main(%x: Tensor[(1, ", "def @main()"}) {
    EXPECT_EQ(parts_of(text), "") << text;
  }
}

}  // namespace
}  // namespace mlf::deployment
