#include "graph/kernels/callees.h"

#include <algorithm>
#include <array>

#include "support/lookup.h"

namespace mlf::graph {
namespace {

using support::is_among;

constexpr std::array kLibm{
#define MLF_CALLEE(name, operation) std::string_view(name),
#define MLF_FUSED_CALLEE(name) std::string_view(name),
#include "graph/kernels/callees.def"
};

constexpr std::array kOperators{
#define MLF_OPERATOR_CALLEE(name, operation) std::string_view(name),
#include "graph/kernels/callees.def"
};

struct FreeCallee {
  std::string_view name;
  PointerUse pointers;
};
constexpr auto kFree = std::to_array<FreeCallee>({
#define MLF_FREE_CALLEE(name, pointers) {name, PointerUse::pointers},
#include "graph/kernels/callees.def"
});

constexpr std::array kCalling{
#define MLF_CALLING_CALLEE(name) std::string_view(name),
#include "graph/kernels/callees.def"
};

constexpr std::array kLibraries{
#define MLF_LIBRARY_CALLEES(prefix) std::string_view(prefix),
#include "graph/kernels/callees.def"
};

constexpr std::array kLoggingMacros{
#define MLF_LOGGING_MACROS(prefix) std::string_view(prefix),
#include "graph/kernels/callees.def"
};

struct OriginOfNames {
  std::string_view names;
  CalleeOrigin origin;

  bool has(std::string_view name) const {
    for (std::string_view rest = names; !rest.empty();) {
      const std::string_view one = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(one.size() + 1, rest.size()));
      const bool fits =
          one.ends_with('*') ? name.starts_with(one.substr(0, one.size() - 1)) : name == one;
      if (fits) return true;
    }
    return false;
  }
};
constexpr auto kOriginsOfCallees = std::to_array<OriginOfNames>({
#define MLF_ORIGIN(names, origin) {names, CalleeOrigin::origin},
#include "graph/kernels/callees.def"
});

template <class Prefixes>
bool begins_as_one(std::string_view name, const Prefixes& prefixes) {
  return std::ranges::any_of(prefixes,
                             [&](std::string_view prefix) { return name.starts_with(prefix); });
}

/// With the name of an operator, or with an `f` behind it for float32.
bool is_of_libm(std::string_view name) {
  if (is_among(kLibm, name)) return true;
  return name.ends_with('f') && is_among(kLibm, name.substr(0, name.size() - 1));
}

}  // namespace

bool is_arithmetic(std::string_view name) {
  return is_of_libm(name) || is_among(kOperators, name);
}

CalleeOrigin origin_of(std::string_view name) {
  if (is_of_libm(name)) return CalleeOrigin::libm;
  const auto* const row = std::ranges::find_if(
      kOriginsOfCallees, [&](const OriginOfNames& one) { return one.has(name); });
  if (row != kOriginsOfCallees.end()) return row->origin;
  if (!name.starts_with("__")) return CalleeOrigin::unknown;
  // Such names are those of compilers; CMSIS-Core's are the instructions, in capitals.
  const bool is_instruction =
      std::ranges::none_of(name, [](char c) { return c >= 'a' && c <= 'z'; });
  return is_instruction ? CalleeOrigin::cmsis : CalleeOrigin::compiler;
}

std::string_view to_string(CalleeOrigin origin) {
  return support::name_in({"libm", "c-library", "compiler", "tvm", "cmsis", "ethos-u", "unknown"},
                          origin);
}

bool is_free_callee(std::string_view name) {
  return std::ranges::find(kFree, name, &FreeCallee::name) != kFree.end();
}

bool is_calling(std::string_view op) {
  return is_among(kCalling, op);
}

bool is_of_library(std::string_view symbol) {
  return begins_as_one(symbol, kLibraries);
}

bool is_logging_macro(std::string_view name) {
  return begins_as_one(name, kLoggingMacros);
}

PointerUse pointer_use(std::string_view name) {
  const auto* const row = std::ranges::find(kFree, name, &FreeCallee::name);
  return row == kFree.end() ? PointerUse::accessed : row->pointers;
}

}  // namespace mlf::graph
