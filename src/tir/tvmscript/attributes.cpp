// Values of attributes and annotations, where strings are strings and lists are arrays.
#include <fmt/core.h>

#include "tir/tvm_features.h"
#include "tir/tvmscript/expressions.h"

namespace mlf::tir::tvmscript {
namespace {

bool is_container(ValueKind kind) {
  return kind == ValueKind::list || kind == ValueKind::tuple || kind == ValueKind::dict;
}

}  // namespace

/// Containers nest as deep as the source says: a stack of the open ones, not of calls.
NodeId Expressions::attribute(const Value& value) {
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
      done.push_back(leaf_attribute(v));
    }
  };
  enter(value);
  while (!open.empty()) {
    Open& top = open.back();
    if (top.next < top.container.count) {
      const bool is_key = top.container.kind == ValueKind::dict && top.next % 2 == 0;
      const Value next = item(top.container, top.next++);
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
        close_attribute(closed.container, std::span(done).subspan(closed.first_done));
    done.resize(closed.first_done);
    done.push_back(node);
  }
  return done.back();
}

NodeId Expressions::close_attribute(const Value& value, std::span<const NodeId> elements) {
  Builder& b = c_.builder;
  if (value.kind == ValueKind::list) return b.make(Kind::Array, {b.list(elements)});
  if (value.kind == ValueKind::tuple) {
    std::vector<std::int64_t> numbers;
    for (std::size_t i = 0; i < value.count; ++i) numbers.push_back(integer(item(value, i)));
    return b.make(Kind::ShapeTuple, {b.integers(numbers)});
  }
  bool all_strings = true;
  for (std::size_t i = 0; i < value.count; i += 2) {
    all_strings = all_strings && item(value, i).kind == ValueKind::string;
  }
  std::vector<NamedNode> named;
  std::vector<NodePair> pairs;
  for (std::size_t i = 0; i < value.count; i += 2) {
    const Value& key = item(value, i);
    if (all_strings) {
      named.push_back({b.string(string(key)), elements[i + 1]});
    } else {
      const NodeId node = elements[i] == NodeId::none ? c_.make.string(string(key)) : elements[i];
      pairs.push_back({node, elements[i + 1]});
    }
  }
  if (all_strings) return b.make(Kind::StringMap, {b.map(named)});
  return b.make(Kind::ObjectMap, {b.map(pairs)});
}

NodeId Expressions::leaf_attribute(const Value& value) {
  switch (value.kind) {
    case ValueKind::none:
      return NodeId::none;
    case ValueKind::string:
      return c_.make.string(string(value));
    case ValueKind::boolean:  // v0.18 boxes what v0.12 to v0.17 print as T.bool(True)
      if (c_.rules.booleans == Rules::Booleans::constants) return expr(value);
      return c_.builder.make(Kind::BoxBool, {boolean(value)});
    case ValueKind::real:
      c_.versions.observe(TvmFeature::boxed_numbers);
      return c_.builder.make(Kind::BoxFloat, {real(value)});
    case ValueKind::node:
      return value.node;
    case ValueKind::access:
      return region(value);
    case ValueKind::slice:
      return range(value);
    case ValueKind::path: {
      const std::string_view path = text(value);
      if (const NodeId type = type_of_path(path); type != NodeId::none) return type;
      if (const auto name = after_prefix(path, c_.module_name); !name.empty()) {
        return c_.metadata.global_var(name);
      }
      // A function that is not in the module is printed as its bare name.
      if (path.find('.') == std::string_view::npos) return c_.metadata.global_var(path);
      return expr(value);
    }
    default:
      return expr(value);
  }
}

std::vector<NamedNode> Expressions::attribute_map(const Value& dict) {
  if (dict.kind != ValueKind::dict) fail_expected(dict, "a dictionary");
  std::vector<NamedNode> entries;
  for (std::size_t i = 0; i < dict.count; i += 2) {
    const std::string_view key = string(item(dict, i));
    entries.push_back({c_.builder.string(key), attribute(item(dict, i + 1))});
  }
  return entries;
}

// --- Memory pools of the static planner --------------------------------------------------------

NodeId Expressions::form_allocated_pool_info(const Arguments& args) {
  args.expect_keywords({"pool_info", "allocated_size", "pool_var_idx"});
  c_.versions.observe(TvmFeature::pool_infos);
  const NodeId pool = attribute(args.get(0, "pool_info"));
  const NodeId size = attribute(args.get(1, "allocated_size"));
  const auto index = args.find(2, "pool_var_idx");
  if (!index) c_.lose(LossCode::attr_object, "AllocatedPoolInfo without pool_var_idx");
  const NodeId var_index = index ? attribute(*index) : NodeId::none;
  return c_.builder.make(Kind::AllocatedPoolInfo, {pool, size, var_index});
}

/// Of a constant pool only its constants are printed.
NodeId Expressions::form_constant_pool_info(const Arguments& args) {
  args.expect(1, 1);
  c_.versions.observe(TvmFeature::pool_infos);
  std::vector<NodeId> constants;
  for (const Value& value : elements(args[0])) constants.push_back(attribute(value));
  c_.lose(LossCode::attr_object, "ConstantPoolInfo without its properties");
  Builder& b = c_.builder;
  const NodeId none = NodeId::none;
  return b.make(Kind::ConstantPoolInfo, {b.string(""), ListId::none, none, none, none, none, none,
                                         none, none, false, b.list(constants)});
}

NodeId Expressions::form_constant_info(const Arguments& args) {
  args.expect(1, 1);
  args.expect_keywords({"byte_offset", "data"});
  const NodeId offset = attribute(args.get(1, "byte_offset"));
  const NodeId data = attribute(args.get(2, "data"));
  return c_.builder.make(Kind::ConstantInfo, {c_.builder.string(string(args[0])), offset, data});
}

}  // namespace mlf::tir::tvmscript
