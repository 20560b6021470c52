// The door of the reader of repr text: the functions of a module one after another.
//
// `IRModule({GlobalVar(f): PrimFunc(…) …, GlobalVar(g): …})`, behind which v0.12 prints
// `IRModule(0x…)` where its TVMScript printer had failed, or one function alone.
#include <fmt/format.h>

#include "tir/reader.h"
#include "tir/repr/functions.h"

namespace mlf::tir {
namespace repr {
namespace {

using text::Sign;
using text::TokenKind;

constexpr std::string_view kModule = "IRModule({";
constexpr std::string_view kModuleEnd = "})";
constexpr std::string_view kAddress = "IRModule(0x";
constexpr std::string_view kFunctionAddress = "PrimFunc(0x";
constexpr std::string_view kGlobalVar = "GlobalVar(";
constexpr std::string_view kNextEntry = ", GlobalVar(";
constexpr std::string_view kFunction = "PrimFunc([";
constexpr std::string_view kLoneFunction = "main";  // name of a function that has none
constexpr std::uint8_t kFirstVersionOfFallback = 12;

class FileReader {
 public:
  explicit FileReader(Context& context)
      : context_(context), lexer_(context.source, grammar().lexical), functions_(context, lexer_) {}

  Reading read();

 private:
  void module();
  void entry();
  void foreign_function(std::string_view name);
  void lone_function();
  void end();
  void add(std::string_view name, NodeId function) {
    entries_.push_back({context_.make.global_var(name), function});
  }
  void skip_lines() {
    while (lexer_.token().is(TokenKind::newline)) lexer_.advance();
  }
  void pass(std::string_view text) { lexer_.seek(lexer_.token().begin + text.size()); }
  std::string_view rest() const { return context_.source.text.substr(lexer_.token().begin); }
  Module finish();

  Context& context_;
  text::Lexer lexer_;
  FunctionReader functions_;
  std::vector<NodePair> entries_;
};

Reading FileReader::read() {
  skip_lines();
  if (rest().starts_with(kModule)) {
    module();
  } else if (rest().starts_with(kFunction)) {
    lone_function();
  } else {
    lexer_.fail(lexer_.token(),
                fmt::format("expected 'IRModule({{' or 'PrimFunc([', found {}", lexer_.found()));
  }
  end();
  context_.function_losses.enter("");
  context_.lose(LossCode::module_attrs, "module");
  context_.lose(LossCode::checked_type, "functions");
  context_.function_losses.flush();
  VersionRange version = context_.clues.range();
  Module module = finish();
  return {std::move(module), std::move(version), context_.losses.finish(),
          context_.lost_constants.take()};
}

void FileReader::module() {
  pass(kModule);
  skip_lines();
  if (!rest().starts_with(kModuleEnd)) {
    entry();
    for (skip_lines(); lexer_.token().is(Sign::comma); skip_lines()) {
      lexer_.seek(lexer_.token().end);
      entry();
    }
  }
  if (!rest().starts_with(kModuleEnd)) {
    lexer_.fail(lexer_.token(),
                fmt::format("expected ',' or '}})' behind a function, found {}", lexer_.found()));
  }
  pass(kModuleEnd);
}

/// `GlobalVar(name): function`; TVM does not change the name, whatever stands in it.
void FileReader::entry() {
  const std::string_view text = rest();
  const std::size_t name_end = text.find("): ");
  if (!text.starts_with(kGlobalVar) || name_end == std::string_view::npos) {
    lexer_.fail(lexer_.token(),
                fmt::format("expected 'GlobalVar(name): ', found {}", lexer_.found()));
  }
  const std::string_view name = text.substr(kGlobalVar.size(), name_end - kGlobalVar.size());
  context_.function_losses.enter(name);
  lexer_.seek(lexer_.token().begin + name_end + 3);
  if (!rest().starts_with(kFunction)) return foreign_function(name);
  add(name, functions_.read());
}

/// Passes over a function that is no TIR.
void FileReader::foreign_function(std::string_view name) {
  context_.losses.add(LossCode::foreign_function, "", name);
  const std::string_view text = rest();
  for (std::size_t i = 0; i < text.size();) {
    if (text.substr(i).starts_with(kNextEntry) || text.substr(i).starts_with(kModuleEnd)) {
      return lexer_.seek(lexer_.token().begin + i);
    }
    const char c = text[i];
    const bool is_open = c == '(' || c == '[' || c == '{';
    if (is_open || c == '"' || text.substr(i, 2) == "/*") {
      const std::size_t end = is_open ? after_bracket(text, i) : after_quoted(text, i);
      if (end == std::string_view::npos) break;
      i = end;
    } else {
      ++i;
    }
  }
  lexer_.fail(lexer_.token(), fmt::format("the function {} does not end", name));
}

void FileReader::lone_function() {
  context_.function_losses.enter(kLoneFunction);
  const NodeId function = functions_.read();
  const Node attrs = context_.builder.node(function)[f::PrimFunc::attrs];
  const Node symbol = attrs ? attrs.map(f::DictAttrs::dict).find("global_symbol") : Node();
  add(symbol.is(Kind::String) ? std::string(symbol.text(f::String::value))
                              : std::string(kLoneFunction),
      function);
}

/// What the TVMScript printer left behind where it failed.
void FileReader::end() {
  skip_lines();
  for (const std::string_view address : {kAddress, kFunctionAddress}) {
    if (!rest().starts_with(address)) continue;
    const std::size_t close = rest().find(')');
    if (close == std::string_view::npos) break;
    lexer_.seek(lexer_.token().begin + close + 1);
    context_.clues.at_least(kFirstVersionOfFallback);
    skip_lines();
  }
  if (!lexer_.token().is(TokenKind::end)) {
    lexer_.fail(lexer_.token(),
                fmt::format("expected the end of the text, found {}", lexer_.found()));
  }
}

Module FileReader::finish() {
  Builder& builder = context_.builder;
  const NodeId root =
      builder.make(Kind::IRModule, {builder.map(entries_), NodeId::none, NodeId::none, NodeId::none,
                                    NodeId::none, NodeId::none});
  return std::move(builder).finish(root);
}

}  // namespace
}  // namespace repr

Reading read_repr_text(const support::SourceText& source, const ReadLimits& limits,
                       const ConstantFinder& constants) {
  repr::Context context(source, limits, constants);
  return repr::FileReader(context).read();
}

}  // namespace mlf::tir
