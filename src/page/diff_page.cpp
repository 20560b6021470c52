// The changes between two builds, as a page.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "page/page.h"
#include "page/parts.h"
#include "support/digits.h"
#include "support/lines.h"

namespace mlf {
namespace page {
namespace {

/// A module of one of the builds with its position in that; nothing if that one does not have it.
std::optional<ModuleView> module_of(const PageSide& side, std::optional<std::size_t> position) {
  if (!position) return std::nullopt;
  return ModuleView{*position, side.report.modules[*position], side.data.modules[*position]};
}

void number_rows(HtmlWriter& html, const std::string& where,
                 const std::vector<NumberChange>& numbers) {
  for (const NumberChange& number : numbers) {
    html.open("tr", {{number.grows() ? "class" : "", "more"}});
    html.element("td", where);
    html.element("td", number.label());
    number_cell(html, number.before);
    number_cell(html, number.after);
    html.element("td", {{"class", "n"}}, group_digits(number.delta()));
    html.close("tr");
  }
}

bool has_numbers(const ModuleDifference& module) {
  return !module.numbers.empty() || std::ranges::any_of(module.kernels, [](const auto& kernel) {
    return !kernel.numbers.empty();
  });
}

void write_numbers(HtmlWriter& html, const ModuleDifference& module) {
  open_table(html, "Changed numbers", "numbers sortable");
  head_row(html, {"Where", "What", "#Before", "#After", "Change"});
  number_rows(html, "module", module.numbers);
  for (const KernelDifference& kernel : module.kernels) {
    number_rows(html, kernel.name, kernel.numbers);
  }
  close_table(html);
}

/// The TVMScript of a kernel, or its C if there is none.
std::string_view code_of(const std::optional<ModuleView>& module, std::string_view symbol) {
  if (!module) return {};
  const std::vector<KernelReport>& kernels = module->report.kernels;
  const auto kernel = std::ranges::find(kernels, symbol, &KernelReport::symbol);
  if (kernel == kernels.end()) return {};
  const auto position = static_cast<std::size_t>(kernel - kernels.begin());
  const KernelCode& code = module->data.kernels[position];
  return code.tir.text.empty() ? code.c : code.tir.text;
}

/// Indentation may change without any other change.
std::string_view without_indentation(std::string_view line) {
  return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

std::set<std::string_view> lines_of(std::string_view text) {
  std::set<std::string_view> lines;
  while (!text.empty()) {
    lines.insert(without_indentation(support::take_line(text)));
  }
  return lines;
}

/// One of a pair of texts. Highlights lines that the other one lacks, unless there is no other one.
void write_side(HtmlWriter& html, std::string_view title, std::string_view text,
                std::string_view other) {
  const std::set<std::string_view> known = lines_of(other);
  write_code(html, title, text, 1, [&](const ShownLine& line) {
    const bool is_new = !other.empty() && !known.contains(without_indentation(line.text));
    return is_new ? LineMark{"class", "changed"} : LineMark{};
  });
}

std::string id_of(std::size_t position, const KernelDifference& kernel) {
  return section_id(position, "kernel=" + (kernel.after.empty() ? kernel.before : kernel.after));
}

/// The changes of a module, with the module in both builds.
struct DifferenceView {
  std::size_t position;
  const ModuleDifference& module;
  std::optional<ModuleView> before;
  std::optional<ModuleView> after;

  bool has_both() const { return before && after; }
  bool has_memory() const { return has_both() && before->data.steps + after->data.steps > 0; }
  bool has_network() const {
    return !module.graph.empty() ||
           (has_both() && (before->report.network || after->report.network));
  }
};

void write_kernel(HtmlWriter& html, const DifferenceView& view, const KernelDifference& kernel) {
  html.open("details", {{"id", id_of(view.position, kernel)}, {"class", "kernel"}});
  html.open("summary");
  html.text(kernel.name);
  html.element("span", {{"class", "mac"}}, to_string(kernel.change));
  html.close("summary");
  const std::string_view old_code = code_of(view.before, kernel.before);
  const std::string_view new_code = code_of(view.after, kernel.after);
  html.begin_part("Code");
  html.open("div", {{"class", "codes"}});
  if (!kernel.before.empty()) write_side(html, "Before: " + kernel.before, old_code, new_code);
  if (!kernel.after.empty()) write_side(html, "After: " + kernel.after, new_code, old_code);
  html.close("div");
  html.end_part();
  html.close("details");
}

/// By call: the change of its kernel, and a link to it.
void add_changes(NetworkSide& side, const DifferenceView& view,
                 const std::map<std::string_view, const KernelDifference*>& by_symbol) {
  const auto append = [](std::string& list, std::string_view word) {
    if (!list.empty()) list += ' ';
    list += word;
  };
  for (const CallReport& call : side.report.calls) {
    const auto found = by_symbol.find(side.report.kernels[call.kernel].symbol);
    const bool is_same = found == by_symbol.end();
    append(side.changes, is_same ? "-" : to_string(found->second->change));
    append(side.links, is_same ? "-" : fragment(id_of(view.position, *found->second)));
  }
}

void write_network_of_two(HtmlWriter& html, const DifferenceView& view) {
  html.element("h3", {{"id", section_id(view.position, "network")}}, "Network");
  if (!view.module.graph.empty()) {
    sentence_list(html, view.module.graph);
  }
  if (!view.has_both()) return;
  std::map<std::string_view, const KernelDifference*> by_old_symbol;
  std::map<std::string_view, const KernelDifference*> by_new_symbol;
  for (const KernelDifference& kernel : view.module.kernels) {
    if (!kernel.before.empty()) by_old_symbol.emplace(kernel.before, &kernel);
    if (!kernel.after.empty()) by_new_symbol.emplace(kernel.after, &kernel);
  }
  std::vector<NetworkSide> sides;
  if (view.after->report.network) {
    sides.push_back({"after", "After", view.after->position, view.after->report, view.after->data});
    add_changes(sides.back(), view, by_new_symbol);
  }
  if (view.before->report.network) {
    sides.push_back(
        {"before", "Before", view.before->position, view.before->report, view.before->data});
    add_changes(sides.back(), view, by_old_symbol);
  }
  write_network_sides(html, view.position, sides);
}

void write_links_of(HtmlWriter& html, const DifferenceView& view) {
  write_links(html, view.position, view.module.name,
              {{"numbers", "Numbers", has_numbers(view.module)},
               {"memory", "Memory", view.has_memory()},
               {"network", "Network", view.has_network()},
               {"kernels", "Kernels", !view.module.kernels.empty()}});
}

void write_parts(HtmlWriter& html, const DifferenceView& view) {
  const ModuleDifference& module = view.module;
  if (!view.has_both()) {
    html.element("p", {{"class", "note"}},
                 module.after ? "Only in the second archive." : "Only in the first archive.");
  }
  if (view.has_both()) write_figures_of_two(html, view.before->report, view.after->report);
  if (has_numbers(module)) {
    html.element("h3", {{"id", section_id(view.position, "numbers")}}, "Changed numbers");
    write_numbers(html, module);
  }
  if (view.has_memory()) {
    html.element("h3", {{"id", section_id(view.position, "memory")}}, "Memory by step");
    write_memory_of_two(html, view.before->data, view.after->data);
  }
  if (view.has_network()) write_network_of_two(html, view);
  if (!module.kernels.empty()) {
    html.element("h3", {{"id", section_id(view.position, "kernels")}}, "Changed kernels");
    for (const KernelDifference& kernel : module.kernels) write_kernel(html, view, kernel);
  }
}

void write_words(HtmlWriter& html, const std::vector<DifferenceWords>& words) {
  html.open("section", {{"aria-label", "Constants and members"}});
  html.element("h2", {{"id", "members"}}, "Constants and members");
  std::vector<std::vector<std::string>> rows;
  for (const auto& [where, what] : words) rows.push_back({where, what});
  write_table(html, "Constants and members", "sortable", {"Where", "Difference"}, rows);
  html.close("section");
}

}  // namespace
}  // namespace page

void write_diff_page(const PageSide& before, const PageSide& after,
                     const BuildDifference& difference, const Sink& sink) {
  std::vector<page::DifferenceView> views;
  for (const ModuleDifference& module : difference.modules) {
    views.push_back({views.size(), module, page::module_of(before, module.before),
                     page::module_of(after, module.after)});
  }
  const std::vector<DifferenceWords> words = words_of(difference);
  page::PageFrame frame;
  frame.title = before.data.title + " and " + after.data.title + " - mlf diff";
  frame.heading = fmt::format("{} \u2192 {}", before.data.title, after.data.title);
  frame.write_links = [&](page::HtmlWriter& html) {
    for (const page::DifferenceView& view : views) page::write_links_of(html, view);
    if (words.empty()) return;
    html.open("li");
    page::link_to(html, "members", "Constants and members");
    html.close("li");
  };
  frame.write_sections = [&](page::HtmlWriter& html) {
    if (difference.empty()) html.element("p", "No differences.");
    for (const page::DifferenceView& view : views) {
      page::write_section(html, view.position, view.module.name,
                          [&] { page::write_parts(html, view); });
    }
    if (!words.empty()) page::write_words(html, words);
  };
  frame.builds = {&before.data, &after.data};
  if (!views.empty()) {
    frame.reports = {{"report-before", &before.report}, {"report-after", &after.report}};
  }
  page::write_frame(sink, frame);
}

}  // namespace mlf
