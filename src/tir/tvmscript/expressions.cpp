#include "tir/tvmscript/context.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "support/error.h"
#include "tir/reader.h"
#include "tir/tvm_features.h"

namespace mlf::tir::tvmscript {
namespace {

using text::DtypePosition;
using text::OpInfo;

/// Arguments as expressions, from left to right.
std::vector<NodeId> argument_exprs(Context& c, const Arguments& args, std::size_t first,
                                   std::size_t last) {
  std::vector<NodeId> nodes;
  nodes.reserve(last - first);
  for (std::size_t i = first; i < last; ++i) nodes.push_back(as_expr(c, args[i]));
  return nodes;
}

/// Since v0.12 the printer omits the dtype of such calls: it is set after all functions have been
/// read.
NodeId call_function(Context& c, std::string_view name, const Arguments& args) {
  const NodeId callee = c.make.global_var(name);
  const std::vector<NodeId> nodes = argument_exprs(c, args, 0, args.size());
  if (const auto printed = args.keyword("dtype")) {
    return c.make.call(callee, nodes, as_dtype(c, *printed));
  }
  const NodeId node = c.make.call(callee, nodes, DType::Void());
  c.function_calls.push_back({node, callee});
  c.lose(LossCode::ret_type);
  return node;
}

/// Before v0.12 every call states its dtype by keyword. Since then the attribute
/// TScriptDtypePrintLocation of an operator (src/tir/op/builtin.cc) states whether it is the first
/// or the last argument; for all others it is inferred.
NodeId call_op(Context& c, const OpInfo& op, const Arguments& args) {
  args.expect_keywords({"dtype"});
  c.versions.at_least(op.since);
  // v0.16 prints `return x` instead.
  if (op.name == "tir.ret") c.versions.observe_absence(TvmFeature::return_statement);
  const auto named_dtype = args.keyword("dtype");
  std::size_t first = 0;
  std::size_t last = args.size();
  std::optional<DType> printed;
  if (named_dtype) {
    printed = as_dtype(c, *named_dtype);
  } else if (op.dtype_position == DtypePosition::first) {
    args.expect(1, SIZE_MAX);
    printed = as_dtype(c, args[first++]);
  } else if (op.dtype_position == DtypePosition::last) {
    args.expect(1, SIZE_MAX);
    printed = as_dtype(c, args[--last]);
  }
  const bool is_llvm = op.name == "tir.call_llvm_intrin" || op.name == "tir.call_llvm_pure_intrin";
  if (is_llvm && first < last && args[first].kind == ValueKind::string) {
    // Before v0.15 the printer writes the number of the intrinsic.
    c.versions.observe(TvmFeature::names_llvm_intrinsics);
    c.lose(LossCode::llvm_intrinsic, as_string(c, args[first]));
  }
  const std::vector<NodeId> nodes = argument_exprs(c, args, first, last);
  if (printed) return c.make.call(c.make.op(op.name), nodes, *printed);
  return c.make.call_inferred(op.name, nodes, c.function());
}

/// Functions of TVM's parser without an expression: they are never operators.
bool is_statement_of_parser(std::string_view name) {
  constexpr std::string_view kNames[] = {
      "If",       "Then",      "Else",     "While",          "Range",  "arg",
      "block",    "func_name", "func_ret", "grid",           "init",   "macro",
      "parallel", "prim_func", "serial",   "thread_binding", "unroll", "vectorized"};
  constexpr Form::Construct kConstructs[] = {Form::Construct::definition, Form::Construct::scope,
                                             Form::Construct::line};
  return name.starts_with("axis.") || std::ranges::find(kNames, name) != std::end(kNames) ||
         std::ranges::any_of(kConstructs, [&](Form::Construct construct) {
           return find_form(construct, Form::Prefix::tir, name) != nullptr;
         });
}

/// A builtin that our table does not know: the name determines the operator, and the dtype is a
/// guess.
NodeId call_unknown(Context& c, std::string_view name, const Arguments& args) {
  if (is_statement_of_parser(name)) args.fail(fmt::format("{} is no expression", args.callee()));
  const std::string full =
      name.starts_with("tir.") ? std::string(name) : fmt::format("tir.{}", name);
  const std::vector<NodeId> nodes = argument_exprs(c, args, 0, args.size());
  if (const auto named = args.keyword("dtype")) {
    return c.make.call(c.make.op(full), nodes, as_dtype(c, *named));
  }
  c.lose(LossCode::unknown_construct, full);
  return c.make.call_inferred(full, nodes, c.function());
}

/// v0.18 prints whole numbers as `1.0`, older versions as `1`.
void note_float_format(Context& c, DType dtype, const Value& value) {
  if (!dtype.is_float()) return;
  if (value.kind == ValueKind::integer) c.versions.observe_absence(TvmFeature::decimal_points);
  if (value.kind == ValueKind::real && c.values.text(value).ends_with(".0")) {
    c.versions.observe(TvmFeature::decimal_points);
  }
}

/// `T.int64(3)`, `T.float32("inf")`; with an expression it is a cast.
NodeId construct(Context& c, DType dtype, const Arguments& args) {
  if (args.size() == 0) {
    args.fail(fmt::format("{}() declares a variable and must be alone behind '='", args.callee()));
  }
  args.expect(1, 1, {});
  const Value value = args[0];
  const DType element = dtype.element();
  NodeId node = NodeId::none;
  // Literals become constants of the dtype, not casts of int32 ones.
  switch (value.kind) {
    case ValueKind::integer:
    case ValueKind::real:
    case ValueKind::string:
      if (value.kind == ValueKind::real && !dtype.is_float()) fail_expected(c, value, "an integer");
      note_float_format(c, dtype, value);
      node = dtype.is_float() ? c.make.float_imm(element, as_real(c, value))
                              : c.make.int_imm(element, as_integer(c, value));
      break;
    case ValueKind::boolean:
      node = c.make.int_imm(element, as_boolean(c, value) ? 1 : 0);
      break;
    default:
      return make_cast(c, dtype, as_expr(c, value));
  }
  return dtype.is_scalar() ? node : c.make.broadcast(node, c.make.int32(dtype.lanes));
}

/// `A.access_ptr("r", offset=16)`: what TVM makes of it, without vectors.
NodeId access_pointer(Context& c, const Value& method, const Arguments& args) {
  args.expect(1, 5, {"access_mask", "ptr_type", "content_lanes", "offset", "extent"});
  const Value access = args.get(0, "access_mask");
  const std::string_view mask =
      access.kind == ValueKind::string ? as_string(c, access) : std::string_view();
  const std::int64_t bits = mask.empty()  ? as_integer(c, access)
                            : mask == "r" ? 1
                            : mask == "w" ? 2
                                          : 3;
  const auto lanes = args.find(2, "content_lanes");
  if (lanes && as_integer(c, *lanes) != 1) args.fail("a pointer to vectors cannot be read");
  const Node buffer = c.node(method.node);
  const NodeList strides = buffer.list(f::Buffer::strides);
  const NodeList shape = buffer.list(f::Buffer::shape);
  NodeId extent = c.make.int32(1);
  for (const Node dimension : shape) extent = folded_binary(c, Kind::Mul, extent, dimension.id());
  if (!strides.empty()) extent = folded_binary(c, Kind::Mul, strides[0].id(), shape[0].id());
  NodeId offset = buffer[f::Buffer::elem_offset].id();
  if (const auto given = args.find(3, "offset")) {
    const NodeId by = as_expr(c, *given);
    offset = folded_binary(c, Kind::Add, offset, by);
    extent = folded_binary(c, Kind::Sub, extent, by);
  }
  if (const auto given = args.find(4, "extent")) extent = as_expr(c, *given);
  const DType element = buffer.dtype(f::Buffer::dtype);
  const NodeId type = c.make.call(c.make.op("tir.type_annotation"), {}, element);
  const std::array arguments{type, buffer[f::Buffer::data].id(), offset, extent,
                             c.make.int32(bits)};
  return c.make.call(c.make.op("tir.tvm_access_ptr"), arguments, DType::Handle());
}

/// `A.vload([…], predicate=p)`
NodeId predicated_load(Context& c, const Value& method, const Arguments& args) {
  if (c.values.name(method) != "vload") {
    args.fail(fmt::format("{} is not an expression", args.callee()));
  }
  args.expect(1, 3, {"predicate", "dtype"});
  c.versions.observe(TvmFeature::predicated_accesses);
  const std::vector<NodeId> nodes = as_exprs(c, args[0]);
  const text::Syntax& whole = c.values.syntax(args.call().syntax);
  c.check_lanes(method.node, nodes, whole.begin, whole.end);
  return c.make.buffer_load(method.node, nodes, as_optional_expr(c, args.keyword("predicate")));
}

/// A name after the prefix has the same meaning everywhere, so it is looked up once.
const Callee& resolve(Context& c, std::string_view name) {
  const auto [found, is_new] = c.callees.try_emplace(name);
  Callee& callee = found->second;
  if (!is_new) return callee;
  callee.form = find_form(Form::Construct::expression, Form::Prefix::tir, name);
  if (callee.form != nullptr) return callee;
  callee.op = text::find_script_op(name);
  // Before v0.12 every operator had its own name.
  if (callee.op == nullptr) callee.op = text::find_op(fmt::format("tir.{}", name));
  if (callee.op == nullptr) callee.dtype = script_dtype(name);
  return callee;
}

/// Forms come first, because some have the name of an operator.
NodeId call_tir(Context& c, std::string_view name, const Arguments& args) {
  const Callee& callee = resolve(c, name);
  if (callee.form != nullptr) return read_form(c, *callee.form, args);
  if (callee.op != nullptr) return call_op(c, *callee.op, args);
  if (callee.dtype) return construct(c, *callee.dtype, args);
  return call_unknown(c, name, args);
}

/// Depends on the text before the last dot: a prefix, the module, or nothing.
NodeId call_path(Context& c, std::string_view path, const Arguments& args) {
  if (const auto name = after_prefix(path, c.prefixes.tir); !name.empty()) {
    return call_tir(c, name, args);
  }
  if (const auto name = after_prefix(path, c.prefixes.ir); !name.empty()) {
    const Form* const form = find_form(Form::Construct::expression, Form::Prefix::ir, name);
    if (form == nullptr) args.fail(fmt::format("unknown function {}", path));
    return read_form(c, *form, args);
  }
  const std::string_view tvm_name = after_prefix(path, "tvm");
  if (const Form* const form =
          find_form(Form::Construct::expression, Form::Prefix::tvm, tvm_name)) {
    return read_form(c, *form, args);
  }
  for (const std::string_view module : {c.module_name, std::string_view("cls")}) {
    if (const auto name = after_prefix(path, module); !name.empty()) {
      // v0.12 has a string literal where v0.13 has a member of the module.
      c.versions.observe(TvmFeature::calls_by_module);
      return call_function(c, name, args);
    }
  }
  if (path.find('.') != std::string_view::npos) args.fail(fmt::format("unknown function {}", path));
  // Since v0.12 printers call no function by its bare name: that would be a Python function.
  const bool is_python = !c.rules.is_old() &&
                         c.source.text.find(fmt::format("def {}(", path)) == std::string_view::npos;
  if (is_python) {
    throw UndefinedName(ErrorKind::invalid_input, fmt::format("'{}' is not defined", path),
                        c.source.locate(c.values.begin(args.call()), path.size()));
  }
  return call_function(c, path, args);
}

}  // namespace

NodeId read_call(Context& c, const Value& callee, const Arguments& args) {
  switch (callee.kind) {
    case ValueKind::name:
      return call_path(c, c.values.text(callee), args);
    case ValueKind::string:  // v0.12 calls a function of the module by a string
      c.versions.observe(TvmFeature::calls_by_string);
      return call_function(c, as_string(c, callee), args);
    case ValueKind::member:
      if (is_array(c, callee.node)) return callee.node;
      return c.values.name(callee) == "access_ptr" ? access_pointer(c, callee, args)
                                                   : predicated_load(c, callee, args);
    default:
      c.values.fail(callee, fmt::format("{} cannot be called", c.values.text(callee)));
  }
}

void refuse_later(const Context& c, std::size_t offset, std::string_view sign) {
  support::fail_at(c.source, offset,
                   refusal_of_other_tvm(fmt::format("TVMScript of TVM 0.24 or later ({})", sign)),
                   0);
}

// --- Calls that are statements, or parts of statements -----------------------------------------

std::vector<SyntaxId> argument_syntax(Context& c, SyntaxId root) {
  std::vector<SyntaxId> all = c.values.children(root);
  all.erase(all.begin());
  return all;
}

Arguments arguments_of(Context& c, SyntaxId root) {
  std::vector<Value> values;
  for (const SyntaxId argument : argument_syntax(c, root)) values.push_back(lower(c, argument));
  const SyntaxId callee = c.values.tree().first_child(root);
  return {c.values, Value{.kind = ValueKind::node, .syntax = root}, c.values.text(callee),
          c.values.hold(values)};
}

std::string_view tir_callee(Context& c, SyntaxId root) {
  if (c.values.syntax(root).kind != SyntaxKind::call) return {};
  const SyntaxId callee = c.values.tree().first_child(root);
  if (c.values.syntax(callee).kind != SyntaxKind::attribute) return {};
  const std::string_view name = after_prefix(c.values.text(callee), c.prefixes.tir);
  if (name.starts_with("sblock")) refuse_later(c, c.values.syntax(root).begin, "sblock");
  return name;
}

std::string_view ir_callee(Context& c, SyntaxId root) {
  if (c.values.syntax(root).kind != SyntaxKind::call) return {};
  return after_prefix(c.values.text(c.values.tree().first_child(root)), c.prefixes.ir);
}

std::string_view tir_generic(Context& c, SyntaxId root) {
  if (c.values.syntax(root).kind != SyntaxKind::subscript) return {};
  return after_prefix(c.values.text(c.values.tree().first_child(root)), c.prefixes.tir);
}

void add_unknown_names(Context& c, SyntaxId root, std::set<std::string_view>& names) {
  for (SyntaxId i = c.values.syntax(root).first; i < root; ++i) {
    const text::Syntax& syntax = c.values.syntax(i);
    if (syntax.kind != SyntaxKind::name) continue;
    const std::string_view next = c.values.slice(syntax.end, syntax.end + 1);
    const std::string_view name = c.values.slice(syntax.begin, syntax.end);
    const bool is_operand = next != "." && next != "(";
    if (is_operand && c.names.find(name) == NodeId::none) names.insert(name);
  }
}

// --- Lowering ----------------------------------------------------------------------------------

namespace {

/// A bound name refers to its object, even if it is spelled like a constant.
void lower_name(Context& c, SyntaxId id) {
  const std::string_view name = c.values.text(id);
  if (const NodeId bound = c.names.find(name); bound != NodeId::none) {
    return c.values.push(bound, id);
  }
  if (name == "None") return c.values.push(ValueKind::none, id);
  if (name == "True" || name == "False") return c.values.push(ValueKind::boolean, id);
  if (name == "inf" || name == "nan") {  // up to v0.9; strings since
    c.versions.observe(TvmFeature::bare_infinity);
    return c.values.push(ValueKind::real, id);
  }
  c.values.push(is_constant_text(name) ? ValueKind::elements : ValueKind::name, id);
}

/// TVM has no negation: `-x` is a product, as TVM's operator makes it.
void lower_unary(Context& c, SyntaxId id) {
  Value& operand = c.values.top();
  if (c.values.syntax(id).sign == Sign::tilde) {
    const NodeId value = as_expr(c, operand);
    const DType dtype = c.make.dtype_of(value);
    return c.values.replace(1, c.make.call(c.make.op("tir.bitwise_not"), {&value, 1}, dtype), id);
  }
  if (c.values.syntax(id).sign == Sign::not_) {
    return c.values.replace(1, c.make.logical_not(as_expr(c, operand)), id);
  }
  if (operand.kind == ValueKind::integer || operand.kind == ValueKind::real) {
    // Negative literals stay literals.
    operand.syntax = id;  // the text of the literal now begins with its sign
    return;
  }
  const NodeId value = as_expr(c, operand);
  const DType dtype = c.make.dtype_of(value);
  if (dtype.is_handle() || dtype.is_void()) fail_expected(c, operand, "a number");
  const DType element = dtype.element();
  NodeId minus_one = dtype.is_float() ? c.make.float_imm(element, -1) : c.make.int_imm(element, -1);
  if (!dtype.is_scalar()) minus_one = c.make.broadcast(minus_one, c.make.int32(dtype.lanes));
  c.values.replace(1, c.make.binary(Kind::Mul, value, minus_one), id);
}

void lower_binary(Context& c, SyntaxId id) {
  const Value a = c.values.top(2).front();
  const Value b = c.values.top();
  const Sign sign = c.values.syntax(id).sign;
  const auto* const bits = std::ranges::find(kBitOperators, sign, &BitOperator::sign);
  const NodeId node = bits != std::end(kBitOperators)
                          ? make_bitwise(c, bits->function, a, b)
                          : make_binary(c, operator_of(sign).kind, a, b);
  c.values.replace(2, node, id);
}

/// The callee and the arguments are on the stack, the last argument on top.
void lower_call(Context& c, SyntaxId id) {
  const std::uint32_t count = c.values.syntax(id).arity - 1;
  const Value callee = c.values.top(count + 1).front();
  if (count == 1 && callee.kind == ValueKind::name && c.values.text(callee) == "float" &&
      c.values.top().kind == ValueKind::string) {
    c.values.drop(2);
    return c.values.push(ValueKind::real, id);
  }
  const Value items = c.values.take_items(count);
  const Value whole{.kind = ValueKind::node, .syntax = id};
  const Arguments args(c.values, whole, c.values.text(callee), items);
  c.values.replace(1, read_call(c, callee, args), id);
}

/// Lowers one node; returns the last node that is complete.
SyntaxId step(Context& c, SyntaxId id) {
  switch (c.values.syntax(id).kind) {
    case SyntaxKind::name:
      lower_name(c, id);
      break;
    case SyntaxKind::unary:
      lower_unary(c, id);
      break;
    case SyntaxKind::binary:
      lower_binary(c, id);
      break;
    case SyntaxKind::attribute:
      lower_attribute(c, id);
      break;
    case SyntaxKind::call:
      lower_call(c, id);
      break;
    case SyntaxKind::subscript:
      lower_subscript(c, id);
      break;
    case SyntaxKind::slice:
      load_items(c, c.values.gather(id));
      break;
    case SyntaxKind::lambda_params:
      return skip_lambda(c, id);
    default:
      c.values.gather(id);
  }
  return id;
}

}  // namespace

/// The syntax is in post-order: each step finds the values of its children on the stack.
Value lower(Context& c, SyntaxId root) {
  for (SyntaxId i = c.values.syntax(root).first; i <= root; ++i) i = step(c, i);
  return c.values.pop();
}

Value read_value(Context& c) {
  return lower(c, c.parser.parse());
}

}  // namespace mlf::tir::tvmscript
