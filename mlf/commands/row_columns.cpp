#include "commands/row_columns.h"

#include <fmt/core.h>

#include <string_view>

#include "manual/paragraph.h"
#include "mlf/report.h"

namespace mlf::program {
namespace {

/// Combines "mac_min" and "mac_max" as "mac*".
std::string names_of(RowKind kind) {
  std::string text;
  for (const RowColumn& column : columns_of(kind)) {
    if (column.name.ends_with("_max")) continue;
    if (!text.empty()) text += ", ";
    const bool is_pair = column.name.ends_with("_min");
    text += is_pair ? fmt::format("{}*", column.name.substr(0, column.name.size() - 4))
                    : std::string(column.name);
  }
  return text;
}

}  // namespace

std::string row_columns_help() {
  std::string text =
      "Columns after archive and error (NAME* is NAME_min and NAME_max; mlf-table(1)\n"
      "has the meanings):\n";
  for (const auto& [kind, name, meaning] : row_kinds()) {
    text += entry(fmt::format("--rows {}", name), names_of(kind), 20);
  }
  return text;
}

std::string row_columns_text() {
  std::string text;
  for (const auto& [kind, name, meaning] : row_kinds()) {
    text += fmt::format("Columns of --rows {}, after archive and error:\n", name);
    for (const RowColumn& column : columns_of(kind)) {
      std::string line = fmt::format("  {:<18}{}", column.name, column.meaning);
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
  }
  return text;
}

}  // namespace mlf::program
