#include "tir/legacy/functions.h"

#include <fmt/core.h>

#include "tir/tvm_features.h"

namespace mlf::tir::legacy {

using text::Sign;
using text::SyntaxId;
using text::SyntaxKind;
using text::TokenKind;

NodeId FunctionReader::primfn() {
  const std::uint32_t begin = token().begin;
  context_.is_flat = true;
  Header header;
  params(header);
  return_type(header);
  lexer_.skip_lines();
  while (section(header)) lexer_.skip_lines();
  if (!token().is(Sign::open_brace)) {
    lexer_.fail(
        fmt::format("expected 'attr', 'buffers', 'buffer_map' or '{{', found {}", lexer_.found()));
  }
  const NodeId function = make(header, statements_.body());
  context_.builder.set_source_range(function, {begin, token().begin});
  return function;
}

NodeId FunctionReader::fragment() {
  const std::uint32_t begin = token().begin;
  Header header;
  header.ret_type = context_.make.void_type();
  const NodeId function = make(header, statements_.fragment());
  context_.builder.set_source_range(function, {begin, token().begin});
  return function;
}

/// The PrimFunc. What its lack of a preflattened_buffer_map says of the version is noted; settled
/// is it once the whole text was read.
NodeId FunctionReader::make(const Header& header, NodeId body) {
  Builder& builder = context_.builder;
  const NodeId function = builder.make(
      Kind::PrimFunc, {builder.list(header.params), header.ret_type, builder.map(header.buffer_map),
                       header.has_preflattened ? builder.map(header.preflattened) : ListId::none,
                       header.attrs, body});
  if (header.has_preflattened) return function;
  context_.without_preflattened.push_back(function);
  const Node attrs = builder.node(function)[f::PrimFunc::attrs];
  const bool is_lowered =
      context_.is_flat && attrs && attrs.map(f::DictAttrs::dict).find("from_legacy_te_schedule");
  if (is_lowered && !header.buffer_map.empty()) context_.note_no_preflattened_map();
  return function;
}

void FunctionReader::params(Header& header) {
  const SyntaxId call = exprs_.parse();
  if (exprs_.syntax(call).kind != SyntaxKind::call || exprs_.head_of(call) != "primfn") {
    exprs_.fail(call, "expected primfn(parameters)");
  }
  std::vector<SyntaxId> parts = exprs_.children(call);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const NodeId param = exprs_.var(exprs_.value(parts[i]));
    header.params.push_back(param);
    if (context_.builder.node(param).dtype().is_int()) {
      context_.lose(LossCode::size_var, exprs_.text_of(parts[i]));
    }
  }
  exprs_.clear();
}

void FunctionReader::return_type(Header& header) {
  if (!token().is(Sign::arrow)) {
    lexer_.fail(
        fmt::format("expected '->' and a type behind the parameters, found {}", lexer_.found()));
  }
  lexer_.advance();
  if (token().is(Sign::open_paren)) return tuple_type(header);
  const std::string_view text = context_.source.text;
  const auto scanned = scan_type(text, token().begin);
  if (!scanned) {
    lexer_.fail(fmt::format("expected the type of the result, found {}", lexer_.found()));
  }
  header.ret_type = context_.types.read(text.substr(token().begin, scanned->end - token().begin));
  lexer_.seek(scanned->end);
}

/// `()`, `(int32,)` or `(int32, handle)`.
void FunctionReader::tuple_type(Header& header) {
  const std::string_view text = context_.source.text;
  std::vector<NodeId> fields;
  lexer_.seek(token().end);
  while (!token().is(Sign::close_paren)) {
    const auto scanned = scan_type(text, token().begin);
    if (!scanned) {
      lexer_.fail(
          fmt::format("expected a type or ')' in a tuple of types, found {}", lexer_.found()));
    }
    fields.push_back(context_.types.read(text.substr(token().begin, scanned->end - token().begin)));
    lexer_.seek(scanned->end);
    lexer_.accept(Sign::comma);
  }
  lexer_.seek(token().end);
  header.ret_type = context_.make.tuple_type(fields);
}

/// One section of the header; false where the body begins.
bool FunctionReader::section(Header& header) {
  if (!token().is(TokenKind::name)) return false;
  const std::string_view word = lexer_.text(token());
  const bool is_known = word == "attr" || word == "buffers" || word == "buffer_map" ||
                        word == "preflattened_buffer_map";
  if (!is_known) return false;
  lexer_.advance();
  lexer_.expect(Sign::assign, fmt::format("behind {}", word));
  if (!token().is(Sign::open_brace)) {
    lexer_.fail(fmt::format("expected '{{' behind {} =, found {}", word, lexer_.found()));
  }
  if (word == "attr") {
    header.attrs = attributes();
  } else if (word == "buffers") {
    braces([&] { static_cast<void>(exprs_.buffer(exprs_.value(exprs_.parse()))); });
  } else if (word == "buffer_map") {
    buffer_map(header.buffer_map);
  } else {
    header.has_preflattened = true;
    context_.versions.observe(TvmFeature::preflattened_buffer_map);
    buffer_map(header.preflattened);
  }
  return true;
}

/// `{entry, …}`, over several lines.
template <class Entry>
void FunctionReader::braces(Entry&& entry) {
  const text::Token open = token();
  lexer_.seek(open.end);
  for (lexer_.skip_lines(); !token().is(Sign::close_brace); lexer_.skip_lines()) {
    if (token().is(TokenKind::end)) lexer_.fail(open, "the '{' that starts here is never closed");
    entry();
    exprs_.clear();
    lexer_.skip_lines();
    if (!lexer_.accept(Sign::comma) && !token().is(Sign::close_brace)) {
      lexer_.fail(fmt::format("expected ',' or '}}' in the header of a function, found {}",
                              lexer_.found()));
    }
  }
  lexer_.seek(token().end);
}

NodeId FunctionReader::attributes() {
  Builder& builder = context_.builder;
  std::vector<NamedNode> entries;
  braces([&] {
    if (!token().is(TokenKind::string)) {
      lexer_.fail(fmt::format("expected the name of an attribute, found {}", lexer_.found()));
    }
    const std::string key = decode_string(context_.strings, lexer_.text(token()));
    lexer_.advance();
    if (!lexer_.accept(Sign::colon)) {
      lexer_.fail(fmt::format("expected ':' behind \"{}\", found {}", key, lexer_.found()));
    }
    const NodeId value = exprs_.attr_value(exprs_.value(exprs_.parse()));
    entries.push_back({builder.string(key), value});
  });
  if (!entries.empty()) context_.lose(LossCode::value_kind, "attributes");
  return builder.make(Kind::DictAttrs, {builder.map(entries)});
}

void FunctionReader::buffer_map(std::vector<NodePair>& into) {
  braces([&] {
    const NodeId param = exprs_.var(exprs_.value(exprs_.parse()));
    if (!lexer_.accept(Sign::colon)) {
      lexer_.fail(
          fmt::format("expected ':' and a buffer behind a parameter, found {}", lexer_.found()));
    }
    into.push_back({param, exprs_.buffer(exprs_.value(exprs_.parse()))});
  });
}

}  // namespace mlf::tir::legacy
