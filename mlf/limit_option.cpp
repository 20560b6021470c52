#include "limit_option.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace mlf::program {
namespace {

struct Row {
  std::string_view name;
  std::uint64_t largest;
  std::uint64_t (*get)(const Limits&);
  void (*set)(Limits&, std::uint64_t);
};

template <class Member>
constexpr std::uint64_t kLargest = std::numeric_limits<Member>::max();

#define MLF_LIMIT(name, field)                                              \
  Row {                                                                     \
    name, kLargest<decltype(Limits{}.field)>,                               \
        [](const Limits& limits) -> std::uint64_t { return limits.field; }, \
        [](Limits& limits, std::uint64_t value) {                           \
          limits.field = static_cast<decltype(limits.field)>(value);        \
        }                                                                   \
  }
constexpr Row kRows[] = {
    MLF_LIMIT("members", archive.max_members),
    MLF_LIMIT("total-bytes", archive.max_total_bytes),
    MLF_LIMIT("member-bytes", archive.max_member_bytes),
    MLF_LIMIT("expansion", archive.max_expansion),
    MLF_LIMIT("name-bytes", archive.max_name_bytes),
    MLF_LIMIT("header-bytes", archive.max_header_bytes),
    MLF_LIMIT("nesting", tir.max_nesting),
    MLF_LIMIT("nodes", tir.max_nodes),
    MLF_LIMIT("source-bytes", tir.max_source_bytes),
    MLF_LIMIT("written-nodes", tir.max_written_nodes),
};
#undef MLF_LIMIT

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

tl::unexpected<Diagnostics> refuse(std::string message) {
  return tl::make_unexpected(Diagnostics{Diagnostic{ErrorKind::usage, std::move(message), {}}});
}

}  // namespace

void add_limit_option(CLI::App& app, std::vector<std::string>& settings) {
  std::string help = "Bound on untrusted input, repeatable:";
  const Limits defaults;
  for (const Row& row : kRows) {
    help += fmt::format("{} {}={}", &row == kRows ? "" : ",", row.name, row.get(defaults));
  }
  app.add_option("--limit", settings, help)->type_name("NAME=VALUE")->allow_extra_args(false);
}

Result<Limits> limits_from(const std::vector<std::string>& settings) {
  Limits limits;
  for (const std::string_view setting : settings) {
    const std::size_t equals = std::min(setting.find('='), setting.size());
    const std::string_view name = setting.substr(0, equals);
    const Row* row = std::find_if(std::begin(kRows), std::end(kRows),
                                  [&](const Row& candidate) { return candidate.name == name; });
    if (row == std::end(kRows))
      return refuse(fmt::format("--limit: no limit is called '{}'", name));
    const auto value = number(setting.substr(std::min(equals + 1, setting.size())));
    if (!value || *value > row->largest) {
      return refuse(fmt::format("--limit {}: expected a number up to {}", name, row->largest));
    }
    row->set(limits, *value);
  }
  return limits;
}

}  // namespace mlf::program
