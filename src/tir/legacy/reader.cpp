// Legacy text as a module: sections of the file, functions one after another, and what only
// the whole text can tell.
#include <fmt/core.h>

#include "tir/legacy/functions.h"
#include "tir/reader.h"
#include "tir/text/expr_factory.h"
#include "tir/tvm_features.h"

namespace mlf::tir {
namespace legacy {
namespace {

using text::TokenKind;

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

class FileReader {
 public:
  FileReader(Context& context, const support::SourceText& whole)
      : context_(context),
        whole_(whole),
        lexer_(context.source, grammar_of(context.strings).lexical),
        functions_(context, lexer_),
        module_(context.make) {}

  Reading read(const Sections& sections);

 private:
  void entity();
  void named_function();
  bool foreign_entity();
  void fragment();
  std::string_view rest() const { return lexer_.rest(); }
  void pass_line();
  void settle_defaults();

  Context& context_;
  const support::SourceText& whole_;
  text::Lexer lexer_;
  FunctionReader functions_;
  text::FunctionTable module_;
};

Reading FileReader::read(const Sections& sections) {
  lexer_.skip_lines();
  const bool is_astext = rest().starts_with(kVersionLine);
  if (sections.metadata_begin < whole_.text.size()) {
    const VersionRange version =
        context_.metadata.read(whole_, sections.metadata_begin, context_.limits);
    context_.versions.exactly(version);
  } else if (!is_astext) {  // v0.12 and later print legacy text in astext() alone
    context_.versions.observe(TvmFeature::str_is_legacy_text);
  }
  if (context_.strings == Strings::raw) context_.versions.observe(TvmFeature::raw_strings);
  if (is_astext) pass_line();
  for (lexer_.skip_lines(); !lexer_.token().is(TokenKind::end); lexer_.skip_lines()) {
    entity();
  }
  settle_defaults();
  const NodeId root = module_.finish();
  context_.function_losses.enter({});
  context_.lost_constants.find_missing(root, context_.metadata.missing());
  context_.function_losses.flush();
  context_.losses.add_all(Dialect::legacy_text, LossSite::module, {});
  VersionRange version = context_.versions.range();
  Module module = std::move(context_.builder).finish(root);
  return {std::move(module), std::move(version), context_.losses.finish(),
          context_.lost_constants.take()};
}

void FileReader::entity() {
  if (rest().starts_with('@')) return named_function();
  if (rest().starts_with("primfn(")) return module_.add_lone(functions_.primfn(), kFragment);
  if (foreign_entity()) return;
  if (module_.empty()) return fragment();
  lexer_.fail(fmt::format("expected '@name = primfn(…)', found {}", lexer_.found()));
}

/// `@name = primfn(…)`; TVM does not change the name, whatever is in it.
void FileReader::named_function() {
  const std::string_view line = rest().substr(0, rest().find('\n'));
  const std::size_t name_end = line.find(kDefinition);
  if (name_end == std::string_view::npos) {
    // A call may be all that a text consists of.
    if (module_.empty()) return fragment();
    lexer_.fail("expected ' = primfn(' behind the name of a function");
  }
  const std::string_view name = line.substr(1, name_end - 1);
  context_.function_losses.enter(name);
  lexer_.pass(name_end + 3);
  module_.add(name, functions_.primfn());
}

/// Passes over what is not TIR: up to a brace in the first column, or to an empty line.
bool FileReader::foreign_entity() {
  bool is_foreign = false;
  for (const std::string_view start : kForeign) is_foreign |= rest().starts_with(start);
  if (!is_foreign) return false;
  const std::string_view text = rest();
  const std::string_view line = text.substr(0, text.find('\n'));
  context_.losses.add(LossCode::foreign_function, "", foreign_name(line));
  const std::size_t blank = std::min(text.find("\n\n"), text.size());
  const std::size_t brace = text.find("\n}");
  const std::size_t end =
      line.ends_with('{') && brace != std::string_view::npos ? brace + 2 : blank;
  lexer_.pass(end);
  return true;
}

/// Bare statements, as `str(statement)` prints them.
void FileReader::fragment() {
  context_.function_losses.enter(kFragment);
  module_.add(kFragment, functions_.fragment());
}

void FileReader::pass_line() {
  const std::size_t end = std::min(rest().find('\n'), rest().size());
  lexer_.pass(end);
}

/// What depends on the version, which only the whole text shows.
void FileReader::settle_defaults() {
  Builder& builder = context_.builder;
  const VersionRange& version = context_.versions.range();
  for (const NodeId buffer : context_.default_aligned) {
    builder.set(buffer, f::Buffer::data_alignment, text::default_alignment(version.first));
  }
  if (!context_.may_have_preflattened_maps()) return;
  for (const NodeId function : context_.without_preflattened) {
    builder.set(function, f::PrimFunc::preflattened_buffer_map,
                builder.map(std::span<const NodePair>()));
  }
}

}  // namespace
}  // namespace legacy

Reading read_legacy_text(const support::SourceText& source, const ReadLimits& limits,
                         const ConstantFinder& constants) {
  const legacy::Sections sections = legacy::sections_of(source.text);
  support::SourceText code = source;
  code.text = source.text.substr(0, sections.code_end);
  legacy::Context context(code, limits, constants);
  return legacy::FileReader(context, source).read(sections);
}

}  // namespace mlf::tir
