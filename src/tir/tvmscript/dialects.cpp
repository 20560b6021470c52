#include "tir/tvmscript/dialects.h"

#include "support/characters.h"
#include "tir/tvm_features.h"

namespace mlf::tir::tvmscript {

// --- Expressions -------------------------------------------------------------------------------

namespace {

using text::Sign;

constexpr text::Word kWords[] = {
    {"and", Sign::and_}, {"or", Sign::or_}, {"not", Sign::not_}, {"lambda", Sign::lambda}};

/// The common operators and words of both dialects: a subset of Python.
constexpr text::Grammar make_common() {
  text::Grammar g;
  g.lexical.comment = '#';
  g.lexical.words = kWords;
  for (const BinaryOperator& row : kBinaryOperators) g.binary[row.sign] = row.level;
  for (const BitOperator& row : kBitOperators) g.binary[row.sign] = row.level;
  g.prefix[Sign::minus] = g.prefix[Sign::tilde] = kSignLevel;
  return g;
}

/// Since v0.12 the levels are those of Python.
constexpr text::Grammar make_new() {
  text::Grammar g = make_common();
  // Comparisons are not chained: `a < b == c` is `(a < b) == c`.
  g.binary[Sign::equal] = g.binary[Sign::not_equal] = kComparisonLevel;
  g.prefix[Sign::not_] = kNotLevel;
  return g;
}

// --- Syntax of the old dialect that is not Python ----------------------------------------------

/// Offset after the dtype `T.`, which is void up to v0.9, or after a pointer with a scope,
/// `T.Ptr[global T.float32]`, of v0.8.
std::size_t old_type_end(std::string_view text, std::size_t begin) {
  std::size_t at = begin;
  while (at < text.size() && support::is_word_character(text[at])) ++at;
  if (at == begin || at >= text.size() || text[at] != '.') return begin;
  ++at;
  if (at == text.size() || std::string_view(",]): ").find(text[at]) != std::string_view::npos) {
    return at;
  }
  constexpr std::string_view kPointer = "Ptr[";
  if (text.substr(at, kPointer.size()) != kPointer) return begin;
  const std::size_t close = text::ahead_of(at, text).find(']', at);
  if (close == std::string_view::npos) return begin;
  const std::string_view inside = text.substr(at, close - at).substr(kPointer.size());
  const bool has_scope = inside.find_first_of(" \n") < inside.find_first_of(",[(");
  return has_scope ? close + 1 : begin;
}

/// Offset after `[…]`, the first argument of allocate_const: int8 elements are raw bytes, and `...`
/// marks omitted elements. The dtype follows.
std::size_t old_constant_end(std::string_view text, std::size_t begin) {
  constexpr std::string_view kCall = "allocate_const(";
  constexpr std::string_view kEnd = "], ";
  if (!text.substr(0, begin).ends_with(kCall)) return begin;
  // Bytes can have any length, and end before the next constant.
  text = text.substr(0, text.find(kCall, begin));
  std::size_t at = text.find(kEnd, begin);
  while (at != std::string_view::npos && text[std::min(at + kEnd.size(), text.size() - 1)] != '"') {
    at = text.find(kEnd, at + 1);
  }
  return at == std::string_view::npos ? begin : at + 1;
}

std::size_t old_leaf_end(std::string_view text, std::size_t begin) {
  if (begin == text.size()) return begin;
  if (text[begin] == '[') return old_constant_end(text, begin);
  return support::is_word_character(text[begin]) ? old_type_end(text, begin) : begin;
}

/// The printer of v0.8 to v0.11 has its own table of levels, in which `==` has a lower level than
/// `<` and `not(x)` is a call. Some of its output is not Python.
constexpr text::Grammar make_old() {
  text::Grammar g = make_common();
  g.prefix[Sign::not_] = kSignLevel;
  g.slices_in_lists = true;
  g.leading_comma = true;  // a constant that was not printed
  g.leaf_end = old_leaf_end;
  return g;
}

constexpr text::Grammar kNewGrammar = make_new();
constexpr text::Grammar kOldGrammar = make_old();

}  // namespace

bool is_constant_text(std::string_view name) {
  return name.starts_with('[');
}

// --- Rules -------------------------------------------------------------------------------------

const Rules& new_rules() {
  static const Rules kRules{.dialect = Dialect::tvmscript,
                            .first_version = first_with(TvmFeature::script_of_nodes),
                            .last_version = kNewestTvm,
                            .grammar = &kNewGrammar,
                            .nameless = {},
                            .reduce = {.init = 2, .axis = 3, .condition = 4, .value_index = 5}};
  return kRules;
}

const Rules& old_rules() {
  static const Rules kRules{
      .dialect = Dialect::old_tvmscript,
      .first_version = kOldestTvm,
      .last_version = static_cast<std::uint8_t>(new_rules().first_version - 1),
      .grammar = &kOldGrammar,
      .nameless = "func",
      .reduce = {.init = kNotPrinted, .axis = 2, .condition = kNotPrinted, .value_index = 3}};
  return kRules;
}

}  // namespace mlf::tir::tvmscript
