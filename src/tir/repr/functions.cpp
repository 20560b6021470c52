#include "tir/repr/functions.h"

#include <fmt/core.h>

#include "tir/repr/dtypes.h"
#include "tir/repr/shapes.h"

namespace mlf::tir::repr {

using text::Sign;
using text::SyntaxKind;

NodeId Context::var(std::string_view printed) {
  const auto size = size_var_name(printed);
  return make.var(size.value_or(printed), make.prim_type(DType::Int(32)),
                  size ? Kind::SizeVar : Kind::Var);
}

NodeId Context::pointer(std::string_view name, DType element, std::string_view scope) {
  return make.var(name, make.pointer_type(make.prim_type(element), scope));
}

/// The text has hardly a dtype and no shape: what it implies is worked out once the function is
/// read, from the node `first` on.
NodeId FunctionReader::read() {
  forget();
  const std::uint32_t begin = token().begin;
  const std::uint32_t first = context_.builder.size();
  const std::vector<NodeId> parameters = params();
  const NodeId attrs = attributes();
  const NodeId body = statements_.body();
  Builder& builder = context_.builder;
  DTypeInference(context_, first).run();
  ShapeInference(context_, first).run();
  context_.losses.add_all(Dialect::repr_text, LossSite::function, context_.function());
  if (!context_.buffers.drafts().empty()) {
    context_.losses.add_all(Dialect::repr_text, LossSite::buffers, context_.function());
  }
  const NodeId function = builder.make(
      Kind::PrimFunc, {builder.list(parameters), ret_type(first),
                       builder.map(std::span<const NodePair>()), ListId::none, attrs, body});
  builder.set_source_range(function, {begin, token().begin});
  forget();
  return function;
}

/// Names and buffers of one function are not those of another.
void FunctionReader::forget() {
  context_.names.clear();
  context_.buffers.clear();
  context_.definitions = {};
  exprs_.clear();
}

std::vector<NodeId> FunctionReader::params() {
  constexpr std::string_view kStart = "PrimFunc(";
  lexer_.pass(kStart.size());
  const text::SyntaxId list = exprs_.parse();
  if (exprs_.syntax(list).kind != SyntaxKind::list) {
    exprs_.fail(list, "expected the list of parameters");
  }
  std::vector<NodeId> nodes;
  for (const text::SyntaxId param : exprs_.children(list)) {
    if (exprs_.syntax(param).kind != SyntaxKind::name) {
      exprs_.fail(param, fmt::format("expected a parameter, found {}", exprs_.shown(param)));
    }
    nodes.push_back(context_.var(exprs_.text_of(param)));
    context_.names.define(exprs_.text_of(param), nodes.back());
  }
  exprs_.clear();
  lexer_.pass(Sign::close_paren, "behind the parameters");
  return nodes;
}

NodeId FunctionReader::attributes() {
  constexpr std::string_view kStart = "attrs=";
  if (!lexer_.rest().starts_with(kStart)) return NodeId::none;
  lexer_.pass(kStart.size());
  const std::vector<NamedNode> entries = attr_values_.entries();
  exprs_.clear();
  if (!entries.empty()) context_.lose(LossCode::value_kind, "attributes");
  return context_.builder.make(Kind::DictAttrs, {context_.builder.map(entries)});
}

/// The type of what `tir.ret` gives back; nothing where it is not called.
NodeId FunctionReader::ret_type(std::uint32_t first) const {
  for (std::uint32_t id = first; id < context_.builder.size(); ++id) {
    const Node node = context_.builder.node(static_cast<NodeId>(id));
    const bool is_call = node.is(Kind::Call) && node[f::Call::op].is(Kind::Op);
    if (!is_call || node[f::Call::op].text(f::Op::name) != "tir.ret") continue;
    const NodeList arguments = node.list(f::Call::args);
    if (arguments.size() == 1) return context_.make.prim_type(arguments[0].dtype());
  }
  return context_.make.void_type();
}

}  // namespace mlf::tir::repr
