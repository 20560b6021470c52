// What a piece of syntax stands for before its place says what is wanted: `16` is an expression in
// a sum, a plain number in an alignment, `A[0:4]` a load here and a region there.
#pragma once

#include <cstdint>
#include <string_view>

#include "mlf/tir/module.h"
#include "tir/text/syntax.h"

namespace mlf::tir::tvmscript {

enum class ValueKind : std::uint8_t {
  node,     ///< an expression, a Buffer, a type or another object: `node`
  none,     ///< None
  boolean,  ///< True, False
  integer,
  real,
  string,
  path,          ///< `T.exp`, or a name that nothing is bound to
  member,        ///< `A.strides`, `A.vload`; the buffer is `node`
  access,        ///< `A[…]`: `node` is the buffer, or none for a producer; items are the indices
  metadata_key,  ///< `metadata["Runtime"]`; its item is the string
  list,
  tuple,
  dict,     ///< items are key, value, key, value, …
  keyword,  ///< its item is the value
  slice,    ///< items are begin, end and maybe step
  absent,   ///< a bound that is left out
  lambda,
  elements,  ///< of a constant, as text
};

std::string_view to_string(ValueKind kind);

struct Value {
  ValueKind kind = ValueKind::absent;
  text::SyntaxId syntax = 0;
  NodeId node = NodeId::none;
  std::uint32_t first = 0;  ///< of its items
  std::uint32_t count = 0;
};

}  // namespace mlf::tir::tvmscript
