// Builds frozen modules, children before parents.
//
//     mlf::tir::Builder builder;
//     const mlf::tir::NodeId one =
//         builder.make(mlf::tir::Kind::IntImm, {mlf::tir::DType::Int(32), 1});
//     const mlf::tir::Module lone = std::move(builder).finish(one);
//
// Copies fields of nodes, for a module with some of its nodes replaced:
//
//     const auto same = [](mlf::tir::Node node) { return node.id(); };
//     const mlf::tir::FieldValue params =
//         mlf::tir::copied_field(builder, prim_func, mlf::tir::f::PrimFunc::params, same);
//
// Threads: a Builder is for one thread at a time.
#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "mlf/export.h"
#include "mlf/tir/module.h"

namespace mlf::tir {

/// The value of one field of a new node.
class FieldValue {
 public:
  FieldValue(NodeId id) : type_(FieldType::node), bits_(index(id)) {}
  FieldValue(ListId id) : type_(FieldType::list), bits_(static_cast<std::uint32_t>(id)) {}
  FieldValue(StringId id) : type_(FieldType::string), bits_(static_cast<std::uint32_t>(id)) {}
  FieldValue(BytesId id) : type_(FieldType::bytes), bits_(static_cast<std::uint32_t>(id)) {}
  FieldValue(DType dtype) : type_(FieldType::dtype), bits_(dtype.packed()) {}
  FieldValue(std::int64_t value)
      : type_(FieldType::integer), bits_(static_cast<std::uint64_t>(value)) {}
  FieldValue(int value) : FieldValue(static_cast<std::int64_t>(value)) {}
  FieldValue(double value) : type_(FieldType::real), bits_(std::bit_cast<std::uint64_t>(value)) {}
  FieldValue(bool value) : FieldValue(static_cast<std::int64_t>(value)) {}
  template <class Enum>
  requires std::is_same_v<Enum, ForKind> || std::is_same_v<Enum, IterVarType> ||
      std::is_same_v<Enum, BufferType>
      FieldValue(Enum value) : FieldValue(static_cast<std::int64_t>(value)) {}

  FieldType type() const { return type_; }
  std::uint64_t bits() const { return bits_; }

 private:
  FieldType type_;
  std::uint64_t bits_;
};

struct NamedNode {
  StringId name;
  NodeId value;
};
struct NodePair {
  NodeId key;
  NodeId value;
};

/// Collects nodes until `finish`. Equal strings share one id. Throws only bad_alloc, and
/// `NodeMisuse` for a wrong number or type of fields. For one thread at a time.
class MLF_API Builder {
 public:
  Builder();
  /// Continues a frozen module: ids of its nodes stay valid.
  explicit Builder(Module&& module);
  Builder(Builder&&) noexcept;
  Builder& operator=(Builder&&) noexcept;
  ~Builder();

  /// Makes a node, with its fields in the order of nodes.def. Those at the end that may be
  /// undefined can be left out.
  NodeId make(Kind kind, std::initializer_list<FieldValue> fields);
  NodeId make(Kind kind, std::span<const FieldValue> fields);
  /// Replaces one field, for a value that the source states later, such as the type of a Var.
  void set(NodeId id, FieldRef field, FieldValue value);

  StringId string(std::string_view text);
  ListId list(std::span<const NodeId> ids);
  ListId list(std::initializer_list<NodeId> ids) {
    return list(std::span(ids.begin(), ids.size()));
  }
  ListId map(std::span<const NamedNode> entries);
  ListId map(std::span<const NodePair> entries);
  ListId integers(std::span<const std::int64_t> values);
  BytesId bytes(std::vector<std::byte> data);

  void set_span(NodeId id, NodeId span);
  void set_source_range(NodeId id, SourceRange range);

  /// Returns a handle to a node made so far. Ids stay valid, views only until the next `make`.
  Node node(NodeId id) const { return module_.node(id); }
  /// Returns the number of ids so far, including the undefined one.
  std::uint32_t size() const { return module_.size(); }

  /// Freezes everything with `root` as the module's root. The builder is empty afterwards.
  Module finish(NodeId root) &&;

 private:
  Module module_;
};

/// The parts of `copied_field`: a list, a map whose keys are names, a map whose keys are nodes.
template <class Of>
ListId copied(Builder& builder, const NodeList& list, Of&& of) {
  if (!list.defined()) return ListId::none;
  std::vector<NodeId> ids;
  for (const Node node : list) ids.push_back(of(node));
  return builder.list(ids);
}

template <class Of>
ListId copied_names(Builder& builder, const NodeMap& map, Of&& of) {
  if (!map.defined()) return ListId::none;
  std::vector<NamedNode> entries;
  for (std::size_t i = 0; i < map.size(); ++i) {
    entries.push_back({builder.string(map.name(i)), of(map.value(i))});
  }
  return builder.map(entries);
}

template <class Of>
ListId copied_pairs(Builder& builder, const NodeMap& map, Of&& of) {
  if (!map.defined()) return ListId::none;
  std::vector<NodePair> entries;
  for (std::size_t i = 0; i < map.size(); ++i) {
    const NodeId key = of(map.key(i));
    entries.push_back({key, of(map.value(i))});
  }
  return builder.map(entries);
}

/// The value of a field for another node: `of(node)` in the place of each node that it refers to.
/// Undefined fields stay undefined.
template <class Of>
FieldValue copied_field(Builder& builder, Node node, std::uint8_t field, Of&& of) {
  switch (node.info().fields[field].type) {
    case FieldType::node:
      return of(node.node(field));
    case FieldType::list:
      return copied(builder, node.list(field), of);
    case FieldType::string_map:
      return copied_names(builder, node.map(field), of);
    case FieldType::node_map:
      return copied_pairs(builder, node.map(field), of);
    case FieldType::string:
      return node.has_text(field) ? builder.string(node.text(field)) : StringId::none;
    case FieldType::real:
      return node.real(field);
    case FieldType::dtype:
      return node.dtype(field);
    case FieldType::integers:
      return builder.integers(node.integers(field));
    case FieldType::bytes: {
      const auto data = node.bytes(field);
      if (!data) return BytesId::none;
      return builder.bytes(std::vector<std::byte>(data->begin(), data->end()));
    }
    default:
      return node.integer(field);
  }
}

}  // namespace mlf::tir
