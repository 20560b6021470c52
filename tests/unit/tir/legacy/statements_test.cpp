#include "reading.h"

namespace mlf::tir::legacy {
namespace {

Document statements(std::string_view text) {
  return read_text(in_function(text));
}

TEST(LegacyStatements, BracesAroundOneStatementAreTheBodysOwn) {
  EXPECT_EQ(body(statements("  n")).kind(), Kind::Evaluate);
  EXPECT_EQ(body(statements("  n\n  m")).list(f::SeqStmt::seq).size(), 2u);
  EXPECT_TRUE(body(statements("")).list(f::SeqStmt::seq).empty());
}

TEST(LegacyStatements, ASequenceInsideOfBracesIsAStatementOfItsOwn) {
  const Document d = statements("   {\n  }\n   {\n     {\n      n\n    }\n  }\n");
  const NodeList outer = body(d).list(f::SeqStmt::seq);
  ASSERT_EQ(outer.size(), 2u);
  EXPECT_TRUE(outer[0].list(f::SeqStmt::seq).empty());
  const Node inner = outer[1].list(f::SeqStmt::seq)[0];
  ASSERT_EQ(inner.kind(), Kind::SeqStmt);
  EXPECT_EQ(inner.list(f::SeqStmt::seq)[0].kind(), Kind::Evaluate);
}

TEST(LegacyStatements, ASequenceAloneInABodyIsTheOneStatementOfAnother) {
  const Document d = statements("   {\n    n\n    m\n  }");
  const Node outer = body(d);
  ASSERT_EQ(outer.kind(), Kind::SeqStmt);
  ASSERT_EQ(outer.list(f::SeqStmt::seq).size(), 1u);
  EXPECT_EQ(outer.list(f::SeqStmt::seq)[0].list(f::SeqStmt::seq).size(), 2u);
}

TEST(LegacyStatements, LetAndAssertCoverExactlyTheNextStatement) {
  const Document d = statements("  let y: int32 = (n + 1)\n  assert((y < 3), \"small\")\n  y\n  n");
  const NodeList all = body(d).list(f::SeqStmt::seq);
  ASSERT_EQ(all.size(), 2u);
  const Node assertion = all[0][f::LetStmt::body];
  EXPECT_EQ(assertion[f::AssertStmt::message].text(f::StringImm::value), "small");
  EXPECT_EQ(assertion[f::AssertStmt::body].kind(), Kind::Evaluate);
}

TEST(LegacyStatements, AnAttrCoversOneStatementBehindASemicolonOrASequenceInBraces) {
  const Document d = statements(
      "  attr [(nullptr)] \"device_id\" = 0;\n"
      "  attr [IterVar(tx: int32, [0:8], \"ThreadIndex\", \"threadIdx.x\")] "
      "\"thread_extent\" = 8 {\n    tx\n  }");
  const Node outer = body(d);
  EXPECT_FALSE(outer[f::AttrStmt::node]);
  const Node inner = outer[f::AttrStmt::body];
  EXPECT_EQ(inner[f::AttrStmt::node].text(f::IterVar::thread_tag), "threadIdx.x");
  EXPECT_EQ(inner[f::AttrStmt::body].kind(), Kind::SeqStmt);
}

TEST(LegacyStatements, LoopsPrintTheirEnd) {
  const Document d = statements("  for (i: int32, 2, (2 + n)) \"parallel\" {\n    i\n  }");
  EXPECT_EQ(body(d)[f::For::extent].text(f::Var::name), "n");
  EXPECT_EQ(body(d).integer(f::For::kind), static_cast<int>(ForKind::parallel));
  EXPECT_TRUE(lost(d, LossCode::loop_annotations));
  const Document constant = statements("  for (i: int32, 2, 7) {\n    i\n  }");
  EXPECT_EQ(body(constant)[f::For::extent].integer(f::IntImm::value), 5);
  EXPECT_FALSE(lost(constant, LossCode::loop_extent));
  EXPECT_TRUE(lost(statements("  for (i: int32, n, m) {\n    i\n  }"), LossCode::loop_extent));
}

TEST(LegacyStatements, AnAllocateMayHaveAnEmptyScopeAnnotationsAndACondition) {
  const Document d = statements(
      "  allocate(a: Pointer(int8), int8, [4]), storage_scope = ;\n"
      "  allocate(b: Pointer(global.workspace int8), int8, [4, n]), storage_scope = "
      "global.workspace, annotations = {\"k\": 1, \"s\": \"t\"}) if (n < 3) {\n    n\n  }");
  EXPECT_EQ(body(d)[f::Allocate::buffer_var].text(f::Var::name), "a");
  const Node inner = body(d)[f::Allocate::body];
  EXPECT_EQ(inner[f::Allocate::condition].kind(), Kind::LT);
  EXPECT_EQ(inner.map(f::Allocate::annotations).find("s").kind(), Kind::String);
  EXPECT_EQ(
      inner[f::Allocate::buffer_var][f::Var::type_annotation].text(f::PointerType::storage_scope),
      "global.workspace");
}

TEST(LegacyStatements, ConstantsHaveNoData) {
  const Document d = statements("  constant(k: Pointer(int8), int8, [4]);\n  n");
  EXPECT_FALSE(body(d)[f::AllocateConst::data].bytes(f::NDArray::data));
  EXPECT_TRUE(lost(d, LossCode::constant_data));
  EXPECT_TRUE(lost(d, LossCode::constant_fields));
}

TEST(LegacyStatements, DeclaredBuffersHaveOnlyDtypeAndShape) {
  const Document d = statements(
      "  allocate(v: Pointer(global int8), int8, [8]), storage_scope = global;\n"
      "  B = decl_buffer(v, int8, [2, 4])\n  ;\n  B[0, n] = 1i8");
  const Node declaration = body(d)[f::Allocate::body];
  ASSERT_EQ(declaration.kind(), Kind::DeclBuffer);
  EXPECT_EQ(declaration[f::DeclBuffer::buffer][f::Buffer::data], body(d)[f::Allocate::buffer_var]);
  EXPECT_TRUE(lost(d, LossCode::buffer_fields));
  EXPECT_GE(d.source.tvm_version.first, 10);
}

TEST(LegacyStatements, AnElseBranchIsUndefinedWhereThereIsNone) {
  const Document d = statements("  if (n < 3) {\n    n\n  } else {\n    m\n    n\n  }");
  EXPECT_EQ(body(d)[f::IfThenElse::else_case].kind(), Kind::SeqStmt);
  const Document without = statements("  if True {\n    n\n  }");
  EXPECT_FALSE(body(without)[f::IfThenElse::else_case]);
  EXPECT_TRUE(lost(without, LossCode::else_branch));
}

TEST(LegacyStatements, StoresGoToBuffersOrThroughPointers) {
  EXPECT_EQ(body(statements("  A[n] = x")).kind(), Kind::BufferStore);
  const Document d = statements("  p[n] = x if (n < m)");
  ASSERT_EQ(body(d).kind(), Kind::Store);
  EXPECT_EQ(body(d)[f::Store::predicate].kind(), Kind::LT);
  EXPECT_LE(d.source.tvm_version.last, 11);
}

TEST(LegacyStatements, APredicateBehindALoadIsTheLoadsAndASecondOneTheStores) {
  const Document one = statements("  p[n] = (float32*)p[m] if (n < m)");
  EXPECT_EQ(body(one)[f::Store::value][f::Load::predicate].kind(), Kind::LT);
  EXPECT_EQ(body(one)[f::Store::predicate].kind(), Kind::IntImm);
  EXPECT_TRUE(lost(one, LossCode::predicate));
  const Document two = statements("  p[n] = (float32*)p[m] if (n < m) if (n > m)");
  EXPECT_EQ(body(two)[f::Store::value][f::Load::predicate].kind(), Kind::LT);
  EXPECT_EQ(body(two)[f::Store::predicate].kind(), Kind::GT);
  EXPECT_FALSE(lost(two, LossCode::predicate));
}

TEST(LegacyStatements, RealizesCloseTheirParenthesisBehindTheBody) {
  const Document d = statements(
      "  realize(A, [0:16], True {\n    A[n] = x\n  })\n"
      "  producer_realize(T: DataProducer(\"T\", float32, [16]), [0:16], True,  {\n"
      "    T[n] = T[m]\n  })");
  const NodeList all = body(d).list(f::SeqStmt::seq);
  EXPECT_EQ(all[0].list(f::BufferRealize::bounds)[0].kind(), Kind::Range);
  ASSERT_EQ(all[1].kind(), Kind::ProducerRealize);
  const Node store = all[1][f::ProducerRealize::body];
  EXPECT_EQ(store[f::ProducerStore::producer], all[1][f::ProducerRealize::producer]);
  EXPECT_EQ(store[f::ProducerStore::value].kind(), Kind::ProducerLoad);
  EXPECT_TRUE(lost(d, LossCode::producer));
  EXPECT_TRUE(lost(d, LossCode::producer_scope));
}

TEST(LegacyStatements, WhileAndPrefetchAreStatements) {
  const Document d = statements("  while ((n < 3)) {\n    prefetch(A, [0:16])\n  }");
  EXPECT_EQ(body(d)[f::While::body].list(f::Prefetch::bounds).size(), 1u);
}

TEST(LegacyStatements, KnowWhereTheyStoodInTheText) {
  const std::string text = in_function("  n\n  A[n] = x");
  const Document d = read_text(text);
  const Node store = body(d).list(f::SeqStmt::seq)[1];
  const auto range = d.module.source_range(store.id());
  ASSERT_TRUE(range);
  EXPECT_EQ(text.substr(range->begin, range->end - range->begin), "A[n] = x");
}

// --- Blocks ------------------------------------------------------------------------------------

constexpr std::string_view kBlock =
    "  block([128, tir.reduce_axis(0, 16)], \"C\") as [i, k] {\n"
    "    where((n < 3))\n"
    "    bind(i, n)\n"
    "    bind(k, m)\n"
    "    tir.reads([A[0:4]])\n"
    "    tir.writes([A[i]])\n"
    "    tir.attrs({\"a\": 1})\n"
    "    D = alloc_buffer(float16[8, 8])\n"
    "    S = match_buffer(D[0:4, 0:8])\n"
    "    with init() {\n"
    "      A[i] = 0f32\n"
    "    }\n"
    "    A[i] = x\n"
    "  n";

TEST(LegacyBlocks, EndBehindTheirOneStatementThoughTheirBraceStaysOpen) {
  const Document d = statements(kBlock);
  const NodeList all = body(d).list(f::SeqStmt::seq);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].kind(), Kind::BlockRealize);
  EXPECT_EQ(all[1].kind(), Kind::Evaluate);
}

TEST(LegacyBlocks, HaveAllTheirParts) {
  const Document d = statements(kBlock);
  const Node realize = body(d).list(f::SeqStmt::seq)[0];
  const Node block = realize[f::BlockRealize::block];
  EXPECT_EQ(realize[f::BlockRealize::predicate].kind(), Kind::LT);
  EXPECT_EQ(realize.list(f::BlockRealize::iter_values).size(), 2u);
  EXPECT_EQ(block.text(f::Block::name_hint), "C");
  EXPECT_EQ(block.list(f::Block::iter_vars)[1].integer(f::IterVar::iter_type),
            static_cast<int>(IterVarType::CommReduce));
  EXPECT_EQ(block.list(f::Block::reads)[0].list(f::BufferRegion::region).size(), 1u);
  const Node point = block.list(f::Block::writes)[0].list(f::BufferRegion::region)[0];
  EXPECT_EQ(point[f::Range::extent].integer(f::IntImm::value), 1);
  EXPECT_EQ(block.list(f::Block::alloc_buffers)[0].dtype(f::Buffer::dtype), DType::Float(16));
  EXPECT_EQ(block.list(f::Block::match_buffers).size(), 1u);
  EXPECT_EQ(block[f::Block::init].kind(), Kind::BufferStore);
  EXPECT_EQ(block.map(f::Block::annotations).size(), 1u);
  EXPECT_TRUE(lost(d, LossCode::var_type));
}

TEST(LegacyBlocks, MatchBuffersWithoutTheUnitAxesThatTheirUsesLeaveOut) {
  const Document d = statements(
      "  block([], \"b\") {\n"
      "    D = alloc_buffer(float32[2, 2, 8, 8])\n"
      "    S = match_buffer(D[0, 1, 0:8, 0:8])\n"
      "    U = match_buffer(D[0, 1, 0:8, 0:8])\n"
      "    S[0, 0] = U[0, 0, 0, 0]\n"
      "  n");
  const Node block = body(d).list(f::SeqStmt::seq)[0][f::BlockRealize::block];
  const NodeList matches = block.list(f::Block::match_buffers);
  const auto axes = [&](std::size_t i) {
    return matches[i][f::MatchBufferRegion::buffer].list(f::Buffer::shape).size();
  };
  EXPECT_EQ(axes(0), 2u);
  EXPECT_EQ(axes(1), 4u);
}

TEST(LegacyBlocks, MayBeNested) {
  const Document d = statements(
      "  block([], \"root\") {\n    tir.reads([])\n    tir.writes([])\n"
      "    for (i: int32, 0, 4) {\n"
      "      block([4], \"B\") as [v] {\n        bind(v, i)\n        tir.reads([])\n"
      "        tir.writes([])\n        A[v] = x\n    }");
  const Node loop = body(d)[f::BlockRealize::block][f::Block::body];
  EXPECT_EQ(loop[f::For::body][f::BlockRealize::block].text(f::Block::name_hint), "B");
}

}  // namespace
}  // namespace mlf::tir::legacy
