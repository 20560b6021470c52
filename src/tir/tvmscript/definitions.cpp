#include "tir/tvmscript/definitions.h"

#include <fmt/core.h>

#include <algorithm>

#include "tir/tvmscript/accesses.h"
#include "tir/tvmscript/blocks.h"
#include "tir/tvmscript/buffers.h"
#include "tir/tvmscript/calls.h"
#include "tir/tvmscript/conversions.h"
#include "tir/tvmscript/lines.h"
#include "tir/tvmscript/read_forms.h"
#include "tir/tvmscript/types.h"

namespace mlf::tir::tvmscript {
namespace {

using text::SyntaxId;

/// A buffer that no statement makes: of a pointer that is defined elsewhere, or its own.
NodeId define_buffer(FunctionContext& fn, std::string_view name, const Arguments& args) {
  Context& c = fn.c;
  const NodeId buffer = declare_buffer(c, name, args, 0);
  c.builder.set_source_range(buffer, {fn.line_begin, c.lexer.token().begin});
  return declare(fn, buffer);
}

/// Outside of any block it belongs to the root block, which the printer leaves out.
NodeId define_alloc_buffer(FunctionContext& fn, std::string_view name, const Arguments& args) {
  Context& c = fn.c;
  if (fn.frames.blocks().empty()) open_root_block(fn);
  const NodeId buffer = declare_buffer(c, name, args, 0);
  c.builder.set_source_range(buffer, {fn.line_begin, c.lexer.token().begin});
  fn.frames.blocks().back().alloc_buffers.push_back(buffer);
  return buffer;
}

/// The variable of a thread that is launched further down.
NodeId define_env_thread(FunctionContext& fn, std::string_view name, const Arguments& args) {
  Context& c = fn.c;
  args.expect(1, 2);
  const DType dtype = args.size() > 1 ? as_dtype(c, args[1]) : DType::Int(32);
  const NodeId type = c.make.prim_type(dtype);
  NodeId var = NodeId::none;
  if (const auto ahead = c.threads_ahead.find(name); ahead != c.threads_ahead.end()) {
    var = ahead->second.var;
    c.builder.set(var, f::Var::type_annotation, type);
    c.threads_ahead.erase(ahead);
  } else {
    var = c.make.var(name, type);
  }
  const std::string_view tag = as_string(c, args[0]);
  fn.thread_tags[index(var)] = c.node(c.make.string(tag)).text(f::String::value);
  return var;
}

/// `T.var("int32")`, `T.buffer_var("float32", "global")`; `T.Ptr("float32", "global")` of the
/// development versions between v0.11 and v0.12.
NodeId define_old_var(FunctionContext& fn, std::string_view name, const Arguments& args) {
  Context& c = fn.c;
  args.expect(1, 2);
  const NodeId element = c.make.prim_type(as_dtype(c, args[0]));
  if (args.callee().ends_with(".var")) return declare(fn, c.make.var(name, element));
  const std::string_view scope = args.size() > 1 ? as_string(c, args[1]) : std::string_view();
  return declare(fn, c.make.var(name, c.make.pointer_type(element, scope)));
}

/// `x = T.Var("x", "int4")`: of a type that has no function of its own.
NodeId define_node_var(FunctionContext& fn, std::string_view name, const Arguments& args) {
  return declare(fn, constructed_var(fn, name, args));
}

/// `n = T.int32()`, `m = T.int64(is_size_var=True)`, `p = T.handle("float32", "global")`
NodeId define_var(FunctionContext& fn, std::string_view name, std::string_view callee,
                  const Arguments& args) {
  Context& c = fn.c;
  args.expect_keywords({"is_size_var", "is_unknown_type", "dtype", "storage_scope", "expr"});
  const auto size_var = args.keyword("is_size_var");
  const Kind kind = size_var && as_boolean(c, *size_var) ? Kind::SizeVar : Kind::Var;
  const auto element = args.find(0, "dtype");
  if (callee != "handle" || !element || element->kind == ValueKind::none) {
    return declare(fn, c.make.var(name, c.make.prim_type(*parse_dtype(callee)), kind));
  }
  const auto scope = args.find(1, "storage_scope");
  const NodeId pointee = element->kind == ValueKind::string
                             ? c.make.prim_type(as_dtype(c, *element))
                             : as_type(c, *element);
  const NodeId type =
      c.make.pointer_type(pointee, scope ? as_string(c, *scope) : std::string_view());
  return declare(fn, c.make.var(name, type, kind));
}

// --- Axes of blocks ----------------------------------------------------------------------------

/// An axis is an IterVar of the block, bound to a value where the block is realized.
void add_axis(FunctionContext& fn, std::string_view name, NodeId dom, IterVarType type,
              const std::optional<Value>& value) {
  Context& c = fn.c;
  const DType dtype = c.make.dtype_of(c.node(dom)[f::Range::extent].id());
  const NodeId bound = value ? as_expr_of(c, *value, dtype) : NodeId::none;
  const NodeId var = scope_var(fn, name, c.make.prim_type(dtype));
  text::BlockDraft& block = fn.frames.blocks().back();
  block.iter_vars.push_back(c.builder.make(Kind::IterVar, {dom, var, type, c.builder.string("")}));
  if (bound != NodeId::none) block.iter_values.push_back(bound);
  bind(fn, name, var);
}

/// `vi = T.axis.spatial(16, i)`, `vk = T.axis.reduce((2, 16), k)`
NodeId define_axis(FunctionContext& fn, std::string_view name, const Arguments& args) {
  Context& c = fn.c;
  args.expect(1, 2);
  text::BlockDraft& block = block_of(fn, args);
  const std::string_view kind = args.callee().substr(args.callee().rfind('.') + 1);
  const IterVarType type = kind == "spatial"  ? IterVarType::DataPar
                           : kind == "reduce" ? IterVarType::CommReduce
                           : kind == "scan"   ? IterVarType::Ordered
                                              : IterVarType::Opaque;
  NodeId min = NodeId::none;
  NodeId extent = NodeId::none;
  // A pair is the first value and the end.
  const std::vector<Value> bounds = c.values.elements(args[0]);
  if (bounds.size() == 2) {
    min = as_expr(c, bounds[0]);
    extent = c.make.extent(min, as_expr(c, bounds[1]), c.function());
  } else {
    extent = as_expr(c, bounds.front());
    min = c.make.int_imm(c.make.dtype_of(extent), 0);
  }
  const NodeId dom = c.builder.make(Kind::Range, {min, extent});
  const bool has_value = args.size() > 1;
  if (!has_value && block.realize == text::BlockDraft::Realize::yes) {
    args.fail(fmt::format("{} needs the value that the axis is bound to", args.callee()));
  }
  add_axis(fn, name, dom, type, has_value ? std::optional(args[1]) : std::nullopt);
  return NodeId::none;
}

/// Makes what `name = T.…(…)` defines for the rest of the scope.
using DefinitionReader = NodeId (*)(FunctionContext& fn, std::string_view name,
                                    const Arguments& args);

/// By the position of the form; null for regular ones and those of other places.
constexpr DefinitionReader kDefinitionReaders[] = {
#define MLF_READER_definition(reader) define_##reader
#include "tir/tvmscript/form_readers.def"
};

}  // namespace

/// Functions of dtypes declare where they have no argument; with one they are constants or casts.
bool is_declaration(FunctionContext& fn, SyntaxId value) {
  Context& c = fn.c;
  const std::string_view callee = tir_callee(c, value);
  if (find_form(Form::Place::definition, Form::Prefix::tir, callee) != nullptr) return true;
  const bool is_type = parse_dtype(callee) && c.values.syntax(value).kind == text::SyntaxKind::call;
  return is_type && (callee == "handle" || arguments_of(c, value).size() == 0);
}

NodeId read_declaration(FunctionContext& fn, std::string_view name, SyntaxId value) {
  const std::string_view callee = tir_callee(fn.c, value);
  const Arguments args = arguments_of(fn.c, value);
  const Form* const form = find_form(Form::Place::definition, Form::Prefix::tir, callee);
  if (form == nullptr) return define_var(fn, name, callee, args);
  note_version(fn.c, *form);
  return kDefinitionReaders[position_of(*form)](fn, name, args);
}

NodeId constructed_var(FunctionContext& fn, std::string_view name, const Arguments& args) {
  Context& c = fn.c;
  args.expect(2, 2);
  args.expect_keywords({});
  const Kind kind = args.callee().ends_with("SizeVar") ? Kind::SizeVar : Kind::Var;
  const Value& stated = args[1];
  const NodeId type =
      stated.kind == ValueKind::string ? c.make.prim_type(as_dtype(c, stated)) : as_type(c, stated);
  return c.make.var(name, type, kind);
}

namespace {

bool is_parameter(FunctionContext& fn, NodeId var) {
  // All parameters come before the first line of the body.
  if (fn.parameters.empty()) {
    for (const NodeId param : fn.draft.params) fn.parameters.insert(index(param));
  }
  return fn.parameters.contains(index(var));
}

}  // namespace

/// Of a parameter it binds the parameter, of a region it is a buffer of the block.
NodeId define_match_buffer(FunctionContext& fn, std::string_view name, const Arguments& args) {
  Context& c = fn.c;
  args.expect(1, SIZE_MAX);
  const Value source = args[0];
  if (source.kind == ValueKind::access) {
    text::BlockDraft& block = block_of(fn, args);
    const NodeId region = as_region(c, source);
    const NodeId buffer = declare_buffer(c, name, args, 1);
    block.match_buffers.push_back(c.builder.make(Kind::MatchBufferRegion, {buffer, region}));
    return buffer;
  }
  const NodeId param = as_var(c, source);
  if (!is_parameter(fn, param)) {
    c.values.fail(
        source, fmt::format("'{}' is not a parameter of {}", c.values.text(source), fn.draft.name));
  }
  const NodeId buffer = declare_buffer(c, name, args, 1);
  c.builder.set_source_range(buffer, {fn.line_begin, c.lexer.token().begin});
  fn.draft.buffer_map.push_back({param, buffer});
  return buffer;
}

/// `vi, vj, vk = T.axis.remap("SSR", [i, j, k])`: each axis has the range of its loop.
void define_remap(FunctionContext& fn, const std::vector<SyntaxId>& names, const Arguments& args) {
  Context& c = fn.c;
  args.expect(2, 2);
  block_of(fn, args);
  const std::string_view kinds = as_string(c, args[0]);
  const std::vector<Value> loops = c.values.elements(args[1]);
  if (kinds.size() != names.size() || loops.size() != names.size()) {
    args.fail(fmt::format("{} names for {} kinds of axes and {} loop variables", names.size(),
                          kinds.size(), loops.size()));
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto range = fn.loop_ranges.find(index(as_var(c, loops[i])));
    if (range == fn.loop_ranges.end()) {
      c.values.fail(loops[i], fmt::format("'{}' is not a loop variable", c.values.text(loops[i])));
    }
    // The printer merges only spatial and reduction axes over plain loop variables.
    if (kinds[i] != 'S' && kinds[i] != 'R') {
      c.values.fail(args[0], "the kinds of axes are 'S' (spatial) and 'R' (reduce)");
    }
    const NodeId dom = c.builder.make(Kind::Range, {range->second.min, range->second.extent});
    add_axis(fn, target_name(fn, names[i]), dom,
             kinds[i] == 'S' ? IterVarType::DataPar : IterVarType::CommReduce, loops[i]);
  }
}

}  // namespace mlf::tir::tvmscript
