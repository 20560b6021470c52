#include "commands/budget_toml.h"

#include <fmt/core.h>

#include "commands/toml_nesting.h"

namespace mlf::program {
namespace {

tl::unexpected<Diagnostic> refuse(std::string message, const std::string& path, std::uint32_t line,
                                  std::uint32_t column) {
  Location where{.file = path};
  where.line = line;
  where.column = column;
  return tl::make_unexpected(
      Diagnostic{ErrorKind::invalid_input, std::move(message), std::move(where)});
}

}  // namespace

Result<toml::table> parse_toml(std::string_view text, const std::string& path) {
  // toml++ makes a table of each part of a dotted key, and destroys them by recursion.
  if (const auto deep = too_nested(text)) {
    return refuse(fmt::format("nested more than {} deep", kMostTomlNesting), path, deep->line,
                  deep->column);
  }
  toml::parse_result document = toml::parse(text, path);
  if (document) return std::move(document).table();
  const toml::parse_error& error = document.error();
  const toml::source_position& begin = error.source().begin;
  return refuse(std::string(error.description()), path, begin.line, begin.column);
}

}  // namespace mlf::program
