// Objects of TVM in attributes that are calls of irregular forms.
#include <fmt/core.h>

#include "tir/tvmscript/attributes.h"
#include "tir/tvmscript/conversions.h"
#include "tir/tvmscript/irregular_forms.h"

namespace mlf::tir::tvmscript {

// --- Targets -----------------------------------------------------------------------------------

namespace {

/// Only the name of a kind is printed, not what TVM knows about it.
NodeId target_kind(Context& c, std::string_view name) {
  return c.builder.make(Kind::TargetKind,
                        {c.builder.string(name), kAbsentInteger, kAbsentInteger, ListId::none});
}

/// The target in a dictionary. A host may have a host in turn: the innermost one is made first.
NodeId target_of(Context& c, const Value& dict) {
  std::vector<Value> chain;
  NodeId target = NodeId::none;
  for (std::optional<Value> next = dict; next;) {
    // Before v0.12 the host is a call of T.target, and done.
    const bool is_done = next->kind == ValueKind::node && c.node(next->node).is(Kind::Target);
    if (is_done && !chain.empty()) {
      target = next->node;
      break;
    }
    if (next->kind != ValueKind::dict) {
      fail_expected(c, *next, "a dictionary that describes a target");
    }
    chain.push_back(*next);
    next.reset();
    for (std::size_t i = 0; i < chain.back().count; i += 2) {
      if (as_string(c, c.values.item(chain.back(), i)) == "host") {
        next = c.values.item(chain.back(), i + 1);
      }
    }
  }
  Builder& b = c.builder;
  for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
    NodeId kind = NodeId::none;
    std::string_view tag;
    std::vector<NodeId> keys;
    std::vector<NamedNode> attrs;
    for (std::size_t i = 0; i < it->count; i += 2) {
      const std::string_view key = as_string(c, c.values.item(*it, i));
      const Value& value = c.values.item(*it, i + 1);
      if (key == "kind") {
        kind = target_kind(c, as_string(c, value));
      } else if (key == "tag") {
        tag = as_string(c, value);
      } else if (key == "keys") {
        for (const Value& element : c.values.elements(value)) {
          keys.push_back(as_attribute(c, element));
        }
      } else if (key != "host") {
        attrs.push_back({b.string(key), as_attribute(c, value)});
      }
    }
    if (kind == NodeId::none) c.values.fail(*it, "a target needs a 'kind'");
    target = b.make(Kind::Target,
                    {kind, b.string(tag), b.list(keys), b.map(attrs), NodeId::none, target});
  }
  return target;
}

}  // namespace

NodeId read_target(Context& c, const Arguments& args) {
  args.expect(1, 2);
  args.expect_keywords({"host"});
  c.lose(LossCode::target_details);
  return target_of(c, args[0]);
}

// --- Memory pools of the static planner (USMP) -------------------------------------------------

NodeId read_allocated_pool_info(Context& c, const Arguments& args) {
  args.expect_keywords({"pool_info", "allocated_size", "pool_var_idx"});
  const NodeId pool = as_attribute(c, args.get(0, "pool_info"));
  const NodeId size = as_attribute(c, args.get(1, "allocated_size"));
  const auto index = args.find(2, "pool_var_idx");
  if (!index) c.lose(LossCode::attr_object, "AllocatedPoolInfo.pool_var_idx");
  const NodeId var_index = index ? as_attribute(c, *index) : NodeId::none;
  return c.builder.make(Kind::AllocatedPoolInfo, {pool, size, var_index});
}

/// `I.ConstantInfo("w", byte_offset=0, data=metadata["runtime.NDArray"][0])`
NodeId read_constant_info(Context& c, const Arguments& args) {
  args.expect_keywords({"name_hint", "byte_offset", "data"});
  const std::string_view name = as_string(c, args.get(0, "name_hint"));
  const NodeId offset = as_attribute(c, args.get(1, "byte_offset"));
  const NodeId data = as_attribute(c, args.get(2, "data"));
  return c.pool_objects.constant(name, offset, data);
}

NodeId read_constant_pool_info(Context& c, const Arguments& args) {
  args.expect(1, 1);
  std::vector<NodeId> constants;
  for (const Value& value : c.values.elements(args[0])) constants.push_back(as_attribute(c, value));
  c.lose(LossCode::attr_object, "ConstantPoolInfo");
  return c.pool_objects.pool(std::move(constants));
}

// --- Objects of Relax --------------------------------------------------------------------------

NodeId read_vdevice(Context& c, const Arguments& args) {
  Builder& b = c.builder;
  constexpr std::string_view kFields[] = {"target", "vdevice_id", "memory_scope"};
  std::vector<NamedNode> fields;
  for (std::size_t i = 0; i < std::size(kFields); ++i) {
    if (const auto value = args.find(i, kFields[i])) {
      fields.push_back({b.string(kFields[i]), as_attribute(c, *value)});
    }
  }
  return b.make(Kind::Opaque,
                {b.string("VDevice"), b.map(fields), ListId::none, ListId::none, StringId::none});
}

NodeId read_dummy_global_info(Context& c, const Arguments&) {
  Builder& b = c.builder;
  return b.make(Kind::Opaque, {b.string("DummyGlobalInfo"), b.map(std::span<const NamedNode>()),
                               ListId::none, ListId::none, StringId::none});
}

}  // namespace mlf::tir::tvmscript
