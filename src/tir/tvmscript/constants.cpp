#include "tir/tvmscript/constants.h"

#include <fmt/core.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace mlf::tir::tvmscript {
namespace {

/// The printer stops here and leaves no mark.
constexpr std::size_t kMostPrinted = 201;

/// Little-endian bits of one element. float16 is printed as the integer its bits make, by v0.18
/// with a fraction of zero.
std::uint64_t bits_of(Expressions& exprs, const Value& value, DType dtype) {
  if (!dtype.is_float()) {
    return static_cast<std::uint64_t>(value.kind == ValueKind::boolean
                                          ? std::int64_t{exprs.boolean(value)}
                                          : exprs.integer(value));
  }
  const double number = exprs.real(value);
  if (dtype.bits == 64) return std::bit_cast<std::uint64_t>(number);
  if (dtype.bits == 32) return std::bit_cast<std::uint32_t>(static_cast<float>(number));
  if (!(number >= -32768 && number <= 65535)) exprs.fail_expected(value, "the bits of a float16");
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
ShownElements read_list(Expressions& exprs, const Value& list, DType dtype, std::uint64_t count) {
  if (list.kind != ValueKind::list) exprs.fail_expected(list, "a list of elements");
  ShownElements shown;
  shown.count = list.count;
  shown.is_cut = list.count == kMostPrinted && count > kMostPrinted;
  const std::size_t size = dtype.element_bytes();
  shown.bytes.reserve(list.count * size);
  for (std::size_t i = 0; i < list.count; ++i) {
    append_little_endian(shown.bytes, bits_of(exprs, exprs.item(list, i), dtype), size);
  }
  return shown;
}

ShownElements read_elements(Expressions& exprs, const std::optional<Value>& elements, DType dtype,
                            std::uint64_t count) {
  if (!elements) return {};
  const ShownElements shown = elements->kind == ValueKind::elements
                                  ? read_constant_text(exprs.text(*elements), dtype, count)
                                  : read_list(exprs, *elements, dtype, count);
  const bool fills = shown.is_cut ? shown.count < count : shown.count == count;
  if (!fills) {
    exprs.fail(*elements, fmt::format("{} elements do not fill the extents", shown.count));
  }
  return shown;
}

}  // namespace

NodeId constant_data(Expressions& exprs, std::string_view name,
                     const std::optional<Value>& elements, DType dtype,
                     const std::vector<NodeId>& extents) {
  Context& c = exprs.context();
  // An object of the metadata section; one that is missing is looked for when all is read.
  if (elements && elements->kind == ValueKind::node) {
    const Node node = c.node(elements->node);
    if (node.is(Kind::NDArray) || node.is(Kind::MissingObject)) return node.id();
  }
  const auto shape = text::constant_shape(c.builder, extents);
  const auto count = shape ? element_count(*shape) : std::nullopt;
  if (!count) {
    c.lose(LossCode::constant_data, "extents are no numbers");
    return NodeId::none;
  }
  ShownElements shown = read_elements(exprs, elements, dtype, *count);
  if (shown.count == *count && shown.digits == 0) {
    return c.builder.make(Kind::NDArray, {dtype, c.builder.integers(*shape),
                                          c.builder.bytes(std::move(shown.bytes))});
  }
  const std::string detail = shown.count == *count
                                 ? fmt::format("floats are printed with {} digits", shown.digits)
                                 : fmt::format("only {} elements are printed", shown.count);
  return c.lost_constants.find({.function = {},
                                .name = name,
                                .dtype = dtype,
                                .shape = *shape,
                                .elements = shown.bytes,
                                .digits = shown.digits},
                               detail);
}

}  // namespace mlf::tir::tvmscript
