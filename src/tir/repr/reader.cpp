// Repr text as a module: functions one after another.
// `IRModule({GlobalVar(f): PrimFunc(…) …, GlobalVar(g): …})`, or a single function. If its
// TVMScript printer failed, v0.12 prints `IRModule(0x…)` after the module.
#include <fmt/core.h>

#include "tir/reader.h"
#include "tir/repr/expressions.h"

namespace mlf::tir {
namespace repr {
namespace {

constexpr std::string_view kModule = "IRModule({";
constexpr std::string_view kModuleEnd = "})";
constexpr std::string_view kAddress = "IRModule(0x";
constexpr std::string_view kFunctionAddress = "PrimFunc(0x";
constexpr std::string_view kGlobalVar = "GlobalVar(";
constexpr std::string_view kNextEntry = ", GlobalVar(";
constexpr std::string_view kFunction = "PrimFunc([";
constexpr std::string_view kLoneFunction = "main";  // name of a function without one

// --- Functions: `PrimFunc([parameters]) attrs={…} {`, and a body -------------------------------

/// Forgets the names and buffers of the previous function.
void forget(Context& c) {
  c.names.clear();
  c.buffers.clear();
  c.definitions = {};
  c.exprs.clear();
}

/// The text contains only the names of parameters; which of them are buffers is lost.
std::vector<NodeId> read_params(Context& c) {
  constexpr std::string_view kStart = "PrimFunc(";
  c.lexer.pass(kStart.size());
  const SyntaxId list = c.exprs.parse();
  if (c.exprs.syntax(list).kind != SyntaxKind::list) {
    c.exprs.fail(list, "expected the list of parameters");
  }
  std::vector<NodeId> nodes;
  for (const SyntaxId param : c.exprs.children(list)) {
    if (c.exprs.syntax(param).kind != SyntaxKind::name) {
      c.exprs.fail(param, fmt::format("expected a parameter, found {}", c.exprs.shown(param)));
    }
    nodes.push_back(c.var(c.exprs.text_of(param)));
    c.names.bind(c.exprs.text_of(param), nodes.back());
  }
  c.exprs.clear();
  c.lexer.pass(Sign::close_paren, "behind the parameters");
  return nodes;
}

/// The printer writes nothing for undefined attributes, and `attrs={}` for an empty map.
NodeId read_attributes(Context& c) {
  constexpr std::string_view kStart = "attrs=";
  if (!c.lexer.rest().starts_with(kStart)) return NodeId::none;
  c.lexer.pass(kStart.size());
  const std::vector<NamedNode> entries = read_attribute_map(c);
  c.exprs.clear();
  if (!entries.empty()) c.lose(LossCode::value_kind);
  return c.builder.make(Kind::DictAttrs, {c.builder.map(entries)});
}

/// The type of the argument of `tir.ret`; void if the function does not call it.
NodeId infer_return_type(Context& c, std::uint32_t first) {
  for (std::uint32_t id = first; id < c.builder.size(); ++id) {
    const Node node = c.builder.node(static_cast<NodeId>(id));
    const bool is_call = node.is(Kind::Call) && node[f::Call::op].is(Kind::Op);
    if (!is_call || node[f::Call::op].text(f::Op::name) != "tir.ret") continue;
    const NodeList arguments = node.list(f::Call::args);
    if (arguments.size() == 1) return c.make.prim_type(arguments[0].dtype());
  }
  return c.make.void_type();
}

/// The text has few dtypes and no shapes. After the function is read, infers them for the nodes
/// from `first` on.
NodeId read_function(Context& c) {
  forget(c);
  const std::uint32_t begin = c.lexer.token().begin;
  const std::uint32_t first = c.builder.size();
  const std::vector<NodeId> parameters = read_params(c);
  const NodeId attrs = read_attributes(c);
  const NodeId body = read_body(c);
  Builder& builder = c.builder;
  infer_dtypes(c, first);
  infer_shapes(c, first);
  const NodeId function = builder.make(
      Kind::PrimFunc, {builder.list(parameters), infer_return_type(c, first),
                       builder.map(std::span<const NodePair>()), ListId::none, attrs, body});
  builder.set_source_range(function, {begin, c.lexer.token().begin});
  forget(c);
  return function;
}

// --- The file ----------------------------------------------------------------------------------

/// Skips a function that is not TIR.
void skip_foreign_function(Context& c, std::string_view name) {
  c.losses.add(LossCode::foreign_function, "", name);
  const std::string_view text = c.lexer.rest();
  for (std::size_t i = 0; i < text.size();) {
    if (text.substr(i).starts_with(kNextEntry) || text.substr(i).starts_with(kModuleEnd)) {
      return c.lexer.pass(i);
    }
    const char next = text[i];
    const bool is_open = next == '(' || next == '[' || next == '{';
    if (is_open || next == '"' || text.substr(i, 2) == "/*") {
      const std::size_t end = is_open ? after_bracket(text, i) : after_quoted(text, i);
      if (end == std::string_view::npos) break;
      i = end;
    } else {
      ++i;
    }
  }
  c.lexer.fail(fmt::format("the function {} does not end", name));
}

/// `GlobalVar(name): function`; TVM prints the name unchanged, with any characters in it.
void read_entry(Context& c) {
  const std::string_view text = c.lexer.rest();
  const std::size_t name_end = text.find("): ");
  if (!text.starts_with(kGlobalVar) || name_end == std::string_view::npos) {
    c.lexer.fail_expected("'GlobalVar(name): '");
  }
  const std::string_view name = text.substr(kGlobalVar.size(), name_end - kGlobalVar.size());
  c.function_losses.enter(name);
  c.lexer.pass(name_end + 3);
  if (!c.lexer.rest().starts_with(kFunction)) return skip_foreign_function(c, name);
  c.module.add(name, read_function(c));
}

/// Functions come in the order of a hash map, which has no meaning.
void read_module(Context& c) {
  c.lexer.pass(kModule.size());
  c.lexer.skip_lines();
  if (!c.lexer.rest().starts_with(kModuleEnd)) {
    read_entry(c);
    for (c.lexer.skip_lines(); c.lexer.token().is(Sign::comma); c.lexer.skip_lines()) {
      c.lexer.seek(c.lexer.token().end);
      read_entry(c);
    }
  }
  if (!c.lexer.rest().starts_with(kModuleEnd)) {
    c.lexer.fail_expected("',' or '})' behind a function");
  }
  c.lexer.pass(kModuleEnd.size());
}

/// The text of a single function has no name; its global_symbol names it, if there is one.
void read_lone_function(Context& c) {
  c.function_losses.enter(kLoneFunction);
  c.module.add_lone(read_function(c), kLoneFunction);
}

/// Reads the text that a failed TVMScript printer leaves at the end.
void read_end(Context& c) {
  c.lexer.skip_lines();
  for (const std::string_view address : {kAddress, kFunctionAddress}) {
    if (!c.lexer.rest().starts_with(address)) continue;
    const std::size_t close = c.lexer.rest().find(')');
    if (close == std::string_view::npos) break;
    c.lexer.pass(close + 1);
    c.versions.observe(TvmFeature::repr_as_fallback);
    c.lexer.skip_lines();
  }
  if (!c.lexer.token().is(TokenKind::end)) {
    c.lexer.fail_expected("the end of the text");
  }
}

/// Reads a module or a single function.
Reading read_text(Context& c) {
  c.lexer.skip_lines();
  if (c.lexer.rest().starts_with(kModule)) {
    read_module(c);
  } else if (c.lexer.rest().starts_with(kFunction)) {
    read_lone_function(c);
  } else {
    c.lexer.fail_expected("'IRModule({' or 'PrimFunc(['");
  }
  read_end(c);
  return c.finish(c.module.finish(), c.missing, Dialect::repr_text);
}

}  // namespace
}  // namespace repr

Reading read_repr_text(const support::SourceText& source, const ReadLimits& limits,
                       const ConstantFinder& constants) {
  repr::Context context(source, limits, constants);
  return repr::read_text(context);
}

}  // namespace mlf::tir
