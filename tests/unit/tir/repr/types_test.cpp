// What the text does not say and its reader infers: dtypes, and the extents of buffers.
#include "reading.h"

namespace mlf::tir::repr {
namespace {

Node stored_buffer(Node store) {
  return store[f::BufferStore::buffer];
}

TEST(ReprDtypes, FollowFromConstantsAndCastsThroughAssignments) {
  const Document d =
      statements("  A[n] = B[n]\n  B[n] = (C[n] + (int8)1)\n  x[n] = float16(n)", "n");
  const NodeList all = body(d).list(f::SeqStmt::seq);
  EXPECT_EQ(stored_buffer(all[0]).dtype(f::Buffer::dtype), DType::Int(8));
  EXPECT_EQ(all[1][f::BufferStore::value].dtype(), DType::Int(8));
  EXPECT_EQ(stored_buffer(all[2]).dtype(f::Buffer::dtype), DType::Float(16));
  EXPECT_TRUE(lost(d, LossCode::inferred_dtype));
}

TEST(ReprDtypes, WithoutEvidenceAreTheMostCommonOnes) {
  const Document d = statements("  A[n] = B[n]\n  tir.call_extern(\"f\", p)", "n, p");
  const NodeList params = function(d).list(f::PrimFunc::params);
  EXPECT_EQ(params[0].dtype(), DType::Int(32));
  EXPECT_EQ(params[1].dtype(), DType::Handle());
  const Node buffer = stored_buffer(body(d).list(f::SeqStmt::seq)[0]);
  EXPECT_EQ(buffer.dtype(f::Buffer::dtype), DType::Float(32));
}

TEST(ReprDtypes, OfShortConstantsAreThoseOfTheOtherOperand) {
  const Document d = statements("  A[n] = (bfloat16(n) + 1h)\n  B[n] = 1h", "n");
  const NodeList all = body(d).list(f::SeqStmt::seq);
  const Node sum = all[0][f::BufferStore::value];
  EXPECT_EQ(to_string(sum.dtype()), "bfloat16");
  EXPECT_EQ(to_string(sum[f::Add::b].dtype()), "bfloat16");
  EXPECT_EQ(all[1][f::BufferStore::value].dtype(), DType::Float(16));
}

TEST(ReprDtypes, OfLoopsFollowFromTheirBounds) {
  const Document d = statements("  for (i, (int64)0, n) {\n    A[(i + (int64)1)] = 1f\n  }", "n");
  EXPECT_EQ(body(d)[f::For::loop_var].dtype(), DType::Int(64));
  EXPECT_EQ(function(d).list(f::PrimFunc::params)[0].dtype(), DType::Int(64));
}

TEST(ReprDtypes, OfAnAllocationAreThoseOfItsBuffer) {
  const Document d =
      statements("  allocate v[int16 * 4 * 4], storage_scope = shared\n  v[n] = w[n]", "n");
  const Node store = body(d)[f::Allocate::body];
  EXPECT_EQ(stored_buffer(store).dtype(f::Buffer::dtype), DType::Int(16));
  EXPECT_EQ(store[f::BufferStore::value].dtype(), DType::Int(16));
  const NodeList shape = stored_buffer(store).list(f::Buffer::shape);
  ASSERT_EQ(shape.size(), 1u);
  EXPECT_EQ(shape[0].integer(f::IntImm::value), 16);
}

TEST(ReprDtypes, CountLanes) {
  const Document d = statements(
      "  A[ramp(n, 1, 4)] = select((B[ramp(n, 1, 4)] < x4(0f)), x4(1f), "
      "tir.exp(B[ramp(n, 1, 4)]))",
      "n");
  const Node value = body(d)[f::BufferStore::value];
  EXPECT_EQ(value.dtype(), DType::Float(32).with_lanes(4));
  EXPECT_EQ(value[f::Select::condition].dtype(), DType::Bool().with_lanes(4));
  EXPECT_EQ(value[f::Select::false_value].dtype(), DType::Float(32).with_lanes(4));
}

TEST(ReprDtypes, PointersPointToWhatTheirBufferHolds) {
  const Document d = statements("  p[0] = (int8)1\n  tir.call_extern(\"f\", p)", "p");
  const Node param = function(d).list(f::PrimFunc::params)[0];
  EXPECT_EQ(param.dtype(), DType::Handle());
  EXPECT_EQ(param[f::Var::type_annotation][f::PointerType::element_type].dtype(f::PrimType::dtype),
            DType::Int(8));
}

TEST(ReprShapes, ReachAsFarAsLoopsDo) {
  const Document d = statements(
      "  for (i, 0, 4) {\n    for (j, 1, 3) {\n      A[i, ((j*2) + 1)] = B[ramp((i*8), 2, 4)]\n"
      "    }\n  }",
      "n");
  const Node store = body(d)[f::For::body][f::For::body];
  const NodeList shape = stored_buffer(store).list(f::Buffer::shape);
  ASSERT_EQ(shape.size(), 2u);
  EXPECT_EQ(shape[0].integer(f::IntImm::value), 4);
  EXPECT_EQ(shape[1].integer(f::IntImm::value), 8);
  const Node loaded = store[f::BufferStore::value][f::BufferLoad::buffer];
  EXPECT_EQ(loaded.list(f::Buffer::shape)[0].integer(f::IntImm::value), 31);
}

TEST(ReprShapes, HaveOneElementWithoutEvidence) {
  const Document d = statements("  A[n] = 1f", "n");
  const NodeList shape = stored_buffer(body(d)).list(f::Buffer::shape);
  ASSERT_EQ(shape.size(), 1u);
  EXPECT_EQ(shape[0].integer(f::IntImm::value), 1);
}

}  // namespace
}  // namespace mlf::tir::repr
