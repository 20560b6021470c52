#include "tir/c/language.h"

#include <algorithm>
#include <array>

#include "support/lookup.h"

namespace mlf::tir::c {
namespace {

constexpr auto kTypes = std::to_array<TypeName>({
#define MLF_C_TYPE(spelling, dtype) {spelling, dtype},
#include "tir/c/language.def"
});

constexpr auto kBinary = std::to_array<BinaryOperator>({
#define MLF_C_BINARY(spelling, kind) {spelling, Kind::kind, {}},
#define MLF_C_BITWISE(spelling, op) {spelling, Kind::Call, op},
#include "tir/c/language.def"
});

struct MathName {
  std::string_view name;
  std::string_view op;
};
constexpr auto kMath = std::to_array<MathName>({
#define MLF_C_MATH(name, op) {name, op},
#include "tir/c/language.def"
});

constexpr auto kReserved = std::to_array<std::string_view>({
#define MLF_C_RESERVED(word) word,
#include "tir/c/language.def"
});

constexpr auto kKeywords = std::to_array<std::string_view>({
#define MLF_C_KEYWORD(word) word,
#include "tir/c/language.def"
});

constexpr auto kFields = std::to_array<RecordField>({
#define MLF_C_FIELD(record, spelling, number, dtype) {Record::record, spelling, number, dtype},
#include "tir/c/language.def"
});

const MathName* find_math(std::string_view name) {
  const auto found = std::ranges::find(kMath, name, &MathName::name);
  return found == kMath.end() ? nullptr : &*found;
}

}  // namespace

std::optional<DType> scalar_type(std::string_view spelling) {
  // The wrappers that forward to a kernel use `int`.
  if (spelling == "int") return DType::Int(32);
  const auto found = std::ranges::find(kTypes, spelling, &TypeName::spelling);
  if (found == kTypes.end()) return std::nullopt;
  return found->dtype;
}

std::string_view spelling_of(DType dtype) {
  const auto found = std::ranges::find(kTypes, dtype, &TypeName::dtype);
  return found == kTypes.end() ? std::string_view() : found->spelling;
}

bool is_array_element(DType element) {
  if (!element.is_scalar()) return false;
  if (element.code == TypeCode::Float) return element.bits >= 16;
  return (element.is_int() || element.is_uint()) && element.bits >= 8;
}

std::span<const std::string_view> reserved_words() {
  return kReserved;
}

bool is_keyword(std::string_view word) {
  const bool is_reserved = support::is_among(kReserved, word) && word != "_";
  return is_reserved || support::is_among(kKeywords, word);
}

/// Codes are those of DLPack, with TVM's handle behind them: 0 int, 1 uint, 2 float, 3 handle, 4
/// bfloat.
std::optional<DType> dtype_of(std::int64_t code, std::int64_t bits, std::int64_t lanes) {
  constexpr std::array<std::int64_t, 6> kBits = {0, 1, 8, 16, 32, 64};
  const bool is_handle = code == static_cast<std::int64_t>(TypeCode::Handle);
  const bool is_known = code >= 0 && code <= static_cast<std::int64_t>(TypeCode::BFloat) &&
                        std::ranges::find(kBits, bits) != kBits.end() && lanes >= 0 &&
                        lanes <= INT16_MAX;
  if (!is_known || (!is_handle && (bits == 0 || lanes == 0))) return std::nullopt;
  return DType{static_cast<TypeCode>(code), static_cast<std::uint8_t>(bits),
               static_cast<std::int16_t>(lanes)};
}

const BinaryOperator* binary_operator(std::string_view spelling) {
  const auto found = std::ranges::find(kBinary, spelling, &BinaryOperator::spelling);
  return found == kBinary.end() ? nullptr : &*found;
}

std::string_view binary_spelling(Kind kind, std::string_view op) {
  const auto found = std::ranges::find_if(
      kBinary, [&](const BinaryOperator& row) { return row.kind == kind && row.op == op; });
  return found == kBinary.end() ? std::string_view() : found->spelling;
}

/// The rules of intrinsics (`tvm::codegen::intrin::FloatSuffix`) append an `f` to the name for
/// float32.
std::optional<MathCall> math_call(std::string_view function) {
  if (const MathName* const found = find_math(function)) {
    return MathCall{found->op, DType::Float(64)};
  }
  if (!function.ends_with('f')) return std::nullopt;
  const MathName* const found = find_math(function.substr(0, function.size() - 1));
  if (found == nullptr) return std::nullopt;
  return MathCall{found->op, DType::Float(32)};
}

std::string_view math_name(std::string_view op) {
  const auto found = std::ranges::find(kMath, op, &MathName::op);
  return found == kMath.end() ? std::string_view() : found->name;
}

const RecordField* record_field(Record record, std::string_view spelling) {
  const auto found = std::ranges::find_if(kFields, [&](const RecordField& row) {
    return row.record == record && row.spelling == spelling;
  });
  return found == kFields.end() ? nullptr : &*found;
}

/// A value has a field for each code of a type.
std::string_view field_spelling(Record record, std::int64_t number, DType dtype) {
  const auto found = std::ranges::find_if(kFields, [&](const RecordField& row) {
    const bool fits = record == Record::tensor || row.dtype.code == dtype.code;
    return row.record == record && row.number == number && fits;
  });
  return found == kFields.end() ? std::string_view() : found->spelling;
}

std::optional<std::int64_t> divisor_of_shift(Node amount, DType dtype) {
  const bool is_number = amount.is(Kind::IntImm) && amount.integer(f::IntImm::value) >= 0 &&
                         amount.integer(f::IntImm::value) < dtype.bits - 1;
  return is_number ? std::optional(std::int64_t{1} << amount.integer(f::IntImm::value))
                   : std::nullopt;
}

std::optional<std::int64_t> divisor_of_mask(Node mask) {
  const std::int64_t bits = mask.is(Kind::IntImm) ? mask.integer(f::IntImm::value) : 0;
  const bool is_mask = 0 < bits && bits < std::int64_t{1} << 62 && (bits & (bits + 1)) == 0;
  return is_mask ? std::optional(bits + 1) : std::nullopt;
}

}  // namespace mlf::tir::c
