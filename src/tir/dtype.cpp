#include "mlf/tir/module.h"

#include <array>

#include "support/numbers.h"

namespace mlf::tir {
namespace {

struct CodeName {
  std::string_view name;
  TypeCode code;
  std::uint8_t default_bits;
};

// Longer names first where one begins another ("float" would match inside no other name here).
constexpr std::array kCodes = {
    CodeName{"int", TypeCode::Int, 32},
    CodeName{"uint", TypeCode::UInt, 32},
    CodeName{"float", TypeCode::Float, 32},
    CodeName{"handle", TypeCode::Handle, 64},
    CodeName{"bfloat", TypeCode::BFloat, 16},
    CodeName{"e4m3_float", TypeCode::E4M3Float, 8},
    CodeName{"e5m2_float", TypeCode::E5M2Float, 8},
};

// TVM registers custom types by name at run time; this code only keeps the fact that a type is
// custom.
constexpr std::string_view kCustomPrefix = "custom[";

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// `32x4`, `32xvscalex4`; scalable lanes are kept as a negative number, as in TVM's DataType.
std::optional<DType> parse_bits_and_lanes(std::string_view rest, TypeCode code,
                                          std::uint8_t default_bits) {
  DType dtype{code, default_bits, 1};
  if (!rest.empty() && rest.front() != 'x') {
    dtype.bits = support::take_number<std::uint8_t>(rest).value_or(0);
  }
  const bool is_scalable = take(rest, "xvscale");
  if (take(rest, "x")) {
    const std::int16_t lanes = support::take_number<std::int16_t>(rest).value_or(0);
    if (lanes <= 0) return std::nullopt;
    dtype.lanes = static_cast<std::int16_t>(is_scalable ? -lanes : lanes);
  } else if (is_scalable) {
    return std::nullopt;
  }
  if (!rest.empty() || dtype.bits == 0) return std::nullopt;
  return dtype;
}

// Codes of custom types have no name here.
std::string_view name_of(TypeCode code) {
  for (const CodeName& entry : kCodes) {
    if (entry.code == code) return entry.name;
  }
  return "custom[]";
}

}  // namespace

// TVM's DLDataType2String: void, bool and handle have no bits, one lane is not printed.
std::string to_string(DType dtype) {
  if (dtype.is_void()) return "void";
  if (dtype.is_bool() && dtype.is_scalar()) return "bool";
  if (dtype.is_handle() && dtype.is_scalar()) return "handle";
  std::string text(name_of(dtype.code));
  if (dtype.code != TypeCode::Handle) text += std::to_string(dtype.bits);
  if (dtype.lanes < 0) text.append("xvscalex").append(std::to_string(-dtype.lanes));
  if (dtype.lanes > 1) text.append("x").append(std::to_string(dtype.lanes));
  return text;
}

// The reverse; a text without bits has the default of its code, as TVM's String2DLDataType gives
// it.
std::optional<DType> parse_dtype(std::string_view text) {
  if (text.empty() || text == "void") return DType::Void();
  if (text == "bool") return DType::Bool();
  if (text.starts_with(kCustomPrefix)) {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    return parse_bits_and_lanes(text.substr(close + 1), TypeCode::Custom, 32);
  }
  for (const CodeName& entry : kCodes) {
    if (!text.starts_with(entry.name)) continue;
    const std::string_view rest = text.substr(entry.name.size());
    if (auto dtype = parse_bits_and_lanes(rest, entry.code, entry.default_bits)) return dtype;
  }
  return std::nullopt;
}

}  // namespace mlf::tir
