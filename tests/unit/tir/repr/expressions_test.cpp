#include <limits>

#include "reading.h"

namespace mlf::tir::repr {
namespace {

Node evaluated(const Document& document) {
  return value(document);
}

Document expression(std::string_view text) {
  return read_text(in_function("  " + std::string(text), "n, m"));
}

TEST(ReprExpressions, IntegersCarryTheirDtypeUnlessTheyAreInt32) {
  EXPECT_EQ(evaluated(expression("-7")).integer(f::IntImm::value), -7);
  EXPECT_EQ(evaluated(expression("7")).dtype(), DType::Int(32));
  const Document wide = expression("(int64)-9223372036854775808");
  EXPECT_EQ(value(wide).dtype(), DType::Int(64));
  EXPECT_EQ(value(wide).integer(f::IntImm::value), INT64_MIN);
  EXPECT_EQ(value(expression("(bool)1")).dtype(), DType::Bool());
}

TEST(ReprExpressions, RealsCarryAnFOrAnHUnlessTheyAreFloat64) {
  const Document single = expression("-1e-05f");
  EXPECT_EQ(value(single).dtype(), DType::Float(32));
  EXPECT_EQ(value(single).real(f::FloatImm::value), -1e-05);
  EXPECT_TRUE(lost(single, LossCode::float_digits));
  EXPECT_EQ(value(expression("1.5h")).dtype(), DType::Float(16));
  EXPECT_EQ(value(expression("0.333333")).dtype(), DType::Float(64));
  EXPECT_EQ(value(expression("-inff")).real(f::FloatImm::value),
            -std::numeric_limits<double>::infinity());
  EXPECT_EQ(value(expression("-0")).dtype(), DType::Float(64));
}

TEST(ReprExpressions, AFloat64WithoutAFractionIsOneBesideAnother) {
  const Document d = expression("(0.5 + 2)");
  EXPECT_EQ(value(d)[f::Add::b].real(f::FloatImm::value), 2.0);
  EXPECT_TRUE(lost(d, LossCode::expr_form));
}

TEST(ReprExpressions, HaveOperatorsInParentheses) {
  const Document d = expression("((n*m) % (4 - (n/m)))");
  EXPECT_EQ(value(d).kind(), Kind::Mod);
  EXPECT_EQ(value(d)[f::Mod::a].kind(), Kind::Mul);
  EXPECT_EQ(value(d)[f::Mod::b][f::Sub::b].kind(), Kind::Div);
  EXPECT_EQ(value(expression("(!(n == m) && !!(n != 3))")).kind(), Kind::And);
}

TEST(ReprExpressions, FunctionsAreNodes) {
  EXPECT_EQ(value(expression("floordiv(n, 2)")).kind(), Kind::FloorDiv);
  EXPECT_EQ(value(expression("floormod(n, 2)")).kind(), Kind::FloorMod);
  EXPECT_EQ(value(expression("max(min(n, 2), m)")).kind(), Kind::Max);
  EXPECT_EQ(value(expression("select((n < m), n, m)")).kind(), Kind::Select);
  EXPECT_EQ(value(expression("float32x4(ramp(n, 1, 4))")).dtype(), DType::Float(32).with_lanes(4));
  EXPECT_EQ(value(expression("x16((int64)3)")).dtype(), DType::Int(64).with_lanes(16));
  EXPECT_EQ(value(expression("shuffle(x4(n), x4(m), 0, 7)")).list(f::Shuffle::vectors).size(), 2u);
}

TEST(ReprExpressions, ABroadcastMayHaveAsManyLanesAsTheMachine) {
  const Document d = expression("x(4*tir.vscale())((n + 1))");
  ASSERT_EQ(value(d).kind(), Kind::Broadcast);
  EXPECT_EQ(value(d)[f::Broadcast::lanes].kind(), Kind::Mul);
  EXPECT_EQ(value(d)[f::Broadcast::value].kind(), Kind::Add);
  EXPECT_EQ(value(d).dtype().lanes, -4);
  EXPECT_EQ(d.source.tvm_version.first, 16);
  EXPECT_NE(error_of(in_function("  x(n)(m)")).find("number of lanes"), std::string::npos);
}

TEST(ReprExpressions, IndicesOfAShuffleAreThoseThatItsVectorsHave) {
  const auto vectors = [](const Document& d) { return value(d).list(f::Shuffle::vectors).size(); };
  const auto says_of_shuffle = [](const Document& d) {
    return std::ranges::any_of(d.losses, [](const Loss& loss) {
      return loss.code == LossCode::expr_form && loss.scope == LossScope::function;
    });
  };
  EXPECT_EQ(vectors(expression("shuffle(n, m, n, m, 0, 1, 2, 3)")), 4u);
  EXPECT_FALSE(says_of_shuffle(expression("shuffle(n, m, 0, 1)")));
  const Document numbers = expression("shuffle(5, 6, 0, 1)");
  EXPECT_EQ(vectors(numbers), 2u);
  EXPECT_TRUE(says_of_shuffle(numbers));
  EXPECT_EQ(error_of(in_function("  shuffle(n, 3)")).substr(0, 60),
            "2:3: expected vectors and indices of their elements in shuff");
}

TEST(ReprExpressions, LetsNestAndEndWithTheirParenthesis) {
  const Document d = expression("((let y = (n + 1) in (let z = y in (y*z))) + 1)");
  const Node outer = value(d)[f::Add::a];
  ASSERT_EQ(outer.kind(), Kind::Let);
  EXPECT_EQ(outer[f::Let::body][f::Let::value].id(), outer[f::Let::var].id());
}

TEST(ReprExpressions, SizeVarsShowThatTheyAre) {
  const Document d = read_text(in_function("  ({n.x|n.x>=0}*2)", "{n.x|n.x>=0}"));
  const Node param = function(d).list(f::PrimFunc::params)[0];
  EXPECT_EQ(param.kind(), Kind::SizeVar);
  EXPECT_EQ(param.text(f::SizeVar::name), "n.x");
  EXPECT_EQ(value(d)[f::Mul::a].id(), param.id());
}

TEST(ReprExpressions, CallsHaveNoDtypeInTheText) {
  const Document d = expression("tir.tvm_call_packed(\"f\", n, @g(1), tir.reinterpret((uint64)0))");
  EXPECT_EQ(value(d).dtype(), DType::Int(32));
  const NodeList arguments = value(d).list(f::Call::args);
  EXPECT_EQ(arguments[0].text(f::StringImm::value), "f");
  EXPECT_EQ(arguments[2][f::Call::op].kind(), Kind::GlobalVar);
  EXPECT_EQ(arguments[3].dtype(), DType::Handle());
  EXPECT_TRUE(lost(d, LossCode::call_dtype));
}

TEST(ReprExpressions, NamesAreAsTvmHasThem) {
  const Document d =
      read_text(in_function("  (i.outer.fused + T_add(red)[in])", "i.outer.fused, in"));
  EXPECT_EQ(value(d)[f::Add::a].text(f::Var::name), "i.outer.fused");
  EXPECT_EQ(value(d)[f::Add::b][f::BufferLoad::buffer].text(f::Buffer::name), "T_add(red)");
}

TEST(ReprExpressions, BuffersOfOneNameAndRankAreOne) {
  const Document d = expression("((A[n] + A[m]) + A[n, m])");
  const Node sum = value(d)[f::Add::a];
  const NodeId flat = sum[f::Add::a][f::BufferLoad::buffer].id();
  EXPECT_EQ(sum[f::Add::b][f::BufferLoad::buffer].id(), flat);
  EXPECT_NE(value(d)[f::Add::b][f::BufferLoad::buffer].id(), flat);
  EXPECT_TRUE(lost(d, LossCode::buffer_shape));
}

TEST(ReprExpressions, ReductionsNameEveryPart) {
  const Document d = expression(
      "reduce(combiner=comm_reducer(result=[(x + y)], lhs=[x], rhs=[y], identity_element=[0f]), "
      "source=[A[k]], init=[], axis=[iter_var(k, range(min=0, ext=8))], where=(bool)1, "
      "value_index=0)");
  const Node reduce = value(d);
  ASSERT_EQ(reduce.kind(), Kind::Reduce);
  const Node combiner = reduce[f::Reduce::combiner];
  EXPECT_EQ(combiner.list(f::CommReducer::result)[0][f::Add::a].id(),
            combiner.list(f::CommReducer::lhs)[0].id());
  EXPECT_EQ(reduce.list(f::Reduce::source)[0].list(f::BufferLoad::indices)[0].id(),
            reduce.list(f::Reduce::axis)[0][f::IterVar::var].id());
  EXPECT_EQ(reduce.dtype(), DType::Float(32));
}

}  // namespace
}  // namespace mlf::tir::repr
