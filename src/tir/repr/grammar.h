// The repr text's share of the expression engine: its operators, its names and the words that are
// functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tir/text/expression_parser.h"

namespace mlf::tir::repr {

const text::Grammar& grammar();

/// Of `x(4*tir.vscale())(value)`, a broadcast to as many lanes as the machine has.
constexpr std::string_view kScalableBroadcast = "x";

/// The lanes in the name of a broadcast, `x4(value)`.
std::optional<std::int64_t> broadcast_lanes(std::string_view word);

/// Offset just past `{n|n>=0}`, which is a SizeVar; `begin` where there is none.
std::size_t size_var_end(std::string_view text, std::size_t begin);
/// The name in `{n|n>=0}`; nothing for any other text.
std::optional<std::string_view> size_var_name(std::string_view token);

/// An IterVar without a domain, `iter_var(name, , tag)`: the one hole that a list may have.
struct UnboundIterVar {
  std::string_view name;
  std::string_view tag;
};
std::optional<UnboundIterVar> unbound_iter_var(std::string_view token);

/// Offset just past the bracket that closes the one at `open`, strings and comments passed over;
/// npos where it is never closed.
std::size_t after_bracket(std::string_view text, std::size_t open);

/// Offset just past the string or comment at `begin`, `begin` where there is none, npos where it is
/// never closed.
std::size_t after_quoted(std::string_view text, std::size_t begin);

/// Offset just past the letters, digits and signs that a name may hold.
std::size_t word_end(std::string_view text, std::size_t begin);

}  // namespace mlf::tir::repr
