#include "tir/tvmscript/types.h"

#include <fmt/core.h>

#include <algorithm>

#include "tir/tvm_features.h"
#include "tir/tvmscript/conversions.h"
#include "tir/tvmscript/irregular_forms.h"

namespace mlf::tir::tvmscript {
namespace {

/// `T.`: up to v0.9 void has no name.
bool is_void(Context& c, std::string_view path) {
  return path.size() == c.prefixes.tir.size() + 1 && path.starts_with(c.prefixes.tir) &&
         path.ends_with('.');
}

/// `Ptr[global T.float32]` of v0.8.
NodeId scoped_pointer(Context& c, std::string_view name) {
  c.versions.observe(TvmFeature::pointer_scope_first);
  const std::string_view inside = name.substr(4, name.size() - 5);
  const std::size_t space = inside.find_first_of(" \n");
  const std::string_view element = inside.substr(inside.find_last_of(" \n") + 1);
  const NodeId type = type_of_path(c, element);
  return type == NodeId::none ? type : c.make.pointer_type(type, inside.substr(0, space));
}

}  // namespace

/// `T.int32`, `T.handle`, `T.void`, `I.IncompleteType`; none for any other path.
NodeId type_of_path(Context& c, std::string_view path) {
  const std::string_view name = after_prefix(path, c.prefixes.tir);
  if (name.empty()) return is_void(c, path) ? c.make.void_type() : NodeId::none;
  if (name.starts_with("Ptr[")) return scoped_pointer(c, name);
  const auto dtype = parse_dtype(name);
  if (!dtype) return NodeId::none;
  return dtype->is_void() ? c.make.void_type() : c.make.prim_type(*dtype);
}

/// `T.Ptr[T.float32, "global"]` and `T.Tuple[T.int32, T.int8]`; none for any other name.
NodeId generic_type(Context& c, const Value& name, const Value& arguments) {
  const std::string_view word = after_prefix(c.values.text(name), c.prefixes.tir);
  if (word == "Ptr" && arguments.count > 0) {
    const Value& pointee = c.values.item(arguments, 0);
    const NodeId element = pointee.kind == ValueKind::path && is_void(c, c.values.text(pointee))
                               ? c.make.prim_type(DType::Void())
                               : as_type(c, pointee);
    const auto scope =
        arguments.count > 1 ? as_string(c, c.values.item(arguments, 1)) : std::string_view();
    return c.make.pointer_type(element, scope);
  }
  if (word == "let") refuse_later(c, c.values.begin(name), "let[...]");
  if (word != "Tuple") return NodeId::none;
  std::vector<NodeId> fields;
  for (std::size_t i = 0; i < arguments.count; ++i) {
    fields.push_back(as_type(c, c.values.item(arguments, i)));
  }
  return c.make.tuple_type(fields);
}

/// `T.handle("float32", "global")`: a pointer; without arguments an untyped handle.
NodeId read_handle(Context& c, const Arguments& args) {
  args.expect(0, 2);
  args.expect_keywords({"dtype", "storage_scope", "is_size_var", "is_unknown_type"});
  const auto element = args.find(0, "dtype");
  if (!element) return c.make.prim_type(DType::Handle());
  const auto scope = args.find(1, "storage_scope");
  const NodeId pointee = element->kind == ValueKind::string
                             ? c.make.prim_type(as_dtype(c, *element))
                             : as_type(c, *element);
  return c.make.pointer_type(pointee, scope ? as_string(c, *scope) : std::string_view());
}

/// `T.Tuple(T.int8, T.int32)` since v0.12.
NodeId read_tuple_type(Context& c, const Arguments& args) {
  std::vector<NodeId> fields;
  for (std::size_t i = 0; i < args.size(); ++i) fields.push_back(as_type(c, args[i]));
  return c.make.tuple_type(fields);
}

/// The kinds are the values of TypeKind in include/tvm/ir/type.h.
NodeId read_type_var(Context& c, const Arguments& args) {
  args.expect(1, 2);
  constexpr std::pair<std::string_view, std::int64_t> kKinds[] = {
      {"Type", 0},       {"ShapeVar", 1},  {"BaseType", 2},
      {"Constraint", 4}, {"AdtHandle", 5}, {"TypeData", 6}};
  const std::string_view name = args.size() > 1 ? as_string(c, args[1]) : kKinds[0].first;
  const auto* const kind =
      std::ranges::find(kKinds, name, [](const auto& entry) { return entry.first; });
  if (kind == std::end(kKinds)) {
    c.values.fail(args[1], fmt::format("'{}' is not a kind of type", name));
  }
  return c.builder.make(Kind::TypeVar, {c.builder.string(as_string(c, args[0])), kind->second});
}

}  // namespace mlf::tir::tvmscript
