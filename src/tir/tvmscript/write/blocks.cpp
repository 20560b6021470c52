// Blocks.
#include <fmt/core.h>

#include "tir/tvmscript/write/literals.h"
#include "tir/tvmscript/write/statements.h"

namespace mlf::tir::tvmscript {
namespace {

/// Of the types of iteration variables blocks have four.
std::string_view axis_function(Node axis) {
  switch (static_cast<IterVarType>(axis.integer(f::IterVar::iter_type))) {
    case IterVarType::DataPar:
      return "T.axis.spatial";
    case IterVarType::CommReduce:
      return "T.axis.reduce";
    case IterVarType::Ordered:
      return "T.axis.scan";
    case IterVarType::Opaque:
      return "T.axis.opaque";
    default:
      refuse(fmt::format("TVMScript has no axis of type {}",
                         enum_names(Expects::iter_var_type)[static_cast<std::size_t>(
                             axis.integer(f::IterVar::iter_type))]));
  }
}

}  // namespace

/// The BlockRealize and its block are one `with`.
void StatementPrinter::block_realize(const Step& step) {
  Step inner = step;
  inner.node = step.node[f::BlockRealize::block];
  if (!inner.node.is(Kind::Block)) refuse("a BlockRealize of something that is not a block");
  block(inner, step.node);
}

/// `with T.block("name"):`; since v0.12 a block may be there without being realized.
void StatementPrinter::block(const Step& step, Node realize) {
  const Node block = step.node;
  if (!realize && printer_.spelling().is_old()) {
    refuse("TVMScript before v0.12 has no blocks without a BlockRealize");
  }
  script_.line(step.indent,
               fmt::format("with T.block({}{}):", quoted(block.text(f::Block::name_hint)),
                           realize ? "" : ", no_realize=True"));
  close_scope_after(open_scope());
  block_head(block, realize, step.indent + 1);
  suite(block[f::Block::body], step.indent + 1);
  if (const Node init = block[f::Block::init]) {
    script_.line(step.indent + 1, "with T.init():");
    close_scope_after(open_scope());
    suite(init, step.indent + 2);
  }
}

/// The lines in the order in which TVM prints them: what a line uses is named above it.
void StatementPrinter::block_head(Node block, Node realize, Indent indent) {
  axes(block, realize, indent);
  declarations_.declare_ready_buffers(indent);
  if (realize && !is_int(realize[f::BlockRealize::predicate], 1)) {
    script_.line(
        indent,
        TextFragments().text("T.where(").expr(realize[f::BlockRealize::predicate]).text(")"));
  }
  for (const Node buffer : block.list(f::Block::alloc_buffers)) {
    const TextFragments stated = declarations_.arguments(buffer);
    const std::string name = define(buffer);
    script_.line(indent,
                 TextFragments().text(name + " = T.alloc_buffer(").append(stated).text(")"));
  }
  regions("T.reads", block.list(f::Block::reads), indent);
  regions("T.writes", block.list(f::Block::writes), indent);
  if (const NodeMap notes = block.map(f::Block::annotations); !notes.empty()) {
    TextFragments line;
    line.text("T.block_attr({");
    for (std::size_t i = 0; i < notes.size(); ++i) {
      line.text(i == 0 ? "" : ", ").text(quoted(notes.name(i))).text(": ").value(notes.value(i));
    }
    script_.line(indent, line.text("})"));
  }
  for (const Node match : block.list(f::Block::match_buffers)) {
    const Node buffer = match[f::MatchBufferRegion::buffer];
    TextFragments stated;
    stated.value(match[f::MatchBufferRegion::source]).text(", ");
    stated.append(declarations_.arguments(buffer));
    const std::string name = define(buffer);
    script_.line(indent,
                 TextFragments().text(name + " = T.match_buffer(").append(stated).text(")"));
  }
  declarations_.declare_ready_buffers(indent);
}

/// `vi = T.axis.spatial(16, i)`, `vk = T.axis.reduce((2, 16), k)`
void StatementPrinter::axes(Node block, Node realize, Indent indent) {
  const NodeList iter_vars = block.list(f::Block::iter_vars);
  for (std::size_t i = 0; i < iter_vars.size(); ++i) {
    const Node min = iter_vars[i][f::IterVar::dom][f::Range::min];
    const Node extent = iter_vars[i][f::IterVar::dom][f::Range::extent];
    TextFragments line;
    line.text(axis_function(iter_vars[i])).text("(");
    if (is_int(min, 0) && min.dtype() == extent.dtype()) {
      line.expr(extent);
    } else {
      line.text("(").expr(min).text(", ").append(end_of(min, extent)).text(")");
    }
    if (realize) line.text(", ").expr(realize.list(f::BlockRealize::iter_values)[i]);
    const std::string name = define(iter_vars[i][f::IterVar::var]);
    script_.line(indent, TextFragments().text(name + " = ").append(line).text(")"));
  }
}

/// Also where there are none: without the line the parser would infer them.
void StatementPrinter::regions(std::string_view callee, NodeList regions, Indent indent) {
  // v0.8 has one list, later versions one argument for each region.
  const bool is_list = printer_.spelling().regions == Spelling::Regions::list;
  script_.line(indent, TextFragments()
                           .text(callee)
                           .text(is_list ? "([" : "(")
                           .list(regions, PrintAs::value)
                           .text(is_list ? "])" : ")"));
}

}  // namespace mlf::tir::tvmscript
