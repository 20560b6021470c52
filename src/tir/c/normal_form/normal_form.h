// Reduces a module to what generated C can express.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mlf/tir/builder.h"
#include "mlf/tir/module.h"
#include "tir/c/c.h"
#include "tir/c/versions.h"
#include "tir/interval.h"
#include "tir/text/expr_factory.h"

namespace mlf::tir::c {

class NormalForm {
 public:
  using NewNames = std::map<std::string_view, std::string_view>;

  NormalForm(const Module& module, const VersionRange& version, const NewNames& new_names);

  Module make() &&;

 private:
  NodeId of(Node node);
  NodeId body_of(Node statement);
  void leave(Node node);
  NodeId rebuilt(Node node);
  NodeId rebuilt_statement(Node node);
  NodeId rebuilt_expr(Node node);
  NodeId copy(Node node);
  std::span<FieldValue> fields_of(Node node);
  FieldValue field(Node node, std::uint8_t i);
  FieldValue rebuilt_field(Node node, std::uint8_t i);
  NodeId variable(Node node);
  NodeId type_of_variable(Node node);
  NodeId buffer(Node node);
  NodeId buffer_on(NodeId data, DType dtype);
  NodeId strided_buffer(Node node, NodeId data, DType dtype);
  NodeId load(Node node);
  NodeId store(Node node);
  NodeId sequence(Node node);
  void splice(NodeId statement, std::vector<NodeId>& into);
  NodeId joined(std::vector<NodeId>& statements);
  NodeId governing(NodeId let, std::vector<NodeId> rest);
  NodeId joined_once(std::span<const NodeId> statements);
  NodeId loop(Node node);
  NodeId evaluate(Node node);
  NodeId allocate(Node node);
  NodeId choice(Node select);
  NodeId division(Node node);
  NodeId floor(Kind kind, DType dtype, NodeId a, NodeId b);
  NodeId difference(Node node);
  NodeId call(Node node);
  NodeId plain_call(std::string_view op, std::span<const NodeId> args, DType dtype);
  NodeId as_division(NodeId call);
  NodeId pointer_into(std::span<const NodeId> access);
  NodeId float_imm(Node node);
  ListId flat(NodeList extents);
  NodeId narrowed(NodeId id);
  NodeId function(Node node);
  NodeId constant_around(NodeId body, Node constant);
  ListId buffer_map(Node function);
  NodeId pool_args(Node attrs);
  NodeId pool(Node allocated);
  NodeId array(Node node);
  NodeId root(Node node);
  NodeId global_var(Node node);
  std::string_view name_of(Node global_var) const;
  /// The new nodes, for fields that are rebuilt.
  auto becoming() {
    return [this](Node node) { return of(node); };
  }
  NodeId nothing() { return builder_.make(Kind::Evaluate, {make_.int32(0)}); }

  const Module& module_;
  const NewNames& new_names_;
  Ternary ternary_;
  Builder builder_;
  LossLog losses_;
  text::ExprFactory make_;
  std::vector<NodeId> map_;
  IntegerRanges ranges_;
  std::vector<FieldValue> fields_;                // of the last node that `fields_of` was asked for
  std::unordered_map<std::uint32_t, Node> lets_;  // the values of variables that a Let defines
  std::map<std::pair<NodeId, std::uint32_t>, NodeId> buffers_;
  std::unordered_map<std::uint32_t, std::vector<Node>> constants_;  // by function, outermost first
};

}  // namespace mlf::tir::c
