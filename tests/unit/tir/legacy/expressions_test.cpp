#include <cmath>

#include "reading.h"

namespace mlf::tir::legacy {
namespace {

Document expression(std::string_view text) {
  return read_text(in_function("  " + std::string(text)));
}

TEST(LegacyExpressions, EveryOperatorIsItsNode) {
  const std::pair<std::string_view, Kind> cases[] = {
      {"(n + m)", Kind::Add},
      {"(n - m)", Kind::Sub},
      {"(n*m)", Kind::Mul},
      {"(n / m)", Kind::Div},
      {"(n % m)", Kind::Mod},
      {"floordiv(n, m)", Kind::FloorDiv},
      {"floormod(n, m)", Kind::FloorMod},
      {"min(n, m)", Kind::Min},
      {"max(n, m)", Kind::Max},
      {"(n == m)", Kind::EQ},
      {"(n != m)", Kind::NE},
      {"(n < m)", Kind::LT},
      {"(n <= m)", Kind::LE},
      {"(n > m)", Kind::GT},
      {"(n >= m)", Kind::GE},
      {"(c && c)", Kind::And},
      {"(c || c)", Kind::Or},
      {"!c", Kind::Not},
      {"select(c, n, m)", Kind::Select},
      {"cast(int8, n)", Kind::Cast},
      {"ramp(n, 1, 4)", Kind::Ramp},
      {"broadcast(n, 4)", Kind::Broadcast},
      {"?", Kind::Any},
      {"A[n]", Kind::BufferLoad},
      {"shuffle([broadcast(n, 4)], [1])", Kind::Shuffle},
  };
  for (const auto& [text, kind] : cases) {
    EXPECT_EQ(info(value(expression(text)).kind()).name, info(kind).name) << text;
  }
}

TEST(LegacyExpressions, ConstantsHaveTheTypeOfTheirSuffix) {
  const auto integer = [](std::string_view text) {
    const Document d = expression(text);
    return std::pair(value(d).dtype(), value(d).integer(f::IntImm::value));
  };
  EXPECT_EQ(integer("12"), std::pair(DType::Int(32), std::int64_t{12}));
  EXPECT_EQ(integer("-3"), std::pair(DType::Int(32), std::int64_t{-3}));
  EXPECT_EQ(integer("255u8"), std::pair(DType::UInt(8), std::int64_t{255}));
  EXPECT_EQ(integer("-9223372036854775808i64"), std::pair(DType::Int(64), INT64_MIN));
  EXPECT_EQ(integer("18446744073709551615u64"), std::pair(DType::UInt(64), std::int64_t{-1}));
  EXPECT_EQ(integer("True"), std::pair(DType::Bool(), std::int64_t{1}));
  EXPECT_EQ(integer("False"), std::pair(DType::Bool(), std::int64_t{0}));
}

TEST(LegacyExpressions, FloatsKeepTheDigitsThatWerePrintedAndSayThatDigitsAreMissing) {
  const auto real = [](std::string_view text) {
    const Document d = expression(text);
    EXPECT_TRUE(lost(d, LossCode::float_digits)) << text;
    return std::pair(value(d).dtype(), value(d).real(f::FloatImm::value));
  };
  EXPECT_EQ(real("0.1f32"), std::pair(DType::Float(32), 0.1));
  EXPECT_EQ(real("-3.40282e+38f32"), std::pair(DType::Float(32), -3.40282e+38));
  EXPECT_EQ(real("1e-05f16"), std::pair(DType::Float(16), 1e-05));
  EXPECT_TRUE(std::signbit(real("-0f32").second));
}

TEST(LegacyExpressions, InfinityAndNanAreWordsWithASuffix) {
  EXPECT_EQ(value(expression("-inff32")).real(f::FloatImm::value), -HUGE_VAL);
  EXPECT_EQ(value(expression("inff16")).dtype(), DType::Float(16));
  EXPECT_TRUE(std::isnan(value(expression("nanf64")).real(f::FloatImm::value)));
}

TEST(LegacyExpressions, Bfloat16ConstantsRunIntoTheirWidth) {
  const Document d = expression("1.516");
  EXPECT_EQ(value(d).dtype(), (DType{TypeCode::BFloat, 16, 1}));
  EXPECT_EQ(value(d).real(f::FloatImm::value), 1.5);
  EXPECT_TRUE(lost(d, LossCode::glued_constant));
}

TEST(LegacyExpressions, CallsKeepTheirPrintedDtype) {
  const Document d = expression("@tir.call_extern(\"f\", n, dtype=float32x4)");
  EXPECT_EQ(value(d).dtype(), DType::Float(32).with_lanes(4));
  EXPECT_EQ(value(d).list(f::Call::args).size(), 2u);
  EXPECT_EQ(value(d)[f::Call::op].text(f::Op::name), "tir.call_extern");
}

TEST(LegacyExpressions, CallsOfNothingBeginWithACommaAndVoidIsNothing) {
  const Document d = expression("@tir.tvm_throw_last_error(, dtype=)");
  EXPECT_TRUE(value(d).dtype().is_void());
  EXPECT_TRUE(value(d).list(f::Call::args).empty());
}

TEST(LegacyExpressions, NamesOutsideOfTheOperatorsNamespaceAreFunctions) {
  const Document d = expression("@main(n, dtype=int32)");
  EXPECT_EQ(value(d)[f::Call::op], d.module.root().map(f::IRModule::functions).key(0));
}

TEST(LegacyExpressions, ALetReachesOverOneOperand) {
  const Document d = expression("(let z: int32 = (n + 1) in (z*z) + 3)");
  ASSERT_EQ(value(d).kind(), Kind::Add);
  const Node let = value(d)[f::Add::a];
  ASSERT_EQ(let.kind(), Kind::Let);
  EXPECT_EQ(let[f::Let::body][f::Mul::a], let[f::Let::var]);
}

TEST(LegacyExpressions, AStarBehindATypeIsALoadAndAnyOtherIsAProduct) {
  const Document d = expression("(float32x4*)p[ramp(n, 1, 4)]");
  ASSERT_EQ(value(d).kind(), Kind::Load);
  EXPECT_EQ(value(d).dtype(), DType::Float(32).with_lanes(4));
  EXPECT_EQ(value(d)[f::Load::predicate].dtype(), DType::Bool().with_lanes(4));
  EXPECT_EQ(value(expression("(n*m)")).kind(), Kind::Mul);
}

TEST(LegacyExpressions, ALoadTakesThePredicateBehindIt) {
  const Document d = expression("((float32*)p[n] if (n < m) + 1f32)");
  ASSERT_EQ(value(d).kind(), Kind::Add);
  EXPECT_EQ(value(d)[f::Add::a][f::Load::predicate].kind(), Kind::LT);
}

TEST(LegacyExpressions, LoadsOfVectorsHaveTheLanesOfTheirIndex) {
  EXPECT_EQ(value(expression("A[ramp(n, 1, 8)]")).dtype(), DType::Float(32).with_lanes(8));
}

TEST(LegacyExpressions, LanesMayBeAMultipleOfVscale) {
  const Document d = expression("broadcast(x, (4*@tir.vscale(, dtype=int32)))");
  EXPECT_EQ(value(d).dtype(), DType::Float(32).with_lanes(-4));
}

TEST(LegacyExpressions, ReducersAreReferencesIntoTheMetadata) {
  const Document d = expression(
      "reduce(meta[tir.CommReducer][0], [x], "
      "[IterVar(k: int32, [0:16], \"CommReduce\", \"\")], 0, [])");
  EXPECT_EQ(value(d).dtype(), DType::Float(32));
  EXPECT_EQ(value(d)[f::Reduce::combiner].kind(), Kind::MissingObject);
  EXPECT_EQ(value(d).list(f::Reduce::axis)[0].integer(f::IterVar::iter_type),
            static_cast<std::int64_t>(IterVarType::CommReduce));
  EXPECT_TRUE(lost(d, LossCode::reduce_fields));
}

TEST(LegacyExpressions, PureLlvmIntrinsicsAreNamed) {
  const Document d =
      expression("@tir.call_llvm_pure_intrin(\"llvm.fabs\", 1u32, x, dtype=float32)");
  EXPECT_TRUE(lost(d, LossCode::llvm_intrinsic));
  EXPECT_GE(d.source.tvm_version.first, 9);
}

}  // namespace
}  // namespace mlf::tir::legacy
