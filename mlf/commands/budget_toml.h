// Reads a budget file as TOML, for the commands that read and update it.
#pragma once

#include <string>
#include <string_view>

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace mlf::program {

/// The table that contains the tables of single modules.
constexpr std::string_view kModules = "modules";

/// Throws `Error` of kind `invalid_input` with line and column, also for deep nesting.
toml::table parse_toml(std::string_view text, const std::string& path);

}  // namespace mlf::program
