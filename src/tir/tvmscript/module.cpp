// Reads TVMScript as a whole: header, metadata, the class around the functions, or functions alone.
#include <fmt/core.h>

#include <algorithm>
#include <unordered_set>

#include "support/error.h"
#include "tir/tvm_features.h"
#include "tir/tvmscript/function.h"

namespace mlf::tir {
namespace tvmscript {
namespace {

/// Reads the lines around the functions, and makes the module from them.
/// The lexer joins lines in brackets: one line here may be several in the file.
void skip_line(text::Lexer& lexer) {
  while (!lexer.token().is(TokenKind::newline) && !lexer.token().is(TokenKind::end)) {
    lexer.advance();
  }
  if (lexer.token().is(TokenKind::newline)) lexer.advance();
}

/// Skips a line and the lines below it that are indented further.
void skip_suite(text::Lexer& lexer) {
  const std::uint32_t indent = lexer.indentation();
  do {
    skip_line(lexer);
    while (lexer.token().is(TokenKind::comment)) lexer.advance();
  } while (!lexer.token().is(TokenKind::end) && lexer.indentation() > indent);
}

/// A line of the file, whose brackets may be open at its end. Includes a string over several
/// lines.
void pass_over_line(Context& c) {
  const std::string_view text = c.source.text;
  std::size_t end = c.lexer.line_end();
  const std::string_view line = text.substr(0, end);
  for (const char quote : {'"', '\''}) {
    const std::string quotes(3, quote);
    std::size_t opened = line.find(quotes, c.lexer.token().begin);
    while (opened != line.npos) {
      const std::size_t closed = text.find(quotes, opened + quotes.size());
      if (closed == text.npos) break;
      end = std::max(end, std::min(text.find('\n', closed), text.size()));
      opened = line.find(quotes, closed + quotes.size());
    }
  }
  c.lexer.seek(end);
  if (c.lexer.token().is(TokenKind::newline)) c.lexer.advance();
}

void read_import_line(Context& c, std::string_view line) {
  if (read_import(line, c.prefixes)) return;
  refuse_later(c, c.lexer.token().begin, "tirx");
}

MetadataSection read_json(Context& c, const std::string& json, std::size_t offset) {
  const support::SourceText section{c.source.file, c.source.member, json};
  try {
    return read_metadata(section, 0, json.size(), c.limits, c.builder, c.losses);
  } catch (const support::Error& error) {
    // The lines of the section are not those of the source: the message names them, and the place
    // is that of the string.
    const auto& where = error.diagnostic().where;
    support::fail_at(c.source, offset,
                     fmt::format("in line {}, column {} of the metadata: {}", where.line,
                                 where.column, error.diagnostic().message));
  }
}

/// `metadata = tvm.ir.load_json("…")`
void read_metadata_line(Context& c, SyntaxId call) {
  if (c.values.syntax(call).kind != SyntaxKind::call) {
    c.values.fail(call, "expected tvm.ir.load_json() as metadata");
  }
  const Arguments args = arguments_of(c, call);
  args.expect(1, 1);
  if (args[0].kind != ValueKind::string) fail_expected(c, args[0], "a string");
  const std::string_view token = c.values.text(args[0]);
  if (token.starts_with("\"\"\"")) {
    c.versions.observe(TvmFeature::metadata_in_triple_quotes);
  } else {
    c.versions.observe_absence(TvmFeature::metadata_in_triple_quotes);
  }
  // The section is save_json in a Python string. Its nodes join those of the script.
  MetadataSection section = read_json(c, text::decode_string(token), c.values.begin(args[0]));
  c.versions.exactly(section.version);
  c.metadata.use(std::move(section));
}

/// Whether the text has a decorator of this name.
bool has_decorator(std::string_view text, std::string_view decorator) {
  for (std::size_t at = text.find(decorator); at != text.npos; at = text.find(decorator, at + 1)) {
    const std::size_t begin = text.rfind('\n', at) + 1;
    const std::size_t first = text.find_first_not_of(" \t", begin);
    if (text[first] == '@') return true;
  }
  return false;
}

/// Expressions with such a call were made before its dtype was known. Parts come before the
/// whole, so one pass is enough.
void fill_in_results(Context& c, std::unordered_set<NodeId> filled) {
  for (std::uint32_t id = 1; id < c.builder.size(); ++id) {
    const Node node = c.node(static_cast<NodeId>(id));
    const bool is_arithmetic = node.kind() >= Kind::Add && node.kind() <= Kind::Max;
    Node operand;
    if (is_arithmetic) operand = node.node(std::uint8_t{f::Add::a});
    if (node.is(Kind::Select)) operand = node[f::Select::true_value];
    if (node.is(Kind::Let)) operand = node[f::Let::body];
    if (!operand || !filled.contains(operand.id())) continue;
    // The dtype of an expression is its first field, for every kind.
    c.builder.set(node.id(), std::uint8_t{f::Add::dtype}, operand.dtype());
    filled.insert(node.id());
  }
}

/// A call of a function has the function's return type.
void fill_in_calls(Context& c, const std::vector<FunctionDraft>& drafts) {
  std::unordered_map<NodeId, NodeId> types;
  for (const FunctionDraft& draft : drafts) {
    types.emplace(c.make.global_var(draft.name), draft.ret_type);
  }
  std::unordered_set<NodeId> filled;
  for (const FunctionCall& call : c.function_calls) {
    const auto type = types.find(call.callee);
    if (type == types.end()) continue;
    c.builder.set(call.call, f::Call::dtype, c.make.dtype_of_type(type->second));
    filled.insert(call.call);
  }
  if (!filled.empty()) fill_in_results(c, std::move(filled));
}

/// The default alignment changed in v0.10, and the version may become known late in the text.
void align_buffers(Context& c) {
  if (!c.rules.is_old()) return;
  const std::int64_t alignment = c.align_buffers();
  for (const auto& [pointer, allocation] : c.allocations) {
    if (allocation.buffer == NodeId::none) continue;
    // Lowering (storage_flatten.cc) aligns small allocations to less; constants are not lowered
    // in this way.
    const auto shape = allocation.statement == Kind::Allocate
                           ? text::constant_shape(c.builder, allocation.extents)
                           : std::nullopt;
    c.builder.set(
        allocation.buffer, f::Buffer::data_alignment,
        shape ? text::allocation_alignment(alignment, allocation.dtype, *shape) : alignment);
  }
}

/// The fields are in the order of the row of PrimFunc in nodes.def.
NodeId make_function(Context& c, const FunctionDraft& draft, NodeId attrs) {
  Builder& b = c.builder;
  // Only v0.9 and v0.10 have such a map.
  const bool has_map = c.versions.may_have(TvmFeature::preflattened_buffer_map);
  const NodeId function =
      b.make(Kind::PrimFunc,
             {b.list(draft.params), draft.ret_type, b.map(draft.buffer_map),
              has_map ? b.map(draft.preflattened_buffer_map) : ListId::none, attrs, draft.body});
  b.set_source_range(function, draft.range);
  return function;
}

class ModuleReader {
 public:
  ModuleReader(const support::SourceText& source, const Rules& rules, const ReadLimits& limits,
               const ConstantFinder& constants, Places* places)
      : c_(source, rules, limits, constants), lexer_(c_.lexer) {
    c_.places = places;
  }

  Reading read() {
    while (!lexer_.token().is(TokenKind::end)) read_line();
    if (drafts_.empty() && undefined_) throw *undefined_;
    if (drafts_.empty() && !has_class_) {
      lexer_.fail("expected a function, found the end of the text");
    }
    note_versions();
    align_buffers(c_);
    const NodeId root = make_module();
    c_.pool_objects.name_pools(root, c_.losses);
    if (!c_.rules.is_old() && !module_attrs_) {
      c_.losses.add(LossCode::module_attrs, "");
    }
    return c_.finish(root, c_.rules.dialect);
  }

 private:
  /// A line outside of functions: imports, decorators, the class, attributes of the module. Skips
  /// other Python code around the class.
  void read_line() {
    c_.values.clear();
    const text::Token& token = lexer_.token();
    if (token.is(TokenKind::comment)) {
      read_import_line(c_, lexer_.text(token));
      return lexer_.advance();
    }
    // The lines of a statement behind the class may be indented, too.
    is_in_class_ = is_in_class();
    if (token.is(Sign::at)) return read_decorator();
    if (token.is(TokenKind::string)) return skip_line(lexer_);  // a doc string
    if (token.is(TokenKind::name)) return read_word();
    if (is_in_class()) lexer_.fail_expected("a function");
    pass_over_line(c_);
  }

  bool is_in_class() const { return is_in_class_ && lexer_.indentation() > class_indent_; }

  /// Skips Python code around the module, which users keep when they copy a script.
  void read_word() {
    const std::string_view word = lexer_.text(lexer_.token());
    if (word == "def") return read_def();
    if (word == "class") return read_class();
    if (word == "from") {
      read_import_line(c_, lexer_.slice(lexer_.token().begin, lexer_.line_end()));
    }
    if (word == "from" || word == "import" || word == "pass") return skip_line(lexer_);
    const bool is_ours = word == "metadata" || word == "__tvm_meta__" || word == c_.prefixes.ir;
    if (!is_ours && !is_in_class()) return pass_over_line(c_);
    const SyntaxId root = c_.parser.parse();
    const text::Syntax& syntax = c_.values.syntax(root);
    const std::string_view text = lexer_.slice(syntax.begin, syntax.end);
    const bool sets = lexer_.accept(Sign::assign);
    if (sets && text == "__tvm_meta__")
      return skip_line(lexer_);  // no printer ever put anything there
    // With show_meta=True, objects that TVMScript cannot express come first.
    if (sets && text == "metadata") {
      read_metadata_line(c_, c_.parser.parse());
    } else {
      read_call(root);
    }
    lexer_.end_line();
  }

  /// `I.module_attrs({…})`, `I.module_global_infos({…})`
  void read_call(SyntaxId call) {
    const std::string_view callee = ir_callee(c_, call);
    if (callee == "module_attrs") {
      module_attrs_ = as_attribute_map(c_, arguments_of(c_, call).get(0, "attrs"));
    } else if (callee == "module_global_infos") {
      c_.versions.observe(TvmFeature::global_infos);
      global_infos_ = as_attribute_map(c_, arguments_of(c_, call).get(0, "global_infos"));
    } else {
      c_.values.fail(call, "expected a function, a class or I.module_attrs");
    }
  }

  /// `@T.prim_func(private=True)`, `@I.ir_module`; a decorator of another language marks a function
  /// that is skipped.
  void read_decorator() {
    const std::string_view line = lexer_.rest_of_line();
    const std::string_view decorator = line.substr(0, line.find_first_of("( \t\r"));
    const bool is_ours = decorator.ends_with("prim_func") || decorator.ends_with("ir_module");
    (is_ours ? next_is_tir_ : next_is_foreign_) = true;
    if (decorator.ends_with("macro")) lexer_.fail("macros are expanded by TVM alone");
    if (!is_ours) return pass_over_line(c_);
    lexer_.advance();
    const SyntaxId root = c_.parser.parse();
    const text::Syntax& syntax = c_.values.syntax(root);
    if (syntax.kind == SyntaxKind::call) {
      const Arguments args = arguments_of(c_, root);
      if (args.keyword("s_tir")) refuse_later(c_, syntax.begin, "s_tir");
      const auto is_private = args.keyword("private");
      if (is_private && as_boolean(c_, *is_private)) {
        next_visibility_ = Visibility::hidden;
        c_.versions.observe(TvmFeature::private_functions);
      }
    }
    lexer_.end_line();
  }

  /// In a text without such decorators, every function or every class is TIR.
  bool takes_next(bool are_decorated) {
    const bool takes = next_is_tir_ || (!next_is_foreign_ && !are_decorated);
    next_is_tir_ = next_is_foreign_ = false;
    return takes;
  }

  void read_class() {
    if (!takes_next(classes_are_decorated_)) return pass_over_line(c_);
    class_indent_ = lexer_.indentation();
    lexer_.advance();
    c_.module_name = lexer_.expect_name("the name of the class");
    has_class_ = is_in_class_ = true;
    if (lexer_.accept(Sign::open_paren)) lexer_.expect(Sign::close_paren);
    lexer_.expect(Sign::colon);
    lexer_.end_line();
  }

  /// A function with the decorators before it.
  void read_def() {
    if (!takes_next(functions_are_decorated_)) {
      skip_function();
    } else {
      read_script();
    }
    next_visibility_ = Visibility::exported;
  }

  /// Skips a function with an undefined name, and reads the others.
  void read_script() {
    const std::uint32_t begin = lexer_.token().begin;
    const std::size_t mark = c_.names.mark();
    FunctionDraft& draft = drafts_.emplace_back();
    draft.visibility = next_visibility_;
    try {
      read_function(c_, draft);
    } catch (const UndefinedName& fault) {
      if (!undefined_) undefined_ = fault;
      c_.fn = nullptr;
      c_.names.release(mark);
      c_.threads_ahead.clear();
      c_.function_losses.drop();
      c_.losses.add(LossCode::undefined_name, "", draft.name);
      drafts_.pop_back();
      c_.values.clear();
      lexer_.seek(begin);
      return skip_suite(lexer_);
    }
  }

  /// A function of another language ends with its indentation. A Python function around the module
  /// may contain functions of TIR.
  void skip_function() {
    const bool is_in_module = is_in_class();
    const std::uint32_t begin = lexer_.token().begin;
    lexer_.advance();
    c_.losses.add(LossCode::foreign_function, "", lexer_.text(lexer_.token()));
    if (!is_in_module) return pass_over_line(c_);
    lexer_.seek(begin);
    skip_suite(lexer_);
  }

  bool states_symbol(const FunctionDraft& draft) const {
    return std::ranges::find(draft.attrs, symbol_key_, &NamedNode::name) != draft.attrs.end();
  }

  /// The string that the attribute global_symbol states.
  std::optional<std::string_view> symbol_of(const FunctionDraft& draft) const {
    const auto found = std::ranges::find(draft.attrs, symbol_key_, &NamedNode::name);
    const Node value = c_.node(found == draft.attrs.end() ? NodeId::none : found->value);
    return value.is(Kind::String) ? std::optional(value.text(f::String::value)) : std::nullopt;
  }

  /// v0.14 and later omit a global_symbol that equals the name; in earlier texts, an absent one
  /// does not exist.
  void note_versions() {
    for (const FunctionDraft& draft : drafts_) {
      if (symbol_of(draft) == draft.name) {
        c_.versions.observe_absence(TvmFeature::private_functions);
      }
    }
  }

  NodeId make_attrs(const FunctionDraft& draft) {
    std::vector<NamedNode> entries = draft.attrs;
    const bool elides = draft.visibility == Visibility::exported &&
                        c_.versions.may_have(TvmFeature::private_functions);
    if (elides && !states_symbol(draft)) {
      c_.losses.add(LossCode::global_symbol, draft.name);
      entries.push_back({symbol_key_, c_.make.string(draft.name)});
    }
    if (entries.empty() && !draft.states_attrs) return NodeId::none;
    return c_.builder.make(Kind::DictAttrs, {c_.builder.map(entries)});
  }

  /// A single function has its symbol's name, or that of a single function in save_json.
  std::string_view name_of(const FunctionDraft& draft) const {
    if (has_class_ || draft.name != c_.rules.nameless) return draft.name;
    return symbol_of(draft).value_or("main");
  }

  NodeId make_module() {
    Builder& b = c_.builder;
    fill_in_calls(c_, drafts_);
    std::vector<NodePair> functions;
    for (const FunctionDraft& draft : drafts_) {
      functions.push_back(
          {c_.make.global_var(name_of(draft)), make_function(c_, draft, make_attrs(draft))});
    }
    const NodeId none = NodeId::none;
    const NodeId attrs = module_attrs_ ? b.make(Kind::DictAttrs, {b.map(*module_attrs_)}) : none;
    const NodeId infos =
        global_infos_.empty() ? none : b.make(Kind::StringMap, {b.map(global_infos_)});
    return b.make(Kind::IRModule, {b.map(functions), none, none, none, attrs, infos});
  }

  Context c_;
  text::Lexer& lexer_;
  std::vector<FunctionDraft> drafts_;
  Visibility next_visibility_ = Visibility::exported;
  bool next_is_tir_ = false;      // stated by a decorator
  bool next_is_foreign_ = false;  // stated by a decorator
  std::optional<UndefinedName> undefined_;
  bool has_class_ = false;
  bool is_in_class_ = false;
  std::uint32_t class_indent_ = 0;
  const bool functions_are_decorated_ = has_decorator(c_.source.text, "prim_func");
  const bool classes_are_decorated_ = has_decorator(c_.source.text, "ir_module");
  std::optional<std::vector<NamedNode>> module_attrs_;
  std::vector<NamedNode> global_infos_;
  const StringId symbol_key_ = c_.builder.string("global_symbol");
};

}  // namespace
}  // namespace tvmscript

Reading read_tvmscript(const support::SourceText& source, const ReadLimits& limits,
                       const ConstantFinder& constants, Places* places) {
  return tvmscript::ModuleReader(source, tvmscript::new_rules(), limits, constants, places).read();
}

Reading read_old_tvmscript(const support::SourceText& source, const ReadLimits& limits,
                           const ConstantFinder& constants) {
  return tvmscript::ModuleReader(source, tvmscript::old_rules(), limits, constants, nullptr).read();
}

}  // namespace mlf::tir
