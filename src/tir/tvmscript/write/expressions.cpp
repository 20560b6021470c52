// Prints expressions, and calls of the functions in forms.cpp.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tir/node_queries.h"
#include "tir/text/expr_factory.h"
#include "tir/text/op_table.h"
#include "tir/tvmscript/dialects.h"
#include "tir/tvmscript/forms.h"
#include "tir/tvmscript/write/printer.h"

namespace mlf::tir::tvmscript {
namespace {

constexpr double kLargestFloat32 = std::numeric_limits<float>::max();

bool is_number(Node node, double value) {
  if (node.is(Kind::IntImm)) return static_cast<double>(node.integer(f::IntImm::value)) == value;
  return node.is(Kind::FloatImm) && node.real(f::FloatImm::value) == value;
}

bool is_zero_or_one(Node node) {
  return is_number(node, 0) || is_number(node, 1);
}

/// Whether TVM's operator would make another node: it folds constants and omits neutral elements.
/// May return true when it would not.
bool would_fold(Node node) {
  const Node a = node[f::Add::a];
  const Node b = node[f::Add::b];
  if (is_number_literal(a) && is_number_literal(b)) return true;
  switch (node.kind()) {
    case Kind::Add:
    case Kind::Sub:
      return is_number(a, 0) || is_number(b, 0);
    case Kind::Mul:
    case Kind::Div:
    case Kind::FloorDiv:
    case Kind::FloorMod:
      return is_zero_or_one(a) || is_zero_or_one(b);
    default:
      return false;
  }
}

/// Whether the operator makes this kind of node from operands of this type.
bool has_symbol(Node node) {
  if (operator_for(node.kind()) == nullptr) return false;
  const DType dtype = node[f::Add::a].dtype();
  if (dtype != node[f::Add::b].dtype() || dtype.is_handle()) return false;
  const bool is_integer = dtype.is_int() || dtype.is_uint();
  switch (node.kind()) {
    case Kind::Div:
      return !is_integer;
    case Kind::FloorDiv:
    case Kind::FloorMod:
      return is_integer;
    case Kind::And:
    case Kind::Or:
      return dtype.is_scalar();  // for vectors it would be the bits
    default:
      return true;
  }
}

std::int64_t value_of(Node node) {
  return node.integer(f::IntImm::value);
}

/// Whether a number without a dtype is read with this one: a number too large for int32 would be
/// int64.
bool is_bare(DType dtype, std::int64_t value) {
  return dtype == DType::Int(32) && int_imm_holds(dtype, value);
}

/// A name of Python, in parts with points between.
void require_name_of_operator(std::string_view name) {
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('.', begin), name.size());
    if (!is_identifier(name.substr(begin, end - begin))) {
      refuse(fmt::format("an operator called '{}' cannot be written in Python", name));
    }
    begin = end + 1;
  }
}

void require_lanes(Node lanes) {
  if (text::lanes_of(lanes)) return;
  refuse("TVMScript has no words for a number of lanes that is not a constant");
}

}  // namespace

TextFragments end_of(Node begin, Node extent) {
  TextFragments fragments;
  if (is_int_imm(begin, 0)) return fragments.expr(extent);
  if (begin.is(Kind::IntImm) && extent.is(Kind::IntImm) && begin.dtype() == extent.dtype()) {
    // Unsigned, so invalid bounds wrap.
    const auto end = static_cast<std::int64_t>(static_cast<std::uint64_t>(value_of(begin)) +
                                               static_cast<std::uint64_t>(value_of(extent)));
    if (int_imm_holds(begin.dtype(), end)) {
      return fragments.text(is_bare(begin.dtype(), end)
                                ? fmt::format("{}", end)
                                : fmt::format("T.{}({})", to_string(begin.dtype()), end));
    }
  }
  return fragments.expr(begin, kSumLevel).text(" + ").expr(extent, kSumLevel + 1);
}

/// One step: the words of the node around its operands, which are printed later.
TextFragments& Printer::expand_expr(Node node, Level level, TextFragments& out) {
  switch (node.kind()) {
    case Kind::Var:
    case Kind::SizeVar:
      return var(node, out);
    case Kind::IntImm:
      return int_imm(node, out);
    case Kind::FloatImm:
      return float_imm(node, out);
    case Kind::StringImm:
      return out.text(quoted(node.text(f::StringImm::value)));
    case Kind::Not:
      return logical_not(node, level, out);
    case Kind::Ramp:
      require_lanes(node[f::Ramp::lanes]);
      return regular_form(node, out);
    case Kind::Broadcast:
      require_lanes(node[f::Broadcast::lanes]);
      return regular_form(node, out);
    case Kind::Cast:
    case Kind::Select:
    case Kind::Shuffle:
    case Kind::Load:
    case Kind::Any:
      return regular_form(node, out);
    case Kind::Let:
      return let(node, out);
    case Kind::Call:
      return call(node, out);
    case Kind::Reduce:
      return reduce(node, out);
    case Kind::BufferLoad:
      return buffer_load(node, out);
    case Kind::MissingObject:
      return object(node, out);
    case Kind::OpaqueExpr:
      refuse(fmt::format("an expression of the unknown type {} cannot be written in TVMScript",
                         node.text(f::OpaqueExpr::type_key)));
    default:
      if (is_binary(node.kind())) return binary(node, level, out);
      refuse_kind(node.kind(), minor_version_);
  }
}

TextFragments& Printer::var(Node node, TextFragments& out) {
  return out.text(name_of(node));
}

std::string_view Printer::name_of(Node node) const {
  const std::string_view name = names_.find(node.id());
  if (!name.empty()) return name;
  throw OutOfScope{node};
}

/// Only int32 is printed bare: other widths have functions, and unusual ones need the constructor.
TextFragments& Printer::int_imm(Node node, TextFragments& out) {
  const DType dtype = node.dtype();
  const std::int64_t value = value_of(node);
  if (is_bare(dtype, value)) return out.text(fmt::format("{}", value));
  if (dtype == DType::Bool() && (value == 0 || value == 1)) {
    const std::string_view word = value == 0 ? "False" : "True";
    return out.text(is_old_ ? std::string(word) : fmt::format("T.bool({})", word));
  }
  const bool is_call = is_old_ || (has_function(dtype) && !dtype.is_handle());
  if (!is_call) return regular_form(node, out);
  return out.text(fmt::format("T.{}({})", to_string(dtype), value));
}

TextFragments& Printer::float_imm(Node node, TextFragments& out) {
  const DType dtype = node.dtype();
  const double number = node.real(f::FloatImm::value);
  const std::string value = std::isinf(number) && prints(TvmFeature::bare_infinity)
                                ? fmt::format("{}1e999", number < 0 ? "-" : "")
                                : real_literal(number, minor_version_);
  // The function reads its argument as a float32 first.
  const bool is_too_large = std::isfinite(number) && std::abs(number) > kLargestFloat32;
  const bool is_call = is_old_ || (has_function(dtype) && !is_too_large);
  if (!is_call) return regular_form(node, out);
  return out.text(fmt::format("T.{}({})", to_string(dtype), value));
}

/// The operator if it makes this node, otherwise its function.
TextFragments& Printer::binary(Node node, Level level, TextFragments& out) {
  const bool is_infix = prints(TvmFeature::operators_make_nodes)
                            ? operator_for(node.kind()) != nullptr
                            : open_lambdas_ == 0 && has_symbol(node) && !would_fold(node);
  return is_infix ? infix(node, level, out) : regular_form(node, out);
}

/// Brackets if the operator has a lower level than its place requires.
TextFragments& Printer::infix(Node node, Level level, TextFragments& out) {
  const BinaryOperator& row = *operator_for(node.kind());
  const Level own = row.level;
  const bool is_comparison = own == kEqualityLevel || own == kComparisonLevel;
  const bool in_brackets = own < level;
  // Python would chain comparisons.
  out.text(in_brackets ? "(" : "").expr(node[f::Add::a], is_comparison ? kSumLevel : own);
  out.text(fmt::format(" {} ", row.symbol));
  out.expr(node[f::Add::b], is_comparison ? kSumLevel : static_cast<Level>(own + 1));
  return out.text(in_brackets ? ")" : "");
}

TextFragments& Printer::logical_not(Node node, Level level, TextFragments& out) {
  const Node operand = node[f::Not::a];
  const bool in_brackets = kNotLevel < level;
  if (is_old_) {
    // In TVM's printer `not` has the level of a call, in Python it has not: brackets suit both.
    out.text(in_brackets ? "(not (" : "not (").expr(operand);
    return out.text(in_brackets ? "))" : ")");
  }
  if (open_lambdas_ > 0 || is_number_literal(operand)) return regular_form(node, out);
  out.text(in_brackets ? "(not " : "not ").expr(operand, kNotLevel);
  return out.text(in_brackets ? ")" : "");
}

/// Since v0.12 the body comes first and the variable is a key.
TextFragments& Printer::let(Node node, TextFragments& out) {
  if (is_old_) return regular_form(node, out);
  begin_form(Kind::Let, out).expr(node[f::Let::body]).text(", where={").expr(node[f::Let::var]);
  return out.text(": ").expr(node[f::Let::value]).text("})");
}

/// v0.17 introduced loads with a predicate.
TextFragments& Printer::buffer_load(Node node, TextFragments& out) {
  const std::string_view name = name_of(node[f::BufferLoad::buffer]);
  const NodeList indices = node.list(f::BufferLoad::indices);
  if (const Node predicate = node[f::BufferLoad::predicate]) {
    if (is_old_) refuse("TVMScript before v0.12 has no loads with a predicate");
    out.text(name).text(".vload([").list(indices);
    return out.text("], predicate=").expr(predicate).text(")");
  }
  return out.text(name).indices(indices);
}

// --- Calls -------------------------------------------------------------------------------------

namespace {

using text::DtypePosition;
using text::OpInfo;

bool is_zero(Node node) {
  return is_int_imm(node, 0) || (node.is(Kind::FloatImm) && node.real(f::FloatImm::value) == 0);
}

std::size_t count_if(NodeList nodes, bool (*predicate)(Node)) {
  std::size_t count = 0;
  for (const Node node : nodes) count += predicate(node) ? 1 : 0;
  return count;
}

/// Operators whose functions compute constants.
bool computes(std::string_view name) {
  constexpr std::string_view kNames[] = {
      "tir.bitwise_and", "tir.bitwise_not", "tir.bitwise_or", "tir.bitwise_xor",  "tir.ceil",
      "tir.fabs",        "tir.floor",       "tir.fmod",       "tir.if_then_else", "tir.isnan",
      "tir.likely",      "tir.nearbyint",   "tir.pow",        "tir.round",        "tir.shift_left",
      "tir.shift_right", "tir.trunc"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

/// Operators of floating-point numbers whose functions treat integers differently.
bool is_for_floats(std::string_view name) {
  constexpr std::string_view kNames[] = {"tir.ceil", "tir.fabs",  "tir.floor", "tir.isnan",
                                         "tir.pow",  "tir.round", "tir.trunc", "tir.nearbyint"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

/// Whether the function of an operator may make another node from these arguments.
bool would_compute(std::string_view name, NodeList args) {
  const bool is_choice = name == "tir.if_then_else";
  if (!computes(name) || args.size() < (is_choice ? 2 : 1)) return false;
  if (is_choice || name == "tir.likely") {
    if (is_number_literal(args[0])) return true;
  } else if (count_if(args, is_number_literal) == args.size() || count_if(args, is_zero) > 0) {
    return true;
  }
  if (is_for_floats(name) && !args[0].dtype().is_float()) return true;
  const DType dtype = args[is_choice ? 1 : 0].dtype();
  for (std::size_t i = is_choice ? 1 : 0; i < args.size(); ++i) {
    if (args[i].dtype() != dtype) return true;
  }
  return false;
}

/// An intrinsic of LLVM that a text names: only TVM knows its number.
bool names_llvm_intrinsic(const OpInfo& op, NodeList args) {
  return op.name.starts_with("tir.call_llvm_") && !args.empty() && args[0].is(Kind::StringImm);
}

}  // namespace

TextFragments& Printer::call(Node node, TextFragments& out) {
  const Node callee = node[f::Call::op];
  if (callee.is(Kind::Op)) return call_of_op(node, out);
  if (callee.is(Kind::GlobalVar)) return call_of_function(node, out);
  refuse(fmt::format("a call of a {} cannot be written in TVMScript", callee.info().name));
}

/// The function of the operator if it makes this call; T.Call makes any call.
TextFragments& Printer::call_of_op(Node node, TextFragments& out) {
  const NodeList args = node.list(f::Call::args);
  const std::string_view name = node[f::Call::op].text(f::Op::name);
  if (is_old_) {
    constexpr std::string_view kNamespace = "tir.";
    if (!name.starts_with(kNamespace)) {
      refuse(fmt::format("TVMScript before v0.12 has no words for a call of {}", name));
    }
    const std::string_view function = name.substr(kNamespace.size());
    require_name_of_operator(function);
    return old_call(fmt::format("T.{}", function), node, out);
  }
  const OpInfo* const op = text::find_op(name);
  const bool has_name = op != nullptr && op->since <= minor_version_ &&
                        (op->script_function || names_llvm_intrinsic(*op, args));
  if (!has_name || would_compute(name, args)) return regular_form(node, out);
  if (op->dtype_position == DtypePosition::none &&
      text::infer_dtype(op->rule, args) != node.dtype()) {
    return regular_form(node, out);
  }
  if (name == "tir.reinterpret" && !node.dtype().is_handle()) return regular_form(node, out);
  out.text("T.").text(op->script_name).text("(");
  if (op->dtype_position == DtypePosition::first) {
    out.text(quoted_dtype(node.dtype())).text(args.empty() ? "" : ", ");
  }
  out.list(args);
  if (op->dtype_position == DtypePosition::last) {
    out.text(args.empty() ? "" : ", ").text(quoted_dtype(node.dtype()));
  }
  return out.text(")");
}

/// `T.exp(x, dtype="float32")`, `name(x, dtype="int32")`
TextFragments& Printer::old_call(std::string_view function, Node node, TextFragments& out) {
  const NodeList args = node.list(f::Call::args);
  const DType dtype = node.dtype();
  out.text(function).text("(").list(args).text(args.empty() ? "dtype=" : ", dtype=");
  return out.text(dtype.is_void() ? "\"\"" : quoted_dtype(dtype)).text(")");
}

/// The callee of `T.Call("int32", "tir.name", [x, y])`: the parser accepts names of TIR operators,
/// and since v0.13 functions as members of the module.
TextFragments& Printer::callee(Node node, TextFragments& out) const {
  constexpr std::string_view kBuiltin = "tir.";
  if (node.is(Kind::Op)) {
    const std::string_view name = node.text(f::Op::name);
    return name.starts_with(kBuiltin) ? out.text(quoted(name)) : out.value(node);
  }
  const bool is_member = functions_.contains(node.id()) && prints(TvmFeature::calls_by_module);
  if (!is_member) return out.value(node);
  return out.text("Module.").text(node.text(f::GlobalVar::name_hint));
}

TextFragments& Printer::call_of_function(Node node, TextFragments& out) {
  if (!is_old_) return regular_form(node, out);
  const std::string_view name = node[f::Call::op].text(f::GlobalVar::name_hint);
  if (!is_identifier(name)) {
    refuse(fmt::format("a function called '{}' cannot be written in Python", name));
  }
  return old_call(name, node, out);
}

// --- Calls of the functions in forms.cpp -------------------------------------------------------

namespace {

/// The usual prefixes; the header of the script binds them.
std::string_view prefix_of(const Form& form) {
  switch (form.prefix) {
    case Form::Prefix::tir:
      return "T.";
    case Form::Prefix::ir:
      return "I.";
    case Form::Prefix::tvm:
      return "tvm.";
  }
  return {};
}

TextFragments& append_list(NodeList nodes, PrintAs as, TextFragments& out) {
  return out.text("[").list(nodes, as).text("]");
}

}  // namespace

void refuse_kind(Kind kind, std::uint8_t minor_version) {
  std::uint8_t since = 0;
  std::uint8_t until = 0;
  for (const Form& form : all_forms()) {
    if (form.kind != kind || form.use != Form::Use::written) continue;
    if (form.until < minor_version) until = std::max(until, form.until);
    if (form.since > minor_version) since = form.since;
  }
  const std::string_view name = info(kind).name;
  if (until > 0) {
    refuse(fmt::format("TVMScript since v0.{} has no words for a {}", until + 1, name));
  }
  if (since > 0) refuse(fmt::format("TVMScript before v0.{} has no words for a {}", since, name));
  refuse(fmt::format("TVMScript has no words for a {}", name));
}

TextFragments& Printer::begin_form(Kind kind, TextFragments& out) const {
  const Form* const form = form_of(kind, minor_version_);
  if (form == nullptr) refuse_kind(kind, minor_version_);
  return out.text(prefix_of(*form)).text(form->name).text("(");
}

TextFragments& Printer::regular_form(Node node, TextFragments& out) const {
  begin_form(node.kind(), out);
  std::string_view separator;
  for (const FormArgument& argument : form_of(node.kind(), minor_version_)->arguments()) {
    const bool is_default =
        argument.type == ArgumentType::predicate && is_int_imm(node[argument.field], 1);
    if (is_default) continue;
    out.text(separator);
    form_argument(node, argument, out);
    separator = ", ";
  }
  return out.text(")");
}

/// The inverse of the reader's conversion of an argument.
TextFragments& Printer::form_argument(Node node, const FormArgument& argument,
                                      TextFragments& out) const {
  const std::uint8_t field = argument.field;
  switch (argument.type) {
    case ArgumentType::expr:
    case ArgumentType::var:
    case ArgumentType::lanes:
    case ArgumentType::predicate:
      return out.expr(node[field]);
    case ArgumentType::exprs:
      return append_list(node.list(field), PrintAs::expr, out);
    case ArgumentType::callee:
      return callee(node[field], out);
    case ArgumentType::dtype:
      return out.text(quoted_dtype(node.dtype(field)));
    case ArgumentType::type:
      return out.node(PrintAs::type_object, node[field]);
    case ArgumentType::types:
      return append_list(node.list(field), PrintAs::type_object, out);
    case ArgumentType::string:
      return out.text(quoted(node.text(field)));
    case ArgumentType::integer:
      return out.text(fmt::format("{}", node.integer(field)));
    case ArgumentType::real:
      return out.text(real_argument(node.real(field), minor_version_));
    case ArgumentType::attribute:
      return out.value(node[field]);
    case ArgumentType::attributes:
      return append_list(node.list(field), PrintAs::value, out);
  }
  return out;
}

}  // namespace mlf::tir::tvmscript
