// What an application has to provide to run a module: the list of `mlf inspect --integration`.
#include <fmt/core.h>

#include "page/parts.h"
#include "report/integration_tables.h"

namespace mlf::page {
void write_application(HtmlWriter& html, const ModuleView& module) {
  const ModuleIntegration& list = module.data.integration;
  html.element("h3", {{"id", module.id("application")}}, "Application");
  html.element("p", {{"class", "note"}},
               fmt::format("What an application calls and provides to run the module (interface: "
                           "{}), as mlf inspect --integration lists it.",
                           list.interface ? to_string(*list.interface) : "unknown"));
  std::string declarations;
  for (const std::string& line : report::declarations_of(list)) declarations += line + "\n";
  if (!declarations.empty()) {
    html.element("pre", {{"tabindex", "0"}, {"role", "group"}, {"aria-label", "Functions to call"}},
                 declarations);
  }
  for (const report::TextTable& table : report::tables_of(list)) {
    write_table(html, table.heads.front(), "needs", table.heads, table.rows);
  }
}

}  // namespace mlf::page
