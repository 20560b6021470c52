#include "tir/tvmscript/write/literals.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <span>

#include "support/error.h"
#include "tir/tvm_features.h"

namespace mlf::tir::tvmscript {

// --- Data types, numbers, strings --------------------------------------------------------------

namespace {

/// The widths that have functions of their own.
bool is_usual_width(std::uint8_t bits) {
  return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

}  // namespace

/// The dtypes that tvm.script.ir_builder.tir has functions for.
bool has_function(DType dtype) {
  if (dtype.is_handle() || dtype.is_bool()) return dtype.is_scalar();
  const bool is_plain = dtype.is_int() || dtype.is_uint() || dtype.code == TypeCode::Float;
  constexpr std::int16_t kLanes[] = {1, 4, 8, 16, 32, 64};
  return is_plain && is_usual_width(dtype.bits) &&
         !(dtype.code == TypeCode::Float && dtype.bits == 8) &&
         std::ranges::find(kLanes, dtype.lanes) != std::end(kLanes);
}

bool has_type_function(Node type, const Spelling& spelling) {
  if (spelling.is_old()) {
    return type.is(Kind::PrimType) || type.is(Kind::PointerType) || type.is(Kind::TupleType);
  }
  if (type.is(Kind::PrimType)) return has_function(type.dtype(std::uint8_t{f::PrimType::dtype}));
  return type.is(Kind::PointerType) && type[f::PointerType::element_type].is(Kind::PrimType);
}

bool has_annotation(Node var, const Spelling& spelling) {
  if (const Node type = var[f::Var::type_annotation]) return has_type_function(type, spelling);
  return spelling.is_old() || has_function(var.dtype());
}

/// As an argument, where any dtype may be given.
std::string quoted_dtype(DType dtype) {
  if (dtype.code >= TypeCode::Custom) {
    throw support::Error(ErrorKind::invalid_input, "a custom data type has no name in TVMScript");
  }
  return fmt::format("\"{}\"", to_string(dtype));
}

/// Escapes what Python could not read back; bytes of UTF-8 are left as they are.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
      case '\\':
        result += '\\';
        result += c;
        break;
      case '\n':
        result += "\\n";
        break;
      case '\r':
        result += "\\r";
        break;
      case '\t':
        result += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) {
          result += c;
        } else {
          result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        }
    }
  }
  return result + '"';
}

/// Whole numbers have a decimal point since v0.18; a double quote begins the words for infinity.
std::string real_literal(double value, std::uint8_t tvm_minor_version) {
  if (std::isnan(value)) return std::signbit(value) ? "\"-nan\"" : "\"nan\"";
  if (std::isinf(value)) return value < 0 ? "\"-inf\"" : "\"inf\"";
  const std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") != std::string::npos) return text;
  if (has(tvm_minor_version, TvmFeature::decimal_points)) return text + ".0";
  // `-0` would be the integer zero.
  return value == 0 && std::signbit(value) ? text + "e0" : text;
}

// --- Elements of constants ---------------------------------------------------------------------

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

/// How an element is written; null for dtypes whose elements have no literals.
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

/// Infinity and NaN have no literals in Python.
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
