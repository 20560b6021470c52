#include "mlf/report.h"

#include <fmt/core.h>

#include <algorithm>

#include "report/shared_numbers.h"

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

// --- Quotients of numbers of a profile -----------------------------------------------------------

std::optional<double> quotient(std::optional<std::uint64_t> part,
                               std::optional<std::uint64_t> whole) {
  if (!part || !whole || *whole == 0) return std::nullopt;
  return static_cast<double>(*part) / static_cast<double>(*whole);
}

/// The part of `own` in the sum of both.
Ratio part_of(const Count& own, const Count& others) {
  Ratio part{.min = 0, .max = 1};
  if (others.max) part.min = quotient(own.min, own.min + *others.max).value_or(0);
  if (own.max) part.max = quotient(own.max, *own.max + others.min).value_or(1);
  return part;
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

Count report::larger(const Count& a, const Count& b) {
  Count result(std::max(a.min, b.min), std::nullopt);
  if (a.max && b.max) result.max = std::max(*a.max, *b.max);
  return result;
}

Count total(std::span<const CallReport> calls, CallMeasure measure) {
  const bool is_added = kCalls[static_cast<std::size_t>(measure)].sum == MeasureSum::added;
  Count sum;
  for (const CallReport& call : calls) {
    sum = is_added ? sum + call[measure] : report::larger(sum, call[measure]);
  }
  return sum;
}

namespace report {

const analysis::KernelCost& unknown_cost() {
  static const analysis::KernelCost cost{.mac = Count::unknown(),
                                         .operations = {},
                                         .index_operations = Count::unknown(),
                                         .index_divisions = Count::unknown(),
                                         .float_operations = Count::unknown(),
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

std::string to_string(const Ratio& ratio) {
  const std::string min = fmt::format("{:.1f}", ratio.min);
  if (!ratio.max) return ">=" + min;
  const std::string max = fmt::format("{:.1f}", *ratio.max);
  return min == max ? min : min + ".." + max;
}

CallMeasure counted_measure(const ModuleReport& module) {
  const CallTimes times = module.call_times();
  const auto has = [](const Count& count) { return count.is_known() || count.min > 0; };
  if (has(times.instructions)) return CallMeasure::instructions;
  return has(times.cycles) ? CallMeasure::cycles : CallMeasure::nanoseconds;
}

std::optional<Ratio> share_of(const ModuleReport& module, std::span<const graph::CallId> calls) {
  if (!module.times) return std::nullopt;
  const CallMeasure measure = counted_measure(module);
  std::vector<bool> is_own(module.calls.size());
  for (const graph::CallId call : calls) is_own[graph::index(call)] = true;
  Count own;
  Count others;
  for (std::size_t i = 0; i < module.calls.size(); ++i) {
    (is_own[i] ? own : others) += module.calls[i][measure];
  }
  return part_of(own, others);
}

std::optional<Ratio> bytes_per_mac(const analysis::KernelCost& cost) {
  if (!cost.mac.is_exact() || cost.mac.min == 0) return std::nullopt;
  const Count bytes = cost.loaded + cost.stored;
  return Ratio{*quotient(bytes.min, cost.mac.min), quotient(bytes.max, cost.mac.min)};
}

std::optional<Ratio> per_mac(const ModuleReport& module, const CallReport& call) {
  const Count& mac = call[CallMeasure::mac];
  if (!module.times || !mac.is_exact() || mac.min == 0) return std::nullopt;
  const Count& own = call[counted_measure(module)];
  return Ratio{*quotient(own.min, mac.min), quotient(own.max, mac.min)};
}

}  // namespace mlf
