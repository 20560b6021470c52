#include "tir/text/expression_parser.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/error.h"

namespace mlf::tir::text {
namespace {

constexpr Word kWords[] = {
    {"and", Sign::and_}, {"or", Sign::or_}, {"not", Sign::not_}, {"lambda", Sign::lambda}};

constexpr Grammar grammar() {
  Grammar g;
  g.lexical.words = kWords;
  g.binary[Sign::or_] = 2;
  g.binary[Sign::and_] = 3;
  g.prefix[Sign::not_] = 4;
  g.binary[Sign::less] = 5;
  g.binary[Sign::equal] = 5;
  g.binary[Sign::plus] = 6;
  g.binary[Sign::minus] = 6;
  g.binary[Sign::star] = 7;
  g.prefix[Sign::minus] = 8;
  return g;
}

// The tree as a prefix expression: one loop over the post-order array, as every reader does it.
std::string show(const SyntaxTree& tree, const std::string& text, SyntaxId root) {
  std::vector<std::string> values;
  for (SyntaxId i = tree[root].first; i <= root; ++i) {
    const Syntax& node = tree[i];
    std::string parts;
    for (std::size_t k = values.size() - node.arity; k < values.size(); ++k)
      parts += " " + values[k];
    values.resize(values.size() - node.arity);
    const std::string own = text.substr(node.name_begin, node.name_end - node.name_begin);
    switch (node.kind) {
      case SyntaxKind::absent:
        values.push_back("_");
        break;
      case SyntaxKind::lambda_params:
        values.push_back("{" + parts + " }");
        break;
      case SyntaxKind::call:
        values.push_back("(call" + parts + ")");
        break;
      case SyntaxKind::subscript:
        values.push_back("(at" + parts + ")");
        break;
      case SyntaxKind::slice:
        values.push_back("(slice" + parts + ")");
        break;
      case SyntaxKind::list:
        values.push_back("(list" + parts + ")");
        break;
      case SyntaxKind::tuple:
        values.push_back("(tuple" + parts + ")");
        break;
      case SyntaxKind::dict:
        values.push_back("(dict" + parts + ")");
        break;
      case SyntaxKind::attribute:
        values.push_back("(." + own + parts + ")");
        break;
      case SyntaxKind::keyword:
        values.push_back("(" + own + "=" + parts + ")");
        break;
      default:
        values.push_back(node.arity == 0 ? own : "(" + own + parts + ")");
    }
  }
  return values.back();
}

std::string parse_with(const Grammar& g, const std::string& text, std::uint32_t nesting = 1000) {
  const support::SourceText source{"in", "", text};
  SyntaxTree tree;
  try {
    Lexer lexer(source, g.lexical);
    const SyntaxId root = ExpressionParser(lexer, g, tree, nesting).parse();
    std::string rest(lexer.source().text.substr(lexer.token().begin));
    return show(tree, text, root) + (rest.empty() ? "" : " | " + rest);
  } catch (const support::Error& error) {
    return std::to_string(error.diagnostic().where.column) + ": " + error.diagnostic().message;
  }
}

std::string parse(const std::string& text) {
  return parse_with(grammar(), text);
}

TEST(Expressions, BindByLevelAndToTheLeft) {
  EXPECT_EQ(parse("a + b * c - d"), "(- (+ a (* b c)) d)");
  EXPECT_EQ(parse("a < b == c"), "(== (< a b) c)");
  EXPECT_EQ(parse("a or b and not c == d"), "(or a (and b (not (== c d))))");
  EXPECT_EQ(parse("(a + b) * -c"), "(* (+ a b) (- c))");
  EXPECT_EQ(parse("-a * b"), "(* (- a) b)");
}

TEST(Expressions, HavePostfixFormsThatBindTightest) {
  EXPECT_EQ(parse("-T.f(a, 1)[i].x"), "(- (.x (at (call (.f T) a 1) i)))");
  EXPECT_EQ(parse("f(a, k=b + 1, )"), "(call f a (k= (+ b 1)))");
  EXPECT_EQ(parse("\"f\"(x)"), "(call \"f\" x)");
  EXPECT_EQ(parse("f()"), "(call f)");
}

TEST(Expressions, HaveListsTuplesAndDictionaries) {
  EXPECT_EQ(parse("[1, [], (), (a,), (a, b), (a)]"),
            "(list 1 (list) (tuple) (tuple a) (tuple a b) a)");
  EXPECT_EQ(parse("{\"a\": 1, b: {}}"), "(dict \"a\" 1 b (dict))");
}

TEST(Expressions, HaveSlicesInSubscripts) {
  EXPECT_EQ(parse("A[0:16, i:i + 8:2, j]"), "(at A (slice 0 16) (slice i (+ i 8) 2) j)");
  EXPECT_EQ(parse("A[:, :n]"), "(at A (slice _ _) (slice _ n))");
  EXPECT_EQ(parse("A[()]"), "(at A (tuple))");
}

TEST(Expressions, GiveTheParametersOfALambdaBeforeItsBody) {
  EXPECT_EQ(parse("f(lambda x, y: x + y, z)"), "(call f (lambda { x y } (+ x y)) z)");
  EXPECT_EQ(parse("lambda: 1"), "(lambda { } 1)");
}

TEST(Expressions, EndBeforeWhatCannotGoOn) {
  EXPECT_EQ(parse("a + b = c"), "(+ a b) | = c");
  EXPECT_EQ(parse("a, b"), "a | , b");
  EXPECT_EQ(parse("a: b"), "a | : b");
  EXPECT_EQ(parse("a) b"), "a | ) b");
}

TEST(Expressions, NameTheConstructThatIsBroken) {
  EXPECT_EQ(parse("T.call_extern(a b)"),
            "17: expected ')' after arguments of T.call_extern, found 'b'");
  EXPECT_EQ(parse("A[i j]"), "5: expected ']' after indices, found 'j'");
  EXPECT_EQ(parse("[i j]"), "4: expected ']' after elements of a list, found 'j'");
  EXPECT_EQ(parse("(i j)"), "4: expected ')' after an expression in parentheses, found 'j'");
  EXPECT_EQ(parse("{1}"), "3: expected ':' and a value after a key");
  EXPECT_EQ(parse("{1:}"), "4: expected an expression, found '}'");
  EXPECT_EQ(parse("f(a, (b"), "6: the '(' that starts here is never closed");
  EXPECT_EQ(parse("f(a +"), "2: the '(' that starts here is never closed");
  EXPECT_EQ(parse("a + "), "5: expected an expression, found the end of the line");
  EXPECT_EQ(parse("A[]"), "3: expected an expression, found ']'");
  EXPECT_EQ(parse("f(,)"), "3: expected an expression, found ','");
  EXPECT_EQ(parse("f(k=)"), "5: expected an expression, found ')'");
  EXPECT_EQ(parse("a.1"), "3: expected a name after '.', found '1'");
  EXPECT_EQ(parse("A[1:2:3:4]"), "8: expected ']' after indices, found ':'");
  EXPECT_EQ(parse("lambda x y: 1"), "10: expected ',' or ':' after a parameter of lambda");
  EXPECT_EQ(parse("lambda 1: 1"), "8: expected a parameter of lambda, found '1'");
  EXPECT_EQ(parse("\"abc"), "1: the string that starts here is never closed");
  EXPECT_EQ(parse("f($)"), "3: expected an expression, found '$'");
}

TEST(Expressions, AreBoundedInDepthWhicheverWayTheyNest) {
  const std::string message = "expression nested deeper than 1000 levels";
  EXPECT_EQ(parse(std::string(1001, '(') + "a"), "1001: " + message);
  std::string chain = "a";
  for (int i = 0; i < 1001; ++i) chain += "+a";
  EXPECT_TRUE(parse(chain).ends_with(message));
  EXPECT_EQ(
      parse_with(grammar(), std::string(500'000, '(') + "a" + std::string(500'000, ')'), 1'000'000),
      "a");
}

// The forms of the legacy text, which are values in the grammar's table and no code of their own.
std::size_t type_end(std::string_view text, std::size_t begin) {
  if (text[begin] != ' ') return begin;
  std::size_t end = begin + 1;
  while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[end]))) ++end;
  return end;
}
std::size_t load_cast_end(std::string_view text, std::size_t begin) {
  const std::size_t close = text.find(')', begin);
  return close != std::string_view::npos && text[close - 1] == '*' ? close + 1 : begin;
}

TEST(Expressions, TakeTheFormsOfTheLegacyText) {
  constexpr Word words[] = {{"let", Sign::let}, {"in", Sign::in}};
  Grammar g = grammar();
  g.lexical.words = words;
  g.lexical.name_start = "@";
  g.lexical.name_continue = ".";
  g.lexical.suffixes = LexicalRules::Suffixes::typed;
  g.leading_comma = g.empty_keyword_value = g.slices_in_lists = true;
  g.annotation_end = type_end;
  g.load_cast_end = load_cast_end;
  g.prefix[Sign::let] = 2;
  g.binary[Sign::in] = 3;
  g.binary[Sign::assign] = 4;
  EXPECT_EQ(parse_with(g, "(float32*)v[i.outer + 1i64]"), "((float32*) (at v (+ i.outer 1i64)))");
  EXPECT_EQ(parse_with(g, "@tir.exp(x: float32, dtype=float32)"),
            "(call @tir.exp ( float32 x) (dtype= float32))");
  EXPECT_EQ(parse_with(g, "@f(, dtype=)"), "(call @f (dtype= _))");
  EXPECT_EQ(parse_with(g, "A: Buffer(B, [4], [])[i]"),
            "(at (call ( Buffer A) B (list 4) (list)) i)");
  EXPECT_EQ(parse_with(g, "[a:b, c]"), "(list (slice a b) c)");
  EXPECT_EQ(parse_with(g, "(let x: int32 = 1 in x)"), "(let (in (= ( int32 x) 1) x))");
}

}  // namespace
}  // namespace mlf::tir::text
