// Constructs that TVM's own parsers of TVMScript cannot read. Source: python/tvm/script/tir of v0.8
// to v0.10 and src/tir/ir/buffer.cc; tests/e2e/tvm/round_trips.py runs the parsers of v0.9 and
// v0.16.
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "mlf/tir/visit.h"
#include "mlf/tir/write.h"
#include "support/error.h"
#include "tir/node_queries.h"
#include "tir/tvm_features.h"

namespace mlf::tir {
namespace {

const std::uint8_t kNewDialect = first_with(TvmFeature::script_of_nodes);

/// A construct, and the first version whose parser reads it; 0: no parser reads it.
struct Unreadable {
  std::string construct;
  std::uint8_t since = 0;
};

bool is_usual_width(DType dtype) {
  return dtype.bits == 8 || dtype.bits == 16 || dtype.bits == 32 || dtype.bits == 64;
}

bool is_number(DType dtype) {
  return dtype.is_int() || dtype.is_uint() || dtype.code == TypeCode::Float;
}

/// `T.int8(1)`: functions for numbers of the usual widths, and for bool.
std::uint8_t first_with_literal(DType dtype) {
  if (!dtype.is_scalar()) return kNewDialect;
  const bool is_known = dtype.is_bool() || (is_number(dtype) && is_usual_width(dtype));
  return is_known ? 0 : kNewDialect;
}

/// `x: T.int8`: v0.8 and v0.9 list the types, v0.10 has those with some lanes. 0: all versions have
/// it.
std::uint8_t first_with_type(DType dtype) {
  if (dtype.is_handle() || dtype.is_bool()) return dtype.is_scalar() ? 0 : kNewDialect;
  if (dtype.is_void()) return 10;
  constexpr std::int16_t kLanes[] = {1, 4, 8, 16, 32};
  const bool has_lanes = std::ranges::find(kLanes, dtype.lanes) != std::end(kLanes);
  if (!is_number(dtype) || !is_usual_width(dtype) || !has_lanes) return kNewDialect;
  const bool is_listed =
      dtype.is_scalar() && !dtype.is_uint() && !(dtype.code == TypeCode::Float && dtype.bits == 8);
  if (is_listed) return 0;
  return dtype == DType::UInt(8) ? 9 : 10;
}

/// The first version with a word for the dtype of a variable or result, inside of pointers.
std::optional<Unreadable> unreadable_type(Node type, DType dtype, std::uint8_t minor) {
  std::string_view pointer;
  for (; type && type.is(Kind::PointerType); type = type[f::PointerType::element_type]) {
    pointer = "a pointer to ";
  }
  // Tuples are lists of types, which are not checked.
  if (type && !type.is(Kind::PrimType)) return std::nullopt;
  if (type) dtype = type.dtype(std::uint8_t{f::PrimType::dtype});
  const std::uint8_t since = first_with_type(dtype);
  if (minor >= since) return std::nullopt;
  return Unreadable{fmt::format("{}T.{} as a type", pointer, to_string(dtype)), since};
}

/// Whether a number is infinite or NaN: all bits of its exponent are set.
bool is_finite(DType dtype, std::span<const std::byte> element) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, element.data(), element.size());
  const std::uint64_t exponent = dtype.bits == 16   ? 0x7c00
                                 : dtype.bits == 32 ? 0x7f800000
                                                    : 0x7ff0000000000000;
  return (bits & exponent) != exponent;
}

/// The elements are Python's literals, which has none for infinities, and other ones for bool.
std::optional<Unreadable> unreadable_constant(Node allocate) {
  const Node array = allocate[f::AllocateConst::data];
  const auto data = array && array.is(Kind::NDArray) ? array.bytes(f::NDArray::data) : std::nullopt;
  const DType dtype = allocate.dtype(f::AllocateConst::dtype);
  if (dtype.is_bool()) return Unreadable{"a constant of bool", kNewDialect};
  if (dtype.code != TypeCode::Float || !data) return std::nullopt;
  const std::size_t size = dtype.element_bytes();
  for (std::size_t at = 0; size >= 2 && at + size <= data->size(); at += size) {
    if (!is_finite(dtype, data->subspan(at, size))) {
      return Unreadable{"a constant with an infinity or NaN", kNewDialect};
    }
  }
  return std::nullopt;
}

/// The parser gives the buffer new strides.
bool lacks_strides(Node buffer) {
  return buffer.integer(f::Buffer::buffer_type) ==
             static_cast<std::int64_t>(BufferType::auto_broadcast) &&
         buffer.list(f::Buffer::strides).empty() && !buffer.list(f::Buffer::shape).empty();
}

std::optional<Unreadable> unreadable_in_old_dialect(Node node, std::uint8_t minor) {
  switch (node.kind()) {
    case Kind::IntImm:
    case Kind::FloatImm:
      if (const std::uint8_t since = first_with_literal(node.dtype()); since > minor) {
        return Unreadable{fmt::format("T.{}, a number of this type", to_string(node.dtype())),
                          since};
      }
      return std::nullopt;
    case Kind::Shuffle:
      return Unreadable{"T.shuffle", kNewDialect};
    case Kind::Reduce:
      return Unreadable{"T.reduce", kNewDialect};
    case Kind::AllocateConst:
      return unreadable_constant(node);
    case Kind::Call:
      if (!node[f::Call::op].is(Kind::GlobalVar)) return std::nullopt;
      return Unreadable{
          fmt::format("a call of the function {}", node[f::Call::op].text(f::GlobalVar::name_hint)),
          kNewDialect};
    case Kind::For: {
      const DType dtype = node[f::For::loop_var].dtype();
      const bool is_known = dtype == DType::Int(32) || dtype == DType::Int(64);
      if (is_known || minor > 10) return std::nullopt;
      return Unreadable{fmt::format("a loop over {}", to_string(dtype)), kNewDialect};
    }
    default:
      return std::nullopt;
  }
}

/// nullopt if the parser can read the node itself.
std::optional<Unreadable> unreadable(Node node, std::uint8_t minor) {
  if (node.is(Kind::Buffer) && lacks_strides(node)) {
    return Unreadable{
        fmt::format("the auto-broadcast buffer '{}' without strides", node.text(f::Buffer::name)),
        0};
  }
  if (minor < kNewDialect) return unreadable_in_old_dialect(node, minor);
  return std::nullopt;
}

std::optional<Unreadable> first_unreadable(Node function, std::uint8_t minor) {
  std::optional<Unreadable> found;
  if (minor < kNewDialect) {
    for (const Node param : function.list(f::PrimFunc::params)) {
      if (!found) found = unreadable_type(param[f::Var::type_annotation], param.dtype(), minor);
    }
    const Node result = function[f::PrimFunc::ret_type];
    if (!found && result) found = unreadable_type(result, {}, minor);
  }
  for_each_pre_order(function, [&](Node node) {
    if (!found) found = unreadable(node, minor);
  });
  return found;
}

}  // namespace

Result<void> require_parsable(const Document& document) {
  return support::to_result([&] {
    const std::uint8_t minor = document.source.tvm_version.last;
    for (const NamedFunction& one : prim_functions_of(document.module)) {
      const auto found = first_unreadable(one.function, minor);
      if (!found) continue;
      const std::string since = found->since > 0 ? fmt::format("; v0.{} can", found->since)
                                                 : std::string("; no version can");
      throw support::Error(ErrorKind::invalid_input,
                           fmt::format("function {}: TVM 0.{} cannot read {}{}", one.name, minor,
                                       found->construct, since));
    }
  });
}

}  // namespace mlf::tir
