#include "mlf/report.h"

#include <algorithm>

#include "report/call_numbers.h"

namespace mlf {
namespace {

using analysis::Count;

constexpr std::array kCalls{
#define MLF_CALL_MEASURE(name, column, title, unit, sum, value, words) \
  CallMeasureInfo{CallMeasure::name, #name, column, title, unit, MeasureSum::sum, words},
#include "mlf/measures.def"
};

/// Where each number is from.
constexpr std::string_view kValues[] = {
#define MLF_CALL_MEASURE(name, column, title, unit, sum, value, words) #value,
#include "mlf/measures.def"
};

/// Only a compiler determines it.
Count code_of(const ModuleReport& module) {
  return module.code ? compiled_bytes(*module.code, module.code->text) : Count::unknown();
}

constexpr std::array kModules{
#define MLF_MODULE_MEASURE(key, column, label, unit, places, value, words)     \
  ModuleMeasureInfo{key,                                                       \
                    column,                                                    \
                    label,                                                     \
                    unit,                                                      \
                    MeasurePlaces::places,                                     \
                    [](const ModuleReport& module) -> Count { return value; }, \
                    words},
#include "mlf/measures.def"
};

/// The larger one of each of the two bounds.
Count larger(const Count& a, const Count& b) {
  Count result(std::max(a.min, b.min), std::nullopt);
  if (a.max && b.max) result.max = std::max(*a.max, *b.max);
  return result;
}

}  // namespace

std::span<const CallMeasureInfo> call_measures() {
  return kCalls;
}

bool is_of_profile(CallMeasure measure) {
  return kValues[static_cast<std::size_t>(measure)].starts_with("times.");
}

std::span<const ModuleMeasureInfo> module_measures() {
  return kModules;
}

Count total(std::span<const CallReport> calls, CallMeasure measure) {
  const bool is_added = kCalls[static_cast<std::size_t>(measure)].sum == MeasureSum::added;
  Count sum;
  for (const CallReport& call : calls) {
    sum = is_added ? sum + call[measure] : larger(sum, call[measure]);
  }
  return sum;
}

namespace report {

const analysis::KernelCost& unknown_cost() {
  static const analysis::KernelCost cost{.mac = Count::unknown(),
                                         .operations = {},
                                         .index_operations = Count::unknown(),
                                         .index_divisions = Count::unknown(),
                                         .extern_calls = {},
                                         .buffers = {},
                                         .loops = {},
                                         .loaded = Count::unknown(),
                                         .stored = Count::unknown(),
                                         .uncertain = {"it has no TIR"}};
  return cost;
}

CallNumbers call_numbers(const analysis::KernelCost& cost, const analysis::CallMemory& memory,
                         const CallTimes& times) {
  return {
#define MLF_CALL_MEASURE(name, column, title, unit, sum, value, words) value,
#include "mlf/measures.def"
  };
}

}  // namespace report

std::optional<Count> number_of(const DeviceReport& device, const ModuleMeasureInfo& measure) {
  if (measure.key == "ram.io") return device.io;
  if (measure.key == "ram.executor") return device.executor;
  if (measure.key == "ram.heap") return device.heap;
  if (measure.key == "ram.stack") return device.stack;
  return std::nullopt;
}

Count number_of(const KernelReport& kernel, CallMeasure measure) {
  const Count unknown = Count::unknown();
  const analysis::KernelCost& cost = kernel.cost ? *kernel.cost : report::unknown_cost();
  return report::call_numbers(cost, {unknown, unknown, unknown},
                              {})[static_cast<std::size_t>(measure)];
}

}  // namespace mlf
