// Legacy text as a module: sections of the file, functions one after another, and what only
// the whole text can tell.
#include <fmt/core.h>

#include "tir/legacy/functions.h"
#include "tir/reader.h"
#include "tir/text/expr_factory.h"

namespace mlf::tir {
namespace legacy {
namespace {

constexpr std::string_view kVersionLine = "#[version = \"";
constexpr std::string_view kDefinition = " = primfn(";
// Text of the Relay printer, which shares the file from v0.12 on.
constexpr std::string_view kForeign[] = {"def @", "type ", "extern type ", "fn ", "free_var "};
constexpr std::string_view kFragment = "main";  // name of a function that has none

/// The name in `def @name(…) … {`; the head of what has none.
std::string_view foreign_name(std::string_view line) {
  constexpr std::string_view kFunction = "def @";
  if (line.starts_with(kFunction)) line.remove_prefix(kFunction.size());
  const std::string_view head = line.substr(0, line.find_first_of("([{"));
  return head.substr(0, head.find_last_not_of(' ') + 1);
}

/// Bare statements, as `str(statement)` prints them.
void read_lone_statements(Context& c) {
  c.function_losses.enter(kFragment);
  c.module.add(kFragment, read_lone_body(c));
}

/// `@name = primfn(…)`; TVM does not change the name, whatever is in it.
void read_named_function(Context& c) {
  const std::string_view line = c.lexer.rest_of_line();
  const std::size_t name_end = line.find(kDefinition);
  if (name_end == std::string_view::npos) {
    // A call may be all that a text consists of.
    if (c.module.empty()) return read_lone_statements(c);
    c.lexer.fail("expected ' = primfn(' behind the name of a function");
  }
  const std::string_view name = line.substr(1, name_end - 1);
  c.function_losses.enter(name);
  c.lexer.pass(name_end + 3);
  c.module.add(name, read_primfn(c));
}

/// Passes over what is not TIR: up to a brace in the first column, or to an empty line.
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
  if (c.lexer.rest().starts_with("primfn(")) return c.module.add_lone(read_primfn(c), kFragment);
  if (skip_foreign_entity(c)) return;
  if (c.module.empty()) return read_lone_statements(c);
  c.lexer.fail(fmt::format("expected '@name = primfn(…)', found {}", c.lexer.found()));
}

/// What depends on the version, which only the whole text shows.
void set_defaults(Context& c) {
  Builder& builder = c.builder;
  const VersionRange& version = c.versions.range();
  for (const NodeId buffer : c.default_aligned) {
    builder.set(buffer, f::Buffer::data_alignment, text::default_alignment(version.first));
  }
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
    c.versions.exactly(c.metadata.read(whole, sections.metadata_begin, c.limits));
  } else if (!is_astext) {  // v0.12 and later print legacy text in astext() alone
    c.versions.observe(TvmFeature::str_is_legacy_text);
  }
  if (c.strings == Strings::raw) c.versions.observe(TvmFeature::raw_strings);
  if (is_astext) c.lexer.pass(std::min(c.lexer.rest().find('\n'), c.lexer.rest().size()));
  for (c.lexer.skip_lines(); !c.lexer.token().is(TokenKind::end); c.lexer.skip_lines()) {
    read_entity(c);
  }
  set_defaults(c);
  return c.finish(c.module, c.metadata.missing(), Dialect::legacy_text);
}

}  // namespace
}  // namespace legacy

Reading read_legacy_text(const support::SourceText& source, const ReadLimits& limits,
                         const ConstantFinder& constants) {
  const legacy::Sections sections = legacy::sections_of(source.text);
  support::SourceText code = source;
  code.text = source.text.substr(0, sections.code_end);
  legacy::Context context(code, limits, constants);
  return legacy::read_text(context, source, sections);
}

}  // namespace mlf::tir
