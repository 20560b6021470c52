// Types, and the objects of TVM's `ir` namespace.
#include <fmt/format.h>

#include "tir/tvmscript/expressions.h"

namespace mlf::tir::tvmscript {

/// `T.int32`, `T.handle`, `T.void`, `I.IncompleteType`; none for any other path.
NodeId Expressions::type_of_path(std::string_view path) {
  const std::string_view name = after_prefix(path, c_.prefixes.tir);
  if (name.empty()) return NodeId::none;
  const auto dtype = parse_dtype(name);
  if (!dtype) return NodeId::none;
  return dtype->is_void() ? c_.make.void_type() : c_.make.prim_type(*dtype);
}

/// `T.handle("float32", "global")`: a pointer; without arguments an untyped handle.
NodeId Expressions::form_handle(const Arguments& args) {
  args.expect(0, 2);
  args.expect_keywords({"dtype", "storage_scope", "is_size_var", "is_unknown_type"});
  const auto element = args.find(0, "dtype");
  if (!element) return c_.make.prim_type(DType::Handle());
  const auto scope = args.find(1, "storage_scope");
  const NodeId pointee =
      element->kind == ValueKind::string ? c_.make.prim_type(dtype(*element)) : type(*element);
  return c_.make.pointer_type(pointee, scope ? string(*scope) : std::string_view());
}

NodeId Expressions::form_tuple_type(const Arguments& args) {
  std::vector<NodeId> fields;
  for (std::size_t i = 0; i < args.size(); ++i) fields.push_back(type(args[i]));
  return c_.make.tuple_type(fields);
}

NodeId Expressions::form_tensor_type(const Arguments& args) {
  args.expect(2, 2);
  const std::vector<NodeId> shape = exprs(args[0]);
  return c_.builder.make(Kind::TensorType, {c_.builder.list(shape), dtype(args[1])});
}

NodeId Expressions::form_func_type(const Arguments& args) {
  const Value params = args.get(0, "arg_types");
  const Value result = args.get(1, "ret_type");
  std::vector<NodeId> types;
  for (const Value& param : elements(params)) types.push_back(type(param));
  return c_.builder.make(Kind::FuncType, {c_.builder.list(types), type(result), c_.builder.list({}),
                                          c_.builder.list({})});
}

NodeId Expressions::form_type_var(const Arguments& args) {
  args.expect(1, 2);
  const std::int64_t kind = args.size() > 1 ? integer(args[1]) : 0;
  return c_.builder.make(Kind::TypeVar, {c_.builder.string(string(args[0])), kind});
}

NodeId Expressions::form_incomplete_type(const Arguments&) {
  return c_.builder.make(Kind::IncompleteType, {std::int64_t{0}});
}

NodeId Expressions::form_global_var(const Arguments& args) {
  args.expect(1, 1);
  return c_.metadata.global_var(string(args[0]));
}

NodeId Expressions::form_op(const Arguments& args) {
  args.expect(1, 1);
  return c_.make.op(string(args[0]));
}

NodeId Expressions::form_vdevice(const Arguments& args) {
  c_.clues.at_least(16);
  Builder& b = c_.builder;
  constexpr std::string_view kFields[] = {"target", "vdevice_id", "memory_scope"};
  std::vector<NamedNode> fields;
  for (std::size_t i = 0; i < std::size(kFields); ++i) {
    if (const auto value = args.find(i, kFields[i])) {
      fields.push_back({b.string(kFields[i]), attribute(*value)});
    }
  }
  return b.make(Kind::Opaque,
                {b.string("VDevice"), b.map(fields), ListId::none, ListId::none, StringId::none});
}

NodeId Expressions::form_dummy_global_info(const Arguments&) {
  c_.clues.at_least(16);
  Builder& b = c_.builder;
  return b.make(Kind::Opaque, {b.string("DummyGlobalInfo"), b.map(std::span<const NamedNode>()),
                               ListId::none, ListId::none, StringId::none});
}

}  // namespace mlf::tir::tvmscript
