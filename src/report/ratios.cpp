// Quotients of numbers of a profile.
#include <fmt/core.h>

#include <vector>

#include "mlf/report.h"

namespace mlf {
namespace {

using analysis::Count;

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

std::optional<Ratio> per_mac(const ModuleReport& module, const CallReport& call) {
  const Count& mac = call[CallMeasure::mac];
  if (!module.times || !mac.is_exact() || mac.min == 0) return std::nullopt;
  const Count& own = call[counted_measure(module)];
  return Ratio{*quotient(own.min, mac.min), quotient(own.max, mac.min)};
}

}  // namespace mlf
