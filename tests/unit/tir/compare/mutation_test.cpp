// Whether the comparator notices every change that can be made to a module.
#include <gtest/gtest.h>

#include <algorithm>

#include "corpus.h"
#include "mlf/tir/visit.h"
#include "mutations.h"
#include "scores.h"
#include "support/every_kind.h"
#include "support/ir_editor.h"
#include "text_tolerance.h"

namespace mlf::tir {
namespace {

using mutation::Mutation;
using mutation::Score;
using mutation::Scores;

/// Whether a row of the tolerance is about this field, or about nodes of this kind as a whole.
bool is_listed(const TextTolerance& tolerance, Kind kind, std::uint8_t field) {
  return std::ranges::any_of(tolerance.rows(), [&](std::uint16_t index) {
    const ToleranceRow& row = all_tolerances()[index];
    if (row.kind != kind) return false;
    return row.aspect == Aspect::kind || (row.aspect == Aspect::field && row.field == field);
  });
}

bool is_hidden(const TextTolerance& tolerance, Kind kind, const FieldInfo& field) {
  return std::ranges::any_of(tolerance.rows(), [&](std::uint16_t index) {
    const ToleranceRow& row = all_tolerances()[index];
    return row.kind == kind && row.aspect == Aspect::field && hides_below(row.rule) &&
           info(kind).fields[row.field].name == field.name;
  });
}

std::vector<Node> compared_nodes(const Module& module, const TextTolerance& tolerance) {
  return mutation::visible_nodes(module, [&](Node node, const FieldInfo& field) {
    return is_hidden(tolerance, node.kind(), field);
  });
}

/// How many nodes of each kind have their fields changed.
constexpr std::size_t kNodesOfAKind = 3;

bool notices(const Module& original, const Mutation& mutation, const TextTolerance& tolerance) {
  Builder builder = test::copied(original);
  mutation.apply(builder);
  const Module changed = std::move(builder).finish(original.root().id());
  return !compare(original, changed, tolerance).equal();
}

void score_field(const Module& module, Node node, std::uint8_t field,
                 const TextTolerance& tolerance, Scores& scores) {
  Score& score = scores[node.info().name];
  for (const Mutation& mutation : mutation::mutations_of(node, field)) {
    ++score.made;
    if (notices(module, mutation, tolerance)) {
      ++score.noticed;
    } else if (is_listed(tolerance, node.kind(), field)) {
      ++score.listed;
    } else {
      ADD_FAILURE() << "unnoticed: " << mutation.what << " " << node.info().name << "."
                    << node.info().fields[field].name << " of node " << index(node.id());
    }
  }
}

void score_module(const Module& module, const TextTolerance& tolerance, Scores& scores) {
  for (const Node node : mutation::sample(compared_nodes(module, tolerance), kNodesOfAKind)) {
    for (std::uint8_t i = 0; i < node.info().fields.size(); ++i) {
      score_field(module, node, i, tolerance, scores);
    }
  }
}

TextTolerance tolerance_named(std::string_view name) {
  const auto dialect = dialect_named(name);
  return dialect ? TextTolerance::of(*dialect) : TextTolerance::none();
}

class ChangesToEveryKind : public testing::TestWithParam<std::string_view> {};

TEST_P(ChangesToEveryKind, AreNoticedUnlessATableRowListsThem) {
  const TextTolerance tolerance = tolerance_named(GetParam());
  Scores scores;
  score_module(test::module_of_every_kind(), tolerance, scores);
  mutation::print(GetParam(), scores);
  if (GetParam() == "exact") {
    const auto has_fields = [](const KindInfo& kind) { return !kind.fields.empty(); };
    EXPECT_EQ(scores.size(),
              static_cast<std::size_t>(std::ranges::count_if(all_kinds(), has_fields)));
  }
}

INSTANTIATE_TEST_SUITE_P(Tolerances, ChangesToEveryKind,
                         testing::Values("exact", "save_json", "tvmscript", "legacy_text"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST(ChangesToEveryKind, IncludeTheSpan) {
  const Module original = test::module_of_every_kind();
  Builder builder = test::copied(original);
  builder.set_span(original.root().id(), test::NodeMaker(builder).make(Kind::Span));
  const Module changed = std::move(builder).finish(original.root().id());
  EXPECT_FALSE(compare(original, changed).equal());
  EXPECT_FALSE(compare(changed, original).equal());
  EXPECT_TRUE(compare(changed, changed).equal());
  EXPECT_TRUE(compare(changed, original, TextTolerance::of(Dialect::tvmscript)).equal());
}

/// Two references to one node, or to two that look the same.
Module referring(Kind kind, std::size_t second) {
  Builder builder;
  const NodeId one = test::NodeMaker(builder).make(kind);
  const NodeId other = test::NodeMaker(builder).make(kind);
  const NodeId nodes[] = {one, other};
  const NodeId both = builder.make(Kind::Array, {builder.list({one, nodes[second]})});
  return std::move(builder).finish(both);
}

/// Whether this node, or one below it, is a Var, a Buffer, a constant or an object. What says where
/// something stood in its source, or that it is missing, has no identity.
bool has_identity_below(Node root) {
  bool found = false;
  for_each_post_order(root, [&](Node node) {
    const Category category = node.category();
    const bool is_place = node.is(Kind::Span) || node.is(Kind::SequentialSpan) ||
                          node.is(Kind::SourceName) || node.is(Kind::MissingObject);
    found |= node.is(Kind::Var) || node.is(Kind::SizeVar) || category == Category::buffer ||
             category == Category::constant || (category == Category::object && !is_place);
  });
  return found;
}

TEST(Identity, OfVariablesBuffersConstantsAndObjectsIsMeaning) {
  std::size_t kinds = 0;
  for (const KindInfo& kind : all_kinds()) {
    const Module shared = referring(kind.kind, 0);
    const Module split = referring(kind.kind, 1);
    const bool is_meaning = has_identity_below(shared.root());
    EXPECT_EQ(!compare(shared, split).equal(), is_meaning) << kind.name;
    EXPECT_EQ(!compare(split, shared).equal(), is_meaning) << kind.name;
    EXPECT_TRUE(compare(split, split).equal()) << kind.name;
    kinds += is_meaning;
  }
  EXPECT_GT(kinds, 40u);
  EXPECT_LT(kinds, all_kinds().size());
}

class ChangesToRealModules : public testing::TestWithParam<std::string_view> {};

TEST_P(ChangesToRealModules, AreNoticedUnlessATableRowListsThem) {
  const TextTolerance tolerance = tolerance_named(GetParam());
  const auto files = corpus::save_json_files(MLF_TEST_DATA "/tir/pairs");
  EXPECT_GE(files.size(), 10u);
  Scores scores;
  for (const auto& path : files) {
    const auto document = corpus::read_or_fail(path.string(), corpus::contents(path));
    if (document) score_module(document->module, tolerance, scores);
  }
  mutation::print(GetParam(), scores);
}

INSTANTIATE_TEST_SUITE_P(Tolerances, ChangesToRealModules,
                         testing::Values("exact", "tvmscript", "legacy_text"),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace mlf::tir
