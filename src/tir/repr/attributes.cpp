// Values of attributes: lists, maps, targets and objects. A loop with a stack of open values
// replaces recursion.

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "mlf/target.h"
#include "tir/node_queries.h"
#include "tir/repr/expressions.h"
#include "tir/text/expr_factory.h"
#include "tir/text/lexer.h"

namespace mlf::tir::repr {

// --- Objects that the printer describes field by field: memory pools, and what is in them ------

namespace {

constexpr std::string_view kSuffix = "Node";

// The kinds that the printer writes with their fields; for most others it prints only an address.
constexpr Kind kDescribed[] = {
    Kind::AllocatedPoolInfo,   Kind::PoolInfo,
    Kind::WorkspacePoolInfo,   Kind::ConstantPoolInfo,
    Kind::PoolInfoProperties,  Kind::ConstantInfo,
    Kind::PoolAllocation,      Kind::WorkspaceMemoryPools,
    Kind::ConstantMemoryPools,
};

/// The value of a printed field; nullopt if the field cannot have that value.
std::optional<FieldValue> field_value(Builder& builder, const FieldInfo& field, NodeId value) {
  const Node node = builder.node(value);
  switch (field.type) {
    case FieldType::node:
      if (value != NodeId::none && !fits(node.kind(), field.expects)) return std::nullopt;
      return value;
    case FieldType::list:
      if (value == NodeId::none) return ListId::none;
      if (!node.is(Kind::Array)) return std::nullopt;
      return builder.list(ids_of(node.list(f::Array::elements)));
    case FieldType::string:
      if (!node.is(Kind::String)) return std::nullopt;
      return builder.string(std::string(node.text(f::String::value)));
    case FieldType::boolean:
      if (!node.is(Kind::IntImm)) return std::nullopt;
      return node.integer(f::IntImm::value) != 0;
    default:
      return std::nullopt;
  }
}

/// The kind of an object printed as `type(name=value, …)`; nullopt for any other type. The printer
/// writes the name of the C++ class, which ends with Node.
std::optional<Kind> described_kind(std::string_view type) {
  if (!type.ends_with(kSuffix)) return std::nullopt;
  type.remove_suffix(kSuffix.size());
  const auto* const found =
      std::ranges::find(kDescribed, type, [](Kind kind) { return info(kind).name; });
  return found == std::end(kDescribed) ? std::nullopt : std::optional(*found);
}

/// Whether the printer writes the field as raw text, without quotes. It may contain anything but a
/// comma at the end of its line.
bool is_raw_text(Kind kind, std::string_view field) {
  const auto fields = info(kind).fields;
  const auto found = std::ranges::find(fields, field, &FieldInfo::name);
  return found != fields.end() && found->type == FieldType::string;
}

/// Makes such an object from the printed fields. The other fields are lost, and so are printed
/// fields that later versions removed. Finds fields by name: the printer's order differs from that
/// of the row in nodes.def.
NodeId make_object(Context& c, Kind kind, std::span<const std::string> names,
                   std::span<const NodeId> values) {
  const KindInfo& row = info(kind);
  std::vector<FieldValue> fields;
  for (const FieldInfo& field : row.fields) {
    const auto printed = std::ranges::find(names, field.name);
    if (printed == names.end()) {
      c.lose(LossCode::attr_object, fmt::format("{}.{}", row.name, field.name));
      fields.push_back(undefined_value(field));
      continue;
    }
    const auto place = static_cast<std::size_t>(printed - names.begin());
    const auto value = field_value(c.builder, field, values[place]);
    if (!value) c.lexer.fail(fmt::format("{} of {} cannot have this value", field.name, row.name));
    fields.push_back(*value);
  }
  for (const std::string& name : names) {
    if (std::ranges::find(row.fields, name, &FieldInfo::name) != row.fields.end()) continue;
    c.lose(LossCode::attr_object, fmt::format("{}.{}", row.name, name));
  }
  return c.builder.make(kind, fields);
}

// --- Values ------------------------------------------------------------------------------------

constexpr std::string_view kNull = "(nullptr)";
constexpr std::string_view kTargetWithoutKeys = "composite";
// Pools nested in pools, which TVM does not create, would take time quadratic in their length.
constexpr std::size_t kLongestPool = 4096;

// Objects for which the printer has its own words.
constexpr text::Meaning<std::string_view> kObjectNames[] = {
    {"index_map", "tir.IndexMap"},
    {"T.index_map", "tir.IndexMap"},
    {"Layout", "tir.Layout"},
    {"PrimFunc", "tir.PrimFunc"},
    {"FunctionInfoNode", "relay.backend.FunctionInfo"},
    {"BufferInfoNode", "tir.usmp.BufferInfo"},
    {"BijectiveLayout", "tir.BijectiveLayout"},
    {"fn", "relay.Function"},
    {"TupleTypeNode", "TupleType"},
    {"IncompleteTypeNode", "IncompleteType"},
    {"RelayRefTypeNode", "relay.RefType"},
    {"compute", "ComputeOp"},
    {"placeholder", "PlaceholderOp"},
    {"extern", "ExternOp"},
    {"scan", "ScanOp"},
    {"hybrid", "HybridOp"},
};

// Whether the word is a function of expressions, which may also begin a value.
bool begins_expression(std::string_view word) {
  return word.starts_with("tir.") || word.starts_with('@') || parse_dtype(word) ||
         broadcast_lanes(word) || word == "iter_var" || is_printed_function(word);
}

/// The end of a target's command line, which contains blanks, and commas without a blank after
/// them.
std::size_t target_end(std::string_view text) {
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '\'') {
      quote = c;
    } else if (c == ']' || c == '}' || c == '\n' || c == ')' || text.substr(i, 2) == ", " ||
               text.substr(i, 2) == ": ") {
      return i;
    }
  }
  return text.size();
}

// A target may be the last item on its line.
std::string_view without_trailing_blanks(std::string_view text) {
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

// --- Single values -----------------------------------------------------------------------------

/// An object of which the text contains only the type, and possibly the address.
NodeId missing_object(Context& c, std::string_view printed_type, std::string_view printed) {
  const std::string_view* const type_key = text::meaning_of(kObjectNames, printed_type);
  const std::string type(type_key == nullptr ? printed_type : *type_key);
  std::int64_t& count = c.objects.missing[type];
  const bool has_address = printed.substr(printed_type.size()).starts_with("(0x");
  if (!has_address) return c.missing.mention(type, count++, type, c.function());
  const auto [place, is_new] = c.objects.addressed.try_emplace(printed, count);
  if (is_new) ++count;
  return c.missing.mention(type, place->second, printed, c.function());
}

/// Skips a Relay function, which continues after its parameters up to the next value.
std::optional<NodeId> skip_relay_function(Context& c) {
  const std::string_view text = c.lexer.rest();
  if (!text.starts_with("fn (")) return std::nullopt;
  for (std::size_t i = 0; i < text.size();) {
    const char next = text[i];
    const bool is_end = next == ']' || next == '}' || text.substr(i).starts_with(", \"");
    if (is_end) {
      c.lexer.pass(i);
      return missing_object(c, "fn", text.substr(0, i));
    }
    const bool opens = next == '(' || next == '[' || next == '{';
    const std::size_t past = opens ? after_bracket(text, i) : after_quoted(text, i);
    if (past == std::string_view::npos) break;
    i = std::max(past, i + 1);
  }
  c.lexer.fail("the function that starts here does not end");
}

/// `Type(0x…)`, or the printer's special form for one type.
std::optional<NodeId> read_object(Context& c) {
  if (!c.lexer.token().is(TokenKind::name)) return std::nullopt;
  const std::string_view text = c.lexer.rest();
  const std::string_view type = text.substr(0, word_end(text, 0));
  if (!text.substr(type.size()).starts_with('(') || begins_expression(type)) return std::nullopt;
  std::size_t end = after_bracket(text, type.size());
  if (end == std::string_view::npos) {
    c.lexer.fail(fmt::format("the '(' behind {} is never closed", type));
  }
  // A function continues after its parameters.
  if (type == "PrimFunc") {
    end = after_bracket(text, std::min(text.find("{\n", end), text.size() - 1));
    if (end == std::string_view::npos) {
      c.lexer.fail("the body of a function is never closed");
    }
  }
  const std::string_view inside = text.substr(type.size() + 1, end - type.size() - 2);
  const NodeId node = type == "Op"          ? c.make.op(inside)
                      : type == "GlobalVar" ? c.make.global_var(inside)
                                            : missing_object(c, type, text.substr(0, end));
  c.lexer.pass(end);
  c.lexer.skip_lines();
  return node;
}

/// Only the name of a kind: nearly every Target has keys.
NodeId make_target_kind(Context& c, std::string_view kind) {
  Builder& builder = c.builder;
  c.lose(LossCode::target_details);
  c.lexer.pass(kind.size());
  return builder.make(Kind::TargetKind,
                      {builder.string(kind), kAbsentInteger, kAbsentInteger, ListId::none});
}

/// `c -keys=cpu`, or only the name of a target's kind.
std::optional<NodeId> read_target(Context& c) {
  if (!c.lexer.token().is(TokenKind::name)) return std::nullopt;
  const std::string_view text =
      without_trailing_blanks(c.lexer.rest().substr(0, target_end(c.lexer.rest())));
  const std::string_view kind = text.substr(0, text.find(' '));
  const bool has_options = text.substr(kind.size()).starts_with(" -");
  const bool is_kind =
      default_device_type(kind) && kind.size() == text.size() && c.names.find(kind) == NodeId::none;
  if (!has_options && !is_kind) return std::nullopt;
  if (is_kind && kind != kTargetWithoutKeys) return make_target_kind(c, kind);
  const auto parsed = parse_target(text);
  if (!parsed) {
    c.lexer.fail(fmt::format("expected a target: {}", parsed.error().message));
  }
  c.lose(LossCode::target_details);
  c.lose(LossCode::map_order);
  c.lexer.pass(target_end(c.lexer.rest()));
  return text::make_target(c.make, *parsed);
}

/// Numbers, strings and variables are expressions, as they are anywhere else.
NodeId read_scalar(Context& c) {
  const ParsedValue value = lower(c, c.exprs.parse());
  return as_attribute(c, value);
}

/// The order matters: `c -keys=cpu` begins like the variable `c`, `PrimFunc(…)` like a call.
NodeId read_single(Context& c) {
  if (c.lexer.token().is(TokenKind::end)) {
    if (c.open_attributes.empty()) c.lexer.fail("expected a value, found the end of the text");
    const std::uint32_t at = c.open_attributes.back().begin;
    support::fail_at(c.source, at, "the bracket that starts here is never closed");
  }
  if (c.lexer.rest().starts_with(kNull)) {
    c.lexer.pass(kNull.size());
    return NodeId::none;
  }
  if (const auto found = skip_relay_function(c)) return *found;
  if (const auto found = read_object(c)) return *found;
  if (const auto found = read_target(c)) return *found;
  return read_scalar(c);
}

// --- Lists, maps and objects -------------------------------------------------------------------

/// A comma and a blank separate the values of lists, maps and objects.
void expect_separator(Context& c) {
  if (!c.lexer.token().is(Sign::comma)) {
    c.lexer.fail_expected(
        fmt::format("',' or '{}' behind a value", c.open_attributes.back().close));
  }
  c.lexer.seek(c.lexer.token().end);
}

/// The printer repeats a pool at each use: equal text means the same pool.
NodeId finish_object(Context& c, const OpenAttribute& object) {
  const NodeId node = make_object(c, object.kind, object.names, object.values);
  const std::string_view text = c.slice(object.begin, c.lexer.token().end);
  const bool is_pool = std::ranges::find(object.names, "pool_name") != object.names.end();
  if (!is_pool || text.size() > kLongestPool) return node;
  return c.objects.pools.try_emplace(text, node).first->second;
}

/// A map whose keys are all names is a StringMap; any other key makes it an ObjectMap.
NodeId finish_value(Context& c, const OpenAttribute& container) {
  Builder& builder = c.builder;
  if (container.close == ']') {
    return builder.make(Kind::Array, {builder.list(container.values)});
  }
  if (container.close == ')') return finish_object(c, container);
  const std::size_t size = container.values.size();
  if (container.names.size() == size) {
    std::vector<NamedNode> entries;
    EntryNames names;
    for (std::size_t i = 0; i < size; ++i) {
      const StringId name = builder.string(container.names[i]);
      if (!names.add(name)) {
        c.lexer.fail(text::Token{.begin = container.begin, .end = container.begin + 1},
                     message_of_repeated(container.names[i]));
      }
      entries.push_back({name, container.values[i]});
    }
    return builder.make(Kind::StringMap, {builder.map(entries)});
  }
  std::vector<NodePair> entries;
  for (std::size_t i = 0; i < size; ++i) {
    entries.push_back({container.keys[i], container.values[i]});
  }
  return builder.make(Kind::ObjectMap, {builder.map(entries)});
}

/// Closes the innermost container, which may be the last value of the next one.
NodeId close_value(Context& c) {
  const NodeId node = finish_value(c, c.open_attributes.back());
  c.open_attributes.pop_back();
  c.lexer.pass(1);
  // Some objects end with a line end.
  c.lexer.skip_lines();
  return node;
}

/// A brace may also begin a SizeVar, `{n|n>=0}`.
bool opens(Context& c, char bracket) {
  if (!c.lexer.rest().starts_with(bracket)) return false;
  return bracket != '{' || size_var_end(c.lexer.rest(), 0) == 0;
}

/// The kind of an object whose fields are printed.
std::optional<Kind> object_that_opens(Context& c) {
  const std::string_view text = c.lexer.rest();
  const std::string_view type = text.substr(0, word_end(text, 0));
  return text.substr(type.size()).starts_with('(') ? described_kind(type) : std::nullopt;
}

/// Checks the depth: attributes of a hostile text may nest to any depth.
void open_value(Context& c, OpenAttribute container, std::size_t bytes) {
  c.check_nesting(c.lexer, c.open_attributes.size(), "values");
  c.open_attributes.push_back(std::move(container));
  c.lexer.pass(bytes);
}

/// `"name": ` or `value: `; the printer does not escape names.
void read_key(Context& c) {
  OpenAttribute& map = c.open_attributes.back();
  const std::string_view text = c.lexer.rest();
  const std::size_t quote = text::ahead_of(0, text).find("\": ", 1);
  if (text.starts_with('"') && quote != std::string_view::npos) {
    map.names.emplace_back(text.substr(1, quote - 1));
    map.keys.push_back(c.make.string(map.names.back()));
    return c.lexer.pass(quote + 2);
  }
  const NodeId node = read_single(c);
  c.open_attributes.back().keys.push_back(node);
  c.lexer.pass(Sign::colon, "behind a key");
}

/// `name=`, and the whole of a raw text field, which is printed on its own line.
void read_field(Context& c) {
  for (OpenAttribute& object = c.open_attributes.back();;) {
    c.lexer.skip_lines();
    const std::string_view text = c.lexer.rest();
    const std::string_view name = text.substr(0, word_end(text, 0));
    if (name.empty() || !text.substr(name.size()).starts_with('=')) {
      c.lexer.fail_expected(fmt::format("a field of {}", info(object.kind).name));
    }
    object.names.emplace_back(name);
    c.lexer.pass(name.size() + 1);
    if (!is_raw_text(object.kind, name)) return;
    const std::string_view value = c.lexer.rest().substr(0, c.lexer.rest().find(",\n"));
    object.values.push_back(c.make.string(value));
    c.lexer.pass(value.size());
    expect_separator(c);
  }
}

}  // namespace

/// A loop over the open values, in place of recursion: attributes may nest to any depth.
NodeId read_attribute(Context& c) {
  const std::size_t depth = c.open_attributes.size();
  for (;;) {
    std::optional<NodeId> value;
    const std::uint32_t begin = c.lexer.token().begin;
    if (opens(c, '[')) {
      open_value(c, {.close = ']', .begin = begin}, 1);
    } else if (opens(c, '{')) {
      open_value(c, {.close = '}', .begin = begin}, 1);
    } else if (const auto kind = object_that_opens(c)) {
      open_value(c, {.close = ')', .begin = begin, .kind = *kind}, c.lexer.rest().find('(') + 1);
    } else {
      value = read_single(c);
    }
    // A value may be the last one of an open value, which may in turn be the last one of the next.
    while (c.open_attributes.size() > depth) {
      if (value) c.open_attributes.back().values.push_back(*value);
      value.reset();
      const OpenAttribute& top = c.open_attributes.back();
      if (c.lexer.rest().starts_with(top.close)) {
        value = close_value(c);
        continue;
      }
      if (!top.values.empty()) expect_separator(c);
      if (top.close == '}') read_key(c);
      if (top.close == ')') read_field(c);
      break;
    }
    if (c.open_attributes.size() == depth && value) return *value;
  }
}

/// The dictionary of a function or of the annotations of a block.
std::vector<NamedNode> read_attribute_map(Context& c) {
  const text::Token at = c.lexer.token();
  const NodeId map = read_attribute(c);
  const Node node = c.builder.node(map);
  if (map == NodeId::none || !node.is(Kind::StringMap)) {
    c.lexer.fail(at, "expected a map of names to values");
  }
  std::vector<NamedNode> result;
  const NodeMap entries = node.map(f::StringMap::entries);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    result.push_back({c.builder.string(std::string(entries.name(i))), entries.value(i).id()});
  }
  return result;
}

}  // namespace mlf::tir::repr
