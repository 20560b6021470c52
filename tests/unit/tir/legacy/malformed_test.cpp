// Malformed legacy text: one message each, with line, column, source line and caret.
#include "reading.h"

namespace mlf::tir::legacy {
namespace {

struct Malformed {
  std::string name;
  std::string text;
  std::string message;
};
void PrintTo(const Malformed& sample, std::ostream* out) {
  *out << sample.name;
}

std::string in_function_of_pointers(std::string_view statements) {
  return "@main = primfn(n: int32, h: handle, p: handle) -> ()\n"
         "  buffers = {A: Buffer(A_1: Pointer(float32), float32, [16], [])}\n"
         "  buffer_map = {h: A} {\n  " +
         std::string(statements) + "\n}\n";
}

class LegacyMalformed : public testing::TestWithParam<Malformed> {};

TEST_P(LegacyMalformed, IsRefusedAtThePlaceThatIsWrong) {
  EXPECT_EQ(error_of(GetParam().text), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Text, LegacyMalformed,
    testing::ValuesIn(std::vector<Malformed>{
        {"UnclosedArguments", in_function_of_pointers("@tir.exp(n, dtype=float32"),
         "5:1: expected ')' after arguments of @tir.exp, found '}'\n"
         "  }\n"
         "  ^"},
        {"OperatorWithoutDtype", in_function_of_pointers("@tir.exp(n)"),
         "4:3: expected 'dtype=' as the last argument of @tir.exp\n"
         "    @tir.exp(n)\n"
         "    ^^^^^^^^^^^"},
        {"UnknownDtype", in_function_of_pointers("@tir.exp(n, dtype=flaot32)"),
         "4:21: expected a dtype, found 'flaot32'\n"
         "    @tir.exp(n, dtype=flaot32)\n"
         "                      ^^^^^^^"},
        {"KeywordOfAnOperand", in_function_of_pointers("max(n, k=1)"),
         "4:10: expected an expression, found 'k=1'\n"
         "    max(n, k=1)\n"
         "           ^^^"},
        {"LoopVariableWithTheNameOfABuffer",
         in_function_of_pointers("for (A: int32, 0, 4) {\n 0\n}"),
         "4:8: expected a variable, found 'A'\n"
         "    for (A: int32, 0, 4) {\n"
         "         ^"},
        {"BufferWithTheNameOfAVariable",
         in_function_of_pointers("n = decl_buffer(A_1, float32, [16]) {\n 0\n}"),
         "4:3: 'n' is already a Var\n"
         "    n = decl_buffer(A_1, float32, [16]) {\n"
         "    ^"},
        {"ProducerWithTheNameOfABuffer",
         in_function_of_pointers("A[0] = A: DataProducer(\"T\", float32, [16])[0]"),
         "4:10: 'A' is already a Buffer\n"
         "    A[0] = A: DataProducer(\"T\", float32, [16])[0]\n"
         "           ^"},
        {"UndeclaredName", in_function_of_pointers("(n + k)"),
         "4:8: 'k' is declared nowhere in the text\n"
         "    (n + k)\n"
         "         ^"},
        {"UnknownFunction", in_function_of_pointers("foo(n)"),
         "4:3: 'foo(n)' is declared nowhere in the text\n"
         "    foo(n)\n"
         "    ^^^^^^"},
        {"FunctionWithTooFewArguments", in_function_of_pointers("floordiv(n)"),
         "4:3: expected 2 arguments of floordiv, found 1\n"
         "    floordiv(n)\n"
         "    ^^^^^^^^^^^"},
        {"LanesOfZero", in_function_of_pointers("broadcast(n, 0)"),
         "4:16: expected a number of lanes from 1 to 32767, found '0'\n"
         "    broadcast(n, 0)\n"
         "                 ^"},
        {"LanesThatAreNoNumber", in_function_of_pointers("ramp(n, 1, n)"),
         "4:14: expected a number of lanes from 1 to 32767, found 'n'\n"
         "    ramp(n, 1, n)\n"
         "               ^"},
        {"MissingOperand", in_function_of_pointers("(n + )"),
         "4:8: expected an expression, found ')'\n"
         "    (n + )\n"
         "         ^"},
        {"UnclosedParenthesis", in_function_of_pointers("(n + 1"),
         "5:1: expected ')' after an expression in parentheses, found '}'\n"
         "  }\n"
         "  ^"},
        {"UnclosedString", in_function_of_pointers("@tir.call_extern(\"f, n, dtype=int32)"),
         "4:20: the string that starts here is never closed\n"
         "    @tir.call_extern(\"f, n, dtype=int32)\n"
         "                     ^"},
        {"IntegerThatDoesNotFit", in_function_of_pointers("99999999999999999999i64"),
         "4:3: expected an integer of 64 bits, found 99999999999999999999i64\n"
         "    99999999999999999999i64\n"
         "    ^^^^^^^^^^^^^^^^^^^^^^^"},
        {"MinusInFrontOfAName", in_function_of_pointers("-n"),
         "4:3: expected a number, found '-n'\n"
         "    -n\n"
         "    ^^"},
        {"LetWithoutBody", in_function_of_pointers("(let k: int32 = n + 1)"),
         "4:4: expected 'let', a variable, '=', a value, 'in' and a body\n"
         "    (let k: int32 = n + 1)\n"
         "     ^^^^^^^^^^^^^^^^"},
        {"LetAtTheEndOfABody", in_function_of_pointers("let k: int32 = n"),
         "5:1: expected a statement, found '}'\n"
         "  }\n"
         "  ^"},
        {"AttrWithoutSemicolon", in_function_of_pointers("attr [n] \"key\" = 1\n  n"),
         "4:21: expected ';' or '{' in front of the statement that is covered, found the end of "
         "the line\n"
         "    attr [n] \"key\" = 1\n"
         "                      ^"},
        {"AttrWithoutValue", in_function_of_pointers("attr [n] \"key\";\n  n"),
         "4:17: expected '=' behind attr \"key\", found ';'\n"
         "    attr [n] \"key\";\n"
         "                  ^"},
        {"AllocateWithoutScope",
         in_function_of_pointers("allocate(v: Pointer(int8), int8, [4]);\n  n"),
         "4:40: expected ',' behind the extents of allocate, found ';'\n"
         "    allocate(v: Pointer(int8), int8, [4]);\n"
         "                                         ^"},
        {"AllocateOfNoVariable",
         in_function_of_pointers("allocate(1, int8, [4]), storage_scope = global;\n  n"),
         "4:12: expected a variable, found '1'\n"
         "    allocate(1, int8, [4]), storage_scope = global;\n"
         "             ^"},
        {"LoopOfTwoParts", in_function_of_pointers("for (i: int32, 0) {\n    i\n  }"),
         "4:3: expected for (variable, begin, end)\n"
         "    for (i: int32, 0) {\n"
         "    ^^^^^^^^^^^^^^^^^"},
        {"LoopOfAnUnknownKind",
         in_function_of_pointers("for (i: int32, 0, 4) \"zigzag\" {\n    i\n  }"),
         "4:24: expected the kind of a loop, found '\"zigzag\"'\n"
         "    for (i: int32, 0, 4) \"zigzag\" {\n"
         "                         ^^^^^^^^"},
        {"LoopWithoutBody", in_function_of_pointers("for (i: int32, 0, 4)\n  n"),
         "4:23: expected '{' in front of a body, found the end of the line\n"
         "    for (i: int32, 0, 4)\n"
         "                        ^"},
        {"StoreToANumber", in_function_of_pointers("3 = n"),
         "4:3: expected an element of a buffer in front of '='\n"
         "    3 = n\n"
         "    ^"},
        {"StoreThroughAPointerWithTwoIndices", in_function_of_pointers("p[n, n] = 1"),
         "4:3: expected an element of a buffer or of a variable in front of '='\n"
         "    p[n, n] = 1\n"
         "    ^^^^^^^"},
        {"PredicateWithoutALoad", in_function_of_pointers("(n if n + 1)"),
         "4:4: expected a load in front of 'if', found 'n'\n"
         "    (n if n + 1)\n"
         "     ^^^^^^"},
        {"LoadCastOfANumber", in_function_of_pointers("(float32*)3"),
         "4:3: expected a variable with one index behind '(float32*)'\n"
         "    (float32*)3\n"
         "    ^^^^^^^^^^^"},
        {"BufferWithoutStrides", in_function_of_pointers("B: Buffer(p, int8, [4])[0] = 1i8"),
         "4:3: expected data, dtype, shape and strides of a buffer\n"
         "    B: Buffer(p, int8, [4])[0] = 1i8\n"
         "    ^"},
        {"BufferWithAnUnknownOption",
         in_function_of_pointers("B: Buffer(p, int8, [4], [], colour=1)[0] = 1i8"),
         "4:31: a buffer has no option 'colour'\n"
         "    B: Buffer(p, int8, [4], [], colour=1)[0] = 1i8\n"
         "                                ^^^^^^^^"},
        {"BufferOfNoPointer", in_function_of_pointers("B: Buffer(A, int8, [4], [])[0] = 1i8"),
         "4:13: expected a variable, found 'A'\n"
         "    B: Buffer(A, int8, [4], [])[0] = 1i8\n"
         "              ^"},
        {"RangeWithAStep", in_function_of_pointers("prefetch(A, [0:4:2])"),
         "4:16: expected a range of the form begin:end\n"
         "    prefetch(A, [0:4:2])\n"
         "                 ^^^^^"},
        {"IterVarOfAnUnknownType",
         in_function_of_pointers(
             "attr [IterVar(t: int32, [0:8], \"Sideways\", \"\")] \"k\" = 1;\n  n"),
         "4:34: expected the type of an IterVar, found \"Sideways\"\n"
         "    attr [IterVar(t: int32, [0:8], \"Sideways\", \"\")] \"k\" = 1;\n"
         "                                   ^^^^^^^^^^"},
        {"BlockWithTooFewVariables",
         in_function_of_pointers("block([1, 2], \"b\") as [i] {\n    n"),
         "4:3: expected as many variables as domains, found 1 and 2\n"
         "    block([1, 2], \"b\") as [i] {\n"
         "    ^^^^^^^^^^^^^^^^^^"},
        {"BlockWithoutBindings", in_function_of_pointers("block([1], \"b\") as [i] {\n    n"),
         "5:6: expected a line 'bind(variable, value)' for each of the 1 variables of block \"b\", "
         "found 0\n"
         "      n\n"
         "       ^"},
        {"RealizeOfAVariable", in_function_of_pointers("realize(n, [0:4], True {\n    n\n  })"),
         "4:11: expected a buffer in realize\n"
         "    realize(n, [0:4], True {\n"
         "            ^"},
        {"TargetThatBreaksOff",
         "@f = primfn() -> ()\n  attr = {\"target\": Target(kind='c', keys={cpu})} {\n  0\n}\n",
         "2:44: expected a quoted string\n"
         "    attr = {\"target\": Target(kind='c', keys={cpu})} {\n"
         "                                             ^"},
        {"AttributeWithoutValue", "@f = primfn() -> ()\n  attr = {\"a\"} {\n  0\n}\n",
         "2:14: expected ':' behind \"a\", found '}'\n"
         "    attr = {\"a\"} {\n"
         "               ^"},
        {"HeaderThatIsNeverClosed", "@f = primfn() -> ()\n  attr = {\"a\": 1,\n",
         "2:10: the '{' that starts here is never closed\n"
         "    attr = {\"a\": 1,\n"
         "           ^"},
        {"BodyThatIsNeverClosed", "@f = primfn(n: int32) -> () {\n  n\n",
         "3:1: expected '}' or a statement, found the end of the text"},
        {"NoReturnType", "@f = primfn() {\n  0\n}\n",
         "1:15: expected '->' and a type behind the parameters, found '{'\n"
         "  @f = primfn() {\n"
         "                ^"},
        {"UnknownReturnType", "@f = primfn() -> Tensor {\n  0\n}\n",
         "1:18: expected the type of the result, found 'Tensor'\n"
         "  @f = primfn() -> Tensor {\n"
         "                   ^^^^^^"},
        {"WithoutBody", "@f = primfn() -> ()\n",
         "2:1: expected 'attr', 'buffers', 'buffer_map' or '{', found the end of the text"},
        {"ParameterWithoutType", "@f = primfn(n) -> () {\n  n\n}\n",
         "1:13: 'n' is declared nowhere in the text\n"
         "  @f = primfn(n) -> () {\n"
         "              ^"},
        {"BufferMapOfAnUnknownBuffer",
         "@f = primfn(h: handle) -> ()\n  buffer_map = {h: B} {\n  0\n}\n",
         "2:20: 'B' is declared nowhere in the text\n"
         "    buffer_map = {h: B} {\n"
         "                     ^"},
        {"BufferMapToAVariable", "@f = primfn(h: handle) -> ()\n  buffer_map = {h: h} {\n  0\n}\n",
         "2:20: expected a buffer, found 'h'\n"
         "    buffer_map = {h: h} {\n"
         "                     ^"},
        {"TextBehindTheFunctions", "@f = primfn() -> () {\n  0\n}\nwhat is this\n",
         "4:1: expected '@name = primfn(…)', found 'what'\n"
         "  what is this\n"
         "  ^^^^"},
        {"BraceTooMany", "@f = primfn() -> () {\n  0\n}\n}\n",
         "4:1: expected '@name = primfn(…)', found '}'\n"
         "  }\n"
         "  ^"},
        {"MetadataThatIsNoJson",
         "#[version = \"0.0.5\"]\n@f = primfn() -> () {\n  0\n}\n\n#[metadata]\n{oops\n",
         "7:2: expected a key in double quotes\n"
         "  {oops\n"
         "   ^"},
    }),
    [](const auto& malformed) { return malformed.param.name; });

}  // namespace
}  // namespace mlf::tir::legacy
