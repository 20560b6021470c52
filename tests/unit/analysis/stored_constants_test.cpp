// Kernels that load the same constants from other types, fewer elements and other places.
#include "analysis/stored_constants.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mlf/tir/document.h"

namespace mlf::analysis {
namespace {

constexpr std::string_view kValues = "[5, 5, 5, 5]";

tir::Document read_kernel(const std::string& more_params, const std::string& body) {
  const std::string text =
      "@T.prim_func\ndef scale(A: T.Buffer((4,), \"int32\"), B: T.Buffer((4,), \"int32\")" +
      more_params + "):\n" + body;
  auto document = tir::read({.file = "kernel", .member = {}, .text = text});
  EXPECT_TRUE(document) << text;
  return std::move(*document);
}

/// A kernel that multiplies by an array, loaded by `load`.
tir::Document with_array(const std::string& values, const std::string& dtype,
                         const std::string& extent, const std::string& load) {
  return read_kernel("", "    c = T.allocate_const(" + values + ", \"" + dtype + "\", [" + extent +
                             "])\n    w = T.Buffer((" + extent + ",), \"" + dtype +
                             "\", data=c)\n    for i in range(4):\n        B[i] = A[i] * " +
                             "T.Cast(\"int32\", " + load + ")\n");
}

/// A kernel that multiplies by a constant of a pool.
tir::Document with_pool(const std::string& name, const std::string& dtype,
                        const std::string& offset, const std::string& load) {
  return read_kernel(
      ", global_const_workspace_2_var: T.Buffer((64,), \"uint8\")",
      "    " + name + ": T.handle(\"" + dtype + "\") = T.address_of(global_const_workspace_2_var[" +
          offset + "])\n    w = T.Buffer((4,), \"" + dtype + "\", data=" + name +
          ")\n    for i in range(4):\n        B[i] = A[i] * T.Cast(\"int32\", " + load + ")\n");
}

std::optional<std::vector<StoredConstant>> compared(const tir::Document& before,
                                                    const tir::Document& after) {
  const auto function = [](const tir::Document& document) {
    return document.module.root().map(tir::f::IRModule::functions).value(0);
  };
  return constants_in_other_form(function(before), function(after));
}

const tir::Document& int16_array() {
  static const tir::Document document = with_array("[5, -7, 9, 127]", "int16", "4", "w[i]");
  return document;
}

TEST(StoredConstants, MayHaveAnotherTypeWithACastOfEachLoad) {
  const auto constants = compared(
      int16_array(), with_array("[5, -7, 9, 127]", "int8", "4", "T.Cast(\"int16\", w[i])"));
  ASSERT_TRUE(constants);
  ASSERT_EQ(constants->size(), 1U);
  EXPECT_TRUE(constants->front().has_other_type);
  EXPECT_FALSE(constants->front().has_other_count);
}

TEST(StoredConstants, AreAnotherProgramWithOtherValuesIndicesOrWithoutTheCast) {
  const std::string load = "T.Cast(\"int16\", w[i])";
  const std::pair<std::string, std::string> others[] = {
      {"[5, -7, 9, 126]", load},
      {"[5, -7, 9, 127]", "T.Cast(\"int16\", w[3 - i])"},
      {"[5, -7, 9, 127]", "w[i]"},
      {"[5, -7, 9, 127]", "T.Cast(\"uint16\", w[i])"},
  };
  for (const auto& [values, other] : others) {
    EXPECT_FALSE(compared(int16_array(), with_array(values, "int8", "4", other)))
        << values << other;
  }
}

TEST(StoredConstants, MayHaveOneElementInPlaceOfEqualOnes) {
  const tir::Document all = with_array(std::string(kValues), "int16", "4", "w[i]");
  const auto constants = compared(all, with_array("[5]", "int16", "1", "w[0]"));
  ASSERT_TRUE(constants);
  EXPECT_TRUE(constants->front().has_other_count);
  EXPECT_FALSE(constants->front().has_other_type);
  EXPECT_FALSE(compared(all, with_array("[6]", "int16", "1", "w[0]")));
  EXPECT_FALSE(compared(int16_array(), with_array("[5]", "int16", "1", "w[0]")));
}

TEST(StoredConstants, OfPoolsAreTheSameByNameWhereTextsLeaveOutValues) {
  const tir::Document before = with_pool("weights_let", "int16", "32", "w[i]");
  const auto constants =
      compared(before, with_pool("weights_let", "int8", "16", "T.Cast(\"int16\", w[i])"));
  ASSERT_TRUE(constants);
  EXPECT_TRUE(constants->front().has_other_type);
  EXPECT_EQ(constants->front().before.offset, 32U);
  EXPECT_EQ(constants->front().after.offset, 16U);
  EXPECT_FALSE(compared(before, with_pool("bias_let", "int16", "16", "w[i]")));
}

}  // namespace
}  // namespace mlf::analysis
