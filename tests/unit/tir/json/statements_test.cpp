// Every nesting of statements survives the flat lists of tir-N.json.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "mlf/tir/visit.h"
#include "support/error.h"
#include "unit/tir/json/documents.h"

namespace mlf::tir {
namespace {

// The statements of a tree, outermost first, with what each holds in parentheses.
std::string nesting(Node statement) {
  std::string text(statement.info().name);
  std::string below;
  for_each_child(statement, [&](Node child, const FieldInfo&) {
    if (child.category() == Category::stmt) below += (below.empty() ? "" : " ") + nesting(child);
  });
  if (statement.is(Kind::SeqStmt) || !below.empty()) text += "(" + below + ")";
  return text;
}

// The entries of `body` in the JSON: node names, scopes, and nested lists in brackets.
std::string entries(const nlohmann::json& list) {
  std::string text;
  for (const auto& entry : list) {
    text += (text.empty() ? "" : " ") + entry["node"].get<std::string>();
    if (entry.contains("scope")) text += fmt::format(":{}", entry["scope"].get<int>());
    for (const char* key : {"then_case", "else_case", "block", "body", "init"}) {
      if (entry.contains(key))
        text += entry[key].is_null() ? "[-]" : "[" + entries(entry[key]) + "]";
    }
  }
  return text;
}

std::string entries_of_body(const std::string& json) {
  return entries(nlohmann::json::parse(json)["functions"][0]["body"]);
}

// Writes, checks that it comes back the same, and gives the entries of the body.
std::string entries_written(SmallModule& make, NodeId body) {
  const Document document = make.document(body);
  const std::string json = json_of(document);
  const Document back = document_of(json);
  EXPECT_EQ(nesting(first_body(back)), nesting(first_body(document)));
  EXPECT_EQ(json_of(back), json);
  return entries_of_body(json);
}

TEST(StatementLists, ImplyASeqStmt) {
  SmallModule m;
  EXPECT_EQ(entries_written(m, m.seq({m.evaluate(), m.evaluate()})), "Evaluate Evaluate");
}

TEST(StatementLists, ShowASeqStmtThatHasASpan) {
  SmallModule m;
  Builder& b = m.builder();
  const NodeId two = m.seq({m.evaluate(), m.evaluate()});
  const NodeId source = b.make(Kind::SourceName, {b.string("f.py")});
  b.set_span(two, b.make(Kind::Span, {source, std::int64_t{1}, std::int64_t{2}, std::int64_t{3},
                                      std::int64_t{4}}));
  EXPECT_EQ(entries_written(m, m.let(two)), "LetStmt:3 SeqStmt:2 Evaluate Evaluate");
}

TEST(StatementLists, CountWhatAScopingStatementGoverns) {
  SmallModule m;
  const NodeId two = m.seq({m.evaluate(), m.evaluate()});
  EXPECT_EQ(entries_written(m, m.allocate(m.let(two))), "Allocate:3 LetStmt:2 Evaluate Evaluate");
}

TEST(StatementLists, EndAScopeBeforeTheListEnds) {
  SmallModule m;
  EXPECT_EQ(entries_written(m, m.seq({m.let(m.evaluate()), m.evaluate()})),
            "LetStmt:1 Evaluate Evaluate");
}

TEST(StatementLists, TellEveryKindOfScope) {
  SmallModule m;
  NodeId body = m.evaluate();
  body = m.produce(m.realize(m.declare(m.allocate_const(m.assertion(m.attr(body))))));
  EXPECT_EQ(entries_written(m, body),
            "ProducerRealize:6 BufferRealize:5 DeclBuffer:4 AllocateConst:3 AssertStmt:2 "
            "AttrStmt:1 Evaluate");
}

TEST(StatementLists, KeepSequencesOfNoneAndOne) {
  SmallModule none;
  EXPECT_EQ(entries_written(none, none.seq({})), "SeqStmt:0");
  SmallModule one;
  EXPECT_EQ(entries_written(one, one.seq({one.evaluate()})), "SeqStmt:1 Evaluate");
  SmallModule both;
  const NodeId body = both.seq({both.seq({}), both.evaluate(), both.seq({both.evaluate()})});
  EXPECT_EQ(entries_written(both, body), "SeqStmt:0 Evaluate SeqStmt:1 Evaluate");
}

TEST(StatementLists, KeepSequencesInSequences) {
  SmallModule m;
  const NodeId inner = m.seq({m.evaluate(), m.evaluate()});
  EXPECT_EQ(entries_written(m, m.seq({m.evaluate(), inner})),
            "Evaluate SeqStmt:2 Evaluate Evaluate");
  SmallModule n;
  const NodeId pair = n.seq({n.evaluate(), n.evaluate()});
  EXPECT_EQ(entries_written(n, n.seq({pair})), "SeqStmt:3 SeqStmt:2 Evaluate Evaluate");
}

TEST(StatementLists, KeepAnElseBranchOrItsAbsence) {
  SmallModule m;
  const NodeId two = m.seq({m.evaluate(), m.evaluate()});
  EXPECT_EQ(entries_written(m, m.branch(m.evaluate(), m.branch(two, NodeId::none))),
            "IfThenElse[Evaluate][IfThenElse[Evaluate Evaluate][-]]");
}

TEST(StatementLists, NestWithLoopsAndBlocks) {
  SmallModule m;
  const NodeId body = m.loop(m.repeat(m.block(m.let(m.evaluate()), m.seq({}))));
  EXPECT_EQ(entries_written(m, body),
            "For[While[BlockRealize[Block[LetStmt:1 Evaluate][SeqStmt:0]]]]");
}

// A random tree of at most `budget` statements.
NodeId random_statement(SmallModule& m, std::mt19937& random, int& budget) {
  const auto pick = [&](unsigned n) { return static_cast<int>(random() % n); };
  const auto sub = [&] { return random_statement(m, random, budget); };
  if (--budget <= 0) return m.evaluate();
  switch (pick(15)) {
    case 0:
    case 1:
    case 2: {
      std::vector<NodeId> elements;
      for (int n = pick(5); n > 0; --n) elements.push_back(sub());
      return m.seq(elements);
    }
    case 3:
      return m.let(sub());
    case 4:
      return m.attr(sub());
    case 5:
      return m.assertion(sub());
    case 6:
      return m.allocate(sub());
    case 7:
      return m.allocate_const(sub());
    case 8:
      return m.declare(sub());
    case 9:
      return m.realize(sub());
    case 10:
      return m.produce(sub());
    case 11:
      return m.loop(sub());
    case 12:
      return m.repeat(sub());
    case 13: {
      const NodeId then_case = sub();
      return m.branch(then_case, pick(2) == 0 ? NodeId::none : sub());
    }
    default: {
      const NodeId body = sub();
      return m.block(body, pick(2) == 0 ? NodeId::none : sub());
    }
  }
}

TEST(StatementLists, KeepEveryRandomTree) {
  std::mt19937 random(20240603);
  for (int round = 0; round < 300; ++round) {
    SmallModule m;
    int budget = 40;
    entries_written(m, random_statement(m, random, budget));
    if (HasFailure()) FAIL() << "round " << round;
  }
}

TEST(StatementLists, KeepDeepNesting) {
  SmallModule m;
  NodeId body = m.evaluate();
  for (int i = 0; i < 100'000; ++i) body = i % 2 == 0 ? m.attr(body) : m.repeat(body);
  const std::string json = json_of(m.document(body));
  EXPECT_EQ(json_of(document_of(json)), json);
}

// --- What a reader must refuse -------------------------------------------------------------------

std::string message_for(std::string_view body) {
  SmallModule m;
  std::string json = json_of(m.document(m.evaluate()));
  const std::string_view whole =
      R"([{"node":"Evaluate","value":{"node":"IntImm","dtype":"int32","value":0}}])";
  json.replace(json.find(whole), whole.size(), body);
  try {
    document_of(json);
  } catch (const support::Error& error) {
    return error.diagnostic().where.json_pointer + ": " + error.what();
  }
  return "accepted";
}

constexpr std::string_view kEvaluate =
    R"({"node":"Evaluate","value":{"node":"IntImm","dtype":"int32","value":0}})";

std::string seq(int scope) {
  return fmt::format(R"({{"node":"SeqStmt","scope":{}}})", scope);
}

TEST(StatementLists, RefuseASeqStmtThatIsImplied) {
  EXPECT_EQ(message_for(fmt::format("[{},{},{}]", seq(2), kEvaluate, kEvaluate)),
            "/functions/0/body/0: this SeqStmt is implied and cannot be written");
}

TEST(StatementLists, RefuseAScopeOverTheEndOfItsList) {
  EXPECT_EQ(message_for(fmt::format("[{},{}]", seq(2), kEvaluate)),
            "/functions/0/body/0/scope: this scope reaches past its end: 1 entries follow there");
  EXPECT_EQ(message_for(fmt::format("[{},{},{},{}]", seq(2), seq(2), kEvaluate, kEvaluate)),
            "/functions/0/body/1/scope: this scope reaches past its end: 1 entries follow there");
}

TEST(StatementLists, RefuseAnEmptyPlace) {
  EXPECT_EQ(message_for("[]"), "/functions/0/body: expected a statement, found none");
}

TEST(StatementLists, RefuseWhatIsNoStatement) {
  EXPECT_EQ(message_for(R"([{"node":"IntImm","dtype":"int32","value":0}])"),
            "/functions/0/body/0/node: \"IntImm\" is not a kind of statement");
  EXPECT_EQ(message_for(R"([{"node":"Evaluate"}])"),
            "/functions/0/body/0: this Evaluate lacks \"value\"");
}

}  // namespace
}  // namespace mlf::tir
