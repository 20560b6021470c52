#include "tir/tvmscript/attributes.h"

#include <fmt/core.h>

#include "tir/tvm_features.h"
#include "tir/tvmscript/accesses.h"
#include "tir/tvmscript/conversions.h"
#include "tir/tvmscript/types.h"

namespace mlf::tir::tvmscript {
namespace {

bool is_container(ValueKind kind) {
  return kind == ValueKind::list || kind == ValueKind::tuple || kind == ValueKind::dict;
}

/// v0.18 boxes plain numbers and booleans; before, they are constants.
NodeId leaf_attribute(Context& c, const Value& value) {
  switch (value.kind) {
    case ValueKind::none:
      return NodeId::none;
    case ValueKind::string:
      return c.make.string(as_string(c, value));
    case ValueKind::boolean:  // v0.18 boxes what v0.12 to v0.17 print as T.bool(True)
      if (c.rules.booleans == Rules::Booleans::constants) return as_expr(c, value);
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
    case ValueKind::path: {
      const std::string_view path = c.values.text(value);
      if (const NodeId type = type_of_path(c, path); type != NodeId::none) return type;
      if (const auto name = after_prefix(path, c.module_name); !name.empty()) {
        return c.metadata.global_var(name);
      }
      // A function that is not in the module is printed as its bare name.
      if (path.find('.') == std::string_view::npos) return c.metadata.global_var(path);
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

/// A list, a tuple of numbers or a map whose elements are done.
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

/// Containers nest as deep as the source says: a stack of the open ones, not of calls.
NodeId as_attribute(Context& c, const Value& value) {
  struct Open {
    Value container;
    std::uint32_t next;
    std::size_t first_done;
  };
  std::vector<Open> open;
  std::vector<NodeId> done;
  const auto enter = [&](const Value& v) {
    if (is_container(v.kind)) {
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
      // A key that is a string stays text until the map is made.
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

/// `T.func_attr({…})`, annotations: keys are strings.
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
