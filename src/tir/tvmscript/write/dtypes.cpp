#include "tir/tvmscript/write/dtypes.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "support/error.h"

#include "tir/tvm_features.h"

namespace mlf::tir::tvmscript {
namespace {

bool is_usual_width(std::uint8_t bits) {
  return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

}  // namespace

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

std::string quoted_dtype(DType dtype) {
  if (dtype.code >= TypeCode::Custom) {
    throw support::Error(ErrorKind::invalid_input, "a custom data type has no name in TVMScript");
  }
  return fmt::format("\"{}\"", to_string(dtype));
}

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

std::string real_literal(double value, std::uint8_t tvm_minor_version) {
  if (std::isnan(value)) return std::signbit(value) ? "\"-nan\"" : "\"nan\"";
  if (std::isinf(value)) return value < 0 ? "\"-inf\"" : "\"inf\"";
  const std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") != std::string::npos) return text;
  if (has(tvm_minor_version, TvmFeature::decimal_points)) return text + ".0";
  // `-0` would be the integer zero.
  return value == 0 && std::signbit(value) ? text + "e0" : text;
}

}  // namespace mlf::tir::tvmscript
