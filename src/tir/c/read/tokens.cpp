#include "tir/c/read/tokens.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

#include "support/error.h"
#include "support/numbers.h"

namespace mlf::tir::c {
namespace {

enum class CharClass : std::uint8_t { other, name, digit, blank, quote };

constexpr auto kClasses = [] {
  std::array<CharClass, 256> classes{};
  for (unsigned c = 'a'; c <= 'z'; ++c) classes[c] = classes[c - 'a' + 'A'] = CharClass::name;
  for (unsigned c = '0'; c <= '9'; ++c) classes[c] = CharClass::digit;
  // Names come from Relay unchanged: bytes beyond ASCII are letters.
  for (unsigned c = 128; c < 256; ++c) classes[c] = CharClass::name;
  classes['_'] = classes['$'] = CharClass::name;
  for (const char c : {' ', '\t', '\r', '\n', '\v', '\f'}) {
    classes[static_cast<unsigned char>(c)] = CharClass::blank;
  }
  classes['"'] = classes['\''] = CharClass::quote;
  return classes;
}();

CharClass class_of(char c) {
  return kClasses[static_cast<unsigned char>(c)];
}

bool continues_name(char c) {
  return class_of(c) == CharClass::name || class_of(c) == CharClass::digit;
}

constexpr auto kSigns = text::sign_rows(text::Spelling::Language::c);

/// The end of a backslash that joins two lines; `at` for any other character. Compilers accept
/// blanks before the line end.
std::uint32_t join_end(std::string_view text, std::uint32_t at, std::uint32_t end) {
  const std::size_t newline = text.find_first_not_of(" \t\r", at + 1);
  const bool joins = text[at] == '\\' && newline < end && text[newline] == '\n';
  return joins ? static_cast<std::uint32_t>(newline + 1) : at;
}

/// An unclosed comment continues to the end. Line ends may be joined between the last two
/// characters.
std::uint32_t skip_block_comment(std::string_view text, std::uint32_t at, std::uint32_t end) {
  for (std::size_t star = text.find('*', at + 2); star < end; star = text.find('*', star + 1)) {
    auto close = static_cast<std::uint32_t>(star + 1);
    while (close < end && join_end(text, close, end) > close) close = join_end(text, close, end);
    if (close < end && text[close] == '/') return close + 1;
  }
  return end;
}

std::uint32_t skip_comment(std::string_view text, std::uint32_t at, std::uint32_t end) {
  if (text[at + 1] == '*') return skip_block_comment(text, at, end);
  while (at < end) {
    const auto newline =
        static_cast<std::uint32_t>(std::min<std::size_t>(text.find('\n', at), end));
    if (newline == end || text[text.find_last_not_of(" \t\r", newline - 1)] != '\\') return newline;
    at = newline + 1;
  }
  return end;
}

bool begins_comment(std::string_view text, std::uint32_t at, std::uint32_t end) {
  return text[at] == '/' && at + 1 < end && (text[at + 1] == '/' || text[at + 1] == '*');
}

/// A number with its suffix, and its exponent with a sign: `1.5e-03f`, `0x1p-3`.
Token scan_number(std::string_view text, std::uint32_t begin, std::uint32_t end) {
  const bool is_hex = text.substr(begin, 2) == "0x" || text.substr(begin, 2) == "0X";
  const char exponent = is_hex ? 'p' : 'e';
  Token token{TokenKind::integer, Sign::none, begin, begin};
  for (std::uint32_t& at = token.end; at < end; ++at) {
    const char c = text[at];
    const bool is_exponent = (c | 0x20) == exponent;
    if (!continues_name(c) && c != '.') break;
    if (!is_hex && (is_exponent || c == '.')) token.kind = TokenKind::real;
    if (is_exponent && at + 1 < end && (text[at + 1] == '+' || text[at + 1] == '-')) ++at;
  }
  return token;
}

/// The end of the name at `at`. TVM puts a module's name into symbols unchanged: for a module
/// "my-net.v1" they are not names of C, such as `tvmgen_my-net.v1_run`.
std::uint32_t name_end(std::string_view text, std::uint32_t at, std::uint32_t end) {
  const bool is_symbol = text[at] == 't' && text.substr(at, end - at).starts_with("tvmgen_");
  std::uint32_t stop = at + 1;
  for (; stop < end; ++stop) {
    const bool joins = is_symbol && (text[stop] == '-' || text[stop] == '.') && stop + 1 < end &&
                       continues_name(text[stop + 1]);
    if (!joins && !continues_name(text[stop])) break;
  }
  return stop;
}

/// The longest token at this place, as in C.
Token scan(std::string_view text, std::uint32_t at, std::uint32_t end) {
  switch (class_of(text[at])) {
    case CharClass::name:
      return {TokenKind::name, Sign::none, at, name_end(text, at, end)};
    case CharClass::digit:
      return scan_number(text, at, end);
    case CharClass::quote:
      return {TokenKind::string, Sign::none, at, skip_quoted(text, at, end)};
    default:
      return text::sign_at(kSigns, text, at, end);
  }
}

}  // namespace

std::uint32_t skip_comments(std::string_view text, std::uint32_t at, std::uint32_t end) {
  if (at == 0 && text.substr(0, end).starts_with(kByteOrderMark)) {
    at = static_cast<std::uint32_t>(kByteOrderMark.size());
  }
  while (at < end) {
    const char c = text[at];
    if (class_of(c) == CharClass::blank) {
      ++at;
    } else if (begins_comment(text, at, end)) {
      at = skip_comment(text, at, end);
    } else {
      break;
    }
  }
  return at;
}

std::uint32_t skip_line(std::string_view text, std::uint32_t at, std::uint32_t end) {
  while (at < end && text[at] != '\n') {
    if (class_of(text[at]) == CharClass::quote) {
      at = skip_quoted(text, at, end);
    } else if (begins_comment(text, at, end)) {
      at = skip_comment(text, at, end);
    } else {
      at = std::max(join_end(text, at, end), at + 1);
    }
  }
  return at;
}

std::uint32_t skip_blank(std::string_view text, std::uint32_t at, std::uint32_t end) {
  at = skip_comments(text, at, end);
  while (at < end && text[at] == '#') at = skip_comments(text, skip_line(text, at, end), end);
  return at;
}

std::uint32_t skip_quoted(std::string_view text, std::uint32_t at, std::uint32_t end) {
  const char quote = text[at];
  for (++at; at < end; ++at) {
    if (text[at] == '\\') {
      const bool may_join = at + 1 < end && class_of(text[at + 1]) == CharClass::blank;
      at = may_join ? std::max(join_end(text, at, end), at + 2) - 1 : at + 1;
    } else if (text[at] == quote) {
      return at + 1;
    } else if (text[at] == '\n') {
      return at;  // not closed: strings are printed without escapes
    }
  }
  return end;
}

std::string without_comments(std::string_view text) {
  std::string code(text);
  const auto end = static_cast<std::uint32_t>(text.size());
  // Constants of C have millions of other characters.
  const auto begins_either = [](char c) { return c == '/' || class_of(c) == CharClass::quote; };
  for (std::uint32_t at = 0; at < end;) {
    if (!begins_either(text[at])) {
      const auto next = std::ranges::find_if(text.substr(at), begins_either);
      at = static_cast<std::uint32_t>(next - text.begin());
    } else if (text[at] != '/') {
      at = skip_quoted(text, at, end);
    } else if (begins_comment(text, at, end)) {
      const std::uint32_t behind = skip_comment(text, at, end);
      std::replace_if(
          code.begin() + at, code.begin() + behind, [](char c) { return c != '\n'; }, ' ');
      at = behind;
    } else {
      ++at;
    }
  }
  return code;
}

std::vector<Token> tokenize(std::string_view text, std::uint32_t begin, std::uint32_t end) {
  std::vector<Token> tokens = {token_at(text, begin, end)};
  while (tokens.back().kind != TokenKind::end) {
    tokens.push_back(token_at(text, tokens.back().end, end));
  }
  return tokens;
}

Token token_at(std::string_view text, std::uint32_t begin, std::uint32_t end) {
  begin = skip_blank(text, begin, end);
  return begin < end ? scan(text, begin, end) : Token{TokenKind::end, Sign::none, end, end};
}

std::string_view next_name(std::string_view text, std::uint32_t& at, std::uint32_t end) {
  Token token = token_at(text, at, end);
  while (token.kind != TokenKind::name && token.kind != TokenKind::end) {
    token = token_at(text, token.end, end);
  }
  at = token.end;
  return text_of(token, text);
}

std::string_view without_quotes(std::string_view string) {
  return string.substr(1, string.size() - std::min<std::size_t>(string.size(), 2));
}

std::string_view without_suffix(std::string_view number) {
  const std::size_t digits = number.find_first_not_of("0123456789");
  const std::string_view rest = digits == number.npos ? std::string_view() : number.substr(digits);
  return rest.find_first_not_of("uUlL") == rest.npos ? number.substr(0, digits) : number;
}

std::optional<std::int64_t> decimal(std::string_view text) {
  const bool is_octal = text.size() > 1 && text[0] == '0';
  const auto value = is_octal ? std::nullopt : support::whole_number<std::int64_t>(text);
  return value && *value >= 0 ? value : std::nullopt;
}

std::optional<std::int64_t> integer_literal(std::string_view text) {
  const bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (is_hexadecimal) text.remove_prefix(2);
  const int base = is_hexadecimal ? 16 : text.size() > 1 && text[0] == '0' ? 8 : 10;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || value < 0) return std::nullopt;
  const std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  return suffix.find_first_not_of("uUlL") == suffix.npos ? std::optional(value) : std::nullopt;
}

void Cursor::expect(std::string_view spelling) {
  if (text() != spelling) fail(fmt::format("expected '{}', found {}", spelling, found()));
  advance();
}

std::string_view Cursor::expect_name(std::string_view what) {
  if (!at_name()) fail(fmt::format("expected {}, found {}", what, found()));
  return text(advance());
}

std::int64_t Cursor::number_of(std::string_view word) const {
  const auto value = decimal(without_suffix(word));
  if (!value) fail("expected a number");
  return *value;
}

/// The number of tokens that `form` matches; 0 if it does not match.
std::size_t Cursor::match(std::string_view form, std::vector<std::string_view>* words) const {
  std::size_t ahead = 0;
  const bool matches = for_each_part(form, [&](std::string_view part) {
    const Token& token = peek(ahead++);
    if (part != "$") return text(token) == part;
    if (words != nullptr) words->push_back(text(token));
    return !token.is(TokenKind::sign) && !token.is(TokenKind::end);
  });
  return matches ? ahead : 0;
}

bool Cursor::accept_form(std::string_view form, std::vector<std::string_view>& words) {
  words.clear();
  const std::size_t count = match(form, &words);
  next_ += count;
  return count > 0;
}

void Cursor::fail(const Token& token, const std::string& message) const {
  support::fail_at(*source_, token.begin, message, std::max(token.end - token.begin, 1u));
}

std::string Cursor::found() const {
  return at_end() ? "the end of the declaration" : fmt::format("'{}'", text());
}

}  // namespace mlf::tir::c
