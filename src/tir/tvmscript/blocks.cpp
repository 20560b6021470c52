#include "tir/tvmscript/blocks.h"

#include <fmt/core.h>

#include <algorithm>

#include "tir/tvmscript/accesses.h"
#include "tir/tvmscript/attributes.h"
#include "tir/tvmscript/buffers.h"
#include "tir/tvmscript/conversions.h"
#include "tir/tvmscript/definitions.h"
#include "tir/tvmscript/expressions.h"
#include "tir/tvmscript/lines.h"
#include "tir/tvmscript/read_forms.h"

namespace mlf::tir::tvmscript {

text::BlockDraft& block_of(FunctionContext& fn, const Arguments& args) {
  if (fn.frames.blocks().empty()) {
    args.fail(fmt::format("{} is outside of a block", args.callee()));
  }
  return fn.frames.blocks().back();
}

void open_block(FunctionContext& fn, const Arguments& args) {
  Context& c = fn.c;
  args.expect(0, 1);
  args.expect_keywords({"no_realize"});
  text::BlockDraft block;
  if (args.size() > 0) block.name = as_string(c, args[0]);
  const auto no_realize = args.keyword("no_realize");
  if (no_realize && as_boolean(c, *no_realize)) block.realize = text::BlockDraft::Realize::no;
  open_frame(fn, FrameKind::block, Reach::own_suite);
  fn.frames.blocks().push_back(std::move(block));
}

/// The rest of the function under the comment `# with T.block("root"):`.
void open_root_block(FunctionContext& fn) {
  fn.c.lose(LossCode::root_block);
  open_frame(fn, FrameKind::block, Reach::rest_of_suite);
  text::BlockDraft root;
  root.name = "root";
  fn.frames.blocks().push_back(std::move(root));
}

void open_init(FunctionContext& fn, const Arguments& args) {
  args.expect(0, 0);
  block_of(fn, args);
  open_frame(fn, FrameKind::init, Reach::own_suite);
}

// --- Lines -------------------------------------------------------------------------------------

namespace {

/// Attributes of several lines add up: people write them so.
void line_func_attr(FunctionContext& fn, const Arguments& args) {
  args.expect(1, 1);
  fn.draft.states_attrs = true;
  add_attributes(fn.c, args[0], fn.draft.attrs, fn.draft.attr_names);
}

/// A match_buffer whose buffer nobody uses.
void line_match_buffer_line(FunctionContext& fn, const Arguments& args) {
  define_match_buffer(fn, "buffer", args);
}

/// `T.preflattened_buffer(A, [4, 4], dtype="float32", data=A.data)`: what the buffer of a parameter
/// was before it was flattened.
void line_preflattened_buffer(FunctionContext& fn, const Arguments& args) {
  Context& c = fn.c;
  args.expect(2, SIZE_MAX);
  const NodeId flat = as_buffer(c, args[0]);
  const auto mapped = std::ranges::find(fn.draft.buffer_map, flat, &NodePair::value);
  if (mapped == fn.draft.buffer_map.end()) {
    c.values.fail(args[0], fmt::format("'{}' is not a parameter of {}", c.values.text(args[0]),
                                       fn.draft.name));
  }
  // A buffer of its own would have to name the pointer that it shares with the flat one.
  const NodeId buffer =
      args.keyword("data") ? declare_buffer(c, c.values.text(args[0]), args, 1) : flat;
  fn.draft.preflattened_buffer_map.push_back({mapped->key, buffer});
}

/// `T.prefetch(A, [T.Range(0, 64)])`; with other arguments it is the operator of that name.
void line_prefetch(FunctionContext& fn, const Arguments& args) {
  Context& c = fn.c;
  if (args.size() != 2 || args[1].kind != ValueKind::list) {
    return add_statement(
        fn, c.builder.make(Kind::Evaluate, {as_expr(c, lower(c, args.call().syntax))}));
  }
  const NodeId buffer = as_buffer(c, args[0]);
  std::vector<NodeId> bounds;
  for (const Value& bound : c.values.elements(args[1])) bounds.push_back(as_range(c, bound));
  add_statement(fn, c.builder.make(Kind::Prefetch, {buffer, c.builder.list(bounds)}));
}

/// The predicate of the BlockRealize.
void line_where(FunctionContext& fn, const Arguments& args) {
  args.expect(1, 1);
  block_of(fn, args).predicate = as_expr(fn.c, args[0]);
}

/// Regions one by one, or in a list.
std::vector<NodeId> as_regions(FunctionContext& fn, const Arguments& args) {
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < args.size(); ++i) {
    for (const Value& value : fn.c.values.elements(args[i])) {
      nodes.push_back(as_region(fn.c, value));
    }
  }
  return nodes;
}

void line_reads(FunctionContext& fn, const Arguments& args) {
  block_of(fn, args).reads = as_regions(fn, args);
}

void line_writes(FunctionContext& fn, const Arguments& args) {
  block_of(fn, args).writes = as_regions(fn, args);
}

void line_block_attr(FunctionContext& fn, const Arguments& args) {
  args.expect(1, 1);
  auto& block = block_of(fn, args);
  add_attributes(fn.c, args[0], block.annotations, block.annotation_names);
}

using LineReader = void (*)(FunctionContext& fn, const Arguments& args);

/// By the position of the form; null for regular ones and those of other places.
constexpr LineReader kLineReaders[] = {
#define MLF_READER_line(reader) line_##reader
#include "tir/tvmscript/form_readers.def"
};

}  // namespace

void read_line(FunctionContext& fn, const Form& form, const Arguments& args) {
  note_version(fn.c, form);
  if (const LineReader reader = kLineReaders[position_of(form)]) return reader(fn, args);
  add_statement(fn, fn.c.builder.make(form.kind, read_fields(fn.c, form, args)));
}

}  // namespace mlf::tir::tvmscript
