// Expressions, values, identities and constants in tir-N.json.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "support/error.h"
#include "tir/compare/compare.h"
#include "tir/json/constants.h"
#include "unit/tir/json/documents.h"

namespace mlf::tir {
namespace {

using Json = nlohmann::json;

NodeId add(SmallModule& m, NodeId a, NodeId b) {
  return m.builder().make(Kind::Add, {DType::Int(32), a, b});
}

NodeId evaluate(SmallModule& m, NodeId value) {
  return m.builder().make(Kind::Evaluate, {value});
}

// The document of `body` as JSON, after a check that it comes back the same.
Json written(SmallModule& m, NodeId body) {
  const std::string text = json_of(m.document(body));
  EXPECT_EQ(json_of(document_of(text)), text);
  return Json::parse(text);
}

TEST(JsonNumbers, FollowTheDtypeAndNotTheMagnitude) {
  SmallModule m;
  Builder& b = m.builder();
  const NodeId body = m.seq({
      evaluate(m, b.make(Kind::IntImm, {DType::Int(64), 1})),
      evaluate(m, b.make(Kind::IntImm, {DType::UInt(32), std::int64_t{4294967295}})),
      evaluate(m, b.make(Kind::IntImm, {DType::Bool(), 1})),
      evaluate(m, b.make(Kind::IntImm, {DType::Int(64), INT64_MIN})),
  });
  const Json entries = written(m, body)["functions"][0]["body"];
  EXPECT_EQ(entries[0]["value"]["value"], "1");
  EXPECT_EQ(entries[1]["value"]["value"], 4294967295u);
  EXPECT_EQ(entries[2]["value"]["value"], 1);
  EXPECT_EQ(entries[3]["value"]["value"], "-9223372036854775808");
}

TEST(JsonNumbers, KeepEveryDouble) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double value : {0.1, -0.0, 1e300, 5e-324, kInfinity, -kInfinity, nan, -nan}) {
    SmallModule m;
    const NodeId real = m.builder().make(Kind::FloatImm, {DType::Float(64), value});
    const Document back = document_of(json_of(m.document(evaluate(m, real))));
    const double read = first_body(back)[f::Evaluate::value].real(f::FloatImm::value);
    EXPECT_EQ(std::signbit(read), std::signbit(value));
    EXPECT_TRUE(read == value || (std::isnan(read) && std::isnan(value))) << value;
  }
}

TEST(JsonStrings, KeepEveryByte) {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  bytes += "caf\xC3\xA9 \xEE\xBE\x80 \xF0\x9F\x98\x80 \xED\xA0\x80 \xC0\x80";
  SmallModule m;
  Builder& b = m.builder();
  const NodeId text = b.make(Kind::StringImm, {DType::Handle(), b.string(bytes)});
  const std::string document = json_of(m.document(evaluate(m, text)));
  EXPECT_TRUE(Json::accept(document)) << "strict tools must read it";
  const Document back = document_of(document);
  EXPECT_EQ(first_body(back)[f::Evaluate::value].text(f::StringImm::value), bytes);
}

TEST(JsonSharing, WritesSmallExpressionsInPlace) {
  SmallModule m;
  const NodeId small = add(m, m.integer(1), m.integer(2));
  const Json document = written(m, evaluate(m, add(m, small, small)));
  EXPECT_TRUE(document["functions"][0]["exprs"].empty());
}

TEST(JsonSharing, WritesLargeExpressionsOnce) {
  SmallModule m;
  std::vector<NodeId> row;
  for (int i = 0; i < 32; ++i) row.push_back(m.integer(i));
  while (row.size() > 1) {
    std::vector<NodeId> next;
    for (std::size_t i = 0; i < row.size(); i += 2) next.push_back(add(m, row[i], row[i + 1]));
    row = next;
  }
  const Json function = written(m, evaluate(m, add(m, row[0], row[0])))["functions"][0];
  EXPECT_EQ(function["exprs"].size(), 1u);
  EXPECT_EQ(function["body"][0]["value"]["a"]["node"], "ExprRef");
  EXPECT_EQ(function["body"][0]["value"]["a"], function["body"][0]["value"]["b"]);
}

TEST(JsonSharing, WritesChainsOfSharingOnce) {
  SmallModule m;
  NodeId x = m.integer(1);
  for (int i = 0; i < 1000; ++i) x = add(m, x, x);  // 2^1000 as a tree
  const std::string text = json_of(m.document(evaluate(m, x)));
  EXPECT_LT(text.size(), 1'000'000u);
  EXPECT_EQ(json_of(document_of(text)), text);
}

TEST(JsonSharing, KeepsJsonFlatUnderDeepExpressions) {
  SmallModule m;
  NodeId x = m.integer(1);
  for (int i = 0; i < 100'000; ++i) x = add(m, x, m.integer(i));
  const std::string text = json_of(m.document(evaluate(m, x)));
  std::size_t depth = 0;
  std::size_t deepest = 0;
  for (const char c : text) {
    if (c == '{' || c == '[') deepest = std::max(deepest, ++depth);
    if (c == '}' || c == ']') --depth;
  }
  EXPECT_LT(deepest, 80u);
  EXPECT_EQ(json_of(document_of(text)), text);
}

TEST(JsonSharing, RefusesStatementsThatExpandBeyondTheLimit) {
  SmallModule m;
  NodeId body = m.evaluate();
  for (int i = 0; i < 100; ++i) body = m.seq({body, body});
  const Document document = m.document(body);
  const auto result = write_tir_json(document, {}, [](std::string_view) {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "shared nodes take more than 10000000 nodes when written out");
}

TEST(JsonIdentity, KeepsVariablesOfOneNameApart) {
  SmallModule m;
  Builder& b = m.builder();
  const NodeId first = m.var("x");
  const NodeId second = m.var("x");
  const NodeId size = b.make(Kind::SizeVar, {DType::Int(32), b.string("x"), NodeId::none});
  const Json document = written(m, evaluate(m, add(m, first, add(m, second, add(m, size, first)))));
  const Json vars = document["functions"][0]["vars"];
  ASSERT_EQ(vars.size(), 3u);
  EXPECT_EQ(vars[0]["name"], "x");
  EXPECT_FALSE(vars[0].contains("name_hint"));
  EXPECT_EQ(vars[1]["name"], "x_1");
  EXPECT_EQ(vars[1]["name_hint"], "x");
  EXPECT_EQ(vars[2]["node"], "SizeVar");
}

// An AttrStmt on `node`, which may be anything.
NodeId attr_on(SmallModule& m, NodeId node) {
  return m.builder().make(Kind::AttrStmt,
                          {node, m.builder().string("key"), m.integer(1), m.evaluate()});
}

TEST(JsonValues, AreInPlaceUnlessTheyHaveIdentity) {
  SmallModule m;
  Builder& b = m.builder();
  const NodeId object = b.make(Kind::EnvFunc, {b.string("f")});
  const NodeId text = b.make(Kind::String, {b.string("s")});
  const NodeId boxed = b.make(Kind::BoxInt, {7});
  const NodeId map = b.make(Kind::ObjectMap, {b.map(std::vector<NodePair>{{object, text}})});
  const NodeId list = b.make(Kind::Array, {b.list({object, text, boxed, map, NodeId::none})});
  const Json document = written(m, attr_on(m, list));
  EXPECT_EQ(document["functions"][0]["body"][0]["attr_node"],
            Json::parse(R"([{"object":0},"s",{"node":"BoxInt","value":"7"},
                            {"node":"ObjectMap","entries":[[{"object":0},"s"]]},null])"));
}

TEST(JsonValues, AreInTheTableIfListsAreShared) {
  SmallModule m;
  Builder& b = m.builder();
  NodeId list = b.make(Kind::Array, {b.list({m.integer(1)})});
  for (int i = 0; i < 200; ++i) list = b.make(Kind::Array, {b.list({list, list})});
  const Json document = written(m, attr_on(m, list));
  EXPECT_EQ(document["objects"].size(), 200u);
}

TEST(JsonValues, AreInTheTableIfTypesAreDeep) {
  SmallModule m;
  Builder& b = m.builder();
  NodeId type = b.make(Kind::PrimType, {DType::Int(8)});
  for (int i = 0; i < 100'000; ++i) type = b.make(Kind::PointerType, {type, b.string("")});
  const Json document = written(m, attr_on(m, type));
  // The first has 32 levels, each other 31 and a reference.
  EXPECT_EQ(document["objects"].size(), 1 + (100'001u - 32) / 31);
}

TEST(JsonValues, KeepNamesOfOperatorsThatAreNotUtf8) {
  SmallModule m;
  Builder& b = m.builder();
  const NodeId op = b.make(Kind::Op, {b.string("tir.\xFF")});
  const Document document = m.document(attr_on(m, op));
  EXPECT_EQ(json_of(document_of(json_of(document))), json_of(document));
}

// --- Constants -----------------------------------------------------------------------------------

TEST(JsonConstants, HoldTheirData) {
  SmallModule m;
  const Json constant = written(m, m.allocate_const(m.evaluate()))["constants"][0];
  EXPECT_EQ(constant["data"], "AQI=");
  EXPECT_EQ(constant["bytes"], 2);
}

TEST(JsonConstants, GoIntoNumPyFilesFromTheThresholdOn) {
  SmallModule m;
  const Document document = m.document(m.allocate_const(m.evaluate()));
  JsonOptions options{.constants = ConstantPlace::npy, .npy_threshold = 3, .npy_directory = "c"};
  EXPECT_EQ(Json::parse(json_of(document, options))["constants"][0]["data"], "AQI=");
  options.npy_threshold = 2;
  std::string text;
  const auto files = write_tir_json(document, options, [&](std::string_view s) { text += s; });
  ASSERT_EQ(files->size(), 1u);
  EXPECT_EQ(files->front().path, "c/0.npy");
  std::string file;
  ASSERT_TRUE(write_npy({document.module, files->front().constant},
                        [&](std::string_view s) { file += s; }));
  EXPECT_TRUE(file.starts_with(std::string_view("\x93NUMPY\x01\x00", 8)));
  EXPECT_EQ((file.size() - 2) % 64, 0u);

  EXPECT_TRUE(file.ends_with("\x01\x02"));
  EXPECT_FALSE(first_body(document_of(text))[f::AllocateConst::data].bytes(f::NDArray::data));
}

// --- What a reader must refuse -------------------------------------------------------------------

struct Refused {
  std::string_view from;
  std::string_view to;
  std::string_view message;
};

TEST(JsonReader, RefusesAttributesThatAreNoMap) {
  SmallModule m;
  std::string text = json_of(m.document(m.evaluate()));
  for (const auto& [from, to] :
       {std::pair(R"("attrs":null,"losses")", R"("attrs":{"object":0},"losses")"),
        std::pair(R"("objects":[])", R"("objects":[{"id":0,"node":"TargetKind","name":"c"}])")}) {
    const std::size_t at = text.find(from);
    ASSERT_NE(at, text.npos);
    text.replace(at, std::string_view(from).size(), to);
  }
  try {
    document_of(text);
    ADD_FAILURE() << "accepted";
  } catch (const support::Error& error) {
    EXPECT_EQ(error.diagnostic().message, "TargetKind does not belong here");
  }
}

TEST(JsonReader, RefusesWhatContradictsItself) {
  SmallModule m;
  const NodeId x = m.var("x");
  const NodeId body = m.seq({evaluate(m, add(m, x, m.integer(1))), m.allocate_const(m.evaluate())});
  const std::string good = json_of(m.document(body));
  const Refused cases[] = {
      {R"("dtype":"int32","var":0)", R"("dtype":"int64","var":0)",
       R"(the dtype of what this refers to is "int32")"},
      {R"("var":0)", R"("var":7)", "there is no such entry in a table before this place"},
      {R"("var":0)", R"("var":-1)", "expected an id, a small integer from 0"},
      {R"("dtype":"int32","value":1)", R"("dtype":"int64","value":1)",
       "expected a 64-bit integer, which is written as a string"},
      {R"("dtype":"int32","value":1)", R"("dtype":"int32","value":"1")",
       "expected an integer, found a string"},
      {R"("dtype":"int32","value":1)", R"("dtype":"int33x","value":1)",
       R"("int33x" is not a dtype)"},
      {R"({"node":"Add")", R"({"node":"Plus")", R"(there is no kind of node called "Plus")"},
      {R"("b":{)", R"("c":{)", R"(this Add lacks "b")"},
      {R"("vars":[{"id":0)", R"("vars":[{"id":1)", "expected the id 0 here"},
      {R"("bytes":2)", R"("bytes":3)", "dtype and shape need another number of bytes"},
      {R"("data":"AQI=")", R"("data":"AQ==")",
       "this constant's data has 1 bytes, not those of its shape"},
      {R"("data":"AQI=")", R"("data":"AQM=")", "this is not the digest of the data"},
      {R"("role":"operator")", R"("role":"main")",
       R"(by its attributes this function's role is "operator")"},
      {R"("version":1)", R"("version":2)", "this is not version 1 of the format"},
      {R"("objects":[])", R"("objects":{})", "expected an array, found an object"},
      {R"("attrs":null,"losses")", R"("attrs":{"a":1},"losses")", "a number does not belong here"},
      {R"("attrs":null,"losses")", R"("attrs":{"object":0},"losses")",
       "there is no such entry of objects before this place"},
  };
  for (const Refused& refused : cases) {
    std::string bad = good;
    const std::size_t at = bad.find(refused.from);
    ASSERT_NE(at, bad.npos) << refused.from;
    bad.replace(at, refused.from.size(), refused.to);
    try {
      document_of(bad);
      ADD_FAILURE() << "accepted: " << refused.to;
    } catch (const support::Error& error) {
      EXPECT_EQ(error.diagnostic().message, refused.message);
      EXPECT_EQ(error.diagnostic().where.line, 1u);
      EXPECT_FALSE(error.diagnostic().where.json_pointer.empty()) << refused.to;
    }
  }
}

}  // namespace
}  // namespace mlf::tir
