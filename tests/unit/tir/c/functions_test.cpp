// Signatures, prologues, packed calls, constants and pools.
#include "reading.h"
#include "support/error.h"

namespace mlf::tir::c {
namespace {

constexpr std::string_view kPacked =
    "(void* args, int32_t* arg_type_ids, int32_t num_args, void* out_ret_value, "
    "int32_t* out_ret_tcode, void* resource_handle) {\n";

std::string packed(std::string_view name, std::string_view body) {
  return "TVM_DLL int32_t " + std::string(name) + std::string(kPacked) + std::string(body) +
         "  return 0;\n}\n";
}

/// The prologue of one tensor parameter `x` of function `f`, as v0.16 and later print it.
constexpr std::string_view kTensor =
    "  int32_t x_code = arg_type_ids[0];\n"
    "  void* x = (((TVMValue*)args)[0].v_handle);\n"
    "  void* f_x_shape = (((DLTensor*)x)[0].shape);\n"
    "  void* f_x_strides = (((DLTensor*)x)[0].strides);\n"
    "  int32_t dev_id = (((DLTensor*)x)[0].device.device_id);\n"
    "  void* x_1 = (((DLTensor*)x)[0].data);\n"
    "  if (!(f_x_strides == NULL)) {\n  }\n";

std::string shape_of(Node buffer) {
  std::string text;
  for (const Node dim : buffer.list(f::Buffer::shape)) text += spell(dim) + " ";
  return text;
}

TEST(CFunctions, TypedParametersHaveBuffers) {
  const Document document = read_files({in_kernel("  p[0] = 1.000000e+00f;")});
  const Node function = c::function(document);
  ASSERT_EQ(function.list(f::PrimFunc::params).size(), 4u);
  const NodeMap buffers = function.map(f::PrimFunc::buffer_map);
  ASSERT_EQ(buffers.size(), 3u);
  EXPECT_EQ(spell(buffers.key(0)), "p");
  EXPECT_EQ(buffers.value(0).dtype(f::Buffer::dtype), DType::Float(32));
  EXPECT_EQ(function.list(f::PrimFunc::params)[3].dtype(), DType::Int(32));
}

TEST(CFunctions, AParameterThatIsDeclaredAsAnArrayIsAPointer) {
  const Document document = read_files({kernel_file(
      "TVM_DLL int32_t f(float p[16], int8_t q[]) {\n  p[0] = ((float)q[0]);\n  return 0;\n}\n")});
  const NodeMap buffers = function(document).map(f::PrimFunc::buffer_map);
  ASSERT_EQ(buffers.size(), 2u);
  EXPECT_EQ(shape_of(buffers.value(0)), "1 ");
  EXPECT_EQ(buffers.value(1).dtype(f::Buffer::dtype), DType::Int(8));
}

TEST(CFunctions, ExtentsFollowFromTheHighestIndex) {
  const Document document = read_files(
      {in_kernel("  for (int32_t i = 0; i < 4; ++i) {\n    for (int32_t j = 0; j < 3; ++j) {\n"
                 "      p[((i * 3) + j)] = 0.000000e+00f;\n    }\n  }")});
  EXPECT_EQ(shape_of(function(document).map(f::PrimFunc::buffer_map).value(0)), "12 ");
  EXPECT_TRUE(lost(document, LossCode::buffer_shape));
}

TEST(CFunctions, ThePackedPrologueIsParametersAndBuffers) {
  const std::string body = std::string(kTensor) +
                           "  for (int32_t i = 0; i < 8; ++i) {\n"
                           "    ((float*)x_1)[i] = 0.000000e+00f;\n  }\n";
  const Document document = read_files({kernel_file(packed("f", body))});
  EXPECT_EQ(body_of(document), "for (i < 8) { x[i] = 0.00000000 }");
  const NodeMap buffers = function(document).map(f::PrimFunc::buffer_map);
  ASSERT_EQ(buffers.size(), 1u);
  EXPECT_EQ(spell(buffers.key(0)), "x");
  EXPECT_EQ(shape_of(buffers.value(0)), "8 ");
}

TEST(CFunctions, TheDeviceOfATensorIsItsContextBeforeV08) {
  std::string prologue(kTensor);
  prologue.replace(prologue.find(".device."), 8, ".ctx.");
  const Document document =
      read_files({kernel_file(packed("f", prologue + "  ((float*)x_1)[0] = 0.000000e+00f;\n"))});
  EXPECT_EQ(body_of(document), "x[0] = 0.00000000");
}

TEST(CFunctions, ThePrologueOfV012HasOtherNamesAndAnotherOrder) {
  const Document document = read_files(
      {kernel_file(packed("f",
                          "  void* arg_x = (((TVMValue*)args)[0].v_handle);\n"
                          "  int32_t arg_x_code = arg_type_ids[0];\n"
                          "  int32_t arg_n = ((int32_t)(((TVMValue*)args)[1].v_int64));\n"
                          "  int32_t arg_n_code = arg_type_ids[1];\n"
                          "  void* x = (((DLTensor*)arg_x)[0].data);\n"
                          "  void* arg_x_shape = (((DLTensor*)arg_x)[0].shape);\n"
                          "  void* arg_x_strides = (((DLTensor*)arg_x)[0].strides);\n"
                          "  if (!(arg_x_strides == NULL)) {\n  }\n"
                          "  int32_t n = arg_n;\n"
                          "  ((int8_t*)x)[n] = (int8_t)1;\n"))});
  EXPECT_EQ(body_of(document), "x[n] = 1:int8");
  const NodeList params = function(document).list(f::PrimFunc::params);
  ASSERT_EQ(params.size(), 2u);
  EXPECT_EQ(spell(params[0]), "x");
  EXPECT_EQ(spell(params[1]), "n");
  EXPECT_EQ(document.source.tvm_version.last, 12);
}

TEST(CFunctions, ABufferWithoutAQuestionForStridesHasNoDimension) {
  std::string body(kTensor);
  body.resize(body.find("  if (!"));
  const Document document =
      read_files({kernel_file(packed("f", body + "  ((float*)x_1)[0] = 0.000000e+00f;\n"))});
  EXPECT_EQ(shape_of(function(document).map(f::PrimFunc::buffer_map).value(0)), "");
}

TEST(CFunctions, APrologueThatLeavesAnArgumentOutIsOpaque) {
  const Document document =
      read_files({kernel_file(packed("f", "  void* x = (((TVMValue*)args)[1].v_handle);\n"))});
  const auto loss = std::ranges::find(document.losses, LossCode::unknown_construct, &Loss::code);
  ASSERT_NE(loss, document.losses.end());
  EXPECT_NE(loss->name.find("argument 0 is never read"), std::string::npos) << loss->name;
}

TEST(CFunctions, OnlyTheFirstReadOfAnArgumentIsAParameter) {
  const std::string again = "  void* y = (((TVMValue*)args)[0].v_handle);\n";
  const Document document = read_files({kernel_file(packed("f", std::string(kTensor) + again))});
  const NodeList params = function(document).list(f::PrimFunc::params);
  ASSERT_EQ(params.size(), 1u);
  EXPECT_EQ(spell(params[0]), "x");
}

/// Stores one tensor argument of shape [2, 3] for a packed call, as every version does.
std::string argument(std::string_view data, int position) {
  const std::string at = std::to_string(position);
  const std::string first = std::to_string(2 * position);
  const std::string second = std::to_string(2 * position + 1);
  const std::string tensor = "  (((DLTensor*)stack_array)[" + at + "].";
  return "  ((int64_t*)stack_shape)[" + first + "] = (int64_t)2;\n" + "  ((int64_t*)stack_shape)[" +
         second + "] = (int64_t)3;\n" + tensor + "data) = " + std::string(data) + ";\n" + tensor +
         "shape) = (&(((int64_t*)stack_shape)[" + first + "]));\n" + "    uint64_t v__" +
         std::to_string(position + 1) + " = (uint64_t)0;\n" + tensor +
         "strides) = (int64_t*)(*(void* *)(&(v__" + std::to_string(position + 1) + ")));\n" +
         tensor + "ndim) = (uint32_t)2;\n" + tensor + "dtype.code) = (uint8_t)2;\n" + tensor +
         "dtype.bits) = (uint8_t)32;\n" + tensor + "dtype.lanes) = (uint16_t)1;\n" + tensor +
         "byte_offset) = (uint64_t)0;\n" + tensor + "device.device_id) = dev_id;\n" + tensor +
         "device.device_type) = (DLDeviceType)1;\n" + "  (((TVMValue*)stack_value)[" + at +
         "].v_handle) = (((DLTensor*)stack_array) + " + at + ");\n  ((int32_t*)stack_tcode)[" + at +
         "] = 7;\n";
}

std::string packed_main(std::string_view calls) {
  std::string prologue(kTensor);
  std::string text =
      "  TVMValue stack[2];\n  void* stack_tcode = stack;\n"
      "  TVMValue stack_1[4];\n  void* stack_value = stack_1;\n"
      "  TVMValue stack_2[18];\n  void* stack_array = stack_2;\n"
      "  TVMValue stack_3[7];\n  void* stack_shape = stack_3;\n";
  return packed("tvmgen_default___tvm_main__", text + prologue + std::string(calls));
}

constexpr std::string_view kCall =
    "  TVMValue ret_val;\n  int ret_type_code;\n"
    "  if (tvmgen_default_k( (TVMValue*) stack_value , (int*) stack_tcode, 1, &ret_val, "
    "&ret_type_code, NULL) != 0){\n    return -1;\n  }\n";

TEST(CFunctions, AStackOfArgumentsIsOnePackedCall) {
  const Document document = read_files(
      {kernel_file(packed_main(argument("x_1", 0) + argument("x_1", 1) + std::string(kCall)))});
  const std::string array =
      "tvm_stack_make_array(x_1, tvm_stack_make_shape(2, 3), reinterpret(0:uint64):handle, "
      "2:uint32, Cast(float32, 0), 0)";
  EXPECT_EQ(body_of(document, "__tvm_main__"), "tvm_call_cpacked(\"tvmgen_default_k\", " + array +
                                                   ", " + array +
                                                   ", reinterpret(0:uint64):handle)");
}

TEST(CFunctions, PackedCallsTellTheShapesOfKernelsAndOfMain) {
  const std::string kernel =
      packed("tvmgen_default_k", std::string(kTensor) + "  ((float*)x_1)[0] = 1.000000e+00f;\n");
  const Document document =
      read_files({kernel_file(kernel + packed_main(argument("x_1", 0) + std::string(kCall)))});
  for (const std::string_view name : {"tvmgen_default_k", "__tvm_main__"}) {
    const Node buffer = function(document, name).map(f::PrimFunc::buffer_map).value(0);
    EXPECT_EQ(shape_of(buffer), "2 3 ") << name;
    EXPECT_EQ(buffer.dtype(f::Buffer::dtype), DType::Float(32)) << name;
  }
}

/// The same lines once more in one function, with other names for what they declare.
std::string once_more(std::string lines) {
  for (const std::string_view name : {"v__1", "ret_val", "ret_type_code"}) {
    for (std::size_t at = lines.find(name); at != lines.npos; at = lines.find(name, at + 1)) {
      lines.insert(at + name.size(), "9");
    }
  }
  return lines;
}

TEST(CFunctions, ArgumentsOfAnEarlierCallAreNotPassedAgain) {
  const Document document = read_files(
      {kernel_file(packed_main(argument("x_1", 0) + argument("x_1", 1) + std::string(kCall) +
                               once_more(argument("x_1", 0) + std::string(kCall))))});
  const Node body = function(document, "__tvm_main__")[f::PrimFunc::body];
  const Node second = body.list(f::SeqStmt::seq)[1][f::Evaluate::value];
  EXPECT_EQ(second.list(f::Call::args).size(), 3u);  // name, one tensor, context
}

TEST(CFunctions, ANameIsDeclaredOnce) {
  const std::string call = argument("x_1", 0) + std::string(kCall);
  EXPECT_FALSE(lost(read_files({kernel_file(packed_main(call + once_more(call)))}),
                    LossCode::unknown_construct));
  EXPECT_TRUE(
      lost(read_files({kernel_file(packed_main(call + call))}), LossCode::unknown_construct));
}

TEST(CFunctions, AWordOfCNamesNothing) {
  for (const std::string_view word : {"void", "int32_t", "return"}) {
    EXPECT_TRUE(lost(read_files({in_kernel("  int32_t " + std::string(word) + " = 1;")}),
                     LossCode::unknown_construct))
        << word;
  }
}

TEST(CFunctions, APackedCallLeavesItsResultWhereItWasDeclared) {
  std::string call = argument("x_1", 0) + std::string(kCall);
  call.replace(call.find("&ret_val"), 8, "&dev_id");
  EXPECT_TRUE(lost(read_files({kernel_file(packed_main(call))}), LossCode::unknown_construct));
}

TEST(CFunctions, TheOffsetOfATensorOfHandlesHasSixtyFourBits) {
  std::string call = argument("x_1", 0) + std::string(kCall);
  const std::string_view code = "dtype.code) = (uint8_t)2";
  call.replace(call.find(code), code.size(), "dtype.code) = (uint8_t)3");
  const std::string_view bits = "dtype.bits) = (uint8_t)32";
  call.replace(call.find(bits), bits.size(), "dtype.bits) = (uint8_t)64");
  const Document document = read_files({kernel_file(packed_main(call))});
  EXPECT_NE(body_of(document, "__tvm_main__").find("0:uint64), reinterpret"), std::string::npos)
      << body_of(document, "__tvm_main__");
}

TEST(CFunctions, MainIsKnownByItsNameAndNamesItsInputs) {
  const Document document = read_files({kernel_file(
      "TVM_DLL int32_t tvmgen_default___tvm_main__(float* x_buffer_var, float* output_buffer_var) "
      "{\n  if (tvmgen_default_k(x_buffer_var, output_buffer_var) != 0 ) return -1;\n  return "
      "0;\n}\n")});
  const Node main = function(document, "__tvm_main__");
  const Node attrs = main[f::PrimFunc::attrs];
  EXPECT_EQ(attrs.map(f::DictAttrs::dict).find("global_symbol").text(f::String::value),
            "tvmgen_default___tvm_main__");
  EXPECT_TRUE(attrs.map(f::DictAttrs::dict).find("runner_function"));
  const NodeMap buffers = main.map(f::PrimFunc::buffer_map);
  EXPECT_EQ(spell(buffers.key(0)), "x");
  EXPECT_EQ(buffers.value(1).text(f::Buffer::name), "output_buffer");
}

TEST(CFunctions, DeviceContextsAreParametersWithoutABuffer) {
  const Document document = read_files({kernel_file(
      "TVM_DLL int32_t tvmgen_default___tvm_main__(float* x_buffer_var, void* "
      "device_context_ethos_u) {\n"
      "  if (TVMDeviceEthosUActivate(device_context_ethos_u) != 0 ) return -1;\n"
      "  if (tvmgen_default_k(x_buffer_var, device_context_ethos_u) != 0 ) return -1;\n"
      "  return 0;\n}\n")});
  EXPECT_EQ(body_of(document),
            "tvm_check_return(0, -1, call_extern(\"TVMDeviceEthosUActivate\", "
            "device_context_ethos_u):int32); tvm_check_return(0, -1, "
            "call_extern(\"tvmgen_default_k\", x_buffer_var, device_context_ethos_u):int32)");
  EXPECT_EQ(function(document).map(f::PrimFunc::buffer_map).size(), 1u);
}

TEST(CFunctions, V08UnpacksItsArgumentsIntoTheParameters) {
  const Document document =
      read_files({"// tvm target: c -keys=cpu -link-params=0\n#define TVM_EXPORTS\n"
                  "TVM_DLL int32_t f(void* arg0, void* arg1) {\n"
                  "  void* placeholder = arg0;\n  void* T_add = arg1;\n"
                  "  for (int32_t i = 0; i < 4; ++i) {\n"
                  "    ((float*)T_add)[(i)] = (((float*)placeholder)[(i)] + 1.000000e+00f);\n  }\n"
                  "  return 0;\n}\n"});
  EXPECT_EQ(body_of(document), "for (i < 4) { T_add[i] = (placeholder[i] Add 1.00000000) }");
  EXPECT_EQ(document.source.tvm_version.last, 8);
  EXPECT_EQ(function(document).map(f::PrimFunc::buffer_map).size(), 2u);
}

TEST(CFunctions, WhatTheCallerKnowsGivesShapes) {
  CSources sources;
  const std::string text = in_kernel("  p[0] = 1.000000e+00f;");
  sources.files.push_back({"lib.c", {}, text, "codegen"});
  sources.signatures.push_back({"tvmgen_default_f", {{DType::Float(32), {2, 3}}, {}, {}, {}}});
  const auto document = support::to_result([&] { return read_c(sources); });
  ASSERT_TRUE(document);
  EXPECT_EQ(shape_of(function(*document).map(f::PrimFunc::buffer_map).value(0)), "2 3 ");
}

TEST(CFunctions, WhatIsKnownOfMainBoundsWhatItsKernelsUse) {
  CSources sources;
  const std::string text = kernel_file(
      "TVM_DLL int32_t tvmgen_default_k(float* p0) {\n"
      "  for (int32_t i = 0; i < 4; ++i) {\n    if ((i * 2) < 5) {\n"
      "      p0[(i * 2)] = 1.000000e+00f;\n    }\n  }\n  return 0;\n}\n"
      "TVM_DLL int32_t tvmgen_default___tvm_main__(float* output_buffer_var) {\n"
      "  if (tvmgen_default_k(output_buffer_var) != 0 ) return -1;\n  return 0;\n}\n");
  sources.files.push_back({"lib.c", {}, text, "codegen"});
  const auto guessed = support::to_result([&] { return read_c(sources); });
  ASSERT_TRUE(guessed);
  EXPECT_EQ(shape_of(function(*guessed, "tvmgen_default_k").map(f::PrimFunc::buffer_map).value(0)),
            "7 ");
  sources.signatures.push_back({"tvmgen_default___tvm_main__", {{DType::Float(32), {5}}}});
  const auto known = support::to_result([&] { return read_c(sources); });
  ASSERT_TRUE(known);
  EXPECT_EQ(shape_of(function(*known, "tvmgen_default_k").map(f::PrimFunc::buffer_map).value(0)),
            "5 ");
}

constexpr std::string_view kArray =
    "#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
    "static const int8_t __attribute__((section(\".rodata.tvm\"), aligned(16))) c_0[4] = {\n"
    "    +0x01, -0x80, +0x7f, -0x01\n};\n"
    "#ifdef __cplusplus\n}  // extern \"C\"\n#endif\n";

TEST(CFunctions, ArraysAreConstantsOfTheFunctionThatNamesThem) {
  const Document document = read_files({kernel_file(
      std::string(kArray) +
      "TVM_DLL int32_t f(int8_t* p) {\n  p[0] = ((int8_t*)c_0)[1];\n  return 0;\n}\n")});
  EXPECT_EQ(body_of(document), "constant c_0 int8[4] { p[0] = c_0[1] }");
  const Node data = function(document)[f::PrimFunc::body][f::AllocateConst::data];
  const auto bytes = *data.bytes(f::NDArray::data);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
            "\x01\x80\x7f\xff");
}

TEST(CFunctions, AFunctionWhoseArrayIsMissingIsKeptAsText) {
  const Document document = read_files({kernel_file(
      "TVM_DLL int32_t f(int8_t* p) {\n  p[0] = ((int8_t*)c_0)[1];\n  return 0;\n}\n")});
  EXPECT_EQ(body_of(document), "OpaqueStmt");
  EXPECT_EQ(details(document, LossCode::unknown_construct),
            "line 7, column 20: unknown name 'c_0'");
}

// Lines are counted on from function to function, in every file anew.
TEST(CFunctions, EachFunctionThatIsKeptAsTextSaysItsOwnLine) {
  const auto unknown = [](const std::string& name) {
    return "TVM_DLL int32_t " + name + "(int8_t* p) {\n  goto end;\n  return 0;\n}\n";
  };
  const Document document =
      read_files({kernel_file(unknown("f") + unknown("g")), kernel_file(unknown("h"))});
  std::vector<std::string> places;
  for (const Loss& loss : document.losses) {
    if (loss.code != LossCode::unknown_construct) continue;
    places.push_back(loss.where + " " + loss.name.substr(0, loss.name.find(',')));
  }
  EXPECT_EQ(places, (std::vector<std::string>{"f line 7", "g line 11", "h line 7"}));
}

TEST(CFunctions, APoolThatMainDoesNotTakeIsAVariable) {
  const std::string pool = "static uint8_t global_workspace[128];\n";
  const std::string kernel =
      "TVM_DLL int32_t tvmgen_default_f(float* p, uint8_t* global_workspace_3_var) {\n"
      "  return 0;\n}\n";
  const std::string main =
      "TVM_DLL int32_t tvmgen_default___tvm_main__(float* x_buffer_var$) {\n"
      "  return 0;\n}\n";
  const auto names = [&](const std::string& parameter) {
    std::string text = main;
    text.replace(text.find('$'), 1, parameter);
    std::string found;
    const Document document = read_files({kernel_file(pool + kernel + text)});
    for (const OtherMemory& one : document.other_memory) found += one.name;
    return found;
  };
  EXPECT_EQ(names(", uint8_t* global_workspace_1_var"), "");
  EXPECT_EQ(names(""), "global_workspace");
}

TEST(CFunctions, EachVariableOfADeclarationIsOtherMemory) {
  const std::string variables =
      "static int32_t count, *last = 0;\nstatic void (*callback)(void);\nextern int32_t other;\n";
  const Document document =
      read_files({kernel_file(variables + "TVM_DLL int32_t f(int8_t* p) {\n  return 0;\n}\n")});
  std::vector<std::string> names;
  for (const OtherMemory& one : document.other_memory) names.push_back(one.name);
  EXPECT_EQ(names, (std::vector<std::string>{"callback", "count", "last"}));
}

TEST(CFunctions, ConstantsOfAPoolAreItsMembers) {
  const std::string entry =
      "#include \"tvm/runtime/c_runtime_api.h\"\n"
      "__attribute__((section(\".rodata.tvm\"), ))\n"
      "static struct global_const_workspace {\n"
      "  float a_let[2] __attribute__((aligned(16))); // 8 bytes, aligned offset: 0\n"
      "  int32_t b_let[1] __attribute__((aligned(16))); // 4 bytes, aligned offset: 16\n"
      "} global_const_workspace = {\n"
      "  .a_let = {\n    0x1.8p+1, -0x1p-3  \n  },\n  .b_let = {\n    +0x0000000a\n  },\n"
      "};// of total size 20 bytes\n"
      "__attribute__((section(\".bss.noinit.tvm\"), aligned(16)))\n"
      "static uint8_t global_workspace[128];\n;";
  const Document document = read_files(
      {entry, kernel_file("TVM_DLL int32_t f(float* p, uint8_t* global_const_workspace_2_var, "
                          "uint8_t* global_workspace_3_var) {\n"
                          "  void* b_let = (&(global_const_workspace_2_var[16]));\n"
                          "  p[0] = ((float)((int32_t*)b_let)[0]);\n  return 0;\n}\n")});
  EXPECT_EQ(body_of(document),
            "let b_let = address_of(global_const_workspace_2_buffer_var[16]) "
            "{ p[0] = Cast(float32, b[0]) }");
  const Node pools =
      function(document)[f::PrimFunc::attrs].map(f::DictAttrs::dict).find("pool_args");
  ASSERT_EQ(pools.list(f::Array::elements).size(), 2u);
  const Node constants = pools.list(f::Array::elements)[0];
  EXPECT_EQ(spell(constants[f::AllocatedPoolInfo::allocated_size]), "20");
  ASSERT_EQ(document.other_memory.size(), 2u);
  EXPECT_EQ(document.other_memory[0].bytes, 12u);
  EXPECT_EQ(document.other_memory[1].kind, OtherKind::writable);
  EXPECT_EQ(document.other_memory[1].bytes, 32u);
  const Node info = constants[f::AllocatedPoolInfo::pool_info];
  const NodeList members = info.list(f::ConstantPoolInfo::constant_info_array);
  ASSERT_EQ(members.size(), 2u);
  EXPECT_EQ(members[1].text(f::ConstantInfo::name_hint), "b_let");
  EXPECT_EQ(spell(members[1][f::ConstantInfo::byte_offset]), "16");
  const Node workspace = pools.list(f::Array::elements)[1][f::AllocatedPoolInfo::pool_info];
  EXPECT_TRUE(workspace.is(Kind::WorkspacePoolInfo));
}

TEST(CFunctions, APoolThatDoesNotReadIsALossAndItsContentUnknown) {
  const std::string entry =
      "#include \"tvm/runtime/c_runtime_api.h\"\n"
      "__attribute__((section(\".rodata.tvm\"), ))\n"
      "static struct global_const_workspace {\n"
      "  float a_let[2] __attribute__((aligned(16)));\n"
      "} global_const_workspace = {\n  .a_let = {\n    BOARD_WEIGHT(1), -0x1p-3\n  }\n};\n";
  const Document document = read_files(
      {entry, kernel_file("TVM_DLL int32_t f(float* p, uint8_t* global_const_workspace_2_var) {\n"
                          "  void* a_let = (&(global_const_workspace_2_var[0]));\n"
                          "  p[0] = ((float*)a_let)[0];\n  return 0;\n}\n")});
  const auto loss = std::ranges::find_if(document.losses, [](const Loss& one) {
    return one.code == LossCode::unknown_construct && one.scope == LossScope::module;
  });
  ASSERT_NE(loss, document.losses.end());
  EXPECT_NE(loss->name.find(":7:5: expected an element of the array"), std::string::npos)
      << loss->name;
  EXPECT_FALSE(function(document)[f::PrimFunc::attrs].map(f::DictAttrs::dict).find("pool_args"));
}

TEST(CFunctions, TheNameOfAModuleIsPartOfSymbolsAsItIs) {
  const Document document = read_files({kernel_file(
      "TVM_DLL int32_t tvmgen_my-net.v1_f(float* p) {\n  p[0] = p[1];\n  return 0;\n}\n"
      "TVM_DLL int32_t tvmgen_my-net.v1___tvm_main__(float* x) {\n"
      "  if (tvmgen_my-net.v1_f(x) != 0 ) return -1;\n  return 0;\n}\n")});
  EXPECT_EQ(body_of(document, "tvmgen_my-net.v1_f"), "p[0] = p[1]");
  EXPECT_EQ(body_of(document, "__tvm_main__"),
            "tvm_check_return(0, -1, call_extern(\"tvmgen_my-net.v1_f\", x):int32)");
}

/// A kernel that works in a pool that no file defines.
const std::string& kernel_in_pool() {
  static const std::string text = kernel_file(
      "TVM_DLL int32_t tvmgen_default_f(float* p, uint8_t* sram_1_var) {\n"
      "  void* sid_let = (&(sram_1_var[64]));\n  p[0] = ((float*)sid_let)[3];\n  return 0;\n}\n");
  return text;
}

/// The size of the pool `sram` that a wrapper with this declaration gives `f`; empty: unknown.
std::string bytes_of_pool(const std::string& declaration, const std::string& argument = "&sram") {
  const std::string wrapper = declaration +
                              "\nint32_t tvmgen_default_run(struct in* inputs) {return "
                              "tvmgen_default___tvm_main__(inputs->x," +
                              argument + ");\n}\n";
  const Document document = read_files({wrapper, kernel_in_pool()});
  const Node pools =
      function(document)[f::PrimFunc::attrs].map(f::DictAttrs::dict).find("pool_args");
  if (!pools) return "";
  return spell(pools.list(f::Array::elements)[0][f::AllocatedPoolInfo::allocated_size]);
}

TEST(CFunctions, APoolIsAnArrayInWhateverFormItIsDeclared) {
  EXPECT_EQ(bytes_of_pool("static uint8_t sram[128];"), "128");
  EXPECT_EQ(bytes_of_pool("uint8_t sram[128u] __attribute__((section(\".sdram\")));"), "128");
  EXPECT_EQ(bytes_of_pool("EXT_RAM_ATTR static uint32_t sram[32];"), "128");
  EXPECT_EQ(bytes_of_pool("static unsigned char __attribute__((aligned(8))) sram[128];"), "128");
  EXPECT_EQ(bytes_of_pool("static _Alignas(16) uint8_t sram[128];"), "128");
}

TEST(CFunctions, ADeclarationWithoutASizeSaysNothingOfThePool) {
  EXPECT_EQ(bytes_of_pool("static uint8_t* sram;"), "");
  EXPECT_EQ(bytes_of_pool("extern uint8_t sram[];"), "");
  EXPECT_EQ(bytes_of_pool("static uint8_t sram[POOL_SIZE];"), "");
  EXPECT_EQ(bytes_of_pool("static struct block sram[4];"), "");
  EXPECT_EQ(bytes_of_pool("static uint8_t* sram[128];"), "");
  EXPECT_EQ(bytes_of_pool("int sram(int a[128]);"), "");
}

TEST(CFunctions, APlaceInsideOfAnArrayHasNotTheSizeOfTheArray) {
  const std::string array = "static uint8_t sram[128];";
  EXPECT_EQ(bytes_of_pool(array, "((uint8_t*)&sram)"), "128");
  EXPECT_EQ(bytes_of_pool(array, "sram + 16"), "");
  EXPECT_EQ(bytes_of_pool(array, "((uint8_t*)&sram)+16"), "");
  EXPECT_EQ(bytes_of_pool(array, "&sram[16]"), "");
}

TEST(CFunctions, APoolOfTheApplicationHasTheSizeThatTheArchiveStates) {
  const CSources sources{.files = {{"lib.c", {}, kernel_in_pool(), "codegen"}},
                         .pools = {{"sram", 7424}}};
  const auto document = support::to_result([&] { return read_c(sources); });
  ASSERT_TRUE(document);
  const NodeMap attrs = function(*document)[f::PrimFunc::attrs].map(f::DictAttrs::dict);
  const Node allocated = attrs.find("pool_args").list(f::Array::elements)[0];
  EXPECT_EQ(spell(allocated[f::AllocatedPoolInfo::allocated_size]), "7424");
  EXPECT_EQ(spell(allocated[f::AllocatedPoolInfo::pool_var_idx]), "1");
  EXPECT_FALSE(lost(*document, LossCode::attr_object));
}

TEST(CFunctions, ThePoolOfConstantsOfTheApplicationLosesItsConstants) {
  const CSources sources{.files = {{"lib.c", {}, kernel_in_pool(), "codegen"}},
                         .pools = {{.name = "sram", .bytes = 7424, .is_constant = true}}};
  const auto document = support::to_result([&] { return read_c(sources); });
  ASSERT_TRUE(document);
  EXPECT_TRUE(lost(*document, LossCode::attr_object));
}

TEST(CFunctions, APoolOfUnknownSizeIsABufferOfBytesAndALoss) {
  const Document document = read_files({kernel_in_pool()});
  const Node read = function(document);
  EXPECT_FALSE(read[f::PrimFunc::attrs].map(f::DictAttrs::dict).find("pool_args"));
  const Node pool = read.map(f::PrimFunc::buffer_map).value(1);
  EXPECT_EQ(pool.dtype(f::Buffer::dtype), DType::UInt(8));
  EXPECT_EQ(details(document, LossCode::attr_object), "pool_args of sram_1_var");
}

}  // namespace
}  // namespace mlf::tir::c
