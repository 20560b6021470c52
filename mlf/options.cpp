#include "options.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "commands/budget_file.h"
#include "support/characters.h"
#include "support/error.h"
#include "support/nearest.h"
#include "support/numbers.h"

namespace mlf::program {
namespace {

/// One limit: its name, its meaning, and its field of `Limits`.
struct LimitRow {
  std::string_view name;
  std::string_view meaning;
  std::uint64_t largest;
  std::uint64_t (*get)(const DeploymentOptions&);
  void (*set)(DeploymentOptions&, std::uint64_t);
};

template <class Member>
// Limits have 32 or 64 bits: a value that does not fit is an error.
constexpr std::uint64_t kLargest = std::numeric_limits<Member>::max();

#define MLF_LIMIT(name, meaning, field)                                                \
  LimitRow {                                                                           \
    name, meaning, kLargest<decltype(DeploymentOptions{}.field)>,                      \
        [](const DeploymentOptions& limits) -> std::uint64_t { return limits.field; }, \
        [](DeploymentOptions& limits, std::uint64_t value) {                           \
          limits.field = static_cast<decltype(limits.field)>(value);                   \
        }                                                                              \
  }
// In the order of the help.
constexpr LimitRow kRows[] = {
    MLF_LIMIT("members", "members of an archive", archive_limits.max_members),
    MLF_LIMIT("total-bytes", "bytes of an archive, uncompressed", archive_limits.max_total_bytes),
    MLF_LIMIT("member-bytes", "bytes of one member", archive_limits.max_member_bytes),
    MLF_LIMIT("expansion", "uncompressed bytes per compressed byte", archive_limits.max_expansion),
    MLF_LIMIT("name-bytes", "bytes of one member name", archive_limits.max_name_bytes),
    MLF_LIMIT("header-bytes", "bytes of the extended headers of one member",
              archive_limits.max_header_bytes),
    MLF_LIMIT("modules", "modules of an archive", archive_limits.max_modules),
    MLF_LIMIT("nesting", "levels of nesting in TIR", tir_limits.max_nesting),
    MLF_LIMIT("nodes", "nodes of one TIR module", tir_limits.max_nodes),
    MLF_LIMIT("source-bytes", "bytes of one TIR source", tir_limits.max_source_bytes),
    MLF_LIMIT("written-nodes", "nodes of the output, shared ones once for each use",
              tir_limits.max_written_nodes),
};
#undef MLF_LIMIT

std::string unknown_limit(std::string_view name) {
  std::vector<std::string> names;
  for (const LimitRow& row : kRows) names.emplace_back(row.name);
  return fmt::format("--limit: there is no limit '{}'{} (see mlf --help)", name,
                     did_you_mean(name, names));
}

[[noreturn]] void refuse_limit(std::string message) {
  throw support::Error(ErrorKind::usage, std::move(message));
}

/// As `-DNAME=VALUE` and `-DNAME`, which is 1.
void define(std::string_view text, tir::MacroValues& macros) {
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::string_view value = equals == text.size() ? "1" : text.substr(equals + 1);
  macros.insert_or_assign(std::string(text.substr(0, equals)), std::string(value));
}

bool is_placed_section(std::string_view text) {
  return text.rfind('=') != 0 && (text.ends_with("=ram") || text.ends_with("=flash"));
}

}  // namespace

CLI::Validator one_of(std::vector<std::string> allowed) {
  // `describe` finds the names in the description.
  const std::string description = fmt::format("{{{}}}", fmt::join(allowed, ","));
  const auto check = [allowed = std::move(allowed)](const std::string& text) {
    if (std::ranges::find(allowed, text) != allowed.end()) return std::string();
    if (text.empty()) return std::string("the value is empty");
    return fmt::format("'{}' is not one of {}{}", text, fmt::join(allowed, ", "),
                       did_you_mean(text, allowed));
  };
  return {check, description};
}

CLI::Validator whole_number(std::uint64_t min, std::uint64_t max) {
  const auto check = [min, max](const std::string& text) {
    const auto value = support::whole_number<std::uint64_t>(text);
    if (value && *value >= min && *value <= max) return std::string();
    const std::string bounds = max == UINT64_MAX ? fmt::format("of at least {}", min)
                                                 : fmt::format("from {} to {}", min, max);
    return fmt::format("'{}' is not a whole number {}", text, bounds);
  };
  return {check, ""};
}

CLI::Validator number_above_0() {
  const auto check = [](const std::string& text) {
    const auto value = support::whole_number<double>(text);
    if (value && *value > 0 && std::isfinite(*value)) return std::string();
    return fmt::format("'{}' is not a number above 0, such as 1.5", text);
  };
  return {check, ""};
}

CLI::Validator not_empty() {
  const auto check = [](const std::string& text) {
    return support::words_of(text).empty() ? "the value is empty" : std::string();
  };
  return {check, ""};
}

CLI::Validator accepted_by(std::function<Result<std::uint64_t>(std::string_view)> read) {
  const auto check = [read = std::move(read)](const std::string& text) {
    const auto number = read(text);
    return number ? std::string() : number.error().message;
  };
  return {check, ""};
}

CLI::Validator size_with_unit() {
  return accepted_by(number_of);
}

void add_limit_option(CLI::App& app, std::vector<std::string>& settings) {
  add_option(app, "--limit", settings, {"NAME=VALUE", "Options of every command"},
             "Change a limit on untrusted input, see below; repeatable");
}

// Defaults come from the structs, so this text is always up to date.
std::string limits_help() {
  std::string help = "Limits, with their defaults:\n";
  for (const LimitRow& row : kRows) {
    const std::string setting = fmt::format("{}={}", row.name, row.get(DeploymentOptions{}));
    help += fmt::format("  {:<26}  {}\n", setting, row.meaning);
  }
  return help;
}

void add_pool_size_option(CLI::App& app, std::vector<std::string>& settings) {
  add_option(app, "--pool-size", settings, {"NAME=BYTES", "Options of every command"},
             "Size of a memory pool that the archive does not declare, such as one that the "
             "application allocates; repeatable")
      ->allow_extra_args(false);
}

void add_macro_options(CLI::App& app, tir::MacroValues& macros) {
  app.add_option_function<std::string>(
         "--define", [&macros](const std::string& text) { define(text, macros); },
         "Define NAME for #if conditions in C, and for the compiler of --cc; repeatable")
      ->type_name("NAME[=VALUE]")
      ->group("Options of every command")
      ->trigger_on_parse();
  app.add_option_function<std::string>(
         "--undefine",
         [&macros](const std::string& text) { macros.insert_or_assign(text, std::nullopt); },
         "Treat NAME as not defined; repeatable")
      ->type_name("NAME")
      ->group("Options of every command")
      ->trigger_on_parse();
}

std::pair<std::string, std::uint64_t> named_size(std::string_view option, std::string_view text) {
  const std::size_t at = text.find('=');
  if (at == 0 || at == text.npos) {
    refuse_limit(fmt::format("{} {}: expected NAME=BYTES", option, text));
  }
  const auto bytes = number_of(text.substr(at + 1));
  if (!bytes) refuse_limit(fmt::format("{} {}: {}", option, text, bytes.error().message));
  return {std::string(text.substr(0, at)), *bytes};
}

DeploymentOptions limits_from(const std::vector<std::string>& settings,
                              const std::vector<std::string>& pool_sizes,
                              const tir::MacroValues& macros) {
  // signals.cpp handles SIGBUS.
  DeploymentOptions limits{.archive_limits = {.max_copied_bytes = 0}, .macros = macros};
  for (const std::string& text : pool_sizes) {
    auto [name, bytes] = named_size("--pool-size", text);
    limits.pool_sizes.push_back({std::move(name), bytes});
  }
  for (const std::string_view setting : settings) {
    // Without a "=", the whole text is the name and the value is empty, which is an error.
    const std::size_t equals = std::min(setting.find('='), setting.size());
    const std::string_view name = setting.substr(0, equals);
    const LimitRow* const row = std::ranges::find(kRows, name, &LimitRow::name);
    if (row == std::end(kRows)) refuse_limit(unknown_limit(name));
    const auto value =
        support::whole_number<std::uint64_t>(setting.substr(std::min(equals + 1, setting.size())));
    if (!value || *value > row->largest) {
      refuse_limit(fmt::format("--limit {}: expected a number up to {}", name, row->largest));
    }
    // The last of several settings of a limit counts.
    row->set(limits, *value);
  }
  return limits;
}

void add_tir_option(CLI::App& app, std::vector<std::string>& files) {
  add_option(app, "--tir", files, {"FILE", "Input"},
             "Also read TIR from this file (see mlf process); repeatable");
}

void add_profile_option(CLI::App& app, std::vector<std::string>& files) {
  add_option(app, "--profile", files, {"FILE", "Input"},
             "Times of calls, by mlf profile --json; repeatable");
}

void add_jobs_option(CLI::App& app, unsigned& jobs, const std::string& what) {
  add_option(app, "-j,--jobs", jobs, {"N", "Other"},
             what + " at the same time, 1 to 256 (default 1)")
      ->check(whole_number(1, 256))
      ->capture_default_str();
}

void add_compiler_options(CLI::App& app, CompilerArguments& options, const std::string& help) {
  auto* command =
      add_option(app, "--cc", options.command, {"COMMAND", "Compiler"}, help)->check(not_empty());
  add_option(app, "--cflags", options.flags, {"FLAGS", "Compiler"},
             "Options for it in one word: --cflags=\"-Os -mcpu=cortex-m4\"")
      ->needs(command);
  add_option(app, "--section", options.sections, {"S=MEMORY", "Compiler"},
             "Count section S as ram or flash, as the linker places it")
      ->check(CLI::Validator(
          [](const std::string& text) {
            return is_placed_section(text) ? ""
                                           : "expected NAME=ram or NAME=flash, not '" + text + "'";
          },
          ""))
      ->needs(command);
}

std::vector<std::string> flags_of(const CompilerArguments& options,
                                  const DeploymentOptions& limits) {
  std::vector<std::string> flags = support::words_of(options.flags);
  for (const auto& [name, value] : limits.macros) {
    flags.push_back(value ? fmt::format("-D{}={}", name, *value) : "-U" + name);
  }
  return flags;
}

std::optional<Compiler> compiler_of(const CompilerArguments& options,
                                    const DeploymentOptions& limits) {
  if (options.command.empty()) return std::nullopt;
  Compiler compiler{.command = options.command, .flags = flags_of(options, limits)};
  for (const std::string& text : options.sections) {
    const std::size_t equals = text.rfind('=');
    compiler.sections[text.substr(0, equals)] =
        text.ends_with("=ram") ? SectionMemory::ram : SectionMemory::flash;
  }
  return compiler;
}

DeploymentOptions with_macros_of(const CompilerArguments& options, DeploymentOptions limits) {
  for (const std::string& word : support::words_of(options.flags)) {
    if (word.starts_with("-D")) define(std::string_view(word).substr(2), limits.macros);
    if (word.starts_with("-U")) limits.macros.erase(word.substr(2));
  }
  if (options.command.empty()) return limits;
  const Compiler compiler{.command = options.command,
                          .flags = support::words_of(options.flags),
                          .timeout = std::chrono::seconds(5)};
  // A compiler that does not run is an error where it compiles.
  for (auto& [name, value] : predefined_macros(compiler).value_or(PredefinedMacros())) {
    limits.macros.emplace(name, std::move(value));
  }
  return limits;
}

}  // namespace mlf::program
