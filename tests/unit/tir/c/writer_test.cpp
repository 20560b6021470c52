// What the writer prints for the nodes that the reader makes, by version of TVM, and what it
// refuses.
#include <fmt/core.h>

#include "mlf/tir/visit.h"
#include "mlf/tir/write.h"
#include "reading.h"
#include "support/ir_editor.h"
#include "tir/compare/compare.h"
#include "tokens_of.h"
#include "unit/tir/compare/corpus.h"
#include "unit/tir/compare/mutations.h"

namespace mlf::tir::c {
namespace {

/// A file of statements is its own text: those of the kernel that `in_kernel` makes.
void expect_own_statements(const std::string& statements) {
  const Document document = read_files({in_kernel(statements)});
  ASSERT_FALSE(lost(document, LossCode::unknown_construct))
      << details(document, LossCode::unknown_construct);
  // A function without a call is packed: call this one.
  const std::string file =
      in_kernel(statements) +
      "TVM_DLL int32_t tvmgen_default___tvm_main__(float* a, int32_t* b, int8_t* c) {\n"
      "  if (tvmgen_default_f(a, b, c, 1) != 0 ) return -1;\n  return 0;\n}\n";
  const Functions again = functions_of(written(read_files({file})));
  EXPECT_EQ(again.at("tvmgen_default_f"), functions_of(file).at("tvmgen_default_f"));
}

TEST(CWriter, PrintsStatements) {
  expect_own_statements("  p[0] = 1.500000e+00f;");
  expect_own_statements("  for (int32_t i = 0; i < 4; ++i) {\n    p[i] = p[(i + 1)];\n  }");
  expect_own_statements("  for (int64_t i = 0; i < (int64_t)4; ++i) {\n    p[i] = p[i];\n  }");
  expect_own_statements("  if (n < 3) {\n    q[0] = 1;\n  } else {\n    q[0] = 2;\n  }");
  expect_own_statements("  if (!(n < 3)) {\n    q[0] = 1;\n  }");
  expect_own_statements("  int32_t x = (n * 2);\n  q[x] = x;");
  expect_own_statements("  float local[8];\n  local[0] = p[0];\n  p[1] = local[0];");
  expect_own_statements("  while (1) {\n    if (!((q[0] < 3))) { break; }\n    q[0] = 4;\n  }");
  expect_own_statements("  my_function(p, 3);");
  expect_own_statements("  if (my_function(p) != 0 ) return -1;");
}

TEST(CWriter, NestsDeepStatementsInTextThatGrowsWithThem) {
  const auto size_of = [](int depth) {
    std::string statements;
    for (int i = 0; i < depth; ++i) statements += "  if (n < 3) {\n";
    statements += "    q[0] = 1;\n";
    for (int i = 0; i < depth; ++i) statements += "  }\n";
    const Document document = read_files({in_kernel(statements)});
    EXPECT_FALSE(lost(document, LossCode::unknown_construct));
    return written(document).size();
  };
  EXPECT_LT(size_of(2000), 3 * size_of(1000));
  EXPECT_LT(size_of(2000), std::size_t{2'000'000});
}

TEST(CWriter, GivesWorkspacesBackInReverse) {
  expect_own_statements(
      "  void* a = TVMBackendAllocWorkspace(1, 0, (uint64_t)2048, 2, 32);\n"
      "  if (a == NULL) {\n    return -1;\n  }\n"
      "  void* b = TVMBackendAllocWorkspace(1, 0, (uint64_t)4096, 0, 8);\n"
      "  if (b == NULL) {\n    return -1;\n  }\n"
      "  ((float*)a)[0] = ((float)((int8_t*)b)[3]);\n"
      "  if (TVMBackendFreeWorkspace(1, 0, b) != 0) {\n    return -1;\n  }\n"
      "  if (TVMBackendFreeWorkspace(1, 0, a) != 0) {\n    return -1;\n  }");
}

TEST(CWriter, PrintsExpressions) {
  for (const std::string_view value :
       {"((n + 1) * (n - 2))", "(q[0] / 3)", "(q[0] % 3)", "((q[0] >> 3) & 5)", "(~q[0])",
        "((q[0] < 3) ? 1 : 2)", "((int32_t)r[2])", "((int32_t)(int64_t)5)", "(*(int32_t *)(&(v_)))",
        "-2147483648"}) {
    const bool is_temporary = value.find("v_") != value.npos;
    expect_own_statements((is_temporary ? "    float v_ = p[3];\n  q[1] = " : "  q[1] = ") +
                          std::string(value) + ";");
  }
  expect_own_statements("  p[0] = expf((p[1] - 3.402823e+38f));");
  expect_own_statements("  p[0] = powf(p[1], fmodf(p[2], 1.000000e-07f));");
  expect_own_statements("  q[0] = ((int32_t)(p[0] != p[0]));");
}

TEST(CWriter, GivesOperandsOfMinimaNames) {
  expect_own_statements(
      "  int32_t v_ = q[0] + 1;\n"
      "  int32_t v__1 = (v_) > (0) ? (v_) : (0);\n"
      "  q[1] = ((v__1) < (255) ? (v__1) : (255));");
  expect_own_statements("  int8_t v_ = (int8_t)-128;\n  r[0] = ((v_) > (v_) ? (v_) : (v_));");
}

TEST(CWriter, UsesATemporaryAgainUntilItsBlockEnds) {
  expect_own_statements(
      "  int32_t v_ = q[0];\n  q[1] = ((v_) > (0) ? (v_) : (0));\n"
      "  q[2] = ((v_) > (1) ? (v_) : (1));\n"
      "  for (int32_t i = 0; i < 2; ++i) {\n    q[i] = ((v_) > (2) ? (v_) : (2));\n  }\n"
      "  q[3] = ((v_) > (3) ? (v_) : (3));");
  // What is made behind a block is not used again.
  expect_own_statements(
      "  for (int32_t i = 0; i < 2; ++i) {\n    q[i] = 0;\n  }\n"
      "  int32_t v_ = q[0];\n  q[1] = ((v_) > (0) ? (v_) : (0));\n"
      "  int32_t v__1 = q[0];\n  q[2] = ((v__1) > (1) ? (v__1) : (1));");
}

TEST(CWriter, SetsConditionalValuesInStatements) {
  expect_own_statements(
      "  float condval;\n  if ((n < 3)) {\n    float condval_1;\n    if ((n < 1)) {\n"
      "      condval_1 = p[0];\n    } else {\n      condval_1 = p[1];\n    }\n"
      "    condval = condval_1;\n  } else {\n    condval = 0.000000e+00f;\n  }\n  p[2] = condval;");
}

TEST(CWriter, DividesByWhatIsKnownOfTheSigns) {
  expect_own_statements(
      "  for (int32_t i = 0; i < 9; ++i) {\n    q[(i / 3)] = (i % 3);\n"
      "    q[(i >> 1)] = (i & 1);\n"
      "    q[((i - 5) & 3)] = (((i - 5) / 3) + (((i - 5) % 3) >> 31));\n"
      "    q[0] = (((i - 5) % 3) + (3 & (((i - 5) % 3) >> 31)));\n  }");
}

// --- Versions ----------------------------------------------------------------------------------

constexpr std::string_view kPackedCall =
    "TVM_DLL int32_t tvmgen_d___tvm_main__(int8_t* a) {\n"
    "  if (tvmgen_d_f(a) != 0 ) return -1;\n  return 0;\n}\n";

std::string file_of(std::string_view target, bool has_stdbool, std::string_view functions) {
  return "// tvm target: " + std::string(target) + "\n#define TVM_EXPORTS\n#include <math.h>\n" +
         (has_stdbool ? "#include <stdbool.h>\n" : "") + std::string(functions);
}

std::string minimum(std::string_view first, std::string_view second) {
  return fmt::format(
      "TVM_DLL int32_t tvmgen_d_f(int8_t* p) {{\n  int8_t {0} = p[0];\n  int8_t {1} = p[1];\n"
      "  p[2] = (({0}) < ({1}) ? ({0}) : ({1}));\n  return 0;\n}}\n{2}",
      first, second, kPackedCall);
}

TEST(CWriter, NamesTemporariesAsTheVersionDoes) {
  expect_own_text(file_of("c -link-params=0", false, minimum("_1", "_2")));
  expect_own_text(file_of("c -keys=cpu", false, minimum("__1", "__2")));
  expect_own_text(file_of("c -keys=cpu", true, minimum("v_", "v__1")));
}

TEST(CWriter, PrintsTheFormsOfV08) {
  expect_own_text(file_of(
      "c -link-params=0", false,
      "TVM_DLL int32_t tvmgen_d_f(void* arg0, void* arg1) {\n"
      "  void* placeholder = arg0;\n  void* T_add = arg1;\n"
      "  for (int32_t i = 0; i < 4; ++i) {\n    float local[4];\n"
      "    local[(i)] = ((float*)placeholder)[(i)];\n    float _1 = local[(i)];\n"
      "    ((float*)T_add)[((i + 1))] = ((_1) > (0.000000e+00f) ? (_1) : (0.000000e+00f));\n"
      "  }\n  return 0;\n}\n"
      "TVM_DLL int32_t tvmgen_d_run_model(void* arg0, void* arg1) {\n"
      "  void* input = arg0;\n  void* output = arg1;\n"
      "  (void)tvmgen_d_f(((float *)input + (2)), output);\n  return 0;\n}\n"));
}

constexpr std::string_view kPackedHead =
    "TVM_DLL int32_t f(void* args, int32_t* arg_type_ids, int32_t num_args, void* out_ret_value, "
    "int32_t* out_ret_tcode, void* resource_handle) {\n";

TEST(CWriter, TakesTheHandleUnderAnotherNameUpToV012) {
  expect_own_text(file_of("c -keys=cpu", true,
                          std::string(kPackedHead) +
                              "  void* arg_x = (((TVMValue*)args)[0].v_handle);\n"
                              "  int32_t arg_x_code = arg_type_ids[0];\n"
                              "  int32_t arg_n = ((int32_t)(((TVMValue*)args)[1].v_int64));\n"
                              "  int32_t arg_n_code = arg_type_ids[1];\n"
                              "  int32_t n = arg_n;\n"
                              "  void* x = (((DLTensor*)arg_x)[0].data);\n"
                              "  void* arg_x_shape = (((DLTensor*)arg_x)[0].shape);\n"
                              "  void* arg_x_strides = (((DLTensor*)arg_x)[0].strides);\n"
                              "  int32_t dev_id = (((DLTensor*)arg_x)[0].device.device_id);\n"
                              "  if (!(arg_x_strides == NULL)) {\n  }\n"
                              "  ((float*)x)[n] = 1.000000e+00f;\n  return 0;\n}\n"));
}

std::string prologue_since_13(bool has_data_first) {
  return std::string(kPackedHead) +
         "  int32_t x_code = arg_type_ids[0];\n  int32_t x_code_1 = arg_type_ids[1];\n"
         "  int32_t a_code = arg_type_ids[2];\n"
         "  void* x = (((TVMValue*)args)[0].v_handle);\n"
         "  float x_1 = ((float)(((TVMValue*)args)[1].v_float64));\n"
         "  void* a = (((TVMValue*)args)[2].v_handle);\n" +
         (has_data_first ? "  void* x_2 = (((DLTensor*)x)[0].data);\n" : "") +
         "  void* f_x_shape = (((DLTensor*)x)[0].shape);\n"
         "  void* f_x_strides = (((DLTensor*)x)[0].strides);\n"
         "  int32_t dev_id = (((DLTensor*)x)[0].device.device_id);\n" +
         (has_data_first ? "" : "  void* x_2 = (((DLTensor*)x)[0].data);\n") +
         "  if (!(f_x_strides == NULL)) {\n  }\n";
}

TEST(CWriter, TakesCodesFirstSinceV013AndTheDataLastSinceV016) {
  const std::string body = "  ((float*)x_2)[0] = x_1;\n  return 0;\n}\n";
  const std::string conditional =
      "  float condval;\n  if ((x_1 < 3.000000e+00f)) {\n    condval = x_1;\n  } else {\n"
      "    condval = ((float*)x_2)[1];\n  }\n  ((float*)x_2)[0] = condval;\n  return 0;\n}\n";
  expect_own_text(file_of("c -keys=cpu", true, prologue_since_13(true) + body));
  expect_own_text(file_of("c -keys=cpu", true, prologue_since_13(false) + body));
  expect_own_text(file_of("c -keys=cpu", true, prologue_since_13(false) + conditional));
  // A development version between the two.
  expect_own_text(file_of("c -keys=cpu", true, prologue_since_13(true) + conditional));
}

/// Main with one tensor, which a kernel gets; `count` is what the call prints.
std::string packed_main(int count) {
  return "TVM_DLL int32_t tvmgen_d___tvm_main__" + std::string(kPackedHead.substr(17)) +
         "  TVMValue stack[1];\n  void* stack_tcode = stack;\n"
         "  TVMValue stack_1[2];\n  void* stack_value = stack_1;\n"
         "  TVMValue stack_2[6];\n  void* stack_array = stack_2;\n"
         "  TVMValue stack_3[1];\n  void* stack_shape = stack_3;\n"
         "  int32_t x_code = arg_type_ids[0];\n"
         "  void* x = (((TVMValue*)args)[0].v_handle);\n"
         "  void* x_buffer_var = (((DLTensor*)x)[0].data);\n"
         "  void* tvmgen_d___tvm_main___x_shape = (((DLTensor*)x)[0].shape);\n"
         "  void* tvmgen_d___tvm_main___x_strides = (((DLTensor*)x)[0].strides);\n"
         "  int32_t dev_id = (((DLTensor*)x)[0].device.device_id);\n"
         "  if (!(tvmgen_d___tvm_main___x_strides == NULL)) {\n  }\n"
         "  ((int64_t*)stack_shape)[0] = (int64_t)4;\n"
         "  (((DLTensor*)stack_array)[0].data) = x_buffer_var;\n"
         "  (((DLTensor*)stack_array)[0].shape) = (&(((int64_t*)stack_shape)[0]));\n"
         "    uint64_t v_ = (uint64_t)0;\n"
         "  (((DLTensor*)stack_array)[0].strides) = (int64_t*)(*(void* *)(&(v_)));\n"
         "  (((DLTensor*)stack_array)[0].ndim) = (uint32_t)1;\n"
         "  (((DLTensor*)stack_array)[0].dtype.code) = (uint8_t)2;\n"
         "  (((DLTensor*)stack_array)[0].dtype.bits) = (uint8_t)32;\n"
         "  (((DLTensor*)stack_array)[0].dtype.lanes) = (uint16_t)1;\n"
         "  (((DLTensor*)stack_array)[0].byte_offset) = (uint64_t)0;\n"
         "  (((DLTensor*)stack_array)[0].device.device_id) = dev_id;\n"
         "  (((DLTensor*)stack_array)[0].device.device_type) = (DLDeviceType)1;\n"
         "  (((TVMValue*)stack_value)[0].v_handle) = (((DLTensor*)stack_array) + 0);\n"
         "  ((int32_t*)stack_tcode)[0] = 7;\n  TVMValue ret_val;\n  int ret_type_code;\n"
         "  if (tvmgen_d_f( (TVMValue*) stack_value , (int*) stack_tcode, " +
         std::to_string(count) +
         ", &ret_val, &ret_type_code, NULL) != 0){\n    return -1;\n  }\n  return 0;\n}\n";
}

TEST(CWriter, CountsArgumentsAsTheVersionDoes) {
  const std::string v15 = file_of("c -keys=cpu", true, packed_main(1));
  const std::string between = file_of("c -keys=cpu", true, packed_main(0));
  expect_own_text(v15);
  expect_own_text(between);
  EXPECT_EQ(read_files({v15}).source.tvm_version, (VersionRange{13, 15, ""}));
  EXPECT_EQ(read_files({between}).source.tvm_version, (VersionRange{16, 16, "0.16.dev0"}));
}

TEST(CWriter, TruncatesWhereAFloorDivisionWouldBeAShift) {
  expect_own_statements("  q[(n % 2)] = (n / 4);");
  expect_own_statements("  if ((n % 2) == 0) {\n    q[0] = 1;\n  }");
  EXPECT_EQ(expression("(n % 2)"), "(n Mod 2)");
  EXPECT_EQ(expression("((n % 2) == 0)"), "((n FloorMod 2) EQ 0)");
}

TEST(CWriter, PrintsConditionalsOfOlderVersionsInPlace) {
  const std::string kernel =
      "TVM_DLL int32_t tvmgen_d_f(int8_t* p) {\n  int8_t __1 = p[0];\n"
      "  p[1] = ((p[1] < (int8_t)3) ? ((__1) < (__1) ? (__1) : (__1)) : (int8_t)5);\n"
      "  while ((p[0] < (int8_t)3)) {\n    p[0] = (int8_t)4;\n  }\n  return 0;\n}\n";
  expect_own_text(file_of("c -keys=cpu", false, kernel + std::string(kPackedCall)));
}

TEST(CWriter, PrintsConstantsAndPoolsOfTheirOwnBytes) {
  const std::string constants =
      "static const float __attribute__((section(\".rodata.tvm\"), aligned(16))) c_0[3] = {\n"
      "    0x1.8p+1, -0x1p-3, INFINITY\n};\n"
      "static const int64_t __attribute__((section(\".rodata.tvm\"), aligned(16))) c_1[2] = {\n"
      "    -0x0000000000000001LL, +0x7fffffffffffffffLL\n};\n"
      "static const uint8_t __attribute__((section(\".rodata.tvm\"), aligned(16))) c_2[1] = {\n"
      "    0x0a\n};\n";
  const std::string kernel =
      "TVM_DLL int32_t tvmgen_d_f(int8_t* p) {\n"
      "  p[0] = ((int8_t)((float*)c_0)[1]);\n  p[1] = ((int8_t)((int64_t*)c_1)[1]);\n"
      "  p[2] = ((int8_t)((uint8_t*)c_2)[0]);\n  return 0;\n}\n";
  expect_own_text(file_of("c -keys=cpu", false, constants + kernel + std::string(kPackedCall)));
}

// --- Failures ----------------------------------------------------------------------------------

std::string error_of(const Document& document) {
  const auto result = write_c(document, [](std::string_view) {});
  return result ? std::string() : result.error().message;
}

/// The document with another body in its only function.
Document with_body(const Document& original, Builder builder, NodeId body) {
  builder.set(function(original).id(), f::PrimFunc::body, body);
  return {.source = original.source,
          .target = original.target,
          .module = std::move(builder).finish(original.module.root().id()),
          .losses = {}};
}

TEST(CWriter, NamesTheKindThatItCannotPrint) {
  const Document original = read_files({in_kernel("  p[0] = p[1];")});
  const Node body = function(original)[f::PrimFunc::body];
  Builder builder = test::copied(original.module);
  const NodeId one = builder.make(Kind::IntImm, {DType::Int(32), 1});
  const NodeId attr =
      builder.make(Kind::AttrStmt, {NodeId::none, builder.string("pragma_unroll"), one, body.id()});
  EXPECT_EQ(error_of(with_body(original, std::move(builder), attr)),
            "AttrStmt cannot be printed as C");
}

TEST(CWriter, NamesTheOperatorThatItCannotPrint) {
  const Document original = read_files({in_kernel("  p[0] = expf(p[1]);")});
  Builder builder = test::copied(original.module);
  for_each_pre_order(function(original), [&](Node node) {
    if (!node.is(Kind::Op)) return;
    builder.set(node.id(), f::Op::name, builder.string("tir.popcount"));
  });
  const NodeId body = function(original)[f::PrimFunc::body].id();
  EXPECT_EQ(error_of(with_body(original, std::move(builder), body)),
            "a call of tir.popcount cannot be printed as C");
}

TEST(CWriter, PrintsAStatementThatTheReaderKeptAsText) {
  const Document read = read_files({in_kernel("  q[0] = 1;\n  uint32_t t0 = DWT->CYCCNT;")});
  EXPECT_NE(written(read).find("  uint32_t t0 = DWT->CYCCNT;\n"), std::string::npos);
}

TEST(CWriter, RefusesSharingThatExpandsBeyondTheLimit) {
  const Document original = read_files({in_kernel("  q[0] = q[1];")});
  Builder builder = test::copied(original.module);
  const Node store = function(original)[f::PrimFunc::body];
  NodeId sum = store[f::BufferStore::value].id();
  for (int i = 0; i < 60; ++i) sum = builder.make(Kind::Add, {DType::Int(32), sum, sum});
  builder.set(store.id(), f::BufferStore::value, sum);
  const Document shared = with_body(original, std::move(builder), store.id());
  const auto result = write_c(
      shared, [](std::string_view) {}, 10'000);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "shared nodes take more than 10000 nodes when written out");
}

TEST(CWriter, NestingNeedsNoStackOfTheMachine) {
  const Document original = read_files({in_kernel("  q[0] = q[1];")});
  Builder builder = test::copied(original.module);
  const Node store = function(original)[f::PrimFunc::body];
  NodeId value = store[f::BufferStore::value].id();
  const NodeId one = builder.make(Kind::IntImm, {DType::Int(32), 1});
  for (int i = 0; i < 100'000; ++i) value = builder.make(Kind::Add, {DType::Int(32), value, one});
  builder.set(store.id(), f::BufferStore::value, value);
  EXPECT_EQ(error_of(with_body(original, std::move(builder), store.id())), "");
}

// --- The proof can fail ------------------------------------------------------------------------

/// Changes of a body that its C does not show.
bool is_hidden(Node node, const mutation::Mutation& mutation) {
  const std::string_view field = node.info().fields[mutation.field].name;
  // Types follow from operands and buffers, but for what casts and allocations say.
  if (field == "dtype") return !node.is(Kind::Cast) && !node.is(Kind::Allocate);
  // A statement without code, and the next number behind the digits that are printed.
  if (node.is(Kind::SeqStmt)) return mutation.what == "append";
  if (node.is(Kind::FloatImm)) return mutation.what == "next";
  // Nothing is allocated under a condition.
  if (node.is(Kind::Allocate) && field == "condition") return true;
  return field == "type_annotation" || field == "kind" || field == "annotations";
}

/// The expressions and statements of a body that are printed.
std::vector<Node> printed_nodes(Node function) {
  NodeSet seen(function.module());
  std::vector<Node> nodes;
  const auto enter = [&](Node node) {
    const bool is_body = node.category() == Category::expr || node.category() == Category::stmt;
    if (is_body) nodes.push_back(node);
    return is_body || node.category() == Category::buffer ? Descend::into_children
                                                          : Descend::past_children;
  };
  for_each_pre_order(function, [&](Node node) {
    if (node.is(Kind::Allocate)) seen.insert(node[f::Allocate::condition].id());
    if (!node.is(Kind::Buffer)) return;
    for (const Node dim : node.list(f::Buffer::shape)) seen.insert(dim.id());
    seen.insert(node[f::Buffer::elem_offset].id());
  });
  walk(function[f::PrimFunc::body], seen, enter, [](Node) {});
  return nodes;
}

TEST(CWriter, EveryChangeOfABodyChangesItsTokens) {
  const std::string file = in_kernel(
      "  void* w = TVMBackendAllocWorkspace(1, 0, (uint64_t)2048, 2, 32);\n"
      "  if (w == NULL) {\n    return -1;\n  }\n"
      "  for (int32_t i = 0; i < 8; ++i) {\n    int32_t x = ((i * 3) + n);\n"
      "    int32_t v_ = q[x] - 3;\n    float local[8];\n"
      "    local[i] = ((float)((v_) > (5) ? (v_) : (5)));\n"
      "    if (i < 3) {\n      ((float*)w)[i] = expf((p[x] * 1.500000e+00f));\n    } else {\n"
      "      q[(i >> 1)] = ((q[0] == 3) ? (q[1] % 7) : (q[2] << 4));\n    }\n  }\n"
      "  if (my_function(p, w, 4) != 0 ) return -1;\n"
      "  if (TVMBackendFreeWorkspace(1, 0, w) != 0) {\n    return -1;\n  }");
  const Document original = read_files({file});
  ASSERT_FALSE(lost(original, LossCode::unknown_construct));
  const Tokens tokens = tokens_of(written(original));
  std::size_t made = 0;
  for (const Node node : printed_nodes(function(original, "tvmgen_default_f"))) {
    for (std::uint8_t i = 0; i < node.info().fields.size(); ++i) {
      for (const mutation::Mutation& mutation : mutation::mutations_of(node, i)) {
        if (is_hidden(node, mutation)) continue;
        Builder builder = test::copied(original.module);
        mutation.apply(builder);
        const Document changed{.source = original.source,
                               .target = original.target,
                               .module = std::move(builder).finish(original.module.root().id()),
                               .losses = {}};
        ++made;
        std::string text;
        const auto result = write_c(changed, [&](std::string_view part) { text += part; });
        if (!result) continue;
        EXPECT_TRUE(tokens_of(text) != tokens) << mutation.what << " " << node.info().name << "."
                                               << node.info().fields[i].name << ": " << spell(node);
      }
    }
  }
  EXPECT_GT(made, 150u);
}

/// TVMScript with two functions in one pool of constants.
std::string script_with_pool(std::string_view suffix) {
  const std::string attrs =
      "        T.func_attr({\"pool_args\": "
      "[I.AllocatedPoolInfo(pool_info=I.ConstantPoolInfo([I.ConstantInfo(\"c\", byte_offset=0, "
      "data=metadata[\"runtime.NDArray\"][0])]), allocated_size=64)]})\n        T.evaluate(0)\n";
  std::string text =
      "# from tvm.script import ir as I\n# from tvm.script import tir as T\n\n@I.ir_module\n"
      "class Module:\n";
  for (const std::string function : {"f", "g"}) {
    text += fmt::format(
        "    @T.prim_func\n    def {}(const_sram_0{}: T.handle(\"uint8\", \"global\")):\n{}",
        function, suffix, attrs);
  }
  return text;
}

Result<std::string> c_of_script(const std::string& script, const ConstantFinder& constants) {
  const auto document = read({.file = "", .member = "", .text = script, .constants = constants});
  if (!document) return tl::make_unexpected(document.error());
  std::string text;
  const auto result = write_c(*document, [&](std::string_view part) { text += part; });
  if (!result) {
    EXPECT_EQ(text, "");  // not half a file
    return tl::make_unexpected(result.error());
  }
  return text;
}

TEST(CWriter, PrintsAPoolOfATextOnce) {
  const std::vector<std::byte> data(4, std::byte{1});
  const auto find = [&](const ConstantQuery&) -> std::optional<FoundConstant> {
    return FoundConstant{.dtype = DType::Int(8), .shape = {4}, .data = data, .source = "here"};
  };
  const auto text = c_of_script(script_with_pool("_var"), find);
  ASSERT_TRUE(text) << to_string(text.error());
  const std::size_t at = text->find("} const_sram = {\n  .c = {\n");
  EXPECT_NE(at, std::string::npos) << *text;
  EXPECT_EQ(text->find("} const_sram = {", at + 1), std::string::npos);
}

TEST(CWriter, RefusesPoolsThatAreNotKnown) {
  const auto nameless = c_of_script(script_with_pool(""), {});
  ASSERT_FALSE(nameless);
  EXPECT_EQ(nameless.error().message,
            "a memory pool whose name is not known cannot be printed as C");
  const auto empty = c_of_script(script_with_pool("_var"), {});
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().message,
            "the constant 'c', whose data are not known, cannot be printed as C");
}

}  // namespace
}  // namespace mlf::tir::c
