// What every form of statement in generated C is read as.
#include "reading.h"

namespace mlf::tir::c {
namespace {

TEST(CStatements, LoopsCountFromZero) {
  EXPECT_EQ(statements("  for (int32_t i = 0; i < 4; ++i) {\n    p[i] = p[(i + 4)];\n  }"),
            "for (i < 4) { p[i] = p[(i Add 4)] }");
}

TEST(CStatements, ALoopWithAnotherStartIsNoLoopOfTvm) {
  const Document document = read_files({in_kernel("  for (int32_t i = 1; i < 4; ++i) {\n  }")});
  EXPECT_EQ(body_of(document), "OpaqueStmt");
  EXPECT_EQ(details(document, LossCode::unknown_construct),
            "line 7, column 20: expected '0', found '1'");
}

TEST(CStatements, AVariableGovernsTheRestOfItsBlock) {
  EXPECT_EQ(statements("  for (int32_t i = 0; i < 4; ++i) {\n"
                       "    int32_t cse_var_1 = (i * 4);\n"
                       "    p[cse_var_1] = p[i];\n    p[i] = p[cse_var_1];\n  }\n  q[0] = 1;"),
            "for (i < 4) { let cse_var_1 = (i Mul 4) { p[cse_var_1] = p[i]; p[i] = p[cse_var_1] } "
            "}; q[0] = 1");
}

TEST(CStatements, TemporariesAreTheirValue) {
  EXPECT_EQ(statements("  int32_t v_ = q[0] + 3;\n  int8_t v__1 = (int8_t)-128;\n"
                       "  q[1] = ((v_) > (((int32_t)v__1)) ? (v_) : (((int32_t)v__1)));"),
            "q[1] = ((q[0] Add 3) Max Cast(int32, -128:int8))");
}

TEST(CStatements, LocalArraysAreAllocations) {
  EXPECT_EQ(statements("  float x[8];\n  x[1] = p[0];\n  p[1] = x[1];"),
            "allocate x float32[8] { x[1] = p[0]; p[1] = x[1] }");
}

TEST(CStatements, AnArrayMayBeReadAsAnotherType) {
  const Document document = read_files({in_kernel("  int8_t x[8];\n  p[0] = ((float*)x)[1];")});
  const Node load = function(document)[f::PrimFunc::body][f::Allocate::body][f::BufferStore::value];
  EXPECT_EQ(load.dtype(), DType::Float(32));
  EXPECT_EQ(spell(load[f::BufferLoad::buffer].list(f::Buffer::shape)[0]), "2");
}

TEST(CStatements, WorkspacesAreAllocationsUpToTheirRelease) {
  EXPECT_EQ(statements("  void* x = TVMBackendAllocWorkspace(1, 0, (uint64_t)800, 2, 32);\n"
                       "  if (x == NULL) {\n    return -1;\n  }\n"
                       "  ((float*)x)[0] = p[0];\n"
                       "  if (TVMBackendFreeWorkspace(1, 0, x) != 0) {\n    return -1;\n  }\n"
                       "  q[0] = 1;"),
            "allocate x float32[200] { x[0] = p[0] }; q[0] = 1");
}

TEST(CStatements, BranchesAndTheirElse) {
  EXPECT_EQ(
      statements("  if (n < 3) {\n    q[0] = 1;\n  } else {\n    q[0] = 2;\n    q[1] = 3;\n  }"),
      "if ((n LT 3)) { q[0] = 1 } else { q[0] = 2; q[1] = 3 }");
}

TEST(CStatements, ConditionalExpressionsOfV016ArePrintedAsBranches) {
  EXPECT_EQ(statements("  int32_t condval;\n  if ((n < 3)) {\n    int32_t v_ = q[1];\n"
                       "    condval = ((v_) > (0) ? (v_) : (0));\n  } else {\n"
                       "    int32_t condval_1;\n    if ((n < 5)) {\n      condval_1 = 1;\n"
                       "    } else {\n      condval_1 = 2;\n    }\n    condval = condval_1;\n  }\n"
                       "  q[0] = condval;"),
            "q[0] = if_then_else((n LT 3), (q[1] Max 0), if_then_else((n LT 5), 1, 2))");
}

TEST(CStatements, LoopsWithAConditionInBothForms) {
  EXPECT_EQ(statements("  while ((q[0] < 3)) {\n    q[0] = (q[0] + 1);\n  }"),
            "while ((q[0] LT 3)) { q[0] = (q[0] Add 1) }");
  EXPECT_EQ(statements("  while (1) {\n    if (!((q[0] < 3))) { break; }\n"
                       "    q[0] = (q[0] + 1);\n  }"),
            "while ((q[0] LT 3)) { q[0] = (q[0] Add 1) }");
}

TEST(CStatements, CheckedCallsAndThoseWithoutACheck) {
  EXPECT_EQ(statements("  if (tvmgen_default_g(p, q) != 0 ) return -1;\n  setup(n);"),
            "tvm_check_return(0, -1, call_extern(\"tvmgen_default_g\", p, q):int32); "
            "call_extern(\"setup\", n):int32");
}

TEST(CStatements, ReturningAnErrorIsAStatement) {
  EXPECT_EQ(statements("  if (n < 3) {\n    return -1;\n  }"),
            "if ((n LT 3)) { tvm_throw_last_error() }");
}

TEST(CStatements, AnEmptyBodyEvaluatesNothing) {
  EXPECT_EQ(statements(""), "0");
  EXPECT_EQ(statements("  for (int32_t i = 0; i < 4; ++i) {\n  }"), "for (i < 4) { 0 }");
}

TEST(CStatements, WhatIsOutsideOfTheGrammarKeepsItsTextAndLeavesOtherFunctionsAlone) {
  const Document document =
      read_files({kernel_file("TVM_DLL int32_t f(float* p) {\n  goto end;\n  return 0;\n}\n"
                              "TVM_DLL int32_t g(float* p) {\n  p[0] = p[1];\n  return 0;\n}\n")});
  const Node body = function(document, "f")[f::PrimFunc::body];
  ASSERT_TRUE(body.is(Kind::OpaqueStmt));
  EXPECT_EQ(body.text(f::OpaqueStmt::type_key), "c");
  EXPECT_EQ(body.map(f::OpaqueStmt::fields).find("text").text(f::String::value),
            "TVM_DLL int32_t f(float* p) {\n  goto end;\n  return 0;\n}");
  EXPECT_EQ(body_of(document, "g"), "p[0] = p[1]");
  EXPECT_TRUE(lost(document, LossCode::unknown_construct));
}

}  // namespace
}  // namespace mlf::tir::c
