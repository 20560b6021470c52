#include "mlf/tir/write.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "mlf/tir/builder.h"
#include "save_json_text.h"
#include "support/corpus_directory.h"

namespace mlf::tir {
namespace {

using save_json_test::document;
using save_json_test::kSeven;
using save_json_test::read;

std::string written(const Document& doc) {
  std::string text;
  const auto result = write_save_json(doc, [&](std::string_view bytes) { text += bytes; });
  if (!result) ADD_FAILURE() << to_string(result.error());
  return text;
}

Document document_of(Reading reading) {
  Source source;
  source.tvm_version = reading.version;
  return {source, std::nullopt, std::move(reading.module), std::move(reading.losses)};
}

TEST(SaveJsonWriter, WritesTheLayoutOfTvm) {
  const std::string text =
      written(document_of(read(document({MLF_EVALUATING_FUNCTION, kSeven}, "0.11.0"))));
  EXPECT_TRUE(text.starts_with(R"({
  "root": 1, 
  "nodes": [
    {
      "type_key": ""
    }, 
    {
      "type_key": "IRModule", 
      "attrs": {
        "attrs": "0", 
        "functions": "2", 
        "global_type_var_map_":)"))
      << text.substr(0, 300);
  EXPECT_TRUE(text.ends_with(R"(
  ], 
  "b64ndarrays": [], 
  "attrs": {"tvm_version": "0.11.0"}
})"));
}

TEST(SaveJsonWriter, DerivesTheTypeOfAFunctionAndTheNamesOfAModule) {
  const std::string text = written(document_of(read(document({MLF_EVALUATING_FUNCTION, kSeven}))));
  EXPECT_TRUE(read(text).losses.empty());
}

// Whatever a text means, it is right if each node that it may be the index of has this index again.
TEST(SaveJsonWriter, WritesUnknownNodesWithTheNumbersOfTheSource) {
  const std::string unknown =
      R"({"type_key": "tir.NewExpr", "attrs": {"a": "12", "count": "4", "dtype": "int32",)"
      R"( "flavour": "11", "label": "13", "span": "0"}})";
  const std::string label = R"({"type_key": "runtime.String", "repr_str": "sweet"})";
  const std::string once = written(document_of(read(document(
      {MLF_EVALUATING_FUNCTION, unknown,
       R"({"type_key": "new.Thing", "attrs": {"n": "5"}, "data": [12]})", kSeven, label}))));
  const Reading again = read(once);
  const Node node = save_json_test::evaluated(again.module);
  ASSERT_EQ(node.kind(), Kind::OpaqueExpr);
  EXPECT_EQ(node.map(f::OpaqueExpr::fields).find("a").text(f::String::value), "12");
  const NodeMap nodes = again.module.root()[f::IRModule::source_nodes].map(f::StringMap::entries);
  EXPECT_EQ(nodes.find("4").text(f::String::value), "f");
  EXPECT_EQ(nodes.find("12").kind(), Kind::IntImm);
  EXPECT_EQ(nodes.find("13").text(f::String::value), "sweet");
  const Node thing = nodes.find("11");
  ASSERT_EQ(thing.kind(), Kind::Opaque);
  EXPECT_EQ(thing.list(f::Opaque::elements)[0], nodes.find("12"));
  EXPECT_EQ(written(document_of(read(once))), once);
}

TEST(SaveJsonWriter, RefusesNumbersOfNoNode) {
  for (const std::string_view name : {"x", "0", "4000000000"}) {
    Document doc = document_of(read(document(
        {MLF_EVALUATING_FUNCTION, R"({"type_key": "tir.NewExpr", "attrs": {"dtype": "int32"}})"})));
    const NodeId root = doc.module.root().id();
    Builder b(std::move(doc.module));
    const NamedNode entry{b.string(name), b.make(Kind::Array, {b.list({})})};
    b.set(root, f::IRModule::source_nodes, b.make(Kind::StringMap, {b.map(std::span(&entry, 1))}));
    doc.module = std::move(b).finish(root);
    EXPECT_FALSE(write_save_json(doc, [](std::string_view) {})) << name;
  }
}

TEST(SaveJsonWriter, SaysWhatSaveJsonCannotHold) {
  Builder b;
  const NodeId missing = b.make(Kind::MissingObject, {b.string("Runtime"), 0});
  const NamedNode entry{b.string("runtime"), missing};
  const NodeId attrs = b.make(Kind::DictAttrs, {b.map(std::span(&entry, 1))});
  const NodeId root = b.make(Kind::IRModule, {b.map(std::vector<NodePair>{}), NodeId::none,
                                              NodeId::none, NodeId::none, attrs, NodeId::none});
  const Document doc{{}, std::nullopt, std::move(b).finish(root), {}};
  const auto result = write_save_json(doc, [](std::string_view) {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message,
            "metadata[\"Runtime\"][0] is not known: the text had no metadata section");
}

// TVM's own parser of v0.9 keeps the name that a text gives, later ones put its number there.
TEST(SaveJsonWriter, NamesOfIntrinsicsStayWhereTvmHasThem) {
  const std::string call =
      R"({"type_key": "tir.Call", "attrs": {"args": "11", "dtype": "float32", "op": "13",)"
      R"( "span": "0"}})";
  Document doc = document_of(read(document(
      {MLF_EVALUATING_FUNCTION, call, R"({"type_key": "Array", "data": [12]})",
       R"({"type_key": "tir.StringImm", "attrs": {"dtype": "handle", "span": "0", "value": "14"}})",
       R"({"type_key": "Op", "repr_str": "tir.call_llvm_pure_intrin"})",
       R"({"type_key": "runtime.String", "repr_str": "llvm.sqrt"})"})));
  EXPECT_NE(written(doc).find("llvm.sqrt"), std::string::npos);

  // A text named it: TVM's module has a number, which the text does not say.
  doc.losses.push_back({LossCode::llvm_intrinsic, LossScope::function, "f", "llvm.sqrt"});
  const auto result = write_save_json(doc, [](std::string_view) {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message,
            "the number of the LLVM intrinsic llvm.sqrt is not in the text, and save_json has "
            "nothing else for it: write TVMScript, in which TVM looks it up");
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(SaveJsonCorpus, ReadsEveryFileAndWritesItTheSameTwice) {
  std::size_t files = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(test::corpus_directory())) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("save") || entry.path().extension() != ".json") continue;
    SCOPED_TRACE(entry.path().string());
    ++files;
    const Document first = document_of(read(content_of(entry.path())));
    EXPECT_TRUE(std::ranges::all_of(
        first.losses, [](const Loss& loss) { return loss.code == LossCode::checked_type; }));
    const std::string once = written(first);
    const Document second = document_of(read(once));
    EXPECT_TRUE(second.losses.empty());
    EXPECT_EQ(second.module.size(), first.module.size());
    EXPECT_EQ(written(second), once);
  }
  EXPECT_GE(files, test::of_corpus(100, 10));
}

}  // namespace
}  // namespace mlf::tir
