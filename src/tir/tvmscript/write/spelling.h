// What the versions of TVM spell differently in TVMScript, beside the names of functions, which
// forms.def has.
#pragma once

#include <cstdint>
#include <string_view>

namespace mlf::tir::tvmscript {

/// How a range of versions spells what all of them can say.
struct Spelling {
  /// What makes of the source what it says: constructors of nodes, which leave everything as it is,
  /// or Python's own operators, which compute with constants.
  enum class Operators : std::uint8_t { construct, compute };
  /// Whether the function of a scope makes its variable, or takes one that was made above.
  enum class Scopes : std::uint8_t { define, take };
  /// Where a call says its dtype: every operator has its own way, or all have the keyword.
  enum class Calls : std::uint8_t { by_operator, keyword };
  /// What the name of an allocation refers to.
  enum class Allocation : std::uint8_t { pointer, buffer };
  /// Whether a parameter may be written as its buffer: `T.Buffer(…)`, `T.Buffer[…]`.
  enum class BufferParam : std::uint8_t { call, brackets, none };
  /// `T.handle("int8", "global")`, `T.Ptr[T.int8, "global"]`, `T.Ptr[global T.int8]`
  enum class Pointer : std::uint8_t { handle, scope_last, scope_first };
  /// What infinity is: a string, or a number beyond all others.
  enum class Infinity : std::uint8_t { string, number };
  /// Whether loops that begin at 0 say so.
  enum class LoopBounds : std::uint8_t { end, begin_and_end };
  /// `T.reads(A[0], B[0])`, `T.reads([A[0], B[0]])`
  enum class Regions : std::uint8_t { arguments, list };

  std::uint8_t first_version;
  std::uint8_t last_version;
  std::string_view header;       ///< up to the functions
  std::string_view footer;       ///< behind them
  std::string_view void_result;  ///< of functions without a result
  Operators operators;
  Scopes scopes;
  Calls calls;
  Allocation allocation;
  BufferParam buffer_param;
  Pointer pointer;
  Infinity infinity;
  LoopBounds loop_bounds;
  Regions regions;

  bool is_old() const { return calls == Calls::keyword; }
};

/// The spelling of TVM v0.`minor`; that of the oldest or newest known one for others.
const Spelling& spelling_of(std::uint8_t minor);

}  // namespace mlf::tir::tvmscript
