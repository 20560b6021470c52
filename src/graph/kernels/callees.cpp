#include "graph/kernels/callees.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "graph/node_queries.h"

namespace mlf::graph {
namespace {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

constexpr std::array kWorking{
#define MLF_CALLEE(name, operation) std::string_view(name),
#include "graph/kernels/callees.def"
};
constexpr std::array kFree{
#define MLF_FREE_CALLEE(name) std::string_view(name),
#include "graph/kernels/callees.def"
};
constexpr std::array kCalling{
#define MLF_CALLING_CALLEE(name) std::string_view(name),
#include "graph/kernels/callees.def"
};
constexpr std::array kLibraries{
#define MLF_LIBRARY_CALLEES(prefix) std::string_view(prefix),
#include "graph/kernels/callees.def"
};

bool is_among(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_known_name(std::string_view name) {
  if (is_among(kWorking, name) || is_among(kFree, name)) return true;
  return name.ends_with('f') && is_among(kWorking, name.substr(0, name.size() - 1));
}

bool is_of_library(std::string_view name) {
  return std::any_of(kLibraries.begin(), kLibraries.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace

// Instructions of LLVM have no memory of their own.
std::string unknown_callee(Node call) {
  const Node op = call[f::Call::op];
  if (op.is(Kind::GlobalVar)) return std::string(op.text(f::GlobalVar::name_hint));
  const std::string_view name = operator_of(call);
  if (!is_among(kCalling, name)) return is_known_name(name) ? std::string() : std::string(name);
  if (name.starts_with("call_llvm_")) return {};
  const tir::NodeList args = call.list(f::Call::args);
  const std::string_view symbol = args.empty() ? std::string_view() : string_of(args[0]);
  if (symbol.empty()) return std::string(name);
  return is_known_name(symbol) || is_of_library(symbol) ? std::string() : std::string(symbol);
}

}  // namespace mlf::graph
