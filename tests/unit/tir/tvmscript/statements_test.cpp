#include "reading.h"

namespace mlf::tir::tvmscript {
namespace {

TEST(ScriptStatements, OneIsTheBodyItselfSeveralAreASequence) {
  EXPECT_EQ(body(statements("T.evaluate(n)")).kind(), Kind::Evaluate);
  EXPECT_EQ(body(statements("T.evaluate(n)\nT.evaluate(1)")).list(f::SeqStmt::seq).size(), 2u);
  EXPECT_TRUE(body(statements("pass")).list(f::SeqStmt::seq).empty());
}

TEST(ScriptStatements, ConciseOnesCoverTheRestOfTheSuite) {
  const Document d = statements(
      "T.evaluate(0)\n"
      "x: T.int32 = n + 1\n"
      "T.attr(x, \"key\", 3)\n"
      "assert x < 3, \"small\"\n"
      "v = T.allocate([4], \"int8\", \"global\")\n"
      "T.evaluate(v)\n"
      "T.evaluate(x)");
  const NodeList all = body(d).list(f::SeqStmt::seq);
  ASSERT_EQ(all.size(), 2u);
  const Node let = all[1];
  const Node attr = let[f::LetStmt::body];
  const Node assertion = attr[f::AttrStmt::body];
  const Node allocate = assertion[f::AssertStmt::body];
  EXPECT_EQ(attr[f::AttrStmt::node], let[f::LetStmt::var]);
  EXPECT_EQ(assertion[f::AssertStmt::message].text(f::StringImm::value), "small");
  EXPECT_EQ(allocate[f::Allocate::body].list(f::SeqStmt::seq).size(), 2u);
}

TEST(ScriptStatements, NestedOnesEndWithTheirIndentation) {
  const Document d = statements(
      "with T.LetStmt(n + 1) as x:\n"
      "    T.evaluate(x)\n"
      "with T.attr(None, \"device_id\", 0):\n"
      "    T.evaluate(1)\n"
      "with T.Assert(n < 3, \"small\"):\n"
      "    T.evaluate(2)\n"
      "with T.allocate([4], \"int8\", \"\", n < 3, annotations={\"k\": 1}) as v:\n"
      "    T.evaluate(v)\n"
      "with T.LetStmt(p, T.handle(\"float32\", \"shared\")) as q:\n"
      "    T.evaluate(q)");
  const NodeList all = body(d).list(f::SeqStmt::seq);
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all[0].kind(), Kind::LetStmt);
  EXPECT_FALSE(all[1][f::AttrStmt::node]);
  EXPECT_EQ(all[2].kind(), Kind::AssertStmt);
  EXPECT_EQ(all[3][f::Allocate::condition].kind(), Kind::LT);
  EXPECT_EQ(number(all[3].map(f::Allocate::annotations).find("k")), 1);
  EXPECT_EQ(all[4][f::LetStmt::var][f::Var::type_annotation].text(f::PointerType::storage_scope),
            "shared");
}

TEST(ScriptStatements, SeveralItemsOfOneWithNest) {
  const Document d =
      statements("with T.LetStmt(n) as x, T.LetStmt(x) as y:\n    T.evaluate(y)\nT.evaluate(1)");
  const NodeList all = body(d).list(f::SeqStmt::seq);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0][f::LetStmt::body].kind(), Kind::LetStmt);
}

TEST(ScriptStatements, ALetOfAVariableDefinedBeforeSetsThatOne) {
  const Document d =
      statements("x = T.int32()\nT.evaluate(x)\nwith T.LetStmt(n, var=x):\n    T.evaluate(x)");
  const NodeList all = body(d).list(f::SeqStmt::seq);
  EXPECT_EQ(all[0][f::Evaluate::value], all[1][f::LetStmt::var]);
}

TEST(ScriptStatements, AStatementSetsTheVariableThatALineBeforeDeclared) {
  const Document d = statements(
      "v = T.handle(\"int8\", \"local\")\n"
      "B = T.decl_buffer((4,), \"int8\", data=v, scope=\"local\")\n"
      "i = T.int32()\n"
      "B[i] = T.int8(1)\n"
      "for i in range(4):\n"
      "    T.evaluate(i)\n"
      "v = T.allocate([4], \"int8\", \"local\")\n"
      "B[0] = T.int8(0)");
  const Node declaration = body(d);
  const NodeList all = declaration[f::DeclBuffer::body].list(f::SeqStmt::seq);
  EXPECT_EQ(declaration[f::DeclBuffer::buffer][f::Buffer::data], all[2][f::Allocate::buffer_var]);
  EXPECT_EQ(all[0].list(f::BufferStore::indices)[0], all[1][f::For::loop_var]);
}

TEST(ScriptStatements, NamesMeanAnotherVariableInAnotherScope) {
  const Document d =
      statements("for i in range(4):\n    T.evaluate(i)\nfor i in range(4):\n    T.evaluate(i)");
  const NodeList all = body(d).list(f::SeqStmt::seq);
  EXPECT_NE(all[0][f::For::loop_var], all[1][f::For::loop_var]);
  EXPECT_TRUE(lost(d, LossCode::shared_var));
}

TEST(ScriptStatements, LoopsPrintTheirEnd) {
  const Document d = statements(
      "for i in range(8):\n    T.evaluate(i)\n"
      "for i in range(2, 8):\n    T.evaluate(i)\n"
      "for i in T.parallel(n, n + 8):\n    T.evaluate(i)\n"
      "for i in T.unroll(T.int64(4)):\n    T.evaluate(i)");
  const NodeList all = body(d).list(f::SeqStmt::seq);
  EXPECT_EQ(number(all[0][f::For::min]), 0);
  EXPECT_EQ(number(all[1][f::For::extent]), 6);
  EXPECT_EQ(number(all[2][f::For::extent]), 8);
  EXPECT_EQ(all[2].integer(f::For::kind), static_cast<int>(ForKind::parallel));
  EXPECT_EQ(all[3][f::For::loop_var].dtype(), DType::Int(64));
  EXPECT_EQ(all[3][f::For::min].dtype(), DType::Int(64));
  EXPECT_FALSE(lost(d, LossCode::loop_extent));
  EXPECT_TRUE(
      lost(statements("for i in range(n, n * 2):\n    T.evaluate(i)"), LossCode::loop_extent));
}

TEST(ScriptStatements, LoopsHaveAnnotationsAndThreads) {
  const Document d = statements(
      "for i in T.serial(4, annotations={\"unroll\": 2, \"s\": \"x\"}):\n"
      "    for j in T.thread_binding(8, thread=\"threadIdx.x\"):\n"
      "        T.evaluate(j)");
  EXPECT_EQ(body(d).map(f::For::annotations).find("s").kind(), Kind::String);
  const Node inner = body(d)[f::For::body];
  EXPECT_EQ(inner.integer(f::For::kind), static_cast<int>(ForKind::thread_binding));
  EXPECT_EQ(inner[f::For::thread_binding].text(f::IterVar::thread_tag), "threadIdx.x");
  EXPECT_TRUE(lost(d, LossCode::thread_binding));
}

TEST(ScriptStatements, ALoopOverThreadsMayNameNone) {
  const Document d = statements("for i in T.thread_binding(4):\n    T.evaluate(i)");
  EXPECT_EQ(body(d).integer(f::For::kind), static_cast<int>(ForKind::thread_binding));
  EXPECT_FALSE(body(d)[f::For::thread_binding]);
}

TEST(ScriptStatements, AGridIsANestOfSerialLoops) {
  const Document d = statements("for i, j, k in T.grid(2, 3, n):\n    T.evaluate(i + j + k)");
  const Node inner = body(d)[f::For::body][f::For::body];
  EXPECT_EQ(number(body(d)[f::For::extent]), 2);
  EXPECT_EQ(inner[f::For::extent].kind(), Kind::Var);
  EXPECT_EQ(inner[f::For::body].kind(), Kind::Evaluate);
}

TEST(ScriptStatements, BoundsMayMentionWhatTheirSuiteDeclares) {
  const Document d = statements(
      "for i, j in T.grid(T.Let(c + 1, where={c: n * 2}), T.Let(e, where={e: n})):\n"
      "    c = T.int32()\n"
      "    e = T.int32()\n"
      "    T.evaluate(T.Let(c, where={c: j}))");
  const Node outer = body(d);
  const Node inner = outer[f::For::body];
  const Node first = outer[f::For::extent];
  const Node last = inner[f::For::body][f::Evaluate::value];
  EXPECT_EQ(first.kind(), Kind::Let);
  EXPECT_EQ(first[f::Let::var].text(f::Var::name), "c");
  EXPECT_EQ(inner[f::For::extent][f::Let::var].text(f::Var::name), "e");
  EXPECT_EQ(last[f::Let::var], first[f::Let::var]) << "one line declares one variable";
}

TEST(ScriptStatements, BoundsMayReadABufferThatTheirSuiteDeclares) {
  const Document d = statements(
      "for i in range(T.Cast(\"int32\", B[0])):\n"
      "    m = T.int32()\n"
      "    other = T.Buffer((4,), \"int8\", elem_offset=i)\n"
      "    B = T.Buffer((m,), \"int8\", data=A.data)\n"
      "    T.evaluate(B[1] + other[m])");
  const Node sum = body(d)[f::For::body][f::Evaluate::value];
  const Node buffer = sum[f::Add::a][f::BufferLoad::buffer];
  EXPECT_EQ(body(d)[f::For::extent][f::Cast::value][f::BufferLoad::buffer], buffer);
  const Node index = sum[f::Add::b].list(f::BufferLoad::indices)[0];
  EXPECT_EQ(buffer.list(f::Buffer::shape)[0], index);
}

TEST(ScriptStatements, BoundsMeanWhatTheyKnowBeforeWhatTheirSuiteDeclares) {
  const Document d = statements(
      "for i in range(n + T.Let(c, where={c: n})):\n"
      "    n = T.int32()\n"
      "    c = T.int32()\n"
      "    T.evaluate(n)");
  const Node extent = body(d)[f::For::extent];
  EXPECT_EQ(extent[f::Add::a], function(d).list(f::PrimFunc::params)[0]);
  EXPECT_NE(body(d)[f::For::body][f::Evaluate::value], extent[f::Add::a]);
}

TEST(ScriptStatements, BranchesMayHaveElseAndElif) {
  const Document d = statements(
      "if n < 1:\n    T.evaluate(1)\nelif n < 2:\n    T.evaluate(2)\nelse:\n    T.evaluate(3)\n"
      "if n < 3:\n    T.evaluate(4)");
  const NodeList all = body(d).list(f::SeqStmt::seq);
  ASSERT_EQ(all.size(), 2u);
  const Node second = all[0][f::IfThenElse::else_case];
  ASSERT_EQ(second.kind(), Kind::IfThenElse);
  EXPECT_EQ(number(second[f::IfThenElse::else_case][f::Evaluate::value]), 3);
  EXPECT_FALSE(all[1][f::IfThenElse::else_case]);
}

TEST(ScriptStatements, AnElseBelongsToTheIfOfItsIndentation) {
  const Document d =
      statements("if n < 1:\n    if n < 2:\n        T.evaluate(1)\nelse:\n    T.evaluate(2)");
  EXPECT_EQ(number(body(d)[f::IfThenElse::else_case][f::Evaluate::value]), 2);
  EXPECT_FALSE(body(d)[f::IfThenElse::then_case][f::IfThenElse::else_case]);
}

TEST(ScriptStatements, WhileRealizeAndPrefetchAreStatements) {
  const Document d = statements(
      "while n < 3:\n    T.evaluate(n)\n"
      "with T.realize(A[0:16], \"shared\", condition=n < 3):\n    T.evaluate(A[0])\n"
      "T.prefetch(A, [T.Range(0, 16)])");
  const NodeList all = body(d).list(f::SeqStmt::seq);
  EXPECT_EQ(all[0].kind(), Kind::While);
  EXPECT_EQ(all[1].text(f::AttrStmt::attr_key), "realize_scope");
  EXPECT_EQ(all[1][f::AttrStmt::body][f::BufferRealize::condition].kind(), Kind::LT);
  EXPECT_EQ(number(all[2].list(f::Prefetch::bounds)[0][f::Range::extent]), 16);
}

TEST(ScriptStatements, ProducersAreNothingButNames) {
  const Document d =
      statements("with T.ProducerRealize(P[0:16], T.bool(True)):\n    P[n] = P[0] + T.float32(1)");
  const Node store = body(d)[f::ProducerRealize::body];
  ASSERT_EQ(store.kind(), Kind::ProducerStore);
  EXPECT_EQ(store[f::ProducerStore::producer], body(d)[f::ProducerRealize::producer]);
  EXPECT_EQ(store[f::ProducerStore::value][f::Add::a].kind(), Kind::ProducerLoad);
  EXPECT_TRUE(lost(d, LossCode::producer));
  EXPECT_TRUE(lost(d, LossCode::producer_scope));
}

TEST(ScriptStatements, ThreadsAreLaunchedOnTheSpotOrDefinedBefore) {
  const Document d = statements(
      "with T.launch_thread(\"blockIdx.x\", 4) as bx:\n"
      "    T.evaluate(bx)\n"
      "tx = T.env_thread(\"threadIdx.x\")\n"
      "with T.launch_thread(tx, 8):\n"
      "    T.evaluate(tx)\n"
      "vt = T.launch_thread(\"vthread\", 2)\n"
      "T.evaluate(vt)");
  const NodeList all = body(d).list(f::SeqStmt::seq);
  EXPECT_EQ(all[0].text(f::AttrStmt::attr_key), "thread_extent");
  const Node thread = all[1][f::AttrStmt::node];
  EXPECT_EQ(thread.text(f::IterVar::thread_tag), "threadIdx.x");
  EXPECT_EQ(number(thread[f::IterVar::dom][f::Range::extent]), 8);
  EXPECT_EQ(thread[f::IterVar::var], all[1][f::AttrStmt::body][f::Evaluate::value]);
  EXPECT_EQ(all[2].text(f::AttrStmt::attr_key), "virtual_thread");
  EXPECT_TRUE(lost(d, LossCode::thread_iter_var));
}

TEST(ScriptStatements, AThreadUsedOutsideIsKnownByItsName) {
  const Document d = statements(
      "threadIdx_y = T.int32()\nT.evaluate(threadIdx_y)\nT.launch_thread(threadIdx_y, 8)\n"
      "T.evaluate(threadIdx_y)");
  const Node attr = body(d).list(f::SeqStmt::seq)[1];
  EXPECT_EQ(attr[f::AttrStmt::node].text(f::IterVar::thread_tag), "threadIdx.y");
}

TEST(ScriptStatements, ConstantsHaveTheirData) {
  const Document d = statements(
      "c = T.allocate_const([1, -1, 256], \"int16\", [3])\n"
      "h1 = T.allocate_const([15360, -17408], \"float16\", [2])\n"
      "T.evaluate(c)");
  const auto bytes = body(d)[f::AllocateConst::data].bytes(f::NDArray::data);
  ASSERT_TRUE(bytes && bytes->size() == 6);
  EXPECT_EQ((*bytes)[2], std::byte{0xff});
  EXPECT_EQ((*bytes)[5], std::byte{1});
  const auto halves =
      body(d)[f::AllocateConst::body][f::AllocateConst::data].bytes(f::NDArray::data);
  ASSERT_TRUE(halves && halves->size() == 4);
  EXPECT_EQ((*halves)[1], std::byte{0x3c});
  EXPECT_TRUE(lost(d, LossCode::constant_fields));
  EXPECT_FALSE(lost(d, LossCode::constant_data));
}

TEST(ScriptStatements, OfLongConstantsTheBeginningIsPrinted) {
  std::string elements = "0";
  for (int i = 1; i < 201; ++i) elements += ", " + std::to_string(i);
  const Document cut =
      statements("c = T.allocate_const([" + elements + "], \"int32\", [300])\nT.evaluate(c)");
  EXPECT_FALSE(body(cut)[f::AllocateConst::data].bytes(f::NDArray::data));
  EXPECT_TRUE(lost(cut, LossCode::constant_data));
  const Document whole =
      statements("c = T.allocate_const([" + elements + "], \"int32\", [201])\nT.evaluate(c)");
  EXPECT_TRUE(body(whole)[f::AllocateConst::data].bytes(f::NDArray::data));
}

TEST(ScriptStatements, NamesMayBeWordsOfPython) {
  const Document d =
      statements("for = T.int32()\nT.evaluate(for)\nin: T.int32 = n\nT.evaluate(in)");
  EXPECT_EQ(body(d).list(f::SeqStmt::seq)[0][f::Evaluate::value].text(f::Var::name), "for");
}

TEST(ScriptStatements, CommentsAndLineEndsOfWindowsAreNothing) {
  std::string text = in_function("T.evaluate(n)  # text\n# more\nT.evaluate(1)");
  std::string windows;
  for (const char c : text) windows += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_EQ(body(read_text(windows)).list(f::SeqStmt::seq).size(), 2u);
}

TEST(ScriptStatements, KnowWhereTheyStoodInTheText) {
  const std::string text = in_function("T.evaluate(n)\nA[n] = T.int8(1)");
  const Document d = read_text(text);
  const Node store = body(d).list(f::SeqStmt::seq)[1];
  const auto range = d.module.source_range(store.id());
  ASSERT_TRUE(range);
  EXPECT_EQ(text.substr(range->begin, range->end - range->begin), "A[n] = T.int8(1)");
}

}  // namespace
}  // namespace mlf::tir::tvmscript
