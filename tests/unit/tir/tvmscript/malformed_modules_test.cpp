// Malformed TVMScript modules: one message each, with line, column, source line and caret.
#include "malformed.h"

namespace mlf::tir::tvmscript {
namespace {

class ScriptMalformedModule : public testing::TestWithParam<Malformed> {};

TEST_P(ScriptMalformedModule, IsRefusedAtThePlaceThatIsWrong) {
  EXPECT_EQ(error_of(GetParam().text), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Text, ScriptMalformedModule,
    testing::ValuesIn(std::vector<Malformed>{
        {"NoFunction",
         "# from tvm.script import ir as I\n"
         "# from tvm.script import tir as T\n"
         "\n",
         "4:1: expected a function, found the end of the text"},
        {"SomethingElseInAClass",
         "# from tvm.script import ir as I\n"
         "\n"
         "@I.ir_module\n"
         "class Module:\n"
         "    x + 1\n",
         "5:5: expected a function, a class or I.module_attrs\n"
         "      x + 1\n"
         "      ^^^^^"},
        {"AClassWithoutAName",
         "# from tvm.script import ir as I\n"
         "\n"
         "@I.ir_module\n"
         "class:\n"
         "    pass\n",
         "4:6: expected the name of the class, found ':'\n"
         "  class:\n"
         "       ^"},
        {"TwoFunctionsOfOneName",
         "# from tvm.script import tir as T\n"
         "\n"
         "@T.prim_func\n"
         "def f():\n"
         "    T.evaluate(0)\n"
         "\n"
         "@T.prim_func\n"
         "def f():\n"
         "    T.evaluate(0)\n",
         "8:1: two functions are named 'f'\n"
         "  def f():\n"
         "  ^"},
        {"FunctionWithoutParentheses",
         "# from tvm.script import tir as T\n"
         "\n"
         "@T.prim_func\n"
         "def f:\n"
         "    T.evaluate(0)\n",
         "4:6: expected '(' after the name of a function, found ':'\n"
         "  def f:\n"
         "       ^"},
        {"ParameterWithoutType",
         "# from tvm.script import tir as T\n"
         "\n"
         "@T.prim_func\n"
         "def f(n):\n"
         "    T.evaluate(n)\n",
         "4:8: expected ':' and the type of n, found ')'\n"
         "  def f(n):\n"
         "         ^"},
        {"ParametersThatAreNotClosed",
         "# from tvm.script import tir as T\n"
         "\n"
         "@T.prim_func\n"
         "def f(n: T.int32 m: T.int32):\n"
         "    T.evaluate(n)\n",
         "4:18: expected ')' after parameters, found 'm'\n"
         "  def f(n: T.int32 m: T.int32):\n"
         "                   ^"},
        {"UnknownReturnType",
         "# from tvm.script import tir as T\n"
         "\n"
         "@T.prim_func\n"
         "def f() -> T.tensor:\n"
         "    T.evaluate(0)\n",
         "4:12: 'T.tensor' is not a type\n"
         "  def f() -> T.tensor:\n"
         "             ^^^^^^^^"},
        {"TypeParameterThatIsNoType",
         "# from tvm.script import ir as I\n"
         "# from tvm.script import tir as T\n"
         "\n"
         "@T.prim_func\n"
         "def f():\n"
         "    T.func_attr({\"t\": I.FuncType([g], [T.int8], T.int32)})\n"
         "    T.evaluate(0)\n",
         "6:35: 'g' is not a type\n"
         "      T.func_attr({\"t\": I.FuncType([g], [T.int8], T.int32)})\n"
         "                                    ^"},
        {"FunctionWithoutASuite",
         "# from tvm.script import tir as T\n"
         "\n"
         "@T.prim_func\n"
         "def f():\n",
         "5:1: expected an indented line"},
        {"MetadataThatIsNoJson",
         "metadata = tvm.ir.load_json(\"\"\"{\n"
         "  oops\n"
         "}\"\"\")\n"
         "# from tvm.script import tir as T\n"
         "\n"
         "@T.prim_func\n"
         "def f():\n"
         "    T.evaluate(0)\n",
         "1:29: in line 2, column 3 of the metadata: expected a key in double quotes\n"
         "  metadata = tvm.ir.load_json(\"\"\"{\n"
         "                              ^"},
        {"MetadataThatIsNoString",
         "metadata = tvm.ir.load_json(3)\n"
         "# from tvm.script import tir as T\n"
         "\n"
         "@T.prim_func\n"
         "def f():\n"
         "    T.evaluate(0)\n",
         "1:29: expected a string, found an integer\n"
         "  metadata = tvm.ir.load_json(3)\n"
         "                              ^"},
        {"MetadataThatIsNeverClosed", "metadata = tvm.ir.load_json(\"\"\"{\n",
         "1:29: the string that starts here is never closed\n"
         "  metadata = tvm.ir.load_json(\"\"\"{\n"
         "                              ^"},
    }),
    [](const auto& malformed) { return malformed.param.name; });

}  // namespace
}  // namespace mlf::tir::tvmscript
