// The parser behind JsonDocument: one pass, a stack of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/json_reader.h"

namespace mlf::support {

class JsonParser {
 public:
  JsonParser(JsonDocument& document, std::size_t begin, std::size_t end, const JsonLimits& limits)
      : document_(document),
        text_(document.source_.text.substr(0, end)),
        at_(begin),
        limits_(limits) {}

  void parse();

 private:
  struct Open {
    std::uint32_t entry;     // the array or object
    std::uint32_t last_key;  // entry of the last key read
    bool ascending;          // whether the keys came sorted, which proves them distinct
  };

  [[noreturn]] void fail(std::string message) const;
  [[noreturn]] void fail_at_byte(std::size_t offset, std::string message) const;
  void skip_space();
  /// The next byte that is not white space; '\0' at the end.
  char peek();
  std::uint32_t add(JsonType type, std::size_t begin);

  void value();
  void word(std::string_view expected, JsonType type);
  void number();
  bool digits();
  void string();
  std::size_t closing_quote(std::size_t from) const;
  void escaped_string(std::size_t begin, std::size_t first_escape);
  void escape(std::string& text);
  std::uint32_t code_unit();
  std::uint32_t code_point();

  void open(JsonType type);
  void close();
  /// Goes on inside the innermost container, up to the next value or past its end.
  void next_part();
  void key();
  void check_distinct(std::uint32_t object) const;

  JsonDocument& document_;
  std::string_view text_;
  std::size_t at_;
  JsonLimits limits_;
  std::vector<Open> open_;
};

}  // namespace mlf::support
