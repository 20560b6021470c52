#include "reading.h"

namespace mlf::tir::tvmscript {
namespace {

Document attributes(std::string_view dict) {
  return read_text(in_function("T.func_attr(" + std::string(dict) + ")\nT.evaluate(0)"));
}

TEST(ScriptAttributes, AreNoExpressions) {
  const Document d = attributes(
      "{\"s\": \"x\", \"l\": [1, [\"y\"], T.int64(2)], \"b\": T.bool(True), \"none\": None, "
      "\"m\": {\"k\": {\"z\": 1}}, \"f\": T.float32(2.5), \"shape\": (1, 2)}");
  EXPECT_EQ(attribute(d, "s").kind(), Kind::String);
  ASSERT_EQ(attribute(d, "l").kind(), Kind::Array);
  EXPECT_EQ(attribute(d, "l").list(f::Array::elements)[1].list(f::Array::elements)[0].kind(),
            Kind::String);
  EXPECT_EQ(attribute(d, "b").dtype(), DType::Bool());
  EXPECT_FALSE(attribute(d, "none"));
  EXPECT_EQ(attribute(d, "m").map(f::StringMap::entries).find("k").kind(), Kind::StringMap);
  EXPECT_EQ(attribute(d, "f").kind(), Kind::FloatImm);
  EXPECT_EQ(attribute(d, "shape").kind(), Kind::ShapeTuple);
  EXPECT_TRUE(lost(d, LossCode::value_kind));
}

TEST(ScriptAttributes, WithOtherKeysThanStringsAreObjectMaps) {
  const Document d = attributes("{\"m\": {1: 2, 3: 4}}");
  ASSERT_EQ(attribute(d, "m").kind(), Kind::ObjectMap);
  EXPECT_EQ(number(attribute(d, "m").map(f::ObjectMap::entries).key(1)), 3);
}

TEST(ScriptAttributes, OfV018AreBoxedPrimitives) {
  const Document d = attributes("{\"b\": True, \"f\": 1.5}");
  EXPECT_EQ(attribute(d, "b").kind(), Kind::BoxBool);
  EXPECT_EQ(attribute(d, "f").kind(), Kind::BoxFloat);
  EXPECT_EQ(d.source.tvm_version.first, 18);
}

TEST(ScriptAttributes, AreTargetsWithHosts) {
  const Document d = attributes(
      "{\"target\": T.target({\"arch\": \"sm_50\", \"host\": {\"keys\": [\"cpu\"], \"kind\": "
      "\"llvm\", \"tag\": \"\"}, \"keys\": [\"cuda\", \"gpu\"], \"kind\": \"cuda\", \"tag\": "
      "\"t\"})}");
  const Node target = attribute(d, "target");
  EXPECT_EQ(target[f::Target::kind].text(f::TargetKind::name), "cuda");
  EXPECT_EQ(target.text(f::Target::tag), "t");
  EXPECT_EQ(target.list(f::Target::keys).size(), 2u);
  EXPECT_EQ(target.map(f::Target::attrs).size(), 1u);
  EXPECT_EQ(target[f::Target::host][f::Target::kind].text(f::TargetKind::name), "llvm");
  EXPECT_TRUE(lost(d, LossCode::target_details));
}

TEST(ScriptAttributes, AreObjectsOfTheIrNamespace) {
  const Document d = attributes(
      "{\"gv\": I.GlobalVar(\"f\"), \"op\": I.Op(\"tir.exp\"), \"range\": T.Range(2, 5), "
      "\"tt\": I.TensorType((1, 2), \"float32\"), \"tv\": I.TypeVar(\"a\", \"ShapeVar\"), "
      "\"ft\": I.FuncType([], [T.int8], T.int32), \"ptr\": T.handle(\"int8\", \"shared\")}");
  EXPECT_EQ(attribute(d, "gv").text(f::GlobalVar::name_hint), "f");
  EXPECT_EQ(attribute(d, "op").text(f::Op::name), "tir.exp");
  EXPECT_EQ(attribute(d, "range").kind(), Kind::Range);
  EXPECT_EQ(attribute(d, "tt").kind(), Kind::TensorType);
  EXPECT_EQ(attribute(d, "tv").integer(f::TypeVar::kind), 1);
  EXPECT_EQ(attribute(d, "ft").list(f::FuncType::arg_types).size(), 1u);
  EXPECT_EQ(attribute(d, "ptr").kind(), Kind::PointerType);
}

TEST(ScriptAttributes, AreMemoryPoolsOfTheStaticPlanner) {
  const Document d = attributes(
      "{\"pool_args\": [I.AllocatedPoolInfo(pool_info=I.ConstantPoolInfo([I.ConstantInfo(\"c\", "
      "byte_offset=16, data=metadata[\"runtime.NDArray\"][0])]), allocated_size=64)]}");
  const Node pool = attribute(d, "pool_args").list(f::Array::elements)[0];
  ASSERT_EQ(pool.kind(), Kind::AllocatedPoolInfo);
  EXPECT_EQ(number(pool[f::AllocatedPoolInfo::allocated_size]), 64);
  EXPECT_TRUE(lost(d, LossCode::attr_object));
}

TEST(ScriptIndexMaps, HaveVariablesOfTheDtypeOfTheirConstants) {
  const Document d = attributes(
      "{\"a\": T.index_map(lambda i, j: (j, i // T.int64(4))), "
      "\"b\": T.index_map(lambda i: (i // 4, i % 4), inverse_index_map=lambda x, y: x * 4 + y), "
      "\"c\": T.index_map(lambda i, j: (j, i))}");
  const auto dtype = [&](std::string_view name) {
    return attribute(d, name).list(f::IndexMap::initial_indices)[0].dtype();
  };
  EXPECT_EQ(dtype("a"), DType::Int(64));
  EXPECT_EQ(dtype("b"), DType::Int(32));
  EXPECT_EQ(dtype("c"), DType::Int(64));
  EXPECT_EQ(
      attribute(d, "b")[f::IndexMap::inverse_index_map].list(f::IndexMap::final_indices).size(),
      1u);
  EXPECT_TRUE(lost(d, LossCode::var_type));
}

TEST(ScriptMetadata, LeftOutIsOneMissingObjectForEachReference) {
  const Document d = attributes(
      "{\"a\": metadata[\"Runtime\"][0], \"b\": metadata[\"Runtime\"][0], "
      "\"c\": metadata[\"Runtime\"][1]}");
  ASSERT_EQ(attribute(d, "a").kind(), Kind::MissingObject);
  EXPECT_EQ(attribute(d, "a").text(f::MissingObject::type_key), "Runtime");
  EXPECT_EQ(attribute(d, "a"), attribute(d, "b"));
  EXPECT_EQ(attribute(d, "c").integer(f::MissingObject::index), 1);
  EXPECT_TRUE(lost(d, LossCode::attr_object));
}

TEST(ScriptMetadata, LeftOutMayBeAStringInAnExpression) {
  const Document d = read_text(in_function("T.evaluate(T.likely(metadata[\"tir.StringImm\"][0]))"));
  EXPECT_EQ(value(d).list(f::Call::args)[0].kind(), Kind::MissingObject);
  EXPECT_EQ(value(d).dtype(), DType::Handle());
}

/// Two functions that work in one constant pool, whose parameters may be called `<pool>_<k>_var`.
std::string two_in_a_pool(std::string_view suffix) {
  const std::string attrs =
      "        T.func_attr({\"pool_args\": "
      "[I.AllocatedPoolInfo(pool_info=I.ConstantPoolInfo([I.ConstantInfo(\"c\", byte_offset=16, "
      "data=metadata[\"runtime.NDArray\"][0])]), allocated_size=64)]})\n        T.evaluate(0)\n";
  std::string text(kModuleHead);
  text += "    def f(const_sram_0" + std::string(suffix) + ": T.handle(\"uint8\", \"global\")):\n" +
          attrs;
  text += "    @T.prim_func\n    def g(n: T.int32, const_sram_1" + std::string(suffix) +
          ": T.handle(\"uint8\", \"global\")):\n" + attrs;
  return text;
}

Node pool_of(const Document& d, std::size_t i) {
  const Node attrs = function(d, i)[f::PrimFunc::attrs];
  const Node list = attrs.map(f::DictAttrs::dict).find("pool_args");
  return list.list(f::Array::elements)[0][f::AllocatedPoolInfo::pool_info];
}

TEST(ScriptPools, AreOneObjectNamedByTheParameters) {
  const Document d = read_text(two_in_a_pool("_var"));
  EXPECT_EQ(pool_of(d, 0), pool_of(d, 1));
  EXPECT_EQ(pool_of(d, 0).text(f::ConstantPoolInfo::pool_name), "const_sram");
  EXPECT_FALSE(lost(d, LossCode::pool_name));
}

TEST(ScriptPools, WithoutANameSaySo) {
  const Document d = read_text(two_in_a_pool(""));
  EXPECT_FALSE(pool_of(d, 0).has_text(f::ConstantPoolInfo::pool_name));
  EXPECT_TRUE(lost(d, LossCode::pool_name));
}

}  // namespace
}  // namespace mlf::tir::tvmscript
