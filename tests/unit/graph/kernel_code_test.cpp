// What the one reading of a kernel says about its code, for all that ask about it.
#include "graph/kernels/kernel_code.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "graph/kernels/body_scan.h"
#include "mlf/tir/builder.h"
#include "mlf/tir/document.h"

namespace mlf::graph {
namespace {

std::shared_ptr<const tir::Document> document_of(std::string_view body) {
  const std::string text =
      "# from tvm.script import tir as T\n\n@T.prim_func\n"
      "def f(A: T.Buffer((100,), \"float32\"), B: T.Buffer((100,), \"float32\")):\n" +
      std::string(body);
  auto document = tir::read({.file = "f", .member = "", .text = text});
  if (!document) throw std::runtime_error(to_string(document.error()));
  return std::make_shared<const tir::Document>(*std::move(document));
}

/// "R0 W1": the parameters that are read and written, in the order of the code; "g" behind a read
/// or write that only a condition permits, "l" in a loop or under a condition.
std::string accesses(const KernelCode& code) {
  std::string text;
  for (const MemoryAccess& one : code.accesses) {
    const Control& control = code.control(one.position);
    text += text.empty() ? "" : " ";
    text += one.is_read ? "R" : one.is_written ? "W" : "?";
    text += std::to_string(one.address.root);
    text += control.is_guarded ? "g" : control.may_be_inside ? "l" : "";
  }
  return text;
}

std::string accesses(std::string_view body) {
  const auto document = document_of(body);
  return accesses(KernelCode(document->module.root().map(tir::f::IRModule::functions).value(0)));
}

TEST(KernelCode, LoadsComeBeforeTheStoreOfTheirStatement) {
  EXPECT_EQ(accesses("    B[0] = A[0] + B[1]\n    A[0] = B[0]\n"), "R0 R1 W1 R1 W0");
}

TEST(KernelCode, TheConditionItselfIsNotUnderIt) {
  EXPECT_EQ(accesses("    if A[0] < T.float32(1):\n        B[0] = A[1]\n"), "R0 R0g W1g");
  EXPECT_EQ(accesses("    B[0] = T.if_then_else(A[0] < T.float32(1), A[1], A[2])\n"),
            "R0 R0g R0g W1");
}

TEST(KernelCode, ValuesOfASelectMayNotBeEvaluated) {
  EXPECT_EQ(accesses("    B[0] = T.Select(A[0] < T.float32(1), A[1], A[2])\n"), "R0 R0g R0g W1");
}

TEST(KernelCode, LoopsAreAroundTheirBodies) {
  EXPECT_EQ(accesses("    for i in range(4):\n        B[i] = A[i]\n    B[9] = A[9]\n"),
            "R0l W1l R0 W1");
}

TEST(KernelCode, LoopsAndConditionsAroundAnAccessAreANest) {
  const auto document = document_of(
      "    for i in range(4):\n        j: T.int32 = i * 2\n        if j < 5:\n"
      "            B[j] = A[j]\n");
  const KernelCode code(document->module.root().map(tir::f::IRModule::functions).value(0));
  IterationDomain around = code.around(code.accesses.back().position);
  around.compile(code.bindings);
  const auto nest = around.nest();
  ASSERT_TRUE(nest);
  EXPECT_EQ(nest->loops.size(), 1u);
  std::uint64_t steps = 100;
  EXPECT_EQ(count_iterations(*nest, steps)->all, 3u);
}

/// Of two lets of one pointer, the outer one binds `A`, the inner one the value that `second`
/// makes.
void expect_several_targets(bool second_is_known, std::string_view expected) {
  tir::Builder make;
  using tir::Kind;
  using tir::NodeId;
  const tir::DType i32 = tir::DType::Int(32);
  const auto var = [&](std::string_view name) {
    return make.make(Kind::Var, {tir::DType::Handle(), make.string(name), NodeId::none});
  };
  const NodeId a = var("A");
  const NodeId b = var("B");
  const NodeId p = var("p");
  const NodeId zero = make.make(Kind::IntImm, {i32, 0});
  const NodeId mask = make.make(Kind::IntImm, {tir::DType::Bool(), 1});
  // One Load in two statements, the first of which writes what the second one reads.
  const NodeId load = make.make(Kind::Load, {i32, a, zero, mask});
  const NodeId first = make.make(Kind::Store, {a, load, zero, mask});
  const NodeId second = make.make(Kind::Store, {p, load, zero, mask});
  const NodeId target =
      second_is_known ? b : make.make(Kind::Load, {tir::DType::Handle(), b, zero, mask});
  const NodeId inner = make.make(Kind::LetStmt, {p, target, second});
  const NodeId outer =
      make.make(Kind::LetStmt, {p, a, make.make(Kind::SeqStmt, {make.list({first, inner})})});
  const NodeId function = make.make(
      Kind::PrimFunc, {make.list({a, b}), NodeId::none, make.map(std::vector<tir::NodePair>{}),
                       make.map(std::vector<tir::NodePair>{}), NodeId::none, outer});
  const tir::Module module = std::move(make).finish(function);
  const KernelCode code(module.root());
  ASSERT_EQ(code.rebound.size(), 1u);
  EXPECT_EQ(code.rebound[0].text(tir::f::Var::name), "p");
  // A load that two statements share counts at the first one.
  EXPECT_EQ(accesses(code), expected);
  const BodyScan scan = scan_body(code);
  EXPECT_EQ(scan.gaps, std::vector<std::string>{"'p' points to several places"});
  EXPECT_TRUE(scan.effects.at(0).is_open);
}

TEST(KernelCode, APointerWithTwoTargetsIsNamed) {
  expect_several_targets(true, "R0 W0 W1");
  expect_several_targets(false, "R0 W0 R1 W0");
}

TEST(DocumentCode, ReadsEachFunctionOnce) {
  const auto document = document_of("    B[0] = A[0]\n");
  const DocumentCode code(document);
  const tir::Node function = code.find("f");
  ASSERT_TRUE(function);
  EXPECT_EQ(&code.code_of(function), &code.code_of(function));
  EXPECT_FALSE(code.find("g"));
}

}  // namespace
}  // namespace mlf::graph
