// The overview of a module: its needs, its peak, and possible savings.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "page/parts.h"
#include "support/digits.h"
#include "support/name_map.h"
#include "support/numbers.h"

namespace mlf::page {
namespace {

using analysis::Count;

bool is_zero_or_unknown(const Count& count) {
  return count.min == 0 && count.max.value_or(0) == 0;
}

/// Without a network there are no bars: shows the numbers that are there.
void write_figures(HtmlWriter& html, const ModuleReport& module) {
  if (module.network) return;
  std::vector<std::vector<std::string>> rows;
  for (const ModuleMeasureInfo& one : module_measures()) {
    const Count value = one.value(module);
    if (!one.is_in_documents() || is_zero_or_unknown(value)) continue;
    rows.push_back({std::string(one.words), to_string(value)});
  }
  write_table(html, "Numbers", "needs figures", {"What", "#Number"}, rows);
}

/// What all calls take, by the profile.
void profile_sentence(HtmlWriter& html, const ModuleReport& module) {
  if (!module.times) return;
  std::string numbers;
  for (const ModuleMeasureInfo& one : module_measures()) {
    const Count value = one.value(module);
    if (one.group() != "time" || is_zero_or_unknown(value)) continue;
    const bool is_time = one.unit == "nanoseconds";
    numbers += fmt::format("{}{} {}", numbers.empty() ? "" : ", ",
                           is_time ? milliseconds_text(value) : number_text(value),
                           is_time ? "ms" : one.label);
  }
  html.element("p", {{"class", "summary"}},
               fmt::format("All calls take {}: {}.", numbers, module.times->origin));
}

/// The number of calls and kernels, the executor, the targets and the date of export.
void write_subject(HtmlWriter& html, const ModuleReport& module) {
  std::vector<std::string> facts;
  if (module.network) {
    const bool is_graph = module.network->provenance.kind == graph::ProvenanceKind::graph_json;
    facts.emplace_back(is_graph ? "graph executor" : "AOT executor");
    facts.push_back(fmt::format("calls: {}", module.calls.size()));
  }
  facts.push_back(fmt::format("kernels: {}", module.kernels.size()));
  if (!module.targets.empty()) {
    facts.push_back(fmt::format("targets: {}", fmt::join(module.targets, ", ")));
  }
  if (module.exported) facts.push_back("exported: " + *module.exported);
  html.element("p", {{"class", "note subject"}}, fmt::format("{}", fmt::join(facts, "; ")));
}

/// What the maps of memory show: where the most is in use, what that is, and what would be less.
void memory_sentences(HtmlWriter& html, const ModuleView& module) {
  if (!module.report.peak.call || !module.report.network) return;
  const analysis::RamPeak& peak = module.report.peak;
  const std::size_t number = index(*peak.call);
  const KernelReport& kernel = module.report.kernels[module.report.calls[number].kernel];
  html.open("p", {{"class", "summary"}});
  html.text(peak.bytes.is_known() ? "The most memory is in use in "
                                  : "Of what is known, the most memory is in use in ");
  link_to(html, module.call_id(number), fmt::format("call {}", number));
  html.text(", ");
  link_to(html, module.kernel_id(kernel), kernel.short_name);
  const std::string parts = group_digits(parts_of_peak(module.report));
  html.text(fmt::format(": {} bytes{}.", number_text(peak.bytes),
                        parts.empty() ? "" : " (" + parts + ")"));
  bool is_planned = false;
  for (const MemoryMap& map : module.data.maps) {
    if (!map.planned) continue;
    is_planned = true;
    html.text(fmt::format(" With other offsets, pool {} takes {} bytes instead of {}, ", map.name,
                          number_text(map.planned->bytes), number_text(map.bytes)));
    link_to(html, module.id("memory=" + map.name),
            fmt::format("{} bytes fewer", number_text(map.bytes - map.planned->bytes)));
    html.text(".");
  }
  if (!is_planned) {
    html.text(fmt::format(" Any offsets for this order of calls need at least {} bytes.",
                          number_text(module.report.lower_bound)));
  }
  html.close("p");
}

/// Links to the call that wrote a tensor; "-" for inputs and workspaces.
void writer_cell(HtmlWriter& html, const ModuleView& module, std::optional<graph::ValueId> value) {
  // A reference: GCC 12 takes a conditional copy of the optional for uninitialized.
  const std::optional<graph::Endpoint> none;
  const auto& producer = value ? (*module.report.network)[*value].producer : none;
  html.open("td");
  if (producer && producer->kind == graph::EndpointKind::call) {
    link_to(html, module.call_id(producer->step), fmt::format("call {}", producer->step));
  } else {
    html.text(producer ? "copy" : "-");
  }
  html.close("td");
}

/// The place of a finding: a link to a kernel, or the name of a constant.
void place_cell(HtmlWriter& html, const ModuleView& module,
                const support::NameIndex<KernelReport>& kernels, const std::string& where) {
  html.open("td");
  const KernelReport* kernel = kernels.find(where);
  if (kernel == nullptr) {
    html.breakable(where);
  } else {
    link_to(html, module.kernel_id(*kernel), kernel->short_name);
  }
  html.close("td");
}

/// The possible saving; "-" for findings that are not about bytes.
std::string gain_text(const Count& bytes) {
  const bool is_unknown = bytes.min == 0 && !bytes.max;
  return is_unknown ? "-" : number_text(bytes);
}

/// With a profile, those that cost time come first, as in the report. Then the largest saving,
/// equal ones in the report's order; those without a number come last.
std::vector<std::size_t> by_gain(const std::vector<CostFinding>& findings) {
  std::vector<std::size_t> order = support::positions(findings.size());
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) {
    const Count& bytes = findings[i].bytes;
    const auto& share = findings[i].share;
    return std::pair(share ? share->max.value_or(1) : -1, bytes.max.value_or(bytes.min));
  });
  return order;
}

/// The errors of a network's checks: the numbers on the page may be wrong then.
void checks(HtmlWriter& html, const ModuleView& module) {
  if (!module.report.network || !module.report.network->is_understood()) return;
  const auto is_error = [](const graph::Check& check) {
    return info(check.code).severity == graph::Severity::error;
  };
  const std::vector<graph::Check>& all = module.report.network->checks;
  if (std::ranges::none_of(all, is_error)) return;
  html.open("div", {{"class", "checks"}, {"role", "note"}});
  html.element("strong", "The archive contradicts itself: numbers may be wrong.");
  html.open("ul");
  for (const graph::Check& check : all) {
    if (!is_error(check)) continue;
    html.open("li");
    if (check.call) {
      link_to(html, module.call_id(index(*check.call)), fmt::format("call {}", index(*check.call)));
      html.text(": ");
    }
    html.breakable(check.detail);
    html.close("li");
  }
  html.close("ul");
  html.close("div");
}

/// The largest saving in bytes, if a finding has one.
void findings_sentence(HtmlWriter& html, const ModuleView& module) {
  const auto& all = module.report.findings;
  const auto gain = [](const CostFinding& one) { return one.bytes.max.value_or(one.bytes.min); };
  const auto found = std::ranges::max_element(all, {}, gain);
  if (found == all.end() || gain_text(found->bytes) == "-") return;
  const CostFinding& largest = *found;
  html.open("p", {{"class", "summary"}});
  html.text("Largest saving of the ");
  link_to(html, module.id("findings"), "findings");
  html.text(
      fmt::format(": {} bytes at most ({}).", gain_text(largest.bytes), info(largest.code).code));
  html.close("p");
}

/// Explains how to measure code and stack frames.
void compiler_note(HtmlWriter& html, const ModuleView& module) {
  if (module.report.code) return;
  html.element("p", {{"class", "note"}},
               "To measure code and stack, run mlf report --cc COMPILER.");
}

/// The reasons of the module and of its peak, which are mostly the same. The page begins with the
/// reason for no network.
std::vector<std::string> all_reasons(const ModuleReport& module) {
  std::vector<std::string> sentences = module.uncertain;
  for (const std::string& sentence : module.peak.uncertain) {
    if (std::ranges::find(sentences, sentence) == sentences.end()) sentences.push_back(sentence);
  }
  if (module.no_network) std::erase(sentences, to_string(*module.no_network));
  return sentences;
}

}  // namespace

void write_figures_of_two(HtmlWriter& html, const ModuleReport& before, const ModuleReport& after) {
  std::vector<std::vector<std::string>> rows;
  for (const ModuleMeasureInfo& one : module_measures()) {
    const Count was = one.value(before);
    const Count is = one.value(after);
    if (!one.is_in_documents() || (is_zero_or_unknown(was) && is_zero_or_unknown(is))) continue;
    rows.push_back({std::string(one.words), to_string(was), to_string(is)});
  }
  write_table(html, "Numbers of both", "needs figures", {"What", "#Before", "#After"}, rows);
}

void write_overview(HtmlWriter& html, const ModuleView& module) {
  if (module.report.no_network) {
    html.element("p", {{"class", "note"}},
                 fmt::format("No network: {}.", to_string(*module.report.no_network)));
  }
  checks(html, module);
  write_subject(html, module.report);
  memory_sentences(html, module);
  profile_sentence(html, module.report);
  findings_sentence(html, module);
  write_stacks(html, module);
  write_figures(html, module.report);
  compiler_note(html, module);
  reasons(html, all_reasons(module.report));
}

void write_live(HtmlWriter& html, const ModuleView& module) {
  if (!module.report.peak.call || !module.report.network) return;
  const CallReport& call = module.report.calls[index(*module.report.peak.call)];
  html.element("p", {{"class", "note"}},
               fmt::format("In memory at the peak, call {}:", index(call.call)));
  open_table(html, "In memory at the peak", "live");
  head_row(html, {"Tensor", "Written by", "Role", "Memory", "#Bytes"});
  Count sum;
  for (const auto& tensor : analysis::live_tensors(*module.report.network, call.call)) {
    sum += analysis::to_count(tensor.bytes);
    html.open("tr");
    html.breakable_element("td", {}, tensor.name);
    writer_cell(html, module, tensor.value);
    html.element("td", analysis::to_string(tensor.role));
    html.element("td", graph::to_string(tensor.memory));
    number_cell(html, analysis::to_count(tensor.bytes));
    html.close("tr");
  }
  close_table(html);
  const Count& peak = module.report.peak.bytes;
  if (!sum.is_exact() || !peak.is_exact() || sum.min <= peak.min) return;
  html.element(
      "p", {{"class", "note"}},
      fmt::format("Tensors share {} bytes, which count once.", number_text(sum.min - peak.min)));
}

void write_findings(HtmlWriter& html, const ModuleView& module) {
  html.element("h3", {{"id", module.id("findings")}}, "Findings");
  if (module.report.findings.empty()) {
    html.element("p", "None.");
    return;
  }
  open_table(html, "Findings of " + module.report.name, "findings sortable");
  std::vector<std::string> heads{"Finding", "Where", "#Largest saving (bytes)", "Evidence"};
  // The style sheet names columns by their positions: a new one is the last.
  if (module.report.times) heads.emplace_back("#Share of its kernel (%)");
  head_row(html, heads);
  const support::NameIndex kernels(module.report.kernels, &KernelReport::symbol);
  for (const std::size_t i : by_gain(module.report.findings)) {
    const CostFinding& finding = module.report.findings[i];
    html.open("tr", {{"id", module.id("finding=" + std::to_string(i))}});
    html.element("td", {{"title", info(finding.code).meaning}}, info(finding.code).code);
    place_cell(html, module, kernels, finding.where);
    html.element("td", {{"class", "n"}}, gain_text(finding.bytes));
    html.breakable_element("td", {{"class", "wide"}}, group_digits(finding.evidence));
    if (module.report.times) {
      html.element("td", {{"class", "n"}}, finding.share ? to_string(*finding.share * 100) : "-");
    }
    html.close("tr");
  }
  close_table(html);
}

}  // namespace mlf::page
