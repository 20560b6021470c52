// Functions of the legacy text: `primfn(…) -> type`, the sections of its header, and its body.
#include "tir/legacy/functions.h"

#include <fmt/core.h>

#include "tir/legacy/expressions.h"
#include "tir/legacy/statements.h"

namespace mlf::tir::legacy {
namespace {

/// What is printed in front of the body.
struct Header {
  std::vector<NodeId> params;
  NodeId ret_type = NodeId::none;
  NodeId attrs = NodeId::none;
  std::vector<NodePair> buffer_map;
  std::vector<NodePair> preflattened;
  bool has_preflattened = false;
};

/// The PrimFunc. What its lack of a preflattened_buffer_map says of the version is noted; settled
/// is it once the whole text was read.
NodeId make_function(Context& c, const Header& header, NodeId body) {
  Builder& builder = c.builder;
  const NodeId function = builder.make(
      Kind::PrimFunc, {builder.list(header.params), header.ret_type, builder.map(header.buffer_map),
                       header.has_preflattened ? builder.map(header.preflattened) : ListId::none,
                       header.attrs, body});
  if (header.has_preflattened) return function;
  c.without_preflattened.push_back(function);
  const Node attrs = builder.node(function)[f::PrimFunc::attrs];
  const bool is_lowered =
      c.is_flat && attrs && attrs.map(f::DictAttrs::dict).find("from_legacy_te_schedule");
  if (is_lowered && !header.buffer_map.empty()) c.note_no_preflattened_map();
  return function;
}

/// Buffers got their names before the parameters did, so that a parameter of A is mostly A_1. A
/// SizeVar is printed like any Var.
void read_params(Context& c, Header& header) {
  const SyntaxId call = c.exprs.parse();
  if (c.exprs.syntax(call).kind != SyntaxKind::call || c.exprs.head_of(call) != "primfn") {
    c.exprs.fail(call, "expected primfn(parameters)");
  }
  std::vector<SyntaxId> parts = c.exprs.children(call);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const NodeId param = as_var(c, lower(c, parts[i]));
    header.params.push_back(param);
    if (c.builder.node(param).dtype().is_int()) {
      c.lose(LossCode::size_var);
    }
  }
  c.exprs.clear();
}

/// `()`, `(int32,)` or `(int32, handle)`.
void read_tuple_type(Context& c, Header& header) {
  const std::string_view text = c.source.text;
  std::vector<NodeId> fields;
  c.lexer.seek(c.lexer.token().end);
  while (!c.lexer.token().is(Sign::close_paren)) {
    const auto scanned = scan_type(text, c.lexer.token().begin);
    if (!scanned) {
      c.lexer.fail(
          fmt::format("expected a type or ')' in a tuple of types, found {}", c.lexer.found()));
    }
    fields.push_back(
        read_type(c, text.substr(c.lexer.token().begin, scanned->end - c.lexer.token().begin)));
    c.lexer.seek(scanned->end);
    c.lexer.accept(Sign::comma);
  }
  c.lexer.seek(c.lexer.token().end);
  header.ret_type = c.make.tuple_type(fields);
}

/// `-> ()` is void. Types of pointers hold blanks, so that the lexer does not know where one ends.
void read_return_type(Context& c, Header& header) {
  if (!c.lexer.token().is(Sign::arrow)) {
    c.lexer.fail(
        fmt::format("expected '->' and a type behind the parameters, found {}", c.lexer.found()));
  }
  c.lexer.advance();
  if (c.lexer.token().is(Sign::open_paren)) return read_tuple_type(c, header);
  const std::string_view text = c.source.text;
  const auto scanned = scan_type(text, c.lexer.token().begin);
  if (!scanned) {
    c.lexer.fail(fmt::format("expected the type of the result, found {}", c.lexer.found()));
  }
  header.ret_type =
      read_type(c, text.substr(c.lexer.token().begin, scanned->end - c.lexer.token().begin));
  c.lexer.seek(scanned->end);
}

/// `{entry, …}`, over several lines.
template <class Entry>
void read_braces(Context& c, Entry&& entry) {
  const text::Token open = c.lexer.token();
  c.lexer.seek(open.end);
  for (c.lexer.skip_lines(); !c.lexer.token().is(Sign::close_brace); c.lexer.skip_lines()) {
    if (c.lexer.token().is(TokenKind::end))
      c.lexer.fail(open, "the '{' that starts here is never closed");
    entry();
    c.exprs.clear();
    c.lexer.skip_lines();
    if (!c.lexer.accept(Sign::comma) && !c.lexer.token().is(Sign::close_brace)) {
      c.lexer.fail(fmt::format("expected ',' or '}}' in the header of a function, found {}",
                               c.lexer.found()));
    }
  }
  c.lexer.seek(c.lexer.token().end);
}

/// The section is there wherever the function has attributes, be they none.
NodeId read_attributes(Context& c) {
  Builder& builder = c.builder;
  std::vector<NamedNode> entries;
  EntryNames names;
  read_braces(c, [&] {
    const text::Token at = c.lexer.token();
    if (!c.lexer.token().is(TokenKind::string)) {
      c.lexer.fail(fmt::format("expected the name of an attribute, found {}", c.lexer.found()));
    }
    const std::string key = decode_string(c.strings, c.lexer.text(c.lexer.token()));
    c.lexer.advance();
    if (!c.lexer.accept(Sign::colon)) {
      c.lexer.fail(fmt::format("expected ':' behind \"{}\", found {}", key, c.lexer.found()));
    }
    const NodeId value = as_attribute(c, lower(c, c.exprs.parse()));
    const StringId name = builder.string(key);
    if (!names.add(name)) c.lexer.fail(at, message_of_repeated(key));
    entries.push_back({name, value});
  });
  if (!entries.empty()) c.lose(LossCode::value_kind);
  return builder.make(Kind::DictAttrs, {builder.map(entries)});
}

/// Buffers are defined in `buffers = {…}` in front of this, or here where they are met first.
void read_buffer_map(Context& c, std::vector<NodePair>& into) {
  read_braces(c, [&] {
    const NodeId param = as_var(c, lower(c, c.exprs.parse()));
    if (!c.lexer.accept(Sign::colon)) {
      c.lexer.fail(
          fmt::format("expected ':' and a buffer behind a parameter, found {}", c.lexer.found()));
    }
    into.push_back({param, as_buffer(c, lower(c, c.exprs.parse()))});
  });
}

/// One section of the header; false where the body begins.
bool read_section(Context& c, Header& header) {
  if (!c.lexer.token().is(TokenKind::name)) return false;
  const std::string_view word = c.lexer.text(c.lexer.token());
  const bool is_known = word == "attr" || word == "buffers" || word == "buffer_map" ||
                        word == "preflattened_buffer_map";
  if (!is_known) return false;
  c.lexer.advance();
  c.lexer.expect(Sign::assign, fmt::format("behind {}", word));
  if (!c.lexer.token().is(Sign::open_brace)) {
    c.lexer.fail(fmt::format("expected '{{' behind {} =, found {}", word, c.lexer.found()));
  }
  if (word == "attr") {
    header.attrs = read_attributes(c);
  } else if (word == "buffers") {
    read_braces(c, [&] { static_cast<void>(as_buffer(c, lower(c, c.exprs.parse()))); });
  } else if (word == "buffer_map") {
    read_buffer_map(c, header.buffer_map);
  } else {
    header.has_preflattened = true;
    c.versions.observe(TvmFeature::preflattened_buffer_map);
    read_buffer_map(c, header.preflattened);
  }
  return true;
}

}  // namespace

/// The sections of the header are all optional, and in this order: attr, buffers, buffer_map,
/// preflattened_buffer_map.
NodeId read_primfn(Context& c) {
  const std::uint32_t begin = c.lexer.token().begin;
  c.is_flat = true;
  Header header;
  read_params(c, header);
  read_return_type(c, header);
  c.lexer.skip_lines();
  while (read_section(c, header)) c.lexer.skip_lines();
  if (!c.lexer.token().is(Sign::open_brace)) {
    c.lexer.fail(
        fmt::format("expected 'attr', 'buffers', 'buffer_map' or '{{', found {}", c.lexer.found()));
  }
  const NodeId function = make_function(c, header, read_body(c));
  c.builder.set_source_range(function, {begin, c.lexer.token().begin});
  return function;
}

/// What `str(statement)` prints: no function is around it.
NodeId read_lone_body(Context& c) {
  const std::uint32_t begin = c.lexer.token().begin;
  Header header;
  header.ret_type = c.make.void_type();
  const NodeId function = make_function(c, header, read_fragment(c));
  c.builder.set_source_range(function, {begin, c.lexer.token().begin});
  return function;
}

}  // namespace mlf::tir::legacy
