#include "mlf/tir/module.h"

#include <gtest/gtest.h>

namespace mlf::tir {
namespace {

TEST(DType, IsWrittenAsItWasRead) {
  for (const char* text : {"int8", "uint64", "float16x4", "bool", "uint1x4", "handle", "bfloat16",
                           "e4m3_float8", "float32xvscalex4", "void"}) {
    const auto dtype = parse_dtype(text);
    ASSERT_TRUE(dtype) << text;
    EXPECT_EQ(to_string(*dtype), text);
    EXPECT_EQ(DType::unpack(dtype->packed()), *dtype) << text;
  }
}

TEST(DType, HasTheDefaultsOfTvm) {
  EXPECT_EQ(parse_dtype("int"), DType::Int(32));
  EXPECT_EQ(parse_dtype("handle"), DType::Handle());
  EXPECT_EQ(parse_dtype("bfloat")->bits, 16);
  EXPECT_EQ(parse_dtype(""), DType::Void());
  EXPECT_EQ(parse_dtype("uint1"), DType::Bool());
}

TEST(DType, RefusesWhatTvmWouldNotWrite) {
  for (const char* text :
       {"int32x", "int32x0", "integer", "float32 ", "xint8", "int-8", "int999"}) {
    EXPECT_FALSE(parse_dtype(text)) << text;
  }
}

TEST(DType, TakesWholeBytesPerElement) {
  EXPECT_EQ(DType::Bool().element_bytes(), 1u);
  EXPECT_EQ(DType::Int(4).element_bytes(), 1u);
  EXPECT_EQ(DType::Float(16).element_bytes(), 2u);
}

}  // namespace
}  // namespace mlf::tir
