// The names of a module's functions: two equal ones are an error wherever a module is read or
// written.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "mlf/tir/builder.h"
#include "mlf/tir/document.h"
#include "mlf/tir/write.h"
#include "save_json/save_json_text.h"

namespace mlf::tir {
namespace {

/// What reading a text says.
std::string refusal_of(std::string_view text) {
  const auto document = read({.file = "two.txt", .member = {}, .text = text});
  return document ? "accepted" : to_string(document.error());
}

TEST(FunctionNames, AreUniqueInEachTextThatIsRead) {
  EXPECT_EQ(refusal_of("@f = primfn() -> int32 {\n  0\n}\n\n@f = primfn() -> int32 {\n  1\n}\n"),
            "two.txt:5:6: two functions are named 'f'\n"
            "  @f = primfn() -> int32 {\n"
            "       ^");
}

/// save_json names a function in an object of its own: TVM's reader would keep one of the two.
TEST(FunctionNames, AreUniqueInSaveJson) {
  std::string text = save_json_test::document(
      {MLF_EVALUATING_FUNCTION, save_json_test::kSeven,
       R"({"type_key": "GlobalVar", "attrs": {"_checked_type_": "0", "name_hint": "4",)"
       R"( "span": "0", "struct_info_": "0", "virtual_device_": "0"}})"});
  ASSERT_TRUE(read({.file = "one.json", .member = {}, .text = text}));
  const std::string_view one = R"("data": [3, 5])";
  text.replace(text.find(one), one.size(), R"("data": [3, 5, 11, 5])");
  EXPECT_EQ(refusal_of(text), "two.txt: two functions are named 'f'");
}

TEST(FunctionNames, AreUniqueInEachFormThatIsWritten) {
  auto document =
      read({.file = "f.txt", .member = {}, .text = "@f = primfn() -> int32 {\n  0\n}\n"});
  ASSERT_TRUE(document);
  const Node root = document->module.root();
  const NodeId id = root.id();
  const NodeId function = root.map(f::IRModule::functions).value(0).id();
  const NodeId first = root.map(f::IRModule::functions).key(0).id();
  Builder builder(std::move(document->module));
  const NodeId second = builder.make(
      Kind::GlobalVar, {builder.string("f"), NodeId::none, NodeId::none, NodeId::none});
  builder.set(id, f::IRModule::functions,
              builder.map(std::vector<NodePair>{{first, function}, {second, function}}));
  document->module = std::move(builder).finish(id);
  std::string written;
  const Sink sink = [&](std::string_view bytes) { written += bytes; };
  for (const auto& result : {write_save_json(*document, sink), write_tvmscript(*document, {}, sink),
                             write_tir_json(*document, {}, sink).map([](const auto&) {})}) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().message, "two functions are named 'f'");
  }
  EXPECT_EQ(written, "");
}

}  // namespace
}  // namespace mlf::tir
