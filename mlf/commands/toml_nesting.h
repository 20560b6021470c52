// A bound on the nesting of TOML, checked before a parser that recurses sees the text.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace mlf::program {

struct TomlPlace {
  std::uint32_t line = 1;    ///< 1-based
  std::uint32_t column = 1;  ///< 1-based, in bytes
};

/// Dots, `[` and `{` that one statement of TOML may have outside of strings and comments. Each is a
/// level of nesting at most.
constexpr unsigned kMostTomlNesting = 64;

/// The first place at which a statement has more than `kMostTomlNesting` of them.
std::optional<TomlPlace> too_nested(std::string_view text);

}  // namespace mlf::program
