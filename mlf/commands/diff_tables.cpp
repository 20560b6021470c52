#include "commands/diff_tables.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "mlf/diagnostics.h"

namespace mlf::program {
namespace {

/// How far the number that changed most has moved; what is not known may be any number.
std::uint64_t effect_of(const KernelDifference& kernel) {
  std::uint64_t effect = 0;
  for (const NumberChange& number : kernel.numbers) {
    if (!number.before.is_exact() || !number.after.is_exact()) return UINT64_MAX;
    effect = std::max(effect, std::max(number.before.min, number.after.min) -
                                  std::min(number.before.min, number.after.min));
  }
  return effect;
}

/// The kernels of which more than offsets changed, the largest change first; those without numbers
/// in the order of the network.
std::vector<const KernelDifference*> by_effect(const ModuleDifference& module) {
  std::vector<const KernelDifference*> kernels;
  for (const KernelDifference& kernel : module.kernels) {
    if (kernel.change != KernelChange::moved) kernels.push_back(&kernel);
  }
  std::ranges::stable_sort(kernels, [](const KernelDifference* a, const KernelDifference* b) {
    return effect_of(*a) > effect_of(*b);
  });
  return kernels;
}

/// "offsets moved in 4 kernels"; empty where none did.
std::string moved_offsets(const ModuleDifference& module) {
  const auto count =
      std::ranges::count(module.kernels, KernelChange::moved, &KernelDifference::change);
  return count == 0 ? ""
                    : fmt::format("offsets moved in {} kernel{}", count, count == 1 ? "" : "s");
}

std::string name_of(const ModuleDifference& module) {
  return module.name.empty() ? "-" : module.name;
}

/// Sentences on a module: what has no numbers.
std::vector<std::string> sentences_of(const ModuleDifference& module) {
  std::vector<std::string> sentences;
  if (module.is_added) sentences.emplace_back("module added");
  if (module.is_removed) sentences.emplace_back("module removed");
  if (std::string moved = moved_offsets(module); !moved.empty()) {
    sentences.push_back(std::move(moved));
  }
  sentences.insert(sentences.end(), module.graph.begin(), module.graph.end());
  return sentences;
}

Emphasis emphasis_of(const NumberChange& number) {
  return number.grows() ? Emphasis::warning : Emphasis::none;
}

Table totals_table(const std::vector<ModuleDifference>& modules) {
  Table table({"MODULE", "TOTAL", "BEFORE", "AFTER", "DELTA"});
  table.align_right({2, 3, 4});
  table.hide_if_constant(0);
  for (const ModuleDifference& module : modules) {
    for (const NumberChange& number : module.numbers) {
      table.add({name_of(module), number.what, to_string(number.before), to_string(number.after),
                 number.delta()},
                emphasis_of(number));
    }
  }
  return table;
}

Table kernels_table(const std::vector<ModuleDifference>& modules) {
  Table table({"MODULE", "KERNEL", "CHANGE", "NUMBER", "BEFORE", "AFTER", "DELTA"});
  table.align_right({4, 5, 6});
  table.hide_if_constant(0);
  table.hide_if_empty({3, 4, 5, 6});
  for (const ModuleDifference& module : modules) {
    for (const KernelDifference* kernel : by_effect(module)) {
      std::string name = kernel->name;
      std::string change(to_string(kernel->change));
      if (kernel->numbers.empty()) {
        table.add({name_of(module), std::move(name), std::move(change), "", "", "", ""});
      }
      for (const NumberChange& number : kernel->numbers) {
        table.add({name_of(module), std::exchange(name, ""), std::exchange(change, ""), number.what,
                   to_string(number.before), to_string(number.after), number.delta()},
                  emphasis_of(number));
      }
    }
  }
  return table;
}

std::string sentences(const std::vector<ModuleDifference>& modules, const Screen& screen) {
  std::string text;
  for (const ModuleDifference& module : modules) {
    for (const std::string& one : sentences_of(module)) {
      const std::string line = fmt::format("{}: {}", name_of(module), one);
      text += folded(printable(line), screen, 2) + "\n";
    }
  }
  return text;
}

/// A line for each statement of one of the builds that contradicts another.
std::vector<std::string> contradiction_lines(const BuildDifference& difference) {
  std::vector<std::string> lines;
  const auto add = [&](std::string_view build, const std::vector<ModuleContradiction>& list) {
    for (const auto& [module, one] : list) {
      lines.push_back(
          fmt::format("The archive {} contradicts itself, numbers may be wrong: {}: {} [{}]", build,
                      printable(module), printable(one.detail), one.code));
    }
  };
  add("before", difference.contradictions_before);
  add("after", difference.contradictions_after);
  return lines;
}

/// A cell of a table in Markdown, where a bar ends the cell and marks are not for names.
std::string markdown_cell(const std::string& text) {
  std::string escaped;
  for (const char c : printable(text)) {
    if (std::string_view("|\\`*_<>[]&#").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string markdown_row(const std::string& where, const std::string& what,
                         const std::string& before, const std::string& after,
                         const std::string& delta) {
  return fmt::format("| {} | {} | {} | {} | {} |\n", markdown_cell(where), markdown_cell(what),
                     before, after, delta);
}

std::string markdown_numbers(const std::string& where, const std::vector<NumberChange>& numbers) {
  std::string text;
  for (const NumberChange& number : numbers) {
    text += markdown_row(where, number.what, to_string(number.before), to_string(number.after),
                         number.delta());
  }
  return text;
}

}  // namespace

std::string to_tables(const BuildDifference& difference, const Screen& screen) {
  std::string text;
  const auto add = [&](const std::string& part) {
    if (!text.empty() && !part.empty()) text += "\n";
    text += part;
  };
  for (const Table& table : {totals_table(difference.modules), kernels_table(difference.modules)}) {
    if (!table.empty()) add(table.text(screen));
  }
  add(sentences(difference.modules, screen));
  for (const std::string& line : contradiction_lines(difference)) {
    text += folded(line, screen, 2) + "\n";
  }
  return text;
}

std::string to_markdown(const BuildDifference& difference) {
  std::string text = "No differences.\n";
  if (!difference.modules.empty()) {
    text = "| where | what | before | after | delta |\n|---|---|--:|--:|--:|\n";
  }
  for (const ModuleDifference& module : difference.modules) {
    text += markdown_numbers("module " + name_of(module), module.numbers);
  }
  for (const ModuleDifference& module : difference.modules) {
    for (const KernelDifference* kernel : by_effect(module)) {
      const std::string change = "kernel " + std::string(to_string(kernel->change));
      text += markdown_row(kernel->name, change, "", "", "");
      text += markdown_numbers(kernel->name, kernel->numbers);
    }
    for (const std::string& one : sentences_of(module)) {
      text += markdown_row("module " + name_of(module), one, "", "", "");
    }
  }
  for (const std::string& line : contradiction_lines(difference)) {
    text += "\n" + markdown_cell(line) + "\n";
  }
  return text;
}

}  // namespace mlf::program
