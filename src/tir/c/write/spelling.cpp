#include "tir/c/write/spelling.h"

#include <fmt/core.h>
#include <algorithm>

#include "support/error.h"
#include "tir/c/language.h"
#include "tir/c/versions.h"

namespace mlf::tir::c {

void cannot_print(std::string_view what) {
  throw support::Error(ErrorKind::invalid_input, fmt::format("{} cannot be printed as C", what));
}

std::string type_text(DType dtype) {
  if (dtype.is_handle()) return "void*";
  const std::string_view spelling = spelling_of(dtype);
  if (spelling.empty()) cannot_print("the type " + to_string(dtype));
  return std::string(spelling);
}

DType pointee_of(Node var) {
  const Node type = var[f::Var::type_annotation];
  if (!type.is(Kind::PointerType)) return DType::Void();
  const Node element = type[f::PointerType::element_type];
  return element.is(Kind::PrimType) ? element.dtype(f::PrimType::dtype) : DType::Void();
}

std::string type_text(Node var) {
  const DType pointee = pointee_of(var);
  return pointee.is_void() ? type_text(var.dtype()) : type_text(pointee) + "*";
}

/// A TVMValue holds an int64, a double or a pointer.
DType api_type(DType dtype) {
  if (dtype.is_handle()) return dtype;
  return dtype.is_int() || dtype.is_uint() ? DType::Int(64) : DType::Float(64);
}

/// `5` is an int32, `(int64_t)5` a literal of another type: without the parentheses that a cast
/// has.
std::string integer_text(DType dtype, std::int64_t value) {
  // C's own type of a number.
  if (dtype == DType::Int(32)) return std::to_string(value);
  return fmt::format("({}){}", type_text(dtype), value);
}

/// Seven digits are not exact: compiled code uses the rounded value.
std::string float_text(DType dtype, double value) {
  const std::string digits = fmt::format("{:.6e}", value);
  if (dtype == DType::Float(64)) return digits;
  if (dtype == DType::Float(32)) return digits + "f";
  if (dtype == DType::Float(16)) return fmt::format("({}){}f", type_text(dtype), digits);
  cannot_print("a constant of type " + to_string(dtype));
}

std::string_view operator_of(Node call) {
  if (!call.is(Kind::Call)) return {};
  const Node op = call[f::Call::op];
  return op.is(Kind::Op) ? op.text(f::Op::name) : std::string_view();
}

namespace {

/// Where the range has versions before and since v0.16, the reader took a `?:` as the older ones
/// print it.
std::uint8_t minor_of(const VersionRange& range) {
  if (ternary_of(range) == Ternary::select) return range.last;
  return std::min<std::uint8_t>(range.last, first_with(TvmFeature::c_condval) - 1);
}

}  // namespace

Forms::Forms(const VersionRange& version)
    : minor_(minor_of(version)),
      is_between_11_and_12_(is_between_11_and_12(version)),
      is_between_15_and_16_(is_between_15_and_16(version)) {}

bool Forms::has(TvmFeature feature) const {
  const bool came_with_12 = feature == TvmFeature::c_cmsis_status_switch;
  const bool came_with_16 =
      feature == TvmFeature::c_asks_for_null || feature == TvmFeature::c_data_last;
  const bool came_later =
      (is_between_11_and_12_ && came_with_12) || (is_between_15_and_16_ && came_with_16);
  return tir::has(minor_, feature) && !came_later;
}

}  // namespace mlf::tir::c
