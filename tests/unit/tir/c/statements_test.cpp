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

TEST(CStatements, AVariableIsInScopeForTheRestOfItsBlock) {
  EXPECT_EQ(statements("  for (int32_t i = 0; i < 4; ++i) {\n"
                       "    int32_t cse_var_1 = (i * 4);\n"
                       "    p[cse_var_1] = p[i];\n    p[i] = p[cse_var_1];\n  }\n  q[0] = 1;"),
            "for (i < 4) { let cse_var_1 = (i Mul 4) { p[cse_var_1] = p[i]; p[i] = p[cse_var_1] } "
            "}; q[0] = 1");
}

TEST(CStatements, CallsThatMeasureAreNothing) {
  EXPECT_EQ(statements("  mlf_call_begin(3); q[0] = 1; mlf_call_end(3);\n  mlf_call_end(4);"),
            "q[0] = 1");
  EXPECT_EQ(statements("  mlf_call_begin(q[0] + 1);\n  q[0] = 1;"),
            "call_extern(\"mlf_call_begin\", (q[0] Add 1)):int32; q[0] = 1");
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

TEST(CStatements, BranchesAreReadWithTheirElse) {
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

TEST(CStatements, LoopsWithAConditionAreReadInBothForms) {
  EXPECT_EQ(statements("  while ((q[0] < 3)) {\n    q[0] = (q[0] + 1);\n  }"),
            "while ((q[0] LT 3)) { q[0] = (q[0] Add 1) }");
  EXPECT_EQ(statements("  while (1) {\n    if (!((q[0] < 3))) { break; }\n"
                       "    q[0] = (q[0] + 1);\n  }"),
            "while ((q[0] LT 3)) { q[0] = (q[0] Add 1) }");
}

TEST(CStatements, CallsAreReadWithAndWithoutACheck) {
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

std::string text_of(Node statement) {
  return std::string(statement.map(f::OpaqueStmt::fields).find("text").text(f::String::value));
}

/// The statement outside of the grammar that `text` begins with, in a kernel.
Node unknown_in(const Document& document) {
  const Node body = function(document)[f::PrimFunc::body];
  const Node first = body.is(Kind::SeqStmt) ? body.list(f::SeqStmt::seq)[0] : body;
  if (!first.is(Kind::OpaqueStmt)) throw std::runtime_error("it is understood: " + spell(first));
  return first;
}

TEST(CStatements, OneOutsideOfTheGrammarKeepsItsText) {
  const Document document = read_files({in_kernel("  p[0] = p[1];\n  goto end;\n  q[0] = 3;")});
  EXPECT_EQ(body_of(document), "p[0] = p[1]; OpaqueStmt; q[0] = 3");
  const Node statement = function(document)[f::PrimFunc::body].list(f::SeqStmt::seq)[1];
  EXPECT_EQ(statement.text(f::OpaqueStmt::type_key), "c");
  EXPECT_EQ(text_of(statement), "goto end;");
  ASSERT_TRUE(lost(document, LossCode::unknown_construct));
}

TEST(CStatements, OneOutsideOfTheGrammarEndsWithItsBlocksAndBranches) {
  for (const char* text :
       {"switch (n) { case 1: q[0] = 1; break; default: break; }", "do { q[0] = 1; } while (n);",
        "if (x) { q[0] = 1; } else if (y) { q[0] = 2; } else { q[0] = 3; }",
        "if (x) q[0] = 1; else q[0] = 2;", "for (int k = 9; k > 0; --k) { f(k); }",
        "static const int32_t table[2] = {1, 2};", "again: q[0] = 1;", "weird((1; 2), { 3; });"}) {
    const Document document = read_files({in_kernel("  " + std::string(text) + "\n  q[1] = 1;")});
    EXPECT_EQ(text_of(unknown_in(document)), text);
    EXPECT_TRUE(body_of(document).ends_with("q[1] = 1")) << body_of(document);
  }
}

TEST(CStatements, AFunctionThatDoesNotEndKeepsAllOfItsText) {
  const Document document =
      read_files({kernel_file("TVM_DLL int32_t f(float* p) {\n  if (p[0] {\n  return 0;\n}\n")});
  EXPECT_EQ(text_of(function(document)[f::PrimFunc::body]),
            "TVM_DLL int32_t f(float* p) {\n  if (p[0] {\n  return 0;\n}\n");
}

bool is_inert(std::string_view statement) {
  const Document document = read_files({in_kernel("  " + std::string(statement))});
  const Node inert = unknown_in(document).map(f::OpaqueStmt::fields).find("is_inert");
  return inert.integer(f::IntImm::value) != 0;
}

TEST(CStatements, CountersOfTheUserAreInert) {
  EXPECT_TRUE(is_inert("uint32_t t0 = DWT->CYCCNT;"));
  EXPECT_TRUE(is_inert("volatile unsigned start = (uint32_t)(TIMER->COUNT);"));
  EXPECT_TRUE(is_inert("cycles[3] += DWT->CYCCNT - t0;"));
  EXPECT_TRUE(is_inert("struct sample one;"));
  EXPECT_TRUE(is_inert("cycles += 2;"));
  EXPECT_TRUE(is_inert("cycles -= 2;"));
}

std::string_view callee_of(const Document& document) {
  const Node callee = unknown_in(document).map(f::OpaqueStmt::fields).find("calls");
  return callee ? callee.text(f::String::value) : std::string_view();
}

std::string only_calls(std::string_view statement) {
  return std::string(callee_of(read_files({in_kernel("  " + std::string(statement))})));
}

TEST(CStatements, ACallWithoutArgumentsOfTheFunctionTouchesNothingOfIt) {
  EXPECT_EQ(only_calls("unsigned t0 = read_counter();"), "read_counter");
  EXPECT_EQ(only_calls("uint32_t ms = esp_timer(TIMER->UNIT) / 1000;"), "esp_timer");
  EXPECT_EQ(only_calls("log_cycles(3, t0);"), "log_cycles");
  EXPECT_EQ(only_calls("hooks.begin(3) ;"), "");
  EXPECT_EQ(only_calls("x = (*hook)(3);"), "");
  EXPECT_EQ(only_calls("log_value(missing, p[0]);"), "");
  EXPECT_EQ(only_calls("if (flag) log_cycles(3);"), "");
  EXPECT_EQ(only_calls("uint32_t t0 = DWT->CYCCNT;"), "");
}

TEST(CStatements, WhatMayDoAnythingIsNotInert) {
  EXPECT_FALSE(is_inert("HIDDEN;"));                        // a macro
  EXPECT_FALSE(is_inert("unsigned t0 = read_counter();"));  // a call
  EXPECT_FALSE(is_inert("hooks.begin(3) ;"));
  EXPECT_FALSE(is_inert("x = (*hook)(3);"));
  EXPECT_FALSE(is_inert("x = table[3](1);"));
  EXPECT_FALSE(is_inert("total += q[3];"));  // a tensor
  EXPECT_FALSE(is_inert("const float* copy = p;"));
  EXPECT_FALSE(is_inert("void (*hook)(void) = tvmgen_default_g;"));
  EXPECT_FALSE(is_inert("__asm__ volatile (\"nop\");"));
  EXPECT_FALSE(is_inert("if (flag) x = 1;"));
  EXPECT_FALSE(is_inert("goto end;"));
}

TEST(CStatements, ANameMadeOfATensorIsNotInertEither) {
  const Document document =
      read_files({in_kernel("  const float* copy = p;\n  unsigned x = copy->bits;")});
  const NodeList parts = function(document)[f::PrimFunc::body].list(f::SeqStmt::seq);
  ASSERT_EQ(parts.size(), 2u);
  const Node inert = parts[1].map(f::OpaqueStmt::fields).find("is_inert");
  EXPECT_EQ(inert.integer(f::IntImm::value), 0);
}

TEST(CStatements, AVariableWithoutAValueThatNoBranchSetsIsUnknown) {
  const Document document = read_files({in_kernel("  int32_t t;\n  t = q[0];\n  q[1] = 2;")});
  EXPECT_EQ(body_of(document), "OpaqueStmt; q[1] = 2");
}

TEST(CStatements, AStatusThatIsReturnedIsACheckOfTheCall) {
  const std::string expected =
      "tvm_check_return(0, -1, call_extern(\"tvmgen_default_g\", p):int32); q[0] = 1";
  for (const std::string check :
       {"if (status != 0) return status;", "if (status != 0) { return status; }",
        "if (status) return -1;"}) {
    const std::string call = "  int32_t status = tvmgen_default_g(p);\n  ";
    EXPECT_EQ(statements(call + check + "\n  q[0] = 1;"), expected) << check;
    EXPECT_EQ(statements(call + check + "\n  q[0] = 1;\n  return status;"), expected) << check;
  }
}

TEST(CStatements, ACheckMayReturnAnyOtherNumberThan0) {
  EXPECT_EQ(statements("  if (tvmgen_default_g(p) != 0) { return -2; }\n"),
            "tvm_check_return(0, -2, call_extern(\"tvmgen_default_g\", p):int32)");
  EXPECT_EQ(statements("  if (tvmgen_default_g(p)) return -1;\n"),
            "tvm_check_return(0, -1, call_extern(\"tvmgen_default_g\", p):int32)");
  EXPECT_EQ(statements("  if (tvmgen_default_g(p) != 0) return 0;\n"), "OpaqueStmt");
  const std::string call = "  int32_t rc = tvmgen_default_g(p);\n  if (rc) ";
  for (const std::string then : {"if (tvmgen_default_g(q) != 0) return -1;", "return rc + 1;"}) {
    EXPECT_NE(statements(call + then).find("OpaqueStmt"), std::string::npos) << then;
  }
}

TEST(CStatements, ANameBehindItsBlockIsFree) {
  EXPECT_EQ(statements("  for (int32_t i = 0; i < 4; i++) {\n    q[i] = 1;\n  }\n"
                       "  for (int32_t i = 0; i < 2; i += 1) {\n    q[i] = 2;\n  }"),
            "for (i < 4) { q[i] = 1 }; for (i < 2) { q[i] = 2 }");
  EXPECT_EQ(statements("  for (int32_t i = 0; i < 4; ++i) {\n"
                       "    for (int32_t i = 0; i < 2; ++i) {\n    q[i] = 2;\n  }\n  }"),
            "for (i < 4) { OpaqueStmt }");
}

TEST(CStatements, AVariableThatIsOnlyNamedIsNoStatement) {
  EXPECT_EQ(statements("  (void)p;\n  q[0] = 1;"), "q[0] = 1");
}

TEST(CStatements, AnEarlyEndThatIsNoFailureIsUnknown) {
  EXPECT_EQ(statements("  int32_t status = tvmgen_default_g(p);\n  if (status) return 0;"),
            "let status = call_extern(\"tvmgen_default_g\", p):int32 { OpaqueStmt }");
}

TEST(CStatements, WorkspacesReleasedInAnotherOrderLastUntilTheirBlockEnds) {
  const auto allocate = [](std::string name) {
    return "  void* " + name + " = TVMBackendAllocWorkspace(1, 0, (uint64_t)2048, 2, 32);\n  if (" +
           name + " == NULL) {\n    return -1;\n  }\n";
  };
  const auto release = [](std::string name) {
    return "  if (TVMBackendFreeWorkspace(1, 0, " + name + ") != 0) {\n    return -1;\n  }\n";
  };
  const std::string fill = "  for (int32_t i = 0; i < 4; ++i) {\n    ((float*)a)[i] = p[i];\n  }\n";
  const std::string text = allocate("a") + allocate("b") + fill + release("a") + release("b");
  const Document document = read_files({in_kernel(text)});
  EXPECT_EQ(body_of(document).find("OpaqueStmt"), std::string::npos) << body_of(document);
  EXPECT_TRUE(lost(document, LossCode::unknown_construct));
  const Document usual =
      read_files({in_kernel(allocate("a") + allocate("b") + fill + release("b") + release("a"))});
  EXPECT_EQ(body_of(document), body_of(usual));
  EXPECT_FALSE(lost(usual, LossCode::unknown_construct));
}

}  // namespace
}  // namespace mlf::tir::c
