// Files that options of commands name as their result. "-" is standard output.
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include "mlf/formats.h"
#include "options.h"

namespace mlf::program {

constexpr std::string_view kStandardOutput = "-";

/// Adds an option for the path of a result. `path` becomes "-" if it is another name of standard
/// output, such as /dev/stdout.
CLI::Option* add_result_option(CLI::App& app, const std::string& flags, std::string& path,
                               const OptionPlace& place, const std::string& help);

/// Throws `usage` if the result at `path` would be written to a terminal, whose state its bytes may
/// change.
void check_terminal(const std::string& path);

/// What a command prints if no result goes to standard output.
enum class Printed { table, json };

/// Returns whether one of the results at `paths` goes to standard output, which gets nothing else
/// then: no table, and JSON is an error. Throws `usage` if two results would go there.
bool takes_standard_output(std::initializer_list<std::string_view> paths, Printed printed);

/// Writes a result once it is whole; "-" is standard output. Throws `io`, and what `write` throws.
void write_result(const std::string& path, const std::function<void(const Sink&)>& write);

}  // namespace mlf::program
