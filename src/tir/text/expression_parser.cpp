#include "tir/text/expression_parser.h"

#include <fmt/core.h>

#include <algorithm>

#include "support/error.h"

namespace mlf::tir::text {
namespace {

// Lambdas and keywords extend as far as possible; only the closing half of a bracket reduces it.
constexpr std::uint8_t kBracketLevel = 0;
constexpr std::uint8_t kLooseLevel = 1;

constexpr std::size_t kShownCallee = 40;

SourceRange range_of(const Token& token) {
  return {token.begin, token.end};
}

}  // namespace

// Operator precedence with explicit stacks: `operands_` has complete subtrees, `pending_` has
// operators and brackets that wait for their right side. The two states alternate, as in a + b.
SyntaxId ExpressionParser::parse() {
  pending_.clear();
  operands_.clear();
  expects_operand_ = true;
  for (;;) {
    if (expects_operand_) {
      operand();
    } else if (!operator_or_end()) {
      break;
    }
  }
  return tree_.size() - 1;
}

// --- Where an operand is expected --------------------------------------------------------------

// An operand, a prefix, an opening bracket, or one of the few omissible parts: the end of a
// bracket, a bound of a slice, the value of a keyword.
void ExpressionParser::operand() {
  const Token& token = lexer_.token();
  if (grammar_.leaf_end != nullptr && whole_construct()) return;
  switch (token.kind) {
    case TokenKind::name:
      return name();
    case TokenKind::integer:
      return leaf(SyntaxKind::integer);
    case TokenKind::real:
      return leaf(SyntaxKind::real);
    case TokenKind::string:
      return leaf(SyntaxKind::string);
    default:
      break;
  }
  if (token.is(Sign::lambda)) return open_lambda();
  if (const std::uint8_t level = grammar_.prefix[token.sign]; level != 0) {
    push(Open::prefix, token.sign, level, range_of(token));
    return lexer_.advance();
  }
  if (is_open(token.sign)) return open_bracket();
  if (may_close_here()) return close_bracket();
  if (token.is(Sign::colon) && frame() != nullptr && at_item_end()) return colon();
  // tir.Any, an unknown dimension, is printed as `?`.
  if (token.is(Sign::question)) return leaf(SyntaxKind::name);
  if (at_item_end() && !pending_.empty()) {
    const Pending& top = pending_.back();
    const bool empty_value = top.open == Open::keyword && grammar_.empty_keyword_value;
    // `dtype=` without a value is the void of the legacy text; `a[:n]` has no lower bound.
    if (empty_value || top.slice_parts > 0) {
      emit(0, SyntaxKind::absent, {token.begin, token.begin}, {});
      expects_operand_ = false;
      return;
    }
    // The legacy printer writes `f(, dtype=int32)` for a call without arguments.
    if (token.is(Sign::comma) && top.open == Open::call && top.items == 1 && !top.has_comma &&
        grammar_.leading_comma) {
      pending_.back().has_comma = true;
      return lexer_.advance();
    }
  }
  if (token.is(TokenKind::end) && frame() != nullptr) fail_unclosed(*frame());
  // Every form of an operand has been tried.
  lexer_.fail(token, fmt::format("expected an expression, found {}", lexer_.found()));
}

/// Reads a construct that the dialect treats as one name; returns false if there is none.
bool ExpressionParser::whole_construct() {
  const std::uint32_t begin = lexer_.token().begin;
  const auto end = static_cast<std::uint32_t>(grammar_.leaf_end(lexer_.source().text, begin));
  if (end == begin) return false;
  emit(0, SyntaxKind::name, {begin, end}, {begin, end});
  lexer_.seek(end);
  expects_operand_ = false;
  return true;
}

void ExpressionParser::leaf(SyntaxKind kind) {
  const Token& token = lexer_.token();
  tree_.add(kind, range_of(token), range_of(token));
  Operand& operand = operands_.emplace_back();
  operand.first = tree_.size() - 1;
  operand.height = 1;
  operand.begin = token.begin;
  operand.end = token.end;
  lexer_.advance();
  expects_operand_ = false;
}

// A name, or `name=` before the value of a keyword argument.
void ExpressionParser::name() {
  // Only directly inside the parentheses of a call: `f((x = 1))` is not a keyword.
  const bool starts_argument = !pending_.empty() && pending_.back().open == Open::call;
  leaf(SyntaxKind::name);
  if (!starts_argument || !lexer_.token().is(Sign::assign)) return;
  // The name was read as an operand: it becomes the keyword instead.
  const SourceRange name{operands_.back().begin, operands_.back().end};
  tree_.pop();
  operands_.pop_back();
  push(Open::keyword, Sign::none, kLooseLevel, name);
  lexer_.advance();
  expects_operand_ = true;
}

// A parenthesis may begin the cast of a load: the dialect looks ahead, because `(float32*)`
// consists of ordinary tokens.
void ExpressionParser::open_bracket() {
  const Token& token = lexer_.token();
  if (token.is(Sign::open_paren) && grammar_.load_cast_end != nullptr) {
    const std::size_t end = grammar_.load_cast_end(lexer_.source().text, token.begin);
    if (end != token.begin) {
      push(Open::load_cast, Sign::load_cast, UINT8_MAX,
           {token.begin, static_cast<std::uint32_t>(end)});
      return lexer_.seek(end);
    }
  }
  const Open open = token.is(Sign::open_paren)     ? Open::group
                    : token.is(Sign::open_bracket) ? Open::list
                                                   : Open::dict;
  push(open, token.sign, kBracketLevel, range_of(token));
  lexer_.advance();
}

// Parameters are parsed as names before the body, so in post-order their definitions come before
// their uses.
void ExpressionParser::open_lambda() {
  const Token token = lexer_.token();
  lexer_.advance();
  std::uint32_t count = 0;
  while (!lexer_.token().is(Sign::colon)) {
    if (count > 0 && !lexer_.accept(Sign::comma)) {
      lexer_.fail(lexer_.token(), "expected ',' or ':' after a parameter of lambda");
    }
    if (!lexer_.token().is(TokenKind::name)) {
      lexer_.fail(lexer_.token(),
                  fmt::format("expected a parameter of lambda, found {}", lexer_.found()));
    }
    leaf(SyntaxKind::name);
    ++count;
  }
  emit(count, SyntaxKind::lambda_params, {token.begin, lexer_.token().begin}, {});
  push(Open::lambda, Sign::lambda, kLooseLevel, range_of(token));
  lexer_.advance();
  expects_operand_ = true;
}

// --- The place of an operator, a separator or a closing bracket --------------------------------

/// Returns false at the end of the expression. After an operand comes a binary operator, a postfix
/// (call, subscript, attribute, annotation), or the end of an item, of a bracket or of the whole
/// expression.
bool ExpressionParser::operator_or_end() {
  const Token& token = lexer_.token();
  if (const std::uint8_t level = grammar_.binary[token.sign]; level != 0) {
    // Operators to the left with at least this level are complete: operators are left-associative.
    reduce(level);
    push(Open::binary, token.sign, level, range_of(token));
    lexer_.advance();
    expects_operand_ = true;
    return true;
  }
  // Postfix brackets have the highest level, so nothing is reduced before them.
  if (token.is(Sign::open_paren) || token.is(Sign::open_bracket)) {
    const Open open = token.is(Sign::open_paren) ? Open::call : Open::subscript;
    push(open, token.sign, kBracketLevel, range_of(token)).items = 1;
    lexer_.advance();
    expects_operand_ = true;
    return true;
  }
  if (token.is(Sign::dot)) return postfix_attribute(), true;
  if (token.is(Sign::colon) && grammar_.annotation_end != nullptr &&
      // A colon may also belong to a slice or a dictionary: the dialect decides by the text after
      // it.
      tree_[tree_.size() - 1].kind == SyntaxKind::name) {
    const std::size_t end = grammar_.annotation_end(lexer_.source().text, token.end);
    if (end != token.end) return annotate(static_cast<std::uint32_t>(end)), true;
  }
  // No operator follows, so the expression up to the innermost bracket is complete.
  reduce(kLooseLevel);
  if (pending_.empty()) return false;
  if (token.is(Sign::comma)) return separator(), true;
  if (token.is(Sign::colon)) return colon(), true;
  Pending& frame = pending_.back();
  if (token.is(closing(frame.sign))) {
    end_item(frame);
    close_bracket();
    return true;
  }
  if (token.is(TokenKind::end)) fail_unclosed(frame);
  lexer_.fail(token, fmt::format("expected '{}' {}, found {}", closing_char(frame.sign),
                                 construct(frame), lexer_.found()));
}

void ExpressionParser::postfix_attribute() {
  lexer_.advance();
  const Token& word = lexer_.token();
  if (!word.is(TokenKind::name)) {
    lexer_.fail(word, fmt::format("expected a name after '.', found {}", lexer_.found()));
  }
  emit(1, SyntaxKind::attribute, {operands_.back().begin, word.end}, range_of(word));
  lexer_.advance();
}

void ExpressionParser::annotate(std::uint32_t end) {
  emit(1, SyntaxKind::annotation, {operands_.back().begin, end}, {lexer_.token().end, end});
  lexer_.seek(end);
}

// A comma ends an item of the innermost bracket.
void ExpressionParser::separator() {
  Pending& frame = pending_.back();
  end_item(frame);
  frame.has_comma = true;
  lexer_.advance();
  expects_operand_ = true;
}

bool ExpressionParser::may_hold_slice(const Pending& frame) const {
  if (frame.open == Open::subscript) return true;
  const bool is_value = frame.open == Open::dict && frame.items % 2 == 1;
  return grammar_.slices_in_lists && (frame.open == Open::list || is_value);
}

// Between a key and its value, or between the bounds of a slice.
void ExpressionParser::colon() {
  const Token token = lexer_.token();
  Pending& frame = pending_.back();
  if (frame.open == Open::dict && frame.items % 2 == 0 && !expects_operand_) {
    ++frame.items;
  } else if (may_hold_slice(frame) && frame.slice_parts < 2) {
    if (expects_operand_) {
      emit(0, SyntaxKind::absent, {token.begin, token.begin}, {});
    }
    ++frame.slice_parts;
  } else {
    lexer_.fail(token, fmt::format("expected '{}' {}, found ':'", closing_char(frame.sign),
                                   construct(frame)));
  }
  lexer_.advance();
  expects_operand_ = true;
}

// Bounds of a slice are separate operands until the item ends, which combines them.
void ExpressionParser::end_item(Pending& frame) {
  if (frame.slice_parts > 0) {
    const std::uint32_t parts = frame.slice_parts + 1;
    const Operand& first = operands_[operands_.size() - parts];
    emit(parts, SyntaxKind::slice, {first.begin, operands_.back().end}, {});
    frame.slice_parts = 0;
  }
  ++frame.items;
  if (frame.open == Open::dict && frame.items % 2 != 0) {
    lexer_.fail(lexer_.token(), "expected ':' and a value after a key");
  }
}

// --- Brackets ----------------------------------------------------------------------------------

// Operators may be pending inside of the bracket.
ExpressionParser::Pending* ExpressionParser::frame() {
  const auto found = std::ranges::find_if(pending_.rbegin(), pending_.rend(),
                                          [](const Pending& p) { return p.open >= Open::group; });
  return found == pending_.rend() ? nullptr : &*found;
}

/// Whether the innermost bracket may end in the place of an operand: `()`, `[a, ]`.
bool ExpressionParser::may_close_here() const {
  if (pending_.empty() || pending_.back().open < Open::group) return false;
  const Pending& frame = pending_.back();
  if (!lexer_.token().is(closing(frame.sign)) || frame.slice_parts > 0) return false;
  if (frame.open == Open::dict && frame.items % 2 != 0) return false;
  // The callee or subscripted value counts as the first item.
  const std::uint32_t empty = frame.open == Open::call || frame.open == Open::subscript ? 1 : 0;
  return frame.items == empty ? frame.open != Open::subscript || grammar_.empty_subscript
                              : frame.has_comma;
}

bool ExpressionParser::at_item_end() const {
  const Token& token = lexer_.token();
  return token.is(Sign::comma) || token.is(Sign::colon) || is_close(token.sign);
}

void ExpressionParser::close_bracket() {
  const Pending frame = pending_.back();
  pending_.pop_back();
  finish_bracket(frame);
  lexer_.advance();
  expects_operand_ = false;
}

// Parentheses around one expression add no node; a comma after it makes a tuple.
void ExpressionParser::finish_bracket(const Pending& frame) {
  const Token& close = lexer_.token();
  if (frame.open == Open::group && frame.items == 1 && !frame.has_comma) return;
  const SyntaxKind kind = frame.open == Open::call        ? SyntaxKind::call
                          : frame.open == Open::subscript ? SyntaxKind::subscript
                          : frame.open == Open::list      ? SyntaxKind::list
                          : frame.open == Open::dict      ? SyntaxKind::dict
                                                          : SyntaxKind::tuple;
  const bool postfix = frame.open == Open::call || frame.open == Open::subscript;
  const std::uint32_t begin =
      postfix ? operands_[operands_.size() - frame.items].begin : frame.at.begin;
  emit(frame.items, kind, {begin, close.end}, frame.at);
}

// --- Reducing ----------------------------------------------------------------------------------

// The number of pending entries is the nesting depth at this place.
ExpressionParser::Pending& ExpressionParser::push(Open open, Sign sign, std::uint8_t level,
                                                  SourceRange at) {
  if (pending_.size() >= max_nesting_) fail_nesting(at.begin);
  Pending& pending = pending_.emplace_back();
  pending.open = open;
  pending.sign = sign;
  pending.level = level;
  pending.at = at;
  return pending;
}

void ExpressionParser::reduce(std::uint8_t level) {
  while (!pending_.empty() && pending_.back().level >= level) reduce_one();
}

// Removes one pending operator, and combines its operands into one.
void ExpressionParser::reduce_one() {
  const Pending top = pending_.back();
  pending_.pop_back();
  const std::uint32_t end = operands_.back().end;
  const auto combine = [&](std::uint32_t arity, SyntaxKind kind, std::uint32_t begin) {
    emit(arity, kind, {begin, end}, top.at).sign = top.sign;
  };
  switch (top.open) {
    case Open::binary:
      return combine(2, SyntaxKind::binary, operands_[operands_.size() - 2].begin);
    case Open::lambda:
      return combine(2, SyntaxKind::lambda, top.at.begin);
    case Open::keyword:
      return combine(1, SyntaxKind::keyword, top.at.begin);
    case Open::load_cast:
      return combine(1, SyntaxKind::load_cast, top.at.begin);
    default:
      return combine(1, SyntaxKind::unary, top.at.begin);
  }
}

// Adds a node after its parts, the last `arity` operands. Limits the height as well as the pending
// entries: `a.b.c` and `f()()` grow without pending entries.
Syntax& ExpressionParser::emit(std::uint32_t arity, SyntaxKind kind, SourceRange whole,
                               SourceRange name) {
  Syntax& node = tree_.add(kind, whole, name);
  if (arity == 0) operands_.emplace_back();
  // The first part becomes the whole.
  Operand* const parts = operands_.data() + operands_.size() - std::max(arity, 1u);
  std::uint32_t height = 0;
  for (std::uint32_t i = 0; i < arity; ++i) height = std::max(height, parts[i].height);
  if (height >= max_nesting_) fail_nesting(name.begin);
  if (arity > 0) node.first = parts->first;
  node.arity = arity;
  *parts = {node.first, height + 1, whole.begin, whole.end};
  if (arity > 1) operands_.resize(operands_.size() - (arity - 1));
  return node;
}

// --- Messages ----------------------------------------------------------------------------------

void ExpressionParser::fail_unclosed(const Pending& frame) const {
  const auto [begin, end] = frame.at;
  support::fail_at(
      lexer_.source(), begin,
      fmt::format("the '{}' that starts here is never closed", lexer_.slice(begin, end)),
      end - begin);
}

void ExpressionParser::fail_nesting(std::uint32_t at) const {
  support::fail_at(lexer_.source(), at,
                   fmt::format("expression nested deeper than {} levels", max_nesting_));
}

std::string ExpressionParser::construct(const Pending& frame) const {
  switch (frame.open) {
    case Open::call: {
      // The operand before the bracket; those after it are arguments.
      const auto callee = std::ranges::find_if(
          operands_.rbegin(), operands_.rend(),
          [&](const Operand& operand) { return operand.end <= frame.at.begin; });
      const std::string_view text = lexer_.slice(callee->begin, callee->end);
      return fmt::format("after arguments of {}", text.substr(0, kShownCallee));
    }
    case Open::subscript:
      return "after indices";
    case Open::list:
      return "after elements of a list";
    case Open::dict:
      return "after entries of a dictionary";
    default:
      return "after an expression in parentheses";
  }
}

}  // namespace mlf::tir::text
