// Repr text as a module: functions one after another.
//
// `IRModule({GlobalVar(f): PrimFunc(…) …, GlobalVar(g): …})`, behind which v0.12 prints
// `IRModule(0x…)` where its TVMScript printer had failed, or one function alone.
#include <fmt/core.h>

#include "tir/reader.h"
#include "tir/repr/functions.h"
#include "tir/text/expr_factory.h"
#include "tir/tvm_features.h"

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

class FileReader {
 public:
  explicit FileReader(Context& context)
      : context_(context),
        lexer_(context.source, grammar().lexical),
        functions_(context, lexer_),
        module_(context.make) {}

  Reading read();

 private:
  void module();
  void entry();
  void foreign_function(std::string_view name);
  void lone_function();
  void end();

  Context& context_;
  text::Lexer lexer_;
  FunctionReader functions_;
  text::FunctionTable module_;
};

Reading FileReader::read() {
  lexer_.skip_lines();
  if (lexer_.rest().starts_with(kModule)) {
    module();
  } else if (lexer_.rest().starts_with(kFunction)) {
    lone_function();
  } else {
    lexer_.fail(fmt::format("expected 'IRModule({{' or 'PrimFunc([', found {}", lexer_.found()));
  }
  end();
  const NodeId root = module_.finish();
  context_.function_losses.enter("");
  context_.lost_constants.find_missing(root, context_.missing);
  context_.function_losses.flush();
  context_.losses.add_all(Dialect::repr_text, LossSite::module, {});
  VersionRange version = context_.versions.range();
  return {std::move(context_.builder).finish(root), std::move(version), context_.losses.finish(),
          context_.lost_constants.take()};
}

void FileReader::module() {
  lexer_.pass(kModule.size());
  lexer_.skip_lines();
  if (!lexer_.rest().starts_with(kModuleEnd)) {
    entry();
    for (lexer_.skip_lines(); lexer_.token().is(Sign::comma); lexer_.skip_lines()) {
      lexer_.seek(lexer_.token().end);
      entry();
    }
  }
  if (!lexer_.rest().starts_with(kModuleEnd)) {
    lexer_.fail(fmt::format("expected ',' or '}})' behind a function, found {}", lexer_.found()));
  }
  lexer_.pass(kModuleEnd.size());
}

/// `GlobalVar(name): function`; TVM does not change the name, whatever is in it.
void FileReader::entry() {
  const std::string_view text = lexer_.rest();
  const std::size_t name_end = text.find("): ");
  if (!text.starts_with(kGlobalVar) || name_end == std::string_view::npos) {
    lexer_.fail(fmt::format("expected 'GlobalVar(name): ', found {}", lexer_.found()));
  }
  const std::string_view name = text.substr(kGlobalVar.size(), name_end - kGlobalVar.size());
  context_.function_losses.enter(name);
  lexer_.pass(name_end + 3);
  if (!lexer_.rest().starts_with(kFunction)) return foreign_function(name);
  module_.add(name, functions_.read());
}

/// Passes over a function that is not TIR.
void FileReader::foreign_function(std::string_view name) {
  context_.losses.add(LossCode::foreign_function, "", name);
  const std::string_view text = lexer_.rest();
  for (std::size_t i = 0; i < text.size();) {
    if (text.substr(i).starts_with(kNextEntry) || text.substr(i).starts_with(kModuleEnd)) {
      return lexer_.pass(i);
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
  lexer_.fail(fmt::format("the function {} does not end", name));
}

void FileReader::lone_function() {
  context_.function_losses.enter(kLoneFunction);
  module_.add_lone(functions_.read(), kLoneFunction);
}

/// What the TVMScript printer left behind where it failed.
void FileReader::end() {
  lexer_.skip_lines();
  for (const std::string_view address : {kAddress, kFunctionAddress}) {
    if (!lexer_.rest().starts_with(address)) continue;
    const std::size_t close = lexer_.rest().find(')');
    if (close == std::string_view::npos) break;
    lexer_.pass(close + 1);
    context_.versions.observe(TvmFeature::repr_as_fallback);
    lexer_.skip_lines();
  }
  if (!lexer_.token().is(TokenKind::end)) {
    lexer_.fail(fmt::format("expected the end of the text, found {}", lexer_.found()));
  }
}

}  // namespace
}  // namespace repr

Reading read_repr_text(const support::SourceText& source, const ReadLimits& limits,
                       const ConstantFinder& constants) {
  repr::Context context(source, limits, constants);
  return repr::FileReader(context).read();
}

}  // namespace mlf::tir
