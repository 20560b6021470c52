// Words of C that name a constant or a pool outside of what the reader of C understands.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "mlf/archive.h"

namespace mlf::optimize {

/// Calls `use(word, place)` for each word of a C text that is not a number; `place` is the offset
/// of its first character.
void for_each_word(std::string_view text,
                   const std::function<void(std::string_view, std::size_t)>& use);

/// The text of a member with blanks in place of the comments of C; of a file that has another name
/// than C and C++ have, the text as it is.
std::string code_of(const archive::Member& member, std::string_view text);

/// Counts watched words in C texts.
class WordCounts {
 public:
  void watch(const std::string& word) { counts_.try_emplace(word); }
  void read(std::string_view text);

  std::size_t of(std::string_view word) const;

 private:
  std::map<std::string, std::size_t, std::less<>> counts_;
};

/// Returns whether macros or line ends may join parts of words.
bool joins_words(std::string_view text);

/// Returns whether a string may be the beginning of one of these names, whose rest is in the string
/// or macro behind it.
bool joins_literals(std::string_view text, const std::set<std::string, std::less<>>& names);

/// Returns the first type name of constants that a C text defines as a macro; empty if there is
/// none.
std::string_view type_macro(std::string_view text);

/// Returns whether this file may be code or a linker script: C may include a file of any name, so
/// it is any file but the data and documents of an archive.
bool may_have_code(const archive::Member& member);

}  // namespace mlf::optimize
