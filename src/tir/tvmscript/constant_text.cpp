// Constants of v0.9 to v0.11: elements as C++ streams print them. Floats have six digits, float16
// are the integers that their bits make, int8 are single bytes, and more than 21 elements end in
// `...` from v0.10 on. TVM's parser takes numbers; mlf writes them for it, without blanks and with
// a comma at the end, which tells the two apart.
#include <bit>
#include <optional>

#include "tir/text/literals.h"
#include "tir/tvmscript/constants.h"

namespace mlf::tir::tvmscript {
namespace {

constexpr std::string_view kSeparator = ", ";
constexpr std::string_view kCut = "...";
constexpr unsigned kStreamDigits = 6;

bool is_for_parser(std::string_view text) {
  return text.size() > 1 && text.ends_with(',') && text.find(' ') == std::string_view::npos;
}

std::optional<std::uint64_t> bits_of(std::string_view element, DType dtype) {
  if (dtype.is_bool() && element == "True") return 1;
  if (dtype.is_bool() && element == "False") return 0;
  if (!dtype.is_float() || dtype.bits == 16) {
    const auto number = text::parse_integer(element);
    return number ? std::optional(static_cast<std::uint64_t>(*number)) : std::nullopt;
  }
  const auto number = text::parse_real(element);
  if (!number) return std::nullopt;
  if (dtype.bits == 64) return std::bit_cast<std::uint64_t>(*number);
  return std::bit_cast<std::uint32_t>(static_cast<float>(*number));
}

/// A byte each, whatever character it makes.
ShownElements read_characters(std::string_view text) {
  ShownElements shown;
  const std::size_t stride = 1 + kSeparator.size();
  if (text.size() % stride != 1) return shown;
  for (std::size_t at = 0; at < text.size(); at += stride) {
    if (at > 0 && !text.substr(at - kSeparator.size()).starts_with(kSeparator)) return {};
    shown.bytes.push_back(static_cast<std::byte>(text[at]));
    ++shown.count;
  }
  return shown;
}

ShownElements read_numbers(std::string_view text, DType dtype) {
  ShownElements shown;
  if (dtype.is_float() && dtype.bits != 16) shown.digits = kStreamDigits;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const auto bits = bits_of(text.substr(0, end), dtype);
    if (!bits) return {};
    append_little_endian(shown.bytes, *bits, dtype.element_bytes());
    ++shown.count;
    text.remove_prefix(end);
    const std::size_t next = text.find_first_not_of(", \t\r\n");
    text.remove_prefix(std::min(next, text.size()));
  }
  return shown;
}

}  // namespace

ShownElements read_constant_text(std::string_view text, DType dtype, std::uint64_t count) {
  text = text.substr(1, text.size() - 2);
  if (is_for_parser(text)) {
    ShownElements shown = read_numbers(text, dtype);
    shown.digits = 0;
    return shown;
  }
  const bool are_bytes = dtype.is_int() && dtype.bits == 8;
  // As bytes, the dots can be elements themselves.
  const std::size_t whole = count * (1 + kSeparator.size()) - kSeparator.size();
  const bool is_cut = text.ends_with(kCut) && !(are_bytes && text.size() == whole);
  if (is_cut) text.remove_suffix(kCut.size());
  ShownElements shown = are_bytes ? read_characters(text) : read_numbers(text, dtype);
  shown.is_cut = is_cut;
  return shown;
}

}  // namespace mlf::tir::tvmscript
