#include "page/parts.h"

#include <fmt/core.h>

#include <cmath>

#include "support/digits.h"

namespace mlf::page {

std::string section_id(std::size_t position, std::string_view name) {
  return position == 0 ? std::string(name) : fmt::format("{}/{}", position + 1, name);
}

std::string number_text(const analysis::Count& count) {
  return group_digits(to_string(count));
}

// Bounds stay bounds: the lower one is rounded down, the upper one up.
std::string milliseconds_text(const analysis::Count& nanoseconds) {
  constexpr double kMicrosecond = 1000;
  const auto text = [](double microseconds) {
    return fmt::format("{:.3f}", microseconds / kMicrosecond);
  };
  const double least = static_cast<double>(nanoseconds.min) / kMicrosecond;
  if (!nanoseconds.max) return nanoseconds.min == 0 ? "?" : ">=" + text(std::floor(least));
  if (nanoseconds.is_exact()) return text(std::round(least));
  const std::string most = text(std::ceil(static_cast<double>(*nanoseconds.max) / kMicrosecond));
  return nanoseconds.min == 0 ? "<=" + most : text(std::floor(least)) + ".." + most;
}

std::string drawn_length(std::uint64_t length, std::uint64_t whole) {
  constexpr std::uint64_t kMost = 10'000'000;
  const std::uint64_t unit = whole / kMost + 1;
  if (unit == 1) return std::to_string(length);
  return fmt::format("{:.3f}", static_cast<double>(length) / static_cast<double>(unit));
}

void number_cell(HtmlWriter& html, const analysis::Count& count) {
  html.element("td", {{"class", "n"}}, number_text(count));
}

void open_table(HtmlWriter& html, std::string_view label, std::string_view css_class) {
  html.open("div",
            {{"class", "scroll"}, {"role", "group"}, {"tabindex", "0"}, {"aria-label", label}});
  html.open("table", {{"class", css_class}});
}

void close_table(HtmlWriter& html) {
  html.close("tbody");
  html.close("table");
  html.close("div");
}

void head_row(HtmlWriter& html, const std::vector<std::string>& names) {
  html.open("thead");
  html.open("tr");
  for (const std::string_view name : names) {
    const bool is_number = name.starts_with('#') && name.size() > 1;
    html.element("th", {{"scope", "col"}, {is_number ? "class" : "", "n"}},
                 is_number ? name.substr(1) : name);
  }
  html.close("tr");
  html.close("thead");
  html.open("tbody");
}

void write_table(HtmlWriter& html, std::string_view label, std::string_view css_class,
                 const std::vector<std::string>& heads,
                 const std::vector<std::vector<std::string>>& rows) {
  if (rows.empty()) return;
  open_table(html, label, css_class);
  head_row(html, heads);
  for (const std::vector<std::string>& row : rows) {
    html.open("tr");
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool is_number = heads[i].starts_with('#');
      html.breakable_element("td", {{is_number ? "class" : "", "n"}},
                             is_number ? group_digits(row[i]) : row[i]);
    }
    html.close("tr");
  }
  close_table(html);
}

void link_to(HtmlWriter& html, std::string_view id, std::string_view text) {
  html.breakable_element("a", {{"href", "#" + fragment(id)}}, text);
}

void write_links(HtmlWriter& html, std::size_t position, std::string_view section,
                 std::initializer_list<PartLink> parts) {
  html.open("li");
  link_to(html, section_id(position, "overview"), section);
  html.open("ul");
  for (const PartLink& part : parts) {
    if (!part.is_there) continue;
    html.open("li");
    link_to(html, section_id(position, part.name), part.title);
    html.close("li");
  }
  html.close("ul");
  html.close("li");
}

void reasons(HtmlWriter& html, const std::vector<std::string>& sentences) {
  if (sentences.empty()) return;
  html.open("div", {{"class", "note"}});
  html.text("Why numbers are not exact:");
  sentence_list(html, sentences);
  html.close("div");
}

void sentence_list(HtmlWriter& html, const std::vector<std::string>& sentences) {
  html.open("ul");
  for (const std::string& sentence : sentences) html.breakable_element("li", {}, sentence);
  html.close("ul");
}

}  // namespace mlf::page
