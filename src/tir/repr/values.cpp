#include "tir/repr/values.h"

#include <fmt/core.h>

#include <algorithm>

#include "mlf/target.h"
#include "tir/repr/objects.h"
#include "tir/text/expr_factory.h"
#include "tir/text/literals.h"

namespace mlf::tir::repr {
namespace {

using text::Sign;
using text::TokenKind;

constexpr std::string_view kNull = "(nullptr)";
constexpr std::string_view kTargetWithoutKeys = "composite";
// Pools nested in pools, which no TVM has, would cost the square of their length.
constexpr std::size_t kLongestPool = 4096;

struct ObjectName {
  std::string_view printed;
  std::string_view type_key;
};
// Objects that the printer has words of its own for.
constexpr ObjectName kObjectNames[] = {
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

// Functions of expressions, which may begin a value too.
bool begins_expression(std::string_view word) {
  constexpr std::string_view kWords[] = {"range",    "iter_var", "buffer", "floordiv",
                                         "floormod", "min",      "max",    "select",
                                         "ramp",     "shuffle",  "reduce", "comm_reducer"};
  return word.starts_with("tir.") || word.starts_with('@') || parse_dtype(word) ||
         broadcast_lanes(word) || std::ranges::find(kWords, word) != std::end(kWords);
}

/// Where a target's command line ends: it holds blanks, and commas without a blank.
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

std::string_view without_trailing_blanks(std::string_view text) {
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

}  // namespace

/// A loop over what is open, in place of recursion: attributes nest as deep as a text wants.
NodeId ValueReader::read() {
  const std::size_t depth = open_.size();
  for (;;) {
    std::optional<NodeId> value;
    const std::uint32_t begin = lexer_.token().begin;
    if (opens('[')) {
      open({.close = ']', .begin = begin}, 1);
    } else if (opens('{')) {
      open({.close = '}', .begin = begin}, 1);
    } else if (const auto kind = object_that_opens()) {
      open({.close = ')', .begin = begin, .kind = *kind}, lexer_.rest().find('(') + 1);
    } else {
      value = one();
    }
    // A value may be the last one of what is open, and that again.
    while (open_.size() > depth) {
      if (value) open_.back().values.push_back(*value);
      value.reset();
      const Open& top = open_.back();
      if (lexer_.rest().starts_with(top.close)) {
        value = close();
        continue;
      }
      if (!top.values.empty()) separator();
      if (top.close == '}') key();
      if (top.close == ')') field();
      break;
    }
    if (open_.size() == depth && value) return *value;
  }
}

std::vector<NamedNode> ValueReader::entries() {
  const text::Token at = lexer_.token();
  const NodeId map = read();
  const Node node = context_.builder.node(map);
  if (map == NodeId::none || !node.is(Kind::StringMap)) {
    lexer_.fail(at, "expected a map of names to values");
  }
  std::vector<NamedNode> result;
  const NodeMap entries = node.map(f::StringMap::entries);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    result.push_back(
        {context_.builder.string(std::string(entries.name(i))), entries.value(i).id()});
  }
  return result;
}

// --- Lists and maps ----------------------------------------------------------------------------

bool ValueReader::opens(char bracket) const {
  if (!lexer_.rest().starts_with(bracket)) return false;
  return bracket != '{' || size_var_end(lexer_.rest(), 0) == 0;
}

/// The kind of an object whose fields are printed.
std::optional<Kind> ValueReader::object_that_opens() const {
  const std::string_view text = lexer_.rest();
  const std::string_view type = text.substr(0, word_end(text, 0));
  return text.substr(type.size()).starts_with('(') ? described_kind(type) : std::nullopt;
}

void ValueReader::open(Open container, std::size_t bytes) {
  context_.check_nesting(lexer_, open_.size(), "values");
  open_.push_back(std::move(container));
  lexer_.pass(bytes);
}

/// `"name": ` or `value: `; names are printed as they are.
void ValueReader::key() {
  Open& map = open_.back();
  const std::string_view text = lexer_.rest();
  const std::size_t quote = text.find("\": ", 1);
  if (text.starts_with('"') && quote != std::string_view::npos) {
    map.names.emplace_back(text.substr(1, quote - 1));
    map.keys.push_back(context_.make.string(map.names.back()));
    return lexer_.pass(quote + 2);
  }
  const NodeId node = one();
  open_.back().keys.push_back(node);
  lexer_.pass(Sign::colon, "behind a key");
}

/// `name=`, and all of a field that is raw text: that is printed on a line of its own.
void ValueReader::field() {
  for (Open& object = open_.back();;) {
    lexer_.skip_lines();
    const std::string_view text = lexer_.rest();
    const std::string_view name = text.substr(0, word_end(text, 0));
    if (name.empty() || !text.substr(name.size()).starts_with('=')) {
      lexer_.fail(
          fmt::format("expected a field of {}, found {}", info(object.kind).name, lexer_.found()));
    }
    object.names.emplace_back(name);
    lexer_.pass(name.size() + 1);
    if (!is_raw_text(object.kind, name)) return;
    const std::string_view value = lexer_.rest().substr(0, lexer_.rest().find(",\n"));
    object.values.push_back(context_.make.string(value));
    lexer_.pass(value.size());
    separator();
  }
}

void ValueReader::separator() {
  if (!lexer_.token().is(Sign::comma)) {
    lexer_.fail(fmt::format("expected ',' or '{}' behind a value, found {}", open_.back().close,
                            lexer_.found()));
  }
  lexer_.seek(lexer_.token().end);
}

NodeId ValueReader::close() {
  const NodeId node = finish(open_.back());
  open_.pop_back();
  lexer_.pass(1);
  // Some objects end with a line end of their own.
  lexer_.skip_lines();
  return node;
}

NodeId ValueReader::finish(const Open& container) {
  Builder& builder = context_.builder;
  if (container.close == ']') {
    return builder.make(Kind::Array, {builder.list(container.values)});
  }
  if (container.close == ')') return finish_object(container);
  const std::size_t size = container.values.size();
  if (container.names.size() == size) {
    std::vector<NamedNode> entries;
    for (std::size_t i = 0; i < size; ++i) {
      entries.push_back({builder.string(container.names[i]), container.values[i]});
    }
    return builder.make(Kind::StringMap, {builder.map(entries)});
  }
  std::vector<NodePair> entries;
  for (std::size_t i = 0; i < size; ++i) {
    entries.push_back({container.keys[i], container.values[i]});
  }
  return builder.make(Kind::ObjectMap, {builder.map(entries)});
}

/// A pool is printed again wherever it is used: the same text is the same pool.
NodeId ValueReader::finish_object(const Open& object) {
  const NodeId node = make_object(context_, lexer_, object.kind, object.names, object.values);
  const std::string_view text = context_.slice(object.begin, lexer_.token().end);
  const bool is_pool = std::ranges::find(object.names, "pool_name") != object.names.end();
  if (!is_pool || text.size() > kLongestPool) return node;
  return pools_.try_emplace(text, node).first->second;
}

// --- Single values -----------------------------------------------------------------------------

NodeId ValueReader::one() {
  if (lexer_.token().is(TokenKind::end)) {
    if (open_.empty()) lexer_.fail("expected a value, found the end of the text");
    const std::uint32_t at = open_.back().begin;
    support::fail_at(context_.source, at, "the bracket that starts here is never closed");
  }
  if (lexer_.rest().starts_with(kNull)) {
    lexer_.pass(kNull.size());
    return NodeId::none;
  }
  if (const auto found = printed_function()) return *found;
  if (const auto found = object()) return *found;
  if (const auto found = target()) return *found;
  return scalar();
}

NodeId ValueReader::scalar() {
  const Value value = exprs_.value(exprs_.parse());
  return exprs_.attr_value(value);
}

/// `c -keys=cpu`, or the name of a target's kind alone.
std::optional<NodeId> ValueReader::target() {
  if (!lexer_.token().is(TokenKind::name)) return std::nullopt;
  const std::string_view text =
      without_trailing_blanks(lexer_.rest().substr(0, target_end(lexer_.rest())));
  const std::string_view kind = text.substr(0, text.find(' '));
  const bool has_options = text.substr(kind.size()).starts_with(" -");
  const bool is_kind = default_device_type(kind) && kind.size() == text.size() &&
                       context_.names.find(kind) == NodeId::none;
  if (!has_options && !is_kind) return std::nullopt;
  if (is_kind && kind != kTargetWithoutKeys) return target_kind(kind);
  const auto parsed = parse_target(text);
  if (!parsed) {
    lexer_.fail(fmt::format("expected a target: {}", parsed.error().front().message));
  }
  context_.lose(LossCode::target_details, kind);
  context_.lose(LossCode::map_order, "targets");
  lexer_.pass(target_end(lexer_.rest()));
  return text::make_target(context_.make, *parsed);
}

/// The name of a kind alone: nearly every Target has keys.
NodeId ValueReader::target_kind(std::string_view kind) {
  Builder& builder = context_.builder;
  context_.lose(LossCode::target_details, kind);
  lexer_.pass(kind.size());
  return builder.make(Kind::TargetKind,
                      {builder.string(kind), kAbsentInteger, kAbsentInteger, ListId::none});
}

/// `Type(0x…)`, or a form that the printer has for one type.
std::optional<NodeId> ValueReader::object() {
  if (!lexer_.token().is(TokenKind::name)) return std::nullopt;
  const std::string_view text = lexer_.rest();
  const std::string_view type = text.substr(0, word_end(text, 0));
  if (!text.substr(type.size()).starts_with('(') || begins_expression(type)) return std::nullopt;
  std::size_t end = after_bracket(text, type.size());
  if (end == std::string_view::npos) {
    lexer_.fail(fmt::format("the '(' behind {} is never closed", type));
  }
  // A function goes on behind its parameters.
  if (type == "PrimFunc") {
    end = after_bracket(text, std::min(text.find("{\n", end), text.size() - 1));
    if (end == std::string_view::npos) {
      lexer_.fail("the body of a function is never closed");
    }
  }
  const std::string_view inside = text.substr(type.size() + 1, end - type.size() - 2);
  const NodeId node = type == "Op"          ? context_.make.op(inside)
                      : type == "GlobalVar" ? context_.make.global_var(inside)
                                            : missing(type, text.substr(0, end));
  lexer_.pass(end);
  lexer_.skip_lines();
  return node;
}

/// A Relay function, which goes on behind its parameters up to the next value.
std::optional<NodeId> ValueReader::printed_function() {
  const std::string_view text = lexer_.rest();
  if (!text.starts_with("fn (")) return std::nullopt;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const bool is_end = c == ']' || c == '}' || text.substr(i).starts_with(", \"");
    if (is_end) {
      lexer_.pass(i);
      return missing("fn", text.substr(0, i));
    }
    const bool opens = c == '(' || c == '[' || c == '{';
    const std::size_t past = opens ? after_bracket(text, i) : after_quoted(text, i);
    if (past == std::string_view::npos) break;
    i = std::max(past, i + 1);
  }
  lexer_.fail("the function that starts here does not end");
}

/// What the text has no more of than its type, and maybe its address.
NodeId ValueReader::missing(std::string_view printed_type, std::string_view printed) {
  const auto* const known = std::ranges::find(kObjectNames, printed_type, &ObjectName::printed);
  const std::string type(known == std::end(kObjectNames) ? printed_type : known->type_key);
  std::int64_t& count = missing_[type];
  const bool has_address = printed.substr(printed_type.size()).starts_with("(0x");
  if (!has_address) return context_.missing.mention(type, count++, type, context_.function());
  const auto [place, is_new] = addressed_.try_emplace(printed, count);
  if (is_new) ++count;
  return context_.missing.mention(type, place->second, printed, context_.function());
}

}  // namespace mlf::tir::repr
