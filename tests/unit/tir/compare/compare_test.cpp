
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "mlf/tir/builder.h"
#include "text_tolerance.h"

namespace mlf::tir {
namespace {

NodeId int_imm(Builder& b, std::int64_t value, DType dtype = DType::Int(32)) {
  return b.make(Kind::IntImm, {dtype, value});
}

NodeId var(Builder& b, std::string_view name) {
  return b.make(Kind::Var,
                {DType::Int(32), b.string(name), b.make(Kind::PrimType, {DType::Int(32)})});
}

NodeId evaluate(Builder& b, NodeId value) {
  return b.make(Kind::Evaluate, {value});
}

NodeId sequence(Builder& b, std::initializer_list<NodeId> statements) {
  return b.make(Kind::SeqStmt, {b.list(statements)});
}

NodeId function(Builder& b, std::initializer_list<NodeId> params, NodeId body) {
  return b.make(Kind::PrimFunc,
                {b.list(params), b.make(Kind::TupleType, {b.list({})}),
                 b.map(std::span<const NodePair>()), ListId::none, NodeId::none, body});
}

Module module_of(Builder b, std::initializer_list<std::pair<std::string_view, NodeId>> functions) {
  std::vector<NodePair> entries;
  for (const auto& [name, body] : functions) {
    const NodeId key =
        b.make(Kind::GlobalVar, {b.string(name), NodeId::none, NodeId::none, NodeId::none});
    entries.push_back({key, body});
  }
  const NodeId root = b.make(Kind::IRModule, {b.map(entries), NodeId::none, NodeId::none,
                                              NodeId::none, NodeId::none, NodeId::none});
  return std::move(b).finish(root);
}

Module with_body(Builder b, NodeId body) {
  const NodeId f = function(b, {}, body);
  return module_of(std::move(b), {{"f", f}});
}

Module evaluating(std::int64_t value) {
  Builder b;
  const NodeId body = evaluate(b, int_imm(b, value));
  return with_body(std::move(b), body);
}

std::vector<std::string> lines(const Comparison& comparison) {
  std::vector<std::string> texts;
  for (const Difference& difference : comparison.differences) {
    texts.push_back(to_string(difference));
  }
  return texts;
}

using Lines = std::vector<std::string>;

TEST(Compare, FindsNothingInEqualModules) {
  const Comparison result = compare(evaluating(3), evaluating(3));
  EXPECT_EQ(lines(result), Lines{});
  EXPECT_EQ(result.functions, 1u);
}

TEST(Compare, NamesThePathAndBothValues) {
  EXPECT_EQ(lines(compare(evaluating(3), evaluating(4))),
            Lines{R"(functions["f"].body.value.value: 3 / 4)"});
}

TEST(Compare, MatchesFunctionsByNameAndReportsMissingOnesAndTheirOrder) {
  const auto make = [](std::initializer_list<std::string_view> names) {
    Builder b;
    std::vector<NodePair> entries;
    for (const auto name : names) {
      entries.push_back(
          {b.make(Kind::GlobalVar, {b.string(name), NodeId::none, NodeId::none, NodeId::none}),
           function(b, {},
                    evaluate(b, b.make(Kind::StringImm, {DType::Handle(), b.string(name)})))});
    }
    const NodeId root = b.make(Kind::IRModule, {b.map(entries), NodeId::none, NodeId::none,
                                                NodeId::none, NodeId::none, NodeId::none});
    return std::move(b).finish(root);
  };
  const Module abc = make({"a", "b", "c"});
  EXPECT_EQ(lines(compare(abc, make({"b", "a", "c"}))),
            Lines{"functions: entries in one order / entries in another"});
  EXPECT_EQ(lines(compare(abc, make({"b", "a", "c"}), TextTolerance::of(Dialect::tvmscript))),
            Lines{});
  EXPECT_EQ(
      lines(compare(abc, make({"a", "c", "d"}))),
      (Lines{"functions[\"b\"]: PrimFunc / missing", "functions[\"d\"]: missing / PrimFunc"}));
}

/// A function `name` whose parameter and attribute are called `word`.
Module named(std::string_view name, std::string_view word, std::int64_t value) {
  Builder b;
  const NodeId param = var(b, word);
  const std::vector<NamedNode> attrs{{b.string("key"), b.make(Kind::String, {b.string(word)})}};
  const NodeId made = b.make(
      Kind::PrimFunc,
      {b.list({param}), b.make(Kind::TupleType, {b.list({})}), b.map(std::span<const NodePair>()),
       ListId::none, b.make(Kind::DictAttrs, {b.map(attrs)}), evaluate(b, int_imm(b, value))});
  return module_of(std::move(b), {{name, made}});
}

TEST(Compare, SaysWhatADifferenceIsAboutAndInWhichFunction) {
  const auto found = compare(named("f", "a", 1), named("f", "b", 2)).differences;
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].in, DifferenceIn::name);
  EXPECT_EQ(found[1].in, DifferenceIn::attribute);
  EXPECT_EQ(found[2].in, DifferenceIn::node);
  for (const Difference& difference : found) EXPECT_EQ(difference.function, "f");

  const auto missing = compare(named("f", "a", 1), named("g", "a", 1)).differences;
  ASSERT_EQ(missing.size(), 2u);
  EXPECT_EQ(missing[0].in, DifferenceIn::function);
  EXPECT_EQ(missing[0].function, "f");
  EXPECT_EQ(missing[1].in, DifferenceIn::function);
  EXPECT_EQ(missing[1].function, "g");
}

TEST(Compare, WantsVariablesToCorrespondOneToOne) {
  const auto two_of = [](std::size_t second) {
    Builder b;
    const std::vector<NodeId> vars{var(b, "x"), var(b, "x")};
    const NodeId sum = b.make(Kind::Add, {DType::Int(32), vars[0], vars[second]});
    const NodeId f = function(b, {vars[0], vars[1]}, evaluate(b, sum));
    return module_of(std::move(b), {{"f", f}});
  };
  EXPECT_EQ(compare(two_of(0), two_of(1)).differences.size(), 1u);
  EXPECT_EQ(compare(two_of(1), two_of(0)).differences.size(), 1u);
  EXPECT_TRUE(compare(two_of(1), two_of(1)).equal());
}

TEST(Compare, LooksAtSharedNodesOnce) {
  const auto chained = [](std::int64_t leaf) {
    Builder b;
    NodeId sum = int_imm(b, leaf);
    for (int i = 0; i < 40; ++i) sum = b.make(Kind::Add, {DType::Int(32), sum, sum});
    const NodeId body = evaluate(b, sum);
    return with_body(std::move(b), body);
  };
  const Comparison result = compare(chained(1), chained(1));
  EXPECT_TRUE(result.equal());
  EXPECT_LT(result.nodes, 60u);
  EXPECT_EQ(compare(chained(1), chained(2)).differences.size(), 1u);
}

TEST(Compare, NeedsNoStackForDeepModules) {
  const auto deep = [](std::int64_t leaf) {
    Builder b;
    NodeId nested = int_imm(b, leaf);
    for (int i = 0; i < 100'000; ++i) nested = b.make(Kind::Not, {DType::Bool(), nested});
    const NodeId body = evaluate(b, nested);
    return with_body(std::move(b), body);
  };
  EXPECT_TRUE(compare(deep(1), deep(1)).equal());
  const Comparison result = compare(deep(1), deep(2));
  ASSERT_EQ(result.differences.size(), 1u);
  EXPECT_LT(result.differences[0].path.size(), 500u);
}

TEST(Compare, SplicesSequencesForTvmscriptOnly) {
  const auto nested = [] {
    Builder b;
    const NodeId one = evaluate(b, int_imm(b, 1));
    const NodeId two = evaluate(b, int_imm(b, 2));
    const NodeId body = sequence(b, {one, sequence(b, {sequence(b, {}), two})});
    return with_body(std::move(b), body);
  };
  Builder b;
  const NodeId flat = sequence(b, {evaluate(b, int_imm(b, 1)), evaluate(b, int_imm(b, 2))});
  const Module right = with_body(std::move(b), flat);
  const Module left = nested();
  EXPECT_FALSE(compare(left, right).equal());
  EXPECT_FALSE(compare(left, right, TextTolerance::of(Dialect::legacy_text)).equal());
  const TextComparison result = compare(left, right, TextTolerance::of(Dialect::tvmscript));
  EXPECT_EQ(lines(result), Lines{});
  ASSERT_EQ(result.tolerated.size(), 1u);
  EXPECT_EQ(result.tolerated[0].loss, LossCode::seq_nesting);
}

}  // namespace
}  // namespace mlf::tir
