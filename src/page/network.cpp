// The drawings of the network, inside the page: whole, and with its repeated parts drawn once.
#include <fmt/core.h>

#include "page/parts.h"

namespace mlf::page {
namespace {

/// The `svg` element of Graphviz' document, without what comes before it. Ids become those of the
/// drawing: two of them on a page number their nodes alike. Quotes in labels are escaped, so that
/// ` id="` is an attribute wherever it is.
std::string embedded(std::string_view document, std::string_view prefix) {
  constexpr std::string_view kId = " id=\"";
  const std::size_t start = document.find("<svg");
  if (start == document.npos) return {};
  document.remove_prefix(start);
  std::string result;
  for (std::size_t at = document.find(kId); at != document.npos; at = document.find(kId)) {
    result += document.substr(0, at + kId.size());
    result += prefix;
    document.remove_prefix(at + kId.size());
  }
  return result += document;
}

void write_drawing(HtmlWriter& html, const std::string& label, std::string_view document,
                   std::string_view prefix) {
  html.open("div",
            {{"class", "network"}, {"role", "group"}, {"tabindex", "0"}, {"aria-label", label}});
  html.trusted(embedded(document, prefix));
  html.close("div");
}

}  // namespace

void write_network(HtmlWriter& html, const ModuleView& module) {
  if (!module.report.network) return;
  html.element("h3", {{"id", module.id("network")}}, "Network");
  const PageModule& data = module.data;
  if (data.picture.empty() && data.folded_picture.empty()) {
    html.element("p", {{"class", "note"}}, data.no_picture);
    return;
  }
  html.open("div", {{"class", "drawings"}});
  const std::string label = "Drawing of the network of " + module.report.name;
  const std::string folded_label = label + ", repeated parts drawn once";
  if (!data.picture.empty()) {
    write_drawing(html, label, data.picture, fmt::format("network{}-", module.position + 1));
  }
  const std::string folded_prefix = fmt::format("folded{}-", module.position + 1);
  if (data.picture.empty()) {
    html.element("p", {{"class", "note"}},
                 "It has too many edges to be drawn whole: repeated parts are drawn once.");
    write_drawing(html, folded_label, data.folded_picture, folded_prefix);
  } else if (!data.folded_picture.empty()) {
    html.open("details", {{"class", "folded"}});
    html.element("summary", "Repeated parts drawn once");
    write_drawing(html, folded_label, data.folded_picture, folded_prefix);
    html.close("details");
  }
  html.close("div");
}

}  // namespace mlf::page
