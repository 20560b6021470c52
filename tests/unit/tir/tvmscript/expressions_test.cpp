#include <cmath>
#include <limits>

#include "reading.h"

namespace mlf::tir::tvmscript {
namespace {

Document expression(std::string_view text) {
  return read_text(in_function("T.evaluate(" + std::string(text) + ")"));
}

TEST(ScriptLiterals, BareIntegersAreInt32) {
  EXPECT_EQ(value(expression("-7")).dtype(), DType::Int(32));
  EXPECT_EQ(number(value(expression("-7"))), -7);
}

TEST(ScriptLiterals, OthersNameTheirDtype) {
  EXPECT_EQ(value(expression("T.int64(5)")).dtype(), DType::Int(64));
  EXPECT_EQ(number(value(expression("T.uint64(18446744073709551615)"))), -1);
  EXPECT_EQ(value(expression("T.bool(True)")).dtype(), DType::Bool());
  EXPECT_EQ(number(value(expression("T.bool(False)"))), 0);
  EXPECT_EQ(value(expression("T.bfloat16(1.5)")).dtype(), *parse_dtype("bfloat16"));
  EXPECT_EQ(value(expression("T.e4m3_float8(2)")).dtype(), *parse_dtype("e4m3_float8"));
}

TEST(ScriptLiterals, FloatsHaveEverySpelling) {
  const auto real = [](std::string_view text) {
    return value(expression(text)).real(f::FloatImm::value);
  };
  EXPECT_EQ(real("T.float32(1)"), 1.0);
  EXPECT_EQ(real("T.float32(1.0)"), 1.0);
  EXPECT_EQ(real("T.float32(1.0000000000000001e-05)"), 1.0000000000000001e-05);
  EXPECT_EQ(real("T.float32(340282346638528859811704183484516925440.0)"),
            std::numeric_limits<float>::max());
  EXPECT_EQ(real("T.float64(\"-inf\")"), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(real("T.float16(\"nan\")")));
  EXPECT_TRUE(std::signbit(real("T.float32(-0.0)")));
}

TEST(ScriptLiterals, StringsAreEscapedAsInPython) {
  const Document d = expression(R"("a\"b\\c\td\x01\n'")");
  EXPECT_EQ(value(d).text(f::StringImm::value), "a\"b\\c\td\x01\n'");
}

TEST(ScriptExpressions, BindAsThePrinterBindsThem) {
  const Document d = expression("n + n * 2 // 3");
  const Node sum = value(d);
  ASSERT_EQ(sum.kind(), Kind::Add);
  ASSERT_EQ(sum[f::Add::b].kind(), Kind::FloorDiv);
  EXPECT_EQ(sum[f::Add::b][f::FloorDiv::a].kind(), Kind::Mul);
  EXPECT_EQ(value(expression("n - n - n"))[f::Sub::a].kind(), Kind::Sub);
}

TEST(ScriptExpressions, ComparisonsAreNotChained) {
  const Document d = expression("n < 3 == T.bool(True)");
  const Node node = value(d);
  ASSERT_EQ(node.kind(), Kind::EQ);
  EXPECT_EQ(node[f::EQ::a].kind(), Kind::LT);
  EXPECT_EQ(value(expression("not n < 3 and n > 1 or n == 2")).kind(), Kind::Or);
}

TEST(ScriptExpressions, CallFormsOfOperatorsAreTheOperators) {
  EXPECT_EQ(value(expression("T.Add(1, 2)")).kind(), Kind::Add);
  EXPECT_EQ(value(expression("T.Div(n, 2)")).kind(), Kind::Div);
  EXPECT_EQ(value(expression("T.truncmod(n, 2)")).kind(), Kind::Mod);
  EXPECT_EQ(value(expression("T.min(n, 2)")).kind(), Kind::Min);
  EXPECT_EQ(value(expression("T.Not(T.bool(True))")).kind(), Kind::Not);
  EXPECT_EQ(value(expression("T.And(n < 1, n > 2)")).dtype(), DType::Bool());
}

TEST(ScriptExpressions, ALiteralBesideAnotherTypeTakesThatType) {
  EXPECT_EQ(value(expression("T.Cast(\"int64\", n) + 2"))[f::Add::b].dtype(), DType::Int(64));
  EXPECT_EQ(value(expression("1.5 * T.Cast(\"float16\", n)"))[f::Mul::a].dtype(), DType::Float(16));
}

TEST(ScriptExpressions, CastsNameTheirTargetFirst) {
  const Document d = expression("T.Cast(\"float32\", T.Cast(\"int8\", n))");
  const Node outer = value(d);
  EXPECT_EQ(outer.dtype(), DType::Float(32));
  EXPECT_EQ(outer[f::Cast::value].dtype(), DType::Int(8));
}

TEST(ScriptExpressions, VectorsCountTheirLanes) {
  EXPECT_EQ(value(expression("T.Ramp(n, 2, 4)")).dtype(), DType::Int(32).with_lanes(4));
  const Document d = expression("T.Broadcast(T.float32(1), 8)");
  const Node broadcast = value(d);
  EXPECT_EQ(broadcast.dtype(), DType::Float(32).with_lanes(8));
  EXPECT_EQ(number(broadcast[f::Broadcast::lanes]), 8);
  EXPECT_EQ(value(expression("T.Shuffle([n, n], [0, 1])")).dtype(), DType::Int(32).with_lanes(2));
  EXPECT_EQ(value(expression("T.Ramp(n, 1, 4) < T.Broadcast(n, 4)")).dtype(),
            DType::Bool().with_lanes(4));
}

TEST(ScriptExpressions, ScalableVectorsMultiplyVscale) {
  const Document d = expression("T.Broadcast(n, T.vscale() * 4)");
  EXPECT_EQ(value(d).dtype().lanes, -4);
  EXPECT_GE(d.source.tvm_version.first, 16);
}

TEST(ScriptExpressions, LetsNestInTheOrderOfTheirNames) {
  const Document d = read_text(
      in_function("x, y = T.int32(), T.int32()\nT.evaluate(T.Let(x + y, where={x: n, y: x}))"));
  const Node outer = value(d);
  ASSERT_EQ(outer.kind(), Kind::Let);
  EXPECT_EQ(outer[f::Let::var].text(f::Var::name), "x");
  EXPECT_EQ(outer[f::Let::body][f::Let::value], outer[f::Let::var]);
}

TEST(ScriptCalls, InferTheDtypeThatIsNotPrinted) {
  EXPECT_EQ(value(expression("T.exp(T.float32(1))")).dtype(), DType::Float(32));
  EXPECT_EQ(value(expression("T.if_then_else(n < 1, T.int64(1), T.int64(2))")).dtype(),
            DType::Int(64));
  EXPECT_EQ(value(expression("T.isnan(T.float32(1))")).dtype(), DType::Bool());
  EXPECT_EQ(value(expression("T.clz(T.int64(1))")).dtype(), DType::Int(32));
  EXPECT_EQ(value(expression("T.tvm_stack_alloca(\"array\", 1)")).dtype(), DType::Handle());
  EXPECT_EQ(value(expression("T.call_cpacked(\"f\", h)")).dtype(), DType::Int(32));
  EXPECT_TRUE(lost(expression("T.exp(T.float32(1))"), LossCode::call_dtype));
}

TEST(ScriptCalls, TakeThePrintedDtypeFromEitherEnd) {
  const Document first = expression("T.call_extern(\"float32x4\", \"f\", n)");
  EXPECT_EQ(value(first).dtype(), DType::Float(32).with_lanes(4));
  EXPECT_EQ(value(first).list(f::Call::args).size(), 2u);
  const Document last = expression("T.tvm_struct_get(h, 0, 1, \"handle\")");
  EXPECT_EQ(value(last).list(f::Call::args).size(), 3u);
  EXPECT_FALSE(lost(last, LossCode::call_dtype));
}

TEST(ScriptCalls, HaveTvmsNameOfTheOperator) {
  const auto name = [](std::string_view text) {
    return std::string(value(expression(text))[f::Call::op].text(f::Op::name));
  };
  EXPECT_EQ(name("T.call_packed(\"f\", n)"), "tir.tvm_call_packed");
  EXPECT_EQ(name("T.reinterpret(\"handle\", T.uint64(0))"), "tir.reinterpret");
  EXPECT_EQ(name("T.tir.isfinite(T.float32(1))"), "tir.isfinite");
  EXPECT_EQ(name("T.prefetch(h, 0, 1, 1)"), "tir.prefetch");
}

TEST(ScriptCalls, OfUnknownOperatorsAreKept) {
  const Document d = expression("T.from_the_future(n)");
  EXPECT_EQ(value(d)[f::Call::op].text(f::Op::name), "tir.from_the_future");
  EXPECT_TRUE(lost(d, LossCode::unknown_construct));
}

TEST(ScriptCalls, OfOneOperatorShareItsNode) {
  const Document d = expression("T.exp(T.exp(T.float32(1)))");
  EXPECT_EQ(value(d)[f::Call::op], value(d).list(f::Call::args)[0][f::Call::op]);
}

TEST(ScriptCalls, NameLlvmIntrinsicsOrNumberThem) {
  EXPECT_TRUE(lost(expression("T.call_llvm_pure_intrin(\"float32\", \"llvm.fma.f32\", n)"),
                   LossCode::llvm_intrinsic));
  EXPECT_FALSE(lost(expression("T.call_llvm_pure_intrin(\"float32\", T.uint32(97), n)"),
                    LossCode::llvm_intrinsic));
}

TEST(ScriptReductions, HaveVariablesOfTheirIdentityElements) {
  const Document d = read_text(
      in_function("k = T.int32()\n"
                  "T.evaluate(T.reduce(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), "
                  "source=[T.float32(1)], init=[], axis=[T.iter_var(k, T.Range(0, 8), "
                  "\"CommReduce\", \"\")], condition=T.bool(True), value_index=0))"));
  const Node reduce = value(d);
  EXPECT_EQ(reduce.dtype(), DType::Float(32));
  const Node combiner = reduce[f::Reduce::combiner];
  EXPECT_EQ(combiner.list(f::CommReducer::lhs)[0].dtype(), DType::Float(32));
  EXPECT_EQ(combiner.list(f::CommReducer::result)[0][f::Add::a],
            combiner.list(f::CommReducer::lhs)[0]);
  EXPECT_EQ(reduce.list(f::Reduce::axis)[0].integer(f::IterVar::iter_type),
            static_cast<int>(IterVarType::CommReduce));
}

}  // namespace
}  // namespace mlf::tir::tvmscript
