// Where the calls of main are in C and TIR texts, and what they look like in another order.
#include "edit/call_slots.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "mlf/diagnostics.h"
#include "support/error.h"

namespace mlf::edit {
namespace {

const Symbols kKernels{"f", "g", "h"};

struct Main {
  tir::Document document;
  std::vector<CallSlot> slots;
};

/// The text has one function, which is main.
Main read_main(std::string_view text) {
  tir::Places places;
  tir::Document document =
      tir::read_with_places({.file = "archive.tar", .member = "member", .text = text}, {}, places);
  const tir::Node main = tir::prim_functions_of(document.module).begin()->function;
  std::vector<CallSlot> slots = call_slots(main, &places, kKernels);
  return {std::move(document), std::move(slots)};
}

std::vector<std::string> symbols_of(std::string_view text) {
  std::vector<std::string> symbols;
  for (const CallSlot& slot : read_main(text).slots) symbols.push_back(slot.symbol);
  return symbols;
}

std::string in_order(std::string_view text, const std::vector<std::size_t>& order) {
  const Main main = read_main(text);
  EXPECT_EQ(main.slots.size(), order.size());
  const support::SourceText source{"archive.tar", "member", text};
  check_order(main.slots, order);
  return apply(text, edits_in_order(source, main.document.source.dialect, main.slots, order));
}

std::string refusal_of(std::string_view text, const std::vector<std::size_t>& order) {
  const auto result = support::to_result([&] { return in_order(text, order); });
  if (result) return *result;
  EXPECT_EQ(result.error().kind, ErrorKind::check_failed);
  return to_string(result.error());
}

/// Generated C whose main has these statements.
std::string c_main(std::string_view statements) {
  return fmt::format(
      "// tvm target: c -keys=cpu \n"
      "TVM_DLL int32_t tvmgen_default___tvm_main__(float* a_buffer_var, uint8_t* pool_1_var) {{\n"
      "{}  return 0;\n}}\n",
      statements);
}

TEST(CallSlots, InCAStatementMoves) {
  const std::string text = c_main(
      "  void* s = (&(pool_1_var[0]));\n"
      "  if (f(a_buffer_var, s) != 0 ) return -1;\n"
      "  if (g(s) != 0 ) return -1;\n");
  EXPECT_EQ(symbols_of(text), (std::vector<std::string>{"f", "g"}));
  EXPECT_EQ(in_order(text, {1, 0}), c_main("  void* s = (&(pool_1_var[0]));\n"
                                           "  if (g(s) != 0 ) return -1;\n"
                                           "  if (f(a_buffer_var, s) != 0 ) return -1;\n"));
  EXPECT_EQ(in_order(text, {0, 1}), text);
}

TEST(CallSlots, InCCommentsBetweenCallsStay) {
  EXPECT_EQ(in_order(c_main("  if (f(a_buffer_var) != 0 ) return -1;\n"
                            "  // one /* and */\n"
                            "  /* another */ if (g(a_buffer_var) != 0 ) return -1;\n"),
                     {1, 0}),
            c_main("  if (g(a_buffer_var) != 0 ) return -1;\n"
                   "  // one /* and */\n"
                   "  /* another */ if (f(a_buffer_var) != 0 ) return -1;\n"));
}

/// The statements of TVM around a packed call of `kernel` with one number.
std::string packed_call(std::string_view kernel, int number) {
  return fmt::format(
      "  (((TVMValue*)stack_value)[0].v_int64) = (int64_t){1};\n"
      "  ((int32_t*)stack_tcode)[0] = 0;\n"
      "  TVMValue ret_val{1};\n"
      "  int ret_type_code{1};\n"
      "  if ({0}( (TVMValue*) stack_value , (int*) stack_tcode, 1, &ret_val{1}, &ret_type_code{1}, "
      "NULL) != 0){{\n    return -1;\n  }}\n",
      kernel, number);
}

TEST(CallSlots, APackedCallTakesItsArgumentsWithIt) {
  const std::string stack =
      "  TVMValue stack[1];\n"
      "  void* stack_tcode = stack;\n"
      "  TVMValue stack1[1];\n"
      "  void* stack_value = stack1;\n"
      "  void* s = (&(pool_1_var[0]));\n";
  EXPECT_EQ(in_order(c_main(stack + packed_call("f", 1) + packed_call("g", 2)), {1, 0}),
            c_main(stack + packed_call("g", 2) + packed_call("f", 1)));
}

/// The text of each callee, and what is behind it.
std::vector<std::string> callees_in(std::string_view text) {
  std::vector<std::string> callees;
  for (const CallSlot& slot : read_main(text).slots) {
    const tir::SourceRange range = slot.callee ? slot.callee->range : tir::SourceRange{};
    callees.emplace_back(text.substr(range.begin, range.end + 1 - range.begin));
  }
  return callees;
}

TEST(CallSlots, InCTheCalleeIsTheNameBeforeTheParenthesis) {
  EXPECT_EQ(callees_in(c_main("  if (/* f(x) */ f(a_buffer_var) != 0 ) return -1;\n"
                              "  if (g (a_buffer_var) != 0 ) return -1;\n")),
            (std::vector<std::string>{"f(", "g "}));
  const std::string stack =
      "  TVMValue stack[1];\n"
      "  void* stack_tcode = stack;\n"
      "  TVMValue stack1[1];\n"
      "  void* stack_value = stack1;\n";
  EXPECT_EQ(callees_in(c_main(stack + packed_call("f", 1) + packed_call("g", 2))),
            (std::vector<std::string>{"f(", "g("}));
}

TEST(CallSlots, NothingPassesAnotherStatement) {
  const std::string text = c_main(
      "  if (f(a_buffer_var) != 0 ) return -1;\n"
      "  a_buffer_var[0] = 1.000000e+00f;\n"
      "  if (g(a_buffer_var) != 0 ) return -1;\n"
      "  if (h(a_buffer_var) != 0 ) return -1;\n");
  const std::string refusal = refusal_of(text, {1, 0, 2});
  EXPECT_NE(refusal.find("something else is between calls"), std::string::npos) << refusal;
  // Those behind it may change places.
  EXPECT_NE(
      in_order(text, {0, 2, 1}).find("h(a_buffer_var) != 0 ) return -1;\n  if (g(a_buffer_var)"),
      std::string::npos);
}

TEST(CallSlots, NothingPassesAPreprocessorLine) {
  EXPECT_NE(refusal_of(c_main("  if (f(a_buffer_var) != 0 ) return -1;\n"
                              "#line 9\n"
                              "  if (g(a_buffer_var) != 0 ) return -1;\n"),
                       {1, 0})
                .find("something else is between calls"),
            std::string::npos);
}

TEST(CallSlots, NothingPassesADeclarationThatTheIrDoesNotHave) {
  const std::string refusal = refusal_of(c_main("  if (f(a_buffer_var) != 0 ) return -1;\n"
                                                "  TVMValue stack[1];\n"
                                                "  if (g(a_buffer_var) != 0 ) return -1;\n"),
                                         {1, 0});
  EXPECT_NE(refusal.find("something else is between calls"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find(":4:3"), std::string::npos) << refusal;
}

TEST(CallSlots, CallsUnderAConditionOrInALoopAreNone) {
  EXPECT_EQ(symbols_of(c_main("  if (f(a_buffer_var) != 0 ) return -1;\n"
                              "  for (int32_t i = 0; i < 2; ++i) {\n"
                              "    if (g(a_buffer_var) != 0 ) return -1;\n"
                              "  }\n"
                              "  if (h(a_buffer_var) != 0 ) return -1;\n")),
            (std::vector<std::string>{"f", "h"}));
}

constexpr std::string_view kScriptHead =
    "# from tvm.script import ir as I\n"
    "# from tvm.script import tir as T\n"
    "\n"
    "@I.ir_module\n"
    "class Module:\n"
    "    @T.prim_func\n"
    "    def __tvm_main__(a: T.handle, pool_1_var: T.handle(\"uint8\")):\n"
    "        T.func_attr({\"global_symbol\": \"tvmgen_default___tvm_main__\"})\n"
    "        pool = T.match_buffer(pool_1_var, (64,), \"uint8\")\n";

std::string script(std::string_view statements) {
  return std::string(kScriptHead) + std::string(statements);
}

TEST(CallSlots, InScriptALineMoves) {
  const std::string let = "        s: T.handle(\"int8\") = T.address_of(pool[0])\n";
  const std::string first = "        T.evaluate(T.call_extern(\"int32\", \"f\", a, s))\n";
  const std::string second =
      "        T.call_cpacked(\"g\", T.tvm_stack_make_array(s, T.tvm_stack_make_shape(1), 0, 1, "
      "T.float32(0), 0))  # of g\n";
  EXPECT_EQ(in_order(script(let + first + second), {1, 0}),
            script(let + "        T.call_cpacked(\"g\", T.tvm_stack_make_array(s, "
                         "T.tvm_stack_make_shape(1), 0, 1, T.float32(0), 0))\n"
                         "        T.evaluate(T.call_extern(\"int32\", \"f\", a, s))  # of g\n"));
}

TEST(CallSlots, ALetBetweenCallsStaysInFrontOfThem) {
  EXPECT_NE(refusal_of(script("        T.evaluate(T.call_extern(\"int32\", \"f\", a))\n"
                              "        s: T.handle(\"int8\") = T.address_of(pool[0])\n"
                              "        T.evaluate(T.call_extern(\"int32\", \"g\", s))\n"),
                       {1, 0})
                .find("something else is between calls"),
            std::string::npos);
}

/// Whether each call follows the one before it, in a TIR without a text.
std::vector<bool> follows_in(std::string_view text) {
  const tir::Document document = read_main(text).document;
  std::vector<bool> follows;
  const tir::Node main = tir::prim_functions_of(document.module).begin()->function;
  for (const CallSlot& slot : call_slots(main, nullptr, kKernels)) follows.push_back(slot.follows);
  return follows;
}

TEST(CallSlots, FollowEachOtherWhereNothingIsBetweenThem) {
  const auto call = [](std::string_view kernel, int indent) {
    return fmt::format("{:{}}T.evaluate(T.call_extern(\"int32\", \"{}\", a))\n", "", indent,
                       kernel);
  };
  EXPECT_EQ(follows_in(script(call("f", 8) + call("g", 8) + call("h", 8))),
            (std::vector<bool>{false, true, true}));
  // A scope that begins, and one that ends.
  const std::string scope = "        with T.attr(0, \"scope\", 1):\n";
  EXPECT_EQ(follows_in(script(call("f", 8) + scope + call("g", 12) + call("h", 8))),
            (std::vector<bool>{false, false, false}));
}

TEST(CallSlots, InLegacyTextTheBracesStay) {
  const std::string head =
      "@tvmgen_default___tvm_main__ = primfn(a: handle) -> ()\n"
      "  attr = {\"global_symbol\": \"tvmgen_default___tvm_main__\"} {\n";
  const std::string f = "@tir.call_extern(\"f\", a, dtype=int32)";
  const std::string g = "@tir.call_extern(\"g\", a, dtype=int32)";
  EXPECT_EQ(in_order(head + "  " + f + "\n  " + g + "\n}\n", {1, 0}),
            head + "  " + g + "\n  " + f + "\n}\n");
}

}  // namespace
}  // namespace mlf::edit
