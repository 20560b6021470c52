#include "tir/c/read/unknown_statements.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <vector>

#include "support/characters.h"
#include "support/lookup.h"
#include "tir/c/language.h"

namespace mlf::tir::c {
namespace {

/// After these words, a statement does more than compute a value of this call.
constexpr std::array<std::string_view, 16> kControl{
    "if",   "else",   "for",   "while",    "do",  "switch", "case",    "default",
    "goto", "return", "break", "continue", "asm", "__asm",  "__asm__", "static"};

bool is_control(std::string_view word) {
  return support::is_among(kControl, word);
}

/// `(uint32_t)(…)` is a conversion; a name in parentheses that is not a type may be a function.
bool is_type(std::string_view name) {
  return scalar_type(name).has_value() || name.ends_with("_t");
}

/// Whether a text of C is a format of `printf` that writes its arguments: `%n` stores.
bool only_writes(std::string_view format) {
  for (std::size_t at = format.find_first_of("%\\"); at < format.size();
       at = format.find_first_of("%\\", at + 1)) {
    const bool is_conversion = format[at] == '%';
    at = is_conversion ? format.find_first_not_of("0123456789.-+ #hljztL", at + 1) : at + 1;
    const std::string_view known = is_conversion ? "diouxXeEfFgGaAcp%" : "nrt\"\\";
    if (at >= format.size() || known.find(format[at]) == known.npos) return false;
  }
  return true;
}

/// `printf("%d\n", n);` and `assert(x != NULL);`: they compute values, and keep no address. In
/// kernels, which are counted, they load nothing.
bool only_reads(const Cursor& cursor, std::size_t begin, std::size_t end, bool may_load) {
  const std::string_view callee = cursor.text(cursor.at_position(begin));
  if (!UnknownStatements::may_only_read(callee) || cursor.at_position(begin + 1).sign != sign("("))
    return false;
  const bool has_format = callee == "putchar" || callee == "assert" ||
                          cursor.at_position(begin + 2).kind == TokenKind::string;
  if (!has_format) return false;
  for (std::size_t i = begin; i < end; ++i) {
    const Token& token = cursor.at_position(i);
    const Token& next = cursor.at_position(i + 1);
    const std::string_view word = cursor.text(token);
    const bool is_text = token.kind == TokenKind::string;
    if (is_text && (next.kind == TokenKind::string || !only_writes(word))) return false;
    const bool is_value =
        token.kind == TokenKind::name ? i > begin && word != "sizeof" : word == "]" || word == ")";
    const bool is_cast = word == ")" && is_type(cursor.text(cursor.at_position(i - 1)));
    if (is_value && !is_cast && next.sign == sign("(")) return false;
    const bool loads = word == "[" || word == "*" || word == "->";
    if ((loads && !may_load) || text::assigns(token.sign) || is_control(word)) return false;
  }
  return true;
}

/// Passes `(…)`, `[…]` or `{…}`. Returns false at the end of the function.
bool pass_brackets(Cursor& cursor) {
  std::size_t depth = 0;
  while (!cursor.at_end()) {
    const Token token = cursor.advance();
    if (text::is_open(token.sign)) ++depth;
    if (text::is_close(token.sign) && --depth == 0) return true;
  }
  return false;
}

/// Passes one statement with its blocks and `else` branches. Returns false if it does not end.
bool pass_statement(Cursor& cursor) {
  bool is_value = false;  // after `=`: the braces are those of an initialiser
  bool is_do = cursor.at_word("do");
  while (!cursor.at_end() && !cursor.at(sign("}"))) {
    const bool is_block = cursor.at(sign("{"));
    if (text::is_open(cursor.peek().sign)) {
      if (!pass_brackets(cursor)) return false;
      if (!is_block || is_value) continue;
      if (is_do && cursor.at_word("while")) {
        is_do = false;
        continue;
      }
      if (!cursor.at_word("else")) return true;
      continue;
    }
    const Token token = cursor.advance();
    is_value = is_value || token.sign == sign("=");
    if (token.sign != sign(";")) continue;
    if (!cursor.at_word("else")) return true;
    is_value = false;
  }
  return false;
}

}  // namespace

bool UnknownStatements::may_only_read(std::string_view callee) {
  constexpr std::array<std::string_view, 4> kCallees{"printf", "puts", "putchar", "assert"};
  return support::is_among(kCallees, callee);
}

/// Whether the function or its files know a name, or one of its unknown statements may refer to it
/// by another name.
bool UnknownStatements::is_of_function(std::string_view name) const {
  const ModuleFacts& facts = context_.module.facts;
  return context_.names.find(name) != nullptr || tainted_.contains(name) ||
         facts.array_by_name.contains(name) || facts.results.contains(name) ||
         name.starts_with("tvmgen_") || name.starts_with("TVM") ||
         std::ranges::any_of(facts.pools, [&](const Pool& pool) { return pool.name == name; });
}

/// A declaration or assignment without names of this function is harmless: `uint32_t t0 =
/// DWT->CYCCNT;`. So is a call whose arguments have none: `log_cycles(3, t0);`. A single name may
/// be a macro with any effect.
UnknownStatements::Effects UnknownStatements::effects_of(std::size_t begin, std::size_t end) const {
  const Cursor& cursor = context_.cursor;
  Effects effects;
  const bool is_own =
      context_.module.facts.results.contains(cursor.text(cursor.at_position(begin)));
  const bool is_main = is_main_symbol(context_.losses.function());
  effects.only_reads = effects.is_harmless = !is_own && only_reads(cursor, begin, end, is_main);
  if (effects.only_reads) return effects;
  std::size_t names = 0;
  bool assigns = false;
  for (std::size_t i = begin; i < end; ++i) {
    const Token& token = cursor.at_position(i);
    const std::string_view word = cursor.text(token);
    const Sign next = cursor.at_position(i + 1).sign;
    assigns = assigns || text::assigns(token.sign);
    if (token.sign == sign(")") && next == sign("(")) {
      const std::string_view before = cursor.text(cursor.at_position(i - 1));
      if (!is_type(before)) return {};
    }
    if (token.sign == sign("]") && next == sign("(")) return {};
    // Arrays and structures have a size.
    const bool is_declared = i > begin && cursor.at_position(i - 1).kind == TokenKind::name;
    const bool is_array = !assigns && is_declared && next == sign("[");
    if (token.sign == sign("{") || is_array) return {};
    if (token.kind != TokenKind::name) continue;
    ++names;
    if (is_control(word) || is_of_function(word)) return {};
    if (next != sign("(") || word == "sizeof") continue;
    // A member may be a pointer to anything.
    const Sign before = i == begin ? Sign::none : cursor.at_position(i - 1).sign;
    if (before == sign(".") || before == sign("->")) return {};
    if (effects.callee.empty()) effects.callee = word;
  }
  effects.is_harmless = assigns || names > 1 || !effects.callee.empty();
  return effects;
}

void UnknownStatements::taint(std::size_t begin, std::size_t end) {
  const Cursor& cursor = context_.cursor;
  for (const Token& token : cursor.between(begin, end)) {
    if (token.kind == TokenKind::name) tainted_.insert(cursor.text(token));
  }
}

std::optional<UnknownStatement> UnknownStatements::pass(const Diagnostic& reason) {
  Cursor& cursor = context_.cursor;
  const std::size_t begin = cursor.position();
  if (++count_ > kMost || !pass_statement(cursor)) return std::nullopt;
  const std::size_t end = cursor.position();
  const Effects effects = effects_of(begin, end);
  const bool inert = effects.is_harmless && effects.callee.empty();
  // A macro may have any effect.
  const bool is_known = inert || (effects.is_harmless && !support::may_be_macro(effects.callee));
  if (!is_known) taint(begin, end);
  context_.is_understood = context_.is_understood && is_known;
  const std::uint32_t first = cursor.at_position(begin).begin;
  const std::uint32_t last = cursor.at_position(end - 1).end;
  context_.source.count_lines_to(first);
  Builder& builder = context_.builder();
  std::vector<NamedNode> fields = {
      {builder.string("text"),
       context_.make().string(cursor.source().text.substr(first, last - first))},
      {builder.string("is_inert"), context_.make().boolean(inert ? 1 : 0)}};
  if (effects.is_harmless && !effects.callee.empty()) {
    fields.push_back({builder.string("calls"), context_.make().string(effects.callee)});
  }
  // Each statement gets its own place, so each is a loss of its own.
  if (!effects.only_reads) {
    context_.text_losses.push_back({LossCode::unknown_construct, LossScope::function,
                                    std::string(context_.losses.function()),
                                    fmt::format("line {}, column {}: {}", reason.where.line,
                                                reason.where.column, reason.message)});
  }
  const bool returns = std::ranges::any_of(cursor.between(begin, end), [&](const Token& token) {
    return cursor.text(token) == "return";
  });
  return UnknownStatement{
      builder.make(Kind::OpaqueStmt, {builder.string("c"), builder.map(fields)}), returns};
}

}  // namespace mlf::tir::c
