// Blocks: an opening brace that is never closed, lines that describe the block, and one statement.
#include <fmt/core.h>

#include "tir/legacy/statements.h"

namespace mlf::tir::legacy {
namespace {

using text::Sign;
using text::SyntaxId;
using text::SyntaxKind;

struct Domain {
  std::string_view function;
  IterVarType type;
};
constexpr Domain kDomains[] = {
    {"tir.range", IterVarType::DataPar},
    {"tir.reduce_axis", IterVarType::CommReduce},
    {"tir.scan_axis", IterVarType::Ordered},
    {"tir.opaque_axis", IterVarType::Opaque},
};

}  // namespace

// `block([128, tir.reduce_axis(0, 128)], "C") as [i, k] {`
void StatementReader::block(std::uint32_t begin, SyntaxId call) {
  const auto parts = exprs_.arguments(call, 2, "block([domains], \"name\")");
  context_.is_flat = false;
  text::BlockDraft description;
  description.name = exprs_.string(exprs_.value(parts[1]));
  if (exprs_.syntax(parts[0]).kind != SyntaxKind::list) {
    exprs_.fail(parts[0], "expected a list of domains");
  }
  const std::vector<SyntaxId> domains = exprs_.children(parts[0]);
  std::vector<SyntaxId> names;
  if (lexer_.at_word("as")) {
    lexer_.advance();
    names = exprs_.children(exprs_.parse());
  }
  if (names.size() != domains.size()) {
    exprs_.fail(call, fmt::format("expected as many variables as domains, found {} and {}",
                                  names.size(), domains.size()));
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    description.iter_vars.push_back(iteration_variable(names[i], domains[i]));
  }
  lexer_.pass(Sign::open_brace, "in front of the body of a block");
  open({.open = Open::block, .begin = begin});
  blocks_.push_back(std::move(description));
}

/// The domain is printed as an extent, or as `tir.range(begin, end)` and the like, which say the
/// type of the variable too.
NodeId StatementReader::iteration_variable(SyntaxId name, SyntaxId domain) {
  const std::string_view function = exprs_.head_of(domain);
  IterVarType type = IterVarType::DataPar;
  NodeId range = NodeId::none;
  for (const Domain& known : kDomains) {
    if (known.function != function) continue;
    const auto bounds = exprs_.arguments(domain, 2, fmt::format("{}(begin, end)", function));
    const NodeId first = exprs_.expr(bounds[0]);
    const NodeId extent = context_.make.extent(first, exprs_.expr(bounds[1]), context_.function());
    range = context_.builder.make(Kind::Range, {first, extent});
    type = known.type;
  }
  if (range == NodeId::none) {
    const NodeId extent = exprs_.expr(domain);
    const NodeId zero = context_.make.int_imm(context_.make.dtype_of(extent), 0);
    range = context_.builder.make(Kind::Range, {zero, extent});
  }
  if (exprs_.syntax(name).kind != SyntaxKind::name) return iteration_node(range, name, type);
  const Node extent = context_.builder.node(range)[f::Range::extent];
  context_.lose(LossCode::var_type, "block variable");
  exprs_.define_var(exprs_.text_of(name), context_.make.prim_type(extent.dtype()));
  return iteration_node(range, name, type);
}

NodeId StatementReader::iteration_node(NodeId range, SyntaxId name, IterVarType type) {
  const NodeId variable = exprs_.var(exprs_.value(name));
  return context_.builder.make(Kind::IterVar, {range, variable, type, context_.builder.string("")});
}

/// A line that describes the block on top; false where the body begins.
bool StatementReader::block_line() {
  if (lexer_.at_word("with")) {
    lexer_.advance();
    if (exprs_.head_of(exprs_.parse()) != "init") {
      lexer_.fail(fmt::format("expected 'with init()', found {}", lexer_.found()));
    }
    const std::uint32_t begin = token().begin;
    open({.open = Open::init, .begin = begin});
    open_body(begin);
    return true;
  }
  const bool describes = lexer_.at_word("where") || lexer_.at_word("bind") ||
                         lexer_.at_word("tir.reads") || lexer_.at_word("tir.writes") ||
                         lexer_.at_word("tir.attrs");
  if (!describes) return false;
  block_call(exprs_.parse());
  return true;
}

void StatementReader::block_call(SyntaxId call) {
  const std::string_view word = exprs_.head_of(call);
  text::BlockDraft& description = blocks_.back();
  if (word == "where") {
    description.predicate = exprs_.expr(exprs_.arguments(call, 1, "where(predicate)")[0]);
  } else if (word == "bind") {
    const auto parts = exprs_.arguments(call, 2, "bind(variable, value)");
    static_cast<void>(exprs_.var(exprs_.value(parts[0])));
    description.iter_values.push_back(exprs_.expr(parts[1]));
  } else if (word == "tir.reads") {
    regions(call, description.reads);
  } else if (word == "tir.writes") {
    regions(call, description.writes);
  } else {
    description.annotations = exprs_.entries(exprs_.arguments(call, 1, "tir.attrs({…})")[0]);
  }
}

void StatementReader::regions(SyntaxId call, std::vector<NodeId>& into) {
  const auto list = exprs_.arguments(call, 1, fmt::format("{}([regions])", exprs_.head_of(call)));
  if (exprs_.syntax(list[0]).kind != SyntaxKind::list) {
    exprs_.fail(list[0], "expected a list of regions");
  }
  for (const SyntaxId region : exprs_.children(list[0])) into.push_back(exprs_.region(region));
}

NodeId StatementReader::finish_block(NodeId body) {
  const text::BlockDraft parts = std::move(blocks_.back());
  blocks_.pop_back();
  text::check_bindings(lexer_, parts);
  return text::make_block(context_.make, parts, body);
}

}  // namespace mlf::tir::legacy
