// Malformed TVMScript expressions: one message each, with line, column, source line and caret.
#include "malformed.h"

namespace mlf::tir::tvmscript {
namespace {

class ScriptMalformedExpression : public testing::TestWithParam<Malformed> {};

TEST_P(ScriptMalformedExpression, IsRefusedAtThePlaceThatIsWrong) {
  EXPECT_EQ(error_of(GetParam().text), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Text, ScriptMalformedExpression,
    testing::ValuesIn(std::vector<Malformed>{
        {"UnclosedParenthesis", in_function("T.evaluate((n + 1)"),
         "9:19: the '(' that starts here is never closed\n"
         "          T.evaluate((n + 1)\n"
         "                    ^"},
        {"MissingOperand", in_function("T.evaluate(n + )"),
         "9:24: expected an expression, found ')'\n"
         "          T.evaluate(n + )\n"
         "                         ^"},
        {"BracketsThatDoNotMatch", in_function("T.evaluate([n)"),
         "9:22: expected ']' after elements of a list, found ')'\n"
         "          T.evaluate([n)\n"
         "                       ^"},
        {"UnclosedString", in_function("T.call_extern(\"int32\", \"f, n)"),
         "9:32: the string that starts here is never closed\n"
         "          T.call_extern(\"int32\", \"f, n)\n"
         "                                 ^"},
        {"UndefinedName", in_function("T.evaluate(k)"),
         "9:20: 'k' is not defined\n"
         "          T.evaluate(k)\n"
         "                     ^"},
        {"UndefinedNameBehindItsScope",
         in_function("for i in range(4):\n"
                     "    T.evaluate(i)\n"
                     "T.evaluate(i)"),
         "11:20: 'i' is not defined\n"
         "          T.evaluate(i)\n"
         "                     ^"},
        {"IntegerThatDoesNotFit", in_function("T.evaluate(99999999999999999999)"),
         "9:20: the integer does not fit into 64 bits\n"
         "          T.evaluate(99999999999999999999)\n"
         "                     ^^^^^^^^^^^^^^^^^^^^"},
        {"NumberThatIsNone", in_function("T.evaluate(T.float32(\"many\"))"),
         "9:30: expected a number, found a string\n"
         "          T.evaluate(T.float32(\"many\"))\n"
         "                               ^^^^^^"},
        {"UnknownDtype", in_function("T.evaluate(T.Cast(\"flaot32\", n))"),
         "9:27: 'flaot32' is not a data type\n"
         "          T.evaluate(T.Cast(\"flaot32\", n))\n"
         "                            ^^^^^^^^^"},
        {"OperatorWithoutItsDtype", in_function("T.call_extern(n, \"f\")"),
         "9:23: expected a data type in quotes, found a Var\n"
         "          T.call_extern(n, \"f\")\n"
         "                        ^"},
        {"TooFewArguments", in_function("T.evaluate(T.Select(True, n))"),
         "9:20: T.Select takes 3 arguments, found 2\n"
         "          T.evaluate(T.Select(True, n))\n"
         "                     ^^^^^^^^^^^^^^^^^"},
        {"UnknownKeyword", in_function("T.evaluate(T.exp(n, precision=3))"),
         "9:29: T.exp has no keyword argument 'precision'\n"
         "          T.evaluate(T.exp(n, precision=3))\n"
         "                              ^^^^^^^^^^^"},
        {"PositionalBehindKeyword", in_function("A[0] = T.Cast(dtype=\"int8\", n)"),
         "9:37: a positional argument behind a keyword argument\n"
         "          A[0] = T.Cast(dtype=\"int8\", n)\n"
         "                                      ^"},
        {"UnknownNamespace", in_function("foo.bar(n)"),
         "9:9: unknown function foo.bar\n"
         "          foo.bar(n)\n"
         "          ^^^^^^^^^^"},
        {"UnknownFunctionOfTheIrNamespace", in_function("T.evaluate(I.Wonder(n))"),
         "9:20: unknown function I.Wonder\n"
         "          T.evaluate(I.Wonder(n))\n"
         "                     ^^^^^^^^^^^"},
        {"ABufferAsAnExpression", in_function("T.evaluate(A + 1)"),
         "9:20: expected an expression, found a Buffer\n"
         "          T.evaluate(A + 1)\n"
         "                     ^"},
        {"AVariableWithIndices", in_function("n[0] = 1"),
         "9:9: expected a buffer, found a Var\n"
         "          n[0] = 1\n"
         "          ^"},
        {"PartOfAVariable", in_function("T.evaluate(n.data)"),
         "9:20: only buffers have parts, and 'n' is none\n"
         "          T.evaluate(n.data)\n"
         "                     ^^^^^^"},
        {"UnknownPartOfABuffer", in_function("T.evaluate(A.layout)"),
         "9:20: a buffer has no part 'layout'\n"
         "          T.evaluate(A.layout)\n"
         "                     ^^^^^^^^"},
        {"StrideThatIsNotThere", in_function("T.evaluate(A.strides[3])"),
         "9:30: the buffer has only 0 strides\n"
         "          T.evaluate(A.strides[3])\n"
         "                               ^"},
        {"LanesOfZero", in_function("T.evaluate(T.Broadcast(n, 0))"),
         "9:35: expected a number of lanes: 1 to 32767, or such a number times vscale()\n"
         "          T.evaluate(T.Broadcast(n, 0))\n"
         "                                    ^"},
        {"LanesThatAreNoNumber", in_function("T.evaluate(T.Ramp(n, 1, n))"),
         "9:33: expected a number of lanes: 1 to 32767, or such a number times vscale()\n"
         "          T.evaluate(T.Ramp(n, 1, n))\n"
         "                                  ^"},
        {"SliceOfNoWholeNumberOfElements", in_function("T.evaluate(A[0:7:2])"),
         "9:22: the slice has no whole number of elements\n"
         "          T.evaluate(A[0:7:2])\n"
         "                       ^^^^^"},
        {"SliceOfTheSmallestLength", in_function("T.evaluate(A[0:-9223372036854775808:-1])"),
         "9:22: the slice has no whole number of elements\n"
         "          T.evaluate(A[0:-9223372036854775808:-1])\n"
         "                       ^^^^^^^^^^^^^^^^^^^^^^^^^"},
        {"LoadOfTooManyLanes",
         in_function("B = T.Buffer((4,), \"int8x4\")\nT.evaluate(B[T.Ramp(0, 1, 32767)])"),
         "10:20: an access of 0 or of more than 32767 lanes\n"
         "          T.evaluate(B[T.Ramp(0, 1, 32767)])\n"
         "                     ^^^^^^^^^^^^^^^^^^^^^^"},
        {"LoadOfNoLanes", in_function("T.evaluate(A[T.call_extern(\"void\", \"f\")])"),
         "9:20: an access of 0 or of more than 32767 lanes\n"
         "          T.evaluate(A[T.call_extern(\"void\", \"f\")])\n"
         "                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"},
        {"StoreOfTooManyLanes",
         in_function("B = T.Buffer((4,), \"int8x4\")\nB[T.Ramp(0, 1, 32767)] = 1"),
         "10:9: an access of 0 or of more than 32767 lanes\n"
         "          B[T.Ramp(0, 1, 32767)] = 1\n"
         "          ^^^^^^^^^^^^^^^^^^^^^^^^^^"},
        {"ConstantOfAPoolWithoutAnArray",
         in_function("T.func_attr({\"x\": I.ConstantInfo(\"w\", 0, ())})"),
         "9:50: expected an array, found a tuple\n"
         "          T.func_attr({\"x\": I.ConstantInfo(\"w\", 0, ())})\n"
         "                                                   ^^"},
        {"SliceOfUnknownLength", in_function("T.evaluate(A[0:n])"),
         "9:22: the number of lanes of the slice is not constant\n"
         "          T.evaluate(A[0:n])\n"
         "                       ^^^"},
        {"SliceWithAVariableStride", in_function("T.evaluate(A[0:8:n])"),
         "9:26: the stride of a slice is not constant\n"
         "          T.evaluate(A[0:8:n])\n"
         "                           ^"},
    }),
    [](const auto& malformed) { return malformed.param.name; });

}  // namespace
}  // namespace mlf::tir::tvmscript
