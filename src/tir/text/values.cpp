#include "tir/text/values.h"

#include <fmt/core.h>

#include <algorithm>

#include "support/error.h"
#include "support/lookup.h"
#include "tir/text/lexer.h"

namespace mlf::tir::text {

std::string_view to_string(ValueKind kind) {
  return support::name_in({"an object",    "None",
                           "a boolean",    "an integer",
                           "a number",     "a string",
                           "a name",       "a method",
                           "an access",    "a metadata key",
                           "a list",       "a tuple",
                           "a dictionary", "a keyword argument",
                           "a slice",      "nothing",
                           "a lambda",     "elements of a constant",
                           "a binding",    "a definition"},
                          kind);
}

Value& Values::gather(ValueKind kind, SyntaxId id, std::size_t count) {
  Value value = take_items(count);
  value.kind = kind;
  value.syntax = id;
  return stack_.emplace_back(value);
}

Value& Values::gather(SyntaxId id) {
  constexpr std::pair<SyntaxKind, ValueKind> kKinds[] = {
      {SyntaxKind::integer, ValueKind::integer}, {SyntaxKind::string, ValueKind::string},
      {SyntaxKind::real, ValueKind::real},       {SyntaxKind::keyword, ValueKind::keyword},
      {SyntaxKind::slice, ValueKind::slice},     {SyntaxKind::list, ValueKind::list},
      {SyntaxKind::tuple, ValueKind::tuple},     {SyntaxKind::dict, ValueKind::dict}};
  for (const auto& [syntax_kind, value_kind] : kKinds) {
    if (is(id, syntax_kind)) return gather(value_kind, id);
  }
  return gather(ValueKind::absent, id);
}

std::string_view Values::decoded(const Value& value) {
  if (const auto plain = plain_string(text(value))) return *plain;
  return decoded_.emplace_back(decode_string(text(value)));
}

// --- Arguments ---------------------------------------------------------------------------------

Arguments::Arguments(const Values& values, const Value& call, std::string_view callee,
                     const Value& items)
    : values_(&values), call_(call), callee_(callee), items_(items) {
  while (positional_ < items_.count && (*this)[positional_].kind != ValueKind::keyword) {
    ++positional_;
  }
  for (std::uint32_t i = positional_; i < items_.count; ++i) {
    if ((*this)[i].kind != ValueKind::keyword) {
      values.fail((*this)[i], "a positional argument behind a keyword argument");
    }
  }
}

Value Arguments::get(std::size_t position, std::string_view name) const {
  if (const auto value = find(position, name)) return *value;
  fail(fmt::format("{} needs an argument '{}'", callee_, name));
}

/// The range in words: "1 argument", "at least 2", "1 to 3".
void Arguments::expect(std::size_t least, std::size_t most) const {
  if (positional_ >= least && positional_ <= most) return;
  const std::string range = least == most      ? fmt::format("{}", least)
                            : most == SIZE_MAX ? fmt::format("at least {}", least)
                                               : fmt::format("{} to {}", least, most);
  const bool one = least == 1 && (most == 1 || most == SIZE_MAX);
  fail(
      fmt::format("{} takes {} argument{}, found {}", callee_, range, one ? "" : "s", positional_));
}

void Arguments::expect_keywords(std::span<const std::string_view> known) const {
  for (std::uint32_t i = positional_; i < items_.count; ++i) {
    const std::string_view name = values_->name((*this)[i]);
    if (std::ranges::find(known, name) != known.end()) continue;
    values_->fail((*this)[i], fmt::format("{} has no keyword argument '{}'", callee_, name));
  }
}

}  // namespace mlf::tir::text
