// The calls in execution order, each with its costs.

#include <algorithm>
#include <array>
#include <vector>

#include "page/parts.h"
#include "report/integration_tables.h"

namespace mlf::page {
namespace {

class CallsTable {
 public:
  CallsTable(HtmlWriter& html, const ModuleView& module) : html_(html), module_(module) {
    for (const CallMeasureInfo& one : call_measures()) {
      if (is_shown(one.measure)) measures_.push_back(one);
    }
  }

  void write() {
    open_table(html_, "Calls of " + module_.report.name, "calls sortable filterable");
    head();
    for (std::size_t i = 0; i < module_.report.calls.size(); ++i) row(i);
    close_table(html_);
  }

 private:
  void head() {
    std::vector<std::string> names{"#Call", "Kernel, layer", "Output"};
    for (const CallMeasureInfo& one : measures_) {
      const bool is_time = one.measure == CallMeasure::nanoseconds;
      names.push_back(is_time ? "#Time (ms)" : "#" + std::string(one.title));
    }
    if (module_.report.times) names.insert(names.end(), {"#Share (%)", "#Per MAC"});
    names.emplace_back("Lines of C");
    head_row(html_, names);
  }

  void row(std::size_t number) {
    const CallReport& call = module_.report.calls[number];
    const KernelReport& kernel = module_.report.kernels[call.kernel];
    const std::string id = module_.call_id(number);
    html_.open("tr", {{"id", id}});
    html_.open("th", {{"scope", "row"}, {"class", "n"}});
    link_to(html_, id, std::to_string(number));
    html_.close("th");
    name_cell(call);
    html_.element("td", report::shape_text(call.output) + " " + report::dtype_text(call.output));
    for (const CallMeasureInfo& one : measures_) {
      const analysis::Count& count = call[one.measure];
      const bool is_time = one.measure == CallMeasure::nanoseconds;
      html_.element("td", {{"class", "n"}},
                    is_time ? milliseconds_text(count) : number_text(count));
    }
    ratio_cells(call);
    // The kernel's section names the file.
    const std::string place = lines_text(kernel.c);
    html_.element("td", {{"class", "lines"}}, place.substr(place.rfind(':') + 1));
    html_.close("tr");
  }

  void name_cell(const CallReport& call) {
    const KernelReport& kernel = module_.report.kernels[call.kernel];
    html_.open("td", {{"class", "wide"}});
    link_to(html_, module_.kernel_id(kernel), kernel.short_name);
    const analysis::RamPeak& peak = module_.report.peak;
    if (peak.call == call.call && peak.bytes.is_known()) {
      html_.text(" ");
      html_.element("span", {{"class", "tag"}}, "peak");
    }
    // The kernel's section lists all names of the layer.
    if (!call.layer.empty()) html_.breakable_element("div", {}, first_layer(call.layer));
    html_.close("td");
  }

  /// Numbers of a profile are shown where it has them.
  bool is_shown(CallMeasure measure) const {
    if (!is_of_profile(measure)) return true;
    return std::ranges::any_of(module_.report.calls, [&](const CallReport& call) {
      return call[measure] != analysis::Count::unknown();
    });
  }

  void ratio_cells(const CallReport& call) {
    if (!module_.report.times) return;
    const auto share = share_of(module_.report, std::array{call.call});
    const auto of_mac = per_mac(module_.report, call);
    html_.element("td", {{"class", "n"}}, share ? to_string(*share * 100) : "-");
    html_.element("td", {{"class", "n"}}, of_mac ? to_string(*of_mac) : "-");
  }

  HtmlWriter& html_;
  const ModuleView& module_;
  std::vector<CallMeasureInfo> measures_;  // that have a column
};

}  // namespace

void write_calls(HtmlWriter& html, const ModuleView& module) {
  if (module.report.calls.empty()) return;
  html.element("h3", {{"id", module.id("calls")}}, "Calls");
  CallsTable(html, module).write();
  write_roofline(html, module);
}

}  // namespace mlf::page
