// Small questions about one node, or its kind, that several readers and writers ask.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/tir/builder.h"
#include "mlf/tir/module.h"
#include "mlf/tir/visit.h"

namespace mlf::tir {

/// The storage scope of arrays of C that are so large that TVM would put them on the heap: people
/// write these.
inline constexpr std::string_view kStackScope = "global.stack";

/// Whether a node of this kind may be where a field wants `slot`: one rule for every JSON that says
/// kinds by name.
bool fits(Kind kind, Expects slot);

/// The first function that has the name of another before it. TVM's modules have none: every reader
/// of TIR refuses it, and so do the writers, of modules that a program made.
std::optional<NamedFunction> repeated_function(const Module& module);
/// What they say of it.
std::string message_of_repeated_function(std::string_view name);
/// Throws `invalid_input` if there is one.
void refuse_repeated_functions(const Module& module);

/// Whether two nodes of one kind have the same value in a field that holds no nodes. Floats are
/// equal bit by bit: NaN equals itself, and 0.0 differs from -0.0.
bool same_scalar(Node a, Node b, std::uint8_t field);
/// Whether two expressions or types look the same: equal kinds, fields and variables, shared or
/// not. False if that takes long to say: a document can nest types without limit.
bool same_tree(Node a, Node b);

/// Whether this is a Call of the operator with that full name, such as "tir.shift_left".
inline bool is_call_of(Node node, std::string_view op) {
  return node.is(Kind::Call) && node[f::Call::op].is(Kind::Op) &&
         node[f::Call::op].text(f::Op::name) == op;
}

/// An attribute of a PrimFunc; undefined where it has none, and for other nodes.
inline Node attribute_of(Node function, std::string_view name) {
  if (!function.is(Kind::PrimFunc)) return {};
  const Node attrs = function[f::PrimFunc::attrs];
  return attrs.is(Kind::DictAttrs) ? attrs.map(f::DictAttrs::dict).find(name) : Node();
}

/// What AOTExecutorCodegen calls main: v0.9 and later; v0.8. The module's name comes before it in a
/// symbol, with `_` between them.
inline constexpr std::array<std::string_view, 2> kMainNames{"__tvm_main__", "run_model"};

/// Whether a name is main's, or ends with it.
inline bool ends_with_main_name(std::string_view name) {
  return std::ranges::any_of(kMainNames,
                             [&](std::string_view main) { return name.ends_with(main); });
}
/// Whether a symbol is that of a main with a prefix: `tvmgen_default___tvm_main__`.
inline bool is_main_symbol(std::string_view symbol) {
  return std::ranges::any_of(kMainNames, [&](std::string_view main) {
    return symbol.ends_with(main) && symbol.substr(0, symbol.size() - main.size()).ends_with('_');
  });
}

// Of TVM v0.8: the function whose attribute has the parameters that are linked as constants, by
// name, and what their arrays in C are called.
inline constexpr std::string_view kLinkedParamsFunction = "_lookup_linked_param";
inline constexpr std::string_view kLinkedParams = "tir.linked_params";
inline constexpr std::string_view kLinkedParamPrefix = "__tvm_param__";

/// The parameters that `function` links, by name to LinkedParam; undefined where it links none.
inline Node linked_params_of(Node function) {
  const Node params = attribute_of(function, kLinkedParams);
  return params.is(Kind::StringMap) ? params : Node();
}

/// Whether TVMScript has words for the value of an attribute. All others are objects in its
/// metadata section, which texts of old versions do not have.
inline bool has_words(Node value) {
  switch (value.kind()) {
    case Kind::String:
    case Kind::BoxInt:
    case Kind::BoxFloat:
    case Kind::BoxBool:
    case Kind::Array:
    case Kind::StringMap:
    case Kind::DictAttrs:
    case Kind::Target:
    case Kind::TargetKind:
    case Kind::GlobalVar:
    case Kind::Op:
    case Kind::Range:
    case Kind::IterVar:
    case Kind::CommReducer:
    case Kind::BufferRegion:
    case Kind::Buffer:
      return true;
    default:
      return is_expr(value.category());
  }
}

/// The content of a String or a StringImm: attributes hold strings as either, by version. Empty for
/// anything else.
inline std::string_view string_of(Node node) {
  if (node.is(Kind::String)) return node.text(f::String::value);
  return node.is(Kind::StringImm) ? node.text(f::StringImm::value) : std::string_view();
}

/// The target kind that a PrimFunc's attribute names; empty where it names none.
inline std::string_view target_kind_of(Node function) {
  const Node target = attribute_of(function, "target");
  if (!target.is(Kind::Target)) return {};
  const Node kind = target[f::Target::kind];
  return kind.is(Kind::TargetKind) ? kind.text(f::TargetKind::name) : std::string_view();
}

/// Whether an IntImm of the dtype may have the value: what TVM's constructor checks
/// (src/ir/expr.cc).
inline bool int_imm_holds(DType dtype, std::int64_t value) {
  if (dtype.bits == 0 || dtype.bits >= 64) return true;
  const std::int64_t half = std::int64_t{1} << (dtype.bits - 1);
  return dtype.is_int() ? -half <= value && value < half : 0 <= value && value < 2 * half;
}

/// The bytes of an NDArray. Nothing where the text or capture has lost them, or what is there at
/// all.
inline std::optional<std::span<const std::byte>> data_of(Node array) {
  return array.is(Kind::NDArray) ? array.bytes(f::NDArray::data) : std::nullopt;
}

/// The value of a field that a document leaves out: what no document can spell.
inline FieldValue undefined_value(const FieldInfo& field) {
  switch (field.type) {
    case FieldType::node:
      return NodeId::none;
    case FieldType::string:
      return StringId::none;
    case FieldType::integer:
      return kAbsentInteger;
    case FieldType::bytes:
      return BytesId::none;
    case FieldType::boolean:
      return false;
    default:
      return ListId::none;
  }
}

/// What a map whose keys are nodes has under `key`; undefined where it has nothing.
inline Node value_under(const NodeMap& map, Node key) {
  for (std::size_t i = 0; i < map.size(); ++i) {
    if (map.key(i) == key) return map.value(i);
  }
  return {};
}

inline std::vector<NodeId> ids_of(const NodeList& list) {
  std::vector<NodeId> ids;
  ids.reserve(list.size());
  for (const Node node : list) ids.push_back(node.id());
  return ids;
}

/// Whether a field of this type holds nodes, one or several.
constexpr bool holds_nodes(FieldType type) {
  return type == FieldType::node || type == FieldType::list || type == FieldType::string_map ||
         type == FieldType::node_map;
}

constexpr bool is_var(Kind kind) {
  return kind == Kind::Var || kind == Kind::SizeVar;
}
inline bool is_var(Node node) {
  return node && is_var(node.kind());
}

/// The value of an IntImm; nothing for any other node.
inline std::optional<std::int64_t> int_imm_of(Node node) {
  return node.is(Kind::IntImm) ? std::optional(node.integer(f::IntImm::value)) : std::nullopt;
}

/// Whether this is an IntImm of that value, whatever its dtype.
inline bool is_int_imm(Node node, std::int64_t value) {
  return int_imm_of(node) == value;
}

/// The dtype of what a type points to; nothing for types that do not point to a PrimType.
inline std::optional<DType> pointee_of(Node type) {
  if (!type.is(Kind::PointerType)) return std::nullopt;
  const Node element = type[f::PointerType::element_type];
  return element.is(Kind::PrimType) ? std::optional(element.dtype(f::PrimType::dtype))
                                    : std::nullopt;
}

/// bool elements take a byte each, and pointers to them say so.
inline DType stored_dtype(DType dtype) {
  return dtype.is_bool() ? DType::Int(8).with_lanes(dtype.lanes) : dtype;
}

/// Calls `visit` for `body` and every statement below it, in no particular order; for one that is
/// shared as often as it is used.
template <class Visit>
void for_each_statement(Node body, Visit&& visit) {
  std::vector<Node> open{body};
  while (!open.empty()) {
    const Node node = open.back();
    open.pop_back();
    visit(node);
    for_each_child(node, [&](Node child, const FieldInfo&) {
      if (child.category() == Category::stmt) open.push_back(child);
    });
  }
}

/// Whether this is an IntImm or a FloatImm.
inline bool is_number_literal(Node node) {
  return node.is(Kind::IntImm) || node.is(Kind::FloatImm);
}

}  // namespace mlf::tir
