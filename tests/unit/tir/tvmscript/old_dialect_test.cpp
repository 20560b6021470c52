// What only the TVMScript of TVM v0.8 to v0.11 has, version by version.
#include "reading.h"

namespace mlf::tir::tvmscript {
namespace {

/// `lines` as the body of a function that knows n (int32), x (float32) and p (a pointer).
std::string in_old_function(std::string_view lines, std::string_view result = " -> None") {
  std::string text =
      "# from tvm.script import tir as T\n@tvm.script.ir_module\nclass Module:\n"
      "    @T.prim_func\n"
      "    def main(n: T.int32, x: T.float32, p: T.Ptr[T.float32, \"global\"])";
  return text.append(result).append(":\n").append(indented(lines)) + "    __tvm_meta__ = None\n";
}

Document read_old(std::string_view lines, std::string_view result = " -> None") {
  return read_text(in_old_function(lines, result));
}

Node param(const Document& document, std::size_t i) {
  return function(document).list(f::PrimFunc::params)[i];
}

TEST(OldScript, IsADialectOfItsOwn) {
  EXPECT_EQ(read_old("T.evaluate(n)").source.dialect, Dialect::old_tvmscript);
}

TEST(OldScript, ComparesTighterThanItTellsEqual) {
  const Document d = read_old("T.evaluate(True == n < 2)");
  EXPECT_EQ(value(d).kind(), Kind::EQ);
  EXPECT_EQ(value(d)[f::EQ::b].kind(), Kind::LT);
}

TEST(OldScript, WritesNotAsACall) {
  EXPECT_EQ(value(read_old("T.evaluate(not(n < 2) == False)")).kind(), Kind::EQ);
}

TEST(OldScript, PrintsTheDtypeOfEveryCall) {
  const Document d = read_old("T.evaluate(T.exp(x, dtype=\"float32x4\"))");
  EXPECT_EQ(value(d).dtype(), DType::Float(32).with_lanes(4));
  EXPECT_FALSE(lost(d, LossCode::call_dtype));
}

TEST(OldScript, NamesOperatorsAsTvmDoes) {
  const Document d = read_old("T.evaluate(T.tvm_call_packed(\"f\", n, dtype=\"\"))");
  EXPECT_EQ(value(d)[f::Call::op].text(f::Op::name), "tir.tvm_call_packed");
  EXPECT_TRUE(value(d).dtype().is_void());
}

TEST(OldScript, CallsFunctionsOfTheModuleWithADtype) {
  const Document d = read_old("T.evaluate(other(n, dtype=\"int8\"))");
  EXPECT_EQ(value(d)[f::Call::op].text(f::GlobalVar::name_hint), "other");
  EXPECT_EQ(value(d).dtype(), DType::Int(8));
}

TEST(OldScript, CastsTheValueFirstUpToV010) {
  const Document d = read_old("T.evaluate(T.cast(n, \"int8\"))");
  EXPECT_EQ(value(d).dtype(), DType::Int(8));
  EXPECT_LE(d.source.tvm_version.last, 10);
}

TEST(OldScript, CastsToTheDtypeFirstInV011) {
  const Document d = read_old("T.evaluate(T.Cast(\"int8\", n))", "");
  EXPECT_EQ(value(d).dtype(), DType::Int(8));
  EXPECT_EQ(d.source.tvm_version.first, 11);
}

TEST(OldScript, PrintsInfinityWithoutQuotesUpToV09) {
  const Document d = read_old("T.evaluate(T.float32(-inf))");
  EXPECT_EQ(value(d).real(f::FloatImm::value), -std::numeric_limits<double>::infinity());
  EXPECT_LE(d.source.tvm_version.last, 9);
}

TEST(OldScript, HasLoadsAndStoresOfPointers) {
  const Document d = read_old("T.store(p, n, T.load(\"float32\", p, n + 1), True)");
  const Node store = body(d);
  ASSERT_EQ(store.kind(), Kind::Store);
  EXPECT_EQ(store[f::Store::value].kind(), Kind::Load);
  EXPECT_EQ(store[f::Store::value].dtype(), DType::Float(32));
}

TEST(OldScript, OfV08PutsTheScopeOfAPointerBeforeItsType) {
  const Document d = read_text(
      "# from tvm.script import tir as T\n@T.prim_func\n"
      "def func(p: T.Ptr[global.workspace T.int8], q: T.Ptr[T.float32]) -> None:\n"
      "    T.evaluate(0)\n");
  const Node type = param(d, 0)[f::Var::type_annotation];
  EXPECT_EQ(type.text(f::PointerType::storage_scope), "global.workspace");
  EXPECT_EQ(type[f::PointerType::element_type].dtype(f::PrimType::dtype), DType::Int(8));
  EXPECT_EQ(d.source.tvm_version.last, 8);
}

TEST(OldScript, OfV08NestsLoopsOfAGridThatDependOnOneAnother) {
  const Document d = read_old("for i, j in T.grid(4, i + 1):\n    T.evaluate(j)");
  const Node inner = body(d)[f::For::body];
  EXPECT_EQ(inner[f::For::extent].kind(), Kind::Add);
}

TEST(OldScript, AllocatesABufferInV09) {
  const Document d = read_old("q = T.allocate([4], \"float32\", \"global\")\nq[n] = x");
  const Node store = body(d)[f::Allocate::body];
  const Node buffer = store[f::BufferStore::buffer];
  EXPECT_EQ(buffer[f::Buffer::data].id(), body(d)[f::Allocate::buffer_var].id());
  EXPECT_EQ(d.source.tvm_version.first, 9);
  EXPECT_EQ(d.source.tvm_version.last, 9);
}

TEST(OldScript, AllocatesAPointerInOtherVersions) {
  const Document d = read_old(
      "q = T.allocate([4], \"float32\", \"global\")\n"
      "b = T.buffer_decl([2, 2], dtype=\"float32\", data=q)\n"
      "b[0, n] = x");
  const Node buffer = body(d)[f::Allocate::body][f::BufferStore::buffer];
  EXPECT_EQ(buffer.list(f::Buffer::shape).size(), 2u);
  EXPECT_EQ(buffer[f::Buffer::data].id(), body(d)[f::Allocate::buffer_var].id());
}

TEST(OldScript, RemembersBuffersBeforeTheyWereFlattened) {
  const Document d = read_text(
      "# from tvm.script import tir as T\n@T.prim_func\n"
      "def func(A: T.Buffer[16, \"int8\"], B: T.Buffer[(2, 2), \"int8\"]) -> None:\n"
      "    T.preflattened_buffer(A, [4, 4], dtype=\"int8\", data=A.data)\n"
      "    A[0] = B[1, 1]\n");
  const NodeMap map = function(d).map(f::PrimFunc::preflattened_buffer_map);
  ASSERT_EQ(map.size(), 1u);
  EXPECT_EQ(map.key(0).id(), param(d, 0).id());
  EXPECT_EQ(map.value(0).list(f::Buffer::shape).size(), 2u);
  EXPECT_TRUE(lost(d, LossCode::hidden_param));
}

TEST(OldScript, AlignsSmallAllocationsToTheirSize) {
  const auto alignment = [](std::string_view allocation) {
    const Document d = read_old("a = T." + std::string(allocation) + "\na[0] = T.int8(1)");
    Node stmt = body(d);
    while (!stmt.is(Kind::BufferStore)) stmt = stmt.node(*scope_field(stmt.kind()));
    return stmt[f::BufferStore::buffer].integer(f::Buffer::data_alignment);
  };
  EXPECT_EQ(alignment("allocate([200], \"int8\", \"global\")"), 128);
  EXPECT_EQ(alignment("allocate([100], \"int8\", \"global\")"), 64);
  EXPECT_EQ(alignment("allocate([3], \"int8\", \"global\")"), 2);
  EXPECT_EQ(alignment("allocate([n], \"int8\", \"global\")"), 128);
  EXPECT_EQ(alignment("allocate_const([1, 2, 3], \"int8\", [3])"), 128);
}

TEST(OldScript, AlignsBuffersAsItsVersionDoes) {
  const auto alignment = [](std::string_view value, std::string_view result) {
    const Document d =
        read_old("B = T.buffer_decl([4], dtype=\"int8\")\nB[0] = " + std::string(value), result);
    return body(d)[f::BufferStore::buffer].integer(f::Buffer::data_alignment);
  };
  EXPECT_EQ(alignment("T.cast(T.float32(inf), \"int8\")", " -> None"), 128);
  EXPECT_EQ(alignment("T.Cast(\"int8\", n)", ""), 64);
}

TEST(OldScript, MergesTheScopeOfARealizeIntoIt) {
  const Document d = read_old(
      "A = T.buffer_decl([4], dtype=\"float32\")\nT.realize(A[0:4], \"shared\", n < 2)\nA[0] = x");
  EXPECT_EQ(body(d).text(f::AttrStmt::attr_key), "realize_scope");
  const Node realize = body(d)[f::AttrStmt::body];
  EXPECT_EQ(realize[f::BufferRealize::condition].kind(), Kind::LT);
}

TEST(OldScript, KeepsElseBranchesOnlyWhereTheyAreNotDead) {
  EXPECT_TRUE(lost(read_old("if True:\n    T.evaluate(n)"), LossCode::else_branch));
  EXPECT_FALSE(lost(read_old("if n < 2:\n    T.evaluate(n)"), LossCode::else_branch));
}

// --- Constants ---------------------------------------------------------------------------------

std::string constant(std::string_view data, std::string_view type, std::string_view extent) {
  return std::string("c = T.allocate_const(")
      .append(data)
      .append(", \"")
      .append(type)
      .append("\", [")
      .append(extent)
      .append("])\nT.evaluate(n)");
}

std::size_t bytes_of(const Document& document) {
  const Node data = body(document)[f::AllocateConst::data];
  return data ? data.bytes(f::NDArray::data)->size() : 0;
}

TEST(OldScript, HasWholeConstantsOfIntegers) {
  const Document d = read_old(constant("[1, -2, 3]", "int16", "3"));
  EXPECT_EQ(bytes_of(d), 6u);
  EXPECT_FALSE(lost(d, LossCode::constant_data));
}

TEST(OldScript, HasTheBitsOfHalfFloats) {
  const Document d = read_old(constant("[15360, -16384]", "float16", "2"));
  EXPECT_EQ(bytes_of(d), 4u);
}

TEST(OldScript, PrintsBytesAsCharacters) {
  const Document d = read_old(constant("[a, ,, ], #]", "int8", "4"));
  const auto data = body(d)[f::AllocateConst::data].bytes(f::NDArray::data);
  ASSERT_EQ(data->size(), 4u);
  EXPECT_EQ((*data)[1], std::byte{','});
  EXPECT_EQ((*data)[3], std::byte{'#'});
}

TEST(OldScript, LosesFloatsOfSixDigits) {
  const Document d = read_old(constant("[0.333333, 1]", "float32", "2"));
  EXPECT_FALSE(body(d)[f::AllocateConst::data].bytes(f::NDArray::data));
  EXPECT_TRUE(lost(d, LossCode::constant_data));
}

TEST(OldScript, LosesConstantsBehindDots) {
  const Document d = read_old(constant("[1, 2, 3...]", "int32", "30"));
  EXPECT_FALSE(body(d)[f::AllocateConst::data].bytes(f::NDArray::data));
  EXPECT_TRUE(lost(d, LossCode::constant_data));
}

TEST(OldScript, LosesConstantsOfMoreThan64BitsAnElement) {
  const Document d = read_old(constant("[1, -2]", "int72", "2"));
  EXPECT_TRUE(lost(d, LossCode::constant_data));
}

TEST(OldScript, LosesConstantsThatAreNotPrinted) {
  const Document d = read_old(constant("", "int8", "16"));
  const Node data = body(d)[f::AllocateConst::data];
  ASSERT_EQ(data.kind(), Kind::NDArray);
  EXPECT_EQ(data.dtype(f::NDArray::dtype), DType::Int(8));
  EXPECT_EQ(data.integers(f::NDArray::shape)[0], 16);
  EXPECT_FALSE(data.bytes(f::NDArray::data));
  EXPECT_TRUE(lost(d, LossCode::constant_data));
}

TEST(OldScript, RefusesConstantsThatDoNotFillTheirExtents) {
  EXPECT_THROW(read_old(constant("[1, 2, 3]", "int32", "4")), std::runtime_error);
  EXPECT_THROW(read_old(constant("[1, x, 3]", "int32", "3")), std::runtime_error);
}

/// The parser of v0.9 converts what is stored by itself, not to what the buffer holds.
TEST(OldScript, StoresBareNumbersAsTheyAre) {
  const Document d = read_old(
      "A = T.buffer_decl([], dtype=\"float32\", data=p)\nB = T.buffer_decl([4], dtype=\"int8\")\n"
      "A[()] = 2\nB[1] = 3\nB[2] = T.int8(4)");
  const NodeList stores = body(d).list(f::SeqStmt::seq);
  EXPECT_EQ(stores[0][f::BufferStore::value].kind(), Kind::IntImm);
  EXPECT_EQ(stores[0][f::BufferStore::value].dtype(), DType::Int(32));
  EXPECT_EQ(stores[1][f::BufferStore::value].dtype(), DType::Int(32));
  EXPECT_EQ(stores[2][f::BufferStore::value].dtype(), DType::Int(8));
}

/// As v0.9 prints what SplitHostDevice makes.
TEST(OldScript, NamesThreadsInAttributesBeforeTheyAreDeclared) {
  const Document d = read_old(
      "T.func_attr({\"tir.device_thread_axis\": [T.iter_var(blockIdx_x, None, \"ThreadIndex\", "
      "\"blockIdx.x\")]})\n"
      "blockIdx_x = T.env_thread(\"blockIdx.x\")\n"
      "T.launch_thread(blockIdx_x, 8)\n"
      "T.evaluate(blockIdx_x)");
  const Node axis = attribute(d, "tir.device_thread_axis").list(f::Array::elements)[0];
  EXPECT_EQ(axis[f::IterVar::var].text(f::Var::name), "blockIdx_x");
  EXPECT_EQ(axis[f::IterVar::var], body(d)[f::AttrStmt::node][f::IterVar::var]);
  EXPECT_EQ(axis[f::IterVar::var], body(d)[f::AttrStmt::body][f::Evaluate::value]);
}

TEST(OldScript, DeclaresTheThreadsThatAttributesName) {
  const std::string error = error_of(in_old_function(
      "T.func_attr({\"tir.device_thread_axis\": [T.iter_var(blockIdx_x, None, \"ThreadIndex\", "
      "\"blockIdx.x\")]})\nT.evaluate(n)"));
  EXPECT_NE(error.find("'blockIdx_x' is not defined"), std::string::npos) << error;
}

}  // namespace
}  // namespace mlf::tir::tvmscript
