// The legacy text's share of the expression engine: its names, its types and its strings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/tir/dtype.h"
#include "tir/text/expression_parser.h"

namespace mlf::tir::legacy {

/// v0.8 prints the bytes of a string as they are; from v0.9 on it escapes them.
enum class Strings : std::uint8_t { escaped, raw };

/// Which way the strings of a text are printed.
Strings strings_of(std::string_view text);

const text::Grammar& grammar_of(Strings strings);

/// The bytes of a string token.
std::string decode_string(Strings strings, std::string_view token);

/// Whether a name may hold `c`. Blanks surround every operator but `*` and the ':' of
/// ranges, so that names may hold what looks like one.
bool continues_name(char c);

/// A type of one element, behind any number of pointers.
struct ScannedType {
  std::size_t end;                       ///< offset just past it
  std::vector<std::string_view> scopes;  ///< of the pointers, outermost first
  DType element;
};

/// The type that starts at `begin`; nothing where there is none. Tuples are left to the header.
std::optional<ScannedType> scan_type(std::string_view text, std::size_t begin);

/// Offset just past the type behind a colon (`x: Pointer(float32)`), or past the word `Buffer` or
/// `DataProducer` in front of a definition; `begin` where there is neither.
std::size_t annotation_end(std::string_view text, std::size_t begin);

/// Offset just past the string that starts at `begin`, or npos.
std::size_t string_end(Strings strings, std::string_view text, std::size_t begin);

}  // namespace mlf::tir::legacy
