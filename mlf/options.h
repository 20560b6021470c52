// Common options of commands: how archives are read, that is, limits for untrusted input and facts
// that the user states, and options with a few named values.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mlf/archive.h"
#include "mlf/compile.h"
#include "mlf/deployment.h"
#include "mlf/diagnostics.h"
#include "mlf/tir/document.h"

namespace mlf::program {

/// A name with a size in bytes, as `NAME=BYTES` or `NAME=64K`. Throws `Error` of kind `usage`,
/// which names `option`.
std::pair<std::string, std::uint64_t> named_size(std::string_view option, std::string_view text);

/// Adds `--pool-size NAME=BYTES` to `app`.
void add_pool_size_option(CLI::App& app, std::vector<std::string>& settings);

/// Adds `--define NAME[=VALUE]` and `--undefine NAME`, which set `macros`.
void add_macro_options(CLI::App& app, tir::MacroValues& macros);

/// Adds `--limit NAME=VALUE` to `app`.
void add_limit_option(CLI::App& app, std::vector<std::string>& settings);

/// A line for each limit: its name, its default, its meaning.
std::string limits_help();

/// The defaults with `settings` ("members=10") applied, and what the user states, without TIR
/// beside the archive. Throws `Error` of kind `usage`.
DeploymentOptions limits_from(const std::vector<std::string>& settings,
                              const std::vector<std::string>& pool_sizes,
                              const tir::MacroValues& macros);

/// Accepts these names. The error states the nearest one.
CLI::Validator one_of(std::vector<std::string> allowed);
/// Accepts whole numbers within these bounds.
CLI::Validator whole_number(std::uint64_t min, std::uint64_t max);
/// Accepts numbers greater than 0, also with a fraction.
CLI::Validator number_above_0();

/// Accepts a text with a word in it.
CLI::Validator not_empty();

/// Accepts what `read` reads.
CLI::Validator accepted_by(std::function<Result<std::uint64_t>(std::string_view)> read);
/// Accepts what `number_of` reads.
CLI::Validator size_with_unit();

/// The help of the argument ARCHIVE.
constexpr const char* kArchiveHelp = "A tar, compressed or not, or a directory; - is stdin";

/// A value of an option by its name on the command line; a value without a meaning has no line in
/// the help.
template <class Enum>
struct NamedValue {
  std::string name;
  Enum value;
  std::string meaning;
};
template <class Enum>
using EnumNames = std::vector<NamedValue<Enum>>;

/// The name of an option's value in the help, and the group of the option.
struct OptionPlace {
  std::string type_name;
  std::string group;
};

/// Adds an option that takes a value.
template <class Value>
CLI::Option* add_option(CLI::App& app, const std::string& flags, Value& value,
                        const OptionPlace& place, const std::string& help) {
  return app.add_option(flags, value, help)->type_name(place.type_name)->group(place.group);
}

/// Adds an option without a value, in a group of the help.
inline CLI::Option* add_flag(CLI::App& app, const std::string& flags, bool& value,
                             const std::string& group, const std::string& help) {
  return app.add_flag(flags, value, help)->group(group);
}

/// Adds an option that sets `value`; the help has a line for each name.
template <class Enum>
CLI::Option* add_enum_option(CLI::App& app, const std::string& flags, Enum& value,
                             const EnumNames<Enum>& names, const OptionPlace& place,
                             const std::string& help) {
  std::vector<std::string> allowed;
  std::string initial;
  std::string text = help;
  for (const auto& [name, meant, meaning] : names) {
    allowed.push_back(name);
    if (meant == value) initial = name;
    if (meaning.empty()) continue;
    text += (text == help ? ":\n" : "\n") + name + "  " + meaning;
    if (meant == value) text += " (default)";
  }
  const auto set = [&value, names](const std::string& chosen) {
    value = std::find_if(names.begin(), names.end(), [&](const auto& row) {
              return row.name == chosen;
            })->value;
  };
  return app.add_option_function<std::string>(flags, set, text)
      ->check(one_of(allowed))
      ->type_name(place.type_name)
      ->group(place.group)
      ->default_str(initial);
}

/// Adds `--json` beside the option `--format` of `app`. A remark may follow the name of `json`.
template <class Enum>
void add_json_flag(CLI::App& app, Enum& format, Enum json, const std::string& name = "json") {
  app.add_flag_callback(
         "--json", [&format, json] { format = json; }, "The same as --format " + name)
      ->group("Output")
      ->excludes(app.get_option("--format"));
}

/// Adds `--tir FILE` for TIR beside the archive.
void add_tir_option(CLI::App& app, std::vector<std::string>& files);

/// Adds `--profile FILE` for numbers of `mlf profile --json`.
void add_profile_option(CLI::App& app, std::vector<std::string>& files);

/// Adds `--jobs N`; `what` is the beginning of its help.
void add_jobs_option(CLI::App& app, unsigned& jobs, const std::string& what);

struct CompilerArguments {
  std::string command;
  std::string flags;                    ///< separated by blanks
  std::vector<std::string> sections{};  ///< "NAME=ram" or "NAME=flash"
};

/// Adds `--cc`, `--cflags` and `--section`.
void add_compiler_options(CLI::App& app, CompilerArguments& options,
                          const std::string& help =
                              "Compile the archive's C with this command, for sizes of code and "
                              "stack frames; temporary files are removed");

/// Those of --cflags, then those for the macros of the command line.
std::vector<std::string> flags_of(const CompilerArguments& options,
                                  const DeploymentOptions& limits);

/// Nothing without --cc. The compiler gets the macros of `limits`, too.
std::optional<Compiler> compiler_of(const CompilerArguments& options,
                                    const DeploymentOptions& limits);

/// `limits` with the macros that the options of the compiler define. A header may define one that
/// they undefine.
DeploymentOptions with_macros_of(const CompilerArguments& options, DeploymentOptions limits);

}  // namespace mlf::program
