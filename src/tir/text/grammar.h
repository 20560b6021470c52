// What a dialect's expressions are made of: one table a dialect, read by ExpressionParser.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tir/text/lexer.h"
#include "tir/text/sign.h"

namespace mlf::tir::text {

/// Offset just past the construct that starts at `begin`, or `begin` where there is none.
using ConstructEnd = std::size_t (*)(std::string_view text, std::size_t begin);

/// Operators have levels from 2 up, higher binds tighter; 0 says the dialect has no such operator.
/// All binary operators are left-associative.
///
/// The legacy text needs nothing but values in this table: `!` is a prefix, `@` starts a name,
/// `annotation_end` recognises the type in `x: Pointer(float32)` and `load_cast_end` the
/// `(float32*)` before a load; `A: Buffer(B, …)[i]` is a name with the annotation `Buffer`, called
/// and subscripted; `let x: T = v in body` is the prefix `let` over the binary operators `in` and
/// `=`, the latter binding tighter.
struct Grammar {
  LexicalRules lexical;
  SignTable<std::uint8_t> prefix;
  SignTable<std::uint8_t> binary;
  bool slices_in_lists = false;           ///< `[0:16, a:b]`, `{"k": 0:16}`
  bool leading_comma = false;             ///< `f(, dtype=int32)`
  bool empty_keyword_value = false;       ///< `f(dtype=)`
  ConstructEnd annotation_end = nullptr;  ///< called on the byte after the colon behind a name
  bool empty_subscript = false;           ///< `A[]`
  ConstructEnd load_cast_end = nullptr;   ///< called on a '(' where an operand is expected
  /// Called where an operand is expected: a construct that is one name to the parser, whatever
  /// stands in it, such as `Target(kind='c', …)`.
  ConstructEnd leaf_end = nullptr;
};

}  // namespace mlf::tir::text
