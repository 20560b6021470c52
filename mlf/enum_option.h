// Command-line options whose value is one of a few names.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace mlf::program {

template <class Enum>
using EnumNames = std::vector<std::pair<std::string, Enum>>;

/// Adds an option that sets `value`; the help shows the names and the default.
template <class Enum>
CLI::Option* add_enum_option(CLI::App& app, const std::string& flags, Enum& value,
                             const EnumNames<Enum>& names, const std::string& help) {
  std::vector<std::string> allowed;
  std::string initial;
  for (const auto& [name, meaning] : names) {
    allowed.push_back(name);
    if (meaning == value) initial = name;
  }
  const auto set = [&value, names](const std::string& chosen) {
    value = std::find_if(names.begin(), names.end(), [&](const auto& row) {
              return row.first == chosen;
            })->second;
  };
  return app.add_option_function<std::string>(flags, set, help)
      ->check(CLI::IsMember(allowed))
      ->default_str(initial);
}

}  // namespace mlf::program
