// What an application has to provide to run a module: the list of `mlf inspect --integration`.
#include <array>
#include <cstddef>
#include <string_view>

#include "page/parts.h"
#include "report/integration_tables.h"
#include "support/digits.h"

namespace mlf::page {
namespace {

std::string_view words_of(std::optional<ModuleInterface> interface) {
  constexpr std::array<std::string_view, 4> kWords{
      "The application calls one function, with structs of pointers to its tensors and memory.",
      "The application calls one function, with an array of TVMValue.",
      "TVM's graph executor calls the functions, in the order of the graph.",
      "The application calls the functions themselves."};
  return interface ? kWords[static_cast<std::size_t>(*interface)]
                   : "No function was found that an application could call.";
}

}  // namespace

void write_application(HtmlWriter& html, const ModuleView& module) {
  const ModuleIntegration& list = module.data.integration;
  html.element("h3", {{"id", module.id("application")}}, "Application");
  html.element("p", {{"class", "note"}}, words_of(list.interface));
  std::string declarations;
  for (const std::string& line : report::declarations_of(list)) declarations += line + "\n";
  if (!declarations.empty()) {
    html.element("pre", {{"tabindex", "0"}, {"role", "group"}, {"aria-label", "Functions to call"}},
                 declarations);
  }
  for (const report::TextTable& table : report::tables_of(list)) {
    open_table(html, table.heads.front(), "needs");
    head_row(html, table.heads);
    for (const std::vector<std::string>& row : table.rows) {
      html.open("tr");
      for (std::size_t i = 0; i < row.size(); ++i) {
        const bool is_number = table.heads[i].starts_with('#');
        html.breakable_element("td", {{is_number ? "class" : "", "n"}},
                               is_number ? group_digits(row[i]) : row[i]);
      }
      html.close("tr");
    }
    close_table(html);
  }
}

}  // namespace mlf::page
