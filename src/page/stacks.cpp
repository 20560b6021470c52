// RAM, flash and arithmetic as a bar each; the width of a part is its size.
#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "mlf/budget.h"
#include "page/parts.h"
#include "report/shared_numbers.h"
#include "support/digits.h"
#include "support/lookup.h"

namespace mlf::page {
namespace {

using analysis::Count;

struct Part {
  std::string name;
  Count amount;
  std::string look;    ///< class of its colour
  std::string link{};  ///< id of the place that shows it; empty: none

  /// Its width.
  std::uint64_t size() const { return amount.min; }
};

/// The smaller of two numbers.
Count smaller_of(const Count& a, const Count& b) {
  if (!a.max || !b.max) return {std::min(a.min, b.min), a.max ? a.max : b.max};
  return {std::min(a.min, b.min), std::min(*a.max, *b.max)};
}

struct Bar {
  std::string title;
  Count total;
  std::string_view unit = "bytes";
  std::string missing{};  ///< the part that the total lacks, because its size is unknown
  std::vector<Part> parts{};

  /// Omits empty parts.
  void add(Part part) {
    if (part.amount != Count(0)) parts.push_back(std::move(part));
  }

  /// Sets the total, and adds what the parts lack of it.
  void complete(const Count& all) {
    Count known;
    for (const Part& part : parts) known += part.amount;
    total = all;
    add({"other data and padding", report::without(all, known), "t5"});
  }
};

/// The bytes of workspaces at the peak.
Count scratch_at_peak(const ModuleReport& module) {
  const auto tensors = analysis::live_tensors(*module.network, *module.peak.call);
  const bool has_some =
      std::ranges::count(tensors, analysis::LiveRole::scratch, &analysis::LiveTensor::role) > 0;
  return has_some ? module.calls[index(*module.peak.call)][CallMeasure::scratch] : Count();
}

/// Planned or allocated memory at the peak, and memory that is always in use.
Bar ram_bar(const ModuleReport& module) {
  const RamReport& ram = module.ram;
  Bar bar{.title = "RAM", .total = ram.total()};
  const Count taken = ram.pools + ram.executor + ram.heap + ram.stack;
  const Count live = smaller_of(module.peak.bytes, taken);
  const Count scratch = module.peak.call ? smaller_of(scratch_at_peak(module), live) : Count(0);
  bar.add({"tensors at the peak", report::without(live, scratch), "t0"});
  bar.add({"workspaces at the peak", scratch, "scratch"});
  bar.add({"not in use at the peak", report::without(taken, live), "rest"});
  bar.add({"inputs and outputs", ram.io, "t1"});
  bar.add({"arguments of packed calls", ram.arguments, "t2"});
  if (!module.code) {
    bar.missing = "stack frames";
    return bar;
  }
  // Frames contain the arrays on the stack.
  const Count arrays = ram.stack + ram.arguments;
  bar.add({"stack frames without arrays", report::without(stack_frames(module), arrays), "t4"});
  bar.complete(needed(module, Resource::ram));
  return bar;
}

/// The bytes of constants, by kernel. A place in a pool counts once, at the first kernel that reads
/// it.
std::vector<Count> weights_by_kernel(const graph::Topology& network) {
  std::vector<Count> bytes(network.kernels.size());
  std::set<std::pair<std::size_t, std::uint64_t>> places;
  const auto add = [&](graph::KernelId kernel, const auto& one, std::optional<std::uint64_t> size) {
    const bool is_placed = one.pool && one.offset;
    if (is_placed && !places.insert({index(*one.pool), *one.offset}).second) return;
    bytes[index(kernel)] += analysis::to_count(size);
  };
  std::set<graph::KernelId> seen;
  for (const graph::Call& call : network.calls) {
    if (!seen.insert(call.kernel).second) continue;
    for (const graph::KernelBuffer& one : network.kernel_of(call).constants) {
      add(call.kernel, one, one.bytes);
    }
  }
  for (const graph::Value& value : network.values) {
    if (value.kind != graph::ValueKind::constant || value.consumers.empty()) continue;
    const graph::Endpoint& reader = value.consumers.front();
    if (reader.kind != graph::EndpointKind::call) continue;
    add(network.calls[reader.step].kernel, network[value.storage], value.bytes);
  }
  return bytes;
}

/// The name of a kernel's first call.
std::string name_of(const ModuleReport& module, std::size_t kernel) {
  const auto call = std::ranges::find(module.calls, kernel, &CallReport::kernel);
  return call == module.calls.end() ? module.kernels[kernel].short_name : call_name(module, *call);
}

/// The numbers with the largest minima.
struct Largest {
  std::vector<std::size_t> positions;  ///< in ascending order
  std::size_t others = 0;              ///< how many others are not 0
};

Largest largest_of(const std::vector<Count>& numbers) {
  constexpr std::size_t kMost = 6;
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] != Count(0)) positions.push_back(i);
  }
  std::ranges::stable_sort(positions, std::greater(),
                           [&](std::size_t i) { return numbers[i].min; });
  const std::size_t others = positions.size() > kMost ? positions.size() - kMost : 0;
  positions.resize(positions.size() - others);
  std::ranges::sort(positions);
  return {std::move(positions), others};
}

/// The kernels with the most constants in the order of the network, and all others together.
void add_weights(Bar& bar, const ModuleView& module) {
  const std::vector<Count> bytes = weights_by_kernel(*module.report.network);
  const auto& [largest, others] = largest_of(bytes);
  Count rest = module.report.flash.constants;
  for (std::size_t at = 0; at < largest.size(); ++at) {
    const std::size_t kernel = largest[at];
    const Count its = smaller_of(bytes[kernel], rest);
    rest = report::without(rest, its);
    bar.add({name_of(module.report, kernel), its, fmt::format("t{}", at),
             module.kernel_id(module.report.kernels[kernel])});
  }
  bar.add({others > 0 ? fmt::format("constants of {} more kernels", others) : "other constants",
           rest, "rest"});
}

Bar flash_bar(const ModuleView& module) {
  const ModuleReport& report = module.report;
  Bar bar{.title = "Flash", .total = report.flash.constants + report.flash.copies};
  add_weights(bar, module);
  bar.add({"copies of constants", report.flash.copies, "copies"});
  if (!report.code) {
    bar.missing = "code";
    return bar;
  }
  bar.add({"code", compiled_bytes(*report.code, report.code->text), "scratch"});
  bar.complete(needed(report, Resource::flash));
  return bar;
}

/// The calls with the most multiply-accumulates in execution order, and all others together.
Bar arithmetic_bar(const ModuleView& module) {
  const ModuleReport& report = module.report;
  Bar bar{.title = "Arithmetic", .total = report.mac, .unit = "multiply-accumulates"};
  std::vector<Count> macs;
  for (const CallReport& call : report.calls) macs.push_back(call[CallMeasure::mac]);
  const auto& [largest, others] = largest_of(macs);
  Count rest;
  for (std::size_t i = 0; i < report.calls.size(); ++i) {
    if (!support::is_among(largest, i)) rest += report.calls[i][CallMeasure::mac];
  }
  for (std::size_t at = 0; at < largest.size(); ++at) {
    const std::size_t number = largest[at];
    const CallReport& call = report.calls[number];
    bar.add({fmt::format("call {}, {}", number, call_name(report, call)), macs[number],
             fmt::format("t{}", at), module.call_id(number)});
  }
  bar.add({fmt::format("{} more calls", others), rest, "rest"});
  return bar;
}

std::string heading(const Bar& bar) {
  return fmt::format("{}: {} {}{}", bar.title, number_text(bar.total), bar.unit,
                     bar.missing.empty() ? "" : " without " + bar.missing);
}

/// With percent if all parts are exact.
std::string title_of(const Part& part, const Count& sum) {
  const std::string text = fmt::format("{}: {}", part.name, number_text(part.amount));
  if (!sum.is_exact()) return text;
  return fmt::format("{}, {} %", text, percent(part.size(), sum.min));
}

void write_bar(HtmlWriter& html, const Bar& bar) {
  Count all;
  for (const Part& part : bar.parts) all += part.amount;
  const std::uint64_t sum = all.min;
  html.open("div", {{"class", "stack"}});
  html.element("h3", heading(bar));
  if (sum > 0) {
    html.open("svg", {{"viewBox", fmt::format("0 0 {} 1", drawn_length(sum, sum))},
                      {"preserveAspectRatio", "none"},
                      {"aria-hidden", "true"}});
    std::uint64_t at = 0;
    for (const Part& part : bar.parts) {
      html.open("rect", {{"class", part.look},
                         {"x", drawn_length(at, sum)},
                         {"width", drawn_length(part.size(), sum)},
                         {"height", "1"}});
      html.element("title", title_of(part, all));
      html.close("rect");
      at += part.size();
    }
    html.close("svg");
  }
  if (!bar.parts.empty()) {
    html.open("ul");
    for (const Part& part : bar.parts) {
      html.open("li");
      html.element("i", {{"class", part.look}}, "");
      if (part.link.empty()) {
        html.element("span", part.name);
      } else {
        link_to(html, part.link, part.name);
      }
      html.element("strong", number_text(part.amount));
      html.close("li");
    }
    html.close("ul");
  }
  html.close("div");
}

}  // namespace

std::string call_name(const ModuleReport& module, const CallReport& call) {
  return call.layer.empty() ? module.kernels[call.kernel].short_name
                            : std::string(first_layer(call.layer));
}

void write_stacks(HtmlWriter& html, const ModuleView& module) {
  if (!module.report.network) return;
  html.open("div", {{"class", "stacks"}});
  write_bar(html, ram_bar(module.report));
  write_bar(html, flash_bar(module));
  write_bar(html, arithmetic_bar(module));
  html.close("div");
}

}  // namespace mlf::page
