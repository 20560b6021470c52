// The arguments of one call.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tir/tvmscript/value.h"

namespace mlf::tir::tvmscript {

class Expressions;

class Arguments {
 public:
  /// The `count` items from `first` on are the arguments, positional ones first.
  Arguments(const Expressions& exprs, const Value& call, std::string_view callee,
            std::uint32_t first, std::uint32_t count);

  std::size_t size() const { return positional_; }  ///< positional ones
  const Value& operator[](std::size_t i) const;
  std::optional<Value> keyword(std::string_view name) const;
  /// By position, or by name.
  std::optional<Value> find(std::size_t position, std::string_view name) const;
  /// The same, where it must be there.
  Value get(std::size_t position, std::string_view name) const;

  /// Fails unless there are `least` to `most` positional arguments.
  void expect(std::size_t least, std::size_t most) const;
  /// Fails on a keyword that is not among these.
  void expect_keywords(std::initializer_list<std::string_view> known) const;

  const Value& call() const { return call_; }
  std::string_view callee() const { return callee_; }  ///< as written
  [[noreturn]] void fail(std::string message) const;

 private:
  const Expressions* exprs_;
  Value call_;
  std::string_view callee_;
  std::uint32_t first_;
  std::uint32_t positional_ = 0;
  std::uint32_t count_;
};

}  // namespace mlf::tir::tvmscript
