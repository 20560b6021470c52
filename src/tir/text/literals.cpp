#include <algorithm>
#include <charconv>
#include <limits>

#include "tir/text/lexer.h"

namespace mlf::tir::text {
namespace {

// The lexer has seen that the quotes match; six characters are the empty string between triple
// quotes.
std::size_t quote_width(std::string_view token) {
  return token.size() >= 6 && token[1] == token[0] && token[2] == token[0] ? 3 : 1;
}

std::string_view between_quotes(std::string_view token) {
  const std::size_t width = quote_width(token);
  return token.substr(width, token.size() - 2 * width);
}

/// Appends what the escape at `text[at]` (the character behind the backslash) means; gives
/// the offset of the last byte it took.
std::size_t append_escape(std::string& result, std::string_view text, std::size_t at) {
  switch (text[at]) {
    case 'n':
      result += '\n';
      return at;
    case 't':
      result += '\t';
      return at;
    case 'r':
      result += '\r';
      return at;
    // An escaped line end joins two lines.
    case '\n':
      return at;
    case '"':
    case '\'':
    case '\\':
      result += text[at];
      return at;
    case 'x': {
      unsigned value = 0;
      const char* digits = text.data() + at + 1;
      const char* end = text.data() + std::min(at + 3, text.size());
      const auto parsed = std::from_chars(digits, end, value, 16);
      // Exactly two digits, as in Python.
      if (parsed.ptr != digits + 2) break;
      result += static_cast<char>(value);
      return at + 2;
    }
    default:
      break;
  }
  // Unknown escapes stay as they are, backslash included, which is Python's rule.
  result += '\\';
  result += text[at];
  return at;
}

/// A decimal of at most 15 digits whose power of ten is a double as well: both are exact, so one
/// multiplication or division rounds right (Clinger, 1990). Nothing for every other text.
/// Constants are long lists of such numbers, which std::from_chars takes three times as long for.
std::optional<double> short_decimal(std::string_view text) {
  static constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                       1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                       1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  constexpr int kMostDigits = 15;
  const char* at = text.data();
  const char* const end = at + text.size();
  const bool is_negative = at != end && *at == '-';
  if (is_negative) ++at;
  std::uint64_t digits = 0;
  int count = 0;
  const auto read_digits = [&] {
    const char* const begin = at;
    for (; at != end && *at >= '0' && *at <= '9'; ++at, ++count) {
      if (count == kMostDigits) return false;
      digits = 10 * digits + static_cast<std::uint64_t>(*at - '0');
    }
    return at != begin;
  };
  if (!read_digits()) return std::nullopt;
  int exponent = 0;
  if (at != end && *at == '.') {
    const int whole = count;
    ++at;
    if (!read_digits()) return std::nullopt;
    exponent = whole - count;
  }
  if (at != end && *at == 'e') {
    ++at;
    if (at != end && *at == '+') {  // which std::from_chars does not take before an integer
      ++at;
      if (at != end && *at == '-') return std::nullopt;
    }
    int written = 0;
    const auto parsed = std::from_chars(at, end, written);
    if (parsed.ec != std::errc() || written < -99 || written > 99) return std::nullopt;
    at = parsed.ptr;
    exponent += written;
  }
  if (at != end || exponent < -22 || exponent > 22) return std::nullopt;
  const auto value = static_cast<double>(digits);
  const double magnitude = exponent < 0 ? value / kPowers[-exponent] : value * kPowers[exponent];
  return is_negative ? -magnitude : magnitude;
}

}  // namespace

std::optional<std::string_view> plain_string(std::string_view token) {
  const std::string_view text = between_quotes(token);
  return text.find('\\') == std::string_view::npos ? std::optional(text) : std::nullopt;
}

std::string decode_string(std::string_view token) {
  const std::string_view text = between_quotes(token);
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      i = append_escape(result, text, i + 1);
    } else {
      result += text[i];
    }
  }
  return result;
}

// IntImm holds 64 bits with a sign, whatever its dtype: the upper half of uint64 becomes the
// negative number with the same bits.
std::optional<std::int64_t> parse_integer(std::string_view digits) {
  const char* end = digits.data() + digits.size();
  if (digits.starts_with('-')) {
    std::int64_t value = 0;
    const auto parsed = std::from_chars(digits.data(), end, value);
    if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
    return value;
  }
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(digits.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

// By std::from_chars: no locale decides what a decimal point is.
std::optional<double> parse_real(std::string_view text) {
  if (const auto value = short_decimal(text)) return value;
  const char* end = text.data() + text.size();
  double value = 0;
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ptr != end || text.empty()) return std::nullopt;
  if (parsed.ec == std::errc()) return value;
  // Out of range: from_chars says so without saying on which side.
  const bool negative = text.front() == '-';
  const std::size_t exponent = text.find_first_of("eE");
  const bool tiny = exponent != std::string_view::npos && text.substr(exponent + 1, 1) == "-";
  const double magnitude = tiny ? 0.0 : std::numeric_limits<double>::infinity();
  return negative ? -magnitude : magnitude;
}

}  // namespace mlf::tir::text
