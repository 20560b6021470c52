// What every form of expression in generated C is read as.
#include "reading.h"

namespace mlf::tir::c {
namespace {

TEST(CExpressions, EveryOperatorHasItsOwnParentheses) {
  EXPECT_EQ(expression("(p[0] + (p[1] * p[2]))"), "(p[0] Add (p[1] Mul p[2]))");
  EXPECT_EQ(expression("((p[0] - p[1]) / p[2])"), "((p[0] Sub p[1]) Div p[2])");
  EXPECT_EQ(expression("((float)((n < 3) && (n >= 1)))"), "Cast(float32, ((n LT 3) And (n GE 1)))");
  EXPECT_EQ(expression("((float)!((n == 3) || (n != 1)))"),
            "Cast(float32, Not(((n EQ 3) Or (n NE 1))))");
  EXPECT_EQ(expression("((float)(q[0] ^ (~q[1])))"),
            "Cast(float32, bitwise_xor(q[0], bitwise_not(q[1])))");
}

TEST(CExpressions, LiteralsHaveTheTypeBeforeThem) {
  EXPECT_EQ(expression("1.500000e+00f"), "1.50000000");
  EXPECT_EQ(expression("-2.500000e-01"), "-0.250000000:float64");
  EXPECT_EQ(expression("(int64_t)5"), "5:int64");
  EXPECT_EQ(expression("(int8_t)-128"), "-128:int8");
  EXPECT_EQ(expression("(half)1.500000e+00f"), "1.50000000:float16");
  EXPECT_EQ(expression("(uint64_t)18446744073709551615"),
            "large_uint_imm(4294967295:uint32, 4294967295:uint32)");
  EXPECT_EQ(expression("7U"), "large_uint_imm(7:uint32, 0:uint32)");
  EXPECT_EQ(expression("-inff"), "-inf");
}

TEST(CExpressions, ParenthesesMakeACastOfALiteral) {
  EXPECT_EQ(expression("((int64_t)5)"), "Cast(int64, 5)");
  EXPECT_EQ(expression("p[((int64_t)5)]"), "p[Cast(int64, 5)]");
  EXPECT_EQ(expression("p[(int64_t)5]"), "p[5:int64]");
}

TEST(CExpressions, TheLargestFloatsAreNotRounded) {
  EXPECT_EQ(expression("-3.402823e+38f"), "-3.40282347e+38");
}

TEST(CExpressions, MinimumAndMaximumRepeatTheirOperands) {
  EXPECT_EQ(expression("((n) < (5) ? (n) : (5))"), "(n Min 5)");
  EXPECT_EQ(expression("((n) > (5) ? (n) : (5))"), "(n Max 5)");
}

TEST(CExpressions, AConditionInParenthesesIsAChoice) {
  EXPECT_EQ(expression("((n < 5) ? p[0] : p[1])"), "if_then_else((n LT 5), p[0], p[1])");
}

TEST(CExpressions, SinceV016OnlySelectIsPrintedWithAQuestionMark) {
  const std::string text =
      "  float condval;\n  if ((n < 5)) {\n    condval = p[0];\n  } else {\n"
      "    condval = ((n < 2) ? p[1] : p[2]);\n  }\n  p[3] = condval;";
  EXPECT_EQ(statements(text), "p[3] = if_then_else((n LT 5), p[0], Select((n LT 2), p[1], p[2]))");
}

TEST(CExpressions, DivisionOfAnIndexIsFloorDivisionAndOfDataTruncates) {
  EXPECT_EQ(expression("((float)(n / 3))"), "Cast(float32, (n FloorDiv 3))");
  EXPECT_EQ(expression("((float)(n % 3))"), "Cast(float32, (n FloorMod 3))");
  EXPECT_EQ(expression("((float)(n >> 2))"), "Cast(float32, (n FloorDiv 4))");
  EXPECT_EQ(expression("((float)(n & 7))"), "Cast(float32, (n FloorMod 8))");
  EXPECT_EQ(expression("((float)(q[0] / 3))"), "Cast(float32, (q[0] Div 3))");
  EXPECT_EQ(expression("((float)(q[0] >> 2))"), "Cast(float32, shift_right(q[0], 2))");
  EXPECT_EQ(expression("((float)(q[0] & 7))"), "Cast(float32, bitwise_and(q[0], 7))");
}

TEST(CExpressions, FloorDivisionOfWhatMayBeNegativeIsFoldedBack) {
  EXPECT_EQ(expression("((float)((n / 3) + ((n % 3) >> 31)))"), "Cast(float32, (n FloorDiv 3))");
  EXPECT_EQ(expression("((float)(((n % -3) <= 0) ? (n / -3) : ((n / -3) - 1)))"),
            "Cast(float32, (n FloorDiv -3))");
  EXPECT_EQ(expression("((float)(((n % -3) <= 0) ? (n % -3) : ((n % -3) + -3)))"),
            "Cast(float32, (n FloorMod -3))");
  EXPECT_EQ(expression("((float)((n % 3) + (3 & ((n % 3) >> 31))))"),
            "Cast(float32, (n FloorMod 3))");
}

TEST(CExpressions, FloorDivisionByAnUnknownSignIsAChoice) {
  const std::string is_even =
      "(((q[1] >= 0) && ((q[0] % q[1]) >= 0)) || ((q[1] < 0) && ((q[0] % q[1]) <= 0)))";
  EXPECT_EQ(expression("((float)(" + is_even + " ? (q[0] / q[1]) : ((q[0] / q[1]) - 1)))"),
            "Cast(float32, (q[0] FloorDiv q[1]))");
  EXPECT_EQ(expression("((float)(" + is_even + " ? (q[0] % q[1]) : ((q[0] % q[1]) + q[1])))"),
            "Cast(float32, (q[0] FloorMod q[1]))");
  EXPECT_EQ(expression("((float)(((r[0] % (int8_t)3) >= (int8_t)0) ? (r[0] / (int8_t)3) : "
                       "((r[0] / (int8_t)3) - (int8_t)1)))"),
            "Cast(float32, (r[0] FloorDiv 3:int8))");
}

TEST(CExpressions, FunctionsOfLibmAreOperators) {
  EXPECT_EQ(expression("expf(p[0])"), "exp(p[0])");
  EXPECT_EQ(expression("erff(p[0])"), "erf(p[0])");
  EXPECT_EQ(expression("powf(p[0], 2.000000e+00f)"), "pow(p[0], 2.00000000)");
  EXPECT_EQ(expression("fmodf(p[0], p[1])"), "(p[0] Mod p[1])");
}

TEST(CExpressions, ACallOfAnythingElseIsExternal) {
  EXPECT_EQ(expression("my_function(p[0], \"text\", n)"),
            "call_extern(\"my_function\", p[0], \"text\", n):int32");
}

TEST(CExpressions, AnExternalCallWithoutPrototypeHasTheTypeOfItsPlace) {
  EXPECT_EQ(expression("(p[0] + my_function(n))"),
            "(p[0] Add call_extern(\"my_function\", n):float32)");
  EXPECT_EQ(statements("  q[0] = my_function(n);\n  my_function(n);"),
            "q[0] = call_extern(\"my_function\", n):int32; "
            "call_extern(\"my_function\", n):int32");
}

TEST(CExpressions, OperandsOfDifferentTypesAreNoExpressionOfTvm) {
  EXPECT_EQ(expression("(p[0] + n)"), "OpaqueStmt");
  EXPECT_EQ(statements("  p[0] = q[0];"), "OpaqueStmt");
  EXPECT_EQ(statements("  int32_t x = p[0];\n  q[0] = x;"), "OpaqueStmt; OpaqueStmt");
}

TEST(CExpressions, APrototypeTellsTheTypeOfAnExternalCall) {
  const std::string prototype = "TVM_DLL float my_function(float);\n";
  const Document document = read_files({kernel_file(
      prototype + "TVM_DLL int32_t f(float* p) {\n  p[0] = my_function(p[1]);\n  return 0;\n}\n")});
  EXPECT_EQ(body_of(document), "p[0] = call_extern(\"my_function\", p[1]):float32");
  EXPECT_FALSE(lost(document, LossCode::call_dtype));
}

TEST(CExpressions, AddressesOfElementsAreRead) {
  EXPECT_EQ(statements("  f((&(p[3])), (&(((int8_t*)p)[n])));"),
            "call_extern(\"f\", address_of(p[3]), address_of(p[n])):int32");
}

TEST(CExpressions, ANumberThatIsComparedWithItselfIsTestedForNaN) {
  EXPECT_EQ(expression("((float)(p[0] != p[0]))"), "Cast(float32, isnan(p[0]))");
}

TEST(CExpressions, DeepParenthesesNeedNoStackOfTheMachine) {
  const std::size_t depth = 100'000;
  const std::string deep = std::string(depth, '(') + "n" + std::string(depth, ')');
  EXPECT_EQ(expression("p[" + deep + "]"), "p[n]");
}

}  // namespace
}  // namespace mlf::tir::c
