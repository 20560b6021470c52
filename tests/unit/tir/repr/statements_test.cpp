#include "reading.h"

namespace mlf::tir::repr {
namespace {

TEST(ReprStatements, OneIsABodyAndSeveralAreASequence) {
  EXPECT_EQ(body(statements("  n")).kind(), Kind::Evaluate);
  EXPECT_EQ(body(statements("  n\n  (m + 1)")).list(f::SeqStmt::seq).size(), 2u);
  EXPECT_TRUE(body(statements("")).list(f::SeqStmt::seq).empty());
}

TEST(ReprStatements, LetsAndAssertionsReachToTheEndOfTheirBlock) {
  const Document d = statements("  n\n  let y = (n + 1)\n  assert((y < 3), \"small\")\n  y\n  n");
  const NodeList all = body(d).list(f::SeqStmt::seq);
  ASSERT_EQ(all.size(), 2u);
  const Node assertion = all[1][f::LetStmt::body];
  EXPECT_EQ(assertion[f::AssertStmt::message].text(f::StringImm::value), "small");
  const NodeList rest = assertion[f::AssertStmt::body].list(f::SeqStmt::seq);
  ASSERT_EQ(rest.size(), 2u);
  EXPECT_EQ(rest[0][f::Evaluate::value].id(), all[1][f::LetStmt::var].id());
  EXPECT_TRUE(lost(d, LossCode::scope_end));
}

TEST(ReprStatements, ANameDenotesTheInnermostVariable) {
  const Document d =
      statements("  for (i, 0, 4) {\n    for (i, 0, 8) {\n      i\n    }\n    i\n  }");
  const Node outer = body(d);
  const NodeList inside = outer[f::For::body].list(f::SeqStmt::seq);
  EXPECT_EQ(inside[0][f::For::body][f::Evaluate::value].id(), inside[0][f::For::loop_var].id());
  EXPECT_EQ(inside[1][f::Evaluate::value].id(), outer[f::For::loop_var].id());
}

TEST(ReprStatements, LoopsPrintTheirExtent) {
  const Document d = statements("  parallel (i, 2, (n + 1)) {\n    i\n  }");
  EXPECT_EQ(body(d)[f::For::min].integer(f::IntImm::value), 2);
  EXPECT_EQ(body(d)[f::For::extent].kind(), Kind::Add);
  EXPECT_EQ(body(d).integer(f::For::kind), static_cast<int>(ForKind::parallel));
  EXPECT_TRUE(lost(d, LossCode::loop_annotations));
  const Document bound = statements("  launch_thread (i, 0, 8) {\n    i\n  }");
  EXPECT_EQ(body(bound).integer(f::For::kind), static_cast<int>(ForKind::thread_binding));
  EXPECT_TRUE(lost(bound, LossCode::thread_binding));
}

TEST(ReprStatements, AnAttributeMayDefineAThread) {
  const Document d = statements(
      "  // attr [iter_var(tx, range(min=0, ext=8), threadIdx.x)] thread_extent = 8\n"
      "  // attr [iter_var(bx, , blockIdx.x)] thread_extent = n\n"
      "  // attr [(nullptr)] device_id = 0\n"
      "  // attr [\"default\"] pragma.key = (bool)1\n"
      "  (tx + bx)");
  const Node thread = body(d);
  const Node block = thread[f::AttrStmt::body];
  const Node nothing = block[f::AttrStmt::body];
  const Node text = nothing[f::AttrStmt::body];
  EXPECT_EQ(thread[f::AttrStmt::node].text(f::IterVar::thread_tag), "threadIdx.x");
  EXPECT_EQ(thread.text(f::AttrStmt::attr_key), "thread_extent");
  EXPECT_FALSE(block[f::AttrStmt::node][f::IterVar::dom]);
  EXPECT_FALSE(nothing[f::AttrStmt::node]);
  EXPECT_EQ(text.text(f::AttrStmt::attr_key), "pragma.key");
  EXPECT_EQ(text[f::AttrStmt::body][f::Evaluate::value][f::Add::a].id(),
            thread[f::AttrStmt::node][f::IterVar::var].id());
}

TEST(ReprStatements, AllocationsPrintDtypeExtentsScopeAndCondition) {
  const Document d = statements(
      "  allocate v[float32 * 4 * (n*2)], storage_scope = global.workspace if (n > 3)\n"
      "  allocate w[int8], storage_scope = \n  constant c[int8 * 16]\n  v[0] = 1f");
  const Node first = body(d);
  const Node pointer = first[f::Allocate::buffer_var][f::Var::type_annotation];
  EXPECT_EQ(pointer.text(f::PointerType::storage_scope), "global.workspace");
  EXPECT_EQ(first.dtype(f::Allocate::dtype), DType::Float(32));
  EXPECT_EQ(first.list(f::Allocate::extents).size(), 2u);
  EXPECT_EQ(first[f::Allocate::condition].kind(), Kind::GT);
  const Node second = first[f::Allocate::body];
  EXPECT_TRUE(second.list(f::Allocate::extents).empty());
  const Node constant = second[f::Allocate::body];
  ASSERT_EQ(constant.kind(), Kind::AllocateConst);
  EXPECT_FALSE(constant[f::AllocateConst::data].bytes(f::NDArray::data));
  EXPECT_TRUE(lost(d, LossCode::constant_data));
  const Node buffer = constant[f::AllocateConst::body][f::BufferStore::buffer];
  EXPECT_EQ(buffer[f::Buffer::data].id(), first[f::Allocate::buffer_var].id());
}

TEST(ReprStatements, ADeclarationIsFollowedByLinesWithoutIndentation) {
  const Document d =
      statements("  for (i, 0, 4) {\n    decl_buffer buffer(B, 0x5f)\nB[i] = 1f\n    }\n  n");
  const NodeList all = body(d).list(f::SeqStmt::seq);
  ASSERT_EQ(all.size(), 2u);
  const Node declared = all[0][f::For::body];
  ASSERT_EQ(declared.kind(), Kind::DeclBuffer);
  EXPECT_EQ(declared[f::DeclBuffer::body][f::BufferStore::buffer].id(),
            declared[f::DeclBuffer::buffer].id());
}

TEST(ReprStatements, BranchesChainWithElseIf) {
  const Document d = statements(
      "  if ((n < 1)) {\n    1\n  } else if ((n < 2)) {\n    let y = n\n    2\n  } else {\n"
      "    3\n  }\n  4");
  const NodeList all = body(d).list(f::SeqStmt::seq);
  ASSERT_EQ(all.size(), 2u);
  const Node second = all[0][f::IfThenElse::else_case];
  ASSERT_EQ(second.kind(), Kind::IfThenElse);
  EXPECT_EQ(second[f::IfThenElse::then_case].kind(), Kind::LetStmt);
  EXPECT_EQ(second[f::IfThenElse::else_case][f::Evaluate::value].integer(f::IntImm::value), 3);
}

TEST(ReprStatements, APrefetchSharesItsLineWithTheNextStatement) {
  const Document d = statements(
      "  prefetch buffer(A, 0x5f)([0, 8], [n, 4])  A[0, 0] = 1f\n  while((n < 2)) {\n"
      "    n\n  }");
  const NodeList all = body(d).list(f::SeqStmt::seq);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].list(f::Prefetch::bounds).size(), 2u);
  EXPECT_EQ(all[0][f::Prefetch::buffer].id(), all[1][f::BufferStore::buffer].id());
  EXPECT_EQ(all[2].kind(), Kind::While);
}

TEST(ReprStatements, APredicateIsThatOfAStoreThroughAPointer) {
  const Document d = statements("  p[n] = 1f if (n < 4)", "p, n");
  ASSERT_EQ(body(d).kind(), Kind::Store);
  EXPECT_EQ(body(d)[f::Store::predicate].kind(), Kind::LT);
  EXPECT_EQ(d.source.tvm_version.last, 11);
}

TEST(ReprStatements, BlocksHaveDomainsBindingsRegionsAndBuffers) {
  const Document d = statements(
      "  block root() {\n    reads([])\n    writes([])\n    T(x) = alloc_buffer(float16[16, 4])\n"
      "    block sum(red)(iter_var(v, range(min=0, ext=16))) {\n      bind(v, n)\n"
      "      where((n < 3))\n      reads([A[v, 0:16]])\n      writes([T(x)[v, 0]])\n"
      "      W = match_buffer(A[v, 0:16])\n      annotations({\"k\": [1]})\n"
      "      with init() {\n        T(x)[v, 0] = 0h\n      }\n"
      "      T(x)[v, 0] = W[0, v]\n    }\n  }");
  const Node root = body(d)[f::BlockRealize::block];
  const Node realize = root[f::Block::body];
  const Node block = realize[f::BlockRealize::block];
  EXPECT_EQ(block.text(f::Block::name_hint), "sum(red)");
  EXPECT_EQ(realize[f::BlockRealize::predicate].kind(), Kind::LT);
  EXPECT_EQ(block[f::Block::init].kind(), Kind::BufferStore);
  const Node allocated = root.list(f::Block::alloc_buffers)[0];
  EXPECT_EQ(allocated.dtype(f::Buffer::dtype), DType::Float(16));
  EXPECT_EQ(block[f::Block::body][f::BufferStore::buffer].id(), allocated.id());
  const Node range = block.list(f::Block::reads)[0].list(f::BufferRegion::region)[1];
  EXPECT_EQ(range[f::Range::extent].integer(f::IntImm::value), 16);
  const Node matched = block.list(f::Block::match_buffers)[0][f::MatchBufferRegion::buffer];
  EXPECT_EQ(block[f::Block::body][f::BufferStore::value][f::BufferLoad::buffer].id(), matched.id());
  EXPECT_TRUE(lost(d, LossCode::iter_type));
}

TEST(ReprStatements, ARealizedBufferHasBounds) {
  const Document d = statements("  buffer_realize A([0, 16], [n, 4]) if (n < 3) {\n    n\n  }");
  ASSERT_EQ(body(d).kind(), Kind::BufferRealize);
  EXPECT_EQ(body(d).list(f::BufferRealize::bounds).size(), 2u);
  EXPECT_EQ(body(d)[f::BufferRealize::condition].kind(), Kind::LT);
}

TEST(ReprStatements, ProducersAreReadAsBuffersAndSaySo) {
  const Document d =
      read_text(in_function("  producer_realize T_add(red)([0, 16]) if (n > 3) {\n"
                            "    T_add(red)[n] =(T_add(red)[m] + 1)\n  }"));
  ASSERT_EQ(body(d).kind(), Kind::BufferRealize);
  EXPECT_EQ(body(d)[f::BufferRealize::buffer].text(f::Buffer::name), "T_add(red)");
  EXPECT_EQ(body(d)[f::BufferRealize::condition].kind(), Kind::GT);
  EXPECT_EQ(body(d)[f::BufferRealize::body].kind(), Kind::BufferStore);
  EXPECT_TRUE(lost(d, LossCode::producer));
  EXPECT_TRUE(lost(read_text(in_function("  T[n] =n")), LossCode::producer));
  EXPECT_FALSE(lost(read_text(in_function("  T[n] = n")), LossCode::producer));
}

TEST(ReprStatements, WindowsLineEndsMakeNoDifference) {
  const Document d = read_text("PrimFunc([n])  {\r\n  let y = n\r\n  y\r\n}\r\n");
  EXPECT_EQ(body(d).kind(), Kind::LetStmt);
}

}  // namespace
}  // namespace mlf::tir::repr
