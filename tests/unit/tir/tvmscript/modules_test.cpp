#include "reading.h"

namespace mlf::tir::tvmscript {
namespace {

constexpr std::string_view kTwo =
    "    def callee(n: T.int32) -> T.int32:\n"
    "        T.func_attr({\"tir.noalias\": T.bool(True)})\n"
    "        return n\n"
    "\n"
    "    @T.prim_func(private=True)\n"
    "    def main(n: T.int32):\n"
    "        Module.callee(n)\n"
    "        Module.elsewhere(n)\n";

Document two_functions() {
  return read_text(std::string(kModuleHead) + std::string(kTwo));
}

TEST(ScriptModules, KeepTheOrderOfTheirFunctions) {
  const Document d = two_functions();
  const NodeMap functions = d.module.root().map(f::IRModule::functions);
  ASSERT_EQ(functions.size(), 2u);
  EXPECT_EQ(functions.key(0).text(f::GlobalVar::name_hint), "callee");
  EXPECT_EQ(functions.key(1).text(f::GlobalVar::name_hint), "main");
}

TEST(ScriptModules, CallsAreOfTheVariableInTheModuleAndHaveItsReturnType) {
  const Document d = two_functions();
  const NodeMap functions = d.module.root().map(f::IRModule::functions);
  const NodeList calls = functions.value(1)[f::PrimFunc::body].list(f::SeqStmt::seq);
  const Node call = calls[0][f::Evaluate::value];
  EXPECT_EQ(call[f::Call::op], functions.key(0));
  EXPECT_EQ(call.dtype(), DType::Int(32));
  EXPECT_EQ(calls[1][f::Evaluate::value].dtype(), DType::Void());
  EXPECT_TRUE(lost(d, LossCode::ret_type));
}

TEST(ScriptModules, WhatIsComputedWithACallHasTheDtypeOfItsResult) {
  const Document d = read_text(std::string(kModuleHead) +
                               "    def caller(n: T.int32):\n"
                               "        T.evaluate(Module.wide(n) * Module.wide(n) + "
                               "Module.wide(n))\n"
                               "\n"
                               "    @T.prim_func\n"
                               "    def wide(n: T.int32) -> T.int64:\n"
                               "        return T.int64(1)\n");
  const Node caller = d.module.root().map(f::IRModule::functions).value(0);
  const Node sum = caller[f::PrimFunc::body][f::Evaluate::value];
  EXPECT_EQ(sum.dtype(), DType::Int(64));
  EXPECT_EQ(sum[f::Add::a].dtype(), DType::Int(64));
}

TEST(ScriptModules, ReturnIsACallOfTheOperator) {
  const Document d = two_functions();
  const Node ret = value(d);
  EXPECT_EQ(ret[f::Call::op].text(f::Op::name), "tir.ret");
}

TEST(ScriptModules, HaveAttributesAndGlobalInfos) {
  const Document d = read_text(
      "# from tvm.script import ir as I\n# from tvm.script import tir as T\n\n"
      "@I.ir_module\nclass Module:\n"
      "    I.module_attrs({\"runtime\": metadata[\"Runtime\"][0], \"x\": 1})\n"
      "    I.module_global_infos({\"vdevice\": [I.vdevice({\"kind\": \"llvm\"}, 0, \"global\")]})\n"
      "    @T.prim_func\n    def f():\n        T.evaluate(0)\n\n"
      "# Metadata omitted. Use show_meta=True in script() method to show it.");
  const NodeMap attrs = d.module.root()[f::IRModule::attrs].map(f::DictAttrs::dict);
  EXPECT_EQ(attrs.find("runtime").kind(), Kind::MissingObject);
  EXPECT_EQ(number(attrs.find("x")), 1);
  EXPECT_TRUE(d.module.root()[f::IRModule::global_infos]);
  EXPECT_FALSE(lost(d, LossCode::module_attrs));
  EXPECT_TRUE(lost(two_functions(), LossCode::module_attrs));
}

TEST(ScriptModules, MayHaveNoFunctions) {
  const Document d =
      read_text("# from tvm.script import ir as I\n\n@I.ir_module\nclass Module:\n    pass");
  EXPECT_EQ(d.module.root().map(f::IRModule::functions).size(), 0u);
}

TEST(ScriptModules, PassOverFunctionsOfRelax) {
  const Document d = read_text(
      "# from tvm.script import ir as I\n# from tvm.script import tir as T\n"
      "# from tvm.script import relax as R\n\n"
      "@I.ir_module\nclass Module:\n"
      "    @T.prim_func\n    def f():\n        T.evaluate(0)\n\n"
      "    @R.function\n    def g(x: R.Tensor((4,), dtype=\"float32\")) -> R.Tensor:\n"
      "        with R.dataflow():\n            lv = R.call_tir(Module.f, (x,))\n        return "
      "lv\n");
  EXPECT_EQ(d.module.root().map(f::IRModule::functions).size(), 1u);
  EXPECT_TRUE(lost(d, LossCode::foreign_function));
}

TEST(ScriptModules, MayUseOtherPrefixesAndIndentation) {
  const Document d = read_text(
      "# from tvm.script import ir as IR\n# from tvm.script import tir as tir\n\n"
      "@IR.ir_module\nclass Net:\n  @tir.prim_func\n  def f(n: tir.int32):\n"
      "    # with T.block(\"root\"):\n"
      "    for i in range(n):\n      tir.evaluate(i)\n\n"
      "  @tir.prim_func\n  def g():\n    Net.f(3)\n");
  EXPECT_EQ(body(d).kind(), Kind::BlockRealize);
  EXPECT_EQ(function(d, 1)[f::PrimFunc::body][f::Evaluate::value][f::Call::op],
            d.module.root().map(f::IRModule::functions).key(0));
}

TEST(ScriptFunctions, MayFollowOneAnotherWithoutAHeader) {
  const Document d = read_text(
      "@T.prim_func\ndef first(n: T.int32):\n    T.evaluate(n)\n\n"
      "@T.prim_func(private=True)\ndef second(p: T.handle(\"float32\")):\n    first(1)\n");
  const NodeMap functions = d.module.root().map(f::IRModule::functions);
  ASSERT_EQ(functions.size(), 2u);
  EXPECT_EQ(functions.value(1)[f::PrimFunc::body][f::Evaluate::value][f::Call::op],
            functions.key(0));
}

TEST(ScriptFunctions, MayReturnPointersAndTuples) {
  const Document d = read_text(
      "# from tvm.script import tir as T\n\n"
      "@T.prim_func\ndef f() -> T.handle(\"int8\", \"global\"):\n    T.evaluate(0)\n\n"
      "@T.prim_func\ndef g(x: T.Tuple(T.int8, T.int32), y: None) -> T.Tuple(T.int8):\n"
      "    T.evaluate(0)\n\n"
      "@T.prim_func\ndef h():\n    T.evaluate(0)\n");
  EXPECT_EQ(function(d, 0)[f::PrimFunc::ret_type].kind(), Kind::PointerType);
  EXPECT_EQ(function(d, 1)[f::PrimFunc::ret_type].list(f::TupleType::fields).size(), 1u);
  EXPECT_TRUE(function(d, 2)[f::PrimFunc::ret_type].list(f::TupleType::fields).empty());
}

constexpr std::string_view kJson =
    R"({\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": \"Map\", \"keys\": )"
    R"([\"Runtime\"], \"data\": [2]}, {\"type_key\": \"Array\", \"data\": [3]}, {\"type_key\": )"
    R"(\"Runtime\", \"attrs\": {\"attrs\": \"0\", \"name\": \"4\"}}, {\"type_key\": )"
    R"(\"runtime.String\", \"repr_str\": \"crt\"}], \"b64ndarrays\": [], \"attrs\": )"
    R"({\"tvm_version\": \"0.15.0\"}})";

std::string with_metadata(std::string_view quotes) {
  return "metadata = tvm.ir.load_json(" + std::string(quotes) + std::string(kJson) +
         std::string(quotes) + ")\n" + std::string(kModuleHead) +
         "    def main():\n        T.func_attr({\"rt\": metadata[\"Runtime\"][0]})\n"
         "        T.evaluate(0)\n";
}

TEST(ScriptMetadata, GivesTheObjectsBehindReferencesAndTheExactVersion) {
  for (const std::string_view quotes : {"\"", "\"\"\""}) {
    const Document d = read_text(with_metadata(quotes));
    ASSERT_EQ(attribute(d, "rt").kind(), Kind::Runtime);
    EXPECT_EQ(attribute(d, "rt").text(f::Runtime::name), "crt");
    EXPECT_EQ(d.source.tvm_version.exact, "0.15.0");
    EXPECT_FALSE(lost(d, LossCode::attr_object));
  }
}

}  // namespace
}  // namespace mlf::tir::tvmscript
