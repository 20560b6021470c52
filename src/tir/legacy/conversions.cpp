// What a place in the text makes of the value in it: an expression, a buffer, a number, …
#include <fmt/core.h>

#include "tir/legacy/expressions.h"

namespace mlf::tir::legacy {
namespace {

/// Producers are loaded by their hints, which are not made unique: DataProducer notes both names.
NodeId load_producer(Context& c, const Value& element) {
  std::vector<NodeId> indices;
  for (const Value& index : c.exprs.elements(element)) indices.push_back(as_expr(c, index));
  const DType dtype = c.builder.node(element.node).dtype(f::Tensor::dtype);
  return c.builder.make(Kind::ProducerLoad, {dtype, element.node, c.builder.list(indices)});
}

/// `(nullptr)` is how the printer writes an undefined object; the parentheses are gone with the
/// syntax.
NodeId as_scalar_attribute(Context& c, const Value& value) {
  switch (value.form) {
    case Value::Form::node:
      return value.node;
    case Value::Form::name:
      return c.exprs.name_of(value) == "nullptr" ? NodeId::none : look_up(c, value);
    case Value::Form::string:
      return c.make.string(as_string(c, value));
    default:
      c.exprs.fail_expected(value, "a value");
  }
}

}  // namespace

/// Only here is it decided what a name was meant to be: it may be a variable, a constant such as
/// `inff32`, or a `meta[…][…]`.
NodeId as_expr(Context& c, const Value& value) {
  switch (value.form) {
    case Value::Form::node: {
      const NodeId node = value.node;
      if (c.builder.node(node).category() == Category::expr) return node;
      break;
    }
    case Value::Form::name: {
      const NodeId node = look_up(c, value);
      const Category category = c.builder.node(node).category();
      if (category == Category::expr || category == Category::object) return node;
      break;
    }
    case Value::Form::string:
      return c.make.string_imm(as_string(c, value));
    case Value::Form::element:
      if (value.node != NodeId::none && c.builder.node(value.node).is(Kind::Tensor)) {
        return load_producer(c, value);
      }
      break;
    default:
      break;
  }
  c.exprs.fail_expected(value, "an expression");
}

NodeId as_expr(Context& c, SyntaxId root) {
  return as_expr(c, lower(c, root));
}

/// The relay printer prints lanes as an expression since v0.16, as a decimal before.
NodeId as_lanes(Context& c, const Value& value) {
  const NodeId count = as_expr(c, value);
  const auto known = c.make.lanes_of(count);
  if (!known) {
    c.exprs.fail_expected(value, "a number of lanes from 1 to 32767");
  }
  if (*known < 0) c.versions.observe(TvmFeature::lanes_as_nodes);
  return count;
}

NodeId as_attribute(Context& c, const Value& value) {
  if (value.form != Value::Form::list) return as_scalar_attribute(c, value);
  std::vector<NodeId> nodes;
  for (const Value& element : c.exprs.elements(value))
    nodes.push_back(as_scalar_attribute(c, element));
  return c.builder.make(Kind::Array, {c.builder.list(nodes)});
}

NodeId as_named(Context& c, const Value& value) {
  if (value.form == Value::Form::node || value.form == Value::Form::element) return value.node;
  if (value.form == Value::Form::name) return look_up(c, value);
  c.exprs.fail_expected(value, "a buffer or a variable");
}

NodeId as_buffer(Context& c, const Value& value) {
  const NodeId node = as_named(c, value);
  if (node != NodeId::none && c.builder.node(node).is(Kind::Buffer)) return node;
  c.exprs.fail_expected(value, "a buffer");
}

NodeId as_var(Context& c, const Value& value) {
  const NodeId node = as_named(c, value);
  if (node != NodeId::none && c.builder.node(node).is(Kind::Var)) return node;
  c.exprs.fail_expected(value, "a variable");
}

/// A point is a range of one element: regions print `i`, not `i:i + 1`.
NodeId as_range(Context& c, const Value& value) {
  if (value.form == Value::Form::node && c.builder.node(value.node).is(Kind::Range)) {
    return value.node;
  }
  const NodeId point = as_expr(c, value);
  const NodeId one = c.make.int_imm(c.make.dtype_of(point), 1);
  return c.builder.make(Kind::Range, {point, one});
}

std::vector<NodeId> as_exprs(Context& c, const Value& list) {
  if (list.form != Value::Form::list) {
    c.exprs.fail_expected(list, "a list");
  }
  std::vector<NodeId> nodes;
  for (const Value& element : c.exprs.elements(list)) nodes.push_back(as_expr(c, element));
  return nodes;
}

std::vector<NodeId> as_ranges(Context& c, const Value& list) {
  if (list.form != Value::Form::list) {
    c.exprs.fail_expected(list, "a list of ranges");
  }
  std::vector<NodeId> nodes;
  for (const Value& element : c.exprs.elements(list)) nodes.push_back(as_range(c, element));
  return nodes;
}

/// `dtype=)` is void, which legacy text spells as nothing.
DType as_dtype(Context& c, const Value& value) {
  if (value.form == Value::Form::absent) return DType::Void();
  if (value.form == Value::Form::name) {
    if (const auto parsed = parse_dtype(c.exprs.name_of(value))) return *parsed;
  }
  c.exprs.fail_expected(value, "a dtype");
}

/// v0.8 prints strings without escapes, so that what looks like one may be either.
std::string as_string(Context& c, const Value& value) {
  if (value.form != Value::Form::string) {
    c.exprs.fail_expected(value, "a string");
  }
  if (c.strings == Strings::raw) c.lose(LossCode::string_escape);
  return decode_string(c.strings, c.exprs.text_of(value.syntax));
}

std::int64_t as_integer(Context& c, const Value& value) {
  if (value.form == Value::Form::node && c.builder.node(value.node).is(Kind::IntImm)) {
    return c.builder.node(value.node).integer(f::IntImm::value);
  }
  c.exprs.fail_expected(value, "an integer");
}

/// Annotations; a map anywhere else is in the metadata section.
std::vector<NamedNode> read_entries(Context& c, SyntaxId dictionary) {
  if (c.exprs.syntax(dictionary).kind != SyntaxKind::dict) {
    c.exprs.fail(dictionary, fmt::format("expected {{\"key\": value, …}}, found {}",
                                         c.exprs.shown(dictionary)));
  }
  const std::vector<SyntaxId> parts = c.exprs.children(dictionary);
  std::vector<NamedNode> result;
  EntryNames names;
  for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
    const std::string key = as_string(c, lower(c, parts[i]));
    const StringId name = c.builder.string(key);
    if (!names.add(name)) c.exprs.fail(parts[i], message_of_repeated(key));
    result.push_back({name, as_attribute(c, lower(c, parts[i + 1]))});
  }
  return result;
}

/// The subscript is not lowered as a whole, which would make a load of it where no index is a
/// range.
NodeId read_region(Context& c, SyntaxId id) {
  if (c.exprs.syntax(id).kind != SyntaxKind::subscript) {
    c.exprs.fail(id, fmt::format("expected a region of a buffer, found {}", c.exprs.shown(id)));
  }
  const std::vector<Value> parts = lower_subscript_parts(c, id);
  const NodeId source = as_buffer(c, parts[0]);
  std::vector<NodeId> bounds;
  for (std::size_t i = 1; i < parts.size(); ++i) bounds.push_back(as_range(c, parts[i]));
  return c.builder.make(Kind::BufferRegion, {source, c.builder.list(bounds)});
}

}  // namespace mlf::tir::legacy
