// What the versions of TVM spell differently in TVMScript: rows that the writer and the reader
// share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "mlf/tir/kind.h"

namespace mlf::tir::tvmscript {

/// The functions that make expressions of a kind.
struct NodeFunction {
  Kind kind;
  std::string_view name;
  std::string_view old_name;  ///< before v0.12
};

constexpr NodeFunction kNodeFunctions[] = {
    {Kind::Cast, "Cast", "cast"},          {Kind::Select, "Select", "Select"},
    {Kind::Ramp, "Ramp", "ramp"},          {Kind::Broadcast, "Broadcast", "broadcast"},
    {Kind::Shuffle, "Shuffle", "shuffle"}, {Kind::Let, "Let", "let"},
    {Kind::Reduce, "Reduce", "reduce"},
};

/// The row of a kind.
constexpr const NodeFunction& node_function(Kind kind) {
  return *std::ranges::find(kNodeFunctions, kind, &NodeFunction::kind);
}

/// How a range of versions spells what all of them can say.
struct Spelling {
  /// What makes of the source what it says: constructors of nodes, which leave everything as it is,
  /// or Python's own operators, which compute with constants.
  enum class Operators : std::uint8_t { construct, compute };
  /// Whether the function of a scope makes its variable, or takes one that was made above.
  enum class Scopes : std::uint8_t { define, take };
  /// Where a call says its dtype: every operator has its own way, or all have the keyword.
  enum class Calls : std::uint8_t { by_operator, keyword };
  enum class Cast : std::uint8_t { dtype_first, value_first };
  /// What the name of an allocation stands for.
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
  std::string_view header;          ///< up to the functions
  std::string_view footer;          ///< behind them
  std::string_view void_result;     ///< of functions without a result
  std::string_view declare_buffer;  ///< the function for buffers that no statement makes
  Operators operators;
  Scopes scopes;
  Calls calls;
  Cast cast;
  Allocation allocation;
  BufferParam buffer_param;
  Pointer pointer;
  Infinity infinity;
  LoopBounds loop_bounds;
  Regions regions;

  bool is_old() const { return calls == Calls::keyword; }
  /// The name of the function for a kind.
  std::string_view function(Kind kind) const {
    return is_old() ? node_function(kind).old_name : node_function(kind).name;
  }
};

/// The spelling of TVM v0.`minor`; that of the oldest or newest known one for others.
const Spelling& spelling_of(std::uint8_t minor);

}  // namespace mlf::tir::tvmscript
