// Where the calls of main are in C, TIR texts and save_json, and what they look like in another
// order.
#include "replan/call_slots.h"

#include <gtest/gtest.h>

#include "mlf/diagnostics.h"
#include "support/error.h"

namespace mlf::replan {
namespace {

const Symbols kKernels{"f", "g", "h"};

support::SourceText text_of(std::string_view text) {
  return {"archive.tar", "member", text};
}

tir::SourceRange all_of(std::string_view text) {
  return {0, static_cast<std::uint32_t>(text.size())};
}

std::vector<std::string> symbols_of(const CallSlots& slots) {
  std::vector<std::string> symbols;
  for (const CallSlot& call : slots.calls) symbols.push_back(call.symbol);
  return symbols;
}

std::string c_in_order(std::string_view text, const std::vector<std::size_t>& order) {
  const CallSlots slots = slots_in_c(text_of(text), all_of(text), kKernels);
  return with_calls_in_order(text_of(text), slots, order);
}

std::string tir_in_order(std::string_view text, const std::vector<std::size_t>& order) {
  const CallSlots slots = slots_in_text(text_of(text), all_of(text), kKernels);
  return with_calls_in_order(text_of(text), slots, order);
}

std::string place_of_refusal(std::string_view text, const std::vector<std::size_t>& order) {
  const auto result = support::to_result([&] { return c_in_order(text, order); });
  return result ? *result : to_string(result.error());
}

TEST(CallSlots, InCAStatementMoves) {
  const char* const text =
      "int32_t main_(float* a) {\n"
      "  void* s = (&(pool[0]));\n"
      "  if (f(a, s) != 0 ) return -1;\n"
      "  if (g(s) != 0 ) return -1;\n"
      "  return 0;\n}\n";
  EXPECT_EQ(symbols_of(slots_in_c(text_of(text), all_of(text), kKernels)),
            (std::vector<std::string>{"f", "g"}));
  EXPECT_EQ(c_in_order(text, {1, 0}),
            "int32_t main_(float* a) {\n"
            "  void* s = (&(pool[0]));\n"
            "  if (g(s) != 0 ) return -1;\n"
            "  if (f(a, s) != 0 ) return -1;\n"
            "  return 0;\n}\n");
  EXPECT_EQ(c_in_order(text, {0, 1}), text);
}

TEST(CallSlots, APackedCallTakesItsArgumentsWithIt) {
  const char* const text =
      "int32_t main_(void* args) {\n"
      "  void* stack_value = stack;\n"
      "  (((TVMValue*)stack_value)[0].v_handle) = a;\n"
      "  TVMValue ret;\n"
      "  if (f( (TVMValue*) stack_value , &ret) != 0){\n    return -1;\n  }\n"
      "  (((TVMValue*)stack_value)[0].v_handle) = b;\n"
      "  if (g( (TVMValue*) stack_value , &ret) != 0){\n    return -1;\n  }\n"
      "  return 0;\n}\n";
  EXPECT_EQ(c_in_order(text, {1, 0}),
            "int32_t main_(void* args) {\n"
            "  void* stack_value = stack;\n"
            "  (((TVMValue*)stack_value)[0].v_handle) = b;\n"
            "  if (g( (TVMValue*) stack_value , &ret) != 0){\n    return -1;\n  }\n"
            "  (((TVMValue*)stack_value)[0].v_handle) = a;\n"
            "  TVMValue ret;\n"
            "  if (f( (TVMValue*) stack_value , &ret) != 0){\n    return -1;\n  }\n"
            "  return 0;\n}\n");
}

TEST(CallSlots, NothingPassesAnotherStatement) {
  const char* const text =
      "int32_t main_() {\n"
      "  if (f(a) != 0 ) return -1;\n"
      "  count += 1;\n"
      "  if (g(a) != 0 ) return -1;\n"
      "  if (h(a) != 0 ) return -1;\n}\n";
  const std::string place = place_of_refusal(text, {1, 0, 2});
  EXPECT_NE(place.find("something else is between calls"), std::string::npos) << place;
  EXPECT_NE(place.find(":3:3"), std::string::npos) << place;
  // Those behind it may change places.
  EXPECT_NE(place_of_refusal(text, {0, 2, 1}).find("h(a) != 0 ) return -1;\n  if (g(a)"),
            std::string::npos);
}

TEST(CallSlots, InScriptALineMoves) {
  const char* const text =
      "def main(a: T.handle):\n"
      "    T.func_attr({\"global_symbol\": \"main\"})\n"
      "    s: T.handle(\"int8\") = T.address_of(pool[0])\n"
      "    T.evaluate(T.call_extern(\"f\", a, s, dtype=\"int32\"))\n"
      "    T.call_cpacked(\"g\", T.tvm_stack_make_array(s, 1))\n";
  EXPECT_EQ(tir_in_order(text, {1, 0}),
            "def main(a: T.handle):\n"
            "    T.func_attr({\"global_symbol\": \"main\"})\n"
            "    s: T.handle(\"int8\") = T.address_of(pool[0])\n"
            "    T.call_cpacked(\"g\", T.tvm_stack_make_array(s, 1))\n"
            "    T.evaluate(T.call_extern(\"f\", a, s, dtype=\"int32\"))\n");
}

TEST(CallSlots, InLegacyTextTheBracesStay) {
  const char* const text =
      "  {\n    @tir.call_extern(\"f\", a, dtype=int32)\n  }\n"
      "  {\n    @tir.call_extern(\"g\", a, dtype=int32)\n  }\n";
  EXPECT_EQ(tir_in_order(text, {1, 0}),
            "  {\n    @tir.call_extern(\"g\", a, dtype=int32)\n  }\n"
            "  {\n    @tir.call_extern(\"f\", a, dtype=int32)\n  }\n");
}

TEST(CallSlots, ALetBetweenCallsStaysInFrontOfThem) {
  const char* const text =
      "    T.evaluate(T.call_extern(\"f\", a))\n"
      "    s: T.handle(\"int8\") = T.address_of(pool[0])\n"
      "    T.evaluate(T.call_extern(\"g\", s))\n";
  const auto result = support::to_result([&] { return tir_in_order(text, {1, 0}); });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::check_failed);
}

}  // namespace
}  // namespace mlf::replan
