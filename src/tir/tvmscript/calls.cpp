// Calls by what is called: builtin operators, functions of the module, constructors.
#include <fmt/core.h>

#include "tir/tvm_features.h"
#include "tir/tvmscript/expressions.h"

namespace mlf::tir::tvmscript {

using text::DtypePosition;
using text::OpInfo;
using text::SyntaxId;
using text::SyntaxKind;

void Expressions::lower_call(SyntaxId id) {
  const std::uint32_t count = tree_[id].arity - 1;
  const Value callee = values_[values_.size() - count - 1];
  const Value items = take_items(count);
  values_.pop_back();
  const Value whole{.kind = ValueKind::node, .syntax = id};
  const Arguments args(*this, whole, text(callee), items.first, items.count);
  push_node(call(callee, args), id);
}

NodeId Expressions::call(const Value& callee, const Arguments& args) {
  switch (callee.kind) {
    case ValueKind::path:
      return call_path(text(callee), args);
    case ValueKind::string:  // v0.12 calls a function of the module by a string
      c_.versions.observe(TvmFeature::calls_by_string);
      return call_function(string(callee), args);
    case ValueKind::member:
      if (is_array(callee.node)) return callee.node;
      return load(callee, args);
    default:
      fail(callee, fmt::format("{} cannot be called", text(callee)));
  }
}

NodeId Expressions::call_path(std::string_view path, const Arguments& args) {
  if (const auto name = after_prefix(path, c_.prefixes.tir); !name.empty()) {
    return call_tir(name, args);
  }
  if (const auto name = after_prefix(path, c_.prefixes.ir); !name.empty()) {
    const auto form = ir_forms().find(name);
    if (form == ir_forms().end()) args.fail(fmt::format("unknown function {}", path));
    return (this->*form->second)(args);
  }
  if (const auto form = tvm_forms().find(after_prefix(path, "tvm")); form != tvm_forms().end()) {
    return (this->*form->second)(args);
  }
  for (const std::string_view module : {c_.module_name, std::string_view("cls")}) {
    if (const auto name = after_prefix(path, module); !name.empty()) {
      c_.versions.observe(TvmFeature::calls_by_module);
      return call_function(name, args);
    }
  }
  if (path.find('.') != std::string_view::npos) args.fail(fmt::format("unknown function {}", path));
  return call_function(path, args);
}

NodeId Expressions::call_function(std::string_view name, const Arguments& args) {
  const NodeId callee = c_.metadata.global_var(name);
  const std::vector<NodeId> nodes = argument_exprs(args, 0, args.size());
  if (const auto printed = args.keyword("dtype")) {
    return c_.make.call(callee, nodes, dtype(*printed));
  }
  const NodeId node = c_.make.call(callee, nodes, DType::Void());
  c_.calls.push_back({node, callee});
  c_.lose(LossCode::ret_type, "calls of functions");
  return node;
}

/// A name after the prefix means the same wherever it stands: it is looked up once.
const Expressions::Callee& Expressions::resolve(std::string_view name) {
  const auto [found, is_new] = callees_.try_emplace(name);
  Callee& callee = found->second;
  if (!is_new) return callee;
  if (const auto form = tir_forms().find(name); form != tir_forms().end()) {
    callee.form = form->second;
  } else if (const OpInfo* const op = text::find_script_op(name)) {
    callee.op = op;
  } else if (const OpInfo* const full = text::find_op(fmt::format("tir.{}", name))) {
    callee.op = full;  // before v0.12 no operator had another name
  } else {
    callee.dtype = parse_dtype(name);
  }
  return callee;
}

NodeId Expressions::call_tir(std::string_view name, const Arguments& args) {
  const Callee& callee = resolve(name);
  if (callee.form != nullptr) return (this->*callee.form)(args);
  if (callee.op != nullptr) return call_op(*callee.op, args);
  if (callee.dtype) return construct(*callee.dtype, args);
  return call_unknown(name, args);
}

std::vector<NodeId> Expressions::argument_exprs(const Arguments& args, std::size_t first,
                                                std::size_t last) {
  std::vector<NodeId> nodes;
  nodes.reserve(last - first);
  for (std::size_t i = first; i < last; ++i) nodes.push_back(expr(args[i]));
  return nodes;
}

NodeId Expressions::call_op(const OpInfo& op, const Arguments& args) {
  args.expect_keywords({"dtype"});
  c_.versions.at_least(op.since);
  if (op.name == "tir.ret") c_.versions.observe_absence(TvmFeature::return_statement);
  const auto named_dtype = args.keyword("dtype");
  std::size_t first = 0;
  std::size_t last = args.size();
  std::optional<DType> printed;
  if (named_dtype) {
    printed = dtype(*named_dtype);
  } else if (op.dtype_position == DtypePosition::first) {
    args.expect(1, SIZE_MAX);
    printed = dtype(args[first++]);
  } else if (op.dtype_position == DtypePosition::last) {
    args.expect(1, SIZE_MAX);
    printed = dtype(args[--last]);
  }
  const bool is_llvm = op.name == "tir.call_llvm_intrin" || op.name == "tir.call_llvm_pure_intrin";
  if (is_llvm && first < last && args[first].kind == ValueKind::string) {
    c_.versions.observe(TvmFeature::names_llvm_intrinsics);
    c_.lose(LossCode::llvm_intrinsic, string(args[first]));
  }
  const std::vector<NodeId> nodes = argument_exprs(args, first, last);
  if (printed) return c_.make.call(c_.make.op(op.name), nodes, *printed);
  return c_.make.call_inferred(op.name, nodes, c_.function());
}

/// A builtin that came after our table: the name says which operator, the dtype is a guess.
NodeId Expressions::call_unknown(std::string_view name, const Arguments& args) {
  const std::string full =
      name.starts_with("tir.") ? std::string(name) : fmt::format("tir.{}", name);
  const std::vector<NodeId> nodes = argument_exprs(args, 0, args.size());
  if (const auto named = args.keyword("dtype")) {
    return c_.make.call(c_.make.op(full), nodes, dtype(*named));
  }
  c_.lose(LossCode::unknown_construct, full);
  return c_.make.call_inferred(full, nodes, c_.function());
}

/// v0.18 prints whole numbers as `1.0`, older versions as `1`.
void Expressions::note_float_format(DType dtype, const Value& value) {
  if (!dtype.is_float()) return;
  if (value.kind == ValueKind::integer) c_.versions.observe_absence(TvmFeature::decimal_points);
  if (value.kind == ValueKind::real && text(value).ends_with(".0")) {
    c_.versions.observe(TvmFeature::decimal_points);
  }
}

/// `T.int64(3)`, `T.float32("inf")`; of an expression it is a cast.
NodeId Expressions::construct(DType dtype, const Arguments& args) {
  if (args.size() == 0) {
    args.fail(fmt::format("{}() declares a variable and stands alone behind '='", args.callee()));
  }
  args.expect(1, 1);
  args.expect_keywords({});
  const Value value = args[0];
  const DType element = dtype.element();
  NodeId node = NodeId::none;
  switch (value.kind) {
    case ValueKind::integer:
    case ValueKind::real:
    case ValueKind::string:
      if (value.kind == ValueKind::real && !dtype.is_float()) fail_expected(value, "an integer");
      note_float_format(dtype, value);
      node = dtype.is_float() ? c_.make.float_imm(element, real(value))
                              : c_.make.int_imm(element, integer(value));
      break;
    case ValueKind::boolean:
      node = c_.make.int_imm(element, boolean(value) ? 1 : 0);
      break;
    default:
      return c_.make.cast(dtype, expr(value));
  }
  return dtype.is_scalar() ? node : c_.make.broadcast(node, c_.make.int32(dtype.lanes));
}

/// `A.vload([…], predicate=p)`
NodeId Expressions::load(const Value& method, const Arguments& args) {
  if (name(method) != "vload") args.fail(fmt::format("{} is no expression", args.callee()));
  args.expect(1, 3);
  args.expect_keywords({"predicate", "dtype"});
  c_.versions.observe(TvmFeature::predicated_accesses);
  const std::vector<NodeId> nodes = exprs(args[0]);
  return c_.make.buffer_load(method.node, nodes, expr_or_none(args.keyword("predicate")));
}

// --- Calls that are statements -----------------------------------------------------------------

std::vector<SyntaxId> Expressions::argument_syntax(SyntaxId root) {
  tree_.children(root, children_);
  return {children_.begin() + 1, children_.end()};
}

Arguments Expressions::arguments(SyntaxId root) {
  std::vector<Value> values;
  for (const SyntaxId argument : argument_syntax(root)) values.push_back(lower(argument));
  const auto first = static_cast<std::uint32_t>(items_.size());
  items_.insert(items_.end(), values.begin(), values.end());
  tree_.children(root, children_);
  const Value callee{.kind = ValueKind::path, .syntax = children_[0]};
  return {*this, Value{.kind = ValueKind::node, .syntax = root}, text(callee), first,
          static_cast<std::uint32_t>(values.size())};
}

std::string_view Expressions::tir_callee(SyntaxId root) {
  if (tree_[root].kind != SyntaxKind::call) return {};
  tree_.children(root, children_);
  const text::Syntax& callee = tree_[children_[0]];
  if (callee.kind != SyntaxKind::attribute) return {};
  return after_prefix(lexer_.slice(callee.begin, callee.end), c_.prefixes.tir);
}

void Expressions::add_unknown_names(SyntaxId root, std::set<std::string_view>& names) const {
  for (SyntaxId i = tree_[root].first; i < root; ++i) {
    const text::Syntax& syntax = tree_[i];
    if (syntax.kind != SyntaxKind::name) continue;
    const std::string_view next = lexer_.slice(syntax.end, syntax.end + 1);
    const std::string_view name = lexer_.slice(syntax.begin, syntax.end);
    const bool is_operand = next != "." && next != "(";
    if (is_operand && c_.names.find(name) == NodeId::none) names.insert(name);
  }
}

std::string_view Expressions::tir_generic(SyntaxId root) {
  if (tree_[root].kind != SyntaxKind::subscript) return {};
  tree_.children(root, children_);
  const text::Syntax& base = tree_[children_[0]];
  return after_prefix(lexer_.slice(base.begin, base.end), c_.prefixes.tir);
}

std::string_view Expressions::ir_callee(SyntaxId root) {
  if (tree_[root].kind != SyntaxKind::call) return {};
  tree_.children(root, children_);
  const text::Syntax& callee = tree_[children_[0]];
  return after_prefix(lexer_.slice(callee.begin, callee.end), c_.prefixes.ir);
}

}  // namespace mlf::tir::tvmscript
