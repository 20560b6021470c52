// Types of inputs in Relay's text.
#include "deployment/relay_signature.h"

#include <gtest/gtest.h>

namespace mlf::deployment {
namespace {

std::string spelled(std::string_view text) {
  std::string result;
  for (const graph::NamedTensor& tensor : read_relay_signature(text)) {
    result += tensor.name + " " + tir::to_string(tensor.type.dtype);
    for (const std::int64_t extent : *tensor.type.shape) result += " " + std::to_string(extent);
    result += ";";
  }
  return result;
}

TEST(RelaySignature, ParametersHaveTheirTypes) {
  EXPECT_EQ(spelled("def @main(%x: Tensor[(1, 8), float32], %w: Tensor[(64), int8]) {\n  %0\n}\n"),
            "x float32 1 8;w int8 64;");
}

TEST(RelaySignature, AnnotationsAndReturnTypesArePassedOver) {
  EXPECT_EQ(spelled("type T {}\n\ndef @main(%x: Tensor[(1, 8), float32] /* ty=Tensor[(1, 8), "
                    "float32] span=a.b:0:0 */, %y: Tensor[(), bool]) -> Tensor[(1), float32] {\n"),
            "x float32 1 8;y bool;");
}

TEST(RelaySignature, WhatIsNoStaticTensorIsPassedOver) {
  EXPECT_EQ(spelled("def @main(%t: (Tensor[(1), int8], Tensor[(2), int8]), %d: Tensor[(?, 2), "
                    "int8], %n, %x: Tensor[(3), int8]) {\n"),
            "x int8 3;");
}

TEST(RelaySignature, ScalarsHaveATypeWithoutDimensions) {
  EXPECT_EQ(spelled("def @main(%a: float32 /* ty=float32 */, %b: int64, %c: Tensor[(3), int8]) -> "
                    "Tensor[(3), float32] {\n"),
            "a float32;b int64;c int8 3;");
}

TEST(RelaySignature, DimensionsOf64BitsAreDimensions) {
  EXPECT_EQ(spelled("def @main(%x: Tensor[(2i64, 3i64), float32] /* ty=Tensor[(2i64, 3i64), "
                    "float32] */) {\n"),
            "x float32 2 3;");
}

TEST(RelaySignature, NamesMayHaveColons) {
  EXPECT_EQ(spelled("def @main(%x:0: Tensor[(3), int8], %a:b, %y::1: Tensor[(4), int8]) {\n"),
            "x:0 int8 3;y::1 int8 4;");
}

TEST(RelaySignature, OtherTextHasNone) {
  for (const char* text : {"", "def @other(%x: Tensor[(1), int8]) {}", "def @main(", "def @main(%",
                           "def @main(%x: Tensor[(", "def @main(%x: Tensor[(1, ", "def @main()"}) {
    EXPECT_EQ(spelled(text), "") << text;
  }
}

}  // namespace
}  // namespace mlf::deployment
