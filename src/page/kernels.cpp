// The section of each kernel: its origin, its costs, and its code side by side.
#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "page/parts.h"
#include "report/constants.h"
#include "support/lines.h"

namespace mlf::page {
namespace {

/// TVMScript prints constants in lines of any length.
constexpr std::size_t kLongestLine = 2000;

std::string place_of(const std::optional<CodeLines>& lines) {
  return lines ? fmt::format("{}, lines {} to {}", lines->file, lines->first, lines->last) : "";
}

void calls_of(HtmlWriter& html, const ModuleView& module, const std::vector<std::size_t>& calls) {
  html.open("p", {{"class", "layers"}});
  html.text("Called by: ");
  bool is_first = true;
  for (const std::size_t i : calls) {
    const CallReport& call = module.report.calls[i];
    if (!std::exchange(is_first, false)) html.text(", ");
    link_to(html, module.call_id(i), fmt::format("call {}", i));
    if (!call.layer.empty()) html.text(" (" + call.layer + ")");
  }
  html.text(calls.empty() ? "unknown." : ".");
  html.close("p");
}

/// The lines of the kernel's code that have a cost: its loops and what it allocates.
void nest(HtmlWriter& html, const KernelReport& kernel, const KernelCode& code) {
  open_table(html, "Loop nest", "nest");
  head_row(html, {"Loop nest", "#Iterations", "#MAC"});
  std::string_view rest = code.tir.text;
  for (std::uint32_t number = 1; !rest.empty(); ++number) {
    const std::string_view line = support::take_line(rest);
    const auto found = code.tir.costs.find(number);
    if (found == code.tir.costs.end()) continue;
    const report::LineCost& cost = found->second;
    html.open("tr", {{cost.loop ? "class" : "", "loop"}});
    html.element("td", line.substr(0, kLongestLine));
    if (cost.loop) {
      const analysis::LoopCost& loop = kernel.cost->loops[*cost.loop];
      number_cell(html, loop.iterations);
      number_cell(html, loop.mac);
    } else {
      html.element("td", {{"colspan", "2"}, {"class", "n"}},
                   fmt::format("{} bytes", number_text(*cost.bytes)));
    }
    html.close("tr");
  }
  close_table(html);
}

void buffers(HtmlWriter& html, const analysis::KernelCost& cost) {
  std::vector<std::vector<std::string>> rows;
  for (const analysis::BufferCost& buffer : cost.buffers) {
    rows.push_back({buffer.name, std::string(analysis::to_string(buffer.role)),
                    to_string(buffer.loads), to_string(buffer.stores),
                    to_string(buffer.bytes_loaded), to_string(buffer.bytes_stored)});
  }
  write_table(html, "Cost by buffer", "buffers",
              {"Buffer", "Role", "#Loads", "#Stores", "#Bytes loaded", "#Bytes stored"}, rows);
}

/// Bars with heights relative to the fullest bin, in per cent; an empty bin has none. They begin at
/// y = 0, and the style sheet turns them upside down.
void histogram(HtmlWriter& html, const std::string& name, const report::ConstantValues& values) {
  const std::uint64_t most = std::ranges::max(values.histogram);
  html.open("svg", {{"class", "bars"},
                    {"role", "img"},
                    {"viewBox", fmt::format("0 0 {} 100", values.histogram.size())},
                    {"preserveAspectRatio", "none"},
                    {"aria-label", "Histogram of " + name}});
  for (std::size_t i = 0; i < values.histogram.size(); ++i) {
    if (values.histogram[i] == 0) continue;
    const double height =
        100.0 * static_cast<double>(values.histogram[i]) / static_cast<double>(most);
    html.open("rect",
              {{"x", std::to_string(i)}, {"height", fmt::format("{:.0f}", std::max(height, 1.0))}});
    html.element("title", std::to_string(values.histogram[i]));
    html.close("rect");
  }
  html.close("svg");
}

void constants(HtmlWriter& html, const std::vector<report::ConstantSummary>& list) {
  if (list.empty()) return;
  open_table(html, "Constants", "constants");
  head_row(html, {"Constant", "Type", "#Elements", "#Zeros", "#Least", "#Greatest", "Values"});
  for (const report::ConstantSummary& constant : list) {
    const auto& values = constant.values;
    html.open("tr");
    html.breakable_element("td", {}, constant.name);
    html.element("td", tir::to_string(constant.dtype));
    number_cell(html, analysis::to_count(constant.elements));
    number_cell(html, analysis::to_count(values ? std::optional(values->zeros) : std::nullopt));
    const auto value_cell = [&](double value) {
      const std::string text = values ? report::value_text(value, constant.dtype) : "?";
      html.element("td", {{"class", "n"}}, text);
    };
    value_cell(values ? values->least : 0);
    value_cell(values ? values->greatest : 0);
    html.open("td");
    if (values) histogram(html, constant.name, *values);
    html.close("td");
    html.close("tr");
  }
  close_table(html);
}

/// Lines that are the same statement in both codes have the same number: its line of TIR.
void codes(HtmlWriter& html, const KernelReport& kernel, const KernelCode& code) {
  std::set<std::uint32_t> matched;
  for (const auto& [c, tir] : code.line_of_tir) matched.insert(tir);
  const auto mark_of_tir = [&](const ShownLine& line) {
    return matched.contains(line.number) ? LineMark{"data-s", std::to_string(line.number)}
                                         : LineMark{};
  };
  const auto mark_of_c = [&](const ShownLine& line) {
    const auto tir = code.line_of_tir.find(line.number);
    return tir == code.line_of_tir.end() ? LineMark{}
                                         : LineMark{"data-s", std::to_string(tir->second)};
  };
  html.open("div", {{"class", "codes"}});
  if (code.tir.is_tvmscript) {
    write_code(html, "TVMScript", code.tir.text, 1, mark_of_tir);
  } else if (!kernel.tir) {
    // It was read from the C.
    write_code(html, "TIR", {}, 1, mark_of_tir);
  } else {
    write_code(html, "TIR: " + place_of(kernel.tir), code.tir.text, kernel.tir->first, mark_of_tir);
  }
  const std::string where = place_of(kernel.c);
  write_code(html, where.empty() ? "C" : "C: " + where, code.c, kernel.c ? kernel.c->first : 1,
             mark_of_c);
  html.close("div");
}

/// Everything except the line that a closed kernel shows.
void write_body(HtmlWriter& html, const ModuleView& module, std::size_t number,
                const std::vector<std::size_t>& calls) {
  const KernelReport& kernel = module.report.kernels[number];
  const KernelCode& text = module.data.kernels[number];
  html.element("p", {{"class", "symbol"}}, kernel.symbol);
  calls_of(html, module, calls);
  if (kernel.cost) {
    if (!text.tir.costs.empty()) nest(html, kernel, text);
    html.open("div", {{"class", "tables"}});
    buffers(html, *kernel.cost);
    constants(html, text.constants);
    html.close("div");
    reasons(html, kernel.cost->uncertain);
  } else {
    html.element("p", {{"class", "note"}}, "Cost unknown: the kernel has no TIR.");
  }
  codes(html, kernel, text);
}

/// An only kernel is open.
void open_kernel(HtmlWriter& html, const ModuleView& module, const KernelReport& kernel) {
  const bool is_only = module.report.kernels.size() == 1;
  html.open("details",
            {{"id", module.kernel_id(kernel)}, {"class", "kernel"}, {is_only ? "open" : "", ""}});
  html.open("summary");
  html.text(kernel.short_name);
  if (kernel.cost) {
    html.element("span", {{"class", "mac"}}, number_text(kernel.cost->mac) + " MAC");
  }
  html.close("summary");
}

}  // namespace

void write_code(HtmlWriter& html, std::string_view title, std::string_view text,
                std::uint32_t first, const std::function<LineMark(const ShownLine&)>& mark) {
  html.open("div", {{"class", "code"}});
  html.element("h4", title);
  if (text.empty()) {
    html.element("p", {{"class", "note"}}, "Not in the archive.");
    html.close("div");
    return;
  }
  html.open("pre", {{"tabindex", "0"}, {"role", "group"}, {"aria-label", title}});
  std::string_view rest = text;
  for (std::uint32_t number = 1; !rest.empty(); ++number) {
    const std::string_view line = support::take_line(rest);
    const LineMark marked = mark({number, line});
    html.open("span",
              {{"data-n", std::to_string(first + number - 1)}, {marked.name, marked.value}});
    html.text(line.substr(0, kLongestLine));
    if (line.size() > kLongestLine) {
      html.element("i", fmt::format(" … {} more characters", line.size() - kLongestLine));
    }
    html.text("\n");
    html.close("span");
  }
  html.close("pre");
  html.close("div");
}

void write_kernels(HtmlWriter& html, const ModuleView& module) {
  if (module.report.kernels.empty()) return;
  html.element("h3", {{"id", module.id("kernels")}}, "Kernels");
  std::vector<std::vector<std::size_t>> calls(module.report.kernels.size());
  for (std::size_t i = 0; i < module.report.calls.size(); ++i) {
    calls[module.report.calls[i].kernel].push_back(i);
  }
  for (std::size_t i = 0; i < module.report.kernels.size(); ++i) {
    open_kernel(html, module, module.report.kernels[i]);
    html.begin_part("Costs and code");
    write_body(html, module, i, calls[i]);
    html.end_part();
    html.close("details");
  }
}

}  // namespace mlf::page
