#include "tir/text/lexer.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

#include "support/error.h"
#include "support/numbers.h"

namespace mlf::tir::text {
namespace {

// The part of a token that a message shows.
constexpr std::size_t kShownToken = 24;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Bytes of UTF-8 count as letters: TVM prints names unchanged, and no sign contains these bytes.
bool is_letter(char c) {
  return support::is_letter(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

constexpr auto kSigns = sign_rows(Spelling::Language::text);

std::string_view spelling_of(Sign sign) {
  return std::ranges::find(kSpellings, sign, &Spelling::sign)->text;
}

}  // namespace

// Only skips escapes, so an escaped quote does not end the string; decodes none.
std::size_t python_string_end(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  const std::string_view triple = text.substr(begin, 3);
  const bool several_lines = triple.size() == 3 && triple[1] == quote && triple[2] == quote;
  const std::size_t width = several_lines ? 3 : 1;
  for (std::size_t i = begin + width; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '\n' && !several_lines) {
      return std::string_view::npos;
    } else if (text[i] == quote && (!several_lines || text.substr(i, 3) == triple)) {
      return i + width;
    }
  }
  return std::string_view::npos;
}

Lexer::Lexer(const support::SourceText& source, const LexicalRules& rules)
    : source_(&source),
      rules_(&rules),
      data_(source.text.data()),
      end_(source.text.size()),
      name_chars_(rules.name_continue) {
  classify();
  if (source.text.starts_with(kByteOrderMark)) next_ = kByteOrderMark.size();
  line_begin_ = static_cast<std::uint32_t>(next_);
  scan();
}

// Dialects have different name characters: a table of all 256, made once for each text, keeps this
// out of the loops over characters.
void Lexer::classify() {
  for (std::size_t i = 0; i < 256; ++i) {
    const char c = static_cast<char>(i);
    if (is_letter(c) || rules_->name_start.find(c) != std::string_view::npos) {
      classes_[i] = CharClass::name;
    } else if (support::is_digit(c)) {
      classes_[i] = CharClass::digit;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f') {
      classes_[i] = CharClass::space;
    }
  }
  // In a dialect without comments, the sign is a character that no text contains.
  if (rules_->comment != '\0') {
    classes_[static_cast<unsigned char>(rules_->comment)] = CharClass::comment;
  }
  classes_[static_cast<unsigned char>('\\')] = CharClass::backslash;
  classes_[static_cast<unsigned char>('\n')] = CharClass::newline;
  classes_[static_cast<unsigned char>('"')] = CharClass::quote;
  classes_[static_cast<unsigned char>('\'')] = CharClass::quote;
  for (const Word& word : rules_->words) {
    starts_word_[static_cast<unsigned char>(word.spelling.front())] = true;
  }
}

// Counts brackets when it passes them, so a line end inside of brackets is a blank.
void Lexer::advance() {
  if (is_bracket(token_.sign)) {
    if (is_open(token_.sign)) ++depth_;
    if (is_close(token_.sign) && depth_ > 0) --depth_;
  }
  if (token_.kind != TokenKind::newline && token_.kind != TokenKind::comment) {
    end_before_ = token_.end;
  }
  scan();
}

// For constructs that a dialect reads as a whole. Moving back within a line needs the line's
// beginning for columns.
void Lexer::seek(std::size_t offset) {
  if (offset < line_begin_) {
    line_begin_ = static_cast<std::uint32_t>(source_->text.rfind('\n', offset) + 1);
    token_.kind = TokenKind::end;  // invalid for a line further down
  }
  next_ = offset;
  end_before_ = static_cast<std::uint32_t>(offset);
  token_.sign = Sign::none;
  scan();
}

bool Lexer::accept(Sign sign) {
  if (!token_.is(sign)) return false;
  advance();
  return true;
}

void Lexer::check(Sign sign, std::string_view construct) const {
  if (!token_.is(sign)) fail_spelled(spelling_of(sign), construct);
}

void Lexer::fail_spelled(std::string_view spelling, std::string_view construct) const {
  fail_expected(fmt::format("'{}'{}{}", spelling, construct.empty() ? "" : " ", construct));
}

void Lexer::expect(Sign sign, std::string_view construct) {
  check(sign, construct);
  advance();
}

void Lexer::expect_word(std::string_view word, std::string_view construct) {
  if (!at_word(word)) fail_spelled(word, construct);
  advance();
}

std::string_view Lexer::expect_name(std::string_view wanted) {
  if (!token_.is(TokenKind::name)) fail_expected(wanted);
  const std::string_view name = text(token_);
  advance();
  return name;
}

void Lexer::end_line() {
  if (!token_.is(TokenKind::newline) && !token_.is(TokenKind::end)) {
    fail_expected("the end of the line");
  }
  if (token_.is(TokenKind::newline)) advance();
}

std::uint32_t Lexer::line_end() const {
  return static_cast<std::uint32_t>(std::min(source_->text.find('\n', token_.begin), end_));
}

/// Whether the current line contains a token, so its end is a token too.
bool Lexer::is_in_line() const {
  const bool is_code = token_.kind != TokenKind::newline && token_.kind != TokenKind::comment &&
                       token_.kind != TokenKind::end;
  return depth_ == 0 && is_code && token_.end > line_begin_;
}

// Skips blanks, ignored line ends and comments; returns true if it made a token for a line end or a
// comment.
inline bool Lexer::skip_blank() {
  for (;; ++next_) {
    while (next_ < end_ && class_of(data_[next_]) == CharClass::space) ++next_;
    if (next_ >= end_) return false;
    switch (class_of(data_[next_])) {
      case CharClass::newline:
        if (is_in_line()) {
          take(TokenKind::newline, next_ + 1);
          return true;
        }
        line_begin_ = static_cast<std::uint32_t>(next_ + 1);
        break;
      case CharClass::backslash:
        // Python's line continuation.
        if (at(next_ + 1) != '\n' && at(next_ + 1) != '\r') return false;
        next_ = std::min(source_->text.find('\n', next_), end_ - 1);
        break;
      case CharClass::comment: {
        // Comments on their own line are tokens: "# from tvm.script import tir as T" states the
        // prefix of the dialect.
        const std::size_t line_end = std::min(source_->text.find('\n', next_), end_);
        if (depth_ == 0 && token_.end <= line_begin_) {
          take(TokenKind::comment, line_end);
          return true;
        }
        next_ = line_end - 1;
        break;
      }
      default:
        return false;
    }
  }
}

inline void Lexer::take(TokenKind kind, std::size_t end) {
  token_ = {kind, Sign::none, static_cast<std::uint32_t>(next_), static_cast<std::uint32_t>(end)};
  next_ = end;
}

inline void Lexer::scan_name() {
  take(TokenKind::name, name_chars_.end(source_->text, next_ + 1));
  if (!starts_word_[static_cast<unsigned char>(data_[token_.begin])]) return;
  const std::string_view name = text(token_);
  // A few words, so names need not be hashed.
  for (const Word& word : rules_->words) {
    if (word.spelling != name) continue;
    token_.kind = TokenKind::sign;
    token_.sign = word.sign;
  }
}

// Integers, reals, TVM's suffixes of dtypes, and names that start with a digit begin alike: the
// longest one that fits is read.
inline void Lexer::scan_number() {
  std::size_t end = next_;
  const auto skip_digits = [&] {
    while (support::is_digit(at(end))) ++end;
  };
  skip_digits();
  TokenKind kind = TokenKind::integer;
  if (at(end) == '.' && support::is_digit(at(end + 1))) {
    kind = TokenKind::real;
    ++end;
    skip_digits();
    // `1.` is a real, `1.x` an attribute of 1.
  } else if (at(end) == '.' && !name_chars_.contain(at(end + 1))) {
    kind = TokenKind::real;
    ++end;
  }
  if (at(end) == 'e' || at(end) == 'E') {
    // An `e` without digits begins another token.
    const bool has_sign = at(end + 1) == '+' || at(end + 1) == '-';
    if (support::is_digit(at(end + (has_sign ? 2u : 1u)))) {
      kind = TokenKind::real;
      end += has_sign ? 2 : 1;
      skip_digits();
    }
  }
  const std::string_view letters = "iuf";
  if (rules_->suffixes == LexicalRules::Suffixes::typed &&
      letters.find(at(end)) != std::string_view::npos && support::is_digit(at(end + 1))) {
    ++end;
    skip_digits();
  }
  // A name that starts with digits: TVM keeps such names.
  if (end < end_ && (is_letter(data_[end]) || support::is_digit(data_[end]))) {
    end = name_chars_.end(source_->text, end);
    kind = TokenKind::name;
  }
  take(kind, end);
}

// Reported at the opening quote, because the place of the missing one is unknown.
void Lexer::scan_string() {
  const std::size_t end = rules_->string_end(source_->text, next_);
  if (end == std::string_view::npos) {
    support::fail_at(*source_, next_, "the string that starts here is never closed");
  }
  take(TokenKind::string, end);
}

void Lexer::scan() {
  // Only now: until here, messages refer to the line that has ended.
  if (token_.kind == TokenKind::newline) {
    line_begin_ = token_.end;
    // Indentation, many blanks at once.
    constexpr std::string_view kBlanks = "        ";
    while (end_ - next_ > kBlanks.size() &&
           std::memcmp(data_ + next_, kBlanks.data(), kBlanks.size()) == 0) {
      next_ += kBlanks.size();
    }
  }
  if (skip_blank()) return;
  if (next_ >= end_) {
    // A last line without a line feed ends too.
    return take(is_in_line() ? TokenKind::newline : TokenKind::end, end_);
  }
  switch (class_of(data_[next_])) {
    case CharClass::name:
      return scan_name();
    case CharClass::digit:
      return scan_number();
    case CharClass::quote:
      return scan_string();
    default:
      // An unknown character is not an error here: a construct that the dialect reads as a whole
      // may contain any.
      token_ = sign_at(kSigns, source_->text, static_cast<std::uint32_t>(next_), end_);
      next_ = token_.end;
  }
}

std::string Lexer::found() const {
  if (token_.is(TokenKind::end)) return "the end of the text";
  if (token_.is(TokenKind::newline)) return "the end of the line";
  const std::string_view shown = text(token_);
  if (shown.size() > kShownToken) return fmt::format("'{}…'", shown.substr(0, kShownToken));
  return fmt::format("'{}'", shown);
}

void Lexer::fail_expected(std::string_view wanted) const {
  fail(fmt::format("expected {}, found {}", wanted, found()));
}

// --- Values of literal tokens --------------------------------------------------------------------

namespace {

// The lexer has checked that the quotes match; six characters are the empty string in triple
// quotes.
std::size_t quote_width(std::string_view token) {
  return token.size() >= 6 && token[1] == token[0] && token[2] == token[0] ? 3 : 1;
}

std::string_view between_quotes(std::string_view token) {
  const std::size_t width = quote_width(token);
  return token.substr(width, token.size() - 2 * width);
}

/// Appends the meaning of the escape at `text[at]` (the character after the backslash); returns the
/// offset of its last byte.
std::size_t append_escape(std::string& result, std::string_view text, std::size_t at) {
  switch (text[at]) {
    case 'n':
      result += '\n';
      return at;
    case 't':
      result += '\t';
      return at;
    case 'r':
      result += '\r';
      return at;
    // An escaped line end joins two lines.
    case '\n':
      return at;
    case '"':
    case '\'':
    case '\\':
      result += text[at];
      return at;
    case 'x': {
      unsigned value = 0;
      const char* digits = text.data() + at + 1;
      const char* end = text.data() + std::min(at + 3, text.size());
      const auto parsed = std::from_chars(digits, end, value, 16);
      // Exactly two digits, as in Python.
      if (parsed.ptr != digits + 2) break;
      result += static_cast<char>(value);
      return at + 2;
    }
    default:
      break;
  }
  // Unknown escapes stay unchanged, including the backslash: Python's rule.
  result += '\\';
  result += text[at];
  return at;
}

/// A decimal of at most 15 digits whose power of ten is a double too: both are exact, so one
/// multiplication or division rounds correctly (Clinger, 1990). Returns nullopt for every other
/// text. Constants are long lists of such numbers, for which std::from_chars takes three times as
/// long.
std::optional<double> short_decimal(std::string_view text) {
  static constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                       1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                       1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  constexpr int kMostDigits = 15;
  const char* at = text.data();
  const char* const end = at + text.size();
  const bool is_negative = at != end && *at == '-';
  if (is_negative) ++at;
  std::uint64_t digits = 0;
  int count = 0;
  const auto read_digits = [&] {
    const char* const begin = at;
    for (; at != end && support::is_digit(*at); ++at, ++count) {
      if (count == kMostDigits) return false;
      digits = 10 * digits + static_cast<std::uint64_t>(*at - '0');
    }
    return at != begin;
  };
  if (!read_digits()) return std::nullopt;
  int exponent = 0;
  if (at != end && *at == '.') {
    const int whole = count;
    ++at;
    if (!read_digits()) return std::nullopt;
    exponent = whole - count;
  }
  if (at != end && *at == 'e') {
    ++at;
    if (at != end && *at == '+') {  // which std::from_chars does not accept before an integer
      ++at;
      if (at != end && *at == '-') return std::nullopt;
    }
    int written = 0;
    const auto parsed = std::from_chars(at, end, written);
    if (parsed.ec != std::errc() || written < -99 || written > 99) return std::nullopt;
    at = parsed.ptr;
    exponent += written;
  }
  if (at != end || exponent < -22 || exponent > 22) return std::nullopt;
  const auto value = static_cast<double>(digits);
  const double magnitude = exponent < 0 ? value / kPowers[-exponent] : value * kPowers[exponent];
  return is_negative ? -magnitude : magnitude;
}

}  // namespace

std::optional<std::string_view> plain_string(std::string_view token) {
  const std::string_view text = between_quotes(token);
  return text.find('\\') == std::string_view::npos ? std::optional(text) : std::nullopt;
}

std::string decode_string(std::string_view token) {
  const std::string_view text = between_quotes(token);
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      i = append_escape(result, text, i + 1);
    } else {
      result += text[i];
    }
  }
  return result;
}

std::optional<std::int64_t> parse_integer(std::string_view digits) {
  if (digits.starts_with('-')) return support::whole_number<std::int64_t>(digits);
  const auto value = support::whole_number<std::uint64_t>(digits);
  return value ? std::optional(static_cast<std::int64_t>(*value)) : std::nullopt;
}

// Uses std::from_chars: no locale determines the decimal point.
std::optional<double> parse_real(std::string_view text) {
  if (const auto value = short_decimal(text)) return value;
  const char* end = text.data() + text.size();
  double value = 0;
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ptr != end || text.empty()) return std::nullopt;
  if (parsed.ec == std::errc()) return value;
  // Out of range: from_chars does not state the side.
  const bool negative = text.front() == '-';
  const std::size_t exponent = text.find_first_of("eE");
  const bool tiny = exponent != std::string_view::npos && text.substr(exponent + 1, 1) == "-";
  const double magnitude = tiny ? 0.0 : std::numeric_limits<double>::infinity();
  return negative ? -magnitude : magnitude;
}

}  // namespace mlf::tir::text
