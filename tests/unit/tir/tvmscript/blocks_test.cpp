#include "reading.h"

namespace mlf::tir::tvmscript {
namespace {

constexpr std::string_view kBlock =
    "for i, k in T.grid(4, 8):\n"
    "    with T.block(\"C\"):\n"
    "        vi, vk = T.axis.remap(\"SR\", [i, k])\n"
    "        vo = T.axis.opaque((2, 6), n)\n"
    "        T.where(i < 3)\n"
    "        T.reads(A[vi], A[0:4])\n"
    "        T.writes()\n"
    "        T.block_attr({\"a\": 1})\n"
    "        D = T.alloc_buffer((8, 8), \"float16\", scope=\"shared\")\n"
    "        S = T.match_buffer(D[0:4, vk], (4, 1), \"float16\", offset_factor=1)\n"
    "        with T.init():\n"
    "            A[vi] = T.int8(0)\n"
    "        A[vi] = T.int8(1)\n";

/// What is in the root block, which every script with blocks has.
Node in_root(const Document& document) {
  return body(document)[f::BlockRealize::block][f::Block::body];
}

Node realize(const Document& document) {
  return in_root(document)[f::For::body][f::For::body];
}

TEST(ScriptBlocks, HaveAllTheirParts) {
  const Document d = read_text(in_function(kBlock));
  ASSERT_EQ(realize(d).kind(), Kind::BlockRealize);
  EXPECT_EQ(realize(d)[f::BlockRealize::predicate].kind(), Kind::LT);
  const Node block = realize(d)[f::BlockRealize::block];
  EXPECT_EQ(block.text(f::Block::name_hint), "C");
  EXPECT_EQ(block.list(f::Block::reads).size(), 2u);
  EXPECT_TRUE(block.list(f::Block::writes).empty());
  EXPECT_EQ(number(block.map(f::Block::annotations).find("a")), 1);
  EXPECT_EQ(block.list(f::Block::alloc_buffers)[0].dtype(f::Buffer::dtype), DType::Float(16));
  EXPECT_EQ(block[f::Block::init].kind(), Kind::BufferStore);
  EXPECT_EQ(block[f::Block::body].kind(), Kind::BufferStore);
}

TEST(ScriptBlocks, BindAxesToTheRangesOfTheirLoops) {
  const Document d = read_text(in_function(kBlock));
  const NodeList axes = realize(d)[f::BlockRealize::block].list(f::Block::iter_vars);
  ASSERT_EQ(axes.size(), 3u);
  EXPECT_EQ(number(axes[1][f::IterVar::dom][f::Range::extent]), 8);
  EXPECT_EQ(axes[1].integer(f::IterVar::iter_type), static_cast<int>(IterVarType::CommReduce));
  EXPECT_EQ(axes[2].integer(f::IterVar::iter_type), static_cast<int>(IterVarType::Opaque));
  EXPECT_EQ(number(axes[2][f::IterVar::dom][f::Range::min]), 2);
  EXPECT_EQ(number(axes[2][f::IterVar::dom][f::Range::extent]), 4);
  EXPECT_EQ(realize(d).list(f::BlockRealize::iter_values)[0], in_root(d)[f::For::loop_var]);
}

TEST(ScriptBlocks, MatchBuffersToRegions) {
  const Document d = read_text(in_function(kBlock));
  const Node block = realize(d)[f::BlockRealize::block];
  const Node match = block.list(f::Block::match_buffers)[0];
  const Node source = match[f::MatchBufferRegion::source];
  EXPECT_EQ(source[f::BufferRegion::buffer], block.list(f::Block::alloc_buffers)[0]);
  EXPECT_EQ(number(source.list(f::BufferRegion::region)[1][f::Range::extent]), 1);
  EXPECT_EQ(match[f::MatchBufferRegion::buffer][f::Buffer::elem_offset].kind(), Kind::Var);
}

TEST(ScriptBlocks, WithoutRealizeHaveAxesWithoutValues) {
  const Document d =
      read_text(in_function("with T.block(\"b\", no_realize=True):\n    v = T.axis.spatial(4)\n"
                            "    T.reads()\n    T.writes()\n    T.evaluate(v)"));
  ASSERT_EQ(body(d).kind(), Kind::Block);
  EXPECT_EQ(body(d).list(f::Block::iter_vars).size(), 1u);
}

TEST(ScriptBlocks, ARootBlockIsOnlyAComment) {
  const Document d =
      read_text(in_function("# with T.block(\"root\"):\nD = T.alloc_buffer((4,))\n"
                            "for i in range(4):\n    T.evaluate(D[i])"));
  ASSERT_EQ(body(d).kind(), Kind::BlockRealize);
  const Node root = body(d)[f::BlockRealize::block];
  EXPECT_EQ(root.text(f::Block::name_hint), "root");
  EXPECT_EQ(root.list(f::Block::alloc_buffers).size(), 1u);
  EXPECT_EQ(root[f::Block::body].kind(), Kind::For);
  EXPECT_EQ(number(body(d)[f::BlockRealize::predicate]), 1);
  EXPECT_TRUE(lost(d, LossCode::root_block));
}

TEST(ScriptBlocks, AnAllocationOutsideOfBlocksImpliesTheRootBlock) {
  const Document d =
      read_text(in_function("D = T.alloc_buffer((4,))\nT.evaluate(D[0])\nT.evaluate(D[1])"));
  EXPECT_EQ(body(d)[f::BlockRealize::block][f::Block::body].kind(), Kind::SeqStmt);
}

TEST(ScriptBlocks, MayBeNested) {
  const Document d =
      read_text(in_function("with T.block(\"a\"):\n    T.reads()\n    T.writes()\n"
                            "    with T.block(\"b\"):\n        T.reads()\n        T.writes(A[0])\n"
                            "        A[0] = T.int8(1)\nT.evaluate(n)"));
  const NodeList all = in_root(d).list(f::SeqStmt::seq);
  ASSERT_EQ(all.size(), 2u);
  const Node outer = all[0][f::BlockRealize::block];
  EXPECT_TRUE(outer.list(f::Block::writes).empty());
  EXPECT_EQ(outer[f::Block::body][f::BlockRealize::block].text(f::Block::name_hint), "b");
}

}  // namespace
}  // namespace mlf::tir::tvmscript
