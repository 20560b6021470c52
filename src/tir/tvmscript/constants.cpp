#include "tir/tvmscript/constants.h"

#include <fmt/core.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "tir/text/literals.h"
#include "tir/tvmscript/conversions.h"

namespace mlf::tir::tvmscript {

// --- The text of v0.9 to v0.11 -----------------------------------------------------------------

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

bool is_between_numbers(char character) {
  return character == ',' || character == ' ' || character == '\t' || character == '\r' ||
         character == '\n';
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
    while (!text.empty() && is_between_numbers(text.front())) text.remove_prefix(1);
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

// --- Elements of any version -------------------------------------------------------------------

namespace {

/// The printer stops here and leaves no mark.
constexpr std::size_t kMostPrinted = 201;

/// Little-endian bits of one element. float16 is printed as the integer its bits make, by v0.18
/// with a fraction of zero.
std::uint64_t bits_of(Context& c, const Value& value, DType dtype) {
  if (!dtype.is_float()) {
    return static_cast<std::uint64_t>(value.kind == ValueKind::boolean
                                          ? std::int64_t{as_boolean(c, value)}
                                          : as_integer(c, value));
  }
  const double number = as_real(c, value);
  if (dtype.bits == 64) return std::bit_cast<std::uint64_t>(number);
  if (dtype.bits == 32) return std::bit_cast<std::uint32_t>(static_cast<float>(number));
  if (!(number >= -32768 && number <= 65535)) fail_expected(c, value, "the bits of a float16");
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(number));
}

/// Number of elements of a shape; nothing where it overflows.
std::optional<std::uint64_t> element_count(const std::vector<std::int64_t>& shape) {
  std::uint64_t product = 1;
  for (const std::int64_t extent : shape) {
    if (__builtin_mul_overflow(product, static_cast<std::uint64_t>(extent), &product)) {
      return std::nullopt;
    }
  }
  return product;
}

/// v0.12 and later: a list of literals.
ShownElements read_list(Context& c, const Value& list, DType dtype, std::uint64_t count) {
  if (list.kind != ValueKind::list) fail_expected(c, list, "a list of elements");
  ShownElements shown;
  shown.count = list.count;
  shown.is_cut = list.count == kMostPrinted && count > kMostPrinted;
  const std::size_t size = dtype.element_bytes();
  shown.bytes.reserve(list.count * size);
  for (std::size_t i = 0; i < list.count; ++i) {
    append_little_endian(shown.bytes, bits_of(c, c.values.item(list, i), dtype), size);
  }
  return shown;
}

ShownElements read_elements(Context& c, const std::optional<Value>& elements, DType dtype,
                            std::uint64_t count) {
  if (!elements) return {};
  const ShownElements shown = elements->kind == ValueKind::elements
                                  ? read_constant_text(c.values.text(*elements), dtype, count)
                                  : read_list(c, *elements, dtype, count);
  const bool fills = shown.is_cut ? shown.count < count : shown.count == count;
  if (!fills) {
    c.values.fail(*elements, fmt::format("{} elements do not fill the extents", shown.count));
  }
  return shown;
}

}  // namespace

NodeId constant_data(Context& c, std::string_view name, const std::optional<Value>& elements,
                     DType dtype, const std::vector<NodeId>& extents) {
  // An object of the metadata section; one that is missing is looked for when all is read.
  if (elements && elements->kind == ValueKind::node) {
    const Node node = c.node(elements->node);
    if (node.is(Kind::NDArray) || node.is(Kind::MissingObject)) return node.id();
  }
  const auto shape = text::constant_shape(c.builder, extents);
  const auto count = shape ? element_count(*shape) : std::nullopt;
  if (!count) {
    c.lose(LossCode::constant_data, name);
    return NodeId::none;
  }
  ShownElements shown = read_elements(c, elements, dtype, *count);
  if (shown.count == *count && shown.digits == 0) {
    return c.builder.make(Kind::NDArray, {dtype, c.builder.integers(*shape),
                                          c.builder.bytes(std::move(shown.bytes))});
  }
  return c.lost_constants.find({.function = {},
                                .name = name,
                                .dtype = dtype,
                                .shape = *shape,
                                .elements = shown.bytes,
                                .digits = shown.digits});
}

}  // namespace mlf::tir::tvmscript
