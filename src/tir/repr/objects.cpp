// Objects that the printer describes field by field: memory pools, and what is in them.
#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "tir/node_queries.h"
#include "tir/repr/attributes.h"

namespace mlf::tir::repr {
namespace {

constexpr std::string_view kSuffix = "Node";

// The kinds that the printer writes with their fields; it has an address alone for most others.
constexpr Kind kDescribed[] = {
    Kind::AllocatedPoolInfo,   Kind::PoolInfo,
    Kind::WorkspacePoolInfo,   Kind::ConstantPoolInfo,
    Kind::PoolInfoProperties,  Kind::ConstantInfo,
    Kind::PoolAllocation,      Kind::WorkspaceMemoryPools,
    Kind::ConstantMemoryPools,
};

/// The value of a field that is printed, or nothing where it cannot have that value.
std::optional<FieldValue> field_value(Builder& builder, const FieldInfo& field, NodeId value) {
  const Node node = builder.node(value);
  switch (field.type) {
    case FieldType::node:
      if (value != NodeId::none && !fits(node.kind(), field.expects)) return std::nullopt;
      return value;
    case FieldType::list: {
      if (value == NodeId::none) return ListId::none;
      if (!node.is(Kind::Array)) return std::nullopt;
      std::vector<NodeId> elements;
      for (const Node element : node.list(f::Array::elements)) elements.push_back(element.id());
      return builder.list(elements);
    }
    case FieldType::string:
      if (!node.is(Kind::String)) return std::nullopt;
      return builder.string(std::string(node.text(f::String::value)));
    case FieldType::boolean:
      if (!node.is(Kind::IntImm)) return std::nullopt;
      return node.integer(f::IntImm::value) != 0;
    default:
      return std::nullopt;
  }
}

/// What the printer leaves out of an object that it describes.
FieldValue absent_value(const FieldInfo& field) {
  switch (field.type) {
    case FieldType::list:
      return ListId::none;
    case FieldType::string:
      return StringId::none;
    case FieldType::boolean:
      return false;
    default:
      return NodeId::none;
  }
}

}  // namespace

/// The printer writes the name of the C++ class, which ends with Node.
std::optional<Kind> described_kind(std::string_view type) {
  if (!type.ends_with(kSuffix)) return std::nullopt;
  type.remove_suffix(kSuffix.size());
  const auto* const found =
      std::ranges::find(kDescribed, type, [](Kind kind) { return info(kind).name; });
  return found == std::end(kDescribed) ? std::nullopt : std::optional(*found);
}

/// Such a field may hold anything but a comma at the end of its line.
bool is_raw_text(Kind kind, std::string_view field) {
  const auto fields = info(kind).fields;
  const auto found = std::ranges::find(fields, field, &FieldInfo::name);
  return found != fields.end() && found->type == FieldType::string;
}

/// Fields are found by name, for their order is that of the printer and differs from that of the
/// row.
NodeId make_object(Context& c, Kind kind, std::span<const std::string> names,
                   std::span<const NodeId> values) {
  const KindInfo& row = info(kind);
  std::vector<FieldValue> fields;
  for (const FieldInfo& field : row.fields) {
    const auto printed = std::ranges::find(names, field.name);
    if (printed == names.end()) {
      c.lose(LossCode::attr_object, fmt::format("{}.{}", row.name, field.name));
      fields.push_back(absent_value(field));
      continue;
    }
    const auto place = static_cast<std::size_t>(printed - names.begin());
    const auto value = field_value(c.builder, field, values[place]);
    if (!value) c.lexer.fail(fmt::format("{} of {} cannot have this value", field.name, row.name));
    fields.push_back(*value);
  }
  for (const std::string& name : names) {
    if (std::ranges::find(row.fields, name, &FieldInfo::name) != row.fields.end()) continue;
    c.lose(LossCode::attr_object, fmt::format("{}.{}", row.name, name));
  }
  return c.builder.make(kind, fields);
}

}  // namespace mlf::tir::repr
