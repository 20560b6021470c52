// references_of: the functions and headers that the text of a file of C needs.
#include <algorithm>
#include <set>

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
    const std::string_view word = text.substr(tokens[i].begin, tokens[i].end - tokens[i].begin);
    const bool is_member = before == "." || before == "->";
    if (tokens[i].kind == TokenKind::name && !is_member &&
        (tokens[i + 1].sign == sign("(") || prototypes.contains(word)) && may_be_function(word)) {
      called.emplace(word);
    }
    before = word;
  }
}

}  // namespace
}  // namespace c

CReferences references_of(std::string_view text) {
  if (text.size() >= UINT32_MAX) return {};
  const std::optional<std::string> active = c::active_text(text);
  if (active) text = *active;
  const c::FileItems file = c::split({{}, {}, text});
  CReferences references;
  support::NameSet<std::string_view> prototypes;
  for (const c::Item& item : file.items) {
    if (item.kind == c::ItemKind::prototype) prototypes.insert(item.name);
  }
  for (const c::Item& item : file.items) {
    const bool is_function =
        item.body.end > item.head.end && text[item.head.end] == '{' && !item.name.empty();
    if (!is_function) continue;
    references.defined.emplace(item.name);
    c::add_called(text, item.body, prototypes, references.called);
  }
  const c::Directives directives = c::directives_of(text, file.items);
  for (const auto& [name, macro] : directives.macros) {
    references.defined.emplace(name);
    c::add_called(macro.value, {0, static_cast<std::uint32_t>(macro.value.size())}, prototypes,
                  references.called);
  }
  for (const std::string_view path : directives.includes) references.includes.emplace_back(path);
  return references;
}

}  // namespace mlf::tir
