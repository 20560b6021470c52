// Names, literals and values of the legacy text as nodes.
#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "tir/legacy/expressions.h"
#include "tir/text/expr_factory.h"
#include "tir/text/literals.h"
#include "tir/tvm_features.h"

namespace mlf::tir::legacy {
namespace {

using text::SyntaxId;
using text::SyntaxKind;

constexpr std::string_view kDigits = "0123456789";

/// TVM appends `_1`, `_2`, … to a name that is taken.
bool is_numbered(std::string_view name) {
  const std::size_t last = name.find_last_not_of(kDigits);
  return last != std::string_view::npos && last > 0 && last + 1 < name.size() && name[last] == '_';
}

/// `f32` at the end of `0.1f32`; nothing where there is no letter in front of the width.
struct Suffix {
  std::size_t begin;
  char letter;
  std::uint8_t bits;
};

std::optional<Suffix> type_suffix(std::string_view number) {
  const std::size_t letter = number.find_last_not_of(kDigits);
  if (letter == std::string_view::npos || letter + 1 == number.size()) return std::nullopt;
  if (std::string_view("iuf").find(number[letter]) == std::string_view::npos) return std::nullopt;
  std::uint8_t bits = 0;
  const char* const end = number.data() + number.size();
  const auto parsed = std::from_chars(number.data() + letter + 1, end, bits);
  if (parsed.ec != std::errc() || bits == 0) return std::nullopt;
  return Suffix{letter, number[letter], bits};
}

}  // namespace

// --- Names -------------------------------------------------------------------------------------

NodeId ExprReader::define_var(std::string_view name, NodeId type) {
  if (is_numbered(name)) context_.lose(LossCode::name_hint, "numbered variable");
  const NodeId node = make_.var(name, type);
  context_.names.define(name, node);
  return node;
}

/// The node of a name, or of what the grammar takes for one: `meta[…][…]`, `Target(…)`, `inff32`.
NodeId ExprReader::look_up(const Value& value) {
  const std::string_view name = name_of(value);
  if (const NodeId known = context_.names.find(name); known != NodeId::none) return known;
  if (const NodeId constant = literal(name); constant != NodeId::none) return constant;
  if (name.starts_with("meta[")) return context_.metadata.find(name, context_.function());
  if (name.starts_with("Target(")) return target(value.syntax, name);
  const std::size_t place = context_.names.place_of_definition(name);
  if (place == std::string_view::npos) {
    fail(value.syntax, fmt::format("'{}' is declared nowhere in the text", name));
  }
  return define_ahead(name, place);
}

/// The definition is further down in the text: it is read now, and once more when it is met. v0.8
/// and v0.9 were built as C++14, where the operands of `<<` are evaluated in any order, so that a
/// use may be printed before its definition.
NodeId ExprReader::define_ahead(std::string_view name, std::size_t place) {
  const std::size_t colon = place + name.size() + 1;
  const std::size_t type_end = annotation_end(context_.source.text, colon);
  const std::string_view type = context_.source.text.substr(colon, type_end - colon);
  if (type_end != colon && !type.ends_with("Buffer") && !type.ends_with("DataProducer")) {
    return define_var(name, context_.types.read(type.substr(type.find_first_not_of(' '))));
  }
  if (is_defining_ahead_) {
    support::fail_at(
        context_.source, place,
        fmt::format("the definition of '{}' needs a buffer that stands behind it", name),
        name.size());
  }
  text::Lexer lexer(context_.source, grammar_of(context_.strings).lexical);
  lexer.seek(place);
  ExprReader reader(context_, lexer);
  reader.is_defining_ahead_ = true;
  reader.declare(reader.parse());
  const NodeId node = context_.names.find(name);
  if (node == NodeId::none) {
    support::fail_at(context_.source, place, fmt::format("expected a definition of '{}'", name),
                     name.size());
  }
  return node;
}

/// `True`, `False`, `?`, `inff32`, `nanf32`; none for any other name.
NodeId ExprReader::literal(std::string_view name, std::string_view sign) {
  if (sign.empty()) {
    if (name == "True") return make_.boolean(1);
    if (name == "False") return make_.boolean(0);
    if (name == "?") return context_.builder.make(Kind::Any, {DType::Int(32)});
  }
  if (!name.starts_with("inf") && !name.starts_with("nan")) return NodeId::none;
  const auto suffix = type_suffix(name);
  if (!suffix || suffix->begin != 3 || suffix->letter != 'f') return NodeId::none;
  const double magnitude = name.starts_with("inf") ? std::numeric_limits<double>::infinity()
                                                   : std::numeric_limits<double>::quiet_NaN();
  const double value = sign.empty() ? magnitude : std::copysign(magnitude, -1.0);
  return make_.float_imm(DType::Float(suffix->bits), value);
}

/// The debug string of a Target, read once for each spelling: every function repeats it.
NodeId ExprReader::target(SyntaxId id, std::string_view text) {
  const auto [found, is_new] = targets_.try_emplace(text);
  if (!is_new) return found->second;
  const bool has_id = text.starts_with("Target(id=");
  if (has_id) {
    context_.versions.observe(TvmFeature::target_with_id);
  } else {
    context_.versions.observe_absence(TvmFeature::target_with_id);
  }
  // The relay printer of v0.12 and later prints integers through a stream of their own.
  const bool is_hexadecimal =
      has_id && context_.versions.may_have(TvmFeature::target_in_hexadecimal);
  const auto parsed =
      parse_target(text, is_hexadecimal ? TargetIntegers::hexadecimal : TargetIntegers::decimal);
  if (!parsed) {
    const Diagnostic& error = parsed.error().front();
    const std::size_t column = error.where.column > 0 ? error.where.column - 1 : 0;
    support::fail_at(context_.source, tree()[id].begin + column, error.message);
  }
  context_.lose(LossCode::target_details, "features");
  found->second = make_target(make_, *parsed);
  return found->second;
}

// --- Numbers -----------------------------------------------------------------------------------

/// `5`, `5i64`, `0.5f32`: TVM leaves the suffix of an int32 away.
NodeId ExprReader::number(SyntaxId id, bool is_negative) {
  const text::Syntax& token = tree()[id];
  // The sign is right in front of the digits.
  const bool has_sign = is_negative && context_.source.text[token.begin - 1] == '-';
  const std::string_view text = context_.slice(token.begin - (has_sign ? 1 : 0), token.end);
  if (is_negative && !has_sign) fail(id, "expected the sign right in front of the number");
  const auto suffix = type_suffix(text);
  if (!suffix) {
    if (token.kind == SyntaxKind::real) return glued_number(id, text);
    const auto value = text::parse_integer(text);
    if (!value) fail(id, fmt::format("{} does not fit into 64 bits", text));
    return make_.int32(*value);
  }
  const std::string_view digits = text.substr(0, suffix->begin);
  if (suffix->letter == 'f') return float_imm(id, DType::Float(suffix->bits), digits);
  const auto value = text::parse_integer(digits);
  if (!value) fail(id, fmt::format("expected an integer of 64 bits, found {}", text));
  return make_.int_imm(suffix->letter == 'i' ? DType::Int(suffix->bits) : DType::UInt(suffix->bits),
                       *value);
}

/// bfloat16 and 8-bit constants are printed without the letter between value and width.
NodeId ExprReader::glued_number(SyntaxId id, std::string_view text) {
  context_.lose(LossCode::glued_constant, text);
  if (text.ends_with("16")) {
    return float_imm(id, {TypeCode::BFloat, 16, 1}, text.substr(0, text.size() - 2));
  }
  if (text.ends_with("8")) {
    return float_imm(id, {TypeCode::E4M3Float, 8, 1}, text.substr(0, text.size() - 1));
  }
  fail(id, fmt::format("expected the width of the constant at the end of {}", text));
}

NodeId ExprReader::float_imm(SyntaxId id, DType dtype, std::string_view digits) {
  const auto value = text::parse_real(digits);
  if (!value) fail(id, fmt::format("expected a number, found {}", shown(id)));
  context_.lose(LossCode::float_digits, to_string(dtype));
  return make_.float_imm(dtype, *value);
}

// --- Values as what is asked for ---------------------------------------------------------------

NodeId ExprReader::expr(const Value& value) {
  switch (value.form) {
    case Value::Form::node: {
      const NodeId node = value.node;
      if (context_.builder.node(node).category() == Category::expr) return node;
      break;
    }
    case Value::Form::name: {
      const NodeId node = look_up(value);
      const Category category = context_.builder.node(node).category();
      if (category == Category::expr || category == Category::object) return node;
      break;
    }
    case Value::Form::string:
      return make_.string_imm(string(value));
    case Value::Form::element:
      if (value.node != NodeId::none && context_.builder.node(value.node).is(Kind::Tensor)) {
        return producer_load(value);
      }
      break;
    default:
      break;
  }
  fail_expected(value, "an expression");
}

NodeId ExprReader::producer_load(const Value& element) {
  std::vector<NodeId> indices;
  for (const Value& index : elements(element)) indices.push_back(expr(index));
  const DType dtype = context_.builder.node(element.node).dtype(f::Tensor::dtype);
  return context_.builder.make(Kind::ProducerLoad,
                               {dtype, element.node, context_.builder.list(indices)});
}

NodeId ExprReader::attr_value(const Value& value) {
  if (value.form != Value::Form::list) return attr_scalar(value);
  std::vector<NodeId> nodes;
  for (const Value& element : elements(value)) nodes.push_back(attr_scalar(element));
  return context_.builder.make(Kind::Array, {context_.builder.list(nodes)});
}

NodeId ExprReader::attr_scalar(const Value& value) {
  switch (value.form) {
    case Value::Form::node:
      return value.node;
    case Value::Form::name:
      return name_of(value) == "nullptr" ? NodeId::none : look_up(value);
    case Value::Form::string:
      return make_.string(string(value));
    default:
      fail_expected(value, "a value");
  }
}

NodeId ExprReader::named(const Value& value) {
  if (value.form == Value::Form::node || value.form == Value::Form::element) return value.node;
  if (value.form == Value::Form::name) return look_up(value);
  fail_expected(value, "a buffer or a variable");
}

NodeId ExprReader::buffer(const Value& value) {
  const NodeId node = named(value);
  if (node != NodeId::none && context_.builder.node(node).is(Kind::Buffer)) return node;
  fail_expected(value, "a buffer");
}

NodeId ExprReader::var(const Value& value) {
  const NodeId node = named(value);
  if (node != NodeId::none && context_.builder.node(node).is(Kind::Var)) return node;
  fail_expected(value, "a variable");
}

NodeId ExprReader::range(const Value& value) {
  if (value.form == Value::Form::node && context_.builder.node(value.node).is(Kind::Range)) {
    return value.node;
  }
  const NodeId point = expr(value);
  const NodeId one = make_.int_imm(make_.dtype_of(point), 1);
  return context_.builder.make(Kind::Range, {point, one});
}

std::vector<NodeId> ExprReader::exprs(const Value& list) {
  if (list.form != Value::Form::list) {
    fail_expected(list, "a list");
  }
  std::vector<NodeId> nodes;
  for (const Value& element : elements(list)) nodes.push_back(expr(element));
  return nodes;
}

std::vector<NodeId> ExprReader::ranges(const Value& list) {
  if (list.form != Value::Form::list) {
    fail_expected(list, "a list of ranges");
  }
  std::vector<NodeId> nodes;
  for (const Value& element : elements(list)) nodes.push_back(range(element));
  return nodes;
}

DType ExprReader::dtype(const Value& value) {
  if (value.form == Value::Form::absent) return DType::Void();
  if (value.form == Value::Form::name) {
    if (const auto parsed = parse_dtype(name_of(value))) return *parsed;
  }
  fail_expected(value, "a dtype");
}

std::string ExprReader::string(const Value& value) const {
  if (value.form != Value::Form::string) {
    fail_expected(value, "a string");
  }
  if (context_.strings == Strings::raw) context_.lose(LossCode::string_escape, "strings");
  return decode_string(context_.strings, text_of(value.syntax));
}

std::int64_t ExprReader::integer(const Value& value) {
  if (value.form == Value::Form::node && context_.builder.node(value.node).is(Kind::IntImm)) {
    return context_.builder.node(value.node).integer(f::IntImm::value);
  }
  fail_expected(value, "an integer");
}

std::vector<NamedNode> ExprReader::entries(SyntaxId dictionary) {
  if (tree()[dictionary].kind != SyntaxKind::dict) {
    fail(dictionary, fmt::format("expected {{\"key\": value, …}}, found {}", shown(dictionary)));
  }
  const std::vector<SyntaxId> parts = children(dictionary);
  std::vector<NamedNode> result;
  for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
    const std::string key = string(value(parts[i]));
    result.push_back({context_.builder.string(key), attr_value(value(parts[i + 1]))});
  }
  return result;
}

/// A BufferRegion from a subscript, which may look like a load: `A[i, j]`.
NodeId ExprReader::region(SyntaxId id) {
  if (tree()[id].kind != SyntaxKind::subscript) {
    fail(id, fmt::format("expected a region of a buffer, found {}", shown(id)));
  }
  const std::vector<Value> parts = subscript_parts(id);
  const NodeId source = buffer(parts[0]);
  std::vector<NodeId> bounds;
  for (std::size_t i = 1; i < parts.size(); ++i) bounds.push_back(range(parts[i]));
  return context_.builder.make(Kind::BufferRegion, {source, context_.builder.list(bounds)});
}

}  // namespace mlf::tir::legacy
