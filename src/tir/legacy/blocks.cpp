// Blocks: an opening brace that is never closed, lines that describe the block, and one statement.
#include <fmt/core.h>

#include "tir/legacy/expressions.h"
#include "tir/legacy/forms.h"
#include "tir/legacy/statements.h"

namespace mlf::tir::legacy {
namespace {

// A data-parallel variable that counts from 0 has its extent alone.
struct Domain {
  std::string_view function;
  IterVarType type;
};
constexpr Domain kDomains[] = {
#define MLF_IN_legacy(...) __VA_ARGS__
#define MLF_DOMAIN(dialects, name, type) MLF_IN_##dialects({name, IterVarType::type}, )
#include "tir/text/printed_forms.def"
#undef MLF_IN_legacy
};

/// The text has the variables of a block without a type where its name was handed out before, and
/// with one where it is printed for the first time.
NodeId make_block_variable(Context& c, NodeId range, SyntaxId name, IterVarType type) {
  const NodeId variable = as_var(c, lower(c, name));
  return c.builder.make(Kind::IterVar, {range, variable, type, c.builder.string("")});
}

/// The domain is printed as an extent, or as `tir.range(begin, end)` and the like, which say the
/// type of the variable too.
NodeId read_block_variable(Context& c, SyntaxId name, SyntaxId domain) {
  const std::string_view function = c.exprs.head_of(domain);
  IterVarType type = IterVarType::DataPar;
  NodeId range = NodeId::none;
  for (const Domain& known : kDomains) {
    if (known.function != function) continue;
    const auto bounds = c.exprs.arguments(domain, 2, fmt::format("{}(begin, end)", function));
    const NodeId first = as_expr(c, bounds[0]);
    const NodeId extent = c.make.extent(first, as_expr(c, bounds[1]), c.function());
    range = c.builder.make(Kind::Range, {first, extent});
    type = known.type;
  }
  if (range == NodeId::none) {
    const NodeId extent = as_expr(c, domain);
    const NodeId zero = c.make.int_imm(c.make.dtype_of(extent), 0);
    range = c.builder.make(Kind::Range, {zero, extent});
  }
  if (c.exprs.syntax(name).kind != SyntaxKind::name)
    return make_block_variable(c, range, name, type);
  const Node extent = c.builder.node(range)[f::Range::extent];
  c.lose(LossCode::var_type);
  define_var(c, c.exprs.text_of(name), c.make.prim_type(extent.dtype()));
  return make_block_variable(c, range, name, type);
}

/// `tir.reads([A[0:16, i], …])`: each region is a subscript, of which a single index is a range of
/// one element.
void read_regions(Context& c, SyntaxId call, std::vector<NodeId>& into) {
  const auto list = c.exprs.arguments(call, 1, fmt::format("{}([regions])", c.exprs.head_of(call)));
  if (c.exprs.syntax(list[0]).kind != SyntaxKind::list) {
    c.exprs.fail(list[0], "expected a list of regions");
  }
  for (const SyntaxId region : c.exprs.children(list[0])) into.push_back(read_region(c, region));
}

}  // namespace

// `block([128, tir.reduce_axis(0, 128)], "C") as [i, k] {`
void open_block(Context& c, std::uint32_t begin, SyntaxId call) {
  const auto parts = c.exprs.arguments(call, 2, "block([domains], \"name\")");
  c.is_flat = false;
  text::BlockDraft description;
  description.name = as_string(c, lower(c, parts[1]));
  if (c.exprs.syntax(parts[0]).kind != SyntaxKind::list) {
    c.exprs.fail(parts[0], "expected a list of domains");
  }
  const std::vector<SyntaxId> domains = c.exprs.children(parts[0]);
  std::vector<SyntaxId> names;
  if (c.lexer.at_word("as")) {
    c.lexer.advance();
    names = c.exprs.children(c.exprs.parse());
  }
  if (names.size() != domains.size()) {
    c.exprs.fail(call, fmt::format("expected as many variables as domains, found {} and {}",
                                   names.size(), domains.size()));
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    description.iter_vars.push_back(read_block_variable(c, names[i], domains[i]));
  }
  c.lexer.pass(Sign::open_brace, "in front of the body of a block");
  open_frame(c, {.open = Open::block, .begin = begin});
  c.blocks.push_back(std::move(description));
}

/// Printed where the predicate is not constant true.
void read_where(Context& c, SyntaxId call) {
  c.blocks.back().predicate = as_expr(c, c.exprs.arguments(call, 1, "where(predicate)")[0]);
}

/// TVM prints one line for each variable, in their order, so that the name is only checked.
void read_bind(Context& c, SyntaxId call) {
  const auto parts = c.exprs.arguments(call, 2, "bind(variable, value)");
  static_cast<void>(as_var(c, lower(c, parts[0])));
  c.blocks.back().iter_values.push_back(as_expr(c, parts[1]));
}

void read_reads(Context& c, SyntaxId call) {
  read_regions(c, call, c.blocks.back().reads);
}

void read_writes(Context& c, SyntaxId call) {
  read_regions(c, call, c.blocks.back().writes);
}

void read_block_attrs(Context& c, SyntaxId call) {
  c.blocks.back().annotations = read_entries(c, c.exprs.arguments(call, 1, "tir.attrs({…})")[0]);
}

bool read_block_line(Context& c) {
  if (c.lexer.at_word("with")) {
    c.lexer.advance();
    if (c.exprs.head_of(c.exprs.parse()) != "init") {
      c.lexer.fail(fmt::format("expected 'with init()', found {}", c.lexer.found()));
    }
    open_frame(c, {.open = Open::init, .begin = c.lexer.token().begin});
    open_body(c);
    return true;
  }
  if (!c.lexer.token().is(TokenKind::name)) return false;
  const Form* const form =
      forms().find(text::PrintedForm::Place::line, c.lexer.text(c.lexer.token()));
  if (form == nullptr) return false;
  form->describe(c, c.exprs.parse());
  return true;
}

/// The printer never closes a block's brace: its body is the one statement behind the lines, and
/// ends it.
NodeId finish_block(Context& c, NodeId body) {
  const text::BlockDraft parts = std::move(c.blocks.back());
  c.blocks.pop_back();
  text::check_bindings(c.lexer, parts);
  return text::make_block(c.make, parts, body);
}

}  // namespace mlf::tir::legacy
