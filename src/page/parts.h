// The parts of a page, in their order. Each function writes the part of one module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "page/html.h"
#include "page/page.h"

namespace mlf::page {

/// Ids in the first section are plain ("call=2"), so links stay short. In other sections they begin
/// with the section's number ("2/call=2").
std::string section_id(std::size_t position, std::string_view name);

/// A module with the position of its section.
struct ModuleView {
  std::size_t position;
  const ModuleReport& report;
  const PageModule& data;

  std::string id(std::string_view name) const { return section_id(position, name); }
  std::string call_id(std::size_t call) const { return id("call=" + std::to_string(call)); }
  std::string kernel_id(const KernelReport& kernel) const { return id("kernel=" + kernel.symbol); }
};

/// The layer of a call if Relay names it, otherwise the kernel's name.
std::string call_name(const ModuleReport& module, const CallReport& call);

/// A number for people: "208,576", ">=1,000", "?".
std::string number_text(const analysis::Count& count);

/// Nanoseconds as milliseconds, to three decimals: "1.250", "0.100..0.250", "?".
std::string milliseconds_text(const analysis::Count& nanoseconds);

/// A length in a drawing that is `whole` long. Browsers cut lengths above 2^25: long drawings have
/// a coarser unit.
std::string drawn_length(std::uint64_t length, std::uint64_t whole);

/// A cell with a number, which the script sorts by its lower bound.
void number_cell(HtmlWriter& html, const analysis::Count& count);

/// A table in a box that scrolls, also by keyboard, if the window is narrower.
void open_table(HtmlWriter& html, std::string_view label, std::string_view css_class);
void close_table(HtmlWriter& html);
/// Column heads; a name that begins with '#' marks a column of numbers.
void head_row(HtmlWriter& html, const std::vector<std::string>& names);

/// A table of texts; nothing if there are no rows. Numbers get separators.
void write_table(HtmlWriter& html, std::string_view label, std::string_view css_class,
                 const std::vector<std::string>& heads,
                 const std::vector<std::vector<std::string>>& rows);

void link_to(HtmlWriter& html, std::string_view id, std::string_view text);
/// The reasons of inexact numbers.
void reasons(HtmlWriter& html, const std::vector<std::string>& sentences);
void sentence_list(HtmlWriter& html, const std::vector<std::string>& sentences);

/// The differences between pages of one build and of two.
struct PageFrame {
  std::string title;    ///< of the window
  std::string heading;  ///< at the top of the page
  std::function<void(HtmlWriter&)> write_links;
  std::function<void(HtmlWriter&)> write_sections;
  std::vector<const PageData*> builds;  ///< at least one
  /// Reports for the script, by the id of their element.
  std::vector<std::pair<std::string_view, const Report*>> reports;
};

/// Writes a whole page.
void write_frame(const Sink& sink, const PageFrame& frame);

/// The section of a module.
void write_section(HtmlWriter& html, std::size_t position, std::string_view module,
                   const std::function<void()>& write_parts);

/// A part of a section that may be missing.
struct PartLink {
  std::string_view name;  ///< its id in the section
  std::string_view title;
  bool is_there;
};

/// The links of one section, an element of the list of all.
void write_links(HtmlWriter& html, std::size_t position, std::string_view section,
                 std::initializer_list<PartLink> parts);

/// A line of displayed code. The first line has the number 1, at any place in its file.
struct ShownLine {
  std::uint32_t number;
  std::string_view text;
};

/// An attribute of the element of a line; none if its name is empty.
struct LineMark {
  std::string_view name;
  std::string value;
};

/// Lines with their numbers from `first` on. Numbers are not text, so that copying takes only the
/// code.
void write_code(HtmlWriter& html, std::string_view title, std::string_view text,
                std::uint32_t first, const std::function<LineMark(const ShownLine&)>& mark);

void write_overview(HtmlWriter& html, const ModuleView& module);
/// The tensors at the peak. Two of them may share bytes, so their sum may be more than the peak.
void write_live(HtmlWriter& html, const ModuleView& module);
void write_findings(HtmlWriter& html, const ModuleView& module);
/// A bar each for RAM, flash and arithmetic, with their parts.
void write_stacks(HtmlWriter& html, const ModuleView& module);
/// The numbers of two builds.
void write_figures_of_two(HtmlWriter& html, const ModuleReport& before, const ModuleReport& after);
void write_calls(HtmlWriter& html, const ModuleView& module);
/// A drawing of what calls take, if there is a profile.
void write_roofline(HtmlWriter& html, const ModuleView& module);
/// Whether `write_memory` has anything to show.
bool has_memory(const ModuleView& module);
void write_memory(HtmlWriter& html, const ModuleView& module);
/// The maps of two builds side by side, on one scale.
void write_memory_of_two(HtmlWriter& html, const PageModule& before, const PageModule& after);
void write_network(HtmlWriter& html, const ModuleView& module);

/// The network in one of two builds.
struct NetworkSide {
  std::string_view build;  ///< "before" or "after"
  std::string_view title;  ///< the same for people
  std::size_t module = 0;  ///< its position in the report of that build
  const ModuleReport& report;
  const PageModule& data;
  /// For each call, the change of its kernel ("-" for none), and the id of the part that shows it.
  std::string changes{};
  std::string links{};
};
/// Shows the first and collapses the others.
void write_network_sides(HtmlWriter& html, std::size_t position,
                         const std::vector<NetworkSide>& sides);
void write_kernels(HtmlWriter& html, const ModuleView& module);
/// What an application has to provide.
void write_application(HtmlWriter& html, const ModuleView& module);

}  // namespace mlf::page
