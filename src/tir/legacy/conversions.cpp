// Converts values to the nodes that a place in the legacy text expects, and makes nodes of names,
// literals, types and targets.
#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "support/characters.h"
#include "support/error.h"
#include "tir/legacy/context.h"
#include "tir/node_queries.h"
#include "tir/text/expr_factory.h"
#include "tir/text/lexer.h"

namespace mlf::tir::legacy {
namespace {

// Long enough to find the place, short enough for one line.
constexpr std::size_t kShown = 40;

/// Converts each element of a list. Fails at anything else, which is not `what`.
std::vector<NodeId> each(Context& c, const Value& list, std::string_view what,
                         NodeId (*as)(Context& c, const Value& element)) {
  if (list.kind != ValueKind::list) fail_expected(c, list, what);
  std::vector<NodeId> nodes;
  for (const Value& element : c.values.items(list)) nodes.push_back(as(c, element));
  return nodes;
}

/// Loads name producers by their hints, which need not be unique: DataProducer states both names.
NodeId load_producer(Context& c, const Value& element) {
  std::vector<NodeId> indices;
  for (const Value& index : c.values.items(element)) indices.push_back(as_expr(c, index));
  const DType dtype = c.node(element.node).dtype(f::Tensor::dtype);
  return c.builder.make(Kind::ProducerLoad, {dtype, element.node, c.builder.list(indices)});
}

/// The printer writes an undefined object as `(nullptr)`; the syntax tree does not contain the
/// parentheses.
NodeId as_scalar_attribute(Context& c, const Value& value) {
  switch (value.kind) {
    case ValueKind::node:
      return value.node;
    case ValueKind::name:
      return c.values.text(value) == "nullptr" ? NodeId::none : look_up(c, value);
    case ValueKind::string:
      return c.make.string(as_string(c, value));
    default:
      fail_expected(c, value, "a value");
  }
}

}  // namespace

// --- Syntax and values in messages -------------------------------------------------------------

std::string_view head_of(const Context& c, SyntaxId id) {
  const Syntax& node = c.values.syntax(id);
  if (node.kind != SyntaxKind::call && node.kind != SyntaxKind::subscript) return {};
  // The head is the first node of its subtree, unless it is more than a name.
  const bool is_name = c.values.is(node.first, SyntaxKind::name) &&
                       !c.values.is(node.first + 1, SyntaxKind::annotation);
  return is_name ? c.values.text(node.first) : std::string_view();
}

std::vector<SyntaxId> arguments_of(const Context& c, SyntaxId call, std::size_t count,
                                   std::string_view form) {
  std::vector<SyntaxId> parts = c.values.children(call);
  if (!c.values.is(call, SyntaxKind::call) || parts.size() != count + 1) {
    c.values.fail(call, fmt::format("expected {}", form));
  }
  parts.erase(parts.begin());
  return parts;
}

std::string shown(const Context& c, SyntaxId id) {
  const std::string_view text = c.values.text(id);
  return fmt::format("'{}{}'", text.substr(0, kShown), text.size() > kShown ? "…" : "");
}

void fail_expected(const Context& c, const Value& value, std::string_view what) {
  c.values.fail(value, fmt::format("expected {}, found {}", what, shown(c, value.syntax)));
}

// --- Values as nodes ---------------------------------------------------------------------------

/// Decides what a name means: a variable, a constant such as `inff32`, or a `meta[…][…]`.
NodeId as_expr(Context& c, const Value& value) {
  switch (value.kind) {
    case ValueKind::node: {
      const NodeId node = value.node;
      if (c.node(node).category() == Category::expr) return node;
      break;
    }
    case ValueKind::name: {
      const NodeId node = look_up(c, value);
      if (fits(c.node(node).kind(), Expects::expr)) return node;
      break;
    }
    case ValueKind::string:
      return c.make.string_imm(as_string(c, value));
    case ValueKind::access:
      if (value.node != NodeId::none && c.is(value.node, Kind::Tensor)) {
        return load_producer(c, value);
      }
      break;
    default:
      break;
  }
  fail_expected(c, value, "an expression");
}

NodeId as_expr(Context& c, SyntaxId root) {
  return as_expr(c, lower(c, root));
}

NodeId as_attribute(Context& c, const Value& value) {
  if (value.kind != ValueKind::list) return as_scalar_attribute(c, value);
  const auto nodes = each(c, value, "a list", as_scalar_attribute);
  return c.builder.make(Kind::Array, {c.builder.list(nodes)});
}

NodeId as_named(Context& c, const Value& value) {
  if (value.kind == ValueKind::node || value.kind == ValueKind::access) return value.node;
  if (value.kind == ValueKind::name) return look_up(c, value);
  fail_expected(c, value, "a buffer or a variable");
}

NodeId as_named(Context& c, const Value& value, Kind kind) {
  const NodeId node = as_named(c, value);
  if (node != NodeId::none && c.is(node, kind)) return node;
  fail_expected(c, value, kind == Kind::Buffer ? "a buffer" : "a variable");
}

/// v0.12 removed these, and no pass of v0.9 and later creates them. TVM does not print a predicate
/// that is constant true.
NodeId note_variable_access(Context& c, NodeId index) {
  c.versions.observe(TvmFeature::loads_and_stores);
  c.may_be_flattened = false;
  const NodeId always = c.make.boolean(1);
  const DType dtype = c.make.dtype_of(index);
  return dtype.is_scalar() ? always : c.make.broadcast(always, c.make.int32(dtype.lanes));
}

/// A point is a range of one element: regions print `i`, not `i:i + 1`.
NodeId as_range(Context& c, const Value& value) {
  if (c.is(value, Kind::Range)) return value.node;
  return c.make.range_at(as_expr(c, value));
}

std::vector<NodeId> as_exprs(Context& c, const Value& list) {
  return each(c, list, "a list", as_expr);
}

std::vector<NodeId> as_ranges(Context& c, const Value& list) {
  return each(c, list, "a list of ranges", as_range);
}

/// `dtype=)` is void: legacy text prints nothing for it.
DType as_dtype(Context& c, const Value& value) {
  if (value.kind == ValueKind::absent) return DType::Void();
  if (value.kind == ValueKind::name) {
    if (const auto parsed = parse_dtype(c.values.text(value))) return *parsed;
  }
  fail_expected(c, value, "a dtype");
}

/// v0.8 prints strings without escapes, so a text that looks like an escape may be plain
/// characters.
std::string as_string(Context& c, const Value& value) {
  if (value.kind != ValueKind::string) {
    fail_expected(c, value, "a string");
  }
  if (c.strings == Strings::raw) c.lose(LossCode::string_escape);
  return decode_string(c.strings, c.values.text(value.syntax));
}

std::int64_t as_integer(Context& c, const Value& value) {
  if (c.is(value, Kind::IntImm)) return c.node(value.node).integer(f::IntImm::value);
  fail_expected(c, value, "an integer");
}

/// Annotations; a map anywhere else is in the metadata section.
std::vector<NamedNode> read_entries(Context& c, SyntaxId dictionary) {
  if (!c.values.is(dictionary, SyntaxKind::dict)) {
    c.values.fail(dictionary,
                  fmt::format("expected {{\"key\": value, …}}, found {}", shown(c, dictionary)));
  }
  const std::vector<SyntaxId> parts = c.values.children(dictionary);
  std::vector<NamedNode> result;
  EntryNames names;
  for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
    const std::string key = as_string(c, lower(c, parts[i]));
    const StringId name = c.builder.string(key);
    if (!names.add(name)) c.values.fail(parts[i], message_of_repeated(key));
    result.push_back({name, as_attribute(c, lower(c, parts[i + 1]))});
  }
  return result;
}

/// Does not lower the subscript as a whole: if no index is a range, that would make a load.
NodeId read_region(Context& c, SyntaxId id) {
  if (!c.values.is(id, SyntaxKind::subscript)) {
    c.values.fail(id, fmt::format("expected a region of a buffer, found {}", shown(c, id)));
  }
  const std::vector<Value> parts = lower_subscript_parts(c, id);
  const NodeId source = as_buffer(c, parts[0]);
  std::vector<NodeId> bounds;
  for (std::size_t i = 1; i < parts.size(); ++i) bounds.push_back(as_range(c, parts[i]));
  return c.builder.make(Kind::BufferRegion, {source, c.builder.list(bounds)});
}

// --- Names and literals ------------------------------------------------------------------------

namespace {

constexpr std::string_view kDigits = "0123456789";

/// `f32` at the end of `0.1f32`; nullopt if no letter precedes the width.
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

/// Constants have the six digits of a C++ stream: the exact value is lost.
NodeId read_float(Context& c, SyntaxId id, DType dtype, std::string_view digits) {
  const auto value = text::parse_real(digits);
  if (!value) c.values.fail(id, fmt::format("expected a number, found {}", shown(c, id)));
  c.lose(LossCode::float_digits);
  return c.make.float_imm(dtype, *value);
}

/// The printer writes bfloat16 and 8-bit constants without the letter between value and width.
NodeId read_glued_number(Context& c, SyntaxId id, std::string_view text) {
  c.lose(LossCode::glued_constant, text);
  if (text.ends_with("16")) {
    return read_float(c, id, {TypeCode::BFloat, 16, 1}, text.substr(0, text.size() - 2));
  }
  if (text.ends_with("8")) {
    return read_float(c, id, {TypeCode::E4M3Float, 8, 1}, text.substr(0, text.size() - 1));
  }
  c.values.fail(id, fmt::format("expected the width of the constant at the end of {}", text));
}

/// The debug string of a Target. Every function repeats it, so each spelling is read once.
NodeId read_target(Context& c, SyntaxId id, std::string_view text) {
  const auto [found, is_new] = c.targets.try_emplace(text);
  if (!is_new) return found->second;
  const bool has_id = text.starts_with("Target(id=");
  if (has_id) {
    c.versions.observe(TvmFeature::target_with_id);
  } else {
    c.versions.observe_absence(TvmFeature::target_with_id);
  }
  // The relay printer of v0.12 and later prints integers through a stream of their own.
  const bool is_hexadecimal = has_id && c.versions.may_have(TvmFeature::target_in_hexadecimal);
  const auto parsed =
      parse_target(text, is_hexadecimal ? TargetIntegers::hexadecimal : TargetIntegers::decimal);
  if (!parsed) {
    const Diagnostic& error = parsed.error();
    support::throw_unless_invalid(error);
    const std::size_t column = error.where.column > 0 ? error.where.column - 1 : 0;
    support::fail_at(c.source, c.values.syntax(id).begin + column, error.message);
  }
  c.lose(LossCode::target_details);
  found->second = text::make_target(c.make, *parsed);
  return found->second;
}

/// `meta[relay.attrs.X][0]`: an object that the legacy printer cannot print.
NodeId find_object(Context& c, std::string_view reference) {
  const std::size_t key = reference.find('[') + 1;
  const std::size_t close = reference.find("][", key);
  const std::string_view digits = reference.substr(close + 2, reference.size() - close - 3);
  return c.metadata.find(reference.substr(key, close - key),
                         text::parse_integer(digits).value_or(-1), reference, c.function());
}

/// Reads the definition at `place` in the middle of another expression. Saves the syntax and values
/// of that expression and restores them.
void read_ahead(Context& c, std::size_t place) {
  text::Values values(c.source);
  std::vector<NodeId> operands;
  const text::Lexer here = c.lexer;
  c.values.swap(values);
  c.scratch.swap(operands);
  c.lexer = text::Lexer(c.source, grammar_of(c.strings).lexical);
  c.lexer.seek(place);
  c.is_reading_ahead = true;
  declare(c, c.parser.parse());
  c.is_reading_ahead = false;
  c.lexer = here;
  c.scratch.swap(operands);
  c.values.swap(values);
}

/// Reads a definition that is further down in the text. The reader meets it a second time in its
/// own place. In C++14, the standard of v0.8 and v0.9, the operands of `<<` are evaluated in any
/// order, so a use may be printed before its definition.
NodeId define_ahead(Context& c, std::string_view name, std::size_t place) {
  const std::size_t colon = place + name.size() + 1;
  const std::size_t type_end = annotation_end(c.source.text, colon);
  const std::string_view type = c.source.text.substr(colon, type_end - colon);
  if (type_end != colon && !type.ends_with("Buffer") && !type.ends_with("DataProducer")) {
    return define_var(c, name, read_type(c, type.substr(type.find_first_not_of(' '))));
  }
  if (c.is_reading_ahead) {
    support::fail_at(
        c.source, place,
        fmt::format("the definition of '{}' needs a buffer that is defined behind it", name),
        name.size());
  }
  read_ahead(c, place);
  const NodeId node = c.names.find(name);
  if (node == NodeId::none) {
    support::fail_at(c.source, place, fmt::format("expected a definition of '{}'", name),
                     name.size());
  }
  return node;
}

}  // namespace

/// The name may be the hint, or the hint with a number that the printer appended to make it
/// unique.
NodeId define_var(Context& c, std::string_view name, NodeId type) {
  // TVM appends `_1`, `_2`, … to a name that is taken.
  if (support::without_number(name) != name) c.lose(LossCode::name_hint);
  const NodeId node = c.make.var(name, type);
  c.names.bind(name, node);
  return node;
}

/// The order matters: the definition of a name takes precedence over any other meaning.
NodeId look_up(Context& c, const Value& value) {
  const std::string_view name = c.values.text(value);
  if (const NodeId known = c.names.find(name); known != NodeId::none) return known;
  if (const NodeId constant = named_constant(c, name); constant != NodeId::none) return constant;
  if (name.starts_with("meta[")) return find_object(c, name);
  if (name.starts_with("Target(")) return read_target(c, value.syntax, name);
  const std::size_t place = c.definitions.place_of(name);
  if (place == std::string_view::npos) {
    throw text::UndefinedName(ErrorKind::invalid_input,
                              fmt::format("'{}' is declared nowhere in the text", name),
                              c.source.locate(c.values.syntax(value.syntax).begin, name.size()));
  }
  return define_ahead(c, name, place);
}

NodeId read_type(Context& c, std::string_view type) {
  const auto [found, is_new] = c.types.try_emplace(type);
  if (!is_new) return found->second;
  const auto scanned = scan_type(type, 0);
  NodeId node = c.make.prim_type(scanned->element);
  for (auto scope = scanned->scopes.rbegin(); scope != scanned->scopes.rend(); ++scope) {
    node = c.make.pointer_type(node, *scope);
  }
  found->second = node;
  return node;
}

NodeId named_constant(Context& c, std::string_view name, std::string_view sign) {
  if (sign.empty()) {
    if (name == "True") return c.make.boolean(1);
    if (name == "False") return c.make.boolean(0);
    if (name == "?") return c.builder.make(Kind::Any, {DType::Int(32)});
  }
  if (!name.starts_with("inf") && !name.starts_with("nan")) return NodeId::none;
  const auto suffix = type_suffix(name);
  if (!suffix || suffix->begin != 3 || suffix->letter != 'f') return NodeId::none;
  const double magnitude = name.starts_with("inf") ? std::numeric_limits<double>::infinity()
                                                   : std::numeric_limits<double>::quiet_NaN();
  const double value = sign.empty() ? magnitude : std::copysign(magnitude, -1.0);
  return c.make.float_imm(DType::Float(suffix->bits), value);
}

/// `5`, `5i64`, `0.5f32`: TVM omits the suffix of an int32.
NodeId read_number(Context& c, SyntaxId id, bool is_negative) {
  const Syntax& token = c.values.syntax(id);
  // The sign directly precedes the digits.
  const bool has_sign = is_negative && c.source.text[token.begin - 1] == '-';
  const std::string_view text = c.slice(token.begin - (has_sign ? 1 : 0), token.end);
  if (is_negative && !has_sign) c.values.fail(id, "expected the sign right in front of the number");
  const auto suffix = type_suffix(text);
  if (!suffix) {
    if (token.kind == SyntaxKind::real) return read_glued_number(c, id, text);
    const auto value = text::parse_integer(text);
    if (!value) c.values.fail(id, fmt::format("{} does not fit into 64 bits", text));
    const NodeId made = c.make.int32(*value);
    c.note_place(made, token.begin, token.end);
    return made;
  }
  const std::string_view digits = text.substr(0, suffix->begin);
  if (suffix->letter == 'f') return read_float(c, id, DType::Float(suffix->bits), digits);
  const auto value = text::parse_integer(digits);
  if (!value) c.values.fail(id, fmt::format("expected an integer of 64 bits, found {}", text));
  const NodeId made = c.make.int_imm(
      suffix->letter == 'i' ? DType::Int(suffix->bits) : DType::UInt(suffix->bits), *value);
  c.note_place(made, token.begin,
               token.end - static_cast<std::uint32_t>(text.size() - suffix->begin));
  return made;
}

}  // namespace mlf::tir::legacy
