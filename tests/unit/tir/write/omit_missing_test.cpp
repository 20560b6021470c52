// What a text without its metadata section has left is written without the attributes that it does
// not know.
#include <gtest/gtest.h>

#include "mlf/tir/builder.h"
#include "mlf/tir/document.h"
#include "mlf/tir/write.h"

namespace mlf::tir {
namespace {

Document read_script(std::string_view body) {
  std::string text =
      "# from tvm.script import ir as I\n# from tvm.script import tir as T\n\n@I.ir_module\n"
      "class Module:\n"
      "    I.module_attrs({\"runtime\": metadata[\"Runtime\"][0], \"known\": 1})\n"
      "    @T.prim_func\n    def main(n: T.int32):\n"
      "        T.func_attr({\"kept\": \"x\", \"gone\": [1, {\"a\": "
      "metadata[\"FuncAttrs\"][0]}]})\n";
  text.append(body);
  auto document = read({.file = "t.py", .member = "", .text = text});
  if (!document) throw std::runtime_error(to_string(document.error()));
  return *std::move(document);
}

constexpr std::string_view kLoop =
    "        for i in T.serial(4, annotations={\"hint\": metadata[\"Hint\"][0], \"size\": 2}):\n"
    "            T.evaluate(i)\n";

TEST(OmitMissing, TakesAttributesAndAnnotationsAndNamesThem) {
  Document document = read_script(kLoop);
  const std::vector<OmittedAttribute> omitted = omit_missing(document);
  ASSERT_EQ(omitted.size(), 3u);
  EXPECT_EQ(omitted[0].function + "." + omitted[0].name, "main.gone");
  EXPECT_EQ(omitted[1].function + "." + omitted[1].name, "main.hint");
  EXPECT_EQ(omitted[2].function + "." + omitted[2].name, ".runtime");
  const Node root = document.module.root();
  const Node main = root.map(f::IRModule::functions).value(0);
  EXPECT_TRUE(main[f::PrimFunc::attrs].map(f::DictAttrs::dict).find("kept"));
  EXPECT_FALSE(main[f::PrimFunc::attrs].map(f::DictAttrs::dict).find("gone"));
  EXPECT_EQ(main[f::PrimFunc::body].map(f::For::annotations).size(), 1u);
  EXPECT_EQ(root[f::IRModule::attrs].map(f::DictAttrs::dict).size(), 1u);
}

TEST(OmitMissing, LetsEveryWriterWrite) {
  Document document = read_script(kLoop);
  const Sink sink = [](std::string_view) {};
  EXPECT_FALSE(write_save_json(document, sink));
  omit_missing(document);
  EXPECT_TRUE(write_save_json(document, sink));
  EXPECT_TRUE(write_tvmscript(document, {}, sink));
}

TEST(OmitMissing, LeavesWhatTheTreeNeeds) {
  Document document = read_script("        T.evaluate(metadata[\"Object\"][0])\n");
  EXPECT_EQ(omit_missing(document).size(), 2u);
  const auto written = write_save_json(document, [](std::string_view) {});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message,
            "metadata[\"Object\"][0] is not known: the text had no metadata section");
}

TEST(OmitMissing, TakesObjectsThatOldTvmscriptCannotPrint) {
  std::ifstream file(MLF_SOURCE_DIR "/tests/data/corpus/tvm-0.9/diamond-aot-c-usmp/save-1.json");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  auto document = read({.file = "", .member = "", .text = text});
  ASSERT_TRUE(document) << to_string(document.error());
  const Node function = document->module.root().map(f::IRModule::functions).value(0);
  const NodeId attrs = function[f::PrimFunc::attrs].id();
  const NodeId root = document->module.root().id();
  Builder builder(std::move(document->module));
  const NodeId shape = builder.make(Kind::ShapeTuple, {builder.integers({})});
  const std::vector<NamedNode> entries{
      {builder.string("shape"), builder.make(Kind::Array, {builder.list({shape})})}};
  builder.set(attrs, f::DictAttrs::dict, builder.map(entries));
  document->module = std::move(builder).finish(root);
  const Sink sink = [](std::string_view) {};
  EXPECT_FALSE(write_tvmscript(*document, {}, sink));
  EXPECT_TRUE(omit_missing(*document).empty());
  std::set<std::string> names;
  for (const OmittedAttribute& one : omit_missing(*document, Dialect::tvmscript)) {
    names.insert(one.name);
  }
  EXPECT_TRUE(names.contains("pool_args"));
  EXPECT_TRUE(names.contains("shape"));
  EXPECT_FALSE(names.contains("target"));
  EXPECT_TRUE(write_tvmscript(*document, {}, sink));
}

TEST(OmitMissing, TakesNothingWhereAllIsKnown) {
  auto document = read({.file = "", .member = "", .text = "@f = primfn() -> () {\n  0\n}\n"});
  ASSERT_TRUE(document);
  EXPECT_TRUE(omit_missing(*document).empty());
}

}  // namespace
}  // namespace mlf::tir
