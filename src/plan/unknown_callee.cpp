#include "plan/unknown_callee.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "analysis/cost/callees.h"
#include "graph/node_queries.h"

namespace mlf::plan {
namespace {

using tir::Node;

// What they cost is known, which is nothing, and so is that they do more than compute: a registry
// keeps its pointers, and a clock or a device is the same for all kernels.
constexpr std::array<std::string_view, 4> kHasEffects{"TVMFuncRegisterGlobal", "__tvm_set_device",
                                                      "start_profile_intrinsic",
                                                      "end_profile_intrinsic"};

// Functions of math.h that TVM's intrinsics become in C (src/target/intrin_rule.cc), and of which
// nobody needs to know what they cost.
constexpr std::array<std::string_view, 2> kComputes{"fma", "fmaf"};

template <class Names>
bool is_among(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

std::optional<std::string> unknown_callee(Node call) {
  analysis::Callee callee = analysis::callee_of(call);
  const std::string_view op = graph::operator_of(call);
  const bool has_effects = is_among(kHasEffects, callee.symbol) || is_among(kHasEffects, op);
  const bool is_known = callee.is_known || is_among(kComputes, callee.symbol);
  if (is_known && !has_effects) return std::nullopt;
  return callee.symbol.empty() ? std::string(op) : std::move(callee.symbol);
}

bool is_pure(Node call) {
  return graph::operator_of(call).find("pure") != std::string_view::npos;
}

}  // namespace mlf::plan
