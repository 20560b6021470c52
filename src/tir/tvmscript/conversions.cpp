// Converts a value of the text to the form that its place requires: an expression, a buffer, a
// type, an attribute, …
#include <fmt/core.h>

#include <algorithm>

#include "support/lookup.h"
#include "tir/integer_arithmetic.h"
#include "tir/node_queries.h"
#include "tir/text/lexer.h"
#include "tir/tvm_features.h"
#include "tir/tvmscript/context.h"

namespace mlf::tir::tvmscript {
namespace {

[[noreturn]] void fail_undefined(Context& c, const Value& name) {
  const std::string_view text = c.values.text(name);
  throw UndefinedName(ErrorKind::invalid_input, fmt::format("'{}' is not defined", text),
                      c.source.locate(c.values.begin(name), text.size()));
}

}  // namespace

/// Also its name: `x = T.meta_var(1)`.
bool is_literal(const Context& c, const Value& value) {
  return value.kind == ValueKind::integer || value.kind == ValueKind::real ||
         (!c.python_numbers.empty() && value.kind == ValueKind::node &&
          c.python_numbers.contains(value.node));
}

std::optional<DType> script_dtype(std::string_view name) {
  return name == "boolean" ? DType::Bool() : parse_dtype(name);
}

namespace {

NodeId make_integer(Context& c, const Value& value, DType dtype, std::int64_t number) {
  const NodeId made = c.make.int_imm(dtype, number);
  if (value.kind == ValueKind::node) return made;
  const text::Syntax& digits = c.values.syntax(value.syntax);
  c.note_place(made, digits.begin, digits.end);
  return made;
}

}  // namespace

/// Bare numbers are int32 if they fit, as in TVM; a string in an expression is a StringImm.
NodeId as_expr(Context& c, const Value& value) {
  switch (value.kind) {
    case ValueKind::node: {
      const Node node = c.node(value.node);
      if (is_expr(node.category()) || node.is(Kind::MissingObject)) return value.node;
      c.values.fail(value, fmt::format("expected an expression, found a {}", node.info().name));
    }
    case ValueKind::integer: {
      const std::int64_t number = as_integer(c, value);
      const bool is_small = std::in_range<std::int32_t>(number);
      return make_integer(c, value, DType::Int(is_small ? 32 : 64), number);
    }
    case ValueKind::real:
      return c.make.float_imm(DType::Float(32), as_real(c, value));
    case ValueKind::boolean:
      return c.make.boolean(as_boolean(c, value));
    case ValueKind::string:
      return c.make.string_imm(as_string(c, value));
    case ValueKind::access:
      if (value.node != NodeId::none) return c.load(value.node, as_indices(c, value), value.syntax);
      return c.builder.make(Kind::ProducerLoad, {DType::Float(32), as_producer(c, value),
                                                 c.builder.list(as_indices(c, value))});
    case ValueKind::name:
      fail_undefined(c, value);
    default:
      fail_expected(c, value, "an expression");
  }
}

/// A bare number is never a handle or a vector.
NodeId as_expr_of(Context& c, const Value& value, DType dtype) {
  if (!is_literal(c, value) || dtype.is_handle() || dtype.is_void()) return as_expr(c, value);
  if (!dtype.is_scalar()) {
    const NodeId element = as_expr_of(c, value, dtype.element());
    const bool is_element = dtype.lanes > 1 && c.make.dtype_of(element) == dtype.element();
    return is_element ? c.make.broadcast(element, c.make.int32(dtype.lanes)) : element;
  }
  if (dtype.is_float()) return c.make.float_imm(dtype, as_real(c, value));
  const bool is_real = value.kind == ValueKind::real || c.is(value, Kind::FloatImm);
  if (is_real) return as_expr(c, value);
  return make_integer(c, value, dtype, as_integer(c, value));
}

NodeId as_optional_expr(Context& c, const std::optional<Value>& value) {
  return value ? as_expr(c, *value) : NodeId::none;
}

NodeId as_condition(Context& c, const std::optional<Value>& value) {
  return value ? as_expr(c, *value) : c.make.boolean(1);
}

std::vector<NodeId> each(Context& c, const std::vector<Value>& values,
                         NodeId (*as)(Context&, const Value&)) {
  std::vector<NodeId> nodes;
  for (const Value& value : values) nodes.push_back(as(c, value));
  return nodes;
}

/// Variables are bound before their use: TVM declares the free ones at the top of a function.
NodeId as_var(Context& c, const Value& value) {
  if (value.kind == ValueKind::name) fail_undefined(c, value);
  if (value.kind != ValueKind::node || !is_var(c.node(value.node)))
    fail_expected(c, value, "a variable");
  return value.node;
}

/// A node that is a type, a path such as `T.int32`, or None, which is void.
NodeId as_type(Context& c, const Value& value) {
  if (value.kind == ValueKind::none) return c.make.void_type();
  // Types of TVM are nodes too.
  const Node node = value.kind == ValueKind::node ? c.node(value.node) : Node();
  if (node && node.category() == Category::type) return value.node;
  if (value.kind == ValueKind::name) {
    if (const NodeId type = type_of_path(c, c.values.text(value)); type != NodeId::none) {
      return type;
    }
    c.values.fail(value, fmt::format("'{}' is not a type", c.values.text(value)));
  }
  fail_expected(c, value, "a type");
}

NodeId as_stated_type(Context& c, const Value& value) {
  return value.kind == ValueKind::string ? c.make.prim_type(as_dtype(c, value)) : as_type(c, value);
}

NodeId as_lanes(Context& c, const Value& value) {
  const NodeId node = as_expr(c, value);
  if (text::lanes_of(c.node(node))) {
    if (!c.node(node).is(Kind::IntImm)) c.versions.observe(TvmFeature::lanes_as_nodes);
    return node;
  }
  c.values.fail(value, "expected a number of lanes: 1 to 32767, or such a number times vscale()");
}

NodeId as_callee(Context& c, const Value& value) {
  if (value.kind == ValueKind::string) return c.make.op(as_string(c, value));
  if (value.kind == ValueKind::name) {
    const auto name = after_prefix(c.values.text(value), c.module_name);
    if (!name.empty()) return c.make.global_var(name);
  }
  if (c.is(value, Kind::Op) || c.is(value, Kind::GlobalVar)) return value.node;
  fail_expected(c, value, "an operator or a function");
}

// --- Numbers and words -------------------------------------------------------------------------

/// A number, or a constant expression: `align=64` and `align=T.int64(64)` are equal.
std::int64_t as_integer(Context& c, const Value& value) {
  if (c.is(value, Kind::IntImm)) return c.node(value.node).integer(f::IntImm::value);
  if (value.kind != ValueKind::integer) fail_expected(c, value, "an integer");
  const auto number = text::parse_integer(c.values.text(value));
  if (!number) c.values.fail(value, "the integer does not fit into 64 bits");
  return *number;
}

/// Also the printer's words for infinity and NaN: `T.float32("inf")`.
double as_real(Context& c, const Value& value) {
  if (c.is(value, Kind::IntImm)) {
    return static_cast<double>(c.node(value.node).integer(f::IntImm::value));
  }
  if (value.kind != ValueKind::node && (value.kind == ValueKind::string || is_literal(c, value))) {
    std::string digits(value.kind == ValueKind::string ? as_string(c, value)
                                                       : c.values.text(value));
    // `float("inf")`: Python has no literal for it.
    if (digits.starts_with("float(")) {
      digits.erase(0, digits.find_first_of("\"'") + 1);
      digits.erase(digits.find_first_of("\"'"));
    }
    if (const auto number = text::parse_real(digits)) return *number;
  }
  if (c.is(value, Kind::FloatImm)) return c.node(value.node).real(f::FloatImm::value);
  fail_expected(c, value, "a number");
}

bool as_boolean(Context& c, const Value& value) {
  if (c.is(value, Kind::IntImm)) return as_integer(c, value) != 0;
  if (value.kind != ValueKind::boolean) fail_expected(c, value, "True or False");
  return c.values.text(value) == "True";
}

/// Dtypes in arguments are strings: `T.Cast("float32", x)`.
DType as_dtype(Context& c, const Value& value) {
  if (value.kind != ValueKind::string) fail_expected(c, value, "a data type in quotes");
  const auto dtype = parse_dtype(as_string(c, value));
  if (!dtype) c.values.fail(value, fmt::format("'{}' is not a data type", as_string(c, value)));
  return *dtype;
}

std::string_view as_string(Context& c, const Value& value) {
  if (value.kind != ValueKind::string) fail_expected(c, value, "a string");
  return c.values.decoded(value);
}

void fail_expected(Context& c, const Value& value, std::string_view wanted) {
  const bool is_node = value.kind == ValueKind::node;
  const std::string found = is_node ? fmt::format("a {}", c.node(value.node).info().name)
                                    : std::string(to_string(value.kind));
  c.values.fail(value, fmt::format("expected {}, found {}", wanted, found));
}

// --- What is in brackets and behind dots -------------------------------------------------------

namespace {

/// The attributes of tvm.tir.Buffer that the printer and people write.
bool is_buffer_part(std::string_view word) {
  constexpr std::string_view kParts[] = {"data",  "elem_offset", "strides",   "shape",
                                         "vload", "vstore",      "access_ptr"};
  return std::ranges::find(kParts, word) != std::end(kParts);
}

Allocation* allocation(Context& c, const Value& value) {
  if (value.kind != ValueKind::node) return nullptr;
  return support::find_value(c.allocations, value.node);
}

/// The buffer that v0.9 prints in the place of an allocation's pointer.
NodeId allocated_buffer(Context& c, NodeId pointer, Allocation& allocation) {
  if (allocation.buffer != NodeId::none) return allocation.buffer;
  c.versions.observe(TvmFeature::allocation_is_buffer);
  c.lose(LossCode::buffer_defaults);
  c.lose(LossCode::buffer_fields, c.node(pointer).text(f::Var::name));
  allocation.buffer = c.make.buffer({.name = c.node(pointer).text(f::Var::name),
                                     .data = pointer,
                                     .dtype = allocation.dtype,
                                     .shape = allocation.extents});
  return allocation.buffer;
}

NodeId metadata_object(Context& c, const Value& key, const Value& index) {
  const std::string_view type_key = as_string(c, key);
  const std::int64_t position = as_integer(c, index);
  return c.metadata.find(type_key, position,
                         fmt::format("metadata[\"{}\"][{}]", type_key, position), c.function());
}

/// `A.strides[0]`: since v0.12 a stride without another definition is printed through its buffer.
NodeId member_element(Context& c, const Value& member, const Value& index) {
  const std::string_view word = c.values.name(member);
  if (word != "strides" && word != "shape") {
    c.values.fail(member, fmt::format("'{}' is not a list", word));
  }
  const Node buffer = c.node(member.node);
  const NodeList list = buffer.list(word == "shape" ? f::Buffer::shape : f::Buffer::strides);
  const auto position = static_cast<std::size_t>(as_integer(c, index));
  if (position >= list.size()) {
    c.values.fail(index, fmt::format("the buffer has only {} {}", list.size(),
                                     word == "shape" ? "dimensions" : "strides"));
  }
  return list[position].id();
}

/// `base:end` or `base:end:stride`, with end = base + lanes * stride.
NodeId ramp_of_slice(Context& c, const Value& slice) {
  const NodeId base = as_expr(c, c.values.item(slice, 0));
  const NodeId end = as_expr(c, c.values.item(slice, 1));
  const NodeId length = c.make.extent(base, end, c.function());
  const NodeId stride = slice.count > 2 ? as_expr(c, c.values.item(slice, 2))
                                        : c.make.int_imm(c.make.dtype_of(base), 1);
  const Node step = c.node(stride);
  if (!step.is(Kind::IntImm)) {
    c.values.fail(c.values.item(slice, 2), "the stride of a slice is not constant");
  }
  const std::int64_t by = step.integer(f::IntImm::value);
  NodeId count = length;
  // Constant bounds determine the number of lanes; since v0.16 it may be a multiple of vscale.
  if (const Node span = c.node(length); span.is(Kind::IntImm)) {
    const std::int64_t elements = span.integer(f::IntImm::value);
    if (integer_result(Kind::Mod, elements, by) != 0) {
      c.values.fail(slice, "the slice has no whole number of elements");
    }
    count = c.make.int32(elements / by);
  } else if (by != 1 && span.is(Kind::Mul)) {
    count = span[f::Mul::a].id();
  }
  if (!text::lanes_of(c.node(count))) {
    c.values.fail(slice, "the number of lanes of the slice is not constant");
  }
  return c.make.ramp(base, stride, count);
}

}  // namespace

/// Makes the parts of buffers that are nodes; methods and lists wait for the text after them. A
/// path such as `T.exp` stays text until its call or type is complete.
void lower_attribute(Context& c, SyntaxId id) {
  Value& base = c.values.top();
  const Value attribute{.kind = ValueKind::member, .syntax = id, .node = base.node};
  const std::string_view word = c.values.name(attribute);
  // Versions that do not reserve the prefix also use it for buffers and variables.
  const bool is_prefix = c.values.text(base) == c.prefixes.tir && !is_buffer_part(word);
  if (base.kind == ValueKind::name || is_prefix) {
    base = {.kind = ValueKind::name, .syntax = id};
    return;
  }
  // v0.9 names a buffer here; the name is bound to its pointer.
  if (word == "data" && allocation(c, base) != nullptr) {
    c.versions.observe(TvmFeature::allocation_is_buffer);
    base.syntax = id;
    return;
  }
  // `metadata["runtime.NDArray"][0].numpy()`: the form in which mlf writes long constants.
  if (word == "numpy" && base.kind == ValueKind::node && is_array(c, base.node)) {
    base = attribute;
    return;
  }
  if (!c.is(base, Kind::Buffer)) {
    c.values.fail(attribute,
                  fmt::format("only buffers have parts, and '{}' is {}", c.values.text(base),
                              base.kind == ValueKind::node ? "none" : to_string(base.kind)));
  }
  const Node buffer = c.node(base.node);
  if (word == "data" || word == "elem_offset") {
    const NodeId part =
        word == "data" ? buffer[f::Buffer::data].id() : buffer[f::Buffer::elem_offset].id();
    base = {.kind = ValueKind::node, .syntax = id, .node = part};
  } else if (is_buffer_part(word)) {
    base = attribute;
  } else {
    c.values.fail(attribute, fmt::format("a buffer has no part '{}'", word));
  }
}

/// Indices nest as deep as the text does. An access inside of another becomes a load at once, so no
/// reader follows them down.
void load_items(Context& c, const Value& list) {
  for (std::size_t i = 0; i < list.count; ++i) {
    const Value item = c.values.item(list, i);
    if (item.kind != ValueKind::access) continue;
    const NodeId load = as_expr(c, item);
    c.values.set_item(list, i, {.kind = ValueKind::node, .syntax = item.syntax, .node = load});
  }
}

/// `A[…]` stays an access: its place decides between a load and a region.
void lower_subscript(Context& c, SyntaxId id) {
  const std::uint32_t count = c.values.syntax(id).arity - 1;
  const Value base = c.values.top(count + 1).front();
  Value access = c.values.take_items(count);
  access.syntax = id;
  c.values.drop(1);
  switch (base.kind) {
    case ValueKind::node:
      access.kind = ValueKind::access;
      if (!c.node(base.node).is(Kind::Tensor)) access.node = as_buffer(c, base);
      break;
      // A type, the metadata, or a te.Tensor that is not bound.
    case ValueKind::name:
      if (const NodeId type = generic_type(c, base, access); type != NodeId::none) {
        return c.values.push(type, id);
      }
      access.kind = c.values.text(base) == "metadata" ? ValueKind::metadata_key : ValueKind::access;
      break;
    case ValueKind::metadata_key:
      return c.values.push(metadata_object(c, c.values.item(base, 0), c.values.item(access, 0)),
                           id);
    case ValueKind::member:
      return c.values.push(member_element(c, base, c.values.item(access, 0)), id);
    default:
      fail_expected(c, base, "a buffer");
  }
  if (access.kind == ValueKind::access) {
    // `A[()]` is an access without indices.
    const Value first = c.values.item(access, 0);
    if (count == 1 && first.kind == ValueKind::tuple) {
      access.first = first.first;
      access.count = first.count;
    }
    load_items(c, access);
  }
  c.values.push(access);
}

bool is_array(Context& c, NodeId node) {
  if (node == NodeId::none) return false;
  return c.node(node).is(Kind::NDArray) || c.node(node).is(Kind::MissingObject);
}

NodeId as_buffer(Context& c, const Value& value) {
  if (c.is(value, Kind::Buffer)) return value.node;
  if (value.kind == ValueKind::name) fail_undefined(c, value);
  // Only v0.9 uses the object that an allocation defines as a buffer.
  if (Allocation* const known = allocation(c, value)) {
    return allocated_buffer(c, value.node, *known);
  }
  fail_expected(c, value, "a buffer");
}

// --- Indices and regions -----------------------------------------------------------------------

std::vector<NodeId> as_indices(Context& c, const Value& access) {
  std::vector<NodeId> nodes;
  nodes.reserve(access.count);
  for (std::size_t i = 0; i < access.count; ++i) {
    const Value& index = c.values.item(access, i);
    nodes.push_back(index.kind == ValueKind::slice ? ramp_of_slice(c, index) : as_expr(c, index));
  }
  return nodes;
}

/// A single index is a region of one element.
NodeId as_range(Context& c, const Value& value) {
  if (value.kind == ValueKind::slice) {
    return range_to(c, c.values.item(value, 0), c.values.item(value, 1));
  }
  if (c.is(value, Kind::Range)) return value.node;
  return c.make.range_at(as_expr(c, value));
}

NodeId range_to(Context& c, const Value& first, const Value& last) {
  const NodeId begin = as_expr(c, first);
  const NodeId end = as_expr(c, last);
  return c.make.range(begin, end, c.function());
}

NodeId as_region(Context& c, const Value& value) {
  if (value.kind == ValueKind::access && value.node != NodeId::none) {
    const std::vector<NodeId> bounds = as_ranges(c, value);
    return c.builder.make(Kind::BufferRegion, {value.node, c.builder.list(bounds)});
  }
  const NodeId whole = as_buffer(c, value);
  std::vector<NodeId> bounds;
  for (const NodeId extent : ids_of(c.node(whole).list(f::Buffer::shape))) {
    bounds.push_back(c.make.range_to(extent));
  }
  return c.builder.make(Kind::BufferRegion, {whole, c.builder.list(bounds)});
}

NodeId as_producer(Context& c, const Value& access) {
  const std::string_view path = c.values.text(access);
  const std::string_view name = path.substr(0, path.find('['));
  if (const NodeId known = c.names.find(name); known != NodeId::none) return known;
  c.lose(LossCode::producer, name);
  const NodeId tensor = c.make.placeholder(name, DType::Float(32), {});
  c.names.bind(name, tensor);
  return tensor;
}

// --- Types -------------------------------------------------------------------------------------

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

NodeId type_of_path(Context& c, std::string_view path) {
  const std::string_view name = after_prefix(path, c.prefixes.tir);
  if (name.empty()) return is_void(c, path) ? c.make.void_type() : NodeId::none;
  if (name.starts_with("Ptr[")) return scoped_pointer(c, name);
  const auto dtype = script_dtype(name);
  if (!dtype) return NodeId::none;
  return dtype->is_void() ? c.make.void_type() : c.make.prim_type(*dtype);
}

NodeId generic_type(Context& c, const Value& name, const Value& arguments) {
  const std::string_view word = after_prefix(c.values.text(name), c.prefixes.tir);
  if (word == "Ptr" && arguments.count > 0) {
    const Value& pointee = c.values.item(arguments, 0);
    const NodeId element = pointee.kind == ValueKind::name && is_void(c, c.values.text(pointee))
                               ? c.make.prim_type(DType::Void())
                               : as_type(c, pointee);
    const auto scope =
        arguments.count > 1 ? as_string(c, c.values.item(arguments, 1)) : std::string_view();
    return c.make.pointer_type(element, scope);
  }
  if (word == "let") refuse_later(c, c.values.begin(name), "let[...]");
  if (word != "Tuple") return NodeId::none;
  return c.make.tuple_type(each(c, c.values.items(arguments), as_type));
}

/// `T.handle("float32", "global")`: a pointer; without arguments an untyped handle.
NodeId read_handle(Context& c, const Arguments& args) {
  args.expect(0, 2, {"dtype", "storage_scope", "is_size_var", "is_unknown_type"});
  const auto element = args.find(0, "dtype");
  if (!element || element->kind == ValueKind::none) return c.make.prim_type(DType::Handle());
  const auto scope = args.find(1, "storage_scope");
  return c.make.pointer_type(as_stated_type(c, *element),
                             scope ? as_string(c, *scope) : std::string_view());
}

/// `T.Tuple(T.int8, T.int32)` since v0.12.
NodeId read_tuple_type(Context& c, const Arguments& args) {
  return c.make.tuple_type(each(c, args.positional(), as_type));
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

// --- Attributes --------------------------------------------------------------------------------

namespace {

/// v0.18 boxes plain numbers and booleans; earlier versions have constants.
NodeId leaf_attribute(Context& c, const Value& value) {
  switch (value.kind) {
    case ValueKind::none:
      return NodeId::none;
    case ValueKind::string:
      return c.make.string(as_string(c, value));
    case ValueKind::boolean:  // v0.18 boxes what v0.12 to v0.17 print as T.bool(True)
      if (c.rules.is_old()) return as_expr(c, value);
      return c.builder.make(Kind::BoxBool, {as_boolean(c, value)});
    case ValueKind::real:
      c.versions.observe(TvmFeature::boxed_numbers);
      return c.builder.make(Kind::BoxFloat, {as_real(c, value)});
    case ValueKind::node:
      return value.node;
    case ValueKind::access:
      return as_region(c, value);
    case ValueKind::slice:
      return as_range(c, value);
    case ValueKind::name: {
      const std::string_view path = c.values.text(value);
      if (const NodeId type = type_of_path(c, path); type != NodeId::none) return type;
      if (const auto name = after_prefix(path, c.module_name); !name.empty()) {
        return c.make.global_var(name);
      }
      // A function that is not in the module is printed only as its name.
      if (path.find('.') == std::string_view::npos) return c.make.global_var(path);
      return as_expr(c, value);
    }
    default:
      return as_expr(c, value);
  }
}

StringId add_name(Context& c, const Value& key, EntryNames& names) {
  const std::string_view name = as_string(c, key);
  const StringId id = c.builder.string(name);
  if (!names.add(id)) c.values.fail(key, message_of_repeated(name));
  return id;
}

/// A list, a tuple of numbers or a map with complete elements.
NodeId close_attribute(Context& c, const Value& value, std::span<const NodeId> elements) {
  Builder& b = c.builder;
  if (value.kind == ValueKind::list) return b.make(Kind::Array, {b.list(elements)});
  if (value.kind == ValueKind::tuple) {
    std::vector<std::int64_t> numbers;
    for (std::size_t i = 0; i < value.count; ++i) {
      numbers.push_back(as_integer(c, c.values.item(value, i)));
    }
    return b.make(Kind::ShapeTuple, {b.integers(numbers)});
  }
  bool all_strings = true;
  for (std::size_t i = 0; i < value.count; i += 2) {
    all_strings = all_strings && c.values.item(value, i).kind == ValueKind::string;
  }
  std::vector<NamedNode> named;
  EntryNames names;
  std::vector<NodePair> pairs;
  for (std::size_t i = 0; i < value.count; i += 2) {
    const Value& key = c.values.item(value, i);
    if (all_strings) {
      named.push_back({add_name(c, key, names), elements[i + 1]});
    } else {
      const NodeId node =
          elements[i] == NodeId::none ? c.make.string(as_string(c, key)) : elements[i];
      pairs.push_back({node, elements[i + 1]});
    }
  }
  if (all_strings) return b.make(Kind::StringMap, {b.map(named)});
  return b.make(Kind::ObjectMap, {b.map(pairs)});
}

}  // namespace

/// Containers nest as deep as the source, so the open ones are on a stack.
NodeId as_attribute(Context& c, const Value& value) {
  struct Open {
    Value container;
    std::uint32_t next;
    std::size_t first_done;
  };
  std::vector<Open> open;
  std::vector<NodeId> done;
  const auto enter = [&](const Value& v) {
    const bool is_container =
        v.kind == ValueKind::list || v.kind == ValueKind::tuple || v.kind == ValueKind::dict;
    if (is_container) {
      open.push_back({v, 0, done.size()});
    } else {
      done.push_back(leaf_attribute(c, v));
    }
  };
  enter(value);
  while (!open.empty()) {
    Open& top = open.back();
    if (top.next < top.container.count) {
      const bool is_key = top.container.kind == ValueKind::dict && top.next % 2 == 0;
      const Value next = c.values.item(top.container, top.next++);
      // A string key stays text until the map is made.
      if (is_key && next.kind == ValueKind::string) {
        done.push_back(NodeId::none);
      } else {
        enter(next);
      }
      continue;
    }
    const Open closed = top;
    open.pop_back();
    const NodeId node =
        close_attribute(c, closed.container, std::span(done).subspan(closed.first_done));
    done.resize(closed.first_done);
    done.push_back(node);
  }
  return done.back();
}

std::vector<NamedNode> as_attribute_map(Context& c, const Value& dict) {
  std::vector<NamedNode> entries;
  EntryNames names;
  add_attributes(c, dict, entries, names);
  return entries;
}

void add_attributes(Context& c, const Value& dict, std::vector<NamedNode>& to, EntryNames& names) {
  if (dict.kind != ValueKind::dict) fail_expected(c, dict, "a dictionary");
  for (std::size_t i = 0; i < dict.count; i += 2) {
    const StringId name = add_name(c, c.values.item(dict, i), names);
    to.push_back({name, as_attribute(c, c.values.item(dict, i + 1))});
  }
}

}  // namespace mlf::tir::tvmscript
