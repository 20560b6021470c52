#include "commands/budget_toml.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "support/error.h"

namespace mlf::program {
namespace {

// --- What toml++ must not see -------------------------------------------------------------------

struct TomlFault {
  std::string what;
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
  /// toml++ skips a byte order mark.
  explicit Scan(std::string_view text)
      : text_(text), at_(text.starts_with("\xEF\xBB\xBF") ? 3 : 0) {}

  std::optional<TomlFault> run() {
    bool is_statement_begin = true;
    while (at_ < text_.size()) {
      const std::size_t key = is_statement_begin ? key_of_head() : std::string_view::npos;
      if (key < text_.size() && !begins_key(text_[key])) {
        return fault("expected the key of a table", key);
      }
      const char last = text_[at_];
      step();
      is_statement_begin = last == '\n' && open_ == 0;
      // toml++ makes a table of each part of a dotted key, and destroys tables by recursion.
      if (nesting_ > kMostTomlNesting) {
        return fault(fmt::format("nested more than {} deep", kMostTomlNesting), at_ - 1);
      }
    }
    return std::nullopt;
  }

 private:
  /// Where the key begins if the head of a table is next: toml++ assumes that one is there.
  std::size_t key_of_head() const {
    constexpr std::string_view kBlanks = " \t";
    const std::size_t begin = text_.find_first_not_of(kBlanks, at_);
    if (begin == std::string_view::npos || text_[begin] != '[') return std::string_view::npos;
    const bool is_array = text_.substr(begin).starts_with("[[");
    return text_.find_first_not_of(kBlanks, begin + (is_array ? 2 : 1));
  }

  /// True for the bracket of an empty head, too: toml++ refuses that with a better message.
  static bool begins_key(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-\"']").find(c) != std::string_view::npos;
  }

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

  TomlFault fault(std::string what, std::size_t at) const {
    const std::string_view before = text_.substr(0, at);
    const std::size_t line_begin = before.rfind('\n') + 1;
    return {std::move(what), static_cast<std::uint32_t>(std::ranges::count(before, '\n') + 1),
            static_cast<std::uint32_t>(before.size() - line_begin + 1)};
  }

  std::string_view text_;
  std::size_t at_;
  unsigned open_ = 0;     ///< brackets and braces
  unsigned nesting_ = 0;  ///< of the statement so far
};

}  // namespace

toml::table parse_toml(std::string_view text, const std::string& path) {
  if (auto fault = Scan(text).run()) {
    throw support::Error(ErrorKind::invalid_input, std::move(fault->what),
                         {.file = path, .line = fault->line, .column = fault->column});
  }
  toml::parse_result document = toml::parse(text, path);
  if (document) return std::move(document).table();
  const toml::parse_error& error = document.error();
  const toml::source_position& begin = error.source().begin;
  throw support::Error(ErrorKind::invalid_input, std::string(error.description()),
                       {.file = path, .line = begin.line, .column = begin.column});
}

}  // namespace mlf::program
