// What changed between two builds, as a page.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "mlf/page.h"
#include "mlf/version.h"
#include "page/assets.h"
#include "page/parts.h"
#include "support/error.h"

namespace mlf {
namespace page {
namespace {

/// A module of one of the builds; nothing where it has none of that name.
struct SideModule {
  const ModuleReport* report = nullptr;
  const PageModule* data = nullptr;
};

/// As `diff` pairs them: by name, or the only module of each.
SideModule module_of(const PageSide& side, const std::string& name) {
  const auto& modules = side.report.modules;
  auto found = std::ranges::find(modules, name, &ModuleReport::name);
  if (found == modules.end() && modules.size() == 1) found = modules.begin();
  if (found == modules.end()) return {};
  return {&*found, &side.data.modules[static_cast<std::size_t>(found - modules.begin())]};
}

void number_rows(HtmlWriter& html, const std::string& where,
                 const std::vector<NumberChange>& numbers) {
  for (const NumberChange& number : numbers) {
    html.open("tr", {{number.grows() ? "class" : "", "more"}});
    html.element("td", where);
    html.element("td", number.what);
    number_cell(html, number.before);
    number_cell(html, number.after);
    html.element("td", {{"class", "n"}}, number.delta());
    html.close("tr");
  }
}

void write_numbers(HtmlWriter& html, const ModuleDifference& module) {
  const bool has_any =
      !module.numbers.empty() || std::ranges::any_of(module.kernels, [](const auto& kernel) {
        return !kernel.numbers.empty();
      });
  if (!has_any) return;
  open_table(html, "Numbers that changed", "numbers sortable");
  head_row(html, {"Where", "What", "#Before", "#After", "Change"});
  number_rows(html, "module", module.numbers);
  for (const KernelDifference& kernel : module.kernels) {
    number_rows(html, kernel.name, kernel.numbers);
  }
  close_table(html);
}

/// TVMScript, or the C where there is none.
std::string code_of(const SideModule& module, const std::string& symbol) {
  if (module.report == nullptr || symbol.empty()) return {};
  const auto& kernels = module.report->kernels;
  const auto found = std::ranges::find(kernels, symbol, &KernelReport::symbol);
  if (found == kernels.end()) return {};
  const KernelCode& code = module.data->kernels[static_cast<std::size_t>(found - kernels.begin())];
  return code.tir.empty() ? code.c : code.tir;
}

/// Indentation may change without any other change.
std::string_view without_indentation(std::string_view line) {
  return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

std::set<std::string_view> lines_of(std::string_view text) {
  std::set<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.insert(without_indentation(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// One of a pair of texts; lines that the other has not stand out, unless there is no other.
void write_side(HtmlWriter& html, std::string_view title, const std::string& text,
                const std::string& other) {
  const std::set<std::string_view> known = lines_of(other);
  write_code(html, title, text, 1, [&](const ShownLine& line) {
    const bool is_new = !other.empty() && !known.contains(without_indentation(line.text));
    return is_new ? LineMark{"class", "changed"} : LineMark{};
  });
}

void write_kernel(HtmlWriter& html, const KernelDifference& kernel, const SideModule& before,
                  const SideModule& after) {
  html.open("details", {{"class", "kernel"}});
  html.open("summary");
  html.text(kernel.name);
  html.element("span", {{"class", "mac"}}, to_string(kernel.change));
  html.close("summary");
  const std::string old_code = code_of(before, kernel.before);
  const std::string new_code = code_of(after, kernel.after);
  html.open("div", {{"class", "codes"}});
  if (!kernel.before.empty()) write_side(html, "Before: " + kernel.before, old_code, new_code);
  if (!kernel.after.empty()) write_side(html, "After: " + kernel.after, new_code, old_code);
  html.close("div");
  html.close("details");
}

void write_module(HtmlWriter& html, const ModuleDifference& module, const PageSide& before,
                  const PageSide& after, std::size_t position) {
  html.open("section", {{"class", "module"},
                        {"data-module", std::to_string(position)},
                        {"aria-label", "Module " + module.name}});
  html.element("h2", "Module " + module.name);
  if (module.is_added || module.is_removed) {
    html.element("p", {{"class", "note"}},
                 module.is_added ? "Only in the second archive." : "Only in the first archive.");
  }
  write_numbers(html, module);
  if (!module.graph.empty()) {
    html.element("h3", "Network");
    html.open("ul");
    for (const std::string& edit : module.graph) html.element("li", edit);
    html.close("ul");
  }
  const SideModule old_module = module.is_added ? SideModule{} : module_of(before, module.name);
  const SideModule new_module = module.is_removed ? SideModule{} : module_of(after, module.name);
  if (old_module.data != nullptr && new_module.data != nullptr &&
      (old_module.data->steps > 0 || new_module.data->steps > 0)) {
    html.element("h3", "Memory, step by step");
    write_memory_of_two(html, *old_module.data, *new_module.data);
  }
  if (!module.kernels.empty()) {
    html.element("h3", "Kernels");
    for (const KernelDifference& kernel : module.kernels) {
      write_kernel(html, kernel, old_module, new_module);
    }
  }
  html.close("section");
  html.trusted("\n");
}

void write_diff_body(HtmlWriter& html, const PageSide& before, const PageSide& after,
                     std::span<const ModuleDifference> differences) {
  html.trusted("<body>\n");
  html.open("header");
  html.element("h1", fmt::format("{} \u2192 {}", before.data.title, after.data.title));
  html.close("header");
  html.trusted("\n<main>\n");
  if (differences.empty()) html.element("p", "No differences.");
  for (std::size_t i = 0; i < differences.size(); ++i) {
    write_module(html, differences[i], before, after, i);
  }
  html.trusted("</main>\n");
  html.element("footer", fmt::format("mlf {}", version()));
  html.trusted("\n<script>");
  html.trusted(script());
  html.trusted("</script>\n</body>\n</html>\n");
}

}  // namespace
}  // namespace page

Result<void> write_diff_page(const PageSide& before, const PageSide& after,
                             std::span<const ModuleDifference> differences, const tir::Sink& sink) {
  return support::to_result([&] {
    page::HtmlWriter html(sink);
    page::write_head(html, before.data.title + " and " + after.data.title + " - mlf diff");
    page::write_diff_body(html, before, after, differences);
    html.flush();
  });
}

}  // namespace mlf
