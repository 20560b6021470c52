#include "tir/text/op_table.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace mlf::tir::text {
namespace {

TEST(OpTable, HasOneRowForEachNameAndEachSpelling) {
  std::set<std::string_view> names;
  std::set<std::string_view> script_names;
  for (const OpInfo& op : all_ops()) {
    EXPECT_TRUE(op.name.starts_with("tir."));
    EXPECT_TRUE(names.insert(op.name).second) << op.name;
    EXPECT_TRUE(script_names.insert(op.script_name).second) << op.script_name;
    EXPECT_GE(op.since, 8);
    EXPECT_LE(op.since, 18);
  }
}

TEST(OpTable, InfersEveryDtypeThatTvmScriptDoesNotPrint) {
  const std::array arguments{DType::Float(32), DType::Float(16), DType::Int(8)};
  for (const OpInfo& op : all_ops()) {
    EXPECT_EQ(infer_dtype(op.rule, arguments).has_value(), op.dtype_position == DtypePosition::none)
        << op.name;
  }
}

TEST(OpTable, FindsOperatorsByTvmsNameAndByTheNameInScripts) {
  EXPECT_EQ(find_script_op("call_packed")->name, "tir.tvm_call_packed");
  EXPECT_EQ(find_script_op("exp"), find_op("tir.exp"));
  EXPECT_EQ(find_script_op("tir.exp"), find_op("tir.exp"));
  EXPECT_EQ(find_script_op("tir.isfinite"), find_op("tir.isfinite"));
  EXPECT_EQ(find_op("exp"), nullptr);
  EXPECT_EQ(find_script_op("invented"), nullptr);
}

TEST(OpTable, TakesTheDtypeFromTheArgumentThatTvmTakesItFrom) {
  const std::array choice{DType::Bool(), DType::Float(16), DType::Float(16)};
  EXPECT_EQ(infer_dtype(find_op("tir.if_then_else")->rule, choice), DType::Float(16));
  const std::array vector{DType::UInt(8).with_lanes(4)};
  EXPECT_EQ(infer_dtype(find_op("tir.clz")->rule, vector), DType::Int(32).with_lanes(4));
  EXPECT_EQ(infer_dtype(DtypeRule::argument_1, vector), std::nullopt);
  EXPECT_EQ(infer_dtype(DtypeRule::last_argument, {}), std::nullopt);
}

}  // namespace
}  // namespace mlf::tir::text
