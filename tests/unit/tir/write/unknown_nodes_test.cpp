// Operators, attributes and objects that the tables do not have go through every writer unchanged.
#include "../save_json/save_json_text.h"
#include "mlf/tir/builder.h"
#include "writing.h"

namespace mlf::tir {
namespace {

using save_json_test::document;
using write_test::expect_same;
using write_test::read_text;
using write_test::save_json_of;
using write_test::script_of;
using write_test::tir_json_of;

constexpr std::string_view kSeven =
    R"({"type_key": "IntImm", "attrs": {"dtype": "int32", "span": "0", "value": "7"}})";

/// A module of one function with the attribute "new", node 12, and node 10 for its body.
std::string with_attribute(std::initializer_list<std::string_view> nodes) {
  std::string text = document(nodes);
  const std::string_view from = R"("_checked_type_": "0", "attrs": "0")";
  return text.replace(text.find(from), from.size(), R"("_checked_type_": "0", "attrs": "11")");
}

void expect_kept(const std::string& source) {
  const Document original = read_text(source);
  const Document directly = read_text(save_json_of(original));
  expect_same(original.module, directly.module);
  const Document by_json = read_text(tir_json_of(original));
  expect_same(original.module, by_json.module);
  EXPECT_EQ(save_json_of(by_json), save_json_of(original));
}

TEST(UnknownNodes, MayBeOperatorsOfSaveJson) {
  expect_kept(document(
      {MLF_EVALUATING_FUNCTION,
       R"({"type_key": "tir.Call", "attrs": {"args": "11", "dtype": "uint8x3", "op": "12",)"
       R"( "span": "0"}})",
       R"({"type_key": "Array", "data": [13]})",
       R"({"type_key": "Op", "repr_str": "tir.of_the_future"})", kSeven}));
}

TEST(UnknownNodes, MayBeExpressions) {
  expect_kept(document(
      {MLF_EVALUATING_FUNCTION,
       R"({"type_key": "tir.NewExpr", "attrs": {"a": "11", "count": "4", "dtype": "int32",)"
       R"( "span": "0"}})",
       kSeven}));
}

TEST(UnknownNodes, KeepFieldsAndContentAsAttributes) {
  expect_kept(with_attribute(
      {MLF_EVALUATING_FUNCTION, kSeven, R"({"type_key": "DictAttrs", "attrs": {"__dict__": "12"}})",
       R"({"type_key": "Map", "keys": ["new", "same"], "data": [13, 13]})",
       R"({"type_key": "my.Object", "attrs": {"flavour": "14", "weight": "2.5"}})",
       R"({"type_key": "my.Content", "repr_str": "a b c", "data": [15]})",
       R"({"type_key": "runtime.String", "repr_str": "text"})"}));
}

TEST(UnknownNodes, KeepNumbersThatAreIndicesOfNodes) {
  expect_kept(with_attribute(
      {MLF_EVALUATING_FUNCTION, kSeven, R"({"type_key": "DictAttrs", "attrs": {"__dict__": "12"}})",
       R"({"type_key": "Map", "keys": ["a", "b"], "data": [13, 14]})",
       R"({"type_key": "relay.attrs.New", "attrs": {"axis": "1", "groups": "3"}})",
       R"({"type_key": "relay.attrs.New", "attrs": {"axis": "5", "groups": "2"}})"}));
}

TEST(UnknownNodes, KeepTextsOfEveryForm) {
  const std::string source = with_attribute(
      {MLF_EVALUATING_FUNCTION, kSeven, R"({"type_key": "DictAttrs", "attrs": {"__dict__": "12"}})",
       R"({"type_key": "Map", "keys": ["a"], "data": [13]})",
       R"({"type_key": "my.Object", "attrs": {"dtype": "int8", "empty": "", "layout": "14",)"
       R"( "name": "15", "plain": "NCHW"}})",
       R"({"type_key": "runtime.String", "repr_str": "42"})",
       R"({"type_key": "runtime.String", "repr_str": "int8"})"});
  expect_kept(source);
  const std::string written = save_json_of(read_text(source));
  EXPECT_NE(written.find(R"("plain": "NCHW")"), std::string::npos);
  EXPECT_NE(written.find(R"("repr_str": "42")"), std::string::npos);
}

constexpr std::string_view kScript =
    "# from tvm.script import ir as I\n"
    "# from tvm.script import tir as T\n"
    "\n"
    "@I.ir_module\n"
    "class Module:\n"
    "    @T.prim_func\n"
    "    def f(x: T.int32):\n"
    "        T.func_attr({\"of\": \"the future\"})\n"
    "        T.of_the_future(x, \"text\", 1)\n";

TEST(UnknownNodes, MayBeOperatorsOfAText) {
  const Document original = read_text(kScript);
  const Document by_json = read_text(tir_json_of(original));
  expect_same(original.module, by_json.module);
  const std::string script = script_of(by_json);
  EXPECT_NE(script.find("T.Call(\"int32\", \"tir.of_the_future\", [x, \"text\", 1])"),
            std::string::npos)
      << script;
  expect_same(original.module, read_text(script).module);
}

TEST(UnknownNodes, InTvmScriptAreNamedByTheError) {
  const Document original = read_text(
      document({MLF_EVALUATING_FUNCTION,
                R"({"type_key": "tir.NewExpr", "attrs": {"dtype": "int32", "span": "0"}})"}));
  EXPECT_EQ(script_of(original),
            "function f: an expression of the unknown type tir.NewExpr cannot be written in "
            "TVMScript");
}

/// As a tree that a program made may have them.
TEST(UnknownNodes, InPlaceOfAttributesAreNamedByTheError) {
  Document document = read_text(kScript);
  const NodeId function = document.module.root().map(f::IRModule::functions).value(0).id();
  const NodeId root = document.module.root().id();
  Builder builder(std::move(document.module));
  builder.set(function, f::PrimFunc::attrs, builder.make(Kind::Array, {builder.list({})}));
  document.module = std::move(builder).finish(root);
  EXPECT_EQ(script_of(document), "function f: TVMScript has no words for attributes of kind Array");
}

TEST(MalformedCalls, OfPackedFunctionsCannotBePrintedAsC) {
  const Document original = read_text(with_attribute(
      {MLF_EVALUATING_FUNCTION,
       R"({"type_key": "tir.Call", "attrs": {"args": "13", "dtype": "int32", "op": "14",)"
       R"( "span": "0"}})",
       R"({"type_key": "DictAttrs", "attrs": {"__dict__": "12"}})",
       R"({"type_key": "Map", "keys": ["global_symbol"], "data": [4]})",
       R"({"type_key": "Array", "data": [15, 16]})",
       R"({"type_key": "Op", "repr_str": "tir.tvm_call_packed"})",
       R"({"type_key": "tir.StringImm", "attrs": {"dtype": "handle", "span": "0", "value": "4"}})",
       R"({"type_key": "tir.Call", "attrs": {"args": "17", "dtype": "handle", "op": "18",)"
       R"( "span": "0"}})",
       R"({"type_key": "Array"})",
       R"({"type_key": "Op", "repr_str": "tir.tvm_stack_make_array"})"}));
  const std::string said = write_test::collect(
      [&](const Sink& sink) { return write_c(original, sink, ReadLimits{}.max_nodes); });
  EXPECT_EQ(said, "a tensor without shape cannot be printed as C");
}

}  // namespace
}  // namespace mlf::tir
