#include "tir/c/c.h"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "support/c_files.h"
#include "support/lookup.h"
#include "support/name_map.h"
#include "tir/c/language.h"
#include "tir/c/read/directives.h"
#include "tir/c/read/entry_faults.h"

namespace mlf::tir::c {
namespace {

using support::is_among;
using support::leaf_of;
using support::SourceText;

// A few faults are enough for a message.
constexpr std::size_t kMostFaults = 20;
// Of one function: each block looks at all.
constexpr std::size_t kMostWorkspaces = 1'000;
// As git writes it, at the beginning of a line.
constexpr std::string_view kConflict = "\n<<<<<<< ";

/// Words around a type that are no part of it.
constexpr auto kQualifiers = std::to_array<std::string_view>(
    {"const", "extern", "inline", "restrict", "static", "volatile", "TVM_DLL", "__inline",
     "__restrict", "__restrict__", "__attribute__"});
/// Types that TVM does not print, and that headers of C define.
constexpr auto kOtherTypes = std::to_array<std::string_view>(
    {"char", "long", "short", "signed", "unsigned", "_Bool", "intptr_t", "ptrdiff_t", "size_t",
     "ssize_t", "uintptr_t", "va_list"});
constexpr auto kKnownHeaders = std::to_array<std::string_view>(
    {"assert.h", "errno.h", "float.h", "inttypes.h", "limits.h", "math.h", "stdbool.h", "stddef.h",
     "stdint.h", "stdio.h", "stdlib.h", "string.h"});
constexpr auto kTags = std::to_array<std::string_view>({"struct", "union", "enum"});
/// How types of TVM's runtime begin.
constexpr auto kTypesOfRuntime = std::to_array<std::string_view>({"TVM", "DL"});

/// What files have said of functions of TVM.
struct KnownFunctions {
  support::NameMap<std::string_view, std::string_view> files;  ///< that define them
  Arities arities;
};

using Faults = std::vector<DeclarationFault>;

void add(Faults& faults, const SourceText& source, Bytes where, std::string message) {
  if (faults.size() == kMostFaults) return;
  faults.push_back({source.locate(where.begin, where.end - where.begin), std::move(message)});
}

void add(Faults& faults, const Cursor& at, const Token& token, std::string message) {
  add(faults, at.source(), {token.begin, token.end}, std::move(message));
}

void check_conflict(const SourceText& source, Faults& faults) {
  if (source.text.find(kConflict) == std::string_view::npos) return;
  const std::string code = without_comments(source.text);
  const std::size_t at = code.find(kConflict);
  if (at == code.npos || at == 0) return;
  // It may be inside of a string or a macro.
  const std::size_t before = code.find_last_not_of(" \t\r", at - 1);
  const bool is_continued = before != code.npos && code[before] == '\\';
  const bool is_whole = code.find("\n>>>>>>> ", at) != code.npos;
  if (is_continued || !is_whole) return;
  const auto begin = static_cast<std::uint32_t>(at + 1);
  add(faults, source, {begin, begin + 7}, "a conflict of a merge that is not resolved");
}

/// TVM's stack allocator takes blocks back in the reverse order only. What a block frees on its
/// way to a return is still allocated behind the block.
void check_workspaces(const SourceText& source, Bytes body, Faults& faults) {
  struct Workspace {
    std::string_view name;
    std::size_t depth = 0;               // of the block that allocates it
    std::optional<std::size_t> freed{};  // depth of the block that frees it
  };
  struct Early {
    Token place;
    std::string_view name;
    std::size_t depth = 0;  // of the block that frees it
  };
  // By the later one: something else may free it, unless it is freed behind.
  std::multimap<std::string_view, Early> too_early;
  std::vector<Workspace> open;
  std::size_t depth = 0;
  const auto find = [&](std::string_view name) {
    return std::find_if(open.rbegin(), open.rend(),
                        [&](const Workspace& one) { return one.name == name; });
  };
  const auto forget_frees = [&](std::size_t from) {
    for (Workspace& one : open) {
      if (one.freed >= from) one.freed.reset();
    }
    std::erase_if(too_early, [&](const auto& one) { return one.second.depth >= from; });
  };
  Cursor cursor(source, tokenize(source.text, body.begin, body.end));
  for (Token before{}; !cursor.at_end(); before = cursor.advance()) {
    if (cursor.at(sign("{"))) ++depth;
    if (cursor.at(sign("}"))) {
      depth -= depth > 0 ? 1 : 0;
      std::erase_if(open, [&](const Workspace& one) { return one.depth > depth; });
      forget_frees(depth + 1);
    }
    if (!cursor.at_name()) continue;
    // What is behind a label may run without what is before it.
    const bool begins = before.sign == sign(";") || before.sign == sign("{") ||
                        before.sign == sign("}") || before.sign == sign(":");
    if (cursor.at_word("case") || (begins && cursor.at(sign(":"), 1))) forget_frees(0);
    if (cursor.looks_like("$ = TVMBackendAllocWorkspace(")) {
      if (open.size() == kMostWorkspaces) return;
      open.push_back({cursor.text(), depth});
      cursor.advance();
      continue;
    }
    const bool frees = cursor.looks_like("TVMBackendFreeWorkspace($, $, $)");
    const Token place = cursor.peek(frees ? 6 : 0);
    const std::string_view name = cursor.text(place);
    const auto one = find(name);
    if (one == open.rend()) continue;
    if (!frees && cursor.at(sign("="), 1)) one->freed.reset();
    if (one->freed) {
      add(faults, cursor, place, fmt::format("'{}' is used after it was freed", name));
      one->freed.reset();
    }
    // `if (failed) TVMBackendFreeWorkspace(…);`
    const bool may_free = before.sign == sign(")") || cursor.text(before) == "else";
    if (!frees || may_free) continue;
    const auto later = std::find_if(open.rbegin(), one, [](const auto& two) { return !two.freed; });
    const bool is_early = later != one && too_early.size() < kMostWorkspaces;
    if (is_early) too_early.emplace(later->name, Early{place, name, depth});
    const auto [first, last] = too_early.equal_range(name);
    for (auto at = first; at != last; ++at) {
      const Early& early = at->second;
      add(faults, cursor, early.place,
          fmt::format("'{}' is freed before '{}', which was allocated later", early.name, name));
    }
    too_early.erase(first, last);
    one->freed = depth;
    for (int i = 0; i < 6; ++i) cursor.advance();
  }
}

/// `void* int;`, `(void* for, …)`, `inputs->int`, `tvmgen_foo-bar_run` of a module `foo-bar`.
void check_names(Cursor cursor, Faults& faults) {
  for (Sign before = Sign::none; !cursor.at_end(); before = cursor.advance().sign) {
    const std::string_view word = cursor.text();
    if (cursor.at_name() && word.find('-') != word.npos) {
      add(faults, cursor, cursor.peek(), fmt::format("'{}' is no name in C", word));
    }
    if (!cursor.at_name() || !is_keyword(cursor.text())) continue;
    const bool is_declared = cursor.at(sign(";"), 1) || cursor.at(sign(","), 1) ||
                             cursor.at(sign(")"), 1) || cursor.at(sign("["), 1);
    const bool is_name =
        before == sign("*") && is_declared && !is_among(kQualifiers, cursor.text());
    if (!is_name && before != sign("->")) continue;
    add(faults, cursor, cursor.peek(),
        fmt::format("'{}' is a word of C, and cannot be a name", cursor.text()));
  }
}

class FaultFinder {
 public:
  /// Takes the functions of the files before, unless files may define one twice.
  explicit FaultFinder(KnownFunctions* known) : known_(known) {}

  std::vector<DeclarationFault> run(const SourceText& source,
                                    std::span<const SourceText> headers) && {
    for (const SourceText& header : headers) own_headers_.insert(leaf_of(header.member));
    const auto find = [&](std::string_view path) {
      std::vector<std::string_view> texts;
      for (const SourceText& header : headers) {
        if (leaf_of(header.member) == leaf_of(path)) texts.push_back(header.text);
      }
      return texts;
    };
    const Directives own = directives_of(source.text);
    std::vector<SourceText> included;
    for (const std::string_view text : included_texts(own.includes, find)) {
      included.push_back(*std::ranges::find(headers, text.data(),
                                            [](const SourceText& one) { return one.text.data(); }));
    }
    // What a file includes is declared before its own lines.
    std::ranges::reverse(included);
    for (const SourceText& header : included) {
      note_types(header, directives_of(header.text));
      has_braces_ |= std::ranges::count(header.text, '{') != std::ranges::count(header.text, '}');
    }
    note_types(source, own);
    for (const SourceText& header : included) check(header);
    check(source);
    if (known_ != nullptr && is_certain()) {
      check_definitions(source, included);
      check_entry(source, included);
    }
    return std::move(faults_);
  }

 private:
  /// Whether a compiler sees the text as it is here.
  bool is_certain() const { return knows_headers_ && !has_conditions_; }

  void note_types(const SourceText& source, const Directives& found) {
    for (const std::string_view path : found.includes) {
      knows_headers_ &= support::is_tvm_header(path) || is_among(kKnownHeaders, path) ||
                        own_headers_.contains(leaf_of(path));
    }
    for (const auto& [name, macro] : found.macros) {
      aliases_.insert(name);
      has_braces_ |= std::ranges::count(macro.value, '{') != std::ranges::count(macro.value, '}');
    }
    has_conditions_ |= found.has_conditions || found.everywhere;
    for (const Item& item : split(source).items) {
      const std::string_view head = item.head.in(source.text);
      // Another name of a type, which is not compared with the type.
      if (head.starts_with("typedef")) aliases_.insert(head.substr(head.find_last_of(" *}") + 1));
    }
  }

  void check(const SourceText& source) {
    if (!has_conditions_) check_conflict(source, faults_);
    for (const Item& item : split(source).items) {
      if (!item.is_closed && is_certain() && !has_braces_) {
        const std::uint32_t begin = item.head.begin;
        add(faults_, source, {begin, begin + 1},
            "the file ends before the '}' of what begins here");
      }
      // Kernels: TVM renames variables that have such a name. The body of others are values.
      const bool is_wrapper = item.kind == ItemKind::other && !item.name.empty();
      const std::uint32_t end = is_wrapper ? std::max(item.head.end, item.body.end) : item.head.end;
      Cursor cursor(source, tokenize(source.text, item.head.begin, end));
      check_names(cursor, faults_);
      if (!has_conditions_ && item.name.starts_with("tvmgen_")) check_function(cursor, item.name);
      if (!has_conditions_ && item.kind == ItemKind::function)
        check_workspaces(source, item.body, faults_);
    }
  }

  /// Functions with external linkage that this file or one before defines: an error of compilers or
  /// of the linker. Words before the name that are no type may be `static`.
  void check_definitions(const SourceText& source, std::span<const SourceText> included) {
    support::NameSet<std::string_view> unclear;
    for (const SourceText& header : included) (void)definitions_in(header, unclear);
    for (const Token& token : definitions_in(source, unclear)) {
      const std::string_view name = text_of(token, source.text);
      if (unclear.contains(name) || aliases_.contains(name)) continue;
      const auto [first, is_new] = known_->files.try_emplace(name, source.member);
      if (is_new) continue;
      add(faults_, source, {token.begin, token.end},
          fmt::format("'{}' is defined in {}, too", name, first->second));
    }
  }

  void check_entry(const SourceText& source, std::span<const SourceText> included) {
    for (const Item& item : split(source).items) {
      const bool is_entry = item.name.starts_with("tvmgen_") && item.name.ends_with("_run");
      if (!is_entry || item.body.end <= item.body.begin) continue;
      for (DeclarationFault& fault :
           entry_faults(source, item, included, known_->arities, aliases_)) {
        if (faults_.size() < kMostFaults) faults_.push_back(std::move(fault));
      }
    }
  }

  /// Returns the names of functions that a text certainly defines for the linker, and adds the
  /// words of heads that may say otherwise.
  std::vector<Token> definitions_in(const SourceText& text,
                                    support::NameSet<std::string_view>& unclear) const {
    std::vector<Token> defined;
    for (const Item& item : split(text).items) {
      const std::string_view head = item.head.in(text.text);
      Cursor cursor(text, tokenize(text.text, item.head.begin, item.head.end));
      bool is_plain = item.name.starts_with("tvmgen_") && head.find("asm") == head.npos &&
                      head.find("attribute") == head.npos;
      for (; is_plain && !cursor.at_word(item.name); cursor.advance()) {
        is_plain =
            (cursor.at_word("TVM_DLL") || cursor.at(sign("*")) || scalar_type(cursor.text())) &&
            !aliases_.contains(cursor.text());
      }
      const bool is_function = cursor.at(sign("("), 1);
      if (item.body.begin == 0) {
        for (; !is_plain && !cursor.at_end(); cursor.advance()) unclear.insert(cursor.text());
      } else if (is_plain && is_function) {
        defined.push_back(cursor.peek());
      }
    }
    return defined;
  }

  bool is_type(std::string_view name) const {
    const auto begins = [&](std::string_view prefix) { return name.starts_with(prefix); };
    return scalar_type(name) || is_among(kOtherTypes, name) || aliases_.contains(name) ||
           std::ranges::any_of(kTypesOfRuntime, begins);
  }

  /// The type of a result or parameter: its tokens without qualifiers and name; empty: not known.
  std::string type_of(const Cursor& at, std::vector<Token> tokens) {
    std::erase_if(tokens, [&](const Token& token) {
      return token.kind == TokenKind::string || is_among(kQualifiers, at.text(token));
    });
    // A name before a type is a macro with an attribute: `IRAM_ATTR int32_t`.
    const auto is_part = [&](const Token& token) {
      const bool is_alias = aliases_.contains(at.text(token));
      return (is_type(at.text(token)) && !is_alias) || is_among(kTags, at.text(token));
    };
    const auto first = std::ranges::find_if(tokens, is_part);
    if (first != tokens.end()) tokens.erase(tokens.begin(), first);
    if (tokens.empty()) return {};
    const bool has_tag = is_among(kTags, at.text(tokens[0]));
    const bool has_name = tokens.size() > (has_tag ? 2u : 1u) &&
                          tokens.back().kind == TokenKind::name && !is_type(at.text(tokens.back()));
    if (has_name) tokens.pop_back();
    // A macro or typedef may be any type.
    if (aliases_.contains(at.text(tokens[0]))) return {};
    if (!has_tag && knows_headers_ && !is_type(at.text(tokens[0]))) {
      add(faults_, at, tokens[0],
          fmt::format("nothing declares the type '{}'", at.text(tokens[0])));
    }
    // `signed`, `unsigned char`, `size_t`: other types may be the same, depending on the target.
    if (is_among(kOtherTypes, at.text(tokens[0])) && at.text(tokens[0]) != "char") return {};
    // Where both have 32 bits, they are the same.
    std::string type(at.text(tokens[0]) == "int" ? "int32_t" : at.text(tokens[0]));
    for (std::size_t i = 1; i < tokens.size(); ++i) {
      if (tokens[i].kind == TokenKind::name) type += ' ';
      type += at.text(tokens[i]);
    }
    return type;
  }

  /// Parameters without types, as development versions of TVM before 0.8 declare main.
  bool has_only_names(Cursor cursor) const {
    while (cursor.at_name() && !is_type(cursor.text()) && !is_keyword(cursor.text())) {
      cursor.advance();
      if (cursor.at(sign(")"))) return true;
      if (!cursor.accept(sign(","))) return false;
    }
    return false;
  }

  void check_function(Cursor cursor, std::string_view name) {
    std::vector<Token> part;
    // Attributes have parentheses.
    for (std::size_t depth = 0; !cursor.at_end() && !cursor.at_word(name); cursor.advance()) {
      if (cursor.at(sign(")"))) --depth;
      if (depth == 0 && !cursor.at(sign(")")) && !cursor.at(sign("(")))
        part.push_back(cursor.peek());
      if (cursor.at(sign("("))) ++depth;
    }
    const Token place = cursor.advance();
    std::string type = type_of(cursor, std::move(part));
    bool is_known = !type.empty();
    type += '(';
    std::size_t parameters = 0;
    cursor.accept(sign("("));
    // C takes any arguments for `()` and for a list of names, `(arg0, arg1)`, of which it warns.
    if (cursor.at(sign(")")) || has_only_names(cursor)) return;
    while (!cursor.at(sign(")"))) {
      part.clear();
      while (cursor.at_name() || cursor.at(sign("*"))) part.push_back(cursor.advance());
      const std::string parameter = type_of(cursor, std::move(part));
      is_known &= !parameter.empty();
      type += parameter;
      ++parameters;
      // An array is a pointer, whatever its size.
      if (cursor.accept(sign("["))) {
        for (; !cursor.at(sign("]")) && !cursor.at_end(); cursor.advance()) {
          if (cursor.at(sign("[")) || cursor.at(sign("("))) return;
        }
        cursor.advance();
        type += '*';
      }
      type += ',';
      // A pointer to an array or to a function, any number of arguments.
      if (!cursor.at(sign(")")) && !cursor.accept(sign(","))) return;
    }
    type += ")";
    if (type.ends_with("(void,)")) parameters = 0;
    if (!is_known) return;
    const std::string_view list = std::string_view(type).substr(type.find('('));
    const auto pointers = static_cast<std::size_t>(std::ranges::count(list, '*'));
    const bool takes_pointers = pointers == parameters && list.find("**") == list.npos;
    check_arity(cursor, place, {parameters, takes_pointers, cursor.source().member});
    const auto [known, is_new] = prototypes_.try_emplace(name, type);
    if (is_new || known->second == type) return;
    add(faults_, cursor, place,
        fmt::format("'{}' is declared as {} and as {}", name, known->second, type));
  }

  /// Of main in two files, which no compiler compares. The network has those of its kernels.
  void check_arity(const Cursor& cursor, const Token& name, const Arity& own) {
    const std::string_view function = cursor.text(name);
    const bool is_main = function.ends_with("__tvm_main__") || function.ends_with("_run_model");
    if (known_ == nullptr || !is_main || !is_certain()) return;
    const auto [first, is_new] = known_->arities.try_emplace(function, own);
    const Arity& other = first->second;
    if (is_new || other.parameters == own.parameters || other.file == own.file) return;
    add(faults_, cursor, name,
        fmt::format("'{}' has {} parameters here, and {} in {}", function, own.parameters,
                    other.parameters, other.file));
  }

  KnownFunctions* known_;        ///< null: files are not compared
  bool knows_headers_ = true;    ///< all types may be declared here
  bool has_braces_ = false;      ///< a macro opens or closes blocks
  bool has_conditions_ = false;  ///< preprocessor lines select what is compiled
  support::NameSet<std::string_view> own_headers_;
  support::NameSet<std::string_view> aliases_;
  support::NameMap<std::string_view, std::string> prototypes_;
  Faults faults_;
};

}  // namespace

std::vector<DeclarationFault> declaration_faults(std::span<const SourceText> sources,
                                                 std::span<const SourceText> headers,
                                                 const MacroValues& macros) {
  std::deque<std::string> texts;
  const auto active = [&](std::span<const SourceText> files) {
    std::vector<SourceText> result(files.begin(), files.end());
    for (SourceText& one : result) {
      if (auto text = active_text(one.text, macros))
        one.text = texts.emplace_back(*std::move(text));
    }
    return result;
  };
  const std::vector<SourceText> active_headers = active(headers);
  // A linker takes another definition for a weak one.
  const auto is_weak = [](const SourceText& one) {
    return one.text.find("weak") != one.text.npos || one.text.find("WEAK") != one.text.npos;
  };
  const bool has_weak =
      std::ranges::any_of(sources, is_weak) || std::ranges::any_of(headers, is_weak);
  KnownFunctions known;
  std::vector<DeclarationFault> all;
  for (const SourceText& source : active(sources)) {
    FaultFinder finder(has_weak ? nullptr : &known);
    std::ranges::move(std::move(finder).run(source, active_headers), std::back_inserter(all));
  }
  return all;
}

}  // namespace mlf::tir::c
