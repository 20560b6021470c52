// Nothing is lost on the way to the normal form of generated C but what a row of
// c_normalization.def names: any other change to captured TIR makes it differ from the C of the
// same build.
#include <algorithm>

#include "archives.h"
#include "normalization_rules.h"
#include "reading.h"
#include "support/corpus_directory.h"
#include "support/error.h"
#include "support/ir_editor.h"
#include "tir/compare/compare.h"
#include "unit/tir/compare/corpus.h"
#include "unit/tir/compare/mutations.h"
#include "unit/tir/compare/scores.h"

namespace mlf::tir::c {
namespace {

using mutation::Mutation;

bool is_about(const NormalizationRule& row, Kind kind, std::uint8_t field) {
  return row.kind == kind && row.field == field;
}

bool is_listed(Kind kind, std::uint8_t field) {
  return std::ranges::any_of(kNormalizationRules, [&](const NormalizationRule& row) {
    return is_about(row, kind, field);
  });
}

/// Whether a row leaves nothing of what is below a field.
bool is_hidden(Node node, const FieldInfo& field) {
  const auto position = field_named(node.kind(), field.name);
  return std::ranges::any_of(kNormalizationRules, [&](const NormalizationRule& row) {
    return is_about(row, node.kind(), *position) && row.remainder != Remainder::below;
  });
}

/// The rows about Evaluate.value and SeqStmt.
bool is_without_code(Node statement) {
  if (statement.is(Kind::SeqStmt)) return statement.list(f::SeqStmt::seq).empty();
  return statement.is(Kind::Evaluate) && statement[f::Evaluate::value].is(Kind::IntImm);
}

/// Whether only a statement without code comes, goes or moves.
bool moves_no_code(Node sequence, const Mutation& mutation) {
  if (!sequence.is(Kind::SeqStmt)) return false;
  const NodeList seq = sequence.list(f::SeqStmt::seq);
  if (mutation.what == "append" || seq.empty()) return mutation.what == "append";
  if (mutation.what == "swap") return is_without_code(seq[0]) || is_without_code(seq[1]);
  return is_without_code(seq[seq.size() - 1]);
}

/// No reader makes a module without what has to be there.
bool is_malformed(const Mutation& mutation, const FieldInfo& field) {
  return mutation.what == "undefine" && !field.nullable;
}

class Changes {
 public:
  Changes(const Module& captured, const Document& read)
      : captured_(captured),
        version_(read.source.tvm_version),
        c_(c_normal_form(read.module, version_)) {}

  void score(std::size_t nodes_of_a_kind, mutation::Scores& scores) const {
    const auto nodes = mutation::visible_nodes(captured_, is_hidden);
    for (const Node node : mutation::sample(nodes, nodes_of_a_kind)) {
      for (std::uint8_t i = 0; i < node.info().fields.size(); ++i) score(node, i, scores);
    }
  }

 private:
  bool is_noticed(const Mutation& mutation) const {
    Builder builder = test::copied(captured_);
    mutation.apply(builder);
    const Module changed = std::move(builder).finish(captured_.root().id());
    return !compare(c_normal_form(changed, version_), c_).equal();
  }

  void score(Node node, std::uint8_t i, mutation::Scores& scores) const {
    mutation::Score& score = scores[node.info().name];
    const FieldInfo& field = node.info().fields[i];
    for (const Mutation& mutation : mutation::mutations_of(node, i)) {
      if (is_malformed(mutation, field)) continue;
      ++score.made;
      if (is_noticed(mutation)) {
        ++score.noticed;
      } else if (is_listed(node.kind(), i) || moves_no_code(node, mutation)) {
        ++score.listed;
      } else {
        ADD_FAILURE() << "unnoticed: " << mutation.what << " " << node.info().name << "."
                      << field.name << " of node " << index(node.id());
      }
    }
  }

  const Module& captured_;
  VersionRange version_;
  Module c_;
};

void score_pair(const Pair& pair, std::size_t nodes_of_a_kind, mutation::Scores& scores) {
  SCOPED_TRACE(pair.name);
  const auto captured = corpus::read_or_fail(pair.name, pair.json);
  const auto read = support::to_result([&] { return read_c(pair.sources()); });
  ASSERT_TRUE(captured && read);
  Changes(captured->module, *read).score(nodes_of_a_kind, scores);
}

TEST(ChangesToCapturedTir, MakeItDifferFromItsCUnlessARowListsThem) {
  constexpr std::size_t kNodesOfAKind = 4;
  mutation::Scores scores;
  for (const Pair& pair : pairs(MLF_TEST_DATA "/c")) score_pair(pair, kNodesOfAKind, scores);
  mutation::print("against the normal form of C", scores);
  EXPECT_GE(scores.size(), 30u);
}

TEST(ChangesToCapturedTir, OfTheCorpusMakeItDifferFromItsCUnlessARowListsThem) {
  const std::size_t kEvery = test::of_corpus(7, 2);
  mutation::Scores scores;
  const auto all = pairs(test::corpus_directory());
  for (std::size_t i = 0; i < all.size(); i += kEvery) score_pair(all[i], 1, scores);
  mutation::print("against the normal form of C", scores);
  EXPECT_GE(scores.size(), 30u);
}

}  // namespace
}  // namespace mlf::tir::c
