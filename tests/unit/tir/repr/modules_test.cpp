// Modules, functions and their attributes.
#include "reading.h"

namespace mlf::tir::repr {
namespace {

constexpr std::string_view kTwo =
    "IRModule({GlobalVar(b): PrimFunc([x])  {\n  x\n}\n, GlobalVar(a): PrimFunc([])  {\n  0\n}\n})";

std::string with_attrs(std::string_view attrs) {
  return "PrimFunc([]) attrs={" + std::string(attrs) + "} {\n  0\n}\n";
}

TEST(ReprModules, KeepTheOrderOfTheirFunctions) {
  const Document d = read_text(kTwo);
  const NodeMap functions = d.module.root().map(f::IRModule::functions);
  ASSERT_EQ(functions.size(), 2u);
  EXPECT_EQ(functions.key(0).text(f::GlobalVar::name_hint), "b");
  EXPECT_EQ(functions.key(1).text(f::GlobalVar::name_hint), "a");
  EXPECT_TRUE(lost(d, LossCode::module_attrs));
  EXPECT_TRUE(lost(d, LossCode::buffer_map));
}

TEST(ReprModules, MayBeEmpty) {
  EXPECT_TRUE(read_text("IRModule({})").module.root().map(f::IRModule::functions).empty());
}

TEST(ReprModules, AnAddressBehindThemIsThatOfTheFailedPrinterOfV12) {
  EXPECT_EQ(read_text(kTwo).source.tvm_version.first, 8);
  const Document d = read_text(std::string(kTwo) + "IRModule(0x55d0a1b2c3d0)");
  EXPECT_EQ(d.source.tvm_version.first, 12);
  EXPECT_EQ(d.module.root().map(f::IRModule::functions).size(), 2u);
}

TEST(ReprModules, PassRelayFunctionsOverByName) {
  const Document d = read_text(
      "IRModule({GlobalVar(f): PrimFunc([])  {\n  0\n}\n, GlobalVar(net): fn (%x: Tensor[(4), "
      "float32] /* }), GlobalVar( */) -> int32 {\n  f(\"})\")\n} /* ty=fn () -> () */})");
  EXPECT_EQ(d.module.root().map(f::IRModule::functions).size(), 1u);
  const auto loss = std::ranges::find(d.losses, LossCode::foreign_function, &Loss::code);
  ASSERT_NE(loss, d.losses.end());
  EXPECT_EQ(loss->name, "net");
}

TEST(ReprFunctions, MayBeTheOnlyContentUnderTheirGlobalSymbol) {
  const Document d = read_text(with_attrs("\"global_symbol\": \"add\""));
  const NodeMap functions = d.module.root().map(f::IRModule::functions);
  EXPECT_EQ(functions.key(0).text(f::GlobalVar::name_hint), "add");
  EXPECT_FALSE(function(read_text(in_function("  n")))[f::PrimFunc::attrs]);
}

TEST(ReprFunctions, WithParametersOfOneNameAreReadAndSaySo) {
  const Document d = read_text(in_function("  p0", "p0, p0, p0"));
  EXPECT_EQ(function(d).list(f::PrimFunc::params).size(), 3u);
  EXPECT_TRUE(lost(d, LossCode::same_name));
}

TEST(ReprFunctions, ReturnTheTypeOfWhatTheyGiveBack) {
  const Document d = read_text(in_function("  tir.ret((bool)1)"));
  EXPECT_EQ(function(d)[f::PrimFunc::ret_type].dtype(f::PrimType::dtype), DType::Bool());
}

TEST(ReprAttributes, AreStringsNumbersListsAndMaps) {
  const Document d = read_text(
      with_attrs("\"text\": \"a \\\"b\\\"\\n\", \"flag\": (bool)1, \"list\": [1, \"x\", [2]], "
                 "\"map\": {\"k\": {}}, \"range\": range(min=2, ext=3), \"real\": 0.5"));
  EXPECT_EQ(attribute(d, "text").text(f::String::value), "a \"b\"\n");
  EXPECT_EQ(attribute(d, "flag").dtype(), DType::Bool());
  EXPECT_EQ(attribute(d, "list").list(f::Array::elements).size(), 3u);
  EXPECT_EQ(attribute(d, "map").map(f::StringMap::entries).size(), 1u);
  EXPECT_EQ(attribute(d, "range").kind(), Kind::Range);
  EXPECT_EQ(attribute(d, "real").real(f::FloatImm::value), 0.5);
}

TEST(ReprAttributes, HoldTargetsAsCommandLines) {
  const Document d =
      read_text(with_attrs("\"target\": c -keys=arm_cpu,cpu -mcpu=cortex-m7, \"number\": 7"));
  const Node target = attribute(d, "target");
  ASSERT_EQ(target.kind(), Kind::Target);
  EXPECT_EQ(target[f::Target::kind].text(f::TargetKind::name), "c");
  EXPECT_EQ(target.list(f::Target::keys).size(), 2u);
  EXPECT_EQ(attribute(d, "number").integer(f::IntImm::value), 7);
  EXPECT_TRUE(lost(d, LossCode::target_details));
}

TEST(ReprAttributes, LeaveReferencesToWhatIsNotPrinted) {
  const Document d = read_text(
      with_attrs("\"a\": runtime.NDArray(0x1f), \"b\": [runtime.NDArray(0x1f), "
                 "runtime.NDArray(0x2f)], \"c\": compute(sum, body=[(x + 1)], tag=\")\")"));
  const Node array = attribute(d, "a");
  ASSERT_EQ(array.kind(), Kind::MissingObject);
  EXPECT_EQ(array.text(f::MissingObject::type_key), "runtime.NDArray");
  const NodeList list = attribute(d, "b").list(f::Array::elements);
  EXPECT_EQ(list[0].id(), array.id());
  EXPECT_NE(list[1].id(), array.id());
  EXPECT_EQ(attribute(d, "c").text(f::MissingObject::type_key), "ComputeOp");
  EXPECT_TRUE(lost(d, LossCode::attr_object));
}

TEST(ReprAttributes, HoldFunctionsAndTypesByName) {
  const Document d =
      read_text(with_attrs("\"callee\": GlobalVar(g), \"type\": float32x4, \"name\": \"int8\""));
  EXPECT_EQ(attribute(d, "callee").text(f::GlobalVar::name_hint), "g");
  EXPECT_EQ(to_string(attribute(d, "type").dtype(f::PrimType::dtype)), "float32x4");
  EXPECT_EQ(attribute(d, "name").kind(), Kind::String);
}

TEST(ReprAttributes, HoldParametersByName) {
  const Document d = read_text("PrimFunc([x]) attrs={\"input_vars\": [x]} {\n  x\n}\n");
  const Node list = attribute(d, "input_vars");
  EXPECT_EQ(list.list(f::Array::elements)[0].id(), function(d).list(f::PrimFunc::params)[0].id());
}

}  // namespace
}  // namespace mlf::tir::repr
