#include "mlf/tir/builder.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace mlf::tir {
namespace {

NodeId int_imm(Builder& b, std::int64_t value) {
  return b.make(Kind::IntImm, {DType::Int(32), value});
}

TEST(Builder, KeepsEveryTypeOfField) {
  Builder b;
  const NodeId var = b.make(Kind::Var, {DType::Int(32), b.string("i"), NodeId::none});
  const NodeId loop =
      b.make(Kind::For,
             {var, int_imm(b, 0), int_imm(b, 1ll << 40), ForKind::unrolled, NodeId::none,
              NodeId::none, b.map(std::vector<NamedNode>{{b.string("pragma"), int_imm(b, 7)}})});
  const std::vector<std::int64_t> shape{2, -3};
  const NodeId array = b.make(
      Kind::NDArray, {DType::Float(32), b.integers(shape), b.bytes({std::byte{1}, std::byte{2}})});
  const NodeId real = b.make(Kind::FloatImm, {DType::Float(64), -0.5});
  const Module m = std::move(b).finish(loop);

  const Node n = m.root();
  EXPECT_EQ(n[f::For::loop_var].text(f::Var::name), "i");
  EXPECT_EQ(n[f::For::extent].integer(f::IntImm::value), 1ll << 40);
  EXPECT_EQ(n.integer(f::For::kind), static_cast<int>(ForKind::unrolled));
  EXPECT_FALSE(n[f::For::thread_binding]);
  EXPECT_EQ(n.map(f::For::annotations).find("pragma").integer(f::IntImm::value), 7);
  EXPECT_FALSE(n.map(f::For::annotations).find("other"));
  EXPECT_EQ(m.node(array).integers(f::NDArray::shape)[1], -3);
  EXPECT_EQ(m.node(array).bytes(f::NDArray::data)->size(), 2u);
  EXPECT_EQ(m.node(real).real(f::FloatImm::value), -0.5);
}

TEST(Builder, TellsUndefinedFromEmpty) {
  Builder b;
  const NodeId empty = b.make(Kind::Array, {b.list({})});
  const NodeId undefined = b.make(Kind::Array, {ListId::none});
  const NodeId no_name = b.make(Kind::String, {StringId::none});
  const NodeId empty_name = b.make(Kind::String, {b.string("")});
  const Module m = std::move(b).finish(empty);
  EXPECT_TRUE(m.node(empty).list(f::Array::elements).defined());
  EXPECT_FALSE(m.node(undefined).list(f::Array::elements).defined());
  EXPECT_FALSE(m.node(no_name).has_text(f::String::value));
  EXPECT_TRUE(m.node(empty_name).has_text(f::String::value));
}

TEST(Builder, RefusesFieldsThatTheKindDoesNotHave) {
  Builder b;
  EXPECT_THROW(b.make(Kind::IntImm, {DType::Int(32)}), NodeMisuse);
  EXPECT_THROW(b.make(Kind::IntImm, {DType::Int(32), b.string("1")}), NodeMisuse);
  const NodeId one = int_imm(b, 1);
  EXPECT_THROW(b.set(one, f::IntImm::value, b.string("1")), NodeMisuse);
  EXPECT_THROW(b.set(one, f::For::body, NodeId::none), NodeMisuse);
  EXPECT_THROW(b.set(NodeId::none, f::IntImm::value, 1), NodeMisuse);
  EXPECT_EQ(b.node(one).integer(f::IntImm::value), 1);
}

/// A loop over one integer, and its annotations.
Module a_loop() {
  Builder b;
  const NodeId var = b.make(Kind::Var, {DType::Int(32), b.string("i"), NodeId::none});
  return std::move(b).finish(b.make(
      Kind::For, {var, int_imm(b, 0), int_imm(b, 8), ForKind::serial, NodeId::none, NodeId::none,
                  b.map(std::vector<NamedNode>{{b.string("pragma"), int_imm(b, 7)}})}));
}

TEST(Node, RefusesAFieldOfAnotherKind) {
  const Module m = a_loop();
  const Node loop = m.root();
  EXPECT_THROW(loop[f::IntImm::value], NodeMisuse);
  EXPECT_THROW(loop.integer(f::IntImm::value), NodeMisuse);
  EXPECT_THROW(loop[f::For::extent].integer(f::For::kind), NodeMisuse);
  EXPECT_THROW(loop.list(f::SeqStmt::seq), NodeMisuse);
}

TEST(Node, RefusesAFieldOfAnotherType) {
  const Module m = a_loop();
  const Node loop = m.root();
  EXPECT_THROW(loop.text(f::For::body), NodeMisuse);
  EXPECT_THROW(loop.list(f::For::body), NodeMisuse);
  EXPECT_THROW(loop.map(f::For::body), NodeMisuse);
  EXPECT_THROW(loop.real(f::For::kind), NodeMisuse);
  EXPECT_THROW(loop.bytes(f::For::kind), NodeMisuse);
  EXPECT_THROW(loop.integers(f::For::kind), NodeMisuse);
  EXPECT_THROW(loop.node(f::For::kind), NodeMisuse);
  EXPECT_THROW(loop.dtype(), NodeMisuse);
}

TEST(Node, RefusesAPositionBehindTheLastField) {
  const Module m = a_loop();
  const auto fields = static_cast<std::uint8_t>(info(Kind::For).fields.size());
  EXPECT_THROW(m.root().node(fields), NodeMisuse);
  EXPECT_THROW(m.root().node(std::uint8_t{255}), NodeMisuse);
}

TEST(Node, TakesTheFieldOfAKindOfTheSameFamily) {
  Builder b;
  const NodeId sum = b.make(Kind::Sub, {DType::Int(32), int_imm(b, 5), int_imm(b, 3)});
  const Module m = std::move(b).finish(sum);
  EXPECT_EQ(m.root()[f::Add::b].integer(f::IntImm::value), 3);
}

TEST(Node, UndefinedHasNothing) {
  EXPECT_THROW(Node().kind(), NodeMisuse);
  EXPECT_THROW(Node().module(), NodeMisuse);
  const Module m = a_loop();
  EXPECT_THROW(m.root()[f::For::body].kind(), NodeMisuse);
  EXPECT_THROW(m.node(NodeId{1000}).kind(), NodeMisuse);
}

TEST(Node, RefusesIndicesOverTheEndAndKeysOfAnotherSort) {
  const Module m = a_loop();
  const NodeMap annotations = m.root().map(f::For::annotations);
  EXPECT_EQ(annotations.name(0), "pragma");
  EXPECT_THROW(annotations.name(1), NodeMisuse);
  EXPECT_THROW(annotations.value(1), NodeMisuse);
  EXPECT_THROW(annotations.key(0), NodeMisuse);
  Builder b;
  const Module array = std::move(b).finish(b.make(Kind::Array, {b.list({int_imm(b, 1)})}));
  const NodeList elements = array.root().list(f::Array::elements);
  EXPECT_EQ(elements[0].integer(f::IntImm::value), 1);
  EXPECT_THROW(elements[1], NodeMisuse);
}

TEST(Node, SaysWhatIsWrong) {
  const Module m = a_loop();
  try {
    m.root().list(f::SeqStmt::seq);
    FAIL() << "no misuse";
  } catch (const NodeMisuse& misuse) {
    EXPECT_STREQ(misuse.what(), "misuse of a node: field SeqStmt::seq of a For does not exist");
  }
}

TEST(Builder, StoresEqualStringsOnceAndLongOnesWhole) {
  Builder b;
  const std::string big(200'000, 'x');
  EXPECT_EQ(b.string("name"), b.string("name"));
  const NodeId node = b.make(Kind::String, {b.string(big)});
  EXPECT_EQ(std::move(b).finish(node).root().text(f::String::value), big);
}

TEST(Builder, CanFillInAFieldLater) {
  Builder b;
  const NodeId var = b.make(Kind::Var, {DType::Handle(), b.string("p"), NodeId::none});
  const NodeId type = b.make(Kind::PrimType, {DType::Handle()});
  b.set(var, f::Var::type_annotation, type);
  EXPECT_EQ(std::move(b).finish(var).root()[f::Var::type_annotation].kind(), Kind::PrimType);
}

TEST(Builder, KeepsSourceRangesOfTheNodesThatHaveThem) {
  Builder b;
  const NodeId first = int_imm(b, 1);
  const NodeId second = int_imm(b, 2);
  b.set_source_range(second, {4, 9});
  const Module m = std::move(b).finish(second);
  EXPECT_FALSE(m.source_range(first));
  EXPECT_EQ(m.source_range(second), (SourceRange{4, 9}));
}

TEST(Table, HasAUniqueNameForEveryKindAndFieldsThatFitTheirOffsets) {
  for (const KindInfo& kind : all_kinds()) {
    EXPECT_EQ(kind_named(kind.name), kind.kind);
    std::uint8_t next = 0;
    for (const FieldInfo& field : kind.fields) {
      EXPECT_EQ(field.offset, next) << kind.name << "." << field.name;
      next = static_cast<std::uint8_t>(
          next + (field.type == FieldType::integer || field.type == FieldType::real ? 2 : 1));
      EXPECT_EQ(kind.fields[*field_named(kind.kind, field.name)].offset, field.offset);
    }
    EXPECT_EQ(kind.words, next);
  }
}

TEST(Table, PutsTheDtypeOfEveryExpressionFirst) {
  for (const KindInfo& kind : all_kinds()) {
    if (kind.category != Category::expr) continue;
    EXPECT_EQ(kind.fields.front().type, FieldType::dtype) << kind.name;
  }
}

TEST(Table, KnowsTheTypeKeysOfAllVersions) {
  EXPECT_EQ(kind_with_type_key("tir.Add"), Kind::Add);
  EXPECT_EQ(kind_with_type_key("ir.AllocatedPoolInfo"), Kind::AllocatedPoolInfo);
  EXPECT_EQ(kind_with_type_key("tir.usmp.AllocatedPoolInfo"), Kind::AllocatedPoolInfo);
  EXPECT_FALSE(kind_with_type_key("tir.Invented"));
  EXPECT_FALSE(kind_with_type_key(""));
}

}  // namespace
}  // namespace mlf::tir
