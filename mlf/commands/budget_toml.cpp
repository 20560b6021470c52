#include "commands/budget_toml.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "support/error.h"

namespace mlf::program {
namespace {

// --- A limit on nesting, checked before the recursive parser reads the text ----------------------

struct TomlPlace {
  std::uint32_t line = 1;    ///< 1-based
  std::uint32_t column = 1;  ///< 1-based, in bytes
};

/// The most dots, `[` and `{` in one statement of TOML, outside of strings and comments. Each is at
/// most one level of nesting.
constexpr unsigned kMostTomlNesting = 64;

/// Scans a text once. If the text is not TOML, the parser stops at the first error, so the rest
/// does not matter.
class Scan {
 public:
  explicit Scan(std::string_view text) : text_(text) {}

  std::optional<TomlPlace> run() {
    while (at_ < text_.size()) {
      step();
      if (nesting_ > kMostTomlNesting) return place();
    }
    return std::nullopt;
  }

 private:
  void step() {
    switch (const char c = text_[at_++]) {
      case '#':
        at_ = std::min(text_.find('\n', at_), text_.size());
        break;
      case '"':
      case '\'':
        skip_string(c);
        break;
      case '[':
      case '{':
        ++open_;
        ++nesting_;
        break;
      case ']':
      case '}':
        if (open_ > 0) --open_;
        break;
      case '.':
        ++nesting_;
        break;
      case '\n':
        if (open_ == 0) nesting_ = 0;  // the next statement
        break;
      default:
        break;
    }
  }

  void skip_string(char quote) {
    const bool is_triple = text_.substr(at_, 2) == std::string(2, quote);
    if (is_triple) at_ += 2;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      // Only strings in double quotes have escapes.
      if (c == '\\' && quote == '"') ++at_;
      if (c == '\n' && !is_triple) return;
      if (c == quote && !is_triple) return;
      if (c == quote && text_.substr(at_, 2) == std::string(2, quote)) return end_triple(quote);
    }
    at_ = text_.size();
  }

  /// The string may end with up to two more quotes.
  void end_triple(char quote) {
    at_ += 2;
    for (int more = 0; more < 2 && at_ < text_.size() && text_[at_] == quote; ++more) ++at_;
  }

  TomlPlace place() const {
    const std::string_view before = text_.substr(0, at_ - 1);
    const std::size_t line_begin = before.rfind('\n') + 1;
    return {static_cast<std::uint32_t>(std::ranges::count(before, '\n') + 1),
            static_cast<std::uint32_t>(before.size() - line_begin + 1)};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  unsigned open_ = 0;     ///< brackets and braces
  unsigned nesting_ = 0;  ///< of the statement so far
};

/// The first place at which a statement has more than `kMostTomlNesting` of them.
std::optional<TomlPlace> too_nested(std::string_view text) {
  return Scan(text).run();
}

}  // namespace

toml::table parse_toml(std::string_view text, const std::string& path) {
  // toml++ makes a table of each part of a dotted key, and destroys tables by recursion.
  if (const auto deep = too_nested(text)) {
    throw support::Error(ErrorKind::invalid_input,
                         fmt::format("nested more than {} deep", kMostTomlNesting),
                         {.file = path, .line = deep->line, .column = deep->column});
  }
  toml::parse_result document = toml::parse(text, path);
  if (document) return std::move(document).table();
  const toml::parse_error& error = document.error();
  const toml::source_position& begin = error.source().begin;
  throw support::Error(ErrorKind::invalid_input, std::string(error.description()),
                       {.file = path, .line = begin.line, .column = begin.column});
}

}  // namespace mlf::program
