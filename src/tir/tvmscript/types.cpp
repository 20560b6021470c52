// Types, and the objects of TVM's `ir` namespace.
#include <fmt/core.h>

#include <algorithm>

#include "tir/tvm_features.h"
#include "tir/tvmscript/expressions.h"

namespace mlf::tir::tvmscript {

/// `T.int32`, `T.handle`, `T.void`, `I.IncompleteType`; none for any other path.
NodeId Expressions::type_of_path(std::string_view path) {
  const std::string_view name = after_prefix(path, c_.prefixes.tir);
  if (name.empty()) return is_void(path) ? c_.make.void_type() : NodeId::none;
  if (name.starts_with("Ptr[")) return scoped_pointer(name);
  const auto dtype = parse_dtype(name);
  if (!dtype) return NodeId::none;
  return dtype->is_void() ? c_.make.void_type() : c_.make.prim_type(*dtype);
}

/// `T.`: up to v0.9 void has no name.
bool Expressions::is_void(std::string_view path) const {
  return path.size() == c_.prefixes.tir.size() + 1 && path.starts_with(c_.prefixes.tir) &&
         path.ends_with('.');
}

/// `Ptr[global T.float32]` of v0.8.
NodeId Expressions::scoped_pointer(std::string_view name) {
  c_.versions.observe(TvmFeature::pointer_scope_first);
  const std::string_view inside = name.substr(4, name.size() - 5);
  const std::size_t space = inside.find_first_of(" \n");
  const std::string_view element = inside.substr(inside.find_last_of(" \n") + 1);
  const NodeId type = type_of_path(element);
  return type == NodeId::none ? type : c_.make.pointer_type(type, inside.substr(0, space));
}

/// `T.Ptr[T.float32, "global"]` and `T.Tuple[T.int32, T.int8]`; none for any other name.
NodeId Expressions::generic_type(const Value& name, const Value& arguments) {
  const std::string_view word = after_prefix(text(name), c_.prefixes.tir);
  if (word == "Ptr" && arguments.count > 0) {
    const Value& pointee = item(arguments, 0);
    const NodeId element = pointee.kind == ValueKind::path && is_void(text(pointee))
                               ? c_.make.prim_type(DType::Void())
                               : type(pointee);
    const auto scope = arguments.count > 1 ? string(item(arguments, 1)) : std::string_view();
    return c_.make.pointer_type(element, scope);
  }
  if (word != "Tuple") return NodeId::none;
  std::vector<NodeId> fields;
  for (std::size_t i = 0; i < arguments.count; ++i) fields.push_back(type(item(arguments, i)));
  return c_.make.tuple_type(fields);
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

/// `tvm.ir.PrimType("bfloat16")`
NodeId Expressions::form_prim_type(const Arguments& args) {
  args.expect(1, 1);
  return c_.make.prim_type(dtype(args[0]));
}

/// `tvm.ir.PointerType(tvm.ir.PrimType("bfloat16"), "global")`
NodeId Expressions::form_pointer_type(const Arguments& args) {
  args.expect(1, 2);
  const auto scope = args.size() > 1 ? string(args[1]) : std::string_view();
  return c_.make.pointer_type(type(args[0]), scope);
}

/// `tvm.ir.TupleType([…])`
NodeId Expressions::form_node_tuple_type(const Arguments& args) {
  args.expect(1, 1);
  std::vector<NodeId> fields;
  for (const Value& field : elements(args[0])) fields.push_back(type(field));
  return c_.make.tuple_type(fields);
}

NodeId Expressions::form_tensor_type(const Arguments& args) {
  args.expect(2, 2);
  const std::vector<NodeId> shape = exprs(args[0]);
  return c_.builder.make(Kind::TensorType, {c_.builder.list(shape), dtype(args[1])});
}

NodeId Expressions::form_func_type(const Arguments& args) {
  args.expect(3, 3);
  std::vector<NodeId> type_params;
  for (const Value& param : elements(args[0])) type_params.push_back(attribute(param));
  std::vector<NodeId> types;
  for (const Value& param : elements(args[1])) types.push_back(type(param));
  return c_.builder.make(Kind::FuncType, {c_.builder.list(types), type(args[2]),
                                          c_.builder.list(type_params), c_.builder.list({})});
}

NodeId Expressions::form_type_var(const Arguments& args) {
  args.expect(1, 2);
  constexpr std::pair<std::string_view, std::int64_t> kKinds[] = {
      {"Type", 0},       {"ShapeVar", 1},  {"BaseType", 2},
      {"Constraint", 4}, {"AdtHandle", 5}, {"TypeData", 6}};
  const std::string_view name = args.size() > 1 ? string(args[1]) : kKinds[0].first;
  const auto* const kind =
      std::ranges::find(kKinds, name, [](const auto& entry) { return entry.first; });
  if (kind == std::end(kKinds)) fail(args[1], fmt::format("'{}' is no kind of type", name));
  return c_.builder.make(Kind::TypeVar, {c_.builder.string(string(args[0])), kind->second});
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
  c_.versions.observe(TvmFeature::global_infos);
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
  c_.versions.observe(TvmFeature::global_infos);
  Builder& b = c_.builder;
  return b.make(Kind::Opaque, {b.string("DummyGlobalInfo"), b.map(std::span<const NamedNode>()),
                               ListId::none, ListId::none, StringId::none});
}

}  // namespace mlf::tir::tvmscript
