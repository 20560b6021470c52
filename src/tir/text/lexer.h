// Splits the text of one source into tokens, on demand, by the lexical rules of a dialect.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "support/characters.h"
#include "support/source_text.h"
#include "tir/text/tokens.h"

namespace mlf::tir::text {

struct Word {
  std::string_view spelling;
  Sign sign;
};

/// A word of a dialect and its meaning.
template <class T>
struct Meaning {
  std::string_view word;
  T value;
};

/// Null if no row has the word.
template <class T, std::size_t N>
constexpr const T* meaning_of(const Meaning<T> (&rows)[N], std::string_view word) {
  for (const Meaning<T>& row : rows) {
    if (row.word == word) return &row.value;
  }
  return nullptr;
}

/// Offset after the string that starts at `begin`, or npos if it is not closed.
using StringEnd = std::size_t (*)(std::string_view text, std::size_t begin);

/// Strings of Python: either quote, three of them for several lines, backslash escapes.
std::size_t python_string_end(std::string_view text, std::size_t begin);

/// Whether names of all dialects may contain `c`: a letter, a digit, `_`, or a byte that is not
/// ASCII.
constexpr bool is_name_char(char c) {
  return support::is_word_character(c) || static_cast<unsigned char>(c) >= 0x80;
}

/// The characters inside of a dialect's names, as a table: readers ask for each byte of a text.
class NameChars {
 public:
  /// `besides` are those that not every dialect has.
  constexpr explicit NameChars(std::string_view besides) {
    for (std::size_t i = 0; i < table_.size(); ++i) {
      const char c = static_cast<char>(i);
      table_[i] = is_name_char(c) || besides.find(c) != std::string_view::npos;
    }
  }

  constexpr bool contain(char c) const { return table_[static_cast<unsigned char>(c)]; }
  /// The offset of the first other character from `begin` on.
  constexpr std::size_t end(std::string_view text, std::size_t begin) const {
    while (begin < text.size() && contain(text[begin])) ++begin;
    return begin;
  }

 private:
  std::array<bool, 256> table_{};
};

/// The distance within which the end of a construct is searched if its presence is only a guess: a
/// name with brackets, a reference, a type. With guesses to the end of a line, a line of brackets
/// would take time quadratic in its length.
inline constexpr std::size_t kLookahead = 1024;

/// The text up to that distance; offsets are those of `text`.
inline std::string_view ahead_of(std::size_t begin, std::string_view text) {
  return text.substr(0, begin + kLookahead);
}

/// The rules that split a dialect's text into tokens.
struct LexicalRules {
  enum class Suffixes : std::uint8_t { none, typed };  ///< typed: `1f32`, `5i64`, `0u8`

  Suffixes suffixes = Suffixes::none;
  char comment = '\0';             ///< starts a comment that extends to the end of the line
  std::string_view name_start;     ///< characters that start a name, besides letters and `_`
  std::string_view name_continue;  ///< characters inside of a name, besides letters, digits and `_`
  std::span<const Word> words;     ///< names that are signs
  StringEnd string_end = python_string_end;
};

/// Has one token of lookahead. Bytes that are not ASCII count as letters.
class Lexer {
 public:
  /// The source and the rules must outlive the lexer, which begins at the first token.
  Lexer(const support::SourceText& source, const LexicalRules& rules);

  const Token& token() const { return token_; }
  /// Offset after the previous token, ignoring ends of lines and comments.
  std::uint32_t end_before() const { return end_before_; }
  void advance();
  /// Continues at `offset`, before or after the token, outside of strings and at the same or a
  /// lower bracket depth.
  void seek(std::size_t offset);
  /// Continues this number of bytes after the beginning of the token, like `seek`.
  void pass(std::size_t bytes) { seek(token_.begin + bytes); }
  /// Skips ends of lines and comments.
  void skip_lines() {
    while (token_.is(TokenKind::newline) || token_.is(TokenKind::comment)) advance();
  }
  /// Passes the token if it is this sign.
  bool accept(Sign sign);
  /// The same, but any other token is an error. `construct` states where the sign belongs.
  void expect(Sign sign, std::string_view construct = {});
  void expect_word(std::string_view word, std::string_view construct = {});
  /// Consumes and returns a name; `wanted` describes it in messages.
  std::string_view expect_name(std::string_view wanted);
  /// Like `seek`, but lines inside of a bracket remain lines.
  void pass(Sign sign, std::string_view construct) {
    check(sign, construct);
    seek(token_.end);
  }

  /// Consumes the end of a line or of the text; fails for any other token.
  void end_line();

  bool at_word(std::string_view word) const {
    return token_.is(TokenKind::name) && text(token_) == word;
  }
  /// The text from the token on.
  std::string_view rest() const { return source_->text.substr(token_.begin); }
  /// The same up to the end of the line.
  std::string_view rest_of_line() const { return rest().substr(0, rest().find('\n')); }

  /// Column of the token: its indentation if it is the first of its line.
  std::uint32_t indentation() const { return token_.begin - line_begin_; }

  /// Offset of the end of the token's line.
  std::uint32_t line_end() const;

  std::string_view text(const Token& token) const { return slice(token.begin, token.end); }
  std::string_view slice(std::uint32_t begin, std::uint32_t end) const {
    return source_->text.substr(begin, end - begin);
  }
  const support::SourceText& source() const { return *source_; }

  /// Describes the current token, for "expected …, found …".
  std::string found() const;
  [[noreturn]] void fail(const Token& at, std::string message) const {
    support::fail_at(*source_, at.begin, std::move(message), at.end - at.begin);
  }
  [[noreturn]] void fail(std::string message) const { fail(token_, std::move(message)); }
  /// Fails at the current token, which is not `wanted`.
  [[noreturn]] void fail_expected(std::string_view wanted) const;

 private:
  enum class CharClass : std::uint8_t {
    other,
    name,
    digit,
    space,
    newline,
    quote,
    comment,
    backslash,
  };

  void check(Sign sign, std::string_view construct) const;
  [[noreturn]] void fail_spelled(std::string_view spelling, std::string_view construct) const;
  void scan();
  bool is_in_line() const;
  bool skip_blank();
  void scan_name();
  void scan_number();
  void scan_string();
  void take(TokenKind kind, std::size_t end);
  char at(std::size_t offset) const { return offset < end_ ? data_[offset] : '\0'; }
  CharClass class_of(char c) const { return classes_[static_cast<unsigned char>(c)]; }
  void classify();

  const support::SourceText* source_;
  const LexicalRules* rules_;
  const char* data_;
  std::size_t end_;
  std::size_t next_ = 0;
  std::uint32_t line_begin_ = 0;
  std::uint32_t end_before_ = 0;
  std::uint32_t depth_ = 0;  // brackets that are open before the current token
  Token token_;
  std::array<CharClass, 256> classes_{};
  NameChars name_chars_;
  std::array<bool, 256> starts_word_{};  // one of the rules' words
};

// --- Values of literal tokens ------------------------------------------------------------------

/// The bytes of a string token without its quotes. Escapes are those of Python and of TVM's
/// printers: `
///  \t \r \" \' \\ \xHH`; an escaped line end disappears; others stay unchanged.
std::string decode_string(std::string_view token);
/// The text between the quotes if it contains no escape; saves a copy.
std::optional<std::string_view> plain_string(std::string_view token);

/// A decimal integer of 64 bits; the upper half of uint64 wraps. nullopt if it does not fit.
std::optional<std::int64_t> parse_integer(std::string_view digits);
/// A decimal or `inf`, `-inf`, `nan`, `-nan`.
std::optional<double> parse_real(std::string_view text);

}  // namespace mlf::tir::text
