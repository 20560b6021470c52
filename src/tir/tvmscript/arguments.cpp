#include "tir/tvmscript/arguments.h"

#include <fmt/core.h>

#include <algorithm>

#include "tir/tvmscript/expressions.h"

namespace mlf::tir::tvmscript {

Arguments::Arguments(const Expressions& exprs, const Value& call, std::string_view callee,
                     std::uint32_t first, std::uint32_t count)
    : exprs_(&exprs), call_(call), callee_(callee), first_(first), count_(count) {
  while (positional_ < count && exprs.items_[first + positional_].kind != ValueKind::keyword) {
    ++positional_;
  }
  for (std::uint32_t i = positional_; i < count; ++i) {
    const Value& value = exprs.items_[first + i];
    if (value.kind != ValueKind::keyword) {
      exprs.fail(value, "a positional argument stands behind a keyword argument");
    }
  }
}

const Value& Arguments::operator[](std::size_t i) const {
  return exprs_->items_[first_ + i];
}

std::optional<Value> Arguments::keyword(std::string_view name) const {
  for (std::uint32_t i = positional_; i < count_; ++i) {
    const Value& value = exprs_->items_[first_ + i];
    if (exprs_->name(value) == name) return exprs_->keyword_value(value);
  }
  return std::nullopt;
}

std::optional<Value> Arguments::find(std::size_t position, std::string_view name) const {
  return position < positional_ ? std::optional((*this)[position]) : keyword(name);
}

Value Arguments::get(std::size_t position, std::string_view name) const {
  if (const auto value = find(position, name)) return *value;
  fail(fmt::format("{} needs an argument '{}'", callee_, name));
}

void Arguments::expect(std::size_t least, std::size_t most) const {
  if (positional_ >= least && positional_ <= most) return;
  const std::string range = least == most      ? fmt::format("{}", least)
                            : most == SIZE_MAX ? fmt::format("at least {}", least)
                                               : fmt::format("{} to {}", least, most);
  const bool one = least == 1 && (most == 1 || most == SIZE_MAX);
  fail(
      fmt::format("{} takes {} argument{}, found {}", callee_, range, one ? "" : "s", positional_));
}

void Arguments::expect_keywords(std::initializer_list<std::string_view> known) const {
  for (std::uint32_t i = positional_; i < count_; ++i) {
    const Value& value = exprs_->items_[first_ + i];
    const std::string_view name = exprs_->name(value);
    if (std::ranges::find(known, name) == known.end()) {
      exprs_->fail(value, fmt::format("{} has no keyword argument '{}'", callee_, name));
    }
  }
}

void Arguments::fail(std::string message) const {
  exprs_->fail(call_, std::move(message));
}

}  // namespace mlf::tir::tvmscript
