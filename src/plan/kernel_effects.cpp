#include "plan/kernel_effects.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "graph/node_queries.h"
#include "mlf/tir/visit.h"

namespace mlf::plan {
namespace {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

// Functions of math.h that TVM's intrinsics become in C, without the `f` of their float forms
// (src/target/intrin_rule.cc). In C, call_pure_extern and call_extern look the same.
constexpr std::array<std::string_view, 33> kMath{
    "acos", "acosh", "asin",  "asinh", "atan",      "atan2", "atanh", "ceil",  "copysign",
    "cos",  "cosh",  "erf",   "exp",   "exp10",     "exp2",  "fabs",  "fma",   "fmod",
    "log",  "log10", "log1p", "log2",  "nearbyint", "pow",   "rint",  "round", "sin",
    "sinh", "sqrt",  "tan",   "tanh",  "trunc",     "floor"};

constexpr std::array<std::string_view, 2> kRuntime{"TVMBackendAllocWorkspace",
                                                   "TVMBackendFreeWorkspace"};

bool is_harmless(std::string_view function) {
  const auto is_math = [](std::string_view name) {
    return std::ranges::find(kMath, name) != kMath.end();
  };
  if (is_math(function)) return true;
  if (function.ends_with('f') && is_math(function.substr(0, function.size() - 1))) return true;
  return std::ranges::find(kRuntime, function) != kRuntime.end();
}

/// Operators of TIR compute; those that call something are another matter.
bool may_have_effects(Node call) {
  const std::string_view op = graph::operator_of(call);
  if (op.empty()) return true;
  if (op == "call_extern") {
    const tir::NodeList args = call.list(f::Call::args);
    return args.empty() || !is_harmless(graph::string_of(args[0]));
  }
  if (op.find("pure") != std::string_view::npos) return false;
  return op.starts_with("call_") || op.starts_with("tvm_call_");
}

}  // namespace

bool has_no_other_effects(Node function) {
  bool is_known = true;
  tir::for_each_post_order(function[f::PrimFunc::body], [&](Node node) {
    if (node.is(Kind::Call) && may_have_effects(node)) is_known = false;
  });
  return is_known;
}

}  // namespace mlf::plan
