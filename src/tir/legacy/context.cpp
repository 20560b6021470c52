// The grammar of the legacy text: its names, types and strings, the places of its definitions and
// of its metadata section.
#include "tir/legacy/context.h"

#include <algorithm>
#include <array>

#include "support/characters.h"
#include "support/lookup.h"
#include "tir/text/lexer.h"

namespace mlf::tir::legacy {
namespace {

using text::Grammar;

constexpr std::size_t kNone = std::string_view::npos;

// The printer puts blanks around every operator but `*` and the ':' of ranges, and does not change
// names: these may contain the characters of other operators.
constexpr std::string_view kNameContinue = ".-/%#$";
constexpr text::NameChars kNameChars(kNameContinue);

// Words that the printer writes before a parenthesis; any other word there is part of a name.
constexpr std::string_view kCalled =
    " Buffer DataProducer IterVar alloc_buffer allocate assert bind block broadcast cast constant "
    "decl_buffer floordiv floormod for init match_buffer max min prefetch primfn producer_realize "
    "ramp realize reduce select shuffle where while ";

bool is_function(std::string_view word) {
  std::size_t at = kCalled.find(word);
  while (at != kNone && (kCalled[at - 1] != ' ' || kCalled[at + word.size()] != ' ')) {
    at = kCalled.find(word, at + 1);
  }
  return at != kNone || word.starts_with("tir.");
}

/// Offset just past the parenthesis that closes the one at `open`, on the same line.
std::size_t after_parentheses(std::string_view text, std::size_t open) {
  text = text::ahead_of(open, text);
  std::size_t depth = 0;
  for (std::size_t i = open; i < text.size() && text[i] != '\n'; ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i + 1;
  }
  return kNone;
}

/// `meta[relay.attrs.X][0]`. A buffer called `meta` never has two subscripts in a row.
std::size_t meta_end(std::string_view text, std::size_t begin) {
  const std::size_t close = text::ahead_of(begin, text).find_first_of("]\n", begin);
  if (close == kNone || text.substr(close, 2) != "][") return begin;
  const std::size_t end = text.find_first_not_of("0123456789", close + 2);
  return end != kNone && end > close + 2 && text[end] == ']' ? end + 1 : begin;
}

/// `Target(…)`, a `meta[…][…]`, a name with parentheses such as `T_add(red)`, or a name that equals
/// a word of the dialect.
std::size_t leaf_end(std::string_view text, std::size_t begin) {
  if (begin == text.size() || support::is_digit(text[begin]) || text[begin] == '-') return begin;
  const std::size_t end = kNameChars.end(text, begin);
  const std::string_view word = text.substr(begin, end - begin);
  if (word.empty()) return begin;
  if (word == "in" || word == "if") return end;
  if (end >= text.size()) return begin;
  if (text[end] == '[' && word == "meta") return meta_end(text, begin);
  if (text[end] != '(' || is_function(word)) return begin;
  std::size_t close = after_parentheses(text, end);
  return close == kNone ? begin : kNameChars.end(text, close);
}

/// `(float32x4*)` before a load: the `*)` distinguishes it from a product in parentheses.
std::size_t load_cast_end(std::string_view text, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < text.size() && text[end] != '*' &&
         (kNameChars.contain(text[end]) || text[end] == '[' || text[end] == ']')) {
    ++end;
  }
  if (end == begin + 1 || text.substr(end, 2) != "*)") return begin;
  return parse_dtype(text.substr(begin + 1, end - begin - 1)) ? end + 2 : begin;
}

// --- Types -------------------------------------------------------------------------------------

constexpr std::string_view kPointer = "Pointer(";
constexpr std::string_view kCustom = "custom[";

bool is_dtype_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

std::size_t dtype_end(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  if (text.substr(begin).starts_with(kCustom)) {
    text = text::ahead_of(begin, text);
    end = std::min(text.find_first_of("]\n", begin), text.size());
    if (end < text.size() && text[end] == ']') ++end;
  }
  while (end < text.size() && is_dtype_char(text[end])) ++end;
  return end;
}

/// `global ` before the element type; empty if there is no scope.
std::string_view take_scope(std::string_view text, std::size_t& at) {
  const std::size_t stop = text::ahead_of(at, text).find_first_of(" ()\n", at);
  if (stop == kNone || text[stop] != ' ') return {};
  const std::string_view scope = text.substr(at, stop - at);
  at = stop + 1;
  return scope;
}

// --- Strings -----------------------------------------------------------------------------------

/// Strings of v0.9 and later.
std::size_t escaped_string_end(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  for (std::size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      return i + 1;
    }
  }
  return kNone;
}

/// Whether what follows a quote can follow a string.
bool may_follow_string(std::string_view rest) {
  if (rest.empty()) return true;
  if (std::string_view(",}])=:;").find(rest[0]) != kNone) return true;
  return rest.starts_with(" =") || rest.starts_with(" {\n") || rest.starts_with(" as [");
}

std::size_t blanks_at(std::string_view text, std::size_t begin) {
  return std::min(text.find_first_not_of(' ', begin), text.size()) - begin;
}

std::size_t line_begin(std::string_view text, std::size_t offset) {
  const std::size_t newline = text.rfind('\n', offset);
  return newline == kNone ? 0 : newline + 1;
}

/// `pragma_import_c` contains whole source files. The string ends at the quote after which the body
/// of the AttrStmt follows in the form that the printer writes.
std::size_t string_of_several_lines_end(std::string_view text, std::size_t begin) {
  const std::size_t indent = blanks_at(text, line_begin(text, begin));
  for (std::size_t i = text.find('"', begin + 1); i != kNone; i = text.find('"', i + 1)) {
    const std::string_view rest = text.substr(i + 1);
    if (rest.starts_with(";\n") && blanks_at(rest, 2) == indent) return i + 1;
    if (rest.starts_with(" {\n") && blanks_at(rest, 3) >= indent + 2) return i + 1;
  }
  return kNone;
}

// A key, `"pragma_import_c"` or `"pragma_import_llvm"`, and what is between it and its value.
constexpr std::string_view kImport = "\"pragma_import_";
constexpr std::string_view kBeforeValue = "\" = ";
constexpr std::size_t kLongestImport = 32;

bool is_value_of_import(std::string_view text, std::size_t begin) {
  const std::string_view before = text.substr(0, begin);
  if (!before.ends_with(kBeforeValue)) return false;
  const std::string_view near =
      before.substr(before.size() - std::min(before.size(), kLongestImport));
  const std::size_t key = near.rfind('"', near.size() - kBeforeValue.size() - 1);
  return key != kNone && near.substr(key).starts_with(kImport);
}

/// Strings of v0.8. The printer does not escape quotes and newlines, so the text after a quote
/// decides whether the string ends there. If a source file has no end, the string has none: a
/// search for each further value would read the text once per value.
std::size_t raw_string_end(std::string_view text, std::size_t begin) {
  if (is_value_of_import(text, begin)) return string_of_several_lines_end(text, begin);
  constexpr std::string_view kQuoteOrNewline = "\"\n";
  // Looks for both at once: a search for the end of the line alone would read the whole line for
  // each string.
  for (std::size_t i = text.find_first_of(kQuoteOrNewline, begin + 1); i != kNone && text[i] == '"';
       i = text.find_first_of(kQuoteOrNewline, i + 1)) {
    if (may_follow_string(text.substr(i + 1))) return i + 1;
  }
  return escaped_string_end(text, begin);
}

// Other dialects use these as names.
constexpr std::array kWords = {
    text::Word{"let", Sign::let},
    text::Word{"in", Sign::in},
    text::Word{"if", Sign::if_},
};

/// Each operator is in parentheses, so all have the same level. Operators without parentheses have
/// a higher one: the parts of `let`, prefixes, and the predicate after a load. Allows commas and
/// keywords without a value: `f(, dtype=int32)` has no arguments, `dtype=)` has no dtype.
Grammar make_grammar(text::StringEnd end_of_string) {
  constexpr std::uint8_t kOperator = 2;
  constexpr std::uint8_t kLet = 3;
  constexpr std::uint8_t kIn = 4;
  constexpr std::uint8_t kAssign = 5;
  constexpr std::uint8_t kPrefix = 6;
  constexpr std::uint8_t kPredicate = 7;

  Grammar grammar;
  grammar.lexical.name_start = "@";
  grammar.lexical.words = kWords;
  for (const BinarySign& row : kBinarySigns) grammar.binary[row.sign] = kOperator;
  // `let x: T = v in body` has no parentheses and extends over one operand.
  grammar.prefix[Sign::let] = kLet;
  grammar.binary[Sign::in] = kIn;
  grammar.binary[Sign::assign] = kAssign;
  grammar.prefix[Sign::minus] = kPrefix;
  grammar.prefix[Sign::not_] = kPrefix;
  grammar.binary[Sign::if_] = kPredicate;
  grammar.empty_subscript = true;
  grammar.lexical.suffixes = text::LexicalRules::Suffixes::typed;
  grammar.lexical.name_continue = kNameContinue;
  grammar.lexical.string_end = end_of_string;
  grammar.slices_in_lists = true;
  grammar.leading_comma = true;
  grammar.empty_keyword_value = true;
  grammar.annotation_end = annotation_end;
  grammar.load_cast_end = load_cast_end;
  grammar.leaf_end = leaf_end;
  return grammar;
}

/// Start of the name that ends at `end`, including parentheses as in `T_add(red)`.
std::size_t name_begin(std::string_view text, std::size_t end) {
  std::size_t begin = end;
  if (begin > 0 && text[begin - 1] == ')') {
    const std::size_t open = text.rfind('(', begin - 1);
    if (open != kNone) begin = open;
  }
  while (begin > 0 && kNameChars.contain(text[begin - 1])) --begin;
  return begin;
}

/// Whether a definition is a statement; every other definition has a colon after the name.
bool defines_buffer(std::string_view behind_name) {
  return behind_name.starts_with(" = alloc_buffer(") ||
         behind_name.starts_with(" = decl_buffer(") || behind_name.starts_with(" = match_buffer(");
}

constexpr std::string_view kHeading = "#[metadata]\n";
constexpr std::string_view kOmitted = "/* For debugging purposes the metadata section has been";

/// Offset of the last line that starts with `start`; npos if there is none. Searches forwards,
/// because the first character of `start` is rare.
std::size_t last_line(std::string_view text, std::string_view start) {
  std::size_t last = kNone;
  for (std::size_t at = text.find(start); at != kNone; at = text.find(start, at + 1)) {
    if (at == 0 || text[at - 1] == '\n') last = at;
  }
  return last;
}

}  // namespace

std::optional<ScannedType> scan_type(std::string_view text, std::size_t begin) {
  ScannedType type{begin, {}, {}};
  while (text.substr(type.end).starts_with(kPointer)) {
    type.end += kPointer.size();
    type.scopes.push_back(take_scope(text, type.end));
  }
  const std::size_t end = dtype_end(text, type.end);
  // Only a pointer may point to nothing: `Pointer()`.
  if (end == type.end && type.scopes.empty()) return std::nullopt;
  const auto element = parse_dtype(text.substr(type.end, end - type.end));
  if (!element) return std::nullopt;
  type.element = *element;
  type.end = end;
  for (std::size_t i = 0; i < type.scopes.size(); ++i, ++type.end) {
    if (type.end >= text.size() || text[type.end] != ')') return std::nullopt;
  }
  return type;
}

std::size_t annotation_end(std::string_view text, std::size_t begin) {
  const std::size_t type = begin + (text.substr(begin).starts_with(' ') ? 1 : 0);
  const std::string_view rest = text.substr(type);
  for (const std::string_view word : {"Buffer", "DataProducer"}) {
    if (rest.starts_with(word) && rest.substr(word.size()).starts_with('(')) {
      return type + word.size();
    }
  }
  const auto scanned = scan_type(text, type);
  return scanned ? scanned->end : begin;
}

Strings strings_of(std::string_view text) {
  // The printer of v0.8 opens the keys of a Target's attributes with the wrong quote.
  for (std::size_t at = text.find("attrs={\""); at != kNone; at = text.find("attrs={\"", at + 1)) {
    const std::size_t quote = text.find_first_of("\"'\n", at + 8);
    if (quote != kNone && text.substr(quote, 2) == "':") return Strings::raw;
  }
  // Only unescaped strings span several lines, or continue after a quote that would end an escaped
  // one.
  std::size_t value = 0;
  for (std::size_t at = text.find(kImport); at != kNone; at = text.find(kImport, at + 1)) {
    // If several keys precede one value, only the first one looks for it.
    if (at < value) continue;
    value = text.find("= \"", at);
    if (value == kNone) break;
    const std::size_t end = escaped_string_end(text, value + 2);
    if (end == kNone || text.substr(value, end - value).find('\n') != kNone) return Strings::raw;
    const std::string_view rest = text.substr(end);
    if (!rest.starts_with(";\n") && !rest.starts_with(" {\n")) return Strings::raw;
  }
  return Strings::escaped;
}

/// Makes each grammar once; all texts of its kind share it.
const Grammar& grammar_of(Strings strings) {
  static const Grammar escaped = make_grammar(escaped_string_end);
  static const Grammar raw = make_grammar(raw_string_end);
  return strings == Strings::raw ? raw : escaped;
}

std::string decode_string(Strings strings, std::string_view token) {
  if (strings == Strings::raw) return std::string(token.substr(1, token.size() - 2));
  return text::decode_string(token);
}

std::size_t string_end(Strings strings, std::string_view text, std::size_t begin) {
  return grammar_of(strings).lexical.string_end(text, begin);
}

// --- Names -------------------------------------------------------------------------------------

std::size_t Definitions::place_of(std::string_view name) {
  if (!is_searched_) find_all();
  return support::value_at(places_, name).value_or(kNone);
}

/// Runs once per text, when a name is first used before its definition.
void Definitions::find_all() {
  is_searched_ = true;
  for (std::size_t i = text_.find_first_of("\": "); i != kNone;
       i = text_.find_first_of("\": ", i + 1)) {
    if (text_[i] == '"') {
      const std::size_t end = string_end(strings_, text_, i);
      if (end == kNone) return;
      i = end - 1;
      continue;
    }
    const bool is_definition =
        text_[i] == ':' ? annotation_end(text_, i + 1) != i + 1 : defines_buffer(text_.substr(i));
    if (!is_definition) continue;
    const std::size_t begin = name_begin(text_, i);
    if (begin < i) places_.try_emplace(text_.substr(begin, i - begin), begin);
  }
}

// --- Sections ----------------------------------------------------------------------------------

Sections sections_of(std::string_view text) {
  if (const std::size_t at = last_line(text, kHeading); at != kNone) {
    return {at, at + kHeading.size()};
  }
  if (const std::size_t at = last_line(text, kOmitted); at != kNone) {
    return {at, text.size()};
  }
  return {text.size(), text.size()};
}

}  // namespace mlf::tir::legacy
