// The parser behind Document: one pass over the bytes, with a stack of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"

namespace mlf::json {

class Parser {
 public:
  Parser(Document& document, std::size_t begin, std::size_t end, const ReadOptions& options)
      : document_(document),
        text_(document.source_.text.data()),
        at_(text_ + begin),
        end_(text_ + end),
        options_(options) {}

  void parse();

 private:
  /// An array or object that is being read.
  struct Open {
    std::uint32_t entry;
    bool ascending = true;  // whether the keys came sorted, which proves them distinct
    bool may_repeat = false;
    std::string_view last_key = {};
    std::uint64_t signs = 0;  // of the keys, a bit each: one that is not there yet is of a new key
  };

  [[noreturn]] void fail(std::string message) const { fail(at_, std::move(message)); }
  [[noreturn]] void fail(const char* where, std::string message) const;
  [[noreturn]] void fail_expected(std::string_view what) const;

  /// The next byte that is not white space; '\0' at the end.
  char peek() {
    // Half of what is between values is nothing.
    return at_<end_&& static_cast<unsigned char>(*at_)> ' ' ? *at_ : peek_over_space();
  }
  char peek_over_space();
  void pass_indentation();
  bool accept(char c) { return at_ < end_ && *at_ == c && ++at_ != nullptr; }

  void value();
  void word(std::string_view expected, Type type);
  void number();
  bool digits();
  void check_range(const char* begin) const;
  /// Reads a string; its content.
  std::string_view string();
  const char* quote_or_escape(const char* from) const;
  std::string_view escaped_string(const char* first_escape);
  void escape(std::string& text);
  std::uint32_t code_unit();
  std::uint32_t code_point();
  void check_unicode(const char* begin, const char* end) const;

  void open(Type type);
  void close();
  /// Goes on inside the innermost container, up to the next value or past its end.
  void next_part();
  void key();
  void check_distinct(std::uint32_t object) const;

  std::uint32_t add(Type type, const char* begin);

  Document& document_;
  const char* const text_;
  const char* at_;
  const char* const end_;
  const ReadOptions& options_;
  std::vector<Open> open_;
};

}  // namespace mlf::json
