// What the text says about the version of TVM, and what it means in which.
#include "reading.h"

namespace mlf::tir::tvmscript {
namespace {

std::string lone(std::string_view name, std::string_view attrs, std::string_view line,
                 std::string_view decorator = "@T.prim_func") {
  return "# from tvm.script import tir as T\n\n" + std::string(decorator) + "\ndef " +
         std::string(name) + "(n: T.int32):\n    T.func_attr({" + std::string(attrs) + "})\n    " +
         std::string(line) + "\n";
}

std::string symbol(const Document& document) {
  const Node found = attribute(document, "global_symbol");
  return found ? std::string(found.text(f::String::value)) : std::string("none");
}

TEST(ScriptVersions, LeaveOutASymbolThatIsTheNameFromV014On) {
  const Document d = read_text(lone("f", "\"x\": 1", "T.evaluate(n)"));
  EXPECT_EQ(symbol(d), "f");
  EXPECT_TRUE(lost(d, LossCode::global_symbol));
}

TEST(ScriptVersions, HaveNoSymbolInPrivateFunctions) {
  const Document d =
      read_text(lone("f", "\"x\": 1", "T.evaluate(n)", "@T.prim_func(private=True)"));
  EXPECT_EQ(symbol(d), "none");
  EXPECT_GE(d.source.tvm_version.first, 14);
}

TEST(ScriptVersions, StateItBeforeV014SoThatWhatIsNotThereIsNone) {
  const Document d = read_text(lone("f", "\"global_symbol\": \"f\"", "T.evaluate(n)") +
                               "\n@T.prim_func\ndef g():\n    T.evaluate(0)\n");
  EXPECT_EQ(symbol(d), "f");
  EXPECT_LE(d.source.tvm_version.last, 13);
  EXPECT_FALSE(function(d, 1)[f::PrimFunc::attrs]);
}

TEST(ScriptVersions, StateASymbolThatIsAnother) {
  EXPECT_EQ(symbol(read_text(lone("f", "\"global_symbol\": \"g\"", "T.evaluate(n)"))), "g");
}

TEST(ScriptVersions, CallFunctionsByStringsInV012) {
  const Document d = read_text(lone("f", "\"x\": 1", "\"g\"(n)"));
  EXPECT_EQ(value(d)[f::Call::op].text(f::GlobalVar::name_hint), "g");
  EXPECT_EQ(d.source.tvm_version.last, 12);
}

TEST(ScriptVersions, ReturnByACallUpToV015) {
  const Document old = read_text(lone("f", "\"x\": 1", "T.ret(n)"));
  EXPECT_LE(old.source.tvm_version.last, 15);
  const Document young = read_text(lone("f", "\"x\": 1", "return n"));
  EXPECT_GE(young.source.tvm_version.first, 16);
  EXPECT_EQ(value(old)[f::Call::op].text(f::Op::name), value(young)[f::Call::op].text(f::Op::name));
}

TEST(ScriptVersions, RangesHaveAnExtentUpToV015AndAnEndFromV016On) {
  const auto extent = [](std::string_view line) {
    const std::string text = lone("f", "\"r\": T.Range(2, 5)", line);
    return number(attribute(read_text(text), "r")[f::Range::extent]);
  };
  EXPECT_EQ(extent("return n"), 3);
  EXPECT_EQ(extent("T.evaluate(n)"), 3);
}

TEST(ScriptVersions, PrintWholeFloatsWithAFractionFromV018On) {
  EXPECT_EQ(read_text(lone("f", "\"x\": 1", "T.evaluate(T.float32(1.0))")).source.tvm_version.first,
            18);
  EXPECT_LE(read_text(lone("f", "\"x\": 1", "T.evaluate(T.float32(1))")).source.tvm_version.last,
            17);
}

TEST(ScriptVersions, NameNewOperators) {
  EXPECT_GE(
      read_text(lone("f", "\"x\": 1", "T.evaluate(T.get_active_lane_mask(\"uint1x4\", n, n))"))
          .source.tvm_version.first,
      17);
}

TEST(ScriptVersions, BeforeV012HaveAnotherSyntax) {
  const Document d = read_text(
      "# from tvm.script import tir as T\n\n"
      "@T.prim_func\ndef f(h: T.handle, p: T.Ptr(\"float32\", \"global\")):\n"
      "    x = T.var(\"int32\")\n"
      "    q = T.Ptr(\"int8\", \"shared\")\n"
      "    B = T.buffer_decl((4,), \"int8\", data=q)\n"
      "    with T.let(x, 3):\n"
      "        T.evaluate(B[x] + T.cast(x, \"int8\"))\n");
  EXPECT_EQ(body(d).kind(), Kind::LetStmt);
  EXPECT_EQ(function(d).list(f::PrimFunc::params)[1][f::Var::type_annotation].kind(),
            Kind::PointerType);
}

}  // namespace
}  // namespace mlf::tir::tvmscript
