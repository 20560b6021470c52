#include "page/script_functions.h"

#include <algorithm>

#include "mlf/tir/write.h"
#include "support/error.h"
#include "support/lookup.h"

namespace mlf::page {
namespace {

namespace f = tir::f;

// As tir/tvmscript writes methods of the class of a module, in every version.
constexpr std::string_view kFunction = "    @T.prim_func";
constexpr std::string_view kDefinition = "    def ";
constexpr std::string_view kIndent = "    ";

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end);
  return line;
}

}  // namespace

std::string_view lines_of(std::string_view text, std::size_t first, std::size_t last) {
  for (std::size_t line = 1; line < first && !text.empty(); ++line) take_line(text);
  std::string_view rest = text;
  for (std::size_t line = first; line <= last && !rest.empty(); ++line) take_line(rest);
  return text.substr(0, text.size() - rest.size());
}

std::string script_of(const tir::Document& document) {
  for (const auto place : {tir::ConstantPlace::none, tir::ConstantPlace::inside}) {
    std::string text;
    const auto sink = [&](std::string_view bytes) { text += bytes; };
    const auto written = tir::write_tvmscript(document, {.constants = place}, sink);
    if (written) return text;
    support::throw_unless_invalid(written.error());
  }
  return {};
}

ScriptFunctions::ScriptFunctions(std::string_view script) {
  std::string_view rest = script;
  Function function;
  std::string name;
  const auto finish = [&] {
    while (function.text.ends_with("\n\n")) function.text.pop_back();
    if (!name.empty()) by_name_.emplace(name, std::move(function));
    function = {};
    name.clear();
  };
  for (std::uint32_t number = 1; !rest.empty(); ++number) {
    const std::string_view line = take_line(rest);
    if (line.starts_with(kFunction)) finish();
    if (function.text.empty()) function.first_line = number;
    if (line.starts_with(kDefinition) && name.empty()) {
      const std::string_view head = line.substr(kDefinition.size());
      name = head.substr(0, head.find('('));
    }
    function.text += line.starts_with(kIndent) ? line.substr(kIndent.size()) : line;
  }
  finish();
}

const ScriptFunctions::Function* ScriptFunctions::find(std::string_view name) const {
  return support::find_value(by_name_, name);
}

std::string_view name_of(const tir::Document& document, tir::NodeId function) {
  for (const tir::NamedFunction& one : tir::functions_of(document.module)) {
    if (one.function.id() == function) return one.name;
  }
  return {};
}

}  // namespace mlf::page
