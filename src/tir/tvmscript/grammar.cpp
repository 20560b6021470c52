#include "tir/tvmscript/grammar.h"

namespace mlf::tir::tvmscript {
namespace {

using text::Sign;

constexpr text::Word kWords[] = {
    {"and", Sign::and_}, {"or", Sign::or_}, {"not", Sign::not_}, {"lambda", Sign::lambda}};

constexpr text::Grammar make_grammar() {
  text::Grammar g;
  g.lexical.lines = text::LexicalRules::Lines::significant;
  g.lexical.comment = '#';
  g.lexical.words = kWords;
  g.binary[Sign::or_] = 2;
  g.binary[Sign::and_] = 3;
  g.prefix[Sign::not_] = 4;
  // One level and no chaining: `a < b == c` is `(a < b) == c`.
  for (const Sign comparison : {Sign::less, Sign::less_equal, Sign::greater, Sign::greater_equal,
                                Sign::equal, Sign::not_equal}) {
    g.binary[comparison] = 5;
  }
  g.binary[Sign::plus] = g.binary[Sign::minus] = 6;
  for (const Sign product : {Sign::star, Sign::slash, Sign::double_slash, Sign::percent}) {
    g.binary[product] = 7;
  }
  g.prefix[Sign::minus] = 8;
  return g;
}

}  // namespace

const text::Grammar& grammar() {
  static constexpr text::Grammar kGrammar = make_grammar();
  return kGrammar;
}

}  // namespace mlf::tir::tvmscript
