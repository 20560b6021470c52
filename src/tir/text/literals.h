// Values of literal tokens.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mlf::tir::text {

/// The bytes of a string token, quotes off. Escapes are those of Python and of TVM's printers:
/// `\n \t \r \" \' \\ \xHH`, an escaped line end is nothing; others stay as they are.
std::string decode_string(std::string_view token);
/// The text between the quotes where it holds no escape, so that it need not be copied.
std::optional<std::string_view> plain_string(std::string_view token);

/// A decimal integer of 64 bits; the upper half of uint64 wraps. nullopt where it does not fit.
std::optional<std::int64_t> parse_integer(std::string_view digits);
/// A decimal or `inf`, `-inf`, `nan`, `-nan`.
std::optional<double> parse_real(std::string_view text);

}  // namespace mlf::tir::text
