// references_of: the functions and headers that the text of a file of C needs.
#include <algorithm>
#include <set>

#include "support/characters.h"
#include "support/name_map.h"
#include "support/source_text.h"
#include "tir/c/c.h"
#include "tir/c/language.h"
#include "tir/c/read/directives.h"
#include "tir/c/read/file_items.h"
#include "tir/c/read/tokens.h"

namespace mlf::tir {
namespace c {
namespace {

/// Words that a parenthesis may follow and that are no function.
constexpr std::string_view kNoFunctions[] = {"__attribute__",  "__asm__", "__asm",      "asm",
                                             "__volatile__",   "alignof", "_Alignof",   "_Alignas",
                                             "_Static_assert", "typeof",  "__typeof__", "defined",
                                             "__extension__"};

bool may_be_function(std::string_view name) {
  return !is_keyword(name) && !scalar_type(name) &&
         std::ranges::count(reserved_words(), name) == 0 &&
         std::ranges::count(kNoFunctions, name) == 0;
}

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

/// Adds those of `extern uint8_t pool[], other[4] __attribute__((…))`. What a pointer to a function
/// is called stays inside its parentheses.
void add_variables(std::string_view text, Bytes declaration,
                   std::set<std::string, std::less<>>& variables) {
  const std::vector<Token> tokens = tokenize(text, declaration.begin, declaration.end);
  std::size_t depth = 0;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const Sign own = tokens[i].sign;
    if (own == sign("(") || own == sign("[")) ++depth;
    if (own == sign(")") || own == sign("]")) depth -= depth > 0 ? 1 : 0;
    if (depth > 0 || tokens[i].kind != TokenKind::name) continue;
    const Token& next = tokens[i + 1];
    const bool ends = next.kind == TokenKind::end || next.sign == sign("[") ||
                      next.sign == sign(",") || next.sign == sign(";") ||
                      text_of(next, text) == "__attribute__";
    if (ends && may_be_function(text_of(tokens[i], text))) {
      variables.emplace(text_of(tokens[i], text));
    }
  }
}

}  // namespace
}  // namespace c

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
    if (is_function && !is_conditional(item)) {
      const bool is_static = support::find_word(head, "static") != head.npos;
      is_static ? void(own.insert(item.name)) : void(references.defined.emplace(item.name));
    }
    const bool is_external = support::find_word(head, "extern") != head.npos;
    if (is_external && item.kind != c::ItemKind::prototype && !has_body) {
      c::add_variables(text, item.head, references.external);
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
