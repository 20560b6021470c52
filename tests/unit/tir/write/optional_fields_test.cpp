// Every field that may be undefined comes back undefined, from every format that can say so.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/every_kind.h"
#include "tir/node_queries.h"
#include "writing.h"

namespace mlf::tir {
namespace {

using write_test::expect_same;
using write_test::read_text;
using write_test::save_json_of;
using write_test::tir_json_of;

constexpr std::uint8_t kVersion = 18;

bool is_there(const FieldInfo& field) {
  return field.since <= kVersion && kVersion <= field.until;
}

/// Writers want as many bytes as dtype and shape say.
void make_arrays_fit(Builder& b) {
  const std::vector<std::int64_t> shape{2};
  for (std::uint32_t id = 1; id < b.size(); ++id) {
    const Node node = b.node(static_cast<NodeId>(id));
    if (!node.is(Kind::NDArray)) continue;
    b.set(node.id(), f::NDArray::dtype, DType::Int(8));
    b.set(node.id(), f::NDArray::shape, b.integers(shape));
  }
}

/// A module whose attribute "node" is a node of `kind` without one of its fields.
Document without(Kind kind, std::uint8_t field) {
  Builder b;
  test::NodeMaker maker(b);
  const NodeId node = maker.make(kind);
  make_arrays_fit(b);
  const auto rows = info(kind).fields;
  for (std::uint8_t i = 0; i < rows.size(); ++i) {
    if (i == field || !is_there(rows[i])) b.set(node, i, undefined_value(rows[i]));
  }
  const NamedNode entry{b.string("node"), node};
  const NodeId attrs = b.make(Kind::DictAttrs, {b.map(std::span(&entry, 1))});
  const NodeId none = NodeId::none;
  const NodeId root =
      b.make(Kind::IRModule, {b.map(std::span<const NodePair>()), none, none, none, attrs, none});
  return {.source = {.member = "test",
                     .stage = "lowered",
                     .tvm_version = {kVersion, kVersion, "0.18.0"},
                     .sha256 = std::string(64, '0')},
          .target = std::nullopt,
          .module = std::move(b).finish(root),
          .losses = {}};
}

struct OptionalField {
  Kind kind;
  std::uint8_t field;
};

/// All but those of functions and modules, which stand in tables of their own.
std::vector<OptionalField> optional_fields() {
  std::vector<OptionalField> fields;
  for (const KindInfo& kind : all_kinds()) {
    const bool is_plain = kind.category != Category::function &&
                          kind.category != Category::module && kind.kind != Kind::GlobalVar &&
                          kind.encoding == Encoding::attrs;
    for (std::uint8_t i = 0; is_plain && i < kind.fields.size(); ++i) {
      if (kind.fields[i].nullable && is_there(kind.fields[i])) fields.push_back({kind.kind, i});
    }
  }
  return fields;
}

std::string name_of(const OptionalField& field) {
  const KindInfo& kind = info(field.kind);
  return std::string(kind.name) + "." + std::string(kind.fields[field.field].name);
}

TEST(OptionalFields, StayUndefinedInTirJson) {
  ASSERT_GT(optional_fields().size(), 50u);
  for (const OptionalField& field : optional_fields()) {
    SCOPED_TRACE(name_of(field));
    const Document original = without(field.kind, field.field);
    expect_same(original.module, read_text(tir_json_of(original)).module);
  }
}

TEST(OptionalFields, StayUndefinedInSaveJson) {
  for (const OptionalField& field : optional_fields()) {
    SCOPED_TRACE(name_of(field));
    // An array that TVM keeps apart from the nodes cannot be left out, and an integer is 0.
    const FieldInfo& row = info(field.kind).fields[field.field];
    if (row.expects == Expects::tensor || row.type == FieldType::integer) continue;
    const Document original = without(field.kind, field.field);
    expect_same(original.module, read_text(save_json_of(original)).module);
  }
}

TEST(OptionalFields, OfStatementsAreAnnotations) {
  for (const Kind kind : {Kind::Allocate, Kind::AllocateConst, Kind::Block}) {
    const auto field = field_named(kind, "annotations");
    ASSERT_TRUE(field);
    EXPECT_TRUE(info(kind).fields[*field].nullable) << info(kind).name;
  }
}

}  // namespace
}  // namespace mlf::tir
