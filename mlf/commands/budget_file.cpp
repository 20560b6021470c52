#include "commands/budget_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "commands/budget_toml.h"
#include "support/error.h"
#include "support/numbers.h"

namespace mlf::program {
namespace {

// A line for each module and finding: at most a few thousand lines.
constexpr std::uint64_t kMostBytes = 16u << 20;

constexpr std::string_view kMemory = "memory";

Location place_of(const toml::source_region& region, const std::string& path) {
  return {.file = path, .line = region.begin.line, .column = region.begin.column};
}

/// Reads a budget or a board from a document; `path` is its name in errors.
class BudgetReader {
 public:
  explicit BudgetReader(const std::string& path) : path_(path) {}

  Budget read(const toml::table& document) const;
  Board read_board(const toml::table& document) const;

 private:
  [[noreturn]] void refuse(const toml::source_region& where, std::string message) const {
    throw support::Error(ErrorKind::invalid_input, std::move(message), place_of(where, path_));
  }
  std::uint64_t amount(Resource resource, const toml::node& value) const;
  Limit limit(const toml::key& key, const toml::node& value) const;
  BoardMemory memory(const toml::key& name, const toml::node& node) const;
  std::vector<CostFindingCode> findings(const toml::node& value) const;
  const toml::table& table(const toml::node& node, std::string_view what) const;
  Demands demands(const toml::table& table, std::string_view passed_over) const;

  const std::string& path_;
};

/// A number, or a text like "96K".
std::uint64_t BudgetReader::amount(Resource resource, const toml::node& value) const {
  if (const auto* number = value.as_integer(); number != nullptr && number->get() >= 0) {
    return static_cast<std::uint64_t>(number->get());
  }
  const auto* text = value.as_string();
  if (text == nullptr) {
    refuse(value.source(), "expected a number of 0 or more, or a text like \"96K\"");
  }
  const auto number = amount_of(resource, text->get());
  if (!number) refuse(value.source(), number.error().message);
  return *number;
}

Limit BudgetReader::limit(const toml::key& key, const toml::node& value) const {
  const auto resource = resource_named(key.str());
  if (!resource) refuse(key.source(), resource.error().message);
  return {*resource, amount(*resource, value)};
}

/// A list of codes of findings.
std::vector<CostFindingCode> BudgetReader::findings(const toml::node& value) const {
  if (!value.is_array()) refuse(value.source(), "expected a list like [\"constants-twice\"]");
  std::vector<CostFindingCode> codes;
  for (const toml::node& one : *value.as_array()) {
    if (!one.is_string()) refuse(one.source(), "expected the code of a finding");
    const auto code = finding_named(one.as_string()->get());
    if (!code) refuse(one.source(), code.error().message);
    codes.push_back(*code);
  }
  return codes;
}

Demands BudgetReader::demands(const toml::table& table, std::string_view passed_over) const {
  constexpr std::string_view kNoFinding = "no-finding";
  Demands demands;
  for (const auto& [key, value] : table) {
    if (key.str() == passed_over) continue;
    if (key.str() == kNoFinding) {
      demands.no_findings = findings(value);
    } else {
      demands.limits.push_back(limit(key, value));
    }
  }
  return demands;
}

const toml::table& BudgetReader::table(const toml::node& node, std::string_view what) const {
  if (!node.is_table()) refuse(node.source(), fmt::format("expected a table [{}.NAME]", what));
  return *node.as_table();
}

Budget BudgetReader::read(const toml::table& document) const {
  Budget budget{.common = demands(document, kModules)};
  const toml::node* modules = document.get(kModules);
  if (modules == nullptr) return budget;
  for (const auto& [name, node] : table(*modules, kModules)) {
    Demands& own = budget.of_modules[std::string(name.str())];
    own = demands(table(node, kModules), {});
    own.where = place_of(name.source(), path_);
  }
  return budget;
}

BoardMemory BudgetReader::memory(const toml::key& name, const toml::node& node) const {
  const toml::table& entries = table(node, kMemory);
  BoardMemory memory{.name = std::string(name.str())};
  if (memory.name.empty()) refuse(name.source(), "a memory needs a name");
  if (!entries.contains("bytes")) refuse(name.source(), "a memory needs bytes = \"64K\"");
  for (const auto& [key, value] : entries) {
    if (key.str() == "bytes") {
      memory.bytes = amount(Resource::ram, value);
      continue;
    }
    if (key.str() != "holds") refuse(key.source(), "a memory has 'bytes' and 'holds'");
    if (!value.is_array()) refuse(value.source(), "expected a list like [\"pools\", \"stack\"]");
    for (const toml::node& one : *value.as_array()) {
      if (!one.is_string()) refuse(one.source(), "expected the name of a part");
      memory.holds.push_back({one.as_string()->get(), place_of(one.source(), path_)});
    }
  }
  return memory;
}

Board BudgetReader::read_board(const toml::table& document) const {
  Board board;
  for (const auto& [key, value] : document) {
    if (key.str() == "in_turn") {
      if (!value.is_boolean()) refuse(value.source(), "expected true or false");
      board.in_turn = value.as_boolean()->get();
    } else if (key.str() == kMemory) {
      for (const auto& [name, node] : table(value, kMemory)) {
        board.memories.push_back(memory(name, node));
      }
    } else {
      refuse(key.source(), "a board has 'in_turn' and tables [memory.NAME]");
    }
  }
  if (board.memories.empty()) refuse(document.source(), "a board needs a table [memory.NAME]");
  return board;
}

}  // namespace

Result<std::uint64_t> number_of(std::string_view text) {
  constexpr std::string_view kUnits = "KMGT";
  const std::size_t unit = text.empty() ? std::string_view::npos : kUnits.find(text.back());
  const std::string_view digits = unit == text.npos ? text : text.substr(0, text.size() - 1);
  const auto number = support::whole_number<std::uint64_t>(digits);
  const std::size_t bits = unit == text.npos ? 0 : 10 * (unit + 1);
  if (!number || *number > (std::uint64_t{INT64_MAX} >> bits)) {
    return tl::make_unexpected(Diagnostic{
        ErrorKind::usage,
        fmt::format("'{}' is not a whole number from 0 to {}, or one with K, M, G or T such as 96K",
                    text, INT64_MAX)});
  }
  return *number << bits;
}

Result<std::uint64_t> amount_of(Resource resource, std::string_view text) {
  if (resource != Resource::time) return number_of(text);
  struct Unit {
    std::string_view name;
    std::uint64_t nanoseconds;
  };
  constexpr std::array kUnits{Unit{"ns", 1}, Unit{"us", 1'000}, Unit{"ms", 1'000'000},
                              Unit{"s", 1'000'000'000}, Unit{"", 1}};
  const auto* const unit =
      std::ranges::find_if(kUnits, [&](const Unit& one) { return text.ends_with(one.name); });
  const auto number =
      support::whole_number<std::uint64_t>(text.substr(0, text.size() - unit->name.size()));
  if (!number || *number > std::uint64_t{INT64_MAX} / unit->nanoseconds) {
    return tl::make_unexpected(Diagnostic{
        ErrorKind::usage,
        fmt::format("'{}' is no time: a whole number with ns, us, ms or s, as 50ms", text)});
  }
  return *number * unit->nanoseconds;
}

Budget parse_budget(std::string_view text, const std::string& path) {
  return BudgetReader(path).read(parse_toml(text, path));
}

BudgetFile read_budget(const std::string& path) {
  TirFile file = support::get_or_throw(load_tir_file(path, kMostBytes));
  Budget budget = parse_budget(file.text, path);
  return {std::move(file.text), std::move(budget)};
}

Board read_board(const std::string& path) {
  const TirFile file = support::get_or_throw(load_tir_file(path, kMostBytes));
  return BudgetReader(path).read_board(parse_toml(file.text, path));
}

}  // namespace mlf::program
