// Malformed TVMScript statements: one message each, with line, column, source line and caret.
#include "malformed.h"

namespace mlf::tir::tvmscript {
namespace {

class ScriptMalformedStatement : public testing::TestWithParam<Malformed> {};

TEST_P(ScriptMalformedStatement, IsRefusedAtThePlaceThatIsWrong) {
  EXPECT_EQ(error_of(GetParam().text), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Text, ScriptMalformedStatement,
    testing::ValuesIn(std::vector<Malformed>{
        {"ALiteralOnTheLeft", in_function("3 = n"),
         "9:9: cannot assign to '3'\n"
         "          3 = n\n"
         "          ^"},
        {"DeclarationInAnExpression", in_function("T.evaluate(T.int32() + 1)"),
         "9:20: T.int32() declares a variable and must be alone behind '='\n"
         "          T.evaluate(T.int32() + 1)\n"
         "                     ^^^^^^^^^"},
        {"MoreNamesThanValues", in_function("a, b = T.int32()"),
         "9:9: 2 names for 1 values\n"
         "          a, b = T.int32()\n"
         "          ^"},
        {"LetWithoutValue", in_function("x: T.int32"),
         "9:19: expected '=' after the type of x, found the end of the line\n"
         "          x: T.int32\n"
         "                    ^"},
        {"LetOfAnUnknownType", in_function("x: T.tensor = n"),
         "9:12: 'T.tensor' is not a type\n"
         "          x: T.tensor = n\n"
         "             ^^^^^^^^"},
        {"LoopOverNothing",
         in_function("for i in n:\n"
                     "    T.evaluate(i)"),
         "9:18: expected range(), T.grid(), or one of T.serial, parallel, vectorized, unroll and "
         "thread_binding\n"
         "          for i in n:\n"
         "                   ^"},
        {"LoopWithoutIn",
         in_function("for i range(4):\n"
                     "    T.evaluate(i)"),
         "9:15: expected 'in' after the loop variable, found 'range'\n"
         "          for i range(4):\n"
         "                ^^^^^"},
        {"LoopWithoutColon",
         in_function("for i in range(4)\n"
                     "    T.evaluate(i)"),
         "9:26: expected ':', found the end of the line\n"
         "          for i in range(4)\n"
         "                           ^"},
        {"GridWithTooFewNames",
         in_function("for i in T.grid(4, 4):\n"
                     "    T.evaluate(i)"),
         "9:18: names of 1 loop variables for 2 loops\n"
         "          for i in T.grid(4, 4):\n"
         "                   ^^^^^^^^^^^^"},
        {"SuiteThatIsNotIndented",
         in_function("for i in range(4):\n"
                     "T.evaluate(n)"),
         "10:9: expected an indented line\n"
         "          T.evaluate(n)\n"
         "          ^"},
        {"IndentationTooDeep",
         in_function("T.evaluate(n)\n"
                     "    T.evaluate(n)"),
         "10:13: this line is indented too far\n"
         "              T.evaluate(n)\n"
         "              ^"},
        {"IndentationThatMatchesNothing",
         in_function("for i in range(4):\n"
                     "    T.evaluate(i)\n"
                     "  T.evaluate(n)"),
         "11:11: the indentation of this line matches no line above it\n"
         "            T.evaluate(n)\n"
         "            ^"},
        {"ElseWithoutIf",
         in_function("else:\n"
                     "    T.evaluate(n)"),
         "9:9: 'else' without an if before it\n"
         "          else:\n"
         "          ^^^^"},
        {"WithOfNoScope",
         in_function("with T.evaluate(n):\n"
                     "    T.evaluate(n)"),
         "9:14: this does not open a scope\n"
         "          with T.evaluate(n):\n"
         "               ^^^^^^^^^^^^^"},
        {"AssertWithoutMessage", in_function("assert n < 3"),
         "9:21: expected ',' and a message, found the end of the line\n"
         "          assert n < 3\n"
         "                      ^"},
        {"TwoStatementsInALine", in_function("T.evaluate(n) T.evaluate(n)"),
         "9:23: expected the end of the line, found 'T'\n"
         "          T.evaluate(n) T.evaluate(n)\n"
         "                        ^"},
        {"FunctionInsideAFunction",
         in_function("def g():\n"
                     "    pass"),
         "9:9: a function or class inside a function is not TIR\n"
         "          def g():\n"
         "          ^^^"},
        {"LineOfABlockOutsideOfOne", in_function("T.reads(A[0:4])"),
         "9:9: T.reads is outside of a block\n"
         "          T.reads(A[0:4])\n"
         "          ^^^^^^^^^^^^^^^"},
        {"AxisWithoutValue",
         in_function("with T.block(\"b\"):\n"
                     "    v = T.axis.spatial(4)\n"
                     "    T.evaluate(v)"),
         "10:17: T.axis.spatial needs the value that the axis is bound to\n"
         "              v = T.axis.spatial(4)\n"
         "                  ^^^^^^^^^^^^^^^^^"},
        {"AxisWithAnEmptyTuple",
         in_function("with T.block(\"b\"):\n"
                     "    v = T.axis.spatial((), n)\n"
                     "    T.evaluate(v)"),
         "10:32: expected an extent, or a pair of the first value and the end\n"
         "              v = T.axis.spatial((), n)\n"
         "                                 ^^"},
        {"AxisWithThreeBounds",
         in_function("with T.block(\"b\"):\n"
                     "    v = T.axis.reduce([0, 4, 8], n)\n"
                     "    T.evaluate(v)"),
         "10:31: expected an extent, or a pair of the first value and the end\n"
         "              v = T.axis.reduce([0, 4, 8], n)\n"
         "                                ^^^^^^^^^"},
        {"RemapOfSomethingElse",
         in_function("with T.block(\"b\"):\n"
                     "    v = T.axis.remap(\"S\", [n])\n"
                     "    T.evaluate(v)"),
         "10:36: 'n' is not a loop variable\n"
         "              v = T.axis.remap(\"S\", [n])\n"
         "                                     ^"},
        {"RemapWithTooFewKinds",
         in_function("for i in range(4):\n"
                     "    with T.block(\"b\"):\n"
                     "        v = T.axis.remap(\"SR\", [i])\n"
                     "        T.evaluate(v)"),
         "11:21: 1 names for 2 kinds of axes and 1 loop variables\n"
         "                  v = T.axis.remap(\"SR\", [i])\n"
         "                      ^^^^^^^^^^^^^^^^^^^^^^^"},
        {"RemapOfAnUnknownKind",
         in_function("for i in range(4):\n"
                     "    with T.block(\"b\"):\n"
                     "        v = T.axis.remap(\"X\", [i])\n"
                     "        T.evaluate(v)"),
         "11:34: the kinds of axes are 'S' (spatial) and 'R' (reduce)\n"
         "                  v = T.axis.remap(\"X\", [i])\n"
         "                                   ^^^"},
        {"MatchBufferOfAVariable",
         in_function("m = T.handle()\n"
                     "B = T.match_buffer(m, (4,))"),
         "10:28: 'm' is not a parameter of main\n"
         "          B = T.match_buffer(m, (4,))\n"
         "                             ^"},
        {"BufferWithAnUnknownOption", in_function("B = T.Buffer((4,), \"int8\", colour=1)"),
         "9:36: T.Buffer has no keyword argument 'colour'\n"
         "          B = T.Buffer((4,), \"int8\", colour=1)\n"
         "                                     ^^^^^^^^"},
        {"BufferOfNoPointer", in_function("B = T.Buffer((4,), \"int8\", data=A)"),
         "9:41: expected a variable, found a Buffer\n"
         "          B = T.Buffer((4,), \"int8\", data=A)\n"
         "                                          ^"},
        {"AttributesThatAreNoDictionary", in_function("T.func_attr([1, 2])"),
         "9:21: expected a dictionary, found a list\n"
         "          T.func_attr([1, 2])\n"
         "                      ^^^^^^"},
        {"AttributeKeyThatIsNoString", in_function("T.func_attr({1: 2})"),
         "9:22: expected a string, found an integer\n"
         "          T.func_attr({1: 2})\n"
         "                       ^"},
        {"AttributeWithoutValue", in_function("T.func_attr({\"a\"})"),
         "9:25: expected ':' and a value after a key\n"
         "          T.func_attr({\"a\"})\n"
         "                          ^"},
        {"TargetWithoutKind", in_function("T.func_attr({\"target\": T.target({\"tag\": \"\"})})"),
         "9:41: a target needs a 'kind'\n"
         "          T.func_attr({\"target\": T.target({\"tag\": \"\"})})\n"
         "                                          ^^^^^^^^^^^"},
        {"LaunchOfAnUnknownThread",
         in_function("x = T.int32()\n"
                     "T.launch_thread(x, 4)"),
         "10:25: 'x' is not a T.env_thread\n"
         "          T.launch_thread(x, 4)\n"
         "                          ^"},
        {"ConstantsThatDoNotFillTheirExtents",
         in_function("c = T.allocate_const([1, 2, 3], \"int8\", [4])\n"
                     "T.evaluate(c)"),
         "9:30: 3 elements do not fill the extents\n"
         "          c = T.allocate_const([1, 2, 3], \"int8\", [4])\n"
         "                               ^^^^^^^^^"},
        {"ConstantThatIsNoNumber",
         in_function("c = T.allocate_const([1, n], \"int8\", [2])\n"
                     "T.evaluate(c)"),
         "9:34: expected an integer, found a Var\n"
         "          c = T.allocate_const([1, n], \"int8\", [2])\n"
         "                                   ^"},
        {"ReducerWithoutParameters",
         in_function("T.evaluate(T.reduce(T.comm_reducer(lambda x: x, [0]), source=[n], init=[], "
                     "axis=[], condition=True, value_index=0))"),
         "9:44: expected 2 parameters for 1 identity elements, found 1\n"
         "          T.evaluate(T.reduce(T.comm_reducer(lambda x: x, [0]), source=[n], init=[], "
         "axis=[], conditio\n"
         "                                             ^^^^^^^^^^^"},
        {"ReduceOfNoReducer",
         in_function("T.evaluate(T.reduce(n, source=[n], init=[], axis=[], condition=True, "
                     "value_index=0))"),
         "9:29: expected a reducer, found a Var\n"
         "          T.evaluate(T.reduce(n, source=[n], init=[], axis=[], condition=True, "
         "value_index=0))\n"
         "                              ^"},
        {"LambdaInsideALambda",
         in_function("T.func_attr({\"m\": T.index_map(lambda i: (lambda j: j))})"),
         "9:50: a lambda inside a lambda is not supported\n"
         "          T.func_attr({\"m\": T.index_map(lambda i: (lambda j: j))})\n"
         "                                                   ^^^^^^^^"},
        {"IterVarOfAnUnknownType",
         in_function("T.attr(T.iter_var(n, None, \"Sideways\", \"\"), \"k\", 1)\n"
                     "T.evaluate(n)"),
         "9:36: 'Sideways' is not a type of iteration variable\n"
         "          T.attr(T.iter_var(n, None, \"Sideways\", \"\"), \"k\", 1)\n"
         "                                     ^^^^^^^^^^"},
        {"MetadataOfAnEmptyTuple", in_function("T.func_attr({\"m\": metadata[()][0]})"),
         "9:36: expected a string, found a tuple\n"
         "          T.func_attr({\"m\": metadata[()][0]})\n"
         "                                     ^^"},
        {"MetadataWithoutIndex", in_function("T.func_attr({\"m\": metadata[\"Runtime\"]})"),
         "9:27: expected an expression, found a metadata key\n"
         "          T.func_attr({\"m\": metadata[\"Runtime\"]})\n"
         "                            ^^^^^^^^^^^^^^^^^^^"},
        {"PredicateOfAPlainVariable", in_function("n.vstore([0], 1, predicate=True)"),
         "9:9: 'n' is not a buffer\n"
         "          n.vstore([0], 1, predicate=True)\n"
         "          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"},
    }),
    [](const auto& malformed) { return malformed.param.name; });

}  // namespace
}  // namespace mlf::tir::tvmscript
