#include "reading.h"

namespace mlf::tir::legacy {
namespace {

TEST(LegacyFunctions, HaveParametersAReturnTypeAttributesAndBuffers) {
  const Document d = read_text(
      "@f = primfn(a: handle, q: Pointer(global float32), n: int32) -> int32\n"
      "  attr = {\"global_symbol\": \"sym\", \"tir.noalias\": True, \"list\": [1, \"b\", [2]]}\n"
      "  buffers = {A: Buffer(A_1: Pointer(float32), float32, [n, 4], [4, 1], elem_offset=n, "
      "axis_separators=[1], scope=\"global\", align=16, offset_factor=2, type=\"auto\")}\n"
      "  buffer_map = {a: A}\n"
      "  preflattened_buffer_map = {a: A_2: Buffer(A_1, float32, [n, 2, 2], [])} {\n  n\n}\n");
  const Node f = function(d);
  EXPECT_EQ(f[f::PrimFunc::ret_type].dtype(f::PrimType::dtype), DType::Int(32));
  EXPECT_EQ(f.list(f::PrimFunc::params).size(), 3u);
  const NodeMap attrs = f[f::PrimFunc::attrs].map(f::DictAttrs::dict);
  EXPECT_EQ(attrs.name(0), "global_symbol");
  EXPECT_EQ(attrs.find("list").list(f::Array::elements)[2].kind(), Kind::Array);
  const Node buffer = f.map(f::PrimFunc::buffer_map).value(0);
  EXPECT_EQ(f.map(f::PrimFunc::buffer_map).key(0), f.list(f::PrimFunc::params)[0]);
  EXPECT_EQ(buffer.integer(f::Buffer::data_alignment), 16);
  EXPECT_EQ(buffer.integer(f::Buffer::offset_factor), 2);
  EXPECT_EQ(buffer.integer(f::Buffer::buffer_type), 2);
  EXPECT_EQ(buffer[f::Buffer::elem_offset], f.list(f::PrimFunc::params)[2]);
  EXPECT_EQ(buffer.list(f::Buffer::axis_separators).size(), 1u);
  const Node before = f.map(f::PrimFunc::preflattened_buffer_map).value(0);
  EXPECT_EQ(before[f::Buffer::data], buffer[f::Buffer::data]);
  EXPECT_EQ(before.list(f::Buffer::shape).size(), 3u);
}

// TVM 0.9 printed such functions; others of the text are what they are.
TEST(LegacyFunctions, AreLostWhereTheyUseWhatNothingDefines) {
  const std::string head =
      " = primfn(a: handle) -> ()\n"
      "  buffers = {A: Buffer(A_1: Pointer(float32), float32, [4], [])}\n"
      "  buffer_map = {a: A} {\n  for (i: int32, 0, 4) {\n    A[i] = ";
  const std::string foot = "\n  }\n}\n\n";
  const std::string good = "@good" + head + "0f32" + foot;
  for (const std::string& bad :
       {"@bad" + head + "(A[i] + count)" + foot, "@bad" + head + "(later[i] + count)" + foot}) {
    for (const std::string& text : {bad + good, good + bad}) {
      const Document d = read_text(text);
      const auto functions = prim_functions_of(d.module);
      ASSERT_EQ(functions.size(), 1u) << text;
      EXPECT_EQ(functions[0].name, "good");
      const auto loss = std::ranges::find(d.losses, LossCode::undefined_name, &Loss::code);
      ASSERT_NE(loss, d.losses.end());
      EXPECT_EQ(loss->name, "bad");
    }
    EXPECT_THROW(read_text(bad), std::runtime_error);
  }
}

TEST(LegacyFunctions, HaveAxisSeparatorsWhereABufferIsPrintedInFull) {
  const Document d = read_text(
      "@main = primfn(a: handle) -> ()\n"
      "  buffers = {A: Buffer(A_1: Pointer(float32), float32, [16, 16], [], "
      "axis_separators=[1])}\n"
      "  buffer_map = {a: A} {\n"
      "  allocate(Y: Pointer(global float32), float32, [16, 8]), storage_scope = global {\n"
      "    Y_1: Buffer(Y, float32, [16, 8], [], axis_separators=[1])[0, 1] = A[0, 1]\n"
      "  }\n}\n");
  const Node body = function(d)[f::PrimFunc::body][f::Allocate::body];
  const Node store = body.list(f::SeqStmt::seq)[0];
  const NodeList stored = store[f::BufferStore::buffer].list(f::Buffer::axis_separators);
  ASSERT_EQ(stored.size(), 1u);
  EXPECT_EQ(stored[0].integer(f::IntImm::value), 1);
  const Node loaded = store[f::BufferStore::value][f::BufferLoad::buffer];
  EXPECT_EQ(loaded.list(f::Buffer::axis_separators).size(), 1u);
  EXPECT_FALSE(lost(d, LossCode::buffer_fields));
}

TEST(LegacyFunctions, LoseAxisSeparatorsOfABlocksOwnBuffers) {
  const Document d = read_text(
      "@main = primfn(a: handle) -> ()\n"
      "  buffers = {A: Buffer(A_1: Pointer(float32), float32, [16, 16], [], "
      "axis_separators=[1])}\n"
      "  buffer_map = {a: A} {\n"
      "  block([], \"b\") {\n"
      "    tir.reads([])\n"
      "    tir.writes([])\n"
      "    C = alloc_buffer(float32[16, 16])\n"
      "    C[0, 1] = A[0, 1]\n"
      "}\n");
  EXPECT_TRUE(lost(d, LossCode::buffer_fields));
}

TEST(LegacyFunctions, ReturnNothingOrATuple) {
  const auto fields = [](std::string_view type) {
    const Document d = read_text("@f = primfn() -> " + std::string(type) + " {\n  0\n}\n");
    return function(d)[f::PrimFunc::ret_type].list(f::TupleType::fields).size();
  };
  EXPECT_EQ(fields("()"), 0u);
  EXPECT_EQ(fields("(int32,)"), 1u);
  EXPECT_EQ(fields("(int32, Pointer(global int8))"), 2u);
}

TEST(LegacyFunctions, AttributesThatAreNotPrintedAreNotEmptyOnes) {
  EXPECT_FALSE(function(read_text("@f = primfn() -> () {\n  0\n}\n"))[f::PrimFunc::attrs]);
  const Document d = read_text("@f = primfn() -> ()\n  attr = {} {\n  0\n}\n");
  EXPECT_TRUE(function(d)[f::PrimFunc::attrs].map(f::DictAttrs::dict).defined());
}

TEST(LegacyFunctions, AloneTakeTheNameOfTheirSymbol) {
  const auto name = [](std::string_view text) {
    const Document d = read_text(text);
    const Node key = d.module.root().map(f::IRModule::functions).key(0);
    return std::string(key.text(f::GlobalVar::name_hint));
  };
  EXPECT_EQ(name("primfn() -> ()\n  attr = {\"global_symbol\": \"run\"} {\n  0\n}"), "run");
  EXPECT_EQ(name("primfn() -> () {\n  0\n}"), "main");
}

TEST(LegacyFunctions, BesideThoseOfRelayArePassedOver) {
  const Document d = read_text(
      "@f = primfn() -> () {\n  0\n}\n\ndef @rel(%x: Tensor[(1, 4), float32]) {\n  nn.relu(%x)\n}\n"
      "\n@weird name = primfn() -> () {\n  0\n}\n\ndef @poly[A](%x: A) -> A {\n  %x\n}\n\n"
      "type List[A] {\n  Nil,\n}\n");
  const NodeMap all = d.module.root().map(f::IRModule::functions);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all.key(1).text(f::GlobalVar::name_hint), "weird name");
  std::vector<std::string> passed_over;
  for (const Loss& loss : d.losses) {
    if (loss.code == LossCode::foreign_function) passed_over.push_back(loss.name);
  }
  EXPECT_EQ(passed_over, (std::vector<std::string>{"poly", "rel", "type List"}));
}

TEST(LegacyFunctions, TargetsAreTargets) {
  const Document d = read_text(
      "@f = primfn() -> ()\n  attr = {\"target\": Target(kind='llvm', tag='t', "
      "keys={'cpu', 'arm_cpu'}, attrs={'mcpu': \"a\", 'link-params': (bool)1, 'l': [[\"b\"]]}, "
      "host=Target(kind='c', keys={'cpu'}))} {\n  0\n}\n");
  const Node target = function(d)[f::PrimFunc::attrs].map(f::DictAttrs::dict).find("target");
  ASSERT_EQ(target.kind(), Kind::Target);
  EXPECT_EQ(target[f::Target::kind].text(f::TargetKind::name), "llvm");
  EXPECT_EQ(target.list(f::Target::keys).size(), 2u);
  EXPECT_TRUE(target.map(f::Target::attrs).find("link-params").dtype().is_bool());
  EXPECT_EQ(target.map(f::Target::attrs).find("l").list(f::Array::elements)[0].kind(), Kind::Array);
  EXPECT_EQ(target[f::Target::host][f::Target::kind].text(f::TargetKind::name), "c");
  EXPECT_TRUE(lost(d, LossCode::target_details));
  EXPECT_LE(d.source.tvm_version.last, 9);
}

TEST(LegacyFunctions, TheHeaderOfOneWithoutBuffersEndsWhereTheBodyBegins) {
  EXPECT_EQ(body(read_text("@f = primfn(n: int32) -> () {\n  n\n}")).kind(), Kind::Evaluate);
}

TEST(LegacyFragments, BareStatementsAreTheBodyOfAFunction) {
  // `detect` cannot tell one bare statement from other text; behind a version line it is TIR.
  const Document d = read_text("#[version = \"0.0.5\"]\nfor (i: int32, 0, 4) {\n  i\n}\n");
  EXPECT_EQ(body(d).kind(), Kind::For);
}

// --- Names -------------------------------------------------------------------------------------

TEST(LegacyNames, DenoteOneThingInTheWholeText) {
  const Document d =
      read_text(in_function("  B: Buffer(p, float32, [4], [])[0] = x\n  B[1] = B[0]"));
  const NodeList all = body(d).list(f::SeqStmt::seq);
  EXPECT_EQ(all[0][f::BufferStore::buffer], all[1][f::BufferStore::buffer]);
  EXPECT_EQ(all[0][f::BufferStore::buffer][f::Buffer::data],
            function(d).list(f::PrimFunc::params)[5]);
}

TEST(LegacyNames, MayPrecedeTheirAnnotation) {
  const Document d = read_text(in_function("  (k + 1)\n  A[k: int32] = x"));
  const NodeList all = body(d).list(f::SeqStmt::seq);
  EXPECT_EQ(all[0][f::Evaluate::value][f::Add::a], all[1].list(f::BufferStore::indices)[0]);
}

TEST(LegacyNames, OfBuffersMayPrecedeTheirDefinition) {
  const Document d = read_text(
      in_function("  A[0] = B[1]\n  B: Buffer(b: Pointer(int8), int8, [4], [])[0] = 1i8"));
  const NodeList all = body(d).list(f::SeqStmt::seq);
  EXPECT_EQ(all[0][f::BufferStore::value].dtype(), DType::Int(8));
  EXPECT_EQ(all[0][f::BufferStore::value][f::BufferLoad::buffer], all[1][f::BufferStore::buffer]);
}

TEST(LegacyNames, ThatWereMadeUniqueAreALoss) {
  EXPECT_TRUE(lost(read_text("@f = primfn(n_1: int32) -> () {\n  n_1\n}"), LossCode::name_hint));
  EXPECT_FALSE(lost(read_text("@f = primfn(n_x: int32) -> () {\n  n_x\n}"), LossCode::name_hint));
}

TEST(LegacyNames, KeepAllTheirCharacters) {
  const Document d = read_text(
      "@f = primfn(T_add(red): int32, in: int32, if: int32, a/b: int32, x-y: int32) -> () {\n"
      "  (T_add(red) + in)\n  (if - a/b)\n  (x-y*-1)\n}");
  const NodeList all = body(d).list(f::SeqStmt::seq);
  EXPECT_EQ(all[0][f::Evaluate::value][f::Add::a].text(f::Var::name), "T_add(red)");
  EXPECT_EQ(all[1][f::Evaluate::value][f::Sub::b].text(f::Var::name), "a/b");
  EXPECT_EQ(all[2][f::Evaluate::value][f::Mul::b].integer(f::IntImm::value), -1);
}

/// Extents print SizeVar and Var alike, also where the variable is a part of the extent.
TEST(LegacyBuffers, WithSymbolicExtentsMayHaveSizeVars) {
  const std::string head =
      "@f = primfn(h: handle) -> ()\n  buffers = {A: Buffer(A_1: Pointer(float32), float32, ";
  const std::string tail = ", [])}\n  buffer_map = {h: A} {\n  0\n}\n";
  EXPECT_TRUE(lost(read_text(head + "[(2*n: int32)]" + tail), LossCode::size_var));
  EXPECT_TRUE(lost(read_text(head + "[n: int32]" + tail), LossCode::size_var));
  EXPECT_FALSE(lost(read_text(head + "[4]" + tail), LossCode::size_var));
}

}  // namespace
}  // namespace mlf::tir::legacy
