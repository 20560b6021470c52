// A budget file as TOML: what reading and updating it share.
#pragma once

#include <string>
#include <string_view>

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace mlf::program {

/// The table of tables of single modules.
constexpr std::string_view kModules = "modules";

/// Throws `Error` of kind `invalid_input` with line and column, also for deep nesting.
toml::table parse_toml(std::string_view text, const std::string& path);

}  // namespace mlf::program
