#include "graph/formats/dot_text.h"

#include <fmt/ranges.h>
#include <array>
#include <map>
#include <string_view>

#include "json/text.h"
#include "mlf/tir/module.h"
#include "support/characters.h"

namespace mlf::graph {

namespace {

constexpr std::string_view kReplacement = "\uFFFD";

void append_escaped(std::string& out, std::string_view character) {
  // Graphviz reads `\N` and the like in labels, and entities of HTML.
  if (character == "\n") {
    out += "\\n";
  } else if (character == "\"" || character == "\\") {
    out += "\\" + std::string(character);
  } else if (character == "&") {
    out += "&amp;";
  } else {
    std::string_view rest = character;
    out += support::is_unsafe_to_show(support::take_character(rest)) ? kReplacement : character;
  }
}

}  // namespace

// Graphviz stops at bytes that are not UTF-8, and names come from untrusted files.
std::string dot_string(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const bool is_ascii = static_cast<unsigned char>(text[0]) < 0x80;
    const std::size_t length = is_ascii ? 1 : json::plain_character(text);
    if (length == 0) {
      out += kReplacement;
      text.remove_prefix(1);
      continue;
    }
    append_escaped(out, text.substr(0, length));
    text.remove_prefix(length);
  }
  return out + '"';
}

std::string wrapped(std::string_view text, char separator, std::size_t width) {
  std::string out;
  std::size_t line = 0;
  while (!text.empty()) {
    // Up to and including the next separator. A word longer than a line gets its own line.
    const std::size_t word = std::min(text.find(separator), text.size() - 1) + 1;
    if (line > 0 && line + word > width) {
      out += '\n';
      line = 0;
    }
    out += text.substr(0, word);
    line += word;
    text.remove_prefix(word);
  }
  return out;
}

std::string byte_count(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits{"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double amount = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; amount >= 1024 && unit + 1 < kUnits.size(); ++unit) amount /= 1024;
  const std::string number = fmt::format("{:.1f}", amount);
  return (number.ends_with(".0") ? number.substr(0, number.size() - 2) : number) + " " +
         std::string(kUnits[unit]);
}

std::string shape_text(const TensorType& type) {
  if (!type.shape) return "[?]";
  return fmt::format("[{}]", fmt::join(*type.shape, ", "));
}

std::string type_text(const TensorType& type) {
  return (type.dtype.is_void() ? "?" : tir::to_string(type.dtype)) + shape_text(type);
}

namespace {

std::string_view shortened(std::string_view name, std::string_view prefix) {
  const bool leaves_something = name.starts_with(prefix) && name.size() > prefix.size();
  return leaves_something ? name.substr(prefix.size()) : name;
}

}  // namespace

// Counts every kernel for all forms of its name. So a form is used only if it cannot mean another
// kernel, not even one with a longer displayed form.
std::vector<std::string> short_names(const std::string& module,
                                     const std::vector<std::string>& symbols) {
  const std::string prefix = "tvmgen_" + (module.empty() ? "default" : module) + "_";
  // The number of kernels that a name could mean. Every kernel counts for all its possible names.
  std::map<std::string_view, int> meanings;
  const auto forms = [&](const std::string& symbol) {
    const std::string_view inner = shortened(symbol, prefix);
    return std::vector<std::string_view>{shortened(inner, "fused_"), inner, symbol};
  };
  for (const std::string& symbol : symbols) {
    std::string_view last;
    for (const std::string_view form : forms(symbol)) {
      // Equal forms of one kernel count once.
      if (form != last) ++meanings[form];
      last = form;
    }
  }
  std::vector<std::string> names;
  for (const std::string& symbol : symbols) {
    std::string_view chosen = symbol;
    for (const std::string_view form : forms(symbol)) {
      if (meanings[form] > 1) continue;
      chosen = form;
      break;
    }
    names.emplace_back(chosen);
  }
  return names;
}

std::vector<std::string> short_names(const Topology& topology) {
  std::vector<std::string> symbols;
  for (const Kernel& kernel : topology.kernels) symbols.push_back(kernel.symbol);
  return short_names(topology.module, symbols);
}

}  // namespace mlf::graph
