#include "tir/tvmscript/constants.h"

#include <fmt/format.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace mlf::tir::tvmscript {
namespace {

/// The printer stops here and leaves no mark.
constexpr std::size_t kMostPrinted = 201;

void append(std::vector<std::byte>& bytes, std::uint64_t bits, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    bytes.push_back(static_cast<std::byte>(bits >> (8 * i) & 0xff));
  }
}

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

std::optional<std::vector<std::int64_t>> constant_shape(Context& c,
                                                        const std::vector<NodeId>& extents) {
  std::vector<std::int64_t> shape;
  for (const NodeId extent : extents) {
    const Node node = c.node(extent);
    if (!node.is(Kind::IntImm) || node.integer(f::IntImm::value) < 0) return std::nullopt;
    shape.push_back(node.integer(f::IntImm::value));
  }
  return shape;
}

/// Whether the shape holds just so many elements, without overflow on the way.
bool holds(const std::vector<std::int64_t>& shape, std::uint64_t count) {
  std::uint64_t product = 1;
  for (const std::int64_t extent : shape) {
    if (extent == 0) return count == 0;
    if (product > count / static_cast<std::uint64_t>(extent)) return false;
    product *= static_cast<std::uint64_t>(extent);
  }
  return product == count;
}

}  // namespace

NodeId constant_data(Expressions& exprs, const Value& elements, DType dtype,
                     const std::vector<NodeId>& extents) {
  Context& c = exprs.context();
  if (elements.kind == ValueKind::node && c.node(elements.node).is(Kind::NDArray)) {
    return elements.node;
  }
  if (elements.kind != ValueKind::list) exprs.fail_expected(elements, "a list of elements");
  const auto shape = constant_shape(c, extents);
  if (!shape || !holds(*shape, elements.count * std::uint64_t{1})) {
    if (shape && elements.count != kMostPrinted) {
      exprs.fail(elements, fmt::format("{} elements do not fill the extents", elements.count));
    }
    c.lose(LossCode::constant_data, fmt::format("only {} elements are printed", elements.count));
    return NodeId::none;
  }
  const std::size_t size = dtype.element_bytes();
  std::vector<std::byte> bytes;
  bytes.reserve(elements.count * size);
  for (std::size_t i = 0; i < elements.count; ++i) {
    append(bytes, bits_of(exprs, exprs.item(elements, i), dtype), size);
  }
  return c.builder.make(Kind::NDArray,
                        {dtype, c.builder.integers(*shape), c.builder.bytes(std::move(bytes))});
}

}  // namespace mlf::tir::tvmscript
