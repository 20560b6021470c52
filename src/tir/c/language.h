// Looks up the spellings of language.def in both directions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "mlf/tir/module.h"
#include "tir/tvm_features.h"

namespace mlf::tir::c {

struct TypeName {
  std::string_view spelling;
  DType dtype;
};
/// A scalar type of C; `void` is void.
std::optional<DType> scalar_type(std::string_view spelling);
/// Returns the C name of a scalar dtype; empty for a dtype that the generator never prints.
std::string_view spelling_of(DType dtype);

/// Whether TVM prints arrays of this element type: integers of 8 to 64 bits, and floats.
bool is_array_element(DType element);

/// The words that the generator reserves before it names anything. Because of the first word,
/// temporaries of older versions begin with a number.
std::span<const std::string_view> reserved_words();
/// Whether a word is a keyword of C.
bool is_keyword(std::string_view word);

/// Allocations with the default scope that have fewer bytes are arrays; others are workspaces.
constexpr std::int64_t kWorkspaceBytes = 1024;

/// The dtype that generated code states as three numbers; nullopt if TVM has no such dtype.
std::optional<DType> dtype_of(std::int64_t code, std::int64_t bits, std::int64_t lanes);

/// The meaning of `(a op b)`: a node kind, or the operator of a call.
struct BinaryOperator {
  std::string_view spelling;
  Kind kind;            ///< meaningful if `op` is empty
  std::string_view op;  ///< full name of the operator: "tir.shift_left"
};
const BinaryOperator* binary_operator(std::string_view spelling);
/// The spelling of `(a op b)` for a node kind, or for calls of an operator; empty if C has none.
std::string_view binary_spelling(Kind kind, std::string_view op = {});

/// A function of libm that implements an operator.
struct MathCall {
  std::string_view op;
  DType dtype;
};
std::optional<MathCall> math_call(std::string_view function);
/// The name in libm, without the suffix of float32; empty if the operator is not one of its
/// functions.
std::string_view math_name(std::string_view op);

enum class Record : std::uint8_t { tensor, value };

/// Numbers of fields in tvm_struct_get and tvm_struct_set, as TVM's builtin::TVMStructFieldKind.
namespace field {
constexpr int address = 0;
constexpr int data = 1;
constexpr int shape = 2;
constexpr int strides = 3;
constexpr int ndim = 4;
constexpr int type_code = 5;
constexpr int type_bits = 6;
constexpr int type_lanes = 7;
constexpr int byte_offset = 8;
constexpr int device_id = 9;
constexpr int device_type = 10;
constexpr int value_content = 12;
}  // namespace field

struct RecordField {
  Record record;
  std::string_view spelling;
  int number;
  DType dtype;
};
const RecordField* record_field(Record record, std::string_view spelling);
/// The same by its number; `dtype` is that of a value. Empty if there is none.
std::string_view field_spelling(Record record, std::int64_t number, DType dtype);

/// The divisors for which a form of a division is right.
enum class DivisorSign : std::uint8_t { any, not_negative, negative };

/// Quotient and remainder of `a` by `b`: digits are numbers of their type, `s` is the number of the
/// sign bit, `k` the shift or the mask of a power of two.
struct DivisionForm {
  DivisorSign divisor;
  std::string_view quotient;
  std::string_view remainder;
};
#define MLF_C_DIVISION(name, divisor, quotient, remainder) \
  inline constexpr DivisionForm name = {DivisorSign::divisor, quotient, remainder};
#include "tir/c/language.def"

/// 2^k, if `amount` is a number k of bits by which the type can be shifted; else nullopt.
std::optional<std::int64_t> divisor_of_shift(Node amount, DType dtype);
/// 2^k, if `mask` is the number 2^k - 1; else nullopt.
std::optional<std::int64_t> divisor_of_mask(Node mask);

// --- What the version of TVM decides for the whole text ------------------------------------------

/// Up to v0.15 Select and if_then_else are printed alike, and if_then_else is always safe. Since
/// v0.16 if_then_else is printed as a statement.
enum class Ternary : std::uint8_t { if_then_else, select };

inline Ternary ternary_of(const VersionRange& version) {
  return all_have(version, TvmFeature::c_condval) ? Ternary::select : Ternary::if_then_else;
}

/// How the names of the development versions between v0.15 and v0.16 begin, which print a
/// conditional like v0.16 and a prologue like v0.15.
constexpr std::string_view kBetween15And16 = "0.16.dev0";

/// The same between v0.11 and v0.12: they include stdbool.h like v0.12 and test the status of
/// CMSIS-NN like v0.11.
constexpr std::string_view kBetween11And12 = "0.12.dev0";

}  // namespace mlf::tir::c
