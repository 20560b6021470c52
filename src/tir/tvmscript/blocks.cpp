// Blocks, and the lines that belong to a block or to the function as a whole.
#include <fmt/core.h>

#include <algorithm>

#include "tir/tvm_features.h"
#include "tir/tvmscript/buffers.h"
#include "tir/tvmscript/statements.h"

namespace mlf::tir::tvmscript {

const std::unordered_map<std::string_view, Statements::Line>& Statements::lines() {
  using S = Statements;
  static const std::unordered_map<std::string_view, Line> table{
      {"func_attr", &S::line_func_attr},
      {"match_buffer", &S::line_match_buffer},
      {"evaluate", &S::line_evaluate},
      {"preflattened_buffer", &S::line_preflattened_buffer},
      {"store", &S::line_store},
      {"prefetch", &S::line_prefetch},
      {"where", &S::line_where},
      {"reads", &S::line_reads},
      {"writes", &S::line_writes},
      {"block_attr", &S::line_block_attr},
      {"sblock_attr", &S::line_block_attr},
  };
  return table;
}

void Statements::line_func_attr(const Arguments& args) {
  args.expect(1, 1);
  draft_->states_attrs = true;
  const std::vector<NamedNode> entries = exprs_.attribute_map(args[0]);
  draft_->attrs.insert(draft_->attrs.end(), entries.begin(), entries.end());
}

/// A match_buffer whose buffer nobody uses.
void Statements::line_match_buffer(const Arguments& args) {
  define_match_buffer("buffer", args);
}

void Statements::line_evaluate(const Arguments& args) {
  args.expect(1, 1);
  add(c_.builder.make(Kind::Evaluate, {exprs_.expr(args[0])}));
}

/// `T.preflattened_buffer(A, [4, 4], dtype="float32", data=A.data)`: what the buffer of a parameter
/// was before it was flattened.
void Statements::line_preflattened_buffer(const Arguments& args) {
  args.expect(2, SIZE_MAX);
  c_.versions.observe(TvmFeature::preflattened_buffer_map);
  const NodeId flat = exprs_.buffer(args[0]);
  const auto mapped = std::ranges::find(draft_->buffer_map, flat, &NodePair::value);
  if (mapped == draft_->buffer_map.end()) {
    exprs_.fail(args[0],
                fmt::format("'{}' is no parameter of {}", exprs_.text(args[0]), draft_->name));
  }
  // A buffer of its own would have to name the pointer that it shares with the flat one.
  const NodeId buffer =
      args.keyword("data") ? declare_buffer(exprs_, exprs_.text(args[0]), args, 1) : flat;
  draft_->preflattened_buffer_map.push_back({mapped->key, buffer});
}

/// `T.store(pointer, index, value, predicate)`
void Statements::line_store(const Arguments& args) {
  args.expect(3, 4);
  const NodeId pointer = exprs_.var(args[0]);
  const NodeId index = exprs_.expr(args[1]);
  const NodeId value = exprs_.expr(args[2]);
  const NodeId predicate = args.size() > 3 ? exprs_.expr(args[3]) : c_.make.boolean(1);
  add(c_.builder.make(Kind::Store, {pointer, value, index, predicate}));
}

/// `T.prefetch(A, [T.Range(0, 64)])`; with other arguments it is the operator of that name.
void Statements::line_prefetch(const Arguments& args) {
  if (args.size() != 2 || args[1].kind != ValueKind::list) {
    return add(c_.builder.make(Kind::Evaluate, {exprs_.expr(exprs_.lower(args.call().syntax))}));
  }
  const NodeId buffer = exprs_.buffer(args[0]);
  std::vector<NodeId> bounds;
  for (const Value& bound : exprs_.elements(args[1])) bounds.push_back(exprs_.range(bound));
  add(c_.builder.make(Kind::Prefetch, {buffer, c_.builder.list(bounds)}));
}

// --- Blocks ------------------------------------------------------------------------------------

BlockDraft& Statements::block_of(const Arguments& args) {
  if (frames_.blocks().empty()) {
    args.fail(fmt::format("{} stands outside of a block", args.callee()));
  }
  return frames_.blocks().back();
}

void Statements::open_block(const Arguments& args) {
  args.expect(0, 1);
  args.expect_keywords({"no_realize"});
  BlockDraft block;
  if (args.size() > 0) block.name = exprs_.string(args[0]);
  const auto no_realize = args.keyword("no_realize");
  if (no_realize && exprs_.boolean(*no_realize)) block.realize = BlockDraft::Realize::no;
  block.name = c_.node(c_.make.string(block.name)).text(f::String::value);
  open(FrameKind::block, Form::nested);
  frames_.blocks().push_back(std::move(block));
}

/// The rest of the function under the comment `# with T.block("root"):`.
void Statements::open_root_block() {
  c_.lose(LossCode::root_block, "root");
  open(FrameKind::block, Form::concise);
  BlockDraft root;
  root.name = "root";
  frames_.blocks().push_back(std::move(root));
}

void Statements::open_init(const Arguments& args) {
  args.expect(0, 0);
  block_of(args);
  open(FrameKind::init, Form::nested);
}

void Statements::line_where(const Arguments& args) {
  args.expect(1, 1);
  block_of(args).predicate = exprs_.expr(args[0]);
}

/// Regions one by one, or in a list.
std::vector<NodeId> Statements::regions(const Arguments& args) {
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < args.size(); ++i) {
    for (const Value& value : exprs_.elements(args[i])) nodes.push_back(exprs_.region(value));
  }
  return nodes;
}

void Statements::line_reads(const Arguments& args) {
  block_of(args).reads = regions(args);
}

void Statements::line_writes(const Arguments& args) {
  block_of(args).writes = regions(args);
}

void Statements::line_block_attr(const Arguments& args) {
  args.expect(1, 1);
  block_of(args).annotations = exprs_.attribute_map(args[0]);
}

}  // namespace mlf::tir::tvmscript
