// The words of any code, which may name constants and pools.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace mlf::tir::c {

/// The word characters of `text` from `begin` on.
std::string_view word_at(std::string_view text, std::size_t begin);
/// The word characters of `text` before `end`.
std::string_view word_before(std::string_view text, std::size_t end);

/// Calls `use(word, place)` for each word of a C text that is not a number; `place` is the offset
/// of its first character.
void for_each_word(std::string_view text,
                   const std::function<void(std::string_view, std::size_t)>& use);

/// The number of each word that is counted.
using WordCounts = std::map<std::string, std::size_t, std::less<>>;
/// Adds the words of a C text that `counts` has.
void count_words(std::string_view text, WordCounts& counts);
std::size_t count_of_word(std::string_view text, std::string_view word);

/// Returns whether macros or line ends may join parts of words.
bool joins_words(std::string_view text);

/// Returns whether a string may be the beginning of one of these names, whose rest is in the string
/// or macro behind it.
bool joins_literals(std::string_view text, const std::set<std::string, std::less<>>& names);

/// Returns the first type of C that a text defines as a macro; empty if there is none.
std::string_view type_macro(std::string_view text);

}  // namespace mlf::tir::c
