#include "tir/c/compilable.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "support/lookup.h"
#include "support/name_map.h"
#include "tir/c/language.h"
#include "tir/c/read/directives.h"

namespace mlf::tir::c {
namespace {

using support::is_among;
using support::SourceText;
using Names = support::NameSet<std::string_view>;

// A few faults are enough for a message.
constexpr std::size_t kMostFaults = 20;

constexpr auto kWords = std::to_array<std::string_view>(
    {"auto",    "break",  "case",     "char",   "const",    "continue", "default",
     "do",      "double", "else",     "enum",   "extern",   "float",    "for",
     "goto",    "if",     "inline",   "int",    "long",     "register", "restrict",
     "return",  "short",  "signed",   "sizeof", "static",   "struct",   "switch",
     "typedef", "union",  "unsigned", "void",   "volatile", "while",    "_Bool"});
/// Words before a type that the comparison ignores.
constexpr auto kQualifiers = std::to_array<std::string_view>(
    {"auto", "const", "extern", "inline", "register", "restrict", "static", "volatile", "TVM_DLL",
     "__restrict", "__restrict__", "__inline"});
constexpr auto kModifiers =
    std::to_array<std::string_view>({"unsigned", "signed", "long", "short"});
constexpr auto kBasicTypes = std::to_array<std::string_view>(
    {"char", "double", "float", "int", "void", "_Bool", "bool", "size_t", "ssize_t", "intptr_t",
     "uintptr_t", "ptrdiff_t", "half", "va_list"});
/// Headers that define no other words than the ones below.
constexpr auto kKnownHeaders = std::to_array<std::string_view>(
    {"assert.h", "errno.h", "float.h", "inttypes.h", "limits.h", "math.h", "stdbool.h", "stddef.h",
     "stdint.h", "stdio.h", "stdlib.h", "string.h"});

bool is_word(std::string_view name) {
  return is_among(kWords, name);
}

/// TVM's runtime and the compiler define many words; each begins with one of these prefixes.
bool is_of_runtime(std::string_view name) {
  constexpr auto kPrefixes =
      std::to_array<std::string_view>({"TVM", "kTVM", "kDL", "DL", "tvm_", "Tvm", "__", "_mm",
                                       "INT", "UINT", "FLT_", "DBL_", "SIZE_", "M_"});
  constexpr auto kNames = std::to_array<std::string_view>(
      {"NULL", "true", "false", "INFINITY", "NAN", "HUGE_VAL", "stderr", "stdout", "errno", "EOF"});
  return std::ranges::any_of(kPrefixes, [&](auto prefix) { return name.starts_with(prefix); }) ||
         is_among(kNames, name);
}

/// A type without qualifiers, and the name that is declared with it.
struct Declaration {
  std::string type;
  std::optional<Token> name{};
  std::optional<Token> word{};  ///< a keyword of C in the place of the name
  std::optional<Token> base{};  ///< the only name in the type; empty for struct X
};

struct Function {
  std::string result;
  std::vector<Declaration> params{};
  bool is_open = false;  ///< `()` or `…`: any arguments
  const SourceText* source = nullptr;
  Token name{};
  bool has_body = false;

  std::string type() const {
    std::string text = result + "(";
    for (const Declaration& param : params) text += param.type + ",";
    return text + ")";
  }
};

std::string_view leaf(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

class Checker {
 public:
  Checker(const SourceText& source, std::span<const SourceText> headers)
      : source_(source), headers_(headers) {
    for (const SourceText& header : headers) own_headers_.insert(leaf(header.member));
  }

  std::vector<CFault> run() && {
    note_lines(source_);
    for (const SourceText& header : headers_) note_lines(header);
    for (const SourceText& header : headers_) declare(header);
    declare(source_);
    for (const Item& item : split(source_).items) check_body(source_, item);
    return std::move(faults_);
  }

 private:
  void add(const SourceText& source, const Token& token, std::string message) {
    if (faults_.size() == kMostFaults || !places_.emplace(&source, token.begin).second) return;
    faults_.push_back({source.locate(token.begin, token.end - token.begin), std::move(message)});
  }

  // --- Lines of the preprocessor ----------------------------------------------------------------

  void note_lines(const SourceText& source) {
    const Directives found = directives_of(source.text);
    for (const std::string_view path : found.includes) {
      const bool is_known = path.starts_with("tvm/") || path.starts_with("dlpack/") ||
                            is_among(kKnownHeaders, path) || own_headers_.contains(leaf(path));
      is_certain_ = is_certain_ && is_known;
    }
    for (const auto& [name, macro] : found.macros) macros_.insert(name);
    has_conditions_ = has_conditions_ || found.has_conditions || found.everywhere;
  }

  // --- Declarations -----------------------------------------------------------------------------

  void skip_parentheses(Cursor& cursor) {
    std::size_t depth = 0;
    do {
      if (cursor.at(sign("("))) ++depth;
      if (cursor.at(sign(")")) && depth > 0) --depth;
      cursor.advance();
    } while (depth > 0 && !cursor.at_end());
  }

  void skip_attribute(Cursor& cursor) {
    cursor.advance();
    if (cursor.at(sign("("))) skip_parentheses(cursor);
  }

  /// A type and the name after it, if there is one. Stops after the name.
  Declaration declaration(Cursor& cursor) {
    Declaration declared;
    const auto pass_qualifiers = [&] {
      while (!cursor.at_end()) {
        if (cursor.at_word("__attribute__")) {
          skip_attribute(cursor);
        } else if (cursor.peek().kind == TokenKind::string ||
                   (cursor.at_name() && is_among(kQualifiers, cursor.text()))) {
          cursor.advance();
        } else {
          return;
        }
      }
    };
    pass_qualifiers();
    if (cursor.at_word("struct") || cursor.at_word("union") || cursor.at_word("enum")) {
      declared.type = std::string(cursor.text(cursor.advance()));
      if (cursor.at_name()) declared.type += " " + std::string(cursor.text(cursor.advance()));
    } else if (cursor.at_name()) {
      declared.base = cursor.peek();
      bool goes_on = is_among(kModifiers, cursor.text());
      declared.type = std::string(cursor.text(cursor.advance()));
      while (goes_on && cursor.at_name() &&
             (is_among(kModifiers, cursor.text()) || cursor.at_word("int") ||
              cursor.at_word("char") || cursor.at_word("double"))) {
        declared.type += " " + std::string(cursor.text(cursor.advance()));
      }
    }
    pass_qualifiers();
    while (cursor.at(sign("*"))) {
      declared.type += "*";
      cursor.advance();
      pass_qualifiers();
    }
    if (!cursor.at_name()) return declared;
    (is_word(cursor.text()) ? declared.word : declared.name) = cursor.peek();
    cursor.advance();
    return declared;
  }

  void check_name(const Cursor& cursor, const Declaration& declared) {
    const SourceText& source = cursor.source();
    if (declared.word) {
      add(source, *declared.word,
          fmt::format("'{}' is a word of C, and cannot be a name", cursor.text(*declared.word)));
    }
    if (!declared.base || !is_certain_ || has_conditions_) return;
    const std::string_view type = cursor.text(*declared.base);
    if (!is_type(type))
      add(source, *declared.base, fmt::format("nothing declares the type '{}'", type));
  }

  /// `struct tag { T a; T b[4]; }`: returns the members and leaves the cursor after `struct tag {`.
  void declare_struct(Cursor& cursor) {
    while (!cursor.at_word("struct") && !cursor.at_end()) {
      cursor.at_word("__attribute__") ? skip_attribute(cursor)
                                      : static_cast<void>(cursor.advance());
    }
    cursor.advance();
    const std::string_view tag =
        cursor.at_name() ? cursor.text(cursor.advance()) : std::string_view();
    if (!cursor.accept(sign("{"))) return;
    Names& members = structs_[tag];
    while (!cursor.at(sign("}")) && !cursor.at_end()) {
      const Declaration member = declaration(cursor);
      check_name(cursor, member);
      if (member.name) members.insert(cursor.text(*member.name));
      while (!cursor.at(sign(";")) && !cursor.at_end()) cursor.advance();
      cursor.accept(sign(";"));
    }
  }

  void declare_function(const SourceText& source, const Item& item, Cursor& cursor) {
    const Declaration head = declaration(cursor);
    if (!head.name || !cursor.at(sign("("))) return;
    Function function{.result = head.type, .source = &source, .name = *head.name};
    const std::string_view name = cursor.text(*head.name);
    function.has_body = item.body.end > item.body.begin;
    check_name(cursor, head);
    cursor.advance();
    function.is_open = cursor.at(sign(")"));
    while (!cursor.at(sign(")")) && !cursor.at_end()) {
      Declaration param = declaration(cursor);
      const bool is_plain = cursor.at(sign(",")) || cursor.at(sign(")"));
      // A pointer to a function, an array, `…`.
      if (!is_plain && !param.word) return void(called_.insert(name));
      check_name(cursor, param);
      const bool is_nothing = param.type == "void" && !param.name;
      if (!is_nothing) function.params.push_back(std::move(param));
      while (!cursor.at(sign(",")) && !cursor.at(sign(")")) && !cursor.at_end()) cursor.advance();
      cursor.accept(sign(","));
    }
    const auto [known, is_new] = functions_.try_emplace(name, function);
    if (is_new || has_conditions_) return;
    if (!known->second.is_open && !function.is_open && known->second.type() != function.type()) {
      add(source, function.name,
          fmt::format("'{}' is declared as {} and as {}", name, known->second.type(),
                      function.type()));
    } else if (known->second.has_body && function.has_body) {
      add(source, function.name, fmt::format("'{}' is defined twice", name));
    }
    if (function.has_body) known->second = function;
  }

  void declare(const SourceText& source, const Item& item) {
    Cursor cursor(source, tokenize(source.text, item.head.begin, item.head.end));
    const std::string_view head =
        source.text.substr(item.head.begin, item.head.end - item.head.begin);
    if (head.starts_with("typedef")) {
      // Its last name.
      std::string_view last;
      for (; !cursor.at_end(); cursor.advance()) last = cursor.at_name() ? cursor.text() : last;
      types_.insert(last);
      return;
    }
    const bool is_struct = head.find("struct ") != head.npos && head.find('{') != head.npos;
    if (is_struct) {
      declare_struct(cursor);
      if (!item.name.empty()) variables_.insert(item.name);
      return;
    }
    const std::size_t start = cursor.position();
    const Declaration declared = declaration(cursor);
    if (!declared.name) return;
    if (!cursor.at(sign("("))) return void(variables_.insert(cursor.text(*declared.name)));
    cursor.rewind(start);
    declare_function(source, item, cursor);
  }

  void declare(const SourceText& source) {
    for (const Item& item : split(source).items) declare(source, item);
  }

  bool is_type(std::string_view name) const {
    return is_among(kBasicTypes, name) || is_among(kModifiers, name) || scalar_type(name) ||
           types_.contains(name) || macros_.contains(name) || is_of_runtime(name);
  }

  // --- Bodies -----------------------------------------------------------------------------------

  /// `T name`, `T* name`, `struct S name`: anywhere in the function.
  void collect_locals(const Cursor& cursor, Names& locals) const {
    Cursor at = cursor;
    std::string_view before;
    for (; !at.at_end(); at.advance()) {
      if (at.at(sign("*")) && !before.empty()) continue;
      const std::string_view word = at.at_name() ? at.text() : std::string_view();
      if (!word.empty() && !before.empty() && !is_word(word)) locals.insert(word);
      const bool is_tag = before == "struct";
      before = !word.empty() && (is_type(word) || word == "struct" || is_tag) ? word
                                                                              : std::string_view();
    }
  }

  bool is_known(std::string_view name, const Names& locals) const {
    return is_word(name) || is_type(name) || locals.contains(name) || variables_.contains(name) ||
           functions_.contains(name) || called_.contains(name) || structs_.contains(name);
  }

  /// `f(a, b)`, where `f` is declared.
  void check_call(const Cursor& cursor, std::size_t at) {
    const auto function = functions_.find(cursor.text(cursor.at_position(at)));
    if (function == functions_.end() || function->second.is_open) return;
    std::size_t depth = 0;
    std::size_t count = cursor.at_position(at + 2).sign == sign(")") ? 0 : 1;
    for (std::size_t i = at + 1; cursor.at_position(i).kind != TokenKind::end; ++i) {
      const Sign one = cursor.at_position(i).sign;
      if (one == sign("(") || one == sign("[") || one == sign("{")) ++depth;
      if (one == sign(")") || one == sign("]") || one == sign("}")) --depth;
      if (depth == 0) break;
      if (depth == 1 && one == sign(",")) ++count;
    }
    if (count == function->second.params.size()) return;
    add(cursor.source(), cursor.at_position(at),
        fmt::format("'{}' is called with {} arguments, and takes {}", function->first, count,
                    function->second.params.size()));
  }

  /// `inputs->x`, where `inputs` is a parameter that points to a struct of the archive.
  void check_member(const Cursor& cursor, std::size_t at, const Function& function) {
    const std::string_view object = cursor.text(cursor.at_position(at));
    const auto param = std::ranges::find_if(function.params, [&](const Declaration& one) {
      return one.name && function.source->text.substr(one.name->begin,
                                                      one.name->end - one.name->begin) == object;
    });
    if (param == function.params.end() || !param->type.starts_with("struct ")) return;
    std::string_view tag = std::string_view(param->type).substr(7);
    tag = tag.substr(0, tag.find('*'));
    const auto members = structs_.find(tag);
    const Token& member = cursor.at_position(at + 2);
    if (members == structs_.end() || members->second.contains(cursor.text(member))) return;
    add(cursor.source(), member,
        fmt::format("'struct {}' has no member '{}'", tag, cursor.text(member)));
  }

  void check_use(const Cursor& cursor, std::size_t at, const Names& locals,
                 const Function& function) {
    const Token& token = cursor.at_position(at);
    if (token.kind != TokenKind::name) return;
    const Sign before = at == 0 ? Sign{0} : cursor.at_position(at - 1).sign;
    const std::string_view name = cursor.text(token);
    const Sign behind = cursor.at_position(at + 1).sign;
    const bool is_member = before == sign("->") || before == sign(".");
    if (is_member) return;
    if (behind == sign("->")) check_member(cursor, at, function);
    // C only warns about a function without a declaration.
    if (behind == sign("(")) return check_call(cursor, at);
    if (is_certain_ && !is_known(name, locals)) {
      add(cursor.source(), token, fmt::format("nothing declares '{}'", name));
    }
  }

  /// Only functions that TVM printed: other code may use the whole language.
  void check_body(const SourceText& source, const Item& item) {
    if (item.body.end <= item.body.begin || has_conditions_) return;
    Cursor head(source, tokenize(source.text, item.head.begin, item.head.end));
    const Declaration declared = declaration(head);
    if (!declared.name || !head.text(*declared.name).starts_with("tvmgen_")) return;
    const auto function = functions_.find(head.text(*declared.name));
    if (function == functions_.end() || function->second.source != &source) return;
    Cursor cursor(source, tokenize(source.text, item.body.begin, item.body.end));
    Names locals;
    for (const Declaration& param : function->second.params) {
      if (param.name) locals.insert(head.text(*param.name));
    }
    collect_locals(cursor, locals);
    for (std::size_t at = 0; cursor.at_position(at).kind != TokenKind::end; ++at) {
      check_use(cursor, at, locals, function->second);
    }
  }

  const SourceText& source_;
  std::span<const SourceText> headers_;
  bool is_certain_ = true;       ///< all of its words may be declared here
  bool has_conditions_ = false;  ///< preprocessor lines select what is compiled
  Names own_headers_;
  Names macros_;
  Names types_;
  Names variables_;
  Names called_;  ///< functions whose declarations are not understood
  support::NameMap<std::string_view, Function> functions_;
  support::NameMap<std::string_view, Names> structs_;  ///< by tag: members
  std::set<std::pair<const SourceText*, std::uint32_t>> places_;
  std::vector<CFault> faults_;
};

}  // namespace

std::vector<CFault> compilation_faults(const SourceText& source,
                                       std::span<const SourceText> headers) {
  return Checker(source, headers).run();
}

}  // namespace mlf::tir::c
