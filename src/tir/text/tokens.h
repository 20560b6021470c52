// Tokens of texts in any language: their kinds, and the signs with their spellings.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mlf::tir::text {

/// Every sign of a dialect; a word such as `and` is a sign in some dialects.
enum class Sign : std::uint8_t {
  none,
  plus,
  minus,
  star,
  slash,
  double_slash,
  percent,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  and_,
  or_,
  not_,
  assign,
  colon,
  comma,
  dot,
  arrow,
  semicolon,
  question,
  at,
  shift_left,
  shift_right,
  ampersand,
  pipe,
  caret,
  tilde,
  plus_assign,
  minus_assign,
  star_assign,
  slash_assign,
  percent_assign,
  increment,
  decrement,
  open_paren,
  close_paren,
  open_bracket,
  close_bracket,
  open_brace,
  close_brace,
  lambda,
  let,
  in,
  if_,        ///< `(float32*)A[i] if p` of the legacy text
  load_cast,  ///< `(float32x4*)` of the legacy text
  unknown,    ///< a character without a meaning in any dialect
};

constexpr std::size_t kSignCount = static_cast<std::size_t>(Sign::unknown) + 1;

/// One value per sign, such as the level of a binary operator.
template <class T>
class SignTable {
 public:
  constexpr T operator[](Sign sign) const { return values_[static_cast<std::size_t>(sign)]; }
  constexpr T& operator[](Sign sign) { return values_[static_cast<std::size_t>(sign)]; }

 private:
  std::array<T, kSignCount> values_{};
};

constexpr bool is_open(Sign sign) {
  return sign == Sign::open_paren || sign == Sign::open_bracket || sign == Sign::open_brace;
}
constexpr bool is_close(Sign sign) {
  return sign == Sign::close_paren || sign == Sign::close_bracket || sign == Sign::close_brace;
}
constexpr bool is_bracket(Sign sign) {
  return sign >= Sign::open_paren && sign <= Sign::close_brace;
}
constexpr char closing_char(Sign open) {
  return open == Sign::open_paren ? ')' : open == Sign::open_bracket ? ']' : '}';
}
constexpr Sign closing(Sign open) {
  return open == Sign::open_paren     ? Sign::close_paren
         : open == Sign::open_bracket ? Sign::close_bracket
                                      : Sign::close_brace;
}

/// Whether the sign changes the operand before or after it.
constexpr bool assigns(Sign sign) {
  return sign == Sign::assign || (sign >= Sign::plus_assign && sign <= Sign::decrement);
}

enum class TokenKind : std::uint8_t {
  end,      ///< of the text
  newline,  ///< of a line that contains tokens, outside of brackets
  comment,  ///< a line that contains nothing else
  name,
  integer,  ///< with its suffix
  real,
  string,  ///< including quotes
  sign,
};

struct Token {
  TokenKind kind = TokenKind::end;
  Sign sign = Sign::none;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  bool is(Sign wanted) const { return sign == wanted; }
  bool is(TokenKind wanted) const { return kind == wanted; }
};

/// A sign as dialects write it.
struct Spelling {
  enum class Language : std::uint8_t { all, text, c };

  std::string_view text;  ///< one or two characters
  Sign sign;
  Language language = Language::all;
};

constexpr Spelling kSpellings[] = {
    {"<=", Sign::less_equal},
    {">=", Sign::greater_equal},
    {"==", Sign::equal},
    {"!=", Sign::not_equal},
    {"&&", Sign::and_},
    {"||", Sign::or_},
    {"->", Sign::arrow},
    {"<<", Sign::shift_left},
    {">>", Sign::shift_right},
    {"+=", Sign::plus_assign},
    {"-=", Sign::minus_assign},
    {"*=", Sign::star_assign},
    {"/=", Sign::slash_assign},
    {"%=", Sign::percent_assign},
    {"//", Sign::double_slash, Spelling::Language::text},
    {"++", Sign::increment, Spelling::Language::c},
    {"--", Sign::decrement, Spelling::Language::c},
    {"+", Sign::plus},
    {"-", Sign::minus},
    {"*", Sign::star},
    {"/", Sign::slash},
    {"%", Sign::percent},
    {"<", Sign::less},
    {">", Sign::greater},
    {"!", Sign::not_},
    {"=", Sign::assign},
    {":", Sign::colon},
    {",", Sign::comma},
    {".", Sign::dot},
    {";", Sign::semicolon},
    {"?", Sign::question},
    {"@", Sign::at},
    {"(", Sign::open_paren},
    {")", Sign::close_paren},
    {"[", Sign::open_bracket},
    {"]", Sign::close_bracket},
    {"{", Sign::open_brace},
    {"}", Sign::close_brace},
    {"&", Sign::ampersand},
    {"|", Sign::pipe},
    {"^", Sign::caret},
    {"~", Sign::tilde},
};

/// The sign with this spelling; it must be one.
consteval Sign sign(std::string_view text) {
  return std::ranges::find(kSpellings, text, &Spelling::text)->sign;
}

/// The signs that begin with one character.
struct SignRow {
  struct Pair {
    char second = '\0';
    Sign sign = Sign::unknown;
  };
  Sign alone = Sign::unknown;
  std::array<Pair, 3> pairs;
};

/// The rows of a language by first character.
constexpr std::array<SignRow, 256> sign_rows(Spelling::Language language) {
  std::array<SignRow, 256> rows;
  for (const Spelling& spelling : kSpellings) {
    if (spelling.language != Spelling::Language::all && spelling.language != language) continue;
    SignRow& row = rows[static_cast<unsigned char>(spelling.text[0])];
    if (spelling.text.size() == 1) {
      row.alone = spelling.sign;
    } else {
      std::ranges::find(row.pairs, '\0', &SignRow::Pair::second)->second = spelling.text[1];
      std::ranges::find(row.pairs, spelling.text[1], &SignRow::Pair::second)->sign = spelling.sign;
    }
  }
  return rows;
}

/// The longest sign at `begin`, or a character without a meaning.
inline Token sign_at(const std::array<SignRow, 256>& rows, std::string_view text,
                     std::uint32_t begin, std::size_t end) {
  const SignRow& row = rows[static_cast<unsigned char>(text[begin])];
  for (const SignRow::Pair& pair : row.pairs) {
    if (pair.second == '\0') break;
    if (begin + 1 < end && text[begin + 1] == pair.second) {
      return {TokenKind::sign, pair.sign, begin, begin + 2};
    }
  }
  return {TokenKind::sign, row.alone, begin, begin + 1};
}

}  // namespace mlf::tir::text
