// Legacy text as a module: sections of the file, functions one after another, and facts that only
// the whole text determines.
#include <fmt/core.h>

#include "tir/legacy/context.h"
#include "tir/node_queries.h"
#include "tir/reader.h"
#include "tir/text/expr_factory.h"

namespace mlf::tir {
namespace legacy {
namespace {

// --- Functions: `primfn(…) -> type`, the sections of its header, and its body ------------------

/// The part of a function that is printed before its body.
struct Header {
  std::vector<NodeId> params{};
  NodeId ret_type = NodeId::none;
  NodeId attrs = NodeId::none;
  std::vector<NodePair> buffer_map{};
  std::vector<NodePair> preflattened{};
  bool has_preflattened = false;
};

/// Makes the PrimFunc. Notes a missing preflattened_buffer_map, which limits the version; the whole
/// text decides what it means.
NodeId make_function(Context& c, const Header& header, NodeId body) {
  Builder& builder = c.builder;
  const NodeId function = builder.make(
      Kind::PrimFunc, {builder.list(header.params), header.ret_type, builder.map(header.buffer_map),
                       header.has_preflattened ? builder.map(header.preflattened) : ListId::none,
                       header.attrs, body});
  if (header.has_preflattened) return function;
  c.without_preflattened.push_back(function);
  const bool is_lowered =
      c.is_flat && attribute_of(builder.node(function), "from_legacy_te_schedule");
  if (is_lowered && !header.buffer_map.empty()) c.note_no_preflattened_map();
  return function;
}

/// TVM names buffers before parameters, so the parameter of buffer A is usually A_1. The printer
/// writes a SizeVar like any Var.
void read_params(Context& c, Header& header) {
  const SyntaxId call = c.parser.parse();
  if (!c.values.is(call, SyntaxKind::call) || head_of(c, call) != "primfn") {
    c.values.fail(call, "expected primfn(parameters)");
  }
  std::vector<SyntaxId> parts = c.values.children(call);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const NodeId param = as_var(c, lower(c, parts[i]));
    header.params.push_back(param);
    if (c.node(param).dtype().is_int()) c.lose(LossCode::size_var);
  }
  c.values.clear();
}

/// Pointer types contain blanks, so the lexer does not know where one ends.
NodeId pass_type(Context& c, std::string_view wanted) {
  const std::uint32_t begin = c.lexer.token().begin;
  const auto scanned = scan_type(c.source.text, begin);
  if (!scanned) c.lexer.fail_expected(wanted);
  const NodeId type = read_type(c, c.source.text.substr(begin, scanned->end - begin));
  c.lexer.seek(scanned->end);
  return type;
}

/// `-> ()` is void; `-> (int32,)` and `-> (int32, handle)` are tuples.
NodeId read_return_type(Context& c) {
  c.lexer.expect(Sign::arrow, "and a type behind the parameters");
  if (!c.lexer.token().is(Sign::open_paren)) return pass_type(c, "the type of the result");
  std::vector<NodeId> fields;
  c.lexer.seek(c.lexer.token().end);
  while (!c.lexer.token().is(Sign::close_paren)) {
    fields.push_back(pass_type(c, "a type or ')' in a tuple of types"));
    c.lexer.accept(Sign::comma);
  }
  c.lexer.seek(c.lexer.token().end);
  return c.make.tuple_type(fields);
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
    c.values.clear();
    c.lexer.skip_lines();
    if (!c.lexer.accept(Sign::comma) && !c.lexer.token().is(Sign::close_brace)) {
      c.lexer.fail_expected("',' or '}' in the header of a function");
    }
  }
  c.lexer.seek(c.lexer.token().end);
}

/// The printer writes this section if the function has attributes, even if the map is empty.
NodeId read_attributes(Context& c) {
  Builder& builder = c.builder;
  std::vector<NamedNode> entries;
  EntryNames names;
  read_braces(c, [&] {
    const text::Token at = c.lexer.token();
    if (!c.lexer.token().is(TokenKind::string)) {
      c.lexer.fail_expected("the name of an attribute");
    }
    const std::string key = decode_string(c.strings, c.lexer.text(c.lexer.token()));
    c.lexer.advance();
    c.lexer.expect(Sign::colon, fmt::format("behind \"{}\"", key));
    const NodeId value = as_attribute(c, lower(c, c.parser.parse()));
    const StringId name = builder.string(key);
    if (!names.add(name)) c.lexer.fail(at, message_of_repeated(key));
    entries.push_back({name, value});
  });
  if (!entries.empty()) c.lose(LossCode::value_kind);
  return builder.make(Kind::DictAttrs, {builder.map(entries)});
}

/// The section `buffers = {…}` before this one defines the buffers, or else their first mention
/// here does.
void read_buffer_map(Context& c, std::vector<NodePair>& into) {
  read_braces(c, [&] {
    const NodeId param = as_var(c, lower(c, c.parser.parse()));
    c.lexer.expect(Sign::colon, "and a buffer behind a parameter");
    into.push_back({param, as_buffer(c, lower(c, c.parser.parse()))});
  });
}

/// Reads one section of the header; false at the beginning of the body.
bool read_section(Context& c, Header& header) {
  if (!c.lexer.token().is(TokenKind::name)) return false;
  const std::string_view word = c.lexer.text(c.lexer.token());
  const bool is_known = word == "attr" || word == "buffers" || word == "buffer_map" ||
                        word == "preflattened_buffer_map";
  if (!is_known) return false;
  c.lexer.advance();
  c.lexer.expect(Sign::assign, fmt::format("behind {}", word));
  if (!c.lexer.token().is(Sign::open_brace)) {
    c.lexer.fail_expected(fmt::format("'{{' behind {} =", word));
  }
  if (word == "attr") {
    header.attrs = read_attributes(c);
  } else if (word == "buffers") {
    read_braces(c, [&] { static_cast<void>(as_buffer(c, lower(c, c.parser.parse()))); });
  } else if (word == "buffer_map") {
    read_buffer_map(c, header.buffer_map);
  } else {
    header.has_preflattened = true;
    c.versions.observe(TvmFeature::preflattened_buffer_map);
    read_buffer_map(c, header.preflattened);
  }
  return true;
}

/// The sections of the header are all optional, and in this order: attr, buffers, buffer_map,
/// preflattened_buffer_map.
NodeId read_primfn(Context& c) {
  const std::uint32_t begin = c.lexer.token().begin;
  c.is_flat = true;
  Header header;
  read_params(c, header);
  header.ret_type = read_return_type(c);
  c.lexer.skip_lines();
  while (read_section(c, header)) c.lexer.skip_lines();
  if (!c.lexer.token().is(Sign::open_brace)) {
    c.lexer.fail_expected("'attr', 'buffers', 'buffer_map' or '{'");
  }
  const NodeId function = make_function(c, header, read_body(c));
  c.builder.set_source_range(function, {begin, c.lexer.token().begin});
  return function;
}

// --- The file ----------------------------------------------------------------------------------

constexpr std::string_view kVersionLine = "#[version = \"";
constexpr std::string_view kDefinition = " = primfn(";
// Beginnings of the Relay printer's text, which is in the same file from v0.12 on.
constexpr std::string_view kForeign[] = {"def @", "type ", "extern type ", "fn ", "free_var "};
constexpr std::string_view kFragment = "main";  // name of a function without one

/// The name in `def @name(…) … {`, or the head of an entity without a name.
std::string_view foreign_name(std::string_view line) {
  constexpr std::string_view kFunction = "def @";
  if (line.starts_with(kFunction)) line.remove_prefix(kFunction.size());
  const std::string_view head = line.substr(0, line.find_first_of("([{"));
  return head.substr(0, head.find_last_not_of(' ') + 1);
}

void add_function(Context& c, std::string_view name, NodeId function) {
  c.functions.push_back({c.make.global_var(name), function});
}

/// Bare statements, as `str(statement)` prints them.
void read_lone_statements(Context& c) {
  c.function_losses.enter(kFragment);
  const std::uint32_t begin = c.lexer.token().begin;
  const Header header{.ret_type = c.make.void_type()};
  const NodeId function = make_function(c, header, read_fragment(c));
  c.builder.set_source_range(function, {begin, c.lexer.token().begin});
  add_function(c, kFragment, function);
}

/// A function whose text stands alone: its name is its global_symbol, if it has one.
void read_lone_function(Context& c) {
  const NodeId function = read_primfn(c);
  const Node symbol = attribute_of(c.node(function), "global_symbol");
  // A new name may move the table of strings.
  add_function(c, std::string(symbol.is(Kind::String) ? symbol.text(f::String::value) : kFragment),
               function);
}

/// Skips a function that uses an undefined name; the other functions of the module stay. Its last
/// brace is the first one in the first column.
void drop_function(Context& c, const text::Lexer& begin, std::string_view name) {
  c.function_losses.drop();
  c.losses.add(LossCode::undefined_name, "", name);
  c.values.clear();
  c.scratch.clear();
  c.statements.clear();
  c.blocks.clear();
  c.body = NodeId::none;
  c.is_reading_ahead = false;
  c.lexer = begin;
  const std::size_t brace = c.lexer.rest().find("\n}");
  c.lexer.pass(std::min(brace, c.lexer.rest().size() - 2) + 2);
}

/// `@name = primfn(…)`; TVM prints the name unchanged, with any characters in it.
void read_named_function(Context& c) {
  const std::string_view line = c.lexer.rest_of_line();
  const std::size_t name_end = line.find(kDefinition);
  if (name_end == std::string_view::npos) {
    // The text may consist of a single call.
    if (c.functions.empty()) return read_lone_statements(c);
    c.lexer.fail("expected ' = primfn(' behind the name of a function");
  }
  const std::string_view name = line.substr(1, name_end - 1);
  c.function_losses.enter(name);
  c.lexer.pass(name_end + 3);
  const text::Lexer begin = c.lexer;
  try {
    add_function(c, name, read_primfn(c));
  } catch (const text::UndefinedName& fault) {
    if (!c.undefined) c.undefined = fault;
    drop_function(c, begin, name);
  }
}

/// Skips text that is not TIR: up to a brace in the first column, or to an empty line.
bool skip_foreign_entity(Context& c) {
  bool is_foreign = false;
  for (const std::string_view start : kForeign) is_foreign |= c.lexer.rest().starts_with(start);
  if (!is_foreign) return false;
  const std::string_view text = c.lexer.rest();
  const std::string_view line = text.substr(0, text.find('\n'));
  c.losses.add(LossCode::foreign_function, "", foreign_name(line));
  const std::size_t blank = std::min(text.find("\n\n"), text.size());
  const std::size_t brace = text.find("\n}");
  const std::size_t end =
      line.ends_with('{') && brace != std::string_view::npos ? brace + 2 : blank;
  c.lexer.pass(end);
  return true;
}

/// Functions come one after another; a text may be one function without a name, or statements
/// alone.
void read_entity(Context& c) {
  if (c.lexer.rest().starts_with('@')) return read_named_function(c);
  if (c.lexer.rest().starts_with("primfn(")) return read_lone_function(c);
  if (skip_foreign_entity(c)) return;
  if (c.functions.empty()) return read_lone_statements(c);
  c.lexer.fail_expected("'@name = primfn(…)'");
}

/// Sets defaults that depend on the version, which only the whole text determines.
void set_defaults(Context& c) {
  Builder& builder = c.builder;
  c.align_buffers();
  if (!c.may_have_preflattened_maps()) return;
  for (const NodeId function : c.without_preflattened) {
    builder.set(function, f::PrimFunc::preflattened_buffer_map,
                builder.map(std::span<const NodePair>()));
  }
}

/// The sections of the file: version line, functions, metadata.
Reading read_text(Context& c, const support::SourceText& whole, const Sections& sections) {
  c.lexer.skip_lines();
  const bool is_astext = c.lexer.rest().starts_with(kVersionLine);
  if (sections.metadata_begin < whole.text.size()) {
    MetadataSection section = read_metadata(whole, sections.metadata_begin, whole.text.size(),
                                            c.limits, c.builder, c.losses, c.places);
    c.versions.exactly(section.version);
    c.metadata.use(std::move(section));
  } else if (!is_astext) {  // v0.12 and later print legacy text in astext() alone
    c.versions.observe(TvmFeature::str_is_legacy_text);
  }
  if (c.strings == Strings::raw) c.versions.observe(TvmFeature::raw_strings);
  if (is_astext) c.lexer.pass(std::min(c.lexer.rest().find('\n'), c.lexer.rest().size()));
  for (c.lexer.skip_lines(); !c.lexer.token().is(TokenKind::end); c.lexer.skip_lines()) {
    read_entity(c);
  }
  if (c.functions.empty() && c.undefined) throw *c.undefined;
  set_defaults(c);
  // All other fields of an IRModule are undefined: the text does not print them.
  const NodeId module = c.builder.make(Kind::IRModule, {c.builder.map(c.functions)});
  return c.finish(module, Dialect::legacy_text);
}

}  // namespace
}  // namespace legacy

Reading read_legacy_text(const support::SourceText& source, const ReadLimits& limits,
                         const ConstantFinder& constants, Places* places) {
  const legacy::Sections sections = legacy::sections_of(source.text);
  support::SourceText code = source;
  code.text = source.text.substr(0, sections.code_end);
  legacy::Context context(code, legacy::strings_of(code.text), limits, constants);
  context.places = places;
  return legacy::read_text(context, source, sections);
}

}  // namespace mlf::tir
