// Tokens of generated C, and a cursor over those of one function or declaration.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/source_text.h"
#include "tir/text/tokens.h"

namespace mlf::tir::c {

using text::Sign;
using text::sign;
using text::Token;
using text::TokenKind;

/// The text of a token.
inline std::string_view text_of(const Token& token, std::string_view text) {
  return text.substr(token.begin, token.end - token.begin);
}

/// The tokens of the bytes [begin, end) of a source, without comments and preprocessor lines. The
/// last one is an end token. A character without a meaning in C is its own token.
std::vector<Token> tokenize(std::string_view text, std::uint32_t begin, std::uint32_t end);

/// The first of these tokens.
Token token_at(std::string_view text, std::uint32_t begin, std::uint32_t end);

/// The next name from `at` on, and moves `at` after it; an empty text if there is none before
/// `end`.
std::string_view next_name(std::string_view text, std::uint32_t& at, std::uint32_t end);

/// The end of blanks and comments at `at`; `at` if none begins there.
std::uint32_t skip_comments(std::string_view text, std::uint32_t at, std::uint32_t end);
/// The end of the preprocessor line at `at`, with the lines that a backslash or a comment joins.
std::uint32_t skip_line(std::string_view text, std::uint32_t at, std::uint32_t end);
/// The end of blanks, comments and preprocessor lines at `at`.
std::uint32_t skip_blank(std::string_view text, std::uint32_t at, std::uint32_t end);
/// The end of the string or character literal whose quote is at `at`.
std::uint32_t skip_quoted(std::string_view text, std::uint32_t at, std::uint32_t end);

/// Editors write it at the beginning of a file, and compilers pass over it.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// The text with blanks in place of comments, less than 4 GiB.
std::string without_comments(std::string_view text);

/// The text of a string, which may lack its last quote.
std::string_view without_quotes(std::string_view string);
/// `128u` is 128.
std::string_view without_suffix(std::string_view number);
/// The value of a decimal number without a sign; nullopt for any other text (010 is octal).
std::optional<std::int64_t> decimal(std::string_view text);
/// The value of an integer literal with any base and suffix; nullopt for any other text.
std::optional<std::int64_t> integer_literal(std::string_view text);

/// Reads tokens in order. Failures throw support::Error with the place.
class Cursor {
 public:
  Cursor(const support::SourceText& source, std::vector<Token> tokens)
      : source_(&source), tokens_(std::move(tokens)) {}

  const Token& peek(std::size_t ahead = 0) const {
    const std::size_t at = next_ + ahead;
    return at < tokens_.size() ? tokens_[at] : tokens_.back();
  }
  /// The token at a position that `position` returned, or after it.
  const Token& at_position(std::size_t position) const {
    return position < tokens_.size() ? tokens_[position] : tokens_.back();
  }
  /// The tokens between two positions.
  std::span<const Token> between(std::size_t begin, std::size_t end) const {
    return std::span(tokens_).subspan(begin, end - begin);
  }
  std::string_view text(const Token& token) const { return text_of(token, source_->text); }
  std::string_view text(std::size_t ahead = 0) const { return text(peek(ahead)); }
  /// Offset of a word that was read.
  std::uint32_t begin_of(std::string_view word) const {
    return static_cast<std::uint32_t>(word.data() - source_->text.data());
  }
  bool at_end() const { return peek().kind == TokenKind::end; }
  bool at(Sign wanted, std::size_t ahead = 0) const { return peek(ahead).sign == wanted; }
  bool at_word(std::string_view word, std::size_t ahead = 0) const {
    return peek(ahead).kind == TokenKind::name && text(ahead) == word;
  }
  bool at_name(std::size_t ahead = 0) const { return peek(ahead).kind == TokenKind::name; }

  /// Offset after the previous token.
  std::uint32_t end_before() const { return next_ == 0 ? peek().begin : tokens_[next_ - 1].end; }
  Token advance() {
    const Token token = peek();
    if (next_ + 1 < tokens_.size()) ++next_;
    return token;
  }
  bool accept(Sign wanted) {
    if (!at(wanted)) return false;
    advance();
    return true;
  }
  bool accept_word(std::string_view word) {
    if (!at_word(word)) return false;
    advance();
    return true;
  }
  void expect(std::string_view spelling);
  std::string_view expect_name(std::string_view what);
  /// The value of a word that was read; fails at the cursor if it is not a decimal number.
  std::int64_t number_of(std::string_view word) const;

  /// Whether the next tokens are those of `form`, a text in C. `$` is any name, number or string.
  bool looks_like(std::string_view form) const { return match(form, nullptr) > 0; }
  /// The same; passes the tokens and records those at each `$`.
  bool accept_form(std::string_view form, std::vector<std::string_view>& words);
  /// Passes the tokens of `form`; `take()` passes those at each `$`. Fails at another token.
  template <class Take>
  void expect_form(std::string_view form, Take&& take) {
    for_each_part(form, [&](std::string_view part) {
      part == "$" ? take() : expect(part);
      return true;
    });
  }
  void expect_form(std::string_view form) {
    expect_form(form, [] {});
  }

  std::size_t position() const { return next_; }
  /// Returns to a position that `position` returned.
  void rewind(std::size_t position) { next_ = position; }
  const support::SourceText& source() const { return *source_; }
  [[noreturn]] void fail(const std::string& message) const { fail(peek(), message); }
  [[noreturn]] void fail(const Token& token, const std::string& message) const;
  /// The same at a word that was read.
  [[noreturn]] void fail_at_word(std::string_view word, const std::string& message) const {
    support::fail_at(*source_, begin_of(word), message, word.size());
  }
  /// The next token in words, for "expected …, found …".
  std::string found() const;

 private:
  std::size_t match(std::string_view form, std::vector<std::string_view>* words) const;
  /// Until `use` returns false.
  template <class Use>
  static bool for_each_part(std::string_view form, Use&& use) {
    const auto end = static_cast<std::uint32_t>(form.size());
    Token part = token_at(form, 0, end);
    for (; part.kind != TokenKind::end; part = token_at(form, part.end, end)) {
      if (!use(text_of(part, form))) return false;
    }
    return true;
  }

  const support::SourceText* source_;
  std::vector<Token> tokens_;
  std::size_t next_ = 0;
};

}  // namespace mlf::tir::c
