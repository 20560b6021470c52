#include "tir/json/scalars.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "json/text.h"
#include "tir/json/format.h"
#include "tir/json/members.h"

namespace mlf::tir::tir_json {
namespace {

template <class Number>
std::optional<Number> parse(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::int64_t read_integer(json::Value value, IntegerForm form) {
  if (form == IntegerForm::number) return value.as_integer();
  if (!value.is_string()) value.fail("expected a 64-bit integer, which is written as a string");
  const auto integer = parse<std::int64_t>(value.text());
  if (!integer) value.fail("expected the decimal digits of a 64-bit integer");
  return *integer;
}

double read_special(json::Value value) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const std::string_view text = value.text();
  if (text == "inf") return kInfinity;
  if (text == "-inf") return -kInfinity;
  if (text == "nan") return kNan;
  if (text == "-nan") return -kNan;
  value.fail(R"(expected a number, "inf", "-inf", "nan" or "-nan")");
}

double read_real(json::Value value) {
  if (value.is_string()) return read_special(value);
  if (!value.is_number()) value.fail("expected a number");
  const auto real = parse<double>(value.source());
  if (!real) value.fail("this number is out of the range of a double");
  return *real;
}

std::int64_t read_enumeration(json::Value value, const FieldInfo& field) {
  const auto names = enum_names(field.expects);
  const auto found = std::ranges::find(names, value.as_string());
  if (found == names.end() || found->empty()) {
    value.fail(fmt::format("\"{}\" is no value of {}", value.text(), field.name));
  }
  return std::distance(names.begin(), found);
}

FieldValue read_integers(Builder& builder, json::Value value, Kind kind) {
  value.expect(json::Type::array);
  std::vector<std::int64_t> integers;
  integers.reserve(value.size());
  for (const json::Value element : value.elements()) {
    integers.push_back(read_integer(element, integer_form(kind)));
  }
  return builder.integers(integers);
}

}  // namespace

DType read_dtype(json::Value value) {
  const auto dtype = parse_dtype(value.as_string());
  if (!dtype) value.fail(fmt::format("\"{}\" is no dtype", value.text()));
  return *dtype;
}

StringId read_string(Builder& builder, json::Value value) {
  const std::string_view text = value.as_string();
  if (json::has_escaped_bytes(text)) return builder.string(json::to_bytes(text));
  return builder.string(text);
}

FieldValue undefined_value(const FieldInfo& field) {
  switch (field.type) {
    case FieldType::node:
      return NodeId::none;
    case FieldType::string:
      return StringId::none;
    case FieldType::integer:
      return kAbsentInteger;
    case FieldType::bytes:
      return BytesId::none;
    default:
      return ListId::none;
  }
}

FieldValue read_scalar(Builder& builder, json::Value value, Kind kind, const FieldInfo& field,
                       DType dtype) {
  if (value.is_null()) {
    if (!field.nullable) value.fail(fmt::format("{} cannot be null", field.name));
    return undefined_value(field);
  }
  switch (field.type) {
    case FieldType::string:
      return read_string(builder, value);
    case FieldType::integer:
      return read_integer(value, kind == Kind::IntImm ? integer_form(dtype) : integer_form(kind));
    case FieldType::real:
      return read_real(value);
    case FieldType::boolean:
      value.expect(json::Type::boolean);
      return value.boolean();
    case FieldType::dtype:
      return read_dtype(value);
    case FieldType::enumeration:
      return read_enumeration(value, field);
    default:
      return read_integers(builder, value, kind);
  }
}

}  // namespace mlf::tir::tir_json
