// The operators, brackets and words that the text dialects of TIR are made of.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mlf::tir::text {

/// Every sign a dialect may use; a word such as `and` is a sign where the dialect says so.
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
  unknown,    ///< a character that no dialect has a use for
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
constexpr char closing_char(Sign open) {
  return open == Sign::open_paren ? ')' : open == Sign::open_bracket ? ']' : '}';
}
constexpr Sign closing(Sign open) {
  return open == Sign::open_paren     ? Sign::close_paren
         : open == Sign::open_bracket ? Sign::close_bracket
                                      : Sign::close_brace;
}

}  // namespace mlf::tir::text
