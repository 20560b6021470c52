// Malformed repr text: one message each, with line, column, source line and caret.
#include "reading.h"

namespace mlf::tir::repr {
namespace {

struct Malformed {
  std::string name;
  std::string text;
  std::string message;
};
void PrintTo(const Malformed& sample, std::ostream* out) {
  *out << sample.name;
}

class ReprMalformed : public testing::TestWithParam<Malformed> {};

TEST_P(ReprMalformed, IsRefusedAtThePlaceThatIsWrong) {
  const std::string message = error_of(GetParam().text);
  EXPECT_EQ(message.substr(0, message.find('\n')), GetParam().message);
}

std::string attrs(std::string_view text) {
  return "PrimFunc([]) attrs=" + std::string(text) + " {\n  0\n}\n";
}

INSTANTIATE_TEST_SUITE_P(
    Text, ReprMalformed,
    testing::ValuesIn(std::vector<Malformed>{
        {"UnclosedArguments", in_function("  tir.exp(n"),
         "3:1: expected ')' after arguments of tir.exp, found '}'"},
        {"UnknownFunction", in_function("  foo(n)"), "2:3: 'foo' is not a function of TIR"},
        {"TooFewArguments", in_function("  floordiv(n)"),
         "2:3: expected 2 arguments of floordiv, found 1"},
        {"LanesOfZero", in_function("  x0(n)"),
         "2:3: expected a number of lanes from 1 to 32767, found 'x0(n)'"},
        {"LanesThatAreNoNumber", in_function("  ramp(n, 1, n)"),
         "2:14: expected a number of lanes from 1 to 32767, found 'n'"},
        {"TypedNumberThatIsReal", in_function("  (int64)1.5"),
         "2:3: expected an integer, found '(int64)1.5'"},
        {"NumberThatIsTooLarge", in_function("  99999999999999999999"),
         "2:3: the number 99999999999999999999 does not fit into 64 bits"},
        {"RangeWithoutNames", in_function("  tir.f(range(0, 1))"),
         "2:9: expected 'min=' as argument 1"},
        {"RangeAsAnExpression", in_function("  (n + range(min=0, ext=1))"),
         "2:8: expected an expression, found 'range(min=0, ext=1)'"},
        {"AssignmentInsideOfAnExpression", in_function("  (n + (n = 1))"),
         "2:9: expected an expression, found 'n = 1'"},
        {"StoreToAVariable", in_function("  n = 1"),
         "2:3: expected an element of a buffer in front of '='"},
        {"SliceAsAnIndex", in_function("  A[0:4] = 1"), "2:5: expected an expression, found '0:4'"},
        {"ChainOfSubscripts", in_function("  A[0][1] = 1"),
         "2:3: expected the name of a buffer, found 'A[0]'"},
        {"TwoStatementsOnALine", in_function("  n m"),
         "2:5: expected the end of the statement, found 'm'"},
        {"LoopWithoutExtent", in_function("  for (i, 0) {\n  }"),
         "2:3: expected for (variable, first, extent)"},
        {"LoopWithoutBody", in_function("  for (i, 0, 4)\n  n"),
         "2:16: expected '{' in front of a body, found the end of the line"},
        {"AttributeWithoutKey", in_function("  // attr [n]\n  n"),
         "2:13: expected ' key = value' behind the node of an attribute"},
        {"CommentThatIsNoAttribute", in_function("  // text\n  n"),
         "2:3: expected '// attr [node] key = value', found '//'"},
        {"AllocationWithoutDtype", in_function("  allocate v[flaot * 4], storage_scope = x\n"),
         "2:14: expected the dtype of an allocation"},
        {"AllocationWithoutScope", in_function("  allocate v[int8 * 4]\n  n"),
         "2:23: expected ',' behind the extents of allocate, found the end of the line"},
        {"BlockWithoutDomain", in_function("  block b(v) {\n  }"),
         "2:3: expected 'block name(iter_var(…), …) {'"},
        {"BoundOnceTooOften", in_function("  block b() {\n    bind(v, n)\n  }"),
         "3:5: more values are bound than the block has iteration variables"},
        {"BoundTooSeldom", in_function("  block b(iter_var(v, range(min=0, ext=4))) {\n    v\n  }"),
         "4:4: expected a line 'bind(variable, value)' for each of the 1 variables of block "
         "\"b\", found 0"},
        {"RegionThatIsNone", in_function("  block b() {\n    reads([n])\n  }"),
         "3:12: expected a region of a buffer, found 'n'"},
        {"BodyThatNeverEnds", "PrimFunc([])  {\n  0\n",
         "3:1: expected '}' or a statement, found the end of the text"},
        {"ParameterThatIsANumber", "PrimFunc([1])  {\n  0\n}",
         "1:11: expected a parameter, found '1'"},
        {"ListThatNeverEnds", attrs("{\"k\": [1, 2"),
         "1:32: expected ',' or ']' behind a value, found '{'"},
        {"MapWithoutColon", attrs("{1, 2}"), "1:22: expected ':' behind a key, found ','"},
        {"AttributesThatAreAList", attrs("[1]"), "1:20: expected a map of names to values"},
        {"ObjectThatNeverEnds", attrs("{\"k\": Pool(x"),
         "1:26: the '(' behind Pool is never closed"},
        {"TextBehindTheModule", "IRModule({})\nmore",
         "2:1: expected the end of the text, found 'more'"},
        {"ModuleThatNeverEnds", "IRModule({GlobalVar(f): PrimFunc([])  {\n  0\n}\n",
         "4:1: expected ',' or '})' behind a function, found the end of the text"},
        {"EntryThatIsNoFunction", "IRModule({f: 1})",
         "1:11: expected 'GlobalVar(name): ', found 'f'"},
        {"ForeignFunctionThatNeverEnds", "IRModule({GlobalVar(f): fn (%x) {",
         "1:25: the function f does not end"},
    }),
    [](const auto& sample) { return sample.param.name; });

TEST(ReprMalformedText, ShowsItsLineAndACaret) {
  EXPECT_EQ(error_of(in_function("  (n + foo(m))")),
            "2:8: 'foo' is not a function of TIR\n"
            "    (n + foo(m))\n"
            "         ^^^^^^");
}

}  // namespace
}  // namespace mlf::tir::repr
