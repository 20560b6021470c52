// The drawings of the network in the page: complete, and with repeated parts drawn once.
#include <fmt/core.h>

#include <array>
#include <utility>

#include "page/parts.h"

namespace mlf::page {
namespace {

/// Appends markup of Graphviz without its comments, which name each node and edge again. Labels
/// escape `<`, so a comment is not part of one.
void append_without_comments(std::string& result, std::string_view markup) {
  for (std::size_t at = markup.find("<!--"); at != markup.npos; at = markup.find("<!--")) {
    const std::size_t end = markup.find("-->\n", at);
    if (end == markup.npos) break;
    result += markup.substr(0, at);
    markup.remove_prefix(end + 4);
  }
  result += markup;
}

/// Removes from text of Graphviz what the style of the page says for all of it, and the blanks
/// around labels, which only make Graphviz leave space. Labels escape quotes and `&`, so these are
/// no text of theirs.
std::string without_common_attributes(std::string markup) {
  constexpr std::array<std::string_view, 4> kCommon{" text-anchor=\"middle\"",
                                                    " font-family=\"Helvetica,sans-Serif\"",
                                                    " font-size=\"11.00\"", "&#160;"};
  for (const std::string_view common : kCommon) {
    std::string rest;
    std::size_t begin = 0;
    for (std::size_t at = markup.find(common); at != markup.npos; at = markup.find(common, begin)) {
      rest.append(markup, begin, at - begin);
      begin = at + common.size();
    }
    rest.append(markup, begin);
    markup = std::move(rest);
  }
  return markup;
}

/// The `svg` element of Graphviz' document. Adds a prefix to its ids, because two drawings on a
/// page have the same node numbers. Labels escape quotes, so ` id="` is always an attribute.
std::string embedded(std::string_view document, std::string_view prefix) {
  constexpr std::string_view kId = " id=\"";
  const std::size_t start = document.find("<svg");
  if (start == document.npos) return {};
  document.remove_prefix(start);
  std::string result;
  for (std::size_t at = document.find(kId); at != document.npos; at = document.find(kId)) {
    append_without_comments(result, document.substr(0, at + kId.size()));
    result += prefix;
    document.remove_prefix(at + kId.size());
  }
  append_without_comments(result, document);
  return without_common_attributes(std::move(result));
}

/// A drawing, and its data for the script.
struct DrawingView {
  std::string label;
  std::string_view document;
  std::string prefix;
  HtmlWriter::Attribute build{};
  HtmlWriter::Attribute module{};
  HtmlWriter::Attribute changes{};
  HtmlWriter::Attribute links{};
};

void write_drawing(HtmlWriter& html, const DrawingView& view) {
  html.begin_part("Drawing");
  html.open("div", {{"class", "network"},
                    {"role", "group"},
                    {"tabindex", "0"},
                    {"aria-label", view.label},
                    view.build,
                    view.module,
                    view.changes,
                    view.links});
  html.trusted(embedded(view.document, view.prefix));
  html.close("div");
  html.end_part();
}

/// Without a script this drawing is below the others; the script shows one of them.
void write_folded_away(HtmlWriter& html, std::string_view summary, const DrawingView& view) {
  html.open("details", {{"class", "folded"}});
  html.element("summary", summary);
  write_drawing(html, view);
  html.close("details");
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
  const DrawingView whole{label, data.picture, fmt::format("network{}-", module.position + 1)};
  const DrawingView folded{label + ", repeated parts drawn once", data.folded_picture,
                           fmt::format("folded{}-", module.position + 1)};
  if (data.picture.empty()) {
    html.element(
        "p", {{"class", "note"}},
        "The network has too many edges to draw all of it. Repeated parts are drawn once.");
    write_drawing(html, folded);
  } else {
    write_drawing(html, whole);
    if (!data.folded_picture.empty()) write_folded_away(html, "Repeated parts drawn once", folded);
  }
  html.close("div");
}

void write_network_sides(HtmlWriter& html, std::size_t position,
                         const std::vector<NetworkSide>& sides) {
  html.open("div", {{"class", "drawings"}});
  bool is_first = true;
  for (const NetworkSide& side : sides) {
    const std::string& picture = side.data.picture;
    if (picture.empty()) {
      html.element("p", {{"class", "note"}},
                   fmt::format("{}: {}", side.title, side.data.no_picture));
      continue;
    }
    const std::string at = std::to_string(side.module);
    const DrawingView view{
        .label = fmt::format("Drawing of the network of {}, {}", side.report.name, side.build),
        .document = picture,
        .prefix = fmt::format("{}{}-", side.build, position + 1),
        .build = {"data-build", side.build},
        .module = {"data-at", at},
        .changes = {"data-changes", side.changes},
        .links = {"data-links", side.links}};
    is_first ? write_drawing(html, view) : write_folded_away(html, side.title, view);
    is_first = false;
  }
  html.close("div");
}

}  // namespace mlf::page
