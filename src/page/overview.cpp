// What a module needs, where its peak is, and what could be saved.
#include <fmt/core.h>

#include <algorithm>

#include "page/parts.h"

namespace mlf::page {
namespace {

using analysis::Count;

struct Figure {
  std::string_view key;  ///< where the number is in the JSON
  std::string_view name;
  Count count;
};

void figures(HtmlWriter& html, std::string_view title, std::initializer_list<Figure> list) {
  html.open("div", {{"class", "card"}});
  html.element("h3", title);
  html.open("dl");
  for (const Figure& figure : list) {
    html.element("dt", figure.name);
    html.element("dd", {{"data-key", figure.key}}, spelled(figure.count));
  }
  html.close("dl");
  html.close("div");
}

void figures_of(HtmlWriter& html, const ModuleReport& module) {
  const Count unknown{0, std::nullopt};
  html.open("div", {{"class", "cards"}});
  figures(html, "RAM, bytes",
          {{"ram.pools", "pools", module.ram.pools},
           {"ram.io", "inputs and outputs", module.ram.io},
           {"ram.executor", "graph executor", module.ram.executor},
           {"ram.heap", "heap", module.ram.heap},
           {"ram.stack", "arrays on the stack", module.ram.stack},
           {"ram.frames", "stack by the compiler", stack_frames(module)}});
  figures(html, "Flash, bytes",
          {{"flash.constants", "constants", module.flash.constants},
           {"flash.copies", "the same once more", module.flash.copies},
           {"flash.code", "code", module.code ? Count(module.code->text) : unknown}});
  figures(html, "Peak, bytes",
          {{"peak.bytes", "in use then", module.peak.bytes},
           {"peak.lower_bound", "needed in this order", module.peak.lower_bound},
           {"peak.used", "taken as it is placed", module.peak.used}});
  figures(html, "Arithmetic", {{"mac", "multiply-accumulates", module.mac}});
  html.close("div");
}

void peak_sentence(HtmlWriter& html, const ModuleView& module) {
  if (!module.report.peak.call || !module.report.network) return;
  const std::size_t number = index(*module.report.peak.call);
  const CallReport& call = module.report.calls[number];
  html.open("p", {{"class", "peak"}});
  html.text("The peak is at ");
  link_to(html, module.call_id(number), fmt::format("call {}", number));
  html.text(", ");
  link_to(html, module.kernel_id(module.report.kernels[call.kernel]),
          module.report.kernels[call.kernel].short_name);
  html.text(". In memory then:");
  html.close("p");
  open_table(html, "In memory at the peak", "live");
  head_row(html, {"Tensor", "Role", "Memory", "#Bytes"});
  for (const auto& tensor : analysis::live_tensors(*module.report.network, call.call)) {
    html.open("tr");
    html.element("td", tensor.name);
    html.element("td", analysis::to_string(tensor.role));
    html.element("td", graph::to_string(tensor.memory));
    number_cell(html, analysis::to_count(tensor.bytes));
    html.close("tr");
  }
  close_table(html);
}

/// A place is a kernel, to which there is a link, or a constant.
void place_cell(HtmlWriter& html, const ModuleView& module, const std::string& where) {
  html.open("td");
  const auto& kernels = module.report.kernels;
  const auto kernel = std::ranges::find(kernels, where, &KernelReport::symbol);
  if (kernel == kernels.end()) {
    html.text(where);
  } else {
    link_to(html, module.kernel_id(*kernel), kernel->short_name);
  }
  html.close("td");
}

void findings(HtmlWriter& html, const ModuleView& module) {
  html.element("h3", {{"id", module.id("findings")}}, "Findings");
  if (module.report.findings.empty()) {
    html.element("p", "None.");
    return;
  }
  open_table(html, "Findings of " + module.report.name, "findings sortable");
  head_row(html, {"Finding", "Where", "#Bytes to gain at most", "Evidence"});
  for (const CostFinding& finding : module.report.findings) {
    html.open("tr");
    html.element("td", {{"title", info(finding.code).meaning}}, info(finding.code).code);
    place_cell(html, module, finding.where);
    number_cell(html, finding.bytes);
    html.element("td", {{"class", "wide"}}, finding.evidence);
    html.close("tr");
  }
  close_table(html);
}

}  // namespace

void write_overview(HtmlWriter& html, const ModuleView& module) {
  if (module.report.no_network) {
    html.element("p", {{"class", "note"}},
                 fmt::format("No network: {}.", to_string(*module.report.no_network)));
  }
  figures_of(html, module.report);
  peak_sentence(html, module);
  reasons(html, module.report.peak.uncertain);
  reasons(html, module.report.uncertain);
  findings(html, module);
}

}  // namespace mlf::page
