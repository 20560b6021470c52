// The calls in the order in which they run, with what each costs.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include "page/parts.h"

namespace mlf::page {
namespace {

std::string shape_text(const graph::TensorType& type) {
  if (!type.shape) return "?";
  return fmt::format("{}", fmt::join(*type.shape, "x"));
}

/// The folder is the same for all files of generated C.
std::string lines_text(const std::optional<CodeLines>& lines) {
  if (!lines) return "-";
  const std::string_view file = std::string_view(lines->file).substr(lines->file.rfind('/') + 1);
  return fmt::format("{}:{}-{}", file, lines->first, lines->last);
}

void call_row(HtmlWriter& html, const ModuleView& module, std::size_t number) {
  const CallReport& call = module.report.calls[number];
  const KernelReport& kernel = module.report.kernels[call.kernel];
  const bool is_peak = module.report.peak.call == call.call;
  html.open("tr", {{"id", module.call_id(number)}, {is_peak ? "class" : "", "peak"}});
  html.open("th", {{"scope", "row"}, {"class", "n"}});
  html.text(std::to_string(number));
  html.close("th");
  html.open("td");
  link_to(html, module.kernel_id(kernel), kernel.short_name);
  if (is_peak) html.element("span", {{"class", "tag"}}, "peak");
  html.close("td");
  // TFLite joins the names of all that it has fused into a layer: the first is the one people know.
  // The kernel's own part has all.
  html.element("td", call.layer.empty() ? "-" : call.layer.substr(0, call.layer.find(';')));
  html.element("td", shape_text(call.output));
  html.element("td", call.output.dtype.is_void() ? "?" : tir::to_string(call.output.dtype));
  for (const analysis::Count& count : {call.mac, call.memory.parameters, call.memory.scratch,
                                       call.memory.live, call.loaded, call.stored}) {
    number_cell(html, count);
  }
  html.element("td", {{"class", "lines"}}, lines_text(kernel.c));
  html.close("tr");
}

}  // namespace

void write_calls(HtmlWriter& html, const ModuleView& module) {
  if (module.report.calls.empty()) return;
  html.element("h3", {{"id", module.id("calls")}}, "Calls");
  open_table(html, "Calls of " + module.report.name, "calls sortable filterable");
  head_row(html, {"#Call", "Kernel", "Layer", "Output", "Type", "#MAC", "#Constants", "#Scratch",
                  "#In memory", "#Loaded", "#Stored", "Lines of C"});
  for (std::size_t i = 0; i < module.report.calls.size(); ++i) call_row(html, module, i);
  close_table(html);
}

}  // namespace mlf::page
