// Constructors of nodes, as TVM's Python names them: they say everything, where the usual forms
// leave something to inference. TVM's printer has little use for them, mlf's writer has.
#include <fmt/core.h>

#include "tir/tvmscript/expressions.h"

namespace mlf::tir::tvmscript {

/// `T.Call("int32", "tir.name", [x, y])`, `T.Call("void", Module.f, [x])`
NodeId Expressions::form_node_call(const Arguments& args) {
  args.expect(3, 3);
  const DType result = dtype(args[0]);
  const NodeId callee = this->callee(args[1]);
  return c_.make.call(callee, exprs(args[2]), result);
}

NodeId Expressions::callee(const Value& value) {
  if (value.kind == ValueKind::string) return c_.make.op(string(value));
  if (value.kind == ValueKind::path) {
    const auto name = after_prefix(text(value), c_.module_name);
    if (!name.empty()) return c_.metadata.global_var(name);
  }
  const bool is_node = value.kind == ValueKind::node;
  if (is_node && (c_.node(value.node).is(Kind::Op) || c_.node(value.node).is(Kind::GlobalVar))) {
    return value.node;
  }
  fail_expected(value, "an operator or a function");
}

/// `T.StringImm("text")`: an expression where a bare string is none.
NodeId Expressions::form_string_imm(const Arguments& args) {
  args.expect(1, 1);
  return c_.make.string_imm(string(args[0]));
}

NodeId Expressions::form_int_imm(const Arguments& args) {
  args.expect(2, 2);
  const DType type = dtype(args[0]);
  return c_.make.int_imm(type, integer(args[1]));
}

NodeId Expressions::form_float_imm(const Arguments& args) {
  args.expect(2, 2);
  const DType type = dtype(args[0]);
  return c_.make.float_imm(type, real(args[1]));
}

/// `T.Reduce(combiner, source, axes, condition, value_index, init)`
NodeId Expressions::form_node_reduce(const Arguments& args) {
  args.expect(5, 6);
  const std::vector<NodeId> source = exprs(args[1]);
  std::vector<NodeId> axes;
  for (const Value& axis : elements(args[2])) axes.push_back(attribute(axis));
  const NodeId condition = expr(args[3]);
  const std::int64_t position = integer(args[4]);
  if (position < 0 || static_cast<std::size_t>(position) >= source.size()) {
    args.fail(fmt::format("value_index {} is out of range", position));
  }
  const std::vector<NodeId> init = args.size() > 5 ? exprs(args[5]) : std::vector<NodeId>();
  const DType type = c_.make.dtype_of(source[static_cast<std::size_t>(position)]);
  Builder& b = c_.builder;
  return b.make(Kind::Reduce, {type, attribute(args[0]), b.list(source), b.list(init), b.list(axes),
                               condition, position});
}

/// What `tvm.` leads to.
const std::unordered_map<std::string_view, Expressions::CallForm>& Expressions::tvm_forms() {
  using E = Expressions;
  static const std::unordered_map<std::string_view, CallForm> forms{
      {"ir.GlobalVar", &E::form_global_var},      {"ir.Op.get", &E::form_op},
      {"ir.PrimType", &E::form_prim_type},        {"ir.PointerType", &E::form_pointer_type},
      {"ir.TupleType", &E::form_node_tuple_type},
  };
  return forms;
}

}  // namespace mlf::tir::tvmscript
