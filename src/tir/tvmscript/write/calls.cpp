// Calls: by the function of the operator where it makes this very call, otherwise as T.Call.
#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "tir/node_queries.h"
#include "tir/text/op_table.h"
#include "tir/tvm_features.h"
#include "tir/tvmscript/write/literals.h"
#include "tir/tvmscript/write/printer.h"

namespace mlf::tir::tvmscript {
namespace {

using text::DtypePosition;
using text::OpInfo;

bool is_zero(Node node) {
  return is_int(node, 0) || (node.is(Kind::FloatImm) && node.real(f::FloatImm::value) == 0);
}

bool any_of(NodeList nodes, bool (*predicate)(Node)) {
  for (const Node node : nodes) {
    if (predicate(node)) return true;
  }
  return false;
}

bool all_of(NodeList nodes, bool (*predicate)(Node)) {
  for (const Node node : nodes) {
    if (!predicate(node)) return false;
  }
  return true;
}

/// Operators whose functions compute where they can.
bool computes(std::string_view name) {
  constexpr std::string_view kNames[] = {
      "tir.bitwise_and", "tir.bitwise_not", "tir.bitwise_or", "tir.bitwise_xor",  "tir.ceil",
      "tir.fabs",        "tir.floor",       "tir.fmod",       "tir.if_then_else", "tir.isnan",
      "tir.likely",      "tir.nearbyint",   "tir.pow",        "tir.round",        "tir.shift_left",
      "tir.shift_right", "tir.trunc"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

/// Operators of floating-point numbers whose functions do something else for integers.
bool is_for_floats(std::string_view name) {
  constexpr std::string_view kNames[] = {"tir.ceil", "tir.fabs",  "tir.floor", "tir.isnan",
                                         "tir.pow",  "tir.round", "tir.trunc", "tir.nearbyint"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

/// Whether the function of an operator may make something else out of these arguments.
bool would_compute(std::string_view name, NodeList args) {
  if (!computes(name) || args.empty()) return false;
  const bool is_choice = name == "tir.if_then_else";
  if (is_choice || name == "tir.likely") {
    if (is_number_literal(args[0])) return true;
  } else if (all_of(args, is_number_literal) || any_of(args, is_zero)) {
    return true;
  }
  if (is_for_floats(name) && !args[0].dtype().is_float()) return true;
  const DType dtype = args[is_choice ? 1 : 0].dtype();
  for (std::size_t i = is_choice ? 1 : 0; i < args.size(); ++i) {
    if (args[i].dtype() != dtype) return true;
  }
  return false;
}

/// The dtype that the parser of TVM would give the call.
std::optional<DType> inferred(const OpInfo& op, NodeList args) {
  std::vector<DType> dtypes;
  for (const Node arg : args) {
    dtypes.push_back(is_expr(arg.category()) ? arg.dtype() : DType::Handle());
  }
  return infer_dtype(op.rule, dtypes);
}

/// An intrinsic of LLVM that a text names: its number is TVM's to find.
bool names_llvm_intrinsic(const OpInfo& op, NodeList args) {
  return op.name.starts_with("tir.call_llvm_") && !args.empty() && args[0].is(Kind::StringImm);
}

}  // namespace

void Printer::call(Node node, TextFragments& out) {
  const Node callee = node[f::Call::op];
  if (callee.is(Kind::Op)) return call_of_op(node, out);
  if (callee.is(Kind::GlobalVar)) return call_of_function(node, out);
  refuse(fmt::format("a call of a {} cannot be written in TVMScript", callee.info().name));
}

/// The function of the operator, as long as it makes this very call; T.Call makes any.
void Printer::call_of_op(Node node, TextFragments& out) {
  const NodeList args = node.list(f::Call::args);
  const std::string_view name = node[f::Call::op].text(f::Op::name);
  if (spelling_.calls == Spelling::Calls::keyword) {
    constexpr std::string_view kNamespace = "tir.";
    if (!name.starts_with(kNamespace)) {
      refuse(fmt::format("TVMScript before v0.12 has no words for a call of {}", name));
    }
    return old_call(fmt::format("T.{}", name.substr(kNamespace.size())), node, out);
  }
  const OpInfo* const op = text::find_op(name);
  const bool has_name = op != nullptr && op->since <= minor_version_ &&
                        (op->script_function || names_llvm_intrinsic(*op, args));
  if (!has_name || would_compute(name, args)) return regular_form(node, out);
  if (op->dtype_position == DtypePosition::none && inferred(*op, args) != node.dtype()) {
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
  out.text(")");
}

/// `T.exp(x, dtype="float32")`, `name(x, dtype="int32")`
void Printer::old_call(std::string_view function, Node node, TextFragments& out) {
  const NodeList args = node.list(f::Call::args);
  const DType dtype = node.dtype();
  out.text(function).text("(").list(args).text(args.empty() ? "dtype=" : ", dtype=");
  out.text(dtype.is_void() ? "\"\"" : quoted_dtype(dtype)).text(")");
}

/// What `T.Call("int32", "tir.name", [x, y])` calls: the parser takes names of operators of TIR as
/// they are, and since v0.13 functions as members of the module.
void Printer::callee(Node node, TextFragments& out) const {
  constexpr std::string_view kBuiltin = "tir.";
  if (node.is(Kind::Op)) {
    const std::string_view name = node.text(f::Op::name);
    name.starts_with(kBuiltin) ? out.text(quoted(name)) : out.value(node);
    return;
  }
  const bool is_member =
      functions_.contains(node.id()) && has(minor_version_, TvmFeature::calls_by_module);
  is_member ? out.text("Module.").text(node.text(f::GlobalVar::name_hint)) : out.value(node);
}

void Printer::call_of_function(Node node, TextFragments& out) {
  if (spelling_.calls == Spelling::Calls::by_operator) return regular_form(node, out);
  old_call(node[f::Call::op].text(f::GlobalVar::name_hint), node, out);
}

}  // namespace mlf::tir::tvmscript
