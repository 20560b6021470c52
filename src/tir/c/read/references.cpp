// What the text of a file of C needs of other files, has for them, and its loops.
#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "support/characters.h"
#include "support/lookup.h"
#include "support/name_map.h"
#include "tir/c/c.h"
#include "tir/c/read/directives.h"
#include "tir/c/read/file_items.h"
#include "tir/c/read/tokens.h"

namespace mlf::tir {
namespace c {
namespace {

/// Adds the names before a parenthesis, and those in `prototypes`.
void add_called(std::string_view text, Bytes part,
                const support::NameSet<std::string_view>& prototypes,
                std::set<std::string, std::less<>>& called) {
  const std::vector<Token> tokens = tokenize(text, part.begin, part.end);
  std::string_view before;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const std::string_view word = text_of(tokens[i], text);
    const bool is_member = before == "." || before == "->";
    if (tokens[i].kind == TokenKind::name && !is_member &&
        (tokens[i + 1].sign == sign("(") || prototypes.contains(word)) && may_be_function(word)) {
      called.emplace(word);
    }
    before = word;
  }
}

/// Whether a definition certainly is the only one of a program: no macro and no word is before its
/// name that may make it static, inline or weak, or part of C++.
bool is_exported(std::string_view head, std::string_view name,
                 const support::NameMap<std::string_view, Macro>& macros) {
  constexpr std::array<std::string_view, 12> kOtherwise{
      "static", "inline",   "__inline",  "__inline__", "weak",    "__weak__",
      "using",  "template", "namespace", "friend",     "concept", "class"};
  if (!may_be_function(name)) return false;
  const auto end = static_cast<std::uint32_t>(head.size());
  for (std::uint32_t at = 0; at < end;) {
    const std::string_view word = next_name(head, at, end);
    // An attribute may have the same name: `((weak))`.
    if (word == name && !head.substr(at).starts_with(')')) break;
    const bool is_macro = macros.contains(word) || support::may_be_macro(word);
    const bool is_number = !word.empty() && word[0] >= '0' && word[0] <= '9';
    if (word.empty() || word == "TVM_DLL" || is_number) continue;
    if (is_macro || support::is_among(kOtherwise, word)) return false;
  }
  return true;
}

/// Adds what a function keeps from call to call.
void add_static(std::string_view text, Bytes body, std::set<std::string, std::less<>>& written) {
  if (support::find_word(body.in(text), "static") == std::string_view::npos) return;
  const std::vector<Token> tokens = tokenize(text, body.begin, body.end);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (text_of(tokens[i], text) != "static") continue;
    std::size_t end = i;  // of the declaration
    while (end < tokens.size() && text_of(tokens[end], text) != ";") ++end;
    const std::size_t count = std::min(end + 1, tokens.size()) - i;
    for (const DeclaredVariable& one : variables_in(text, std::span(tokens).subspan(i, count))) {
      if (!one.is_const) written.emplace(one.name);
    }
    i = end;
  }
}

/// Adds the variables that a declaration outside of functions makes or names.
void add_variables(std::string_view text, const Item& item, bool is_certain,
                   const support::NameMap<std::string_view, Macro>& macros,
                   CReferences& references) {
  const std::string_view head = item.head.in(text);
  const auto has = [&](std::string_view word) {
    return support::find_word(head, word) != head.npos;
  };
  const bool is_external = has("extern") && item.body.end <= item.body.begin;
  const bool has_values = item.kind == ItemKind::array || item.kind == ItemKind::pool;
  const std::vector<DeclaredVariable> variables =
      has_values ? std::vector{DeclaredVariable{item.name, true}} : variables_of(text, item);
  for (const auto& [name, is_const] : variables) {
    if (is_external) {
      references.external.emplace(name);
      continue;
    }
    if (is_certain && is_exported(head, name, macros)) references.exported.emplace(name);
    if (!is_const) references.written.emplace(name);
  }
}

// --- Loops ---------------------------------------------------------------------------------------

/// Finds the loops of a function, and where each ends: at a brace, or at the end of one statement.
class LoopFinder {
 public:
  LoopFinder(std::string_view text, const std::set<std::string_view>& macros,
             std::vector<CLoop>& loops)
      : text_(text), macros_(macros), loops_(loops) {}

  void add(const Item& item) {
    const std::vector<Token> tokens = tokenize(text_, item.body.begin, item.body.end);
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      const std::string_view word = text_of(tokens[i], text_);
      const std::string_view next = text_of(tokens[i + 1], text_);
      if (next == ":") labels_.insert(word);
      const bool ends_do = std::exchange(is_behind_do_, false);
      const bool has_body = (word == "for" || word == "while" || word == "do") && !ends_do;
      if (has_body || macros_.contains(word) || (word == "goto" && labels_.contains(next))) {
        const auto depth = static_cast<std::uint32_t>(open_.size());
        loops_.push_back({item.name, std::string(word), tokens[i].begin, item.body.end, depth});
        if (word != "goto") {
          open_.push_back({loops_.size() - 1, braces_, parentheses_, word == "do"});
        }
      }
      pass(word, next, tokens[i].end);
    }
  }

 private:
  struct Open {
    std::size_t loop;
    std::size_t braces;
    std::size_t parentheses;
    bool is_do;  ///< whose condition is still to come
  };

  void pass(std::string_view word, std::string_view next, std::uint32_t end) {
    if (word == "(") ++parentheses_;
    if (word == ")") parentheses_ -= parentheses_ > 0 ? 1 : 0;
    if (word == "{") ++braces_;
    if (word == "}") braces_ -= braces_ > 0 ? 1 : 0;
    const bool is_end = (word == "}" || word == ";") && next != "else";
    while (is_end && !open_.empty() && open_.back().braces >= braces_ &&
           open_.back().parentheses >= parentheses_) {
      // The condition of `do … while (…);` is part of the loop.
      is_behind_do_ = std::exchange(open_.back().is_do, false) && next == "while";
      if (is_behind_do_) break;
      loops_[open_.back().loop].end = end;
      open_.pop_back();
    }
  }

  std::string_view text_;
  const std::set<std::string_view>& macros_;
  std::vector<CLoop>& loops_;
  std::vector<Open> open_;
  std::set<std::string_view> labels_;
  std::size_t braces_ = 0;
  std::size_t parentheses_ = 0;
  bool is_behind_do_ = false;
};

}  // namespace
}  // namespace c

std::vector<CLoop> loops_of(std::string_view text, const MacroValues& macros) {
  if (text.size() >= UINT32_MAX) return {};
  const std::string_view whole = text;
  const std::optional<std::string> active = c::active_text(text, macros);
  if (active) text = *active;
  const c::FileItems file = c::split({{}, {}, text});
  const c::Directives directives = c::directives_of(text, file.items);
  std::set<std::string_view> loops_in_macros;
  for (const auto& [name, macro] : directives.macros) {
    for (const std::string_view word : {"for", "while", "do", "goto"}) {
      if (support::find_word(macro.value, word) != macro.value.npos) loops_in_macros.insert(name);
    }
  }
  std::vector<CLoop> loops;
  for (const c::Item& item : file.items) {
    const bool is_function =
        item.body.end > item.head.end && text[item.head.end] == '{' && !item.name.empty();
    if (is_function) c::LoopFinder(text, loops_in_macros, loops).add(item);
  }
  // Names stay valid, as places are the same.
  for (CLoop& loop : loops) {
    loop.function = whole.substr(static_cast<std::size_t>(loop.function.data() - text.data()),
                                 loop.function.size());
  }
  return loops;
}

CReferences references_of(std::string_view text, const MacroValues& macros) {
  if (text.size() >= UINT32_MAX) return {};
  const std::optional<std::string> active = c::active_text(text, macros);
  if (active) text = *active;
  const c::FileItems file = c::split({{}, {}, text});
  const c::Directives directives = c::directives_of(text, file.items);
  const auto is_conditional = [&](const c::Item& item) {
    return std::ranges::any_of(directives.doubts, [&](const c::Doubt& one) {
      return one.where.begin <= item.head.begin && item.head.begin < one.where.end;
    });
  };
  CReferences references;
  support::NameSet<std::string_view> prototypes;
  support::NameSet<std::string_view> own;  // that no other file sees
  for (const c::Item& item : file.items) {
    const std::string_view head = item.head.in(text);
    if (item.kind == c::ItemKind::prototype) prototypes.insert(item.name);
    const bool has_body = item.body.end > item.head.end && !item.name.empty();
    const bool is_function = has_body && text[item.head.end] == '{';
    const bool is_certain = !is_conditional(item);
    if (is_function) c::add_static(text, item.body, references.written);
    // A pointer to a function is a variable.
    const bool is_prototype = item.kind == c::ItemKind::prototype && head.find("(*") == head.npos;
    if (!is_function && !is_prototype) {
      c::add_variables(text, item, is_certain, directives.macros, references);
    }
    if (!is_function || !is_certain) continue;
    // __STATIC_INLINE and __STATIC_FORCEINLINE are macros of CMSIS-Core.
    const bool is_static =
        support::find_word(head, "static") != head.npos || head.find("__STATIC_") != head.npos;
    is_static ? void(own.insert(item.name)) : void(references.defined.emplace(item.name));
    if (c::is_exported(head, item.name, directives.macros)) {
      references.exported.emplace(item.name);
    }
  }
  for (const auto& [name, macro] : directives.macros) {
    if (macro.is_certain || !directives.has_conditions) own.insert(name);
    // Its parameters are names of what it is given.
    const std::size_t close = macro.value.find(')');
    if (close != macro.value.npos && macro.value.rfind('(', close) == 0) {
      const auto end = static_cast<std::uint32_t>(close);
      for (std::uint32_t at = 0; at < end;) own.insert(c::next_name(macro.value, at, end));
    }
    c::add_called(macro.value, {0, static_cast<std::uint32_t>(macro.value.size())}, prototypes,
                  references.called);
  }
  for (const c::Item& item : file.items) {
    const bool has_rows = item.kind == c::ItemKind::array || item.kind == c::ItemKind::pool;
    if (item.body.end <= item.body.begin || has_rows) continue;
    c::add_called(text, item.body, prototypes, references.called);
  }
  std::erase_if(references.called, [&](const std::string& name) { return own.contains(name); });
  for (const std::string_view path : directives.includes) references.includes.emplace_back(path);
  return references;
}

}  // namespace mlf::tir
