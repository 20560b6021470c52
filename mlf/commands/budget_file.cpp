#include "commands/budget_file.h"

#include <fmt/core.h>

#include <charconv>

#include "commands/budget_toml.h"

namespace mlf::program {
namespace {

// A line for each module and finding, of which there are thousands at most.
constexpr std::uint64_t kMostBytes = 16u << 20;

tl::unexpected<Diagnostic> failure(ErrorKind kind, std::string message, Location where = {}) {
  return tl::make_unexpected(Diagnostic{kind, std::move(message), std::move(where)});
}

Location place_of(const toml::source_region& region, const std::string& path) {
  Location where{.file = path};
  where.line = region.begin.line;
  where.column = region.begin.column;
  return where;
}

/// A number, or a text like "96K".
Result<Limit> limit_from(const toml::key& key, const toml::node& value, const std::string& path) {
  const auto resource = resource_named(key.str());
  if (!resource) {
    return failure(ErrorKind::invalid_input, resource.error().message,
                   place_of(key.source(), path));
  }
  if (const auto* number = value.as_integer(); number != nullptr && number->get() >= 0) {
    return Limit{*resource, static_cast<std::uint64_t>(number->get())};
  }
  const auto* text = value.as_string();
  const auto number = text != nullptr
                          ? number_of(text->get())
                          : Result<std::uint64_t>(
                                failure(ErrorKind::invalid_input,
                                        "expected a number of 0 or more, or a text like \"96K\""));
  if (number) return Limit{*resource, *number};
  return failure(ErrorKind::invalid_input, number.error().message, place_of(value.source(), path));
}

/// A list of codes of findings.
Result<std::vector<CostFindingCode>> findings_from(const toml::node& value,
                                                   const std::string& path) {
  const auto wrong = [&](const toml::node& node, std::string message) {
    return failure(ErrorKind::invalid_input, std::move(message), place_of(node.source(), path));
  };
  if (!value.is_array()) return wrong(value, "expected a list like [\"constants-twice\"]");
  std::vector<CostFindingCode> codes;
  for (const toml::node& one : *value.as_array()) {
    if (!one.is_string()) return wrong(one, "expected the code of a finding");
    const auto code = finding_named(one.as_string()->get());
    if (!code) return wrong(one, code.error().message);
    codes.push_back(*code);
  }
  return codes;
}

constexpr std::string_view kNoFinding = "no-finding";

Result<Demands> demands_from(const toml::table& table, const std::string& path,
                             std::string_view passed_over) {
  Demands demands;
  for (const auto& [key, value] : table) {
    if (key.str() == passed_over) continue;
    if (key.str() == kNoFinding) {
      auto codes = findings_from(value, path);
      if (!codes) return tl::make_unexpected(codes.error());
      demands.no_findings = *std::move(codes);
      continue;
    }
    const auto limit = limit_from(key, value, path);
    if (!limit) return tl::make_unexpected(limit.error());
    demands.limits.push_back(*limit);
  }
  return demands;
}

Result<Budget> budget_from(const toml::table& document, const std::string& path) {
  Budget budget;
  auto common = demands_from(document, path, kModules);
  if (!common) return tl::make_unexpected(common.error());
  budget.common = *std::move(common);
  const toml::node* modules = document.get(kModules);
  if (modules == nullptr) return budget;
  const auto expected_table = [&](const toml::node& node) {
    return failure(ErrorKind::invalid_input, "expected a table [modules.NAME]",
                   place_of(node.source(), path));
  };
  if (!modules->is_table()) return expected_table(*modules);
  for (const auto& [name, node] : *modules->as_table()) {
    if (!node.is_table()) return expected_table(node);
    auto demands = demands_from(*node.as_table(), path, {});
    if (!demands) return tl::make_unexpected(demands.error());
    demands->where = place_of(name.source(), path);
    budget.of_modules[std::string(name.str())] = *std::move(demands);
  }
  return budget;
}

}  // namespace

Result<std::uint64_t> number_of(std::string_view text) {
  constexpr std::string_view kUnits = "KMG";
  const std::size_t unit = text.empty() ? std::string_view::npos : kUnits.find(text.back());
  const std::string_view digits = unit == text.npos ? text : text.substr(0, text.size() - 1);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const std::size_t bits = unit == text.npos ? 0 : 10 * (unit + 1);
  const bool is_number = error == std::errc() && end == digits.data() + digits.size();
  if (!is_number || number > (std::uint64_t{INT64_MAX} >> bits)) {
    return failure(
        ErrorKind::usage,
        fmt::format("'{}' is not a whole number from 0 to {}, or one with K, M or G such as 96K",
                    text, INT64_MAX));
  }
  return number << bits;
}

Result<Budget> parse_budget(std::string_view text, const std::string& path) {
  return parse_toml(text, path).and_then([&](const toml::table& document) {
    return budget_from(document, path);
  });
}

Result<BudgetFile> read_budget(const std::string& path) {
  return load_tir_file(path, kMostBytes).and_then([&](TirFile file) {
    return parse_budget(file.text, path).map([&](Budget budget) {
      return BudgetFile{std::move(file.text), std::move(budget)};
    });
  });
}

}  // namespace mlf::program
