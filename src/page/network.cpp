// The drawing of the network, inside the page.
#include <fmt/core.h>

#include "page/parts.h"

namespace mlf::page {
namespace {

/// The `svg` element of Graphviz' document, without what comes before it. Ids become those of the
/// module: two drawings on a page number their nodes alike. Quotes in labels are escaped, so that
/// ` id="` is an attribute wherever it is.
std::string embedded(std::string_view document, const ModuleView& module) {
  constexpr std::string_view kId = " id=\"";
  const std::size_t start = document.find("<svg");
  if (start == document.npos) return {};
  document.remove_prefix(start);
  std::string result;
  for (std::size_t at = document.find(kId); at != document.npos; at = document.find(kId)) {
    result += document.substr(0, at + kId.size());
    result += fmt::format("network{}-", module.position + 1);
    document.remove_prefix(at + kId.size());
  }
  return result += document;
}

}  // namespace

void write_network(HtmlWriter& html, const ModuleView& module) {
  if (!module.report.network) return;
  html.element("h3", {{"id", module.id("network")}}, "Network");
  const std::string picture = embedded(module.data.picture, module);
  if (picture.empty()) {
    html.element("p", {{"class", "note"}}, module.data.no_picture);
    return;
  }
  html.open("div", {{"class", "network"},
                    {"role", "group"},
                    {"tabindex", "0"},
                    {"aria-label", "Drawing of the network of " + module.report.name}});
  html.trusted(picture);
  html.close("div");
}

}  // namespace mlf::page
