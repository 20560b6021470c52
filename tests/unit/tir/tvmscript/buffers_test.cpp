#include "reading.h"

namespace mlf::tir::tvmscript {
namespace {

Node buffer_of(const Document& document) {
  return value(document)[f::BufferLoad::buffer];
}

TEST(ScriptBuffers, HaveTvmsDefaults) {
  const Document d = statements("B = T.Buffer((4, n))\nT.evaluate(B[0, 0])");
  const Node buffer = buffer_of(d);
  EXPECT_EQ(buffer.dtype(f::Buffer::dtype), DType::Float(32));
  EXPECT_TRUE(buffer.list(f::Buffer::strides).empty());
  EXPECT_EQ(number(buffer[f::Buffer::elem_offset]), 0);
  EXPECT_EQ(buffer.integer(f::Buffer::data_alignment), 64);
  EXPECT_EQ(buffer.integer(f::Buffer::offset_factor), 1);
  const Node pointer = buffer[f::Buffer::data][f::Var::type_annotation];
  EXPECT_EQ(pointer.text(f::PointerType::storage_scope), "global");
  EXPECT_TRUE(lost(d, LossCode::buffer_defaults));
  EXPECT_TRUE(lost(d, LossCode::data_var));
}

TEST(ScriptBuffers, StateWhatIsNoDefault) {
  const Document d = statements(
      "B = T.Buffer((4, 8), \"int32\", data=p, strides=(8, 1), elem_offset=n, scope=\"shared\", "
      "align=16, offset_factor=4, buffer_type=\"auto\", axis_separators=[1])\nT.evaluate(B[0, 0])");
  const Node buffer = buffer_of(d);
  EXPECT_EQ(buffer[f::Buffer::data].text(f::Var::name), "p");
  EXPECT_EQ(number(buffer.list(f::Buffer::strides)[0]), 8);
  EXPECT_EQ(buffer[f::Buffer::elem_offset].text(f::Var::name), "n");
  EXPECT_EQ(buffer.integer(f::Buffer::data_alignment), 16);
  EXPECT_EQ(buffer.integer(f::Buffer::offset_factor), 4);
  EXPECT_EQ(buffer.integer(f::Buffer::buffer_type), static_cast<int>(BufferType::auto_broadcast));
  EXPECT_EQ(number(buffer.list(f::Buffer::axis_separators)[0]), 1);
}

TEST(ScriptBuffers, NameTheirPartsWithADot) {
  const Document d = statements(
      "B = T.Buffer((4, 8), strides=(\"s0\", 1), offset_factor=2)\n"
      "T.evaluate(B.data)\nT.evaluate(B.strides[0])\nT.evaluate(B.elem_offset)\n"
      "T.evaluate(B[0, 0])");
  const NodeList all = body(d).list(f::SeqStmt::seq);
  const Node buffer = all[3][f::Evaluate::value][f::BufferLoad::buffer];
  EXPECT_EQ(all[0][f::Evaluate::value], buffer[f::Buffer::data]);
  EXPECT_EQ(all[1][f::Evaluate::value], buffer.list(f::Buffer::strides)[0]);
  EXPECT_EQ(all[1][f::Evaluate::value].text(f::Var::name), "s0");
  EXPECT_EQ(all[2][f::Evaluate::value], buffer[f::Buffer::elem_offset]);
}

TEST(ScriptBuffers, OfBoolPointToBytes) {
  const Document d = statements("B = T.Buffer((4,), \"bool\")\nT.evaluate(B[0])");
  const Node pointer = buffer_of(d)[f::Buffer::data][f::Var::type_annotation];
  EXPECT_EQ(pointer[f::PointerType::element_type].dtype(f::PrimType::dtype), DType::Int(8));
  EXPECT_EQ(value(d).dtype(), DType::Bool());
}

TEST(ScriptBuffers, DeclaredWithoutDataAreAllocatedToo) {
  const Document d =
      statements("B = T.decl_buffer((64,), \"int8\", scope=\"shared\")\nB[0] = A[0]");
  ASSERT_EQ(body(d).kind(), Kind::Allocate);
  const Node declaration = body(d)[f::Allocate::body];
  ASSERT_EQ(declaration.kind(), Kind::DeclBuffer);
  EXPECT_EQ(declaration[f::DeclBuffer::buffer][f::Buffer::data], body(d)[f::Allocate::buffer_var]);
}

TEST(ScriptBuffers, DeclaredWithDataAreNot) {
  const Document d =
      statements("with T.decl_buffer((64,), data=p) as B:\n    T.evaluate(B[0])\nT.evaluate(n)");
  const Node declaration = body(d).list(f::SeqStmt::seq)[0];
  ASSERT_EQ(declaration.kind(), Kind::DeclBuffer);
  EXPECT_EQ(declaration[f::DeclBuffer::body].kind(), Kind::Evaluate);
}

TEST(ScriptBuffers, OfNoDimensionAreIndexedByAnEmptyTuple) {
  const Document d = statements("B = T.Buffer(())\nB[()] = B[()] + T.float32(1)");
  EXPECT_TRUE(body(d).list(f::BufferStore::indices).empty());
  EXPECT_EQ(body(d)[f::BufferStore::value][f::Add::a].kind(), Kind::BufferLoad);
}

TEST(ScriptSlices, AreRampsInLoadsAndStores) {
  const Document d = statements("A[0:4] = A[n * 4:n * 4 + 8:2]");
  const Node store = body(d).list(f::BufferStore::indices)[0];
  ASSERT_EQ(store.kind(), Kind::Ramp);
  EXPECT_EQ(store.dtype().lanes, 4);
  const Node load = body(d)[f::BufferStore::value];
  EXPECT_EQ(load.dtype(), DType::Int(8).with_lanes(4));
  const Node ramp = load.list(f::BufferLoad::indices)[0];
  EXPECT_EQ(ramp[f::Ramp::base].kind(), Kind::Mul);
  EXPECT_EQ(number(ramp[f::Ramp::stride]), 2);
}

TEST(ScriptSlices, MayRunBackwards) {
  const Document d = statements("T.evaluate(A[n:n + -4:-1])");
  const Node ramp = value(d).list(f::BufferLoad::indices)[0];
  EXPECT_EQ(number(ramp[f::Ramp::stride]), -1);
  EXPECT_EQ(ramp.dtype().lanes, 4);
}

TEST(ScriptBuffers, AreLoadedAndStoredUnderPredicates) {
  const Document d = statements(
      "A.vstore([T.Ramp(0, 1, 4)], A.vload([T.Ramp(4, 1, 4)], predicate=T.Broadcast(n < 3, 4)), "
      "predicate=T.Broadcast(n < 2, 4))");
  EXPECT_EQ(body(d)[f::BufferStore::predicate].kind(), Kind::Broadcast);
  EXPECT_EQ(body(d)[f::BufferStore::value][f::BufferLoad::predicate].kind(), Kind::Broadcast);
  EXPECT_GE(d.source.tvm_version.first, 17);
}

TEST(ScriptParameters, MayBeHiddenBehindTheirBuffers) {
  std::string text(kModuleHead);
  // GCC 12 warns of a sum here (-Warray-bounds).
  text +=
      "    def f(A: T.Buffer((16,), \"int8\"), n: T.int64):\n"
      "        A[n] = T.int8(1)\n";
  const Document d = read_text(text);
  const NodeList params = function(d).list(f::PrimFunc::params);
  ASSERT_EQ(params.size(), 2u);
  EXPECT_EQ(params[0].dtype(), DType::Handle());
  const NodeMap buffers = function(d).map(f::PrimFunc::buffer_map);
  EXPECT_EQ(buffers.key(0), params[0]);
  EXPECT_EQ(buffers.value(0), body(d)[f::BufferStore::buffer]);
  EXPECT_TRUE(lost(d, LossCode::hidden_param));
}

TEST(ScriptVariables, AreDeclaredBeforeTheirUse) {
  const Document d = statements(
      "a, m = T.int32(), T.int64(is_size_var=True)\n"
      "q = T.handle(\"float16\", \"shared\")\nu = T.handle()\n"
      "T.evaluate(a)\nT.evaluate(m)\nT.evaluate(q)\nT.evaluate(u)");
  const NodeList all = body(d).list(f::SeqStmt::seq);
  EXPECT_EQ(all[1][f::Evaluate::value].kind(), Kind::SizeVar);
  EXPECT_EQ(all[1][f::Evaluate::value].dtype(), DType::Int(64));
  const Node pointer = all[2][f::Evaluate::value][f::Var::type_annotation];
  EXPECT_EQ(pointer.text(f::PointerType::storage_scope), "shared");
  EXPECT_EQ(all[3][f::Evaluate::value][f::Var::type_annotation].kind(), Kind::PrimType);
}

TEST(ScriptVariables, OfPointersWithoutAScopeHaveTheEmptyOne) {
  const Document d = statements("q = T.handle(\"float16\")\nT.evaluate(q)");
  EXPECT_EQ(value(d)[f::Var::type_annotation].text(f::PointerType::storage_scope), "");
}

TEST(ScriptBuffers, NameStridesOfTheDtypeOfTheirExtents) {
  const Document d = statements(
      "B = T.Buffer((T.int64(4), T.int64(8)), strides=(\"s0\", 1))\nT.evaluate(B.strides[0])");
  EXPECT_EQ(value(d).dtype(), DType::Int(64));
}

}  // namespace
}  // namespace mlf::tir::tvmscript
