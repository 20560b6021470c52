// Constants of every dtype go through every format byte by byte.
#include <gtest/gtest.h>

#include "tir/json/constants.h"
#include "unit/tir/json/documents.h"
#include "writing.h"

namespace mlf::tir {
namespace {

using write_test::expect_same;
using write_test::read_text;
using write_test::save_json_of;
using write_test::script_of;
using write_test::tir_json_of;

constexpr std::string_view kDtypes[] = {
    "bool",   "int8",    "int16",   "int32",   "int64",    "uint8",       "uint16",     "uint32",
    "uint64", "float16", "float32", "float64", "bfloat16", "e4m3_float8", "e5m2_float8"};

/// Bytes in which every one counts; those of a bool are 0 and 1.
std::vector<std::byte> content(DType dtype, std::size_t elements) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < elements * dtype.element_bytes(); ++i) {
    bytes.push_back(static_cast<std::byte>(dtype.is_bool() ? i % 2 : (i * 37 + 11) % 256));
  }
  return bytes;
}

/// A function that allocates a constant of 3 x 5 elements; the statement says their dtype again.
Document document_with(std::string_view dtype_name, std::string_view stated_dtype) {
  SmallModule m;
  Builder& b = m.builder();
  const DType dtype = *parse_dtype(dtype_name);
  const std::vector<std::int64_t> shape{3, 5};
  const NodeId array =
      b.make(Kind::NDArray, {dtype, b.integers(shape), b.bytes(content(dtype, 15))});
  const NodeId type =
      b.make(Kind::PointerType, {b.make(Kind::PrimType, {dtype}), b.string("global")});
  const NodeId var = b.make(Kind::Var, {DType::Handle(), b.string("weights"), type});
  const NodeId body = b.make(Kind::Evaluate, {var});
  Document document = m.document(
      b.make(Kind::AllocateConst, {var, array, NodeId::none, *parse_dtype(stated_dtype),
                                   b.list({m.integer(3), m.integer(5)}), body, ListId::none}));
  document.source.tvm_version = {18, 18, "0.18.0"};
  return document;
}

Document document_with(std::string_view dtype_name) {
  return document_with(dtype_name, dtype_name);
}

Node array_of(const Document& document) {
  return first_body(document)[f::AllocateConst::data];
}

void expect_content(const Document& document, std::string_view dtype_name) {
  const Node array = array_of(document);
  ASSERT_TRUE(array.is(Kind::NDArray));
  const DType dtype = *parse_dtype(dtype_name);
  EXPECT_EQ(array.dtype(f::NDArray::dtype), dtype);
  const auto data = array.bytes(f::NDArray::data);
  ASSERT_TRUE(data);
  EXPECT_TRUE(std::ranges::equal(*data, content(dtype, 15)));
}

class ConstantOf : public testing::TestWithParam<std::string_view> {};

TEST_P(ConstantOf, IsWrittenToTirJson) {
  const Document original = document_with(GetParam());
  const Document back = read_text(tir_json_of(original));
  expect_content(back, GetParam());
  expect_same(original.module, back.module);
}

TEST_P(ConstantOf, IsWrittenToANumPyFile) {
  const Document original = document_with(GetParam());
  std::string text;
  const JsonOptions options{
      .constants = ConstantPlace::npy, .npy_threshold = 0, .npy_directory = "c"};
  const auto files =
      write_tir_json(original, options, [&](std::string_view bytes) { text += bytes; });
  ASSERT_TRUE(files);
  ASSERT_EQ(files->size(), 1u);
  std::string file;
  ASSERT_TRUE(write_npy({original.module, files->front().constant},
                        [&](std::string_view bytes) { file += bytes; }));
  const std::string header =
      tir_json::npy_header(*parse_dtype(GetParam()), std::vector<std::int64_t>{3, 5});
  ASSERT_TRUE(file.starts_with(header));
  const auto data = std::as_bytes(std::span(file)).subspan(header.size());
  EXPECT_TRUE(std::ranges::equal(data, content(*parse_dtype(GetParam()), 15)));
}

TEST_P(ConstantOf, IsWrittenToSaveJson) {
  const Document original = document_with(GetParam());
  const Document back = read_text(save_json_of(original));
  expect_content(back, GetParam());
  expect_same(original.module, back.module);
}

TEST_P(ConstantOf, IsWrittenToTvmScript) {
  const std::string script = script_of(document_with(GetParam()));
  expect_content(read_text(script), GetParam());
}

// --- Without their data -------------------------------------------------------------------------

std::string script_without_data(const Document& document) {
  std::string text;
  const auto written = write_tvmscript(document, {.constants = ConstantPlace::none},
                                       [&](std::string_view bytes) { text += bytes; });
  return written ? text : to_string(written.error());
}

std::string json_without_data(const Document& document) {
  std::string text;
  const auto written = write_tir_json(document, {.constants = ConstantPlace::none},
                                      [&](std::string_view bytes) { text += bytes; });
  return written ? text : to_string(written.error());
}

void expect_no_data(const Document& document, std::string_view dtype_name) {
  const Node array = array_of(document);
  ASSERT_TRUE(array.is(Kind::NDArray));
  EXPECT_EQ(array.dtype(f::NDArray::dtype), *parse_dtype(dtype_name));
  EXPECT_EQ(array.integers(f::NDArray::shape).size(), 2u);
  EXPECT_FALSE(array.bytes(f::NDArray::data));
}

TEST_P(ConstantOf, WithoutDataIsInTvmScriptOfEveryVersion) {
  Document document = document_with(GetParam());
  expect_no_data(read_text(script_without_data(document)), GetParam());
  document.source.tvm_version = {9, 9, "0.9.0"};
  if (parse_dtype(GetParam())->bits != 8 || !parse_dtype(GetParam())->is_float()) {
    expect_no_data(read_text(script_without_data(document)), GetParam());
  }
}

TEST(LeftOutConstants, AreToldApartFromLostOnes) {
  const Document original = document_with("int8");
  const std::string text = json_without_data(original);
  const Document left_out = read_text(text);
  expect_no_data(left_out, "int8");
  ASSERT_EQ(left_out.left_out.size(), 1u);
  EXPECT_EQ(left_out.left_out[0].constant, array_of(left_out).id());
  EXPECT_EQ(json_without_data(left_out), text);
  // A text has lost the digest as well.
  const Document lost = read_text(script_without_data(original));
  EXPECT_TRUE(lost.left_out.empty());
  EXPECT_NE(json_without_data(lost).find("\"sha256\":null,\"data\":null"), std::string::npos);
}

TEST(LeftOutConstants, AreRefusedWhereAFormatNeedsThem) {
  const Document document = read_text(json_without_data(document_with("int8")));
  const Sink sink = [](std::string_view) {};
  EXPECT_FALSE(write_save_json(document, sink));
  EXPECT_FALSE(write_tvmscript(document, {}, sink));
}

std::string name_of(const testing::TestParamInfo<std::string_view>& info) {
  return std::string(info.param);
}

INSTANTIATE_TEST_SUITE_P(EveryDtype, ConstantOf, testing::ValuesIn(kDtypes), name_of);

// NumPy knows neither bfloat16 nor float8: their bytes are raw.
TEST(NumPyFiles, HoldRawBytesOfWhatNumPyLacks) {
  EXPECT_EQ(tir_json::npy_descr(*parse_dtype("bfloat16")), "|V2");
  EXPECT_EQ(tir_json::npy_descr(*parse_dtype("e4m3_float8")), "|V1");
  EXPECT_EQ(tir_json::npy_descr(*parse_dtype("e5m2_float8")), "|V1");
  EXPECT_EQ(tir_json::npy_descr(*parse_dtype("float16")), "<f2");
  EXPECT_EQ(tir_json::npy_descr(*parse_dtype("bool")), "|b1");
}

// Found by fuzzing: a list has the dtype of its statement, which need not be that of the data.
TEST(WrittenConstants, KeepTheirDtypeWhereTheStatementHasAnother) {
  const Document written = read_text(script_of(document_with("int8", "uint8")));
  EXPECT_EQ(first_body(written).dtype(f::AllocateConst::dtype), DType::UInt(8));
  expect_content(written, "int8");
}

}  // namespace
}  // namespace mlf::tir
