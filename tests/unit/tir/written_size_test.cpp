// A module is a DAG, its text a tree: writers that spell sharing out count before they write.
#include <gtest/gtest.h>

#include "mlf/tir/write.h"
#include "unit/tir/json/documents.h"

namespace mlf::tir {
namespace {

/// What one of them says to a module, or how many bytes it wrote.
struct Outcome {
  std::string message;
  std::size_t bytes = 0;
};

template <class Write>
Outcome outcome_of(Write&& write) {
  Outcome outcome;
  const auto result = write([&](std::string_view bytes) { outcome.bytes += bytes.size(); });
  if (!result) outcome.message = result.error().message;
  return outcome;
}

std::vector<Outcome> written(const Document& document, std::uint64_t most) {
  return {
      outcome_of([&](const Sink& sink) {
        return write_tir_json(document, {.max_written_nodes = most}, sink).map([](const auto&) {});
      }),
      outcome_of([&](const Sink& sink) {
        return write_tvmscript(document, {.max_written_nodes = most}, sink);
      }),
      outcome_of([&](const Sink& sink) { return write_c(document, sink, most); }),
  };
}

/// `depth` branches, of which each has the next one in both cases.
Document shared_branches(int depth) {
  SmallModule m;
  NodeId body = m.evaluate();
  for (int i = 0; i < depth; ++i) body = m.branch(body, body);
  return m.document(body);
}

TEST(WrittenSize, SharedBranchesAreCountedBeforeTheFirstByte) {
  for (const int depth : {24, 60, 1000}) {
    for (const Outcome& outcome : written(shared_branches(depth), kMaxWrittenNodes)) {
      EXPECT_EQ(outcome.message, "shared nodes take more than 10000000 nodes when written out");
      EXPECT_EQ(outcome.bytes, 0u);
    }
  }
}

TEST(WrittenSize, SharedExpressionsAreWrittenOnceAsJsonAndOtherwiseCounted) {
  SmallModule m;
  NodeId sum = m.integer(1);
  for (int i = 0; i < 60; ++i) sum = m.builder().make(Kind::Add, {DType::Int(32), sum, sum});
  const Document document = m.document(m.builder().make(Kind::Evaluate, {sum}));
  const std::vector<Outcome> outcomes = written(document, kMaxWrittenNodes);
  EXPECT_EQ(outcomes[0].message, "");
  EXPECT_LT(outcomes[0].bytes, 100'000u);
  for (const Outcome& outcome : {outcomes[1], outcomes[2]}) {
    EXPECT_EQ(outcome.message, "shared nodes take more than 10000000 nodes when written out");
    EXPECT_EQ(outcome.bytes, 0u);
  }
}

TEST(WrittenSize, TvmScriptIsIndentedAsDeepAsPythonReads) {
  const auto nested = [](int depth) {
    SmallModule m;
    NodeId body = m.evaluate();
    for (int i = 0; i < depth; ++i) body = m.branch(body, NodeId::none);
    const Document document = m.document(body);
    return outcome_of([&](const Sink& sink) { return write_tvmscript(document, {}, sink); });
  };
  // The class and the function are indentation as well.
  EXPECT_EQ(nested(97).message, "");
  const Outcome deeper = nested(98);
  EXPECT_EQ(
      deeper.message,
      "function f: statements nested more than 99 deep cannot be written in TVMScript: Python "
      "reads no deeper indentation");
  EXPECT_EQ(deeper.bytes, 0u);
}

TEST(WrittenSize, OfAModuleWithoutSharingHasNoLimit) {
  SmallModule m;
  std::vector<NodeId> all;
  for (int i = 0; i < 1000; ++i) all.push_back(m.branch(m.evaluate(), m.evaluate()));
  const Document document = m.document(m.seq(all));
  const std::vector<Outcome> outcomes = written(document, 10);
  EXPECT_EQ(outcomes[0].message, "");
  EXPECT_EQ(outcomes[1].message, "");
  EXPECT_GT(outcomes[1].bytes, 1000u);
}

TEST(WrittenSize, IsWhatALimitIsComparedWith) {
  const Document document = shared_branches(10);
  const std::vector<Outcome> within = written(document, 10'000);
  EXPECT_EQ(within[0].message, "");
  EXPECT_EQ(within[1].message, "");
  for (const Outcome& outcome : written(document, 1000)) {
    EXPECT_EQ(outcome.message, "shared nodes take more than 1000 nodes when written out");
  }
}

}  // namespace
}  // namespace mlf::tir
