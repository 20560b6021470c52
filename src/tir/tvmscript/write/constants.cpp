#include "tir/tvmscript/write/constants.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <span>

namespace mlf::tir::tvmscript {
namespace {

/// TVM prints no more of a constant, and parsing long lists takes it long.
constexpr std::size_t kMostListed = 201;

using Bytes = std::span<const std::byte>;
using Inserter = std::back_insert_iterator<std::string>;

template <class T>
T element(Bytes bytes, std::size_t i) {
  T value;
  std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void append_real(Bytes bytes, std::size_t i, Inserter out) {
  const T value = element<T>(bytes, i);
  const bool is_negative_zero = value == 0 && std::signbit(value);
  is_negative_zero ? void(fmt::format_to(out, "-0.0")) : void(fmt::format_to(out, "{}", value));
}

template <class T>
void append_integer(Bytes bytes, std::size_t i, Inserter out) {
  fmt::format_to(out, "{}", element<T>(bytes, i));
}

using Append = void (*)(Bytes, std::size_t, Inserter);

Append integer_of(DType dtype) {
  const bool is_signed = dtype.is_int();
  switch (dtype.element_bytes()) {
    case 1:
      return is_signed ? append_integer<std::int8_t> : append_integer<std::uint8_t>;
    case 2:
      return is_signed ? append_integer<std::int16_t> : append_integer<std::uint16_t>;
    case 4:
      return is_signed ? append_integer<std::int32_t> : append_integer<std::uint32_t>;
    default:
      return is_signed ? append_integer<std::int64_t> : append_integer<std::uint64_t>;
  }
}

Append append_of(DType dtype) {
  if (dtype.is_bool()) {
    return [](Bytes bytes, std::size_t i, Inserter out) {
      fmt::format_to(out, "{}", element<std::uint8_t>(bytes, i) != 0 ? "True" : "False");
    };
  }
  const bool is_byte_wide = dtype.bits % 8 == 0;
  if ((dtype.is_int() || dtype.is_uint()) && is_byte_wide) return integer_of(dtype);
  if (dtype == DType::Float(64)) return append_real<double>;
  if (dtype == DType::Float(32)) return append_real<float>;
  return nullptr;
}

template <class T>
bool all_finite(Bytes bytes) {
  for (std::size_t i = 0; i < bytes.size() / sizeof(T); ++i) {
    if (!std::isfinite(element<T>(bytes, i))) return false;
  }
  return true;
}

bool has_literals(DType dtype, Bytes bytes) {
  if (dtype == DType::Float(64)) return all_finite<double>(bytes);
  if (dtype == DType::Float(32)) return all_finite<float>(bytes);
  return true;
}

}  // namespace

std::optional<std::string> constant_elements(Node constant, const Spelling& spelling) {
  const Bytes data = *constant.bytes(f::NDArray::data);
  const DType dtype = constant.dtype(std::uint8_t{f::NDArray::dtype});
  const Append append = append_of(dtype);
  const std::size_t count = data.size() / std::max<std::size_t>(dtype.element_bytes(), 1);
  if (append == nullptr || !has_literals(dtype, data)) return std::nullopt;
  if (count > kMostListed && !spelling.is_old()) return std::nullopt;
  std::string text = "[";
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0 && !spelling.is_old()) text += ", ";
    append(data, i, std::back_inserter(text));
    if (spelling.is_old()) text += ',';
  }
  return text + "]";
}

}  // namespace mlf::tir::tvmscript
