#include "tir/c/read/directives.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "support/c_files.h"
#include "support/characters.h"
#include "support/lookup.h"
#include "tir/c/language.h"
#include "tir/c/read/tokens.h"

namespace mlf::tir::c {
namespace {

using support::is_among;

// TVM defines it at the beginning of each file, and nothing uses it.
constexpr std::string_view kExports = "TVM_EXPORTS";
constexpr std::string_view kCplusplus = "__cplusplus";

/// Directives without an effect on what is compiled; the empty one is `#` alone or a line number.
constexpr auto kInert = std::to_array<std::string_view>({"", "line", "error", "warning", "ident"});
/// The first words of pragmas that change how code is compiled, but not what it does.
constexpr auto kInertPragmas =
    std::to_array<std::string_view>({"once", "HLS", "unroll", "nounroll", "omp", "ivdep", "loop",
                                     "message", "region", "endregion"});
constexpr auto kInertOfCompiler = std::to_array<std::string_view>(
    {"diagnostic", "optimize", "push_options", "pop_options", "unroll", "ivdep", "loop"});
/// Words outside of functions that rename what the linker sees, or are code of another language.
constexpr auto kOfLinker = std::to_array<std::string_view>(
    {"asm", "__asm", "__asm__", "alias", "weakref", "ifunc", "_Pragma"});

/// Headers that define no macro of a program.
constexpr auto kHeadersOfC = std::to_array<std::string_view>(
    {"assert.h", "ctype.h", "errno.h", "float.h", "inttypes.h", "limits.h", "math.h", "stdalign.h",
     "stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h", "time.h"});

/// Words before a function that change nothing that it computes. The last ones are macros of
/// ESP-IDF, Zephyr, nRF and STM32 for code in RAM, which their headers define.
constexpr auto kBeforeFunctions =
    std::to_array<std::string_view>({"__attribute__", "__inline", "extern", "inline", "static",
                                     "IRAM_ATTR", "__RAM_FUNC", "__ramfunc", "RAMFUNC"});
/// Attributes of functions that change where and how they are compiled, not what they compute.
constexpr std::array<std::string_view, 15> kHarmlessAttributes = {
    "aligned",   "always_inline", "cold",      "externally_visible",     "flatten",  "hot",
    "long_call", "noclone",       "noinline",  "no_instrument_function", "optimize", "section",
    "unused",    "used",          "visibility"};

constexpr std::array<bool, 256> kMatters = [] {
  std::array<bool, 256> matters{};
  for (const char c : std::string_view("/\"'#\\<:%?")) {
    matters[static_cast<unsigned char>(c)] = true;
  }
  return matters;
}();

/// Whether a compiler may read two or three characters as another one.
bool is_other_spelling(std::string_view text) {
  constexpr auto kDigraphs = std::to_array<std::string_view>({"<:", ":>", "<%", "%>", "%:"});
  const bool is_trigraph = text.size() == 3 && text.starts_with("??") &&
                           std::string_view("=/'()!<>-").find(text[2]) != text.npos;
  return is_trigraph || is_among(kDigraphs, text.substr(0, 2));
}

/// Whether the text has a condition other than those that TVM writes.
bool has_other_conditions(std::string_view text) {
  const auto end = static_cast<std::uint32_t>(text.size());
  for (std::size_t mark = text.find('#'); mark != text.npos; mark = text.find('#', mark + 1)) {
    auto at = static_cast<std::uint32_t>(mark + 1);
    const std::string_view word = next_name(text, at, skip_line(text, at, end));
    if (word.starts_with("if") && next_name(text, at, end) != kCplusplus) return true;
  }
  return false;
}

/// Reads a condition, or an integer that the compiler knows. A value is unknown if it depends on
/// names that the text does not define.
class ConditionReader {
 public:
  using Value = std::optional<std::int64_t>;

  ConditionReader(const support::SourceText& source, Bytes range,
                  const support::NameMap<std::string_view, Macro>& macros)
      : cursor_(source, tokenize(source.text, range.begin, range.end)), macros_(macros) {}

  Value integer() {
    const Value value = any();
    return cursor_.at_end() ? value : std::nullopt;
  }
  std::optional<bool> value() {
    const Value value = integer();
    return value ? std::optional(*value != 0) : std::nullopt;
  }
  std::optional<bool> is_defined() {
    const auto macro = macros_.find(cursor_.text(cursor_.advance()));
    const bool is_known = macro != macros_.end() && macro->second.is_certain;
    return is_known ? std::optional(macro->second.is_defined) : std::nullopt;
  }

 private:
  static Value decided(Value a, Value b, bool decides) {
    for (const Value& one : {a, b}) {
      if (one && (*one != 0) == decides) return decides;
    }
    return a && b ? Value(!decides) : std::nullopt;
  }

  Value any() {
    Value value = all();
    while (cursor_.accept(sign("||"))) value = decided(value, all(), true);
    return value;
  }
  Value all() {
    Value value = comparison();
    while (cursor_.accept(sign("&&"))) value = decided(value, comparison(), false);
    return value;
  }
  Value product() {
    Value value = term();
    while (cursor_.accept(sign("*"))) {
      const Value factor = term();
      std::int64_t result = 0;
      const bool fits = value && factor && !__builtin_mul_overflow(*value, *factor, &result);
      value = fits ? Value(result) : std::nullopt;
    }
    return value;
  }
  Value sum() {
    Value value = product();
    while (cursor_.peek().sign == sign("+") || cursor_.peek().sign == sign("-")) {
      const bool is_plus = cursor_.text(cursor_.advance()) == "+";
      const Value other = product();
      std::int64_t result = 0;
      const bool fits = value && other &&
                        !(is_plus ? __builtin_add_overflow(*value, *other, &result)
                                  : __builtin_sub_overflow(*value, *other, &result));
      // Unsigned numbers wrap.
      value = fits && !(has_unsigned_ && result < 0) ? Value(result) : std::nullopt;
    }
    return value;
  }
  Value comparison() {
    const Value left = sum();
    struct Relation {
      Sign sign;
      bool of_less, of_equal, of_greater;  // whether it holds if the left side is that
    };
    constexpr Relation kRelations[] = {
        {sign("=="), false, true, false}, {sign("!="), true, false, true},
        {sign("<"), true, false, false},  {sign("<="), true, true, false},
        {sign(">"), false, false, true},  {sign(">="), false, true, true}};
    for (const Relation& relation : kRelations) {
      if (!cursor_.accept(relation.sign)) continue;
      const Value right = sum();
      if (!left || !right) return std::nullopt;
      return *left < *right    ? relation.of_less
             : *left == *right ? relation.of_equal
                               : relation.of_greater;
    }
    return left;
  }
  Value term() {
    constexpr std::size_t kMostTerms = 64;
    // Inside of each other, at worst.
    if (++terms_ > kMostTerms) return std::nullopt;
    if (cursor_.accept(sign("!"))) {
      const Value value = term();
      return value ? Value(*value == 0) : std::nullopt;
    }
    if (cursor_.accept(sign("("))) {
      const Value value = any();
      return cursor_.accept(sign(")")) ? value : std::nullopt;
    }
    if (cursor_.accept_word("defined")) {
      const bool has_parentheses = cursor_.accept(sign("("));
      const auto value = is_defined();
      return value && (!has_parentheses || cursor_.accept(sign(")"))) ? Value(*value)
                                                                      : std::nullopt;
    }
    if (cursor_.accept_word("sizeof")) return size_of_type();
    const std::string_view word = cursor_.text(cursor_.advance());
    const auto macro = macros_.find(word);
    if (macro == macros_.end()) {
      has_unsigned_ |= word.find_first_of("uU") != word.npos;
      return integer_literal(word);
    }
    if (!macro->second.is_certain) return std::nullopt;
    // A name that is not defined is 0 in a condition.
    if (!macro->second.is_defined) return Value(0);
    return operand(macro->second.value);
  }

  /// A macro is text: `A + B` without parentheses is no operand.
  Value operand(std::string_view macro) {
    constexpr std::size_t kMostText = 1'024;  // of few terms
    if (macro.empty() || macro.size() > kMostText) return std::nullopt;
    const support::SourceText source{{}, {}, macro};
    ConditionReader inner(source, {0, static_cast<std::uint32_t>(macro.size())}, macros_);
    inner.terms_ = terms_;
    const Value value = inner.term();
    terms_ = inner.terms_;
    has_unsigned_ |= inner.has_unsigned_;
    return inner.cursor_.at_end() ? value : std::nullopt;
  }

  /// Of a type that has this size on every target.
  Value size_of_type() {
    if (!cursor_.accept(sign("("))) return std::nullopt;
    const std::string_view name = cursor_.text(cursor_.advance());
    const std::optional<DType> type = scalar_type(name);
    const bool is_fixed = type && spelling_of(*type) == name;  // not `int`
    if (!cursor_.accept(sign(")")) || !is_fixed || macros_.contains(name)) return std::nullopt;
    return static_cast<std::int64_t>(type->element_bytes());
  }

  Cursor cursor_;
  const support::NameMap<std::string_view, Macro>& macros_;
  std::size_t terms_ = 0;
  bool has_unsigned_ = false;
};

/// `#ifndef ARM_CPU_INTRINSICS_EXIST`: TVM's micro kernels define a function that several of them
/// call once in a file (topi/arm_cpu/mprofile/dsp/micro_kernel). Nothing else defines the name.
bool is_of_micro_kernel(std::string_view guard) {
  return guard.ends_with("_EXIST") || guard.ends_with("_EXISTS");
}

/// Whether a text is what TVM has between `#ifdef __cplusplus` and `#endif`.
bool is_linkage(std::string_view text, Bytes content) {
  if (content.end - content.begin > 256) return false;
  std::string words;
  for (const Token& token : tokenize(text, content.begin, content.end)) {
    words += text_of(token, text);
  }
  return words == "extern\"C\"" || words == "extern\"C\"{" || words == "}";
}

class DirectiveReader {
 public:
  DirectiveReader(std::string_view text, std::span<const Item> items)
      : text_(text), items_(items), end_(static_cast<std::uint32_t>(text.size())) {}

  /// The text that no compiler reads, and the conditions around it.
  std::vector<Bytes> inactive(const MacroValues& macros) && {
    for (const auto& [name, value] : macros) {
      found_.macros.emplace(name, Macro{.value = value ? std::string_view(*value) : "",
                                        .is_defined = value.has_value()});
    }
    for (std::uint32_t at = 0; at < end_;) at = pass(at);
    return std::move(inactive_);
  }

  Directives run() && {
    for (const Item& item : items_) {
      has_rows(item) ? rows_.push_back(item.body) : find_words_of_linker(item);
    }
    for (std::uint32_t at = 0; at < end_;) at = pass(at);
    const auto open = std::ranges::find(levels_, Level::Kind::unknown, &Level::kind);
    if (open != levels_.end()) condition({open->begin, end_});
    // A comment may also continue behind one.
    if (const std::size_t at = text_.find("?\?/"); at != text_.npos) {
      doubt_all({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + 3)}, "a trigraph");
    }
    return std::move(found_);
  }

 private:
  /// A condition around text.
  struct Level {
    enum class Kind : std::uint8_t {
      unknown,
      cplusplus,  ///< of C++, around `extern "C"`
      guard,      ///< of a header against a second inclusion
    };
    Kind kind = Kind::unknown;
    std::uint32_t begin = 0;
    std::uint32_t content = 0;  ///< the end of its line
    std::string_view guard{};   ///< the name of an `#ifndef`
    std::size_t number = 0;     ///< of this directive
    /// Whether the present branch is compiled, and one before it.
    std::optional<bool> is_here{};
    std::optional<bool> was_before = false;
    std::vector<Bytes> lines{};  ///< its directives
  };

  /// Constants, and values without a directive, such as TVM's metadata, which nothing else reads.
  bool has_rows(const Item& item) const {
    if (item.body.end <= item.body.begin) return false;
    if (item.kind == ItemKind::array || item.kind == ItemKind::pool) return true;
    const std::string_view body = item.body.in(text_);
    return item.kind == ItemKind::other && item.name.empty() && body.find('#') == body.npos;
  }

  void find_words_of_linker(const Item& item) {
    for (std::uint32_t at = item.head.begin; at < item.head.end;) {
      const std::string_view name = next_name(text_, at, item.head.end);
      if (is_among(kOfLinker, name)) doubt_all(item.head, fmt::format("'{}'", name));
    }
  }

  /// Passes a character, a comment, a string, a directive or the rows of a constant.
  std::uint32_t pass(std::uint32_t at) {
    while (next_ < rows_.size() && rows_[next_].end <= at) ++next_;
    const std::uint32_t stop = next_ < rows_.size() ? rows_[next_].begin : end_;
    if (at >= stop) return rows_[next_].end;
    while (at < stop && !kMatters[static_cast<unsigned char>(text_[at])]) ++at;
    if (at == stop) return at;
    const char c = text_[at];
    if (c == '"' || c == '\'') return skip_quoted(text_, at, end_);
    if (c == '#' && begins_line(at)) return directive(at);
    if (const std::uint32_t behind = skip_comments(text_, at, end_); behind > at) return behind;
    if (c == '\\' || is_other_spelling(text_.substr(at, 3))) {
      doubt_all({at, at + 1}, fmt::format("'{}' in code", text_.substr(at, c == '\\' ? 1 : 2)));
    }
    return at + 1;
  }

  bool begins_line(std::uint32_t at) const {
    const std::size_t before = text_.substr(0, at).find_last_not_of(" \t\r\v\f");
    return before == text_.npos || text_[before] == '\n' ||
           text_.substr(0, before + 1) == kByteOrderMark ||
           (before > 0 && text_.substr(before - 1, 2) == "*/");
  }

  void doubt(Bytes where, std::string why) {
    // A region that contains others replaces them.
    while (!found_.doubts.empty() && found_.doubts.back().where.begin >= where.begin) {
      found_.doubts.pop_back();
    }
    found_.doubts.push_back({where, std::move(why)});
  }
  void doubt_all(Bytes where, std::string why) {
    if (!found_.everywhere) found_.everywhere = Doubt{where, std::move(why)};
  }

  std::uint32_t directive(std::uint32_t begin) {
    const std::uint32_t end = skip_line(text_, begin, end_);
    std::uint32_t at = begin + 1;
    const std::string_view word = next_name(text_, at, end);
    ++count_;
    const bool is_conditional = word.starts_with("if") || word.starts_with("el") || word == "endif";
    if (is_off() && !is_conditional) return end;
    if (word == "define" || word == "undef") {
      const std::string_view name = next_name(text_, at, end);
      define(word, name, {at, end});
    } else if (word == "include") {
      include({begin, end}, support::trimmed(text_.substr(at, end - at)));
    } else if (word == "if" || word == "ifdef" || word == "ifndef") {
      Level level{
          .begin = begin, .content = end, .number = count_, .is_here = value_of(word, {at, end})};
      level.lines.push_back({begin, end});
      const std::string_view name = next_name(text_, at, end);
      if (word == "ifdef" && name == kCplusplus) level.kind = Level::Kind::cplusplus;
      if (word == "ifndef") level.guard = name;
      levels_.push_back(level);
    } else if (levels_.empty() && (word == "else" || word.starts_with("elif") || word == "endif")) {
      doubt_all({begin, end}, fmt::format("'#{}' without its '#if'", word));
    } else if (word == "else" || word.starts_with("elif")) {
      next_branch(word, {begin, end}, at);
    } else if (word == "endif") {
      close({begin, end});
    } else if (word == "pragma") {
      pragma({begin, end}, at);
    } else if (!is_among(kInert, word)) {
      doubt_all({begin, end}, fmt::format("'#{}'", word));
    }
    return end;
  }

  bool is_off() const {
    return std::ranges::find(levels_, std::optional(false), &Level::is_here) != levels_.end();
  }

  /// Of `#if`, `#ifdef`, …; `rest` is behind the word.
  std::optional<bool> value_of(std::string_view word, Bytes rest) const {
    const support::SourceText source{{}, {}, text_};
    ConditionReader condition(source, rest, found_.macros);
    if (word.ends_with("if")) return condition.value();
    const std::optional<bool> is_defined = condition.is_defined();
    if (!is_defined) return std::nullopt;
    return *is_defined == word.ends_with("ifdef");
  }

  /// `#else`, `#elif`, …
  void next_branch(std::string_view word, Bytes line, std::uint32_t at) {
    Level& level = levels_.back();
    level.kind = Level::Kind::unknown;
    end_branch(level, line);
    if (level.is_here != false) level.was_before = level.is_here;
    level.content = line.end;
    level.is_here = level.was_before == true             ? std::optional(false)
                    : word == "else" && level.was_before ? std::optional(true)
                    : level.was_before                   ? value_of(word, {at, line.end})
                                                         : std::nullopt;
  }

  void end_branch(Level& level, Bytes line) {
    if (level.is_here == false) inactive_.push_back({level.content, line.begin});
    level.lines.push_back(line);
  }

  /// `#define` or `#undef`; `rest` is behind the name.
  void define(std::string_view word, std::string_view name, Bytes rest) {
    if (name == kExports) return;
    const std::string_view value = rest.in(text_);
    if (!levels_.empty() && levels_.back().guard == name && levels_.back().number + 1 == count_) {
      Level& level = levels_.back();
      if (count_ == 2) level.kind = Level::Kind::guard;
      if (support::trimmed(value).empty() && !level.is_here && is_of_micro_kernel(name)) {
        level.is_here = true;
      }
    }
    if (word == "define" && found_.is_harmless_export(name, value)) return;
    const auto [macro, is_new] = found_.macros.try_emplace(name);
    // What looks like the guard of a header may be a default.
    const bool is_conditional = std::ranges::any_of(levels_, [&](const Level& level) {
      if (level.is_here == true) return false;
      return level.kind != Level::Kind::guard || level.guard == name;
    });
    const bool is_first = is_new || (macro->second.is_certain && !macro->second.is_defined);
    macro->second = {
        .value = support::trimmed(value),
        .is_certain = is_first && word == "define" && !is_conditional && !value.starts_with('(')};
    if (macro->second.is_certain) certain_.push_back(name);
  }

  /// A file that is no header is code.
  void include(Bytes where, std::string_view name) {
    const char close = name.starts_with('<') ? '>' : '"';
    const std::size_t end = name.find(close, 1);
    const bool is_named = name.starts_with('<') || name.starts_with('"');
    const std::string_view path = is_named && end != name.npos ? name.substr(1, end - 1) : "";
    const std::string_view leaf = support::leaf_of(path);
    const bool is_header = leaf.find('.') == leaf.npos || support::is_c_header(leaf);
    std::string why = fmt::format("the inclusion of {}", name);
    if (path.empty() || !is_header) return doubt_all(where, std::move(why));
    found_.includes.push_back(path);
    doubt(where, std::move(why));
    // It may define them again.
    const bool is_known =
        support::is_tvm_header(path) || leaf.starts_with("tvmgen_") || is_among(kHeadersOfC, path);
    if (is_known) return;
    for (const std::string_view macro : certain_) found_.macros[macro].is_certain = false;
    certain_.clear();
  }

  void pragma(Bytes where, std::uint32_t at) {
    const std::string_view first = next_name(text_, at, where.end);
    const std::string_view second = next_name(text_, at, where.end);
    const bool is_of_compiler = first == "GCC" || first == "clang";
    const bool is_inert =
        is_of_compiler ? is_among(kInertOfCompiler, second) : is_among(kInertPragmas, first);
    if (!is_inert) doubt_all(where, fmt::format("'#pragma {}'", first));
  }

  void close(Bytes line) {
    Level level = std::move(levels_.back());
    levels_.pop_back();
    end_branch(level, line);
    const bool is_evaluated = level.is_here && level.was_before;
    if (is_evaluated) inactive_.insert(inactive_.end(), level.lines.begin(), level.lines.end());
    // `active_text` leaves no condition that it has evaluated.
    const bool is_known =
        level.kind == Level::Kind::guard ||
        (level.kind == Level::Kind::cplusplus && is_linkage(text_, {level.content, line.begin}));
    if (!is_known) condition({level.begin, line.end});
  }

  void condition(Bytes where) {
    found_.has_conditions = true;
    doubt(where, "a condition of the preprocessor");
  }

  std::string_view text_;
  std::span<const Item> items_;
  std::vector<Bytes> rows_;  // that are not read
  std::size_t next_ = 0;     // of `rows_`
  std::uint32_t end_;
  std::size_t count_ = 0;  // of directives
  std::vector<Level> levels_;
  std::vector<Bytes> inactive_;
  std::vector<std::string_view>
      certain_;  // macros since the last header that may define them again
  Directives found_;
};

/// Whether the text may contain one of these names. Constants have many tokens and no names, and a
/// search for each name is faster than their tokens.
bool may_name_any(const support::NameMap<std::string_view, Macro>& macros, std::string_view text) {
  constexpr std::size_t kMostSearches = 32;
  if (macros.size() > kMostSearches) return true;
  return std::ranges::any_of(macros,
                             [&](const auto& one) { return text.find(one.first) != text.npos; });
}

/// Whether a macro defines `half`, which C does not have, as the compiler's type of 16-bit floats.
/// mlf reads `half` as this type without a macro, too.
bool names_type(std::string_view name, const Macro& macro) {
  constexpr auto kFloat16 = std::to_array<std::string_view>({"_Float16", "__fp16"});
  return name == "half" && macro.is_certain && is_among(kFloat16, support::trimmed(macro.value));
}

}  // namespace

const Doubt* Directives::doubt_in(Bytes part) const {
  const auto next = std::ranges::upper_bound(doubts, part.begin, {},
                                             [](const Doubt& one) { return one.where.end; });
  return next != doubts.end() && next->where.begin < part.end ? &*next : nullptr;
}

std::optional<Doubt> Directives::in(std::string_view text, Bytes part) const {
  if (everywhere) return Doubt{part, everywhere->why};
  if (const Doubt* const doubt = doubt_in(part)) return *doubt;
  if (!may_name_any(macros, part.in(text))) return std::nullopt;
  for (std::uint32_t at = part.begin; at < part.end;) {
    const std::string_view name = next_name(text, at, part.end);
    const auto macro = macros.find(name);
    if (macro == macros.end() || names_type(name, macro->second)) continue;
    const auto length = static_cast<std::uint32_t>(name.size());
    return Doubt{{at - length, at}, fmt::format("the macro '{}'", name)};
  }
  return std::nullopt;
}

bool is_harmless_specifier(std::string_view word) {
  return is_among(kBeforeFunctions, word);
}

bool is_harmless_attribute(std::string_view name) {
  const bool is_reserved = name.size() > 4 && name.starts_with("__") && name.ends_with("__");
  return is_among(kHarmlessAttributes, is_reserved ? name.substr(2, name.size() - 4) : name);
}

bool Directives::is_harmless_export(std::string_view name, std::string_view value) const {
  return name == "TVM_DLL" && are_harmless_attributes(value);
}

bool Directives::are_harmless_attributes(std::string_view text) const {
  std::string expanded;
  for (const Token& token : tokenize(text, 0, static_cast<std::uint32_t>(text.size()))) {
    const std::string_view word = text_of(token, text);
    const auto macro = macros.find(word);
    const bool is_known = macro != macros.end() && macro->second.is_certain;
    expanded += fmt::format("{} ", is_known ? macro->second.value : word);
  }
  std::size_t depth = 0;
  for (const Token& token : tokenize(expanded, 0, static_cast<std::uint32_t>(expanded.size()))) {
    const std::string_view word = text_of(token, expanded);
    if (token.kind == TokenKind::end) break;
    if (word == ")" && depth-- == 0) return false;
    const bool is_attribute = depth == 0 && is_harmless_specifier(word);
    const bool is_name = depth == 2 && token.kind == TokenKind::name;
    const bool is_sign = token.kind != TokenKind::name && (depth > 0 || word == "(" || word == ")");
    const bool is_known =
        is_attribute || is_sign || depth > 2 || (is_name && is_harmless_attribute(word));
    if (!is_known) return false;
    if (word == "(") ++depth;
  }
  return true;
}

std::optional<std::int64_t> Directives::integer(const support::SourceText& source,
                                                Bytes expression) const {
  if (everywhere || doubt_in(expression) != nullptr) return std::nullopt;
  const auto value = ConditionReader(source, expression, macros).integer();
  return value && *value >= 0 && *value <= INT32_MAX ? value : std::nullopt;
}

std::optional<std::string> active_text(std::string_view text, const MacroValues& macros) {
  if (!has_other_conditions(text)) return std::nullopt;
  const std::vector<Bytes> inactive = DirectiveReader(text, {}).inactive(macros);
  if (inactive.empty()) return std::nullopt;
  std::string active(text);
  for (const Bytes& range : inactive) {
    for (std::uint32_t at = range.begin; at < range.end; ++at) {
      if (active[at] != '\n') active[at] = ' ';
    }
  }
  return active;
}

std::vector<std::string_view> included_texts(std::span<const std::string_view> includes,
                                             const FindHeaders& find) {
  std::vector<std::string_view> texts;
  std::vector<std::string_view> open(includes.begin(), includes.end());
  support::NameSet<std::string_view> paths;
  for (std::size_t i = 0; i < open.size(); ++i) {
    const std::string_view path = open[i];
    if (!paths.insert(path).second) continue;
    for (const std::string_view header : find(path)) {
      if (std::ranges::find(texts, header.data(), &std::string_view::data) != texts.end()) continue;
      texts.push_back(header);
      for (const std::string_view more : directives_of(header).includes) open.push_back(more);
    }
  }
  return texts;
}

Directives directives_of(std::string_view text, std::span<const Item> items) {
  return DirectiveReader(text, items).run();
}

}  // namespace mlf::tir::c
