#include "commands/budget_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace mlf::program {
namespace {

tl::unexpected<Diagnostics> failure(ErrorKind kind, std::string message, Location where = {}) {
  return tl::make_unexpected(Diagnostics{Diagnostic{kind, std::move(message), std::move(where)}});
}

Location place_of(const toml::source_region& region, const std::string& path) {
  Location where{.file = path};
  where.line = region.begin.line;
  where.column = region.begin.column;
  return where;
}

std::string names_of_resources() {
  std::string names;
  for (const Resource resource : all_resources()) {
    names += (names.empty() ? "" : ", ") + std::string(to_string(resource));
  }
  return names;
}

/// A number, or a text like "96K".
Result<Limit> limit_from(const toml::key& key, const toml::node& value, const std::string& path) {
  const auto resources = all_resources();
  const auto resource =
      std::ranges::find_if(resources, [&](Resource one) { return to_string(one) == key.str(); });
  if (resource == resources.end()) {
    return failure(ErrorKind::invalid_input,
                   fmt::format("'{}' cannot be limited, only {}", key.str(), names_of_resources()),
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
  return failure(ErrorKind::invalid_input, number.error().front().message,
                 place_of(value.source(), path));
}

Result<std::vector<Limit>> limits_from(const toml::table& table, const std::string& path,
                                       std::string_view passed_over) {
  std::vector<Limit> limits;
  for (const auto& [key, value] : table) {
    if (key.str() == passed_over) continue;
    const auto limit = limit_from(key, value, path);
    if (!limit) return tl::make_unexpected(limit.error());
    limits.push_back(*limit);
  }
  return limits;
}

constexpr std::string_view kModules = "modules";

Result<Budget> budget_from(const toml::table& document, const std::string& path) {
  Budget budget;
  auto common = limits_from(document, path, kModules);
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
    auto limits = limits_from(*node.as_table(), path, {});
    if (!limits) return tl::make_unexpected(limits.error());
    budget.of_modules[std::string(name.str())] = *std::move(limits);
  }
  return budget;
}

const Limit* limit_on(const std::vector<Limit>& limits, Resource resource) {
  const auto found = std::ranges::find(limits, resource, &Limit::resource);
  return found == limits.end() ? nullptr : &*found;
}

std::string lines_of(const std::vector<Limit>& limits) {
  std::string text;
  for (const Resource resource : all_resources()) {
    const Limit* limit = limit_on(limits, resource);
    if (limit != nullptr) text += fmt::format("{} = {}\n", to_string(resource), limit->most);
  }
  return text;
}

/// A name as a TOML key: any text between quotes.
std::string key_of(const std::string& name) {
  std::string quoted = "\"";
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += {'\\', c};
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted += fmt::format("\\u{:04x}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
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
        fmt::format("'{}' is not a whole number with K, M or G behind it or nothing", text));
  }
  return number << bits;
}

std::vector<Limit> Budget::limits_for(std::string_view module) const {
  const auto own = of_modules.find(module);
  std::vector<Limit> limits;
  for (const Resource resource : all_resources()) {
    const Limit* limit = own != of_modules.end() ? limit_on(own->second, resource) : nullptr;
    if (limit == nullptr) limit = limit_on(common, resource);
    if (limit != nullptr) limits.push_back(*limit);
  }
  return limits;
}

Result<Budget> read_budget(const std::string& path) {
  const auto file = load_tir_file(path);
  if (!file) return tl::make_unexpected(file.error());
  const toml::parse_result document = toml::parse(std::string_view(file->text), path);
  if (document) return budget_from(document.table(), path);
  const toml::parse_error& error = document.error();
  return failure(ErrorKind::invalid_input, std::string(error.description()),
                 place_of(error.source(), path));
}

Result<void> write_budget(const std::string& path, const Budget& budget) {
  std::string text = lines_of(budget.common);
  for (const auto& [name, limits] : budget.of_modules) {
    text += fmt::format("\n[modules.{}]\n", key_of(name)) + lines_of(limits);
  }
  const std::string temporary = path + ".new";
  std::ofstream out(temporary, std::ios::binary);
  out << text;
  out.close();
  std::error_code error;
  if (out) std::filesystem::rename(temporary, path, error);
  if (out && !error) return {};
  std::remove(temporary.c_str());
  return failure(ErrorKind::io, "cannot be written", {.file = path});
}

}  // namespace mlf::program
