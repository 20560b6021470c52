#include "tir/tvmscript/values.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "support/error.h"
#include "tir/text/lexer.h"

namespace mlf::tir::tvmscript {

/// For messages: "expected a buffer, found a list".
std::string_view to_string(ScriptValueKind kind) {
  constexpr std::string_view kNames[] = {"an object",    "None",
                                         "a boolean",    "an integer",
                                         "a number",     "a string",
                                         "a name",       "a method",
                                         "an access",    "a metadata key",
                                         "a list",       "a tuple",
                                         "a dictionary", "a keyword argument",
                                         "a slice",      "nothing",
                                         "a lambda",     "elements of a constant"};
  return kNames[static_cast<std::size_t>(kind)];
}

/// Keeps the memory, because the next statement needs about as much.
void Values::clear() {
  tree_.clear();
  stack_.clear();
  items_.clear();
  decoded_.clear();
}

ScriptValue Values::pop() {
  const ScriptValue value = stack_.back();
  stack_.pop_back();
  return value;
}

/// Items never move again, so positions stay valid.
ScriptValue Values::take_items(std::size_t count) {
  const auto first = static_cast<std::uint32_t>(items_.size());
  items_.insert(items_.end(), stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
  drop(count);
  return {.first = first, .count = static_cast<std::uint32_t>(count)};
}

ScriptValue Values::hold(const std::vector<ScriptValue>& values) {
  const auto first = static_cast<std::uint32_t>(items_.size());
  items_.insert(items_.end(), values.begin(), values.end());
  return {.first = first, .count = static_cast<std::uint32_t>(values.size())};
}

std::vector<ScriptValue> Values::elements(const ScriptValue& value) const {
  if (value.kind != ScriptValueKind::list && value.kind != ScriptValueKind::tuple) return {value};
  const auto first = items_.begin() + value.first;
  return {first, first + value.count};
}

std::string_view Values::decoded(const ScriptValue& value) {
  if (const auto plain = text::plain_string(text(value))) return *plain;
  return decoded_.emplace_back(text::decode_string(text(value)));
}

/// The message shows the whole source text of the value.
void Values::fail(const ScriptValue& at, std::string message) const {
  const text::Syntax& syntax = tree_[at.syntax];
  support::fail_at(source_, syntax.begin, std::move(message), syntax.end - syntax.begin);
}

// --- Arguments ---------------------------------------------------------------------------------

/// Keyword arguments come last, as in Python.
Arguments::Arguments(const Values& values, const ScriptValue& call, std::string_view callee,
                     const ScriptValue& items)
    : values_(&values), call_(call), callee_(callee), items_(items) {
  while (positional_ < items_.count && (*this)[positional_].kind != ScriptValueKind::keyword) {
    ++positional_;
  }
  for (std::uint32_t i = positional_; i < items_.count; ++i) {
    if ((*this)[i].kind != ScriptValueKind::keyword) {
      values.fail((*this)[i], "a positional argument behind a keyword argument");
    }
  }
}

/// Few arguments have keywords, so a search is as fast as a table.
std::optional<ScriptValue> Arguments::keyword(std::string_view name) const {
  for (std::uint32_t i = positional_; i < items_.count; ++i) {
    if (values_->name((*this)[i]) == name) return values_->keyword_value((*this)[i]);
  }
  return std::nullopt;
}

std::optional<ScriptValue> Arguments::find(std::size_t position, std::string_view name) const {
  return position < positional_ ? std::optional((*this)[position]) : keyword(name);
}

ScriptValue Arguments::get(std::size_t position, std::string_view name) const {
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

}  // namespace mlf::tir::tvmscript
