// What `name = T.…(…)` defines: buffers, variables, axes of blocks.
#include <fmt/core.h>

#include <algorithm>

#include "tir/tvmscript/buffers.h"
#include "tir/tvmscript/statements.h"

namespace mlf::tir::tvmscript {

using text::SyntaxId;

const std::unordered_map<std::string_view, Statements::Definition>& Statements::definitions() {
  using S = Statements;
  static const std::unordered_map<std::string_view, Definition> table{
      {"Buffer", &S::define_buffer},
      {"buffer_decl", &S::define_buffer},
      {"match_buffer", &S::define_match_buffer},
      {"alloc_buffer", &S::define_alloc_buffer},
      {"sblock_alloc_buffer", &S::define_alloc_buffer},
      {"env_thread", &S::define_env_thread},
      {"var", &S::define_old_var},
      {"buffer_var", &S::define_old_var},
      {"Ptr", &S::define_old_var},
      {"Var", &S::define_node_var},
      {"SizeVar", &S::define_node_var},
      {"axis.spatial", &S::define_axis},
      {"axis.reduce", &S::define_axis},
      {"axis.scan", &S::define_axis},
      {"axis.opaque", &S::define_axis},
  };
  return table;
}

NodeId Statements::define_buffer(std::string_view name, const Arguments& args) {
  const NodeId buffer = declare_buffer(exprs_, name, args, 0);
  c_.builder.set_source_range(buffer, {begin_, lexer_.token().begin});
  return declare(buffer);
}

/// Of a parameter it binds the parameter, of a region it is a buffer of the block.
NodeId Statements::define_match_buffer(std::string_view name, const Arguments& args) {
  args.expect(1, SIZE_MAX);
  const Value source = args[0];
  if (source.kind == ValueKind::access) {
    BlockDraft& block = block_of(args);
    const NodeId region = exprs_.region(source);
    const NodeId buffer = declare_buffer(exprs_, name, args, 1);
    block.match_buffers.push_back(c_.builder.make(Kind::MatchBufferRegion, {buffer, region}));
    return buffer;
  }
  const NodeId param = exprs_.var(source);
  const auto is_param = [&](NodeId id) { return id == param; };
  if (std::ranges::none_of(draft_->params, is_param)) {
    exprs_.fail(source,
                fmt::format("'{}' is no parameter of {}", exprs_.text(source), draft_->name));
  }
  const NodeId buffer = declare_buffer(exprs_, name, args, 1);
  c_.builder.set_source_range(buffer, {begin_, lexer_.token().begin});
  draft_->buffer_map.push_back({param, buffer});
  return buffer;
}

NodeId Statements::define_alloc_buffer(std::string_view name, const Arguments& args) {
  if (frames_.blocks().empty()) open_root_block();
  const NodeId buffer = declare_buffer(exprs_, name, args, 0);
  c_.builder.set_source_range(buffer, {begin_, lexer_.token().begin});
  frames_.blocks().back().alloc_buffers.push_back(buffer);
  return buffer;
}

NodeId Statements::define_env_thread(std::string_view name, const Arguments& args) {
  args.expect(1, 2);
  const DType dtype = args.size() > 1 ? exprs_.dtype(args[1]) : DType::Int(32);
  const NodeId var = c_.make.var(name, c_.make.prim_type(dtype));
  const std::string_view tag = exprs_.string(args[0]);
  thread_tags_[index(var)] = c_.node(c_.make.string(tag)).text(f::String::value);
  return var;
}

/// `T.var("int32")`, `T.buffer_var("float32", "global")`; `T.Ptr("float32", "global")` of the
/// development versions between v0.11 and v0.12.
NodeId Statements::define_old_var(std::string_view name, const Arguments& args) {
  args.expect(1, 2);
  const NodeId element = c_.make.prim_type(exprs_.dtype(args[0]));
  if (args.callee().ends_with(".var")) return declare(c_.make.var(name, element));
  const std::string_view scope = args.size() > 1 ? exprs_.string(args[1]) : std::string_view();
  return declare(c_.make.var(name, c_.make.pointer_type(element, scope)));
}

/// `x = T.Var("x", "int4")`: of a type that has no function of its own.
NodeId Statements::define_node_var(std::string_view name, const Arguments& args) {
  return declare(constructed_var(name, args));
}

NodeId Statements::constructed_var(std::string_view name, const Arguments& args) {
  args.expect(2, 2);
  args.expect_keywords({});
  const Kind kind = args.callee().ends_with("SizeVar") ? Kind::SizeVar : Kind::Var;
  const Value& stated = args[1];
  const NodeId type = stated.kind == ValueKind::string ? c_.make.prim_type(exprs_.dtype(stated))
                                                       : exprs_.type(stated);
  return c_.make.var(name, type, kind);
}

/// `n = T.int32()`, `m = T.int64(is_size_var=True)`, `p = T.handle("float32", "global")`
NodeId Statements::define_var(std::string_view name, std::string_view callee,
                              const Arguments& args) {
  args.expect_keywords({"is_size_var", "is_unknown_type", "dtype", "storage_scope", "expr"});
  const auto size_var = args.keyword("is_size_var");
  const Kind kind = size_var && exprs_.boolean(*size_var) ? Kind::SizeVar : Kind::Var;
  const auto element = args.find(0, "dtype");
  if (callee != "handle" || !element || element->kind == ValueKind::none) {
    return declare(c_.make.var(name, c_.make.prim_type(*parse_dtype(callee)), kind));
  }
  const auto scope = args.find(1, "storage_scope");
  const NodeId pointee = element->kind == ValueKind::string
                             ? c_.make.prim_type(exprs_.dtype(*element))
                             : exprs_.type(*element);
  const NodeId type =
      c_.make.pointer_type(pointee, scope ? exprs_.string(*scope) : std::string_view());
  return declare(c_.make.var(name, type, kind));
}

// --- Axes --------------------------------------------------------------------------------------

NodeId Statements::define_axis(std::string_view name, const Arguments& args) {
  args.expect(1, 2);
  BlockDraft& block = block_of(args);
  const std::string_view kind = args.callee().substr(args.callee().rfind('.') + 1);
  const IterVarType type = kind == "spatial"  ? IterVarType::DataPar
                           : kind == "reduce" ? IterVarType::CommReduce
                           : kind == "scan"   ? IterVarType::Ordered
                                              : IterVarType::Opaque;
  NodeId min = NodeId::none;
  NodeId extent = NodeId::none;
  const std::vector<Value> bounds = exprs_.elements(args[0]);
  if (bounds.size() == 2) {
    min = exprs_.expr(bounds[0]);
    extent = c_.make.extent(min, exprs_.expr(bounds[1]), c_.function());
  } else {
    extent = exprs_.expr(bounds.front());
    min = c_.make.int_imm(c_.make.dtype_of(extent), 0);
  }
  const NodeId dom = c_.builder.make(Kind::Range, {min, extent});
  const bool has_value = args.size() > 1;
  if (!has_value && block.realize == BlockDraft::Realize::yes) {
    args.fail(fmt::format("{} needs the value that the axis is bound to", args.callee()));
  }
  add_axis(name, dom, type, has_value ? std::optional(args[1]) : std::nullopt);
  return NodeId::none;
}

void Statements::add_axis(std::string_view name, NodeId dom, IterVarType type,
                          const std::optional<Value>& value) {
  const DType dtype = c_.make.dtype_of(c_.node(dom)[f::Range::extent].id());
  const NodeId bound = value ? exprs_.expr_as(*value, dtype) : NodeId::none;
  const NodeId var = scope_var(name, c_.make.prim_type(dtype));
  BlockDraft& block = frames_.blocks().back();
  block.iter_vars.push_back(
      c_.builder.make(Kind::IterVar, {dom, var, type, c_.builder.string("")}));
  if (bound != NodeId::none) block.iter_values.push_back(bound);
  bind(name, var);
}

/// `vi, vj, vk = T.axis.remap("SSR", [i, j, k])`: each axis has the range of its loop.
void Statements::define_remap(const std::vector<SyntaxId>& names, const Arguments& args) {
  args.expect(2, 2);
  block_of(args);
  const std::string_view kinds = exprs_.string(args[0]);
  const std::vector<Value> loops = exprs_.elements(args[1]);
  if (kinds.size() != names.size() || loops.size() != names.size()) {
    args.fail(fmt::format("{} names for {} kinds of axes and {} loop variables", names.size(),
                          kinds.size(), loops.size()));
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto range = loop_ranges_.find(index(exprs_.var(loops[i])));
    if (range == loop_ranges_.end()) {
      exprs_.fail(loops[i], fmt::format("'{}' is no loop variable", exprs_.text(loops[i])));
    }
    if (kinds[i] != 'S' && kinds[i] != 'R') {
      exprs_.fail(args[0], "the kinds of axes are 'S' (spatial) and 'R' (reduce)");
    }
    const NodeId dom = c_.builder.make(Kind::Range, {range->second.min, range->second.extent});
    add_axis(target_name(names[i]), dom,
             kinds[i] == 'S' ? IterVarType::DataPar : IterVarType::CommReduce, loops[i]);
  }
}

}  // namespace mlf::tir::tvmscript
